------------------------------ MODULE Recovery ------------------------------
(* Claims that their owners do not publish, on rings with many producers of  *)
(* io.sluice.ringbuffer: threads that end or sleep with an open claim, and   *)
(* who aborts it on their behalf.                                             *)
(* See Recovery.md for what it says in prose.                                *)
EXTENDS Integers, TLC

CONSTANTS
    Producers,          \* the publishing threads
    Capacity,           \* slots
    Total,              \* how many claims are made, by whichever of them
    Tracked,            \* TRUE: the ring was built with trackClaims
    Parks,              \* TRUE: the consumer parks with an exact idle strategy, and only what it has told of is aborted
    UpToBinds,          \* TRUE: a claim by tryNextUpTo binds the producer to its thread, as one by next does
    LookMadeUp,         \* TRUE: a consumer that has put off its look for an abandoned claim wakes up for it
    WaiterWakes,        \* TRUE: a producer that finds no room wakes the consumer
    LifeAsked,          \* TRUE: without tracking, only the claim of an ended thread is aborted
    OwnerNamed,         \* TRUE: a claimer says behind its claim whose it is
    AbortByCas,         \* TRUE: the stamp moves to ABORTING only if it still is what was read
    PublishByCas,       \* TRUE: an owner publishes only what is still open
    FreshEvent,         \* TRUE: an abort on a living owner's behalf puts another event into the slot
    EventThenLook,      \* TRUE: an owner reads the event, then whether its claim is open
    MarkFirst           \* TRUE: an abort is marked before its stamp tells of it

VARIABLES
    claim,                      \* the claim word: the next sequence
    pc, open, has,              \* producers: where, the open sequence, the event in hand
    life, closed,               \* producers: "up", "asleep" or "ended"; whether the producer was closed
    stamp, slot, mark, owner,   \* slots: lap and whether it is being aborted, the event, the mark, whose claim it is
    highest,                    \* the highest abort
    events,                     \* how many events were made
    first, second,              \* events: two words of contents
    bound,                      \* producers: whether it is known whose thread it is
    wpc, which, whose,          \* who aborts: where, which sequence, whose
    cpc, pos, saw, any,         \* the consumer: where, position, the event and its first word, may be an abort
    gap, told, putOff, wake,    \* the consumer: the open claim that it has seen, told of; a look put off; a signal to come
    published, aborted,         \* ghost: what an owner was told is published; what was aborted
    wrong                       \* ghost: what should not have come about

vars == <<claim, pc, open, has, life, closed, stamp, slot, mark, owner, highest, events, first, second, bound,
          wpc, which, whose, cpc, pos, saw, any, gap, told, putOff, wake, published, aborted, wrong>>

lifeVars == <<life, closed>>
slotVars == <<stamp, slot, mark, owner, highest, events>>
contents == <<first, second>>
watchVars == <<wpc, which, whose>>
consumerVars == <<cpc, pos, saw, any>>
gapVars == <<gap, told, putOff>>
ghosts == <<published, aborted, wrong>>

Nobody == "nobody"
Alike == Permutations(Producers)     \* so that only one of two states is looked at that differ by a name
Events == 0 .. Capacity + (IF Tracked THEN Total ELSE 0) - 1

Slot(s) == s % Capacity
Lap(s) == s \div Capacity
Max(a, b) == IF a > b THEN a ELSE b

IsOpen(s) == ~stamp[Slot(s)].aborting /\ stamp[Slot(s)].lap < Lap(s)
IsStamped(s) == IF stamp[Slot(s)].aborting THEN stamp[Slot(s)].lap > Lap(s) ELSE stamp[Slot(s)].lap >= Lap(s)

Init ==
    /\ claim = 0
    /\ pc = [p \in Producers |-> "claim"]
    /\ open = [p \in Producers |-> -1]
    /\ has = [p \in Producers |-> -1]
    /\ life = [p \in Producers |-> "up"]
    /\ closed = [p \in Producers |-> FALSE]
    /\ stamp = [i \in 0 .. Capacity - 1 |-> [lap |-> -1, aborting |-> FALSE]]
    /\ slot = [i \in 0 .. Capacity - 1 |-> i]
    /\ mark = [i \in 0 .. Capacity - 1 |-> -1]
    /\ owner = [i \in 0 .. Capacity - 1 |-> <<-1, Nobody>>]
    /\ highest = -1
    /\ events = Capacity
    /\ first = [e \in Events |-> -1]
    /\ second = [e \in Events |-> -1]
    /\ bound = [p \in Producers |-> FALSE]
    /\ wpc = "look" /\ which = -1 /\ whose = Nobody
    /\ gap = -1 /\ told = -1 /\ putOff = FALSE /\ wake = FALSE
    /\ cpc = "look" /\ pos = 0 /\ saw = <<-1, -1>> /\ any = FALSE
    /\ published = {} /\ aborted = {}
    /\ wrong = "nothing"

----------------------------------------------------------------------------
(* Producers                                                                *)

Go(p, where) == pc' = [pc EXCEPT ![p] = where]

(* Room and the compare-and-set in one step: see Ring. *)
Claim(p, form) ==
    /\ life[p] = "up" /\ pc[p] = "claim"
    /\ claim < Total
    /\ claim < pos + Capacity
    /\ claim' = claim + 1
    /\ open' = [open EXCEPT ![p] = claim]
    /\ Go(p, IF Tracked /\ OwnerNamed THEN "name" ELSE "get")
    /\ UNCHANGED <<has, lifeVars, slotVars, contents, watchVars, consumerVars, ghosts>>
    /\ bound' = [bound EXCEPT ![p] = @ \/ UpToBinds \/ form = "next"]
    /\ UNCHANGED <<gapVars, wake>>

(* No room, and somebody has stopped the consumers: once for each wait. *)
FindNoRoom(p) ==
    /\ Parks /\ WaiterWakes
    /\ life[p] = "up" /\ pc[p] = "claim"
    /\ claim < Total /\ claim >= pos + Capacity
    /\ cpc = "parked" /\ gap = -1 /\ ~putOff
    /\ wake' = TRUE
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, watchVars, consumerVars, ghosts, bound, gapVars>>

Name(p) ==
    /\ life[p] = "up" /\ pc[p] = "name"
    /\ owner' = [owner EXCEPT ![Slot(open[p])] = <<open[p], p>>]
    /\ Go(p, "get")
    /\ UNCHANGED <<claim, open, has, lifeVars, stamp, slot, mark, highest, events, contents, watchVars,
                   consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake>>

(* The owner is told that its claim is not its own any more. *)
Refused(p) ==
    /\ Go(p, "claim")
    /\ open' = [open EXCEPT ![p] = -1]
    /\ has' = [has EXCEPT ![p] = -1]
    /\ wrong' = IF open[p] \in aborted THEN wrong ELSE "refused what was not aborted"

(* get, without tracking: reads the event. With it: reads the event, then looks whether the claim is open. *)
ReadEvent(p) ==
    /\ life[p] = "up"
    /\ pc[p] = (IF EventThenLook THEN "get" ELSE "event")
    /\ has' = [has EXCEPT ![p] = slot[Slot(open[p])]]
    /\ Go(p, IF Tracked /\ EventThenLook THEN "check" ELSE "first")
    /\ UNCHANGED <<claim, open, lifeVars, slotVars, contents, watchVars, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake>>

LookIfOpen(p) ==
    /\ life[p] = "up"
    /\ pc[p] = (IF EventThenLook THEN "check" ELSE "get")
    /\ IF IsOpen(open[p])
       THEN Go(p, IF EventThenLook THEN "first" ELSE "event") /\ UNCHANGED <<open, has, wrong>>
       ELSE Refused(p)
    /\ UNCHANGED <<claim, lifeVars, slotVars, contents, watchVars, consumerVars, published, aborted>>
    /\ UNCHANGED <<bound, gapVars, wake>>

WriteFirst(p) ==
    /\ life[p] = "up" /\ pc[p] = "first"
    /\ first' = [first EXCEPT ![has[p]] = open[p]]
    /\ Go(p, "second")
    /\ UNCHANGED <<claim, open, has, lifeVars, slotVars, second, watchVars, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake>>

WriteSecond(p) ==
    /\ life[p] = "up" /\ pc[p] = "second"
    /\ second' = [second EXCEPT ![has[p]] = open[p]]
    /\ Go(p, "publish")
    /\ UNCHANGED <<claim, open, has, lifeVars, slotVars, first, watchVars, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake>>

Publish(p) ==
    /\ life[p] = "up" /\ pc[p] = "publish"
    /\ IF ~Tracked \/ ~PublishByCas \/ IsOpen(open[p])
       THEN /\ stamp' = [stamp EXCEPT ![Slot(open[p])] = [lap |-> Lap(open[p]), aborting |-> FALSE]]
            /\ published' = published \union {open[p]}
            /\ open' = [open EXCEPT ![p] = -1]
            /\ has' = [has EXCEPT ![p] = -1]
            /\ Go(p, "claim")
            /\ UNCHANGED wrong
       ELSE /\ Refused(p)
            /\ UNCHANGED <<stamp, published>>
    /\ UNCHANGED <<claim, lifeVars, slot, mark, owner, highest, events, contents, watchVars, consumerVars, aborted>>
    /\ wake' = (wake \/ (Parks /\ stamp' # stamp))
    /\ UNCHANGED <<bound, gapVars>>

(* Between two calls, with a claim open, a thread may end, or fall asleep: then it wakes once its claim is gone, or *)
(* never.                                                                                                           *)
Outside(p) == life[p] = "up" /\ pc[p] \in {"get", "first", "second", "publish"}

End(p) ==
    /\ Outside(p)
    /\ life' = [life EXCEPT ![p] = "ended"]
    /\ UNCHANGED <<claim, pc, open, has, closed, slotVars, contents, watchVars, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake>>

Sleep(p) ==
    /\ Tracked
    /\ Outside(p)
    /\ life' = [life EXCEPT ![p] = "asleep"]
    /\ UNCHANGED <<claim, pc, open, has, closed, slotVars, contents, watchVars, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake>>

Wake(p) ==
    /\ life[p] = "asleep"
    /\ open[p] \in aborted
    /\ life' = [life EXCEPT ![p] = "up"]
    /\ UNCHANGED <<claim, pc, open, has, closed, slotVars, contents, watchVars, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake>>

----------------------------------------------------------------------------
(* Who aborts on their behalf, one after another: the lock `recovery`         *)

(* Whose the open claim is, as far as that is known for sure. *)
IsKnownOwner(p, s) ==
    IF Tracked THEN owner[Slot(s)] = <<s, p>>
    ELSE open[p] = s /\ ~closed[p] /\ bound[p] /\ (LifeAsked => life[p] = "ended")

(* Finds the claim that the consumers stand before. What it has found may be long past when it aborts. *)
Look ==
    /\ wpc = "look"
    /\ \E s \in pos .. claim - 1, p \in Producers :
        /\ ~IsStamped(s)
        /\ \A t \in pos .. s - 1 : IsStamped(t)
        /\ IsKnownOwner(p, s)
        /\ Parks => told = s
        /\ which' = s
        /\ whose' = p
        /\ wrong' = IF bound[p] THEN wrong ELSE "an owner without a thread"
    /\ wpc' = "found"
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, consumerVars, published, aborted>>
    /\ UNCHANGED <<bound, gapVars, wake>>

Watch(where) == wpc' = where /\ UNCHANGED <<which, whose>>
Forget == wpc' = "look" /\ which' = -1 /\ whose' = Nobody

(* An ended thread's producer is closed, whatever it has open; a living one's claim is aborted if it still is its own. *)
Begin ==
    /\ wpc = "found"
    /\ IF life[whose] = "ended"
       THEN IF closed[whose] \/ open[whose] = -1
            THEN Forget
            ELSE /\ which' = open[whose]
                 /\ whose' = whose
                 /\ wpc' = IF Tracked THEN "cas" ELSE "mark"
       ELSE IF ~Tracked
            THEN IF LifeAsked THEN Forget ELSE Watch("mark")
            ELSE IF owner[Slot(which)] # <<which, whose>> THEN Forget ELSE Watch("cas")
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake>>

ToAborting ==
    /\ stamp' = [stamp EXCEPT ![Slot(which)] = [lap |-> Lap(which), aborting |-> TRUE]]
    /\ aborted' = aborted \union {which}
    /\ Watch(IF FreshEvent /\ life[whose] # "ended" THEN "replace" ELSE IF MarkFirst THEN "mark" ELSE "release")

Cas ==
    /\ wpc = "cas"
    /\ IF ~IsOpen(which)
       THEN Forget /\ UNCHANGED <<stamp, aborted>>
       ELSE IF AbortByCas
            THEN ToAborting
            ELSE Watch("set") /\ UNCHANGED <<stamp, aborted>>
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slot, mark, owner, highest, events, contents, consumerVars,
                   published, wrong>>
    /\ UNCHANGED <<bound, gapVars, wake>>

Set ==
    /\ wpc = "set"
    /\ ToAborting
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slot, mark, owner, highest, events, contents, consumerVars,
                   published, wrong>>
    /\ UNCHANGED <<bound, gapVars, wake>>

Replace ==
    /\ wpc = "replace"
    /\ slot' = [slot EXCEPT ![Slot(which)] = events]
    /\ events' = events + 1
    /\ Watch(IF MarkFirst THEN "mark" ELSE "release")
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, stamp, mark, owner, highest, contents, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake>>

Mark ==
    /\ wpc = "mark"
    /\ mark' = [mark EXCEPT ![Slot(which)] = which]
    /\ Watch("raise")
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, stamp, slot, owner, highest, events, contents, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake>>

Raise ==
    /\ wpc = "raise"
    /\ highest' = Max(highest, which)
    /\ IF MarkFirst THEN Watch("release") ELSE Forget
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, stamp, slot, mark, owner, events, contents, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake>>

Release ==
    /\ wpc = "release"
    /\ stamp' = [stamp EXCEPT ![Slot(which)] = [lap |-> Lap(which), aborting |-> FALSE]]
    /\ aborted' = aborted \union {which}
    /\ closed' = [closed EXCEPT ![whose] = @ \/ ~Tracked]
    /\ IF MarkFirst THEN Forget ELSE Watch("mark")
    /\ UNCHANGED <<claim, pc, open, has, life, slot, mark, owner, highest, events, contents, consumerVars,
                   published, wrong>>
    /\ wake' = (wake \/ Parks)
    /\ UNCHANGED <<bound, gapVars>>

----------------------------------------------------------------------------
(* The consumer: batches of one                                              *)

Scan ==
    /\ cpc = "look"
    /\ pos < Total
    /\ stamp[Slot(pos)] = [lap |-> Lap(pos), aborting |-> FALSE]
    /\ any' = (highest >= pos)
    /\ cpc' = "first"
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, watchVars, pos, saw, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake>>

ReadFirst ==
    /\ cpc = "first"
    /\ IF any /\ mark[Slot(pos)] = pos
       THEN /\ pos' = pos + 1
            /\ cpc' = "look"
            /\ any' = FALSE
            /\ wrong' = IF pos \in published THEN "lost" ELSE wrong
            /\ UNCHANGED saw
       ELSE /\ saw' = <<slot[Slot(pos)], first[slot[Slot(pos)]]>>
            /\ cpc' = "second"
            /\ wrong' = IF pos \in aborted THEN "aborted" ELSE wrong
            /\ UNCHANGED <<pos, any>>
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, watchVars, published, aborted>>
    /\ UNCHANGED <<bound, gapVars, wake>>

ReadSecond ==
    /\ cpc = "second"
    /\ wrong' = IF saw[2] = pos /\ second[saw[1]] = pos THEN wrong ELSE "torn, early or reused"
    /\ pos' = pos + 1
    /\ saw' = <<-1, -1>>
    /\ any' = FALSE
    /\ cpc' = "look"
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, watchVars, published, aborted>>
    /\ UNCHANGED <<bound, gapVars, wake>>

(* A cycle that found nothing looks whether a claim stands in the way, unless it did so a moment ago. *)
Nothing(where) ==
    /\ Parks
    /\ cpc = where
    /\ pos < Total
    /\ stamp[Slot(pos)] # [lap |-> Lap(pos), aborting |-> FALSE]
    /\ cpc' = "park"
    /\ wake' = FALSE
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, watchVars, pos, saw, any, ghosts, bound>>

InTheWay == IF claim > pos THEN pos ELSE -1

LookForAGap ==
    /\ Nothing("look")
    /\ gap' = InTheWay
    /\ putOff' = FALSE
    /\ UNCHANGED told

PutOffTheLook ==
    /\ Nothing("look")
    /\ putOff' = TRUE
    /\ UNCHANGED <<gap, told>>

(* Its time has come: a claim that has stood there since the last look is told. *)
LookOnceMore ==
    /\ Nothing("due")
    /\ gap' = InTheWay
    /\ told' = IF gap = pos THEN pos ELSE told
    /\ putOff' = FALSE

(* How a park misses no wake-up is SignalledIdle's business. *)
Park ==
    /\ cpc = "park"
    /\ cpc' = IF wake THEN "look" ELSE "parked"
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, watchVars, pos, saw, any, ghosts, bound, gapVars,
                   wake>>

IsDue == (putOff /\ LookMadeUp) \/ (gap # -1 /\ gap # told)

Unpark ==
    /\ cpc = "parked"
    /\ \/ wake /\ cpc' = "look"
       \/ IsDue /\ cpc' = "due"
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, watchVars, pos, saw, any, ghosts, bound, gapVars,
                   wake>>

(* It was published or aborted meanwhile. *)
NotDue ==
    /\ cpc = "due"
    /\ stamp[Slot(pos)] = [lap |-> Lap(pos), aborting |-> FALSE]
    /\ cpc' = "look"
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, watchVars, pos, saw, any, ghosts, bound, gapVars,
                   wake>>

----------------------------------------------------------------------------
(* Everybody who has not ended has published or been told, and the consumer has passed all that was claimed;   *)
(* one that parks may stand before claims behind which nothing is published: who claims wakes nobody.                *)
NothingBehind == Parks /\ cpc = "parked" /\ \A s \in pos .. claim - 1 : ~IsStamped(s)

AllPassed ==
    /\ \A p \in Producers :
        \/ life[p] = "ended"
        \/ life[p] = "up" /\ pc[p] = "claim" /\ claim = Total
        \/ life[p] = "asleep" /\ NothingBehind
    /\ pos = claim \/ NothingBehind
    /\ wpc = "look"

Done == AllPassed /\ UNCHANGED vars             \* so that only a standstill before the end is a deadlock

Next ==
    \/ \E p \in Producers :
        \/ Claim(p, "next") \/ Claim(p, "tryNextUpTo") \/ FindNoRoom(p) \/ Name(p) \/ ReadEvent(p) \/ LookIfOpen(p) \/ WriteFirst(p) \/ WriteSecond(p) \/ Publish(p)
        \/ End(p) \/ Sleep(p) \/ Wake(p)
    \/ Look \/ Begin \/ Cas \/ Set \/ Replace \/ Mark \/ Raise \/ Release
    \/ Scan \/ ReadFirst \/ ReadSecond
    \/ LookForAGap \/ PutOffTheLook \/ LookOnceMore \/ Park \/ Unpark \/ NotDue
    \/ Done

Spec == Init /\ [][Next]_vars

OneOfBothWins == published \intersect aborted = {}
NothingWrong == wrong = "nothing"
=============================================================================
