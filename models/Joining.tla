------------------------------ MODULE Joining ------------------------------
(* Consumers that join and leave a running ring of io.sluice.ringbuffer,     *)
(* against its producer and against each other.                              *)
(* See Joining.md for what it says in prose.                                 *)
EXTENDS Integers, FiniteSets

CONSTANTS
    Declared,           \* consumers from the start on, of a, b and c; b follows a, c follows b
    Newcomers,          \* consumers that may join, of x and y: x first
    Leaves,             \* how many may leave alive
    Deaths,             \* how many threads may end; the dead ones are removed
    MayNotStart,        \* TRUE: one that has joined may fail to start, and is taken out again
    Capacity,           \* slots
    Retained,           \* how many handled events are kept for those who join
    Last,               \* the last event's sequence
    Places,             \* where one may join: "ends", "behind" or "anywhere"
    SecondLook,         \* TRUE: a producer looks at the gating list again after the sequences
    HoldAwaited,        \* TRUE: a joiner waits until those who have to rest do
    ListBeforeRelease,  \* TRUE: the newcomer gates before they go on
    Gating,             \* "all": each consumer gates; "last": of the declared ones only the last; "last, heirs": in a
                        \* leaver's place those that it followed and whom nobody follows any more
    BaseKept,           \* TRUE: the furthest progress that a join has seen bounds all later ones
    RewireAsked,        \* TRUE: a dependent is told whom it follows from now on
    OwnWishKept         \* TRUE: who wished to follow one that fails to start follows what that one followed

VARIABLES
    next, limit, ppc,           \* the producer: the sequence to be claimed, how far it may, where
    seen, todo, lowest,         \* the producer's look: the list's version, sequences to be read, the lowest so far
    cursor, slot,               \* what is published, what is in the slots
    members, gates, version,    \* consumers, those in the gating list, which list it is
    up, own, rewire,            \* by the graph: whom a consumer is to follow, those of them that did not just join before it,
                                \* whether it has been told to look
    follows, cpc, progress,     \* consumers: whom it follows, where, how far
    hold,                       \* consumers: "no", "asked", "held"
    opc, who, before, gated,    \* the one change of the graph under way: where, of whom, its followers, the gate at rest
    resting,                    \* who has to rest for it
    base, left, dead,           \* the furthest progress that a join has seen; how many have left; how many have died
    must,                       \* ghost: whom a consumer must not overtake, and from where on
    wrong                       \* ghost: what should not have come about

producerVars == <<next, limit, ppc, seen, todo, lowest, cursor, slot>>
consumerVars == <<follows, cpc, progress>>
graphVars == <<members, gates, version, up, own>>
opVars == <<opc, who, before, gated, resting, base, left, dead>>
vars == <<producerVars, consumerVars, graphVars, opVars, rewire, hold, must, wrong>>

All == Declared \union Newcomers
None == "none"
Window == Capacity - Retained
Slot(s) == s % Capacity
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Highest(of) == CHOOSE p \in {progress[c] : c \in of} : \A c \in of : progress[c] <= p
Lowest(of) == CHOOSE p \in {progress[c] : c \in of} : \A c \in of : progress[c] >= p

Chain == [c \in All |-> IF c = "b" THEN {"a"} ELSE IF c = "c" THEN {"b"} ELSE {}]
Ends == IF "c" \in Declared THEN "c" ELSE IF "b" \in Declared THEN "b" ELSE "a"

Init ==
    /\ next = 0 /\ limit = -1 /\ ppc = "claim"
    /\ seen = 0 /\ todo = {} /\ lowest = -1
    /\ cursor = -1
    /\ slot = [i \in 0 .. Capacity - 1 |-> -1]
    /\ members = Declared
    /\ gates = IF Gating = "all" THEN Declared ELSE {Ends}
    /\ version = 0
    /\ up = Chain
    /\ own = Chain
    /\ rewire = [c \in All |-> FALSE]
    /\ follows = up
    /\ cpc = [c \in All |-> IF c \in Declared THEN "look" ELSE "out"]
    /\ progress = [c \in All |-> -1]
    /\ hold = [c \in All |-> "no"]
    /\ opc = "none" /\ who = None /\ before = {} /\ gated = None /\ resting = {}
    /\ base = -1 /\ left = 0 /\ dead = 0
    /\ must = [c \in All |-> {<<u, 0>> : u \in Chain[c]}]
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

(* One whose thread has ended rests by itself. *)
Rest(c) ==
    /\ cpc[c] \in {"look", "dead"}
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

Start(c) ==
    /\ cpc[c] = "fresh"
    /\ cpc' = [cpc EXCEPT ![c] = "look"]
    /\ UNCHANGED <<producerVars, follows, progress, graphVars, opVars, rewire, hold, must, wrong>>

(* Its thread ends, between two batches or within one. *)
Die(c) ==
    /\ dead < Deaths
    /\ cpc[c] \in {"look", "in"}
    /\ dead' = dead + 1
    /\ cpc' = [cpc EXCEPT ![c] = "dead"]
    /\ UNCHANGED <<producerVars, follows, progress, graphVars, opc, who, before, gated, resting, base, left, rewire,
                   hold, must, wrong>>

----------------------------------------------------------------------------
(* Joining, under the lock of the graph                                     *)

RECURSIVE Behind(_)
Behind(c) == up[c] \union UNION {Behind(u) : u \in up[c]}

AtMostOne(of) == {{}} \union {{c} : c \in of}

(* What it follows and who is to follow it. "ends": nobody; a; nobody, and the last of the declared ones follows it. *)
(* "behind": whomever, and nobody follows it. "anywhere": whomever, whoever, without a cycle.                        *)
Allowed ==
    CASE Places = "ends" -> {<<{}, {}>>, <<{"a"}, {}>>, <<{}, {Ends}>>}
      [] Places = "behind" -> {<<u, {}>> : u \in AtMostOne(members)}
      [] Places = "anywhere" ->
            {p \in AtMostOne(members) \X AtMostOne(members) :
                \A u \in p[1] : u \notin p[2] /\ p[2] \intersect Behind(u) = {}}

(* One that has left never comes back: a consumer that joins again is another one. *)
BeginJoin(x, place, gate) ==
    /\ opc = "none"
    /\ cpc[x] = "out" /\ x \in Newcomers
    /\ x = "y" => cpc["x"] # "out"             \* x joins before y: they are alike
    /\ place[1] \union place[2] \subseteq members
    /\ gate = None => place[2] # {}
    /\ who' = x
    /\ before' = place[2]
    /\ gated' = gate
    /\ up' = [up EXCEPT ![x] = place[1]]
    /\ own' = [own EXCEPT ![x] = place[1]]
    /\ resting' = place[2] \union ({gate} \ {None})
    /\ hold' = [c \in All |-> IF c \in resting' THEN "asked" ELSE hold[c]]
    /\ opc' = "wait"
    /\ UNCHANGED <<producerVars, consumerVars, members, gates, version, base, left, dead, rewire, must, wrong>>

(* With the gating consumer at rest: where to join. -2 asks for "from now on", else behind a sequence still held. *)
Place(after) ==
    /\ opc = "wait"
    /\ HoldAwaited => \A c \in resting : hold[c] = "held"
    /\ LET known == IF gated = None THEN Lowest(before) ELSE progress[gated]
           bound == IF BaseKept THEN Max(base, known) ELSE known
           joinAfter == IF after >= -1 THEN after ELSE IF before = {} THEN known ELSE Highest(before)
       IN
       /\ after >= -1 => gated # None /\ after >= Max(-1, bound - Retained) /\ after <= cursor
       /\ base' = bound
       /\ progress' = [progress EXCEPT ![who] = joinAfter]
       /\ must' = [c \in All |->
            IF c = who THEN {<<u, joinAfter + 1>> : u \in up[who]}
            ELSE IF c \in before THEN must[c] \union {<<who, Max(progress[c], joinAfter) + 1>>}
            ELSE must[c]]
    /\ follows' = [follows EXCEPT ![who] = up[who]]
    /\ opc' = "link"
    /\ UNCHANGED <<producerVars, cpc, graphVars, who, before, gated, resting, left, dead, rewire, hold, wrong>>

Link ==
    /\ opc = "link"
    /\ up' = [c \in All |-> IF c \in before THEN up[c] \union {who} ELSE up[c]]
    /\ rewire' = [c \in All |-> rewire[c] \/ (RewireAsked /\ c \in before)]
    /\ opc' = IF ListBeforeRelease THEN "gate" ELSE "release"
    /\ UNCHANGED <<producerVars, consumerVars, members, gates, version, own, who, before, gated, resting, base, left, dead,
                   hold, must, wrong>>

Over == opc' = "none" /\ who' = None /\ before' = {} /\ gated' = None /\ resting' = {}

Gate ==
    /\ opc = "gate"
    /\ members' = members \union {who}
    /\ gates' = gates \union {who}
    /\ version' = version + 1
    /\ cpc' = [cpc EXCEPT ![who] = IF MayNotStart THEN "fresh" ELSE "look"]
    /\ IF ListBeforeRelease
       THEN opc' = "release" /\ UNCHANGED <<who, before, gated, resting>>
       ELSE Over
    /\ UNCHANGED <<producerVars, follows, progress, up, own, base, left, dead, rewire, hold, must, wrong>>

Release ==
    /\ opc = "release"
    /\ hold' = [c \in All |-> "no"]
    /\ IF ListBeforeRelease
       THEN Over
       ELSE opc' = "gate" /\ UNCHANGED <<who, before, gated, resting>>
    /\ UNCHANGED <<producerVars, consumerVars, graphVars, base, left, dead, rewire, must, wrong>>

----------------------------------------------------------------------------
(* Leaving, under the lock: by the consumer's own thread between two batches, on a dead one's behalf, or on behalf of   *)
(* one that never started. Those that follow that one only because it has joined before them then keep to what they     *)
(* followed before.                                                                                                     *)

Inherits(d, c) ==
    {m \in must[d] : m[1] # c} \union
        {<<u[1], Max(u[2], m[2])>> : u \in must[c], m \in {n \in must[d] : n[1] = c}}

Unlink(c) ==
    /\ opc = "none"
    /\ c \in members /\ members # {c}
    /\ \/ cpc[c] = "look" /\ left < Leaves /\ left' = left + 1
       \/ cpc[c] \in {"dead", "fresh"} /\ UNCHANGED left
    /\ LET ran == cpc[c] # "fresh"
           follow(of, d, inherits) == IF c \in up[d] THEN (of[d] \ {c}) \union (IF inherits THEN of[c] ELSE {}) ELSE of[d]
           wished(d) == ran \/ c \in own[d]
           inherited(d) == ran \/ (OwnWishKept /\ c \in own[d])
       IN
       /\ up' = [d \in All |-> follow(up, d, inherited(d))]
       /\ own' = [d \in All |-> follow(own, d, inherited(d))]
       /\ must' = [d \in All |-> IF wished(d) THEN Inherits(d, c) ELSE {m \in must[d] : m[1] # c}]
    /\ members' = members \ {c}
    /\ cpc' = [cpc EXCEPT ![c] = "left"]
    /\ rewire' = [d \in All |-> rewire[d] \/ (RewireAsked /\ c \in up[d])]
    /\ who' = c
    /\ opc' = "ungate"
    /\ UNCHANGED <<producerVars, follows, progress, gates, version, before, gated, resting, base, dead, hold, wrong>>

(* A rule that looks right: who is followed need not gate. But a follower may have joined ahead of it. *)
Heirs(c) ==
    IF Gating = "last, heirs"
    THEN {u \in up[c] \intersect members : \A d \in members : u \notin up[d]}
    ELSE {}

Ungate ==
    /\ opc = "ungate"
    /\ version' = version + 1
    /\ gates' = (gates \ {who}) \union Heirs(who)
    /\ Over
    /\ UNCHANGED <<producerVars, consumerVars, members, up, own, base, left, dead, rewire, hold, must, wrong>>

----------------------------------------------------------------------------
AllHandled ==
    /\ cursor = Last
    /\ opc = "none"
    /\ \A c \in members : progress[c] = Last /\ cpc[c] = "look"

(* The last consumer's death: nobody is left who could go on. *)
AllDead == opc = "none" /\ \A c \in members : cpc[c] = "dead"

Done == (AllHandled \/ AllDead) /\ UNCHANGED vars   \* so that only a standstill before the end is a deadlock

Next ==
    \/ Claim \/ Scanned \/ Write \/ Publish
    \/ \E c \in All :
        \/ Scan(c) \/ Rest(c) \/ Rewire(c) \/ Enter(c) \/ Handle(c) \/ Start(c) \/ Die(c) \/ Unlink(c)
    \/ \E x \in Newcomers, place \in Allowed, gate \in gates \union {None} : BeginJoin(x, place, gate)
    \/ \E after \in -2 .. Last : Place(after)
    \/ Link \/ Gate \/ Release \/ Ungate
    \/ Done

Spec == Init /\ [][Next]_vars

NothingOverwritten == wrong # "overwritten"
NeverOvertakes == wrong # "overtaken"
SomebodyGates ==
    opc = "none" => \A c \in members : \E g \in gates : g \in members /\ progress[g] <= progress[c]

EachGates == opc = "none" => members \subseteq gates
=============================================================================
