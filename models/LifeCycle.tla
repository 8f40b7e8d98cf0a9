---------------------------- MODULE LifeCycle ----------------------------
(* The life of a ring of io.sluice.ringbuffer: publishers, consumers of whom *)
(* one may die, and an owner who drains or not, then closes.                 *)
(* See LifeCycle.md for what it says in prose.                               *)
EXTENDS Integers, FiniteSets

CONSTANTS
    Producers,          \* the publishing threads; one if the ring is for a single producer
    Claims,             \* how many claims each of them makes
    Capacity,
    Multi,              \* TRUE: claims move a word that also says CLOSED; FALSE: one producer with a handle
    ClosedInClaimWord,  \* TRUE: the end sets CLOSED in the claim word (many producers)
    OwnerFirst,         \* TRUE: the producer binds itself before it looks at the state (single producer)
    AsksProducer,       \* TRUE: drain asks whether the producer is quiescent (single producer)
    DeathFails,         \* TRUE: a consumer's death fails the ring
    RunsToTheEnd        \* TRUE: on a failure the other consumer handles what is published first

VARIABLES
    life,                       \* RUNNING, DRAINING, CLOSED, FAILED
    claimed, closedBit,         \* the claim word
    pc, made, word, open,       \* producers: where, claims made, the word as read, the open claim or -1
    owner, acknowledged,        \* single producer: its handle, as drain reads it
    published,                  \* the published sequences
    cpc, handled, halted,       \* consumers
    opc, left, gates, result,   \* the owner: where, open producers and progress as read, what drain said
    granted, reachable          \* ghosts: the claims when drain was done, what was published when the ring failed

vars == <<life, claimed, closedBit, pc, made, word, open, owner, acknowledged, published, cpc, handled, halted,
          opc, left, gates, result, granted, reachable>>

lifeVars == <<life, closedBit, reachable>>
producerVars == <<claimed, pc, made, word, open, owner, acknowledged, published>>
consumerVars == <<cpc, handled, halted>>
ownerVars == <<opc, left, gates, result, granted>>

Mortal == "c1"
Consumers == {Mortal, "c2"}

Min(S) == CHOOSE x \in S : \A y \in S : x <= y
Slowest == Min({handled[c] : c \in Consumers})

RECURSIVE Prefix(_)
Prefix(s) == IF s \in published THEN Prefix(s + 1) ELSE s - 1

Init ==
    /\ life = "RUNNING" /\ claimed = 0 /\ closedBit = FALSE
    /\ pc = [p \in Producers |-> "bind"]
    /\ made = [p \in Producers |-> 0]
    /\ word = [p \in Producers |-> 0]
    /\ open = [p \in Producers |-> -1]
    /\ owner = FALSE /\ acknowledged = FALSE
    /\ published = {}
    /\ cpc = [c \in Consumers |-> "look"]
    /\ handled = [c \in Consumers |-> -1]
    /\ halted = FALSE
    /\ opc = "start" /\ left = 0 /\ gates = -1 /\ result = "none yet" /\ granted = -1
    /\ reachable = -1

----------------------------------------------------------------------------
(* Producers                                                                *)

Go(p, where) == pc' = [pc EXCEPT ![p] = where]

(* The first claim binds the handle to its thread, before the state is read. *)
Bind(p) ==
    /\ pc[p] = "bind"
    /\ IF ~Multi /\ OwnerFirst THEN owner' = TRUE ELSE UNCHANGED owner
    /\ Go(p, "look")
    /\ UNCHANGED <<claimed, made, word, open, acknowledged, published, lifeVars, consumerVars, ownerVars>>

(* A thread that has made its claims ends, which drain can see.              *)
Look(p) ==
    /\ pc[p] = "look"
    /\ IF made[p] = Claims
       THEN /\ Go(p, "over")
            /\ UNCHANGED <<word, acknowledged>>
       ELSE IF (Multi /\ ClosedInClaimWord /\ closedBit) \/ (~(Multi /\ ClosedInClaimWord) /\ life # "RUNNING")
       THEN /\ Go(p, "over")                                \* refused
            /\ acknowledged' = (acknowledged \/ ~Multi)
            /\ UNCHANGED word
       ELSE /\ word' = [word EXCEPT ![p] = claimed]
            /\ Go(p, "room")
            /\ UNCHANGED acknowledged
    /\ UNCHANGED <<claimed, made, open, owner, published, lifeVars, consumerVars, ownerVars>>

(* No room: back to the look, which finds out whether the wait can end.      *)
Room(p) ==
    /\ pc[p] = "room"
    /\ Go(p, IF word[p] <= Slowest + Capacity THEN "grant" ELSE "look")
    /\ UNCHANGED <<claimed, made, word, open, owner, acknowledged, published, lifeVars, consumerVars, ownerVars>>

Grant(p) ==
    /\ pc[p] = "grant"
    /\ IF Multi /\ (claimed # word[p] \/ (ClosedInClaimWord /\ closedBit))
       THEN /\ Go(p, "look")                                \* the CAS has failed
            /\ UNCHANGED <<claimed, made, open, owner>>
       ELSE /\ claimed' = word[p] + 1
            /\ open' = [open EXCEPT ![p] = word[p]]
            /\ made' = [made EXCEPT ![p] = @ + 1]
            /\ owner' = (owner \/ ~Multi)
            /\ Go(p, "publish")
    /\ UNCHANGED <<word, acknowledged, published, lifeVars, consumerVars, ownerVars>>

Publish(p) ==
    /\ pc[p] = "publish"
    /\ published' = published \union {open[p]}
    /\ open' = [open EXCEPT ![p] = -1]
    /\ Go(p, "look")
    /\ UNCHANGED <<claimed, made, word, owner, acknowledged, lifeVars, consumerVars, ownerVars>>

----------------------------------------------------------------------------
(* Consumers                                                                 *)

Step(c, where) == cpc' = [cpc EXCEPT ![c] = where]

Handle(c) ==
    /\ cpc[c] = "look" /\ ~halted
    /\ handled[c] + 1 \in published
    /\ life = "FAILED" => RunsToTheEnd
    /\ handled' = [handled EXCEPT ![c] = @ + 1]
    /\ UNCHANGED <<cpc, halted, lifeVars, producerVars, ownerVars>>

Die ==
    /\ cpc[Mortal] = "look" /\ ~halted
    /\ handled[Mortal] + 1 \in published
    /\ Step(Mortal, "dead")
    /\ UNCHANGED <<handled, halted, lifeVars, producerVars, ownerVars>>

(* A dead consumer moves the life-cycle word, then closes the claims.        *)
Fail ==
    /\ cpc[Mortal] = "dead"
    /\ IF DeathFails /\ life \in {"RUNNING", "DRAINING"}
       THEN /\ life' = "FAILED"
            /\ reachable' = Prefix(0)
            /\ Step(Mortal, "failed")
       ELSE /\ UNCHANGED <<life, reachable>>
            /\ Step(Mortal, "ended")
    /\ UNCHANGED <<closedBit, handled, halted, producerVars, ownerVars>>

FailClaims ==
    /\ cpc[Mortal] = "failed"
    /\ closedBit' = TRUE
    /\ Step(Mortal, "ended")
    /\ UNCHANGED <<life, reachable, handled, halted, producerVars, ownerVars>>

End(c) ==
    /\ cpc[c] = "look"
    /\ \/ halted
       \/ life = "FAILED" /\ (RunsToTheEnd => handled[c] + 1 \notin published)
    /\ Step(c, IF halted THEN "halted" ELSE "ended")
    /\ UNCHANGED <<handled, halted, lifeVars, producerVars, ownerVars>>

----------------------------------------------------------------------------
(* The owner: drain, or not; then close                                      *)

OwnerGoes(where) == opc' = where

Drain ==
    /\ opc = "start"
    /\ life' = IF life = "RUNNING" THEN "DRAINING" ELSE life
    /\ OwnerGoes("drain claims")
    /\ UNCHANGED <<closedBit, reachable, left, gates, result, granted, producerVars, consumerVars>>

DrainClaims ==
    /\ opc = "drain claims"
    /\ closedBit' = TRUE
    /\ OwnerGoes("producers")
    /\ UNCHANGED <<life, reachable, left, gates, result, granted, producerVars, consumerVars>>

Quiescent == acknowledged \/ ~owner \/ \A p \in Producers : pc[p] = "over"

(* The order counts: producers, then consumers, then claims.                 *)
AskProducers ==
    /\ opc = "producers"
    /\ IF life \in {"FAILED", "CLOSED"}
       THEN /\ result' = "ended"
            /\ OwnerGoes("close")
            /\ UNCHANGED left
       ELSE /\ left' = IF Multi \/ ~AsksProducer \/ Quiescent THEN 0 ELSE 1
            /\ OwnerGoes("gates")
            /\ UNCHANGED result
    /\ UNCHANGED <<lifeVars, gates, granted, producerVars, consumerVars>>

AskConsumers ==
    /\ opc = "gates"
    /\ gates' = Slowest
    /\ OwnerGoes("claims")
    /\ UNCHANGED <<lifeVars, left, result, granted, producerVars, consumerVars>>

AskClaims ==
    /\ opc = "claims"
    /\ IF left = 0 /\ gates = claimed - 1
       THEN /\ result' = "drained"
            /\ granted' = claimed
            /\ OwnerGoes("close")
       ELSE /\ UNCHANGED <<result, granted>>
            /\ OwnerGoes("producers")
    /\ UNCHANGED <<lifeVars, left, gates, producerVars, consumerVars>>

Close ==
    /\ opc \in {"start", "close"}
    /\ life' = IF life = "FAILED" THEN life ELSE "CLOSED"
    /\ OwnerGoes("close claims")
    /\ UNCHANGED <<closedBit, reachable, left, gates, result, granted, producerVars, consumerVars>>

CloseClaims ==
    /\ opc = "close claims"
    /\ closedBit' = TRUE
    /\ OwnerGoes("halt")
    /\ UNCHANGED <<life, reachable, left, gates, result, granted, producerVars, consumerVars>>

Halt ==
    /\ opc = "halt"
    /\ halted' = TRUE
    /\ OwnerGoes("over")
    /\ UNCHANGED <<lifeVars, left, gates, result, granted, producerVars, cpc, handled>>

----------------------------------------------------------------------------
ProducerNext(p) == Bind(p) \/ Look(p) \/ Room(p) \/ Grant(p) \/ Publish(p)

(* Dying is possible, never due.                                             *)
ConsumerNext(c) == Handle(c) \/ End(c) \/ (c = Mortal /\ (Fail \/ FailClaims))

OwnerNext ==
    \/ Drain \/ DrainClaims \/ AskProducers \/ AskConsumers \/ AskClaims \/ Close \/ CloseClaims \/ Halt

Over ==
    /\ \A p \in Producers : pc[p] = "over"
    /\ \A c \in Consumers : cpc[c] \in {"ended", "halted"}
    /\ opc = "over"

Done == Over /\ UNCHANGED vars                  \* so that only a standstill before the end is a deadlock

Next ==
    \/ \E p \in Producers : ProducerNext(p)
    \/ \E c \in Consumers : ConsumerNext(c)
    \/ Die \/ OwnerNext \/ Done

Spec ==
    /\ Init /\ [][Next]_vars
    /\ \A p \in Producers : WF_vars(ProducerNext(p))
    /\ \A c \in Consumers : WF_vars(ConsumerNext(c))
    /\ WF_vars(OwnerNext)

(* What drain says is true, and stays so: all claims were handled by all.    *)
DrainIsExact == result = "drained" => claimed = granted /\ \A c \in Consumers : handled[c] = granted - 1

NeverMoreThanCapacity == claimed - 1 - Slowest <= Capacity

(* After a failure the other consumer handles what was published before it, unless close halts it. *)
SiblingsFinish == \A c \in Consumers \ {Mortal} : cpc[c] = "ended" => handled[c] >= reachable

(* Every publisher is released, drain and close return, every consumer ends. *)
EveryoneEnds == <>Over
=============================================================================
