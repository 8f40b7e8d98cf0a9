------------------------------- MODULE Ring -------------------------------
(* The ring with many producers of io.sluice.ringbuffer: claim, abort,       *)
(* publication by stamps, wrap, and a consumer that follows another one.     *)
(* See Ring.md for what it says in prose.                                    *)
EXTENDS Integers, FiniteSets

CONSTANTS
    Producers,          \* the publishing threads
    Capacity,           \* slots
    Claims,             \* how many claims each producer makes
    RoomChecked,        \* TRUE: a claim waits until its slot was left by the last consumer
    ClaimByCas,         \* TRUE: the claim word moves only if it still is what was read
    StampsHoldLaps,     \* TRUE: a stamp says in which lap the slot was published
    MarksFirst,         \* TRUE: an abort is marked before it is published
    ProgressLast,       \* TRUE: progress is published after the slots were read
    DependentFollows    \* TRUE: the second consumer follows the first one's progress

VARIABLES
    claim,                      \* the claim word: the next sequence
    pc, made, word, limit,      \* producers: where, how many claims, what was read, the limit as last seen
    open,                       \* the sequence that a producer has claimed, -1 if none
    stamp, first, second,       \* slots: the stamp, and two words of contents
    mark, highest,              \* slots: the mark; the highest abort
    cpc, pos, hi, any, saw,     \* consumers: where, position, end of the batch, may hold aborts, first word read
    progress,                   \* consumers' sequences
    aborted,                    \* ghost: all sequences that were aborted
    wrong                       \* ghost: what a consumer should not have been given

vars == <<claim, pc, made, word, limit, open, stamp, first, second, mark, highest,
          cpc, pos, hi, any, saw, progress, aborted, wrong>>

producerVars == <<claim, pc, made, word, limit, open>>
slotVars == <<stamp, first, second, mark, highest>>
consumerVars == <<cpc, pos, hi, any, saw, progress>>

Leader == "c1"
Follower == "c2"
Consumers == {Leader, Follower}
Total == Cardinality(Producers) * Claims

Slot(s) == s % Capacity
Lap(s) == IF StampsHoldLaps THEN s \div Capacity ELSE 0
Max(a, b) == IF a > b THEN a ELSE b

Init ==
    /\ claim = 0
    /\ pc = [p \in Producers |-> "read"]
    /\ made = [p \in Producers |-> 0]
    /\ word = [p \in Producers |-> 0]
    /\ limit = [p \in Producers |-> -1]
    /\ open = [p \in Producers |-> -1]
    /\ stamp = [i \in 0 .. Capacity - 1 |-> -1]
    /\ first = [i \in 0 .. Capacity - 1 |-> -1]
    /\ second = [i \in 0 .. Capacity - 1 |-> -1]
    /\ mark = [i \in 0 .. Capacity - 1 |-> -1]
    /\ highest = -1
    /\ cpc = [c \in Consumers |-> "look"]
    /\ pos = [c \in Consumers |-> 0]
    /\ hi = [c \in Consumers |-> -1]
    /\ any = [c \in Consumers |-> FALSE]
    /\ saw = [c \in Consumers |-> -1]
    /\ progress = [c \in Consumers |-> -1]
    /\ aborted = {}
    /\ wrong = "nothing"

----------------------------------------------------------------------------
(* Producers                                                                *)

Go(p, where) == pc' = [pc EXCEPT ![p] = where]

ReadWord(p) ==
    /\ pc[p] = "read"
    /\ made[p] < Claims
    /\ word' = [word EXCEPT ![p] = claim]
    /\ Go(p, IF RoomChecked /\ claim > limit[p] THEN "room" ELSE "cas")
    /\ UNCHANGED <<claim, made, limit, open, slotVars, consumerVars, aborted, wrong>>

(* Waiting for room: a look that shows none changes nothing, so it is left out. *)
Refresh(p) ==
    /\ pc[p] = "room"
    /\ progress[Follower] + Capacity >= word[p]
    /\ limit' = [limit EXCEPT ![p] = progress[Follower] + Capacity]
    /\ Go(p, "cas")
    /\ UNCHANGED <<claim, made, word, open, slotVars, consumerVars, aborted, wrong>>

Claim(p) ==
    /\ pc[p] = "cas"
    /\ IF ClaimByCas /\ claim # word[p]
       THEN /\ Go(p, "read")
            /\ UNCHANGED <<claim, made, open>>
       ELSE /\ claim' = word[p] + 1
            /\ open' = [open EXCEPT ![p] = word[p]]
            /\ made' = [made EXCEPT ![p] = @ + 1]
            /\ Go(p, "first")
    /\ UNCHANGED <<word, limit, slotVars, consumerVars, aborted, wrong>>

WriteFirst(p) ==
    /\ pc[p] = "first"
    /\ first' = [first EXCEPT ![Slot(open[p])] = open[p]]
    /\ \/ Go(p, "second") /\ UNCHANGED aborted
       \/ /\ Go(p, IF MarksFirst THEN "mark" ELSE "publish")      \* the translator throws
          /\ aborted' = aborted \union {open[p]}
    /\ UNCHANGED <<claim, made, word, limit, open, stamp, second, mark, highest, consumerVars, wrong>>

WriteSecond(p) ==
    /\ pc[p] = "second"
    /\ second' = [second EXCEPT ![Slot(open[p])] = open[p]]
    /\ Go(p, "publish")
    /\ UNCHANGED <<claim, made, word, limit, open, stamp, first, mark, highest, consumerVars, aborted, wrong>>

Mark(p) ==
    /\ pc[p] = "mark"
    /\ mark' = [mark EXCEPT ![Slot(open[p])] = open[p]]
    /\ Go(p, "raise")
    /\ UNCHANGED <<claim, made, word, limit, open, stamp, first, second, highest, consumerVars, aborted, wrong>>

Close(p) == Go(p, "read") /\ open' = [open EXCEPT ![p] = -1]

Raise(p) ==
    /\ pc[p] = "raise"
    /\ highest' = Max(highest, open[p])
    /\ IF MarksFirst THEN Go(p, "publish") /\ UNCHANGED open ELSE Close(p)
    /\ UNCHANGED <<claim, made, word, limit, stamp, first, second, mark, consumerVars, aborted, wrong>>

Publish(p) ==
    /\ pc[p] = "publish"
    /\ stamp' = [stamp EXCEPT ![Slot(open[p])] = Lap(open[p])]
    /\ IF ~MarksFirst /\ open[p] \in aborted THEN Go(p, "mark") /\ UNCHANGED open ELSE Close(p)
    /\ UNCHANGED <<claim, made, word, limit, first, second, mark, highest, consumerVars, aborted, wrong>>

----------------------------------------------------------------------------
(* Consumers: the leader follows the stamps, the follower the leader         *)

Step(c, where) == cpc' = [cpc EXCEPT ![c] = where]

ByStamps(c) == c = Leader \/ ~DependentFollows

(* The scan may stop at any time: batches are cut.                           *)
Scan(c) ==
    /\ cpc[c] = "look"
    /\ hi[c] < Total - 1
    /\ IF ByStamps(c)
       THEN /\ stamp[Slot(hi[c] + 1)] = Lap(hi[c] + 1)
            /\ hi' = [hi EXCEPT ![c] = @ + 1]
       ELSE /\ progress[Leader] > hi[c]
            /\ hi' = [hi EXCEPT ![c] = progress[Leader]]
    /\ UNCHANGED <<producerVars, slotVars, cpc, pos, any, saw, progress, aborted, wrong>>

Begin(c) ==
    /\ cpc[c] = "look"
    /\ hi[c] >= pos[c]
    /\ any' = [any EXCEPT ![c] = highest >= pos[c]]
    /\ Step(c, "first")
    /\ progress' = IF ProgressLast THEN progress ELSE [progress EXCEPT ![c] = hi[c]]
    /\ UNCHANGED <<producerVars, slotVars, pos, hi, saw, aborted, wrong>>

Skip(c) == any[c] /\ mark[Slot(pos[c])] = pos[c]

Advance(c) ==
    /\ pos' = [pos EXCEPT ![c] = @ + 1]
    /\ IF pos[c] < hi[c]
       THEN Step(c, "first") /\ UNCHANGED progress
       ELSE /\ Step(c, "look")
            /\ progress' = [progress EXCEPT ![c] = hi[c]]

ReadFirst(c) ==
    /\ cpc[c] = "first"
    /\ IF Skip(c)
       THEN /\ Advance(c)
            /\ UNCHANGED <<saw, wrong>>
       ELSE /\ saw' = [saw EXCEPT ![c] = first[Slot(pos[c])]]
            /\ Step(c, "second")
            /\ wrong' = IF pos[c] \in aborted THEN "aborted" ELSE wrong
            /\ UNCHANGED <<pos, progress>>
    /\ UNCHANGED <<producerVars, slotVars, hi, any, aborted>>

ReadSecond(c) ==
    /\ cpc[c] = "second"
    /\ Advance(c)
    /\ wrong' = IF saw[c] = pos[c] /\ second[Slot(pos[c])] = pos[c] THEN wrong ELSE "torn, early or reused"
    /\ UNCHANGED <<producerVars, slotVars, hi, any, saw, aborted>>

----------------------------------------------------------------------------
AllHandled ==
    /\ \A p \in Producers : made[p] = Claims /\ open[p] = -1
    /\ \A c \in Consumers : progress[c] = Total - 1

Done == AllHandled /\ UNCHANGED vars            \* so that only a standstill before the end is a deadlock

Next ==
    \/ \E p \in Producers :
        ReadWord(p) \/ Refresh(p) \/ Claim(p) \/ WriteFirst(p) \/ WriteSecond(p) \/ Mark(p) \/ Raise(p) \/ Publish(p)
    \/ \E c \in Consumers : Scan(c) \/ Begin(c) \/ ReadFirst(c) \/ ReadSecond(c)
    \/ Done

Spec == Init /\ [][Next]_vars

ClaimsAreUnique == \A p, q \in Producers : p # q /\ open[p] >= 0 => open[p] # open[q]
NeverMoreThanCapacity == claim - 1 - progress[Follower] <= Capacity
NothingWrong == wrong = "nothing"
NeverOvertakes == pos[Follower] <= progress[Leader] + 1
=============================================================================
