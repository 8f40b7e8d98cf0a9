----------------------------- MODULE SignalGroup -----------------------------
(* Several runners in one group of io.sluice.core.SignalGroup, on a machine    *)
(* with store buffers; one of them may be added while it waits. A publisher    *)
(* may be cut off while it wakes them.                                         *)
(* See SignalGroup.md for what it says in prose.                               *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
    Count,              \* how often the publisher publishes
    Publishers,         \* the publishing threads
    CutOff,             \* those of them that may be cut off while they wake: none or some
    Early,              \* runners that are members from the start on
    Late,               \* runners that are added while others publish: none or one
    WakesAll,           \* TRUE: a waker looks at every member
    UnparksSignalled,   \* TRUE: a waker unparks also whom another has moved to SIGNALLED, before its look or its CAS
    LoweredFirst,       \* TRUE: a waker lowers the group's word before it looks at the members
    RaisedByEach,       \* TRUE: every runner raises the word for itself
    AddRaises,          \* TRUE: whoever adds a member raises the word
    RaisedLast          \* TRUE: it does so once the member is in the list

None == 0
Runners == Early \union Late
(* States that differ by a name only count once. *)
Alike == Permutations(CutOff) \union Permutations(Publishers \ CutOff) \union Permutations(Early)

VARIABLES
    published, pubBuffer, pubMade,  \* for each publisher: in memory, on the way, stored
    pubPc, toLook,              \* where it is, the members that it still has to look at
    now,                        \* whose word it is about to change, or whom it is about to unpark
    relies,                     \* whose lowering it has found in the word, of those that may be cut off
    raised,                     \* the group's word
    members,                    \* the group's list
    told,                       \* runners that raise the group's word before they park
    apc,                        \* whoever adds the late one: "list", "tell", "raise", "over"
    word, wordBuffer, permit,   \* for each runner, as in SignalledIdle
    runPc, seen

vars == <<published, pubBuffer, pubMade, pubPc, toLook, now, relies, raised, members, told, apc, word, wordBuffer,
          permit, runPc, seen>>
pubVars == <<published, pubBuffer, pubMade, pubPc, toLook, now, relies>>
runVars == <<wordBuffer, runPc, seen>>

Init ==
    /\ published = [p \in Publishers |-> 0]
    /\ pubBuffer = [p \in Publishers |-> None]
    /\ pubMade = [p \in Publishers |-> 0]
    /\ pubPc = [p \in Publishers |-> "store"]
    /\ toLook = [p \in Publishers |-> {}]
    /\ now = [p \in Publishers |-> "nobody"]
    /\ relies = [p \in Publishers |-> {}]
    /\ raised = FALSE
    /\ members = Early
    /\ told = Early
    /\ apc = IF Late = {} THEN "over" ELSE IF RaisedLast THEN "list" ELSE "raise"
    /\ word = [r \in Runners |-> "RUNNING"]
    /\ wordBuffer = [r \in Runners |-> "none"]
    /\ permit = [r \in Runners |-> FALSE]
    /\ runPc = [r \in Runners |-> "cycle"]
    /\ seen = [r \in Runners |-> [p \in Publishers |-> 0]]

----------------------------------------------------------------------------
(* Publishers. The last publication comes after the adding: what came before it, the added one may miss. *)

Go(p, where) == pubPc' = [pubPc EXCEPT ![p] = where]

Lowered == {"list", "look", "cas", "unpark"}    \* where a waker stands that has lowered the word, and is not through

PubStore(p) ==
    /\ pubPc[p] = "store"
    /\ pubMade[p] < Count
    /\ pubMade[p] = Count - 1 => apc = "over"
    /\ pubBuffer[p] = None
    /\ pubMade' = [pubMade EXCEPT ![p] = @ + 1]
    /\ pubBuffer' = [pubBuffer EXCEPT ![p] = pubMade[p] + 1]
    /\ Go(p, "fence")
    /\ UNCHANGED <<published, toLook, now, relies, raised, members, told, apc, word, permit, runVars>>

PubFence(p) ==
    /\ pubPc[p] = "fence"
    /\ pubBuffer[p] = None
    /\ Go(p, "read")
    /\ UNCHANGED <<published, pubBuffer, pubMade, toLook, now, relies, raised, members, told, apc, word, permit,
                   runVars>>

PubRead(p) ==
    /\ pubPc[p] = "read"
    /\ IF ~raised
       THEN Go(p, "store") /\ UNCHANGED <<toLook, now>>
       ELSE IF LoweredFirst
       THEN Go(p, "lower") /\ UNCHANGED <<toLook, now>>
       ELSE Go(p, "look") /\ toLook' = [toLook EXCEPT ![p] = members] /\ UNCHANGED now
    /\ relies' = [relies EXCEPT ![p] = IF raised THEN {} ELSE {d \in CutOff \ {p} : pubPc[d] \in Lowered}]
    /\ UNCHANGED <<published, pubBuffer, pubMade, raised, members, told, apc, word, permit, runVars>>

(* The exchange; then the list. *)
PubLower(p) ==
    /\ pubPc[p] = "lower"
    /\ raised' = FALSE
    /\ IF LoweredFirst
       THEN Go(p, "list")
       ELSE Go(p, "store")
    /\ UNCHANGED <<published, pubBuffer, pubMade, toLook, now, relies, members, told, apc, word, permit, runVars>>

PubList(p) ==
    /\ pubPc[p] = "list"
    /\ toLook' = [toLook EXCEPT ![p] = members]
    /\ Go(p, "look")
    /\ UNCHANGED <<published, pubBuffer, pubMade, now, relies, raised, members, told, apc, word, permit, runVars>>

Looked(p) == Go(p, IF LoweredFirst THEN "store" ELSE "lower")

PubLook(p, r) ==
    /\ pubPc[p] = "look"
    /\ r \in toLook[p]
    /\ IF word[r] = "WAITING"
       THEN Go(p, "cas") /\ now' = [now EXCEPT ![p] = r]
       ELSE IF UnparksSignalled /\ word[r] = "SIGNALLED"
       THEN Go(p, "unpark") /\ now' = [now EXCEPT ![p] = r]
       ELSE UNCHANGED <<pubPc, now>>
    /\ toLook' = [toLook EXCEPT ![p] = @ \ {r}]
    /\ UNCHANGED <<published, pubBuffer, pubMade, relies, raised, members, told, apc, word, permit, runVars>>

PubLookedAtAll(p) ==
    /\ pubPc[p] = "look"
    /\ toLook[p] = {}
    /\ Looked(p)
    /\ relies' = [q \in Publishers |-> relies[q] \ {p}]
    /\ UNCHANGED <<published, pubBuffer, pubMade, toLook, now, raised, members, told, apc, word, permit, runVars>>

PubCas(p) ==
    /\ pubPc[p] = "cas"
    /\ LET r == now[p] IN
       IF word[r] = "WAITING"
       THEN /\ word' = [word EXCEPT ![r] = "SIGNALLED"]
            /\ Go(p, "unpark")
            /\ UNCHANGED now
       ELSE /\ IF UnparksSignalled
               THEN Go(p, "unpark") /\ UNCHANGED now
               ELSE Go(p, "look") /\ now' = [now EXCEPT ![p] = "nobody"]
            /\ UNCHANGED word
    /\ UNCHANGED <<published, pubBuffer, pubMade, toLook, relies, raised, members, told, apc, permit, runVars>>

PubUnpark(p) ==
    /\ pubPc[p] = "unpark"
    /\ permit' = [permit EXCEPT ![now[p]] = TRUE]
    /\ now' = [now EXCEPT ![p] = "nobody"]
    /\ toLook' = [toLook EXCEPT ![p] = IF WakesAll THEN @ ELSE {}]
    /\ Go(p, "look")
    /\ UNCHANGED <<published, pubBuffer, pubMade, relies, raised, members, told, apc, word, runVars>>

(* It raises the word again, and does nothing more. It has made its fence, so its store is in memory. *)
PubCutOff(p) ==
    /\ p \in CutOff
    /\ pubPc[p] \in Lowered \union {"lower"}
    /\ raised' = TRUE
    /\ now' = [now EXCEPT ![p] = "nobody"]
    /\ toLook' = [toLook EXCEPT ![p] = {}]
    /\ Go(p, "dead")
    /\ UNCHANGED <<published, pubBuffer, pubMade, relies, members, told, apc, word, permit, runVars>>

PubDrain(p) ==
    /\ pubBuffer[p] # None
    /\ published' = [published EXCEPT ![p] = pubBuffer[p]]
    /\ pubBuffer' = [pubBuffer EXCEPT ![p] = None]
    /\ UNCHANGED <<pubMade, pubPc, toLook, now, relies, raised, members, told, apc, word, permit, runVars>>

----------------------------------------------------------------------------
(* Whoever adds the late one, by volatile stores and an exchange: each is in memory at once *)

AddToList ==
    /\ apc = "list"
    /\ members' = members \union Late
    /\ apc' = "tell"
    /\ UNCHANGED <<pubVars, raised, told, word, permit, runVars>>

AddTell ==
    /\ apc = "tell"
    /\ told' = told \union Late
    /\ apc' = IF RaisedLast THEN "raise" ELSE "over"
    /\ UNCHANGED <<pubVars, raised, members, word, permit, runVars>>

AddRaise ==
    /\ apc = "raise"
    /\ raised' = (raised \/ AddRaises)
    /\ apc' = IF RaisedLast THEN "over" ELSE "list"
    /\ UNCHANGED <<pubVars, members, told, word, permit, runVars>>

----------------------------------------------------------------------------
(* Runners                                                                   *)

OwnWord(r) == IF wordBuffer[r] = "none" THEN word[r] ELSE wordBuffer[r]
StoreWord(r, w) == wordBuffer[r] = "none" /\ wordBuffer' = [wordBuffer EXCEPT ![r] = w]
RunTo(r, where) == runPc' = [runPc EXCEPT ![r] = where]

RunWork(r, pc) ==
    /\ runPc[r] = pc
    /\ seen[r] # published
    /\ seen' = [seen EXCEPT ![r] = published]
    /\ IF OwnWord(r) # "RUNNING" THEN StoreWord(r, "RUNNING") ELSE UNCHANGED wordBuffer
    /\ RunTo(r, "cycle")
    /\ UNCHANGED <<pubVars, raised, members, told, apc, word, permit>>

RunEmpty(r, pc, next) ==
    /\ runPc[r] = pc
    /\ seen[r] = published
    /\ RunTo(r, next)
    /\ UNCHANGED <<pubVars, raised, members, told, apc, word, permit, wordBuffer, seen>>

RunAnnounce(r) ==
    /\ runPc[r] = "announce"
    /\ StoreWord(r, "WAITING")
    /\ RunTo(r, "raise")
    /\ UNCHANGED <<pubVars, raised, members, told, apc, word, permit, seen>>

(* Its groups, read in order behind the store; the exchange; the fence. *)
RunRaise(r) ==
    /\ runPc[r] = "raise"
    /\ wordBuffer[r] = "none"
    /\ raised' = (raised \/ (r \in told /\ (RaisedByEach \/ ~\E o \in Runners \ {r} : word[o] = "WAITING")))
    /\ RunTo(r, "again")
    /\ UNCHANGED <<pubVars, members, told, apc, word, permit, wordBuffer, seen>>

RunLook(r) ==
    /\ runPc[r] = "look"
    /\ RunTo(r, IF OwnWord(r) = "WAITING" THEN "park" ELSE "leave")
    /\ UNCHANGED <<pubVars, raised, members, told, apc, word, permit, wordBuffer, seen>>

RunPark(r) ==
    /\ runPc[r] = "park"
    /\ permit[r]
    /\ permit' = [permit EXCEPT ![r] = FALSE]
    /\ RunTo(r, "leave")
    /\ UNCHANGED <<pubVars, raised, members, told, apc, word, wordBuffer, seen>>

RunLeave(r) ==
    /\ runPc[r] = "leave"
    /\ StoreWord(r, "RUNNING")
    /\ RunTo(r, "cycle")
    /\ UNCHANGED <<pubVars, raised, members, told, apc, word, permit, seen>>

RunDrain(r) ==
    /\ wordBuffer[r] # "none"
    /\ word' = [word EXCEPT ![r] = wordBuffer[r]]
    /\ wordBuffer' = [wordBuffer EXCEPT ![r] = "none"]
    /\ UNCHANGED <<pubVars, raised, members, told, apc, permit, runPc, seen>>

----------------------------------------------------------------------------
Dead(p) == pubPc[p] = "dead"

(* What it has published is left to the next waker: it was cut off, or it found the word lowered by one that was cut off. *)
LeftToTheNext(p) == Dead(p) \/ \E d \in relies[p] : Dead(d)

AllTaken ==
    /\ \A p \in Publishers : pubMade[p] = Count \/ Dead(p)
    /\ \A r \in Runners, p \in Publishers :
        \/ seen[r][p] = pubMade[p]
        \/ LeftToTheNext(p) /\ raised           \* so the next waker looks at all

Done == AllTaken /\ UNCHANGED vars              \* so that only a lost wake-up is a deadlock

Next ==
    \/ \E p \in Publishers :
        \/ PubStore(p) \/ PubFence(p) \/ PubRead(p) \/ PubLower(p) \/ PubList(p) \/ PubLookedAtAll(p) \/ PubCas(p)
        \/ PubUnpark(p) \/ PubCutOff(p) \/ PubDrain(p)
        \/ \E r \in Runners : PubLook(p, r)
    \/ AddToList \/ AddTell \/ AddRaise
    \/ \E r \in Runners :
        \/ RunWork(r, "cycle") \/ RunEmpty(r, "cycle", "announce")
        \/ RunAnnounce(r) \/ RunRaise(r)
        \/ RunWork(r, "again") \/ RunEmpty(r, "again", "look")
        \/ RunLook(r) \/ RunPark(r) \/ RunLeave(r) \/ RunDrain(r)
    \/ Done

Spec == Init /\ [][Next]_vars

(* Deadlock checking is on: a state without a next step is a lost wake-up.   *)
NothingFromNowhere ==
    \A p \in Publishers : published[p] <= pubMade[p] /\ \A r \in Runners : seen[r][p] <= published[p]
=============================================================================
