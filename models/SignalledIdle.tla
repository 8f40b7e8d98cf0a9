---------------------------- MODULE SignalledIdle ----------------------------
(* The idle word of io.sluice.core.SignalledIdle and the word of its            *)
(* SignalGroup, on a machine with store buffers. See SignalledIdle.md.         *)
EXTENDS Naturals

CONSTANTS
    Publishers,         \* the publishing threads
    Count,              \* how often each of them publishes
    PublisherFence,     \* TRUE: a full fence between publication and reading the group's word
    RunnerFence,        \* TRUE: a full fence between WAITING and the second cycle
    SecondCycle,        \* TRUE: a complete cycle between WAITING and the park
    LoweredFirst        \* TRUE: the group's word is lowered before the idle word is read

None == 0               \* an empty store buffer; publications are 1, 2, ...

VARIABLES
    published,          \* in memory, for each publisher: how many it has published
    pubBuffer,          \* its store to that on the way
    pubPc, pubMade,     \* where it is, and how many it has stored
    raised,             \* in memory: the group's word
    word,               \* in memory: RUNNING, WAITING, SIGNALLED
    wordBuffer,         \* the runner's store to it on the way, "none" if there is none
    permit,             \* unpark has been called since the last park
    runPc, seen         \* the runner: where it is, what it has taken of each publisher

vars == <<published, pubBuffer, pubPc, pubMade, raised, word, wordBuffer, permit, runPc, seen>>

Init ==
    /\ published = [p \in Publishers |-> 0]
    /\ pubBuffer = [p \in Publishers |-> None]
    /\ pubPc = [p \in Publishers |-> "store"]
    /\ pubMade = [p \in Publishers |-> 0]
    /\ raised = FALSE
    /\ word = "RUNNING"
    /\ wordBuffer = "none"
    /\ permit = FALSE
    /\ runPc = "cycle"
    /\ seen = [p \in Publishers |-> 0]

----------------------------------------------------------------------------
(* Publishers                                                                *)

PubStore(p) ==
    /\ pubPc[p] = "store"
    /\ pubMade[p] < Count
    /\ pubBuffer[p] = None                      \* one entry is enough: later stores only delay more
    /\ pubMade' = [pubMade EXCEPT ![p] = @ + 1]
    /\ pubBuffer' = [pubBuffer EXCEPT ![p] = pubMade[p] + 1]
    /\ pubPc' = [pubPc EXCEPT ![p] = "fence"]
    /\ UNCHANGED <<published, raised, word, wordBuffer, permit, runPc, seen>>

PubFence(p) ==
    /\ pubPc[p] = "fence"
    /\ PublisherFence => pubBuffer[p] = None
    /\ pubPc' = [pubPc EXCEPT ![p] = "read"]
    /\ UNCHANGED <<published, pubBuffer, pubMade, raised, word, wordBuffer, permit, runPc, seen>>

PubRead(p) ==
    /\ pubPc[p] = "read"
    /\ pubPc' = [pubPc EXCEPT ![p] = IF ~raised THEN "store" ELSE IF LoweredFirst THEN "lower" ELSE "look"]
    /\ UNCHANGED <<published, pubBuffer, pubMade, raised, word, wordBuffer, permit, runPc, seen>>

(* An exchange: it drains the buffer. *)
PubLower(p) ==
    /\ pubPc[p] = "lower"
    /\ pubBuffer[p] = None
    /\ raised' = FALSE
    /\ pubPc' = [pubPc EXCEPT ![p] = IF LoweredFirst THEN "look" ELSE "store"]
    /\ UNCHANGED <<published, pubBuffer, pubMade, word, wordBuffer, permit, runPc, seen>>

Looked == IF LoweredFirst THEN "store" ELSE "lower"

PubLook(p) ==
    /\ pubPc[p] = "look"
    /\ pubPc' = [pubPc EXCEPT ![p] = IF word = "WAITING" THEN "cas" ELSE Looked]
    /\ UNCHANGED <<published, pubBuffer, pubMade, raised, word, wordBuffer, permit, runPc, seen>>

PubCas(p) ==
    /\ pubPc[p] = "cas"
    /\ pubBuffer[p] = None                      \* a locked instruction drains the buffer
    /\ IF word = "WAITING"
       THEN /\ word' = "SIGNALLED"
            /\ pubPc' = [pubPc EXCEPT ![p] = "unpark"]
       ELSE /\ pubPc' = [pubPc EXCEPT ![p] = Looked]
            /\ UNCHANGED word
    /\ UNCHANGED <<published, pubBuffer, pubMade, raised, wordBuffer, permit, runPc, seen>>

PubUnpark(p) ==
    /\ pubPc[p] = "unpark"
    /\ permit' = TRUE
    /\ pubPc' = [pubPc EXCEPT ![p] = Looked]
    /\ UNCHANGED <<published, pubBuffer, pubMade, raised, word, wordBuffer, runPc, seen>>

PubDrain(p) ==
    /\ pubBuffer[p] # None
    /\ published' = [published EXCEPT ![p] = pubBuffer[p]]
    /\ pubBuffer' = [pubBuffer EXCEPT ![p] = None]
    /\ UNCHANGED <<pubPc, pubMade, raised, word, wordBuffer, permit, runPc, seen>>

----------------------------------------------------------------------------
(* The runner                                                                *)

OwnWord == IF wordBuffer = "none" THEN word ELSE wordBuffer

StoreWord(w) == wordBuffer = "none" /\ wordBuffer' = w

(* Work found: reset the word if it is not RUNNING. *)
RunWork(pc) ==
    /\ runPc = pc
    /\ \E p \in Publishers : published[p] > seen[p]
    /\ seen' = published
    /\ IF OwnWord # "RUNNING" THEN StoreWord("RUNNING") ELSE UNCHANGED wordBuffer
    /\ runPc' = "cycle"
    /\ UNCHANGED <<published, pubBuffer, pubPc, pubMade, raised, word, permit>>

RunEmpty(pc, next) ==
    /\ runPc = pc
    /\ \A p \in Publishers : published[p] = seen[p]
    /\ runPc' = next
    /\ UNCHANGED <<published, pubBuffer, pubPc, pubMade, raised, word, wordBuffer, permit, seen>>

RunAnnounce ==
    /\ runPc = "announce"
    /\ StoreWord("WAITING")
    /\ runPc' = "raise"
    /\ UNCHANGED <<published, pubBuffer, pubPc, pubMade, raised, word, permit, seen>>

(* The exchange that raises the group's word drains the buffer too, and is followed by the fence. Without them the word is    *)
(* raised by a store like the one before it, and reaches memory with that.                                                   *)
RunRaise ==
    /\ runPc = "raise"
    /\ IF RunnerFence
       THEN /\ wordBuffer = "none"
            /\ raised' = TRUE
       ELSE UNCHANGED raised
    /\ runPc' = IF SecondCycle THEN "again" ELSE "look"
    /\ UNCHANGED <<published, pubBuffer, pubPc, pubMade, word, wordBuffer, permit, seen>>

RunLook ==
    /\ runPc = "look"
    /\ runPc' = IF OwnWord = "WAITING" THEN "park" ELSE "leave"
    /\ UNCHANGED <<published, pubBuffer, pubPc, pubMade, raised, word, wordBuffer, permit, seen>>

RunPark ==
    /\ runPc = "park"
    /\ permit
    /\ permit' = FALSE
    /\ runPc' = "leave"
    /\ UNCHANGED <<published, pubBuffer, pubPc, pubMade, raised, word, wordBuffer, seen>>

RunLeave ==
    /\ runPc = "leave"
    /\ StoreWord("RUNNING")
    /\ runPc' = "cycle"
    /\ UNCHANGED <<published, pubBuffer, pubPc, pubMade, raised, word, permit, seen>>

RunDrain ==
    /\ wordBuffer # "none"
    /\ word' = wordBuffer
    /\ wordBuffer' = "none"
    /\ raised' = IF wordBuffer = "WAITING" /\ ~RunnerFence THEN TRUE ELSE raised
    /\ UNCHANGED <<published, pubBuffer, pubPc, pubMade, permit, runPc, seen>>

----------------------------------------------------------------------------
AllTaken == \A p \in Publishers : seen[p] = Count

Done == AllTaken /\ UNCHANGED vars              \* so that only a lost wake-up is a deadlock

Next ==
    \/ \E p \in Publishers :
        PubStore(p) \/ PubFence(p) \/ PubRead(p) \/ PubLower(p) \/ PubLook(p) \/ PubCas(p) \/ PubUnpark(p) \/ PubDrain(p)
    \/ RunWork("cycle") \/ RunEmpty("cycle", "announce")
    \/ RunAnnounce \/ RunRaise
    \/ RunWork("again") \/ RunEmpty("again", "look")
    \/ RunLook \/ RunPark \/ RunLeave \/ RunDrain
    \/ Done

Spec == Init /\ [][Next]_vars

(* Deadlock checking is on: a state without a next step is a lost wake-up.   *)
NothingFromNowhere == \A p \in Publishers : seen[p] <= published[p] /\ published[p] <= pubMade[p]
=============================================================================
