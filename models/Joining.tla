------------------------------ MODULE Joining ------------------------------
(* Consumers that join and leave a running ring of io.sluice.ringbuffer,     *)
(* against its producer and against each other.                              *)
(* See Joining.md for what it says in prose.                                 *)
EXTENDS Integers, FiniteSets

CONSTANTS
    Declared,           \* consumers from the start on, of a and b; b follows a
    Newcomers,          \* consumers that may join
    Leaves,             \* how many may leave
    Capacity,           \* slots
    Retained,           \* how many handled events are kept for those who join
    Last,               \* the last event's sequence
    Ahead,              \* whether one may join ahead of others, too
    SecondLook,         \* TRUE: a producer looks at the gating list again after the sequences
    HoldAwaited,        \* TRUE: a joiner waits until those who have to rest do
    ListBeforeRelease,  \* TRUE: the newcomer gates before they go on
    UpstreamInPlace,    \* TRUE: the upstream gates in the place of one who leaves
    OneStep,            \* TRUE: it takes the place in one step
    BaseKept,           \* TRUE: the furthest progress that a join has seen bounds all later ones
    RewireAsked         \* TRUE: a dependent is told whom it follows from now on

VARIABLES
    next, limit, ppc,           \* the producer: the sequence to be claimed, how far it may, where
    seen, todo, lowest,         \* the producer's look: the list's version, sequences to be read, the lowest so far
    cursor, slot,               \* what is published, what is in the slots
    members, gates, version,    \* consumers, those in the gating list, which list it is
    up, rewire,                 \* by the graph: whom a consumer is to follow, whether it has been told to look
    follows, cpc, progress,     \* consumers: whom it follows, where, how far
    hold,                       \* consumers: "no", "asked", "held"
    opc, who, before, resting,  \* the one change of the graph under way: where, of whom, its followers, who has to rest
    base, left,                 \* the furthest progress that a join has seen; how many have left
    must,                       \* ghost: whom a consumer must not overtake, and from where on
    wrong                       \* ghost: what should not have come about

producerVars == <<next, limit, ppc, seen, todo, lowest, cursor, slot>>
consumerVars == <<follows, cpc, progress>>
graphVars == <<members, gates, version, up>>
opVars == <<opc, who, before, resting, base, left>>
vars == <<producerVars, consumerVars, graphVars, opVars, rewire, hold, must, wrong>>

All == Declared \union Newcomers
Window == Capacity - Retained
Slot(s) == s % Capacity
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Highest(of) == CHOOSE p \in {progress[c] : c \in of} : \A c \in of : progress[c] <= p
Lowest(of) == CHOOSE p \in {progress[c] : c \in of} : \A c \in of : progress[c] >= p

Init ==
    /\ next = 0 /\ limit = -1 /\ ppc = "claim"
    /\ seen = 0 /\ todo = {} /\ lowest = -1
    /\ cursor = -1
    /\ slot = [i \in 0 .. Capacity - 1 |-> -1]
    /\ members = Declared
    /\ gates = IF "b" \in Declared THEN {"b"} ELSE Declared
    /\ version = 0
    /\ up = [c \in All |-> IF c = "b" THEN {"a"} ELSE {}]
    /\ rewire = [c \in All |-> FALSE]
    /\ follows = up
    /\ cpc = [c \in All |-> IF c \in Declared THEN "look" ELSE "out"]
    /\ progress = [c \in All |-> -1]
    /\ hold = [c \in All |-> "no"]
    /\ opc = "none" /\ who = "a" /\ before = {} /\ resting = {}
    /\ base = -1 /\ left = 0
    /\ must = [c \in All |-> IF c = "b" THEN {<<"a", 0>>} ELSE {}]
    /\ wrong = "nothing"

----------------------------------------------------------------------------
(* The producer: claims one event after another                             *)

Look(where) ==
    /\ ppc' = where
    /\ seen' = version
    /\ todo' = gates
    /\ lowest' = next - 1

Claim ==
    /\ ppc = "claim"
    /\ next <= Last
    /\ IF next <= limit
       THEN ppc' = "write" /\ UNCHANGED <<seen, todo, lowest>>
       ELSE Look("scan")
    /\ UNCHANGED <<next, limit, cursor, slot, consumerVars, graphVars, opVars, rewire, hold, must, wrong>>

Scan(c) ==
    /\ ppc = "scan"
    /\ c \in todo
    /\ lowest' = Min(lowest, progress[c])
    /\ todo' = todo \ {c}
    /\ UNCHANGED <<next, limit, ppc, seen, cursor, slot, consumerVars, graphVars, opVars, rewire, hold, must, wrong>>

Scanned ==
    /\ ppc = "scan"
    /\ todo = {}
    /\ IF SecondLook /\ version # seen
       THEN Look("scan") /\ UNCHANGED limit
       ELSE /\ limit' = lowest + Window
            /\ ppc' = "claim"
            /\ seen' = 0 /\ lowest' = -1        \* done with them
            /\ UNCHANGED todo
    /\ UNCHANGED <<next, cursor, slot, consumerVars, graphVars, opVars, rewire, hold, must, wrong>>

Write ==
    /\ ppc = "write"
    /\ slot' = [slot EXCEPT ![Slot(next)] = next]
    /\ ppc' = "publish"
    /\ UNCHANGED <<next, limit, seen, todo, lowest, cursor, consumerVars, graphVars, opVars, rewire, hold, must, wrong>>

Publish ==
    /\ ppc = "publish"
    /\ cursor' = next
    /\ next' = next + 1
    /\ ppc' = "claim"
    /\ UNCHANGED <<limit, seen, todo, lowest, slot, consumerVars, graphVars, opVars, rewire, hold, must, wrong>>

----------------------------------------------------------------------------
(* Consumers                                                                *)

Available(c) == IF follows[c] = {} THEN cursor ELSE Lowest(follows[c])

Rest(c) ==
    /\ cpc[c] = "look"
    /\ hold[c] = "asked"
    /\ hold' = [hold EXCEPT ![c] = "held"]
    /\ UNCHANGED <<producerVars, consumerVars, graphVars, opVars, rewire, must, wrong>>

Rewire(c) ==
    /\ cpc[c] = "look"
    /\ hold[c] = "no"
    /\ rewire[c]
    /\ rewire' = [rewire EXCEPT ![c] = FALSE]
    /\ follows' = [follows EXCEPT ![c] = up[c]]
    /\ UNCHANGED <<producerVars, cpc, progress, graphVars, opVars, hold, must, wrong>>

Enter(c) ==
    /\ cpc[c] = "look"
    /\ hold[c] = "no"
    /\ ~rewire[c]
    /\ progress[c] < Available(c)
    /\ cpc' = [cpc EXCEPT ![c] = "in"]
    /\ UNCHANGED <<producerVars, follows, progress, graphVars, opVars, rewire, hold, must, wrong>>

Handle(c) ==
    /\ cpc[c] = "in"
    /\ LET s == progress[c] + 1 IN
       /\ progress' = [progress EXCEPT ![c] = s]
       /\ wrong' = IF slot[Slot(s)] # s THEN "overwritten"
                   ELSE IF \E m \in must[c] : m[1] \in members /\ s >= m[2] /\ progress[m[1]] < s THEN "overtaken"
                   ELSE wrong
    /\ cpc' = [cpc EXCEPT ![c] = "look"]
    /\ UNCHANGED <<producerVars, follows, graphVars, opVars, rewire, hold, must>>

----------------------------------------------------------------------------
(* Joining, under the lock of the graph                                     *)

(* What it follows and who is to follow it: nobody; a; nobody, and the last of the declared ones follows it. *)
Ends == IF "b" \in Declared THEN "b" ELSE "a"
Places == {<<{}, {}>>, <<{"a"}, {}>>} \union (IF Ahead THEN {<<{}, {Ends}>>} ELSE {})

BeginJoin(x, place, gate) ==
    /\ opc = "none"
    /\ cpc[x] = "out" /\ x \notin members /\ x \in Newcomers /\ progress[x] = -1
    /\ x = "y" => cpc["x"] # "out"             \* x joins before y: they are alike
    /\ place[1] \union place[2] \subseteq members
    /\ gate \in gates
    /\ who' = x
    /\ before' = place[2]
    /\ up' = [up EXCEPT ![x] = place[1]]
    /\ resting' = place[2] \union {gate}
    /\ hold' = [c \in All |-> IF c \in resting' THEN "asked" ELSE hold[c]]
    /\ opc' = "wait"
    /\ UNCHANGED <<producerVars, consumerVars, members, gates, version, base, left, rewire, must, wrong>>

(* With the gating consumer at rest: where to join. -1 asks for "from now on", else for a sequence still held. *)
Place(after) ==
    /\ opc = "wait"
    /\ HoldAwaited => \A c \in resting : hold[c] = "held"
    /\ LET known == Lowest(resting \intersect gates)
           bound == IF BaseKept THEN Max(base, known) ELSE known
           joinAfter == IF after >= -1 THEN after ELSE IF before = {} THEN known ELSE Highest(before)
       IN
       /\ after >= -1 => after >= Max(-1, bound - Retained) /\ after <= cursor
       /\ base' = bound
       /\ progress' = [progress EXCEPT ![who] = joinAfter]
       /\ must' = [c \in All |->
            IF c = who THEN {<<u, joinAfter + 1>> : u \in up[who]}
            ELSE IF c \in before THEN must[c] \union {<<who, progress[c] + 1>>}
            ELSE must[c]]
    /\ follows' = [follows EXCEPT ![who] = up[who]]
    /\ opc' = "link"
    /\ UNCHANGED <<producerVars, cpc, graphVars, who, before, resting, left, rewire, hold, wrong>>

Link ==
    /\ opc = "link"
    /\ up' = [c \in All |-> IF c \in before THEN up[c] \union {who} ELSE up[c]]
    /\ rewire' = [c \in All |-> rewire[c] \/ (RewireAsked /\ c \in before)]
    /\ opc' = IF ListBeforeRelease THEN "gate" ELSE "release"
    /\ UNCHANGED <<producerVars, consumerVars, members, gates, version, who, before, resting, base, left, hold, must, wrong>>

Gate ==
    /\ opc = "gate"
    /\ members' = members \union {who}
    /\ gates' = gates \union {who} \union up[who]
    /\ version' = version + 1
    /\ cpc' = [cpc EXCEPT ![who] = "look"]
    /\ IF ListBeforeRelease
       THEN opc' = "release" /\ UNCHANGED <<before, resting>>
       ELSE opc' = "none" /\ before' = {} /\ resting' = {}
    /\ UNCHANGED <<producerVars, follows, progress, up, who, base, left, rewire, hold, must, wrong>>

Release ==
    /\ opc = "release"
    /\ hold' = [c \in All |-> "no"]
    /\ IF ListBeforeRelease
       THEN opc' = "none" /\ before' = {} /\ resting' = {}
       ELSE opc' = "gate" /\ UNCHANGED <<before, resting>>
    /\ UNCHANGED <<producerVars, consumerVars, graphVars, who, base, left, rewire, must, wrong>>

----------------------------------------------------------------------------
(* Leaving, by the consumer's own thread between two batches, under the lock *)

Unlink(c) ==
    /\ opc = "none"
    /\ left < Leaves
    /\ c \in members /\ members # {c}
    /\ cpc[c] = "look"
    /\ left' = left + 1
    /\ members' = members \ {c}
    /\ cpc' = [cpc EXCEPT ![c] = "out"]
    /\ up' = [d \in All |-> IF c \in up[d] THEN (up[d] \ {c}) \union up[c] ELSE up[d]]
    /\ rewire' = [d \in All |-> rewire[d] \/ c \in up[d]]
    /\ must' = [d \in All |-> {m \in must[d] : m[1] # c}]
    /\ who' = c
    /\ opc' = "ungate"
    /\ UNCHANGED <<producerVars, follows, progress, gates, version, before, resting, base, hold, wrong>>

Unfollowed(c) == {u \in up[c] : u \in members /\ \A d \in members : u \notin up[d]}

Ungate ==
    /\ opc = "ungate"
    /\ version' = version + 1
    /\ IF OneStep
       THEN /\ gates' = (gates \ {who}) \union (IF UpstreamInPlace THEN Unfollowed(who) ELSE {})
            /\ opc' = "none"
       ELSE /\ gates' = gates \ {who}
            /\ opc' = "replace"
    /\ UNCHANGED <<producerVars, consumerVars, members, up, who, before, resting, base, left, rewire, hold, must, wrong>>

Replace ==
    /\ opc = "replace"
    /\ version' = version + 1
    /\ gates' = gates \union Unfollowed(who)
    /\ opc' = "none"
    /\ UNCHANGED <<producerVars, consumerVars, members, up, who, before, resting, base, left, rewire, hold, must, wrong>>

----------------------------------------------------------------------------
AllHandled ==
    /\ cursor = Last
    /\ opc = "none"
    /\ \A c \in members : progress[c] = Last /\ cpc[c] = "look"

Done == AllHandled /\ UNCHANGED vars            \* so that only a standstill before the end is a deadlock

Next ==
    \/ Claim \/ Scanned \/ Write \/ Publish
    \/ \E c \in All : Scan(c) \/ Rest(c) \/ Rewire(c) \/ Enter(c) \/ Handle(c) \/ Unlink(c)
    \/ \E x \in Newcomers, place \in Places, gate \in gates : BeginJoin(x, place, gate)
    \/ \E after \in -2 .. Last : Place(after)
    \/ Link \/ Gate \/ Release \/ Ungate \/ Replace
    \/ Done

Spec == Init /\ [][Next]_vars

NothingOverwritten == wrong # "overwritten"
NeverOvertakes == wrong # "overtaken"
SomebodyGates ==
    opc = "none" => \A c \in members : \E g \in gates : g \in members /\ progress[g] <= progress[c]
=============================================================================
