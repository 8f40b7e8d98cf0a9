----------------------------- MODULE WorkerPoolState -----------------------------
(* Workers of one stage of io.sluice.ringbuffer: who takes which event, what is *)
(* done, and how far all are. See WorkerPoolState.md for what it says in prose.     *)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
    Workers,            \* workers from the start on
    Late,               \* workers that may join while the others work
    Capacity,           \* slots
    Last,               \* the last event's sequence
    Leaves,             \* how many may leave, between two events
    Deaths,             \* how many threads may end between two events
    Failures,           \* how many may fail for good at an event
    TakenByCas,         \* TRUE: an event is taken by compare-and-set
    BarrierAsked,       \* TRUE: and only once the barrier has shown it
    MarkFenced,         \* TRUE: a mark is in memory before progress and marks are read
    MarkNamesLap,       \* TRUE: a mark says of which lap it is
    MarkAfterHandling,  \* TRUE: an event is marked once it is handled
    MovedByCas,         \* TRUE: progress is moved by compare-and-set
    LooksAgain          \* TRUE: a worker whose compare-and-set has failed looks again

VARIABLES
    cursor, slot, ppc,          \* the producer: what is published, what is in the slots, where it is
    follower,                   \* how far the one is that follows the stage, and gates the producer
    next,                       \* the lowest sequence that nobody has taken
    done,                       \* slots: the last sequence of the slot that is done
    progress,                   \* everything up to here is done
    wpc, own,                   \* workers: where, the event in hand
    buffer,                     \* workers: the mark on its way to memory
    from, to,                   \* workers: progress as read, how far the marks go
    left, dead, failed,         \* how many have left, have died, have failed
    handled,                    \* ghost: how often each event was handled
    wrong                       \* ghost: what should not have come about

vars == <<cursor, slot, ppc, follower, next, done, progress, wpc, own, buffer, from, to, left, dead, failed,
          handled, wrong>>
producerVars == <<cursor, slot, ppc>>
counts == <<left, dead, failed>>

All == Workers \union Late
Slot(s) == s % Capacity
Alike == Permutations(Workers)      \* states that differ by a name only count once

Init ==
    /\ cursor = -1 /\ slot = [i \in 0 .. Capacity - 1 |-> -1] /\ ppc = "claim"
    /\ follower = -1
    /\ next = 0
    /\ done = [i \in 0 .. Capacity - 1 |-> -1]
    /\ progress = -1
    /\ wpc = [w \in All |-> IF w \in Workers THEN "idle" ELSE "out"]
    /\ own = [w \in All |-> -1]
    /\ buffer = [w \in All |-> -1]
    /\ from = [w \in All |-> -1]
    /\ to = [w \in All |-> -1]
    /\ left = 0 /\ dead = 0 /\ failed = 0
    /\ handled = [s \in 0 .. Last |-> 0]
    /\ wrong = "nothing"

----------------------------------------------------------------------------
(* The producer, and the follower that gates it. Both acquire progress.     *)

Write ==
    /\ ppc = "claim"
    /\ cursor < Last
    /\ cursor + 1 - Capacity <= follower
    /\ slot' = [slot EXCEPT ![Slot(cursor + 1)] = cursor + 1]
    /\ ppc' = "publish"
    /\ UNCHANGED <<cursor, follower, next, done, progress, wpc, own, buffer, from, to, counts, handled, wrong>>

Publish ==
    /\ ppc = "publish"
    /\ cursor' = cursor + 1
    /\ ppc' = "claim"
    /\ UNCHANGED <<slot, follower, next, done, progress, wpc, own, buffer, from, to, counts, handled, wrong>>

Follow ==
    /\ follower < progress
    /\ follower' = follower + 1
    /\ wrong' = IF handled[follower + 1] = 0 THEN "followed before it was handled" ELSE wrong
    /\ UNCHANGED <<producerVars, next, done, progress, wpc, own, buffer, from, to, counts, handled>>

----------------------------------------------------------------------------
(* Workers                                                                  *)

Go(w, where) == wpc' = [wpc EXCEPT ![w] = where]

ReadNext(w) ==
    /\ wpc[w] = "idle"
    /\ next <= Last
    /\ (BarrierAsked => next <= cursor)     \* nothing there: it idles
    /\ own' = [own EXCEPT ![w] = next]
    /\ Go(w, "take")
    /\ UNCHANGED <<producerVars, follower, next, done, progress, buffer, from, to, counts, handled, wrong>>

Take(w) ==
    /\ wpc[w] = "take"
    /\ IF TakenByCas /\ next # own[w]
       THEN /\ Go(w, "idle")
            /\ own' = [own EXCEPT ![w] = -1]
            /\ UNCHANGED next
       ELSE /\ next' = own[w] + 1
            /\ Go(w, IF MarkAfterHandling THEN "handle" ELSE "mark")
            /\ UNCHANGED own
    /\ UNCHANGED <<producerVars, follower, done, progress, buffer, from, to, counts, handled, wrong>>

Handle(w) ==
    /\ wpc[w] = "handle"
    /\ handled' = [handled EXCEPT ![own[w]] = @ + 1]
    /\ wrong' = IF handled[own[w]] > 0 THEN "handled twice"
                ELSE IF slot[Slot(own[w])] # own[w] THEN "early or overwritten"
                ELSE wrong
    /\ IF MarkAfterHandling
       THEN Go(w, "mark") /\ UNCHANGED own
       ELSE Go(w, "idle") /\ own' = [own EXCEPT ![w] = -1]
    /\ UNCHANGED <<producerVars, follower, next, done, progress, buffer, from, to, counts>>

(* The mark of event 0 and that of event Capacity are the same if a mark does not name its lap. *)
MarkOf(s) == IF MarkNamesLap THEN s ELSE Slot(s)

Mark(w) ==
    /\ wpc[w] = "mark"
    /\ buffer[w] = -1
    /\ buffer' = [buffer EXCEPT ![w] = own[w]]
    /\ Go(w, "read progress")
    /\ UNCHANGED <<producerVars, follower, next, done, progress, own, from, to, counts, handled, wrong>>

Drain(w) ==
    /\ buffer[w] # -1
    /\ done' = [done EXCEPT ![Slot(buffer[w])] = MarkOf(buffer[w])]
    /\ buffer' = [buffer EXCEPT ![w] = -1]
    /\ UNCHANGED <<producerVars, follower, next, progress, wpc, own, from, to, counts, handled, wrong>>

ReadProgress(w) ==
    /\ wpc[w] = "read progress"
    /\ MarkFenced => buffer[w] = -1
    /\ from' = [from EXCEPT ![w] = progress]
    /\ to' = [to EXCEPT ![w] = progress]
    /\ Go(w, "read marks")
    /\ UNCHANGED <<producerVars, follower, next, done, progress, own, buffer, counts, handled, wrong>>

(* Its own mark it sees even in its buffer. *)
IsMarked(w, s) ==
    \/ buffer[w] # -1 /\ Slot(buffer[w]) = Slot(s) /\ MarkOf(buffer[w]) = MarkOf(s)
    \/ ~(buffer[w] # -1 /\ Slot(buffer[w]) = Slot(s)) /\ done[Slot(s)] = MarkOf(s)

Finished(w) ==
    /\ from' = [from EXCEPT ![w] = -1]
    /\ to' = [to EXCEPT ![w] = -1]
    /\ IF MarkAfterHandling
       THEN Go(w, "idle") /\ own' = [own EXCEPT ![w] = -1]
       ELSE Go(w, "handle") /\ UNCHANGED own

ReadMark(w) ==
    /\ wpc[w] = "read marks"
    /\ IF to[w] - from[w] < Capacity /\ IsMarked(w, to[w] + 1)
       THEN to' = [to EXCEPT ![w] = @ + 1] /\ UNCHANGED <<wpc, own, from>>
       ELSE IF to[w] = from[w]
       THEN Finished(w)
       ELSE Go(w, "move") /\ UNCHANGED <<own, from, to>>
    /\ UNCHANGED <<producerVars, follower, next, done, progress, buffer, counts, handled, wrong>>

(* A locked instruction drains the buffer. *)
Move(w) ==
    /\ wpc[w] = "move"
    /\ MovedByCas => buffer[w] = -1
    /\ IF MovedByCas /\ progress # from[w]
       THEN /\ IF LooksAgain
               THEN Go(w, "read progress") /\ UNCHANGED <<own, from, to>>
               ELSE Finished(w)
            /\ UNCHANGED <<progress, wrong>>
       ELSE /\ progress' = to[w]
            /\ wrong' = IF to[w] < progress THEN "progress went back" ELSE wrong
            /\ Finished(w)
    /\ UNCHANGED <<producerVars, follower, next, done, buffer, counts, handled>>

(* Between two events a worker owes nothing. The last one stays: with it the stage would leave. *)
Present == {w \in All : wpc[w] \notin {"out", "gone"}}

Leave(w) ==
    /\ wpc[w] = "idle"
    /\ Present # {w}
    /\ \/ left < Leaves /\ left' = left + 1 /\ UNCHANGED dead
       \/ dead < Deaths /\ dead' = dead + 1 /\ UNCHANGED left
    /\ Go(w, "gone")
    /\ UNCHANGED <<producerVars, follower, next, done, progress, own, buffer, from, to, failed, handled, wrong>>

Join(w) ==
    /\ wpc[w] = "out"
    /\ Go(w, "idle")
    /\ UNCHANGED <<producerVars, follower, next, done, progress, own, buffer, from, to, counts, handled, wrong>>

(* It leaves its event without a mark. *)
Fail(w) ==
    /\ failed < Failures
    /\ wpc[w] = "handle"
    /\ failed' = failed + 1
    /\ Go(w, "gone")
    /\ UNCHANGED <<producerVars, follower, next, done, progress, own, buffer, from, to, left, dead, handled, wrong>>

----------------------------------------------------------------------------
AtRest == \A w \in All : wpc[w] \in {"idle", "out", "gone"} /\ buffer[w] = -1

AllHandled == AtRest /\ follower = Last

(* Whoever has failed holds up what is behind its event, and nobody else does. *)
AllFailed ==
    /\ failed > 0 /\ AtRest
    /\ \E w \in All : wpc[w] = "gone" /\ own[w] = progress + 1 /\ handled[own[w]] = 0

Done == (AllHandled \/ AllFailed) /\ UNCHANGED vars     \* so that only a standstill before the end is a deadlock

Next ==
    \/ Write \/ Publish \/ Follow
    \/ \E w \in All :
        \/ ReadNext(w) \/ Take(w) \/ Handle(w) \/ Mark(w) \/ Drain(w) \/ ReadProgress(w) \/ ReadMark(w) \/ Move(w)
        \/ Leave(w) \/ Join(w) \/ Fail(w)
    \/ Done

Spec == Init /\ [][Next]_vars

NothingWrong == wrong = "nothing"

(* What dependents and producers go by: all up to there was handled. *)
ProgressIsDone == \A s \in 0 .. Last : s <= progress => handled[s] = 1

(* When all who marked have returned, progress stands before the first gap. *)
StandsBeforeTheGap ==
    AtRest /\ progress < Last => handled[progress + 1] = 0
=============================================================================
