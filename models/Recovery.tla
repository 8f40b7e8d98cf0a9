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
    MarkFirst,          \* TRUE: an abort is marked before its stamp tells of it
    OwnersAbort,        \* TRUE: owners abort too, and what is being aborted is on record; with Tracked and MarkFirst
    OwnerLocks,         \* TRUE: an owner that aborts holds the lock `recovery`
    Finishes,           \* TRUE: who aborts finishes first what was cut off before
    CutOffs             \* how many aborts are cut off, as by the end of the stack

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
    lock, rec, cuts,            \* the lock `recovery`; what is being aborted, and whose loss it is; how many were cut off
    fin,                        \* producers: what it finishes, and whether that is an abort of its own
    published, aborted,         \* ghost: what an owner was told is published; what was aborted
    wrong                       \* ghost: what should not have come about

vars == <<claim, pc, open, has, life, closed, stamp, slot, mark, owner, highest, events, first, second, bound,
          wpc, which, whose, cpc, pos, saw, any, gap, told, putOff, wake, lock, rec, cuts, fin, published, aborted,
          wrong>>

lifeVars == <<life, closed>>
slotVars == <<stamp, slot, mark, owner, highest, events>>
contents == <<first, second>>
watchVars == <<wpc, which, whose>>
consumerVars == <<cpc, pos, saw, any>>
gapVars == <<gap, told, putOff>>
abortVars == <<lock, rec, cuts, fin>>
ghosts == <<published, aborted, wrong>>

Nobody == "nobody"
Watcher == "who aborts on behalf of others"
Alike == Permutations(Producers)     \* so that only one of two states is looked at that differ by a name
Events == 0 .. Capacity + (IF Tracked THEN Total ELSE 0) + (IF OwnersAbort THEN Total + CutOffs ELSE 0) - 1

Slot(s) == s % Capacity
Lap(s) == s \div Capacity
Max(a, b) == IF a > b THEN a ELSE b

IsOpen(s) == ~stamp[Slot(s)].aborting /\ stamp[Slot(s)].lap < Lap(s)
IsAborting(s) == stamp[Slot(s)] = [lap |-> Lap(s), aborting |-> TRUE]
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
    /\ lock = Nobody /\ rec = [seq |-> -1, fresh |-> FALSE, loser |-> Nobody] /\ cuts = 0
    /\ fin = [p \in Producers |-> [seq |-> -1, own |-> FALSE]]
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
    /\ UNCHANGED <<gapVars, wake, abortVars>>

(* No room, and somebody has stopped the consumers: once for each wait. *)
FindNoRoom(p) ==
    /\ Parks /\ WaiterWakes
    /\ life[p] = "up" /\ pc[p] = "claim"
    /\ claim < Total /\ claim >= pos + Capacity
    /\ cpc = "parked" /\ gap = -1 /\ ~putOff
    /\ wake' = TRUE
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, watchVars, consumerVars, ghosts, bound, gapVars,
                   abortVars>>

Name(p) ==
    /\ life[p] = "up" /\ pc[p] = "name"
    /\ owner' = [owner EXCEPT ![Slot(open[p])] = <<open[p], p>>]
    /\ Go(p, "get")
    /\ UNCHANGED <<claim, open, has, lifeVars, stamp, slot, mark, highest, events, contents, watchVars,
                   consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

(* The owner is told that its claim is not its own any more. *)
Refused(p) ==
    /\ Go(p, IF OwnersAbort THEN "learn" ELSE "claim")
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
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

LookIfOpen(p) ==
    /\ life[p] = "up"
    /\ pc[p] = (IF EventThenLook THEN "check" ELSE "get")
    /\ IF IsOpen(open[p])
       THEN Go(p, IF EventThenLook THEN "first" ELSE "event") /\ UNCHANGED <<open, has, wrong>>
       ELSE Refused(p)
    /\ UNCHANGED <<claim, lifeVars, slotVars, contents, watchVars, consumerVars, published, aborted>>
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

WriteFirst(p) ==
    /\ life[p] = "up" /\ pc[p] = "first"
    /\ first' = [first EXCEPT ![has[p]] = open[p]]
    /\ Go(p, "second")
    /\ UNCHANGED <<claim, open, has, lifeVars, slotVars, second, watchVars, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

WriteSecond(p) ==
    /\ life[p] = "up" /\ pc[p] = "second"
    /\ second' = [second EXCEPT ![has[p]] = open[p]]
    /\ Go(p, "publish")
    /\ UNCHANGED <<claim, open, has, lifeVars, slotVars, first, watchVars, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

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
    /\ UNCHANGED <<bound, gapVars, abortVars>>

----------------------------------------------------------------------------
(* Owners that abort: what is on record and not finished under the lock was cut off, as by the end of the stack.       *)

IsCutOff == Finishes /\ rec.loser # Nobody
NothingToFinish == [seq |-> -1, own |-> FALSE]
Unlocked(p) == lock' = IF lock = p THEN Nobody ELSE lock
NoLoser == rec' = [rec EXCEPT !.loser = Nobody]
KeptByOwners == <<claim, life, closed, owner, contents, watchVars, consumerVars, bound, gapVars, wake>>

AbortBegins(p) ==
    /\ OwnersAbort
    /\ life[p] = "up" /\ pc[p] \in {"get", "publish"}
    /\ OwnerLocks => lock = Nobody
    /\ lock' = IF OwnerLocks THEN p ELSE lock
    /\ Go(p, IF IsCutOff THEN "read" ELSE "record")
    /\ UNCHANGED <<open, has, stamp, slot, mark, highest, events, rec, cuts, fin, ghosts, KeptByOwners>>

Record(p) ==
    /\ pc[p] = "record"
    /\ rec' = [seq |-> open[p], fresh |-> FALSE, loser |-> p]
    /\ Go(p, "cas")
    /\ UNCHANGED <<open, has, stamp, slot, mark, highest, events, lock, cuts, fin, ghosts, KeptByOwners>>

(* Aborted is aborted, whoever did it. *)
AbortEnds(p) ==
    /\ Go(p, "claim")
    /\ open' = [open EXCEPT ![p] = -1]
    /\ has' = [has EXCEPT ![p] = -1]
    /\ NoLoser
    /\ Unlocked(p)

OwnCas(p) ==
    /\ pc[p] = "cas"
    /\ IF IsOpen(open[p])
       THEN /\ stamp' = [stamp EXCEPT ![Slot(open[p])] = [lap |-> Lap(open[p]), aborting |-> TRUE]]
            /\ aborted' = aborted \union {open[p]}
            /\ fin' = [fin EXCEPT ![p] = [seq |-> -1, own |-> TRUE]]
            /\ Go(p, "read")
            /\ UNCHANGED <<open, has, lock, rec, wrong>>
       ELSE /\ AbortEnds(p)
            /\ wrong' = IF open[p] \in aborted THEN wrong ELSE "an abort of what is neither open nor aborted"
            /\ UNCHANGED <<stamp, aborted, fin>>
    /\ UNCHANGED <<slot, mark, highest, events, cuts, published, KeptByOwners>>

ReadRecord(p) ==
    /\ pc[p] = "read"
    /\ fin' = [fin EXCEPT ![p].seq = rec.seq]
    /\ Go(p, IF IsAborting(rec.seq) THEN "mark" ELSE "clear")
    /\ UNCHANGED <<open, has, stamp, slot, mark, highest, events, lock, rec, cuts, ghosts, KeptByOwners>>

MarkAndReplace(s) ==
    /\ mark' = [mark EXCEPT ![Slot(s)] = s]
    /\ highest' = Max(highest, s)
    /\ IF rec.fresh
       THEN slot' = [slot EXCEPT ![Slot(s)] = events] /\ events' = events + 1
       ELSE UNCHANGED <<slot, events>>

OwnMark(p) ==
    /\ pc[p] = "mark"
    /\ MarkAndReplace(fin[p].seq)
    /\ Go(p, "release")
    /\ UNCHANGED <<open, has, stamp, abortVars, ghosts, KeptByOwners>>

OwnRelease(p) ==
    /\ pc[p] = "release"
    /\ stamp' = [stamp EXCEPT ![Slot(fin[p].seq)] = [lap |-> Lap(fin[p].seq), aborting |-> FALSE]]
    /\ Go(p, "clear")
    /\ UNCHANGED <<open, has, slot, mark, highest, events, abortVars, ghosts, KeptByOwners>>

OwnClear(p) ==
    /\ pc[p] = "clear"
    /\ IF fin[p].own
       THEN AbortEnds(p)
       ELSE Go(p, "record") /\ NoLoser /\ UNCHANGED <<open, has, lock>>
    /\ fin' = [fin EXCEPT ![p] = NothingToFinish]
    /\ UNCHANGED <<stamp, slot, mark, highest, events, cuts, ghosts, KeptByOwners>>

(* The abort throws, and its claim is still the owner's to end. *)
OwnerCutOff(p) ==
    /\ cuts < CutOffs
    /\ pc[p] \in {"read", "mark", "release", "clear"}
    /\ cuts' = cuts + 1
    /\ Unlocked(p)
    /\ Go(p, IF has[p] = -1 THEN "get" ELSE "publish")
    /\ fin' = [fin EXCEPT ![p] = NothingToFinish]
    /\ UNCHANGED <<open, has, stamp, slot, mark, highest, events, rec, ghosts, KeptByOwners>>

(* Who was refused learns of it under the lock, and finishes what it finds there. *)
Learn(p) ==
    /\ pc[p] = "learn"
    /\ lock = Nobody
    /\ Go(p, "claim")
    /\ IF IsCutOff
       THEN /\ IF IsAborting(rec.seq)
               THEN /\ MarkAndReplace(rec.seq)
                    /\ stamp' = [stamp EXCEPT ![Slot(rec.seq)] = [lap |-> Lap(rec.seq), aborting |-> FALSE]]
               ELSE UNCHANGED <<stamp, slot, mark, highest, events>>
            /\ NoLoser
       ELSE UNCHANGED <<stamp, slot, mark, highest, events, rec>>
    /\ UNCHANGED <<open, has, lock, cuts, fin, ghosts, KeptByOwners>>

----------------------------------------------------------------------------
(* Between two calls, with a claim open, a thread may end, or fall asleep: then it wakes once its claim is gone, or *)
(* never.                                                                                                           *)
Outside(p) == life[p] = "up" /\ pc[p] \in {"get", "first", "second", "publish"}

End(p) ==
    /\ Outside(p)
    /\ life' = [life EXCEPT ![p] = "ended"]
    /\ UNCHANGED <<claim, pc, open, has, closed, slotVars, contents, watchVars, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

Sleep(p) ==
    /\ Tracked
    /\ Outside(p)
    /\ life' = [life EXCEPT ![p] = "asleep"]
    /\ UNCHANGED <<claim, pc, open, has, closed, slotVars, contents, watchVars, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

Wake(p) ==
    /\ life[p] = "asleep"
    /\ open[p] \in aborted
    /\ life' = [life EXCEPT ![p] = "up"]
    /\ UNCHANGED <<claim, pc, open, has, closed, slotVars, contents, watchVars, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

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
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

Watch(where) == wpc' = where /\ UNCHANGED <<which, whose>>
Forget == wpc' = "look" /\ which' = -1 /\ whose' = Nobody

OfRecord(isAborting) == IF ~isAborting THEN "clear" ELSE IF rec.fresh THEN "replace" ELSE "mark"
OnRecord(s, fresh) ==
    IF OwnersAbort
    THEN lock' = Watcher /\ rec' = [seq |-> s, fresh |-> fresh, loser |-> whose]
    ELSE UNCHANGED <<lock, rec>>
OffRecord == IF OwnersAbort THEN lock' = Nobody /\ NoLoser ELSE UNCHANGED <<lock, rec>>

(* An ended thread's producer is closed, whatever it has open; a living one's claim is aborted if it still is its own. *)
Begin ==
    /\ wpc = "found"
    /\ lock = Nobody
    /\ IF OwnersAbort /\ IsCutOff
       THEN /\ lock' = Watcher
            /\ which' = rec.seq
            /\ whose' = rec.loser
            /\ wpc' = OfRecord(IsAborting(rec.seq))
            /\ UNCHANGED rec
       ELSE IF life[whose] = "ended"
       THEN IF closed[whose] \/ open[whose] = -1
            THEN Forget /\ UNCHANGED <<lock, rec>>
            ELSE /\ which' = open[whose]
                 /\ whose' = whose
                 /\ wpc' = IF Tracked THEN "cas" ELSE "mark"
                 /\ OnRecord(open[whose], FALSE)
       ELSE IF ~Tracked
            THEN /\ IF LifeAsked THEN Forget ELSE Watch("mark")
                 /\ UNCHANGED <<lock, rec>>
            ELSE IF owner[Slot(which)] # <<which, whose>>
                 THEN Forget /\ UNCHANGED <<lock, rec>>
                 ELSE Watch("cas") /\ OnRecord(which, FreshEvent)
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake, cuts, fin>>

(* Where owners abort, each reads what to finish from the record. *)
ToAborting ==
    /\ stamp' = [stamp EXCEPT ![Slot(which)] = [lap |-> Lap(which), aborting |-> TRUE]]
    /\ aborted' = aborted \union {which}
    /\ IF OwnersAbort
       THEN /\ which' = rec.seq
            /\ wpc' = OfRecord(rec.seq = which \/ IsAborting(rec.seq))
            /\ UNCHANGED whose
       ELSE Watch(IF FreshEvent /\ life[whose] # "ended" THEN "replace" ELSE IF MarkFirst THEN "mark" ELSE "release")
    /\ UNCHANGED <<lock, rec>>

Cas ==
    /\ wpc = "cas"
    /\ IF ~IsOpen(which)
       THEN Forget /\ OffRecord /\ UNCHANGED <<stamp, aborted>>
       ELSE IF AbortByCas
            THEN ToAborting
            ELSE Watch("set") /\ UNCHANGED <<stamp, aborted, lock, rec>>
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slot, mark, owner, highest, events, contents, consumerVars,
                   published, wrong>>
    /\ UNCHANGED <<bound, gapVars, wake, cuts, fin>>

Set ==
    /\ wpc = "set"
    /\ ToAborting
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slot, mark, owner, highest, events, contents, consumerVars,
                   published, wrong>>
    /\ UNCHANGED <<bound, gapVars, wake, cuts, fin>>

(* Another has finished it meanwhile. *)
Clear ==
    /\ wpc = "clear"
    /\ Forget
    /\ OffRecord
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake, cuts, fin>>

WatcherCutOff ==
    /\ OwnersAbort
    /\ cuts < CutOffs
    /\ wpc \in {"replace", "mark", "raise", "release", "clear"}
    /\ cuts' = cuts + 1
    /\ lock' = Nobody
    /\ Forget
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake, rec, fin>>

Replace ==
    /\ wpc = "replace"
    /\ slot' = [slot EXCEPT ![Slot(which)] = events]
    /\ events' = events + 1
    /\ Watch(IF MarkFirst THEN "mark" ELSE "release")
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, stamp, mark, owner, highest, contents, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

Mark ==
    /\ wpc = "mark"
    /\ mark' = [mark EXCEPT ![Slot(which)] = which]
    /\ Watch("raise")
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, stamp, slot, owner, highest, events, contents, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

Raise ==
    /\ wpc = "raise"
    /\ highest' = Max(highest, which)
    /\ IF MarkFirst THEN Watch("release") ELSE Forget
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, stamp, slot, mark, owner, events, contents, consumerVars, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

Release ==
    /\ wpc = "release"
    /\ stamp' = [stamp EXCEPT ![Slot(which)] = [lap |-> Lap(which), aborting |-> FALSE]]
    /\ aborted' = aborted \union {which}
    /\ closed' = [closed EXCEPT ![whose] = @ \/ ~Tracked]
    /\ IF MarkFirst THEN Forget ELSE Watch("mark")
    /\ UNCHANGED <<claim, pc, open, has, life, slot, mark, owner, highest, events, contents, consumerVars,
                   published, wrong>>
    /\ wake' = (wake \/ Parks)
    /\ OffRecord
    /\ UNCHANGED <<bound, gapVars, cuts, fin>>

----------------------------------------------------------------------------
(* The consumer: batches of one                                              *)

Scan ==
    /\ cpc = "look"
    /\ pos < Total
    /\ stamp[Slot(pos)] = [lap |-> Lap(pos), aborting |-> FALSE]
    /\ any' = (highest >= pos)
    /\ cpc' = "first"
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, watchVars, pos, saw, ghosts>>
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

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
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

ReadSecond ==
    /\ cpc = "second"
    /\ wrong' = IF saw[2] = pos /\ second[saw[1]] = pos THEN wrong ELSE "torn, early or reused"
    /\ pos' = pos + 1
    /\ saw' = <<-1, -1>>
    /\ any' = FALSE
    /\ cpc' = "look"
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, watchVars, published, aborted>>
    /\ UNCHANGED <<bound, gapVars, wake, abortVars>>

(* A cycle that found nothing looks whether a claim stands in the way, unless it did so a moment ago. *)
Nothing(where) ==
    /\ Parks
    /\ cpc = where
    /\ pos < Total
    /\ stamp[Slot(pos)] # [lap |-> Lap(pos), aborting |-> FALSE]
    /\ cpc' = "park"
    /\ wake' = FALSE
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, watchVars, pos, saw, any, ghosts, bound, abortVars>>

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
                   wake, abortVars>>

IsDue == (putOff /\ LookMadeUp) \/ (gap # -1 /\ gap # told)

Unpark ==
    /\ cpc = "parked"
    /\ \/ wake /\ cpc' = "look"
       \/ IsDue /\ cpc' = "due"
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, watchVars, pos, saw, any, ghosts, bound, gapVars,
                   wake, abortVars>>

(* It was published or aborted meanwhile. *)
NotDue ==
    /\ cpc = "due"
    /\ stamp[Slot(pos)] = [lap |-> Lap(pos), aborting |-> FALSE]
    /\ cpc' = "look"
    /\ UNCHANGED <<claim, pc, open, has, lifeVars, slotVars, contents, watchVars, pos, saw, any, ghosts, bound, gapVars,
                   wake, abortVars>>

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
        \/ AbortBegins(p) \/ Record(p) \/ OwnCas(p) \/ ReadRecord(p) \/ OwnMark(p) \/ OwnRelease(p) \/ OwnClear(p)
        \/ OwnerCutOff(p) \/ Learn(p)
    \/ Look \/ Begin \/ Cas \/ Set \/ Replace \/ Mark \/ Raise \/ Release \/ Clear \/ WatcherCutOff
    \/ Scan \/ ReadFirst \/ ReadSecond
    \/ LookForAGap \/ PutOffTheLook \/ LookOnceMore \/ Park \/ Unpark \/ NotDue
    \/ Done

Spec == Init /\ [][Next]_vars

OneOfBothWins == published \intersect aborted = {}
NothingWrong == wrong = "nothing"

(* Who comes next finds what was cut off. *)
AbortingIsOnRecord ==
    OwnersAbort => \A s \in 0 .. claim - 1 : IsAborting(s) => rec.loser # Nobody /\ rec.seq = s
=============================================================================
