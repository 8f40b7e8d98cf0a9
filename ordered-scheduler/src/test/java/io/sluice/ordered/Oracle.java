package io.sluice.ordered;

import io.sluice.core.State;
import io.sluice.ordered.Programs.Answers;
import io.sluice.ordered.Programs.Call;
import io.sluice.ordered.Programs.Kind;
import io.sluice.ordered.Programs.Program;
import io.sluice.ordered.Programs.Runs;
import io.sluice.ordered.Programs.Stage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a program must do, by one thread that keeps maps and sets: what is called back, with what, and what each call
 * returns. It knows nothing of slots, words and turns.
 */
final class Oracle {
    /** What an executor has, before a wait that is over goes on in its stead. */
    private static final long EXECUTORS_TIME = 50_000;

    /** What passes before each call. */
    static final long STEP = 10;

    /** The deepest that calls from callbacks go. */
    private static final int DEEPEST = 4;

    /** A call with its numbers, and what must come of it. */
    static final class Step {
        final Call call;
        final int lane;
        final int stage;
        final long ticket;
        String result = "?";

        /** Whether it finds no room, and lets time pass. */
        boolean waits;

        Step(Call call, int lane, int stage, long ticket) {
            this.call = call;
            this.lane = lane;
            this.stage = stage;
            this.ticket = ticket;
        }

        @Override
        public String toString() {
            return call.kind() + " lane " + lane + " stage " + stage + " ticket " + ticket
                    + (call.fails() > 0 ? " fails " + call.fails() : "") + (call.error() ? " error" : "")
                    + (waits ? " " + call.time() : "");
        }
    }

    /** What waits for its turn. */
    record Item(String kind, int fails, boolean error, String cause) {
        Item(String kind, int fails, boolean error) {
            this(kind, fails, error, "its own");
        }

        /** Whether it was failed with what the stage has failed with. */
        boolean reported(StageState stage) {
            return cause.equals(stage.cause);
        }
    }

    static final class Lane {
        final List<StageState> stages = new ArrayList<>();
        final long first;
        long next;
        boolean announced;

        Lane(long first) {
            this.first = first;
            this.next = first;
        }

        long lowest() {
            return stages.stream().mapToLong(stage -> stage.head).min().orElseThrow();
        }
    }

    final class StageState {
        final Lane lane;
        final int number;
        final Stage setting;
        State life = State.RUNNING;
        String cause = "none";
        long head;
        final Map<Long, Item> waiting = new HashMap<>();
        final Set<Long> dead = new HashSet<>();
        final Map<Long, Long> clock = new HashMap<>();
        final Map<Long, Long> expiredOfSlot = new HashMap<>();
        boolean draining;
        long discarding = -1;
        long pending = -1;
        long givenAt;
        int missed;
        boolean giverInside;
        boolean taskKnown;
        boolean queued;
        boolean settled;
        long failed;
        long trashed;
        long expired;
        long discarded;
        boolean discardFailed;

        StageState(Lane lane, int number, Stage setting) {
            this.lane = lane;
            this.number = number;
            this.setting = setting;
            this.head = lane.first;
        }

        boolean ended() {
            return life == State.CLOSED || life == State.FAILED;
        }

        String name() {
            return lanes.indexOf(lane) + "." + number;
        }

        /** Whether its executor has had so much time. */
        boolean hasHad(long nanos) {
            return nanos == 0 || now - givenAt >= nanos;
        }

        @Nullable
        StageState after() {
            return number + 1 < lane.stages.size() ? lane.stages.get(number + 1) : null;
        }

        TicketTotals totals() {
            long handled = head - lane.first;
            long issued = external ? handled + discarded : lane.next - lane.first;
            return new TicketTotals(
                    issued,
                    Math.max(0, handled - failed - trashed - expired),
                    failed,
                    trashed,
                    expired,
                    discarded,
                    Math.max(0, issued - handled - discarded),
                    settled,
                    null);
        }
    }

    private final Program program;
    private final int window;
    private final boolean external;
    final List<Lane> lanes = new ArrayList<>();
    final List<String> log = new ArrayList<>();
    final List<Step> steps = new ArrayList<>();
    final List<Integer> callbacks = new ArrayList<>();
    int drainsRefusedForAStageBefore;
    int outcomesTooEarly;
    int helpsInTime;
    int helpsAtLast;
    int helpsFromAHandOver;
    int waitsTooShortToHelp;
    int expiriesByWaits;
    private int depth;
    private long now;

    Oracle(Program program) {
        this.program = program;
        this.window = program.setting().window();
        this.external = program.setting().mode() == TicketMode.EXTERNAL;
        for (int i = 0; i < program.setting().lanes(); i++) {
            Lane lane = new Lane(
                    external
                            ? program.setting().first()
                            : base(i) + program.setting().first());
            for (Stage stage : program.setting().stages()) {
                lane.stages.add(new StageState(lane, lane.stages.size(), stage));
            }
            lanes.add(lane);
        }
    }

    private long base(int lane) {
        return program.setting().lanes() == 1
                ? 0
                : lane * ((1L << 57) / program.setting().lanes());
    }

    void run() {
        program.outer().forEach(this::exec);
    }

    // ---- calls ----

    private void exec(Call call) {
        Lane lane = lanes.get(call.lane() % lanes.size());
        StageState stage = lane.stages.get(call.stage() % lane.stages.size());
        boolean first =
                call.kind() == Kind.TRY_NEXT || call.kind() == Kind.NEXT || call.kind() == Kind.GET_PROCESS_PUSH;
        if (first) {
            stage = external ? stage : lane.stages.get(0);
        }
        Step step = new Step(call, lanes.indexOf(lane), stage.number, ticket(call, stage));
        steps.add(step);
        now += STEP + call.time().before();
        step.result = result(step, lane, stage);
    }

    private long ticket(Call call, StageState stage) {
        Lane lane = stage.lane;
        if (call.ticket() % 16 == 15 && lanes.size() > 1) { // of another lane
            lane = lanes.get((lanes.indexOf(lane) + 1) % lanes.size());
        }
        StageState of = lane.stages.get(stage.number);
        long from = Math.max(lane.first - 1, of.head - 2);
        long to = external ? of.head + window + 1 : lane.next + 1;
        if (call.ticket() % 4 > 0 && call.kind() != Kind.TRY_NEXT && call.kind() != Kind.NEXT) { // an open one
            List<Long> open = new ArrayList<>();
            long end = external ? of.head + window : lane.next;
            for (long ticket = of.head; ticket < end; ticket++) {
                if (isOpen(of, ticket)) {
                    open.add(ticket);
                }
            }
            if (!open.isEmpty()) {
                return open.get(call.ticket() / 4 % open.size());
            }
        }
        return from + call.ticket() / 4 % (to - from + 1);
    }

    private static boolean isOpen(StageState stage, long ticket) {
        return ticket >= stage.head
                && !stage.waiting.containsKey(ticket)
                && !stage.dead.contains(ticket)
                && ticket != stage.discarding
                && !(stage.draining && ticket == stage.head);
    }

    private String result(Step step, Lane lane, StageState stage) {
        return switch (step.call.kind()) {
            case TRY_NEXT -> next(step, lane, stage, false);
            case NEXT -> await(step, lane, stage);
            case COMPLETE, RUN, FAIL, TRASH, HANDLE, FROM_STAGE -> completed(step, stage);
            case GET_PROCESS_PUSH -> external ? "skipped" : getProcessPush(step, lane, stage);
            case EXPIRE -> String.valueOf(expire(stage));
            case RUN_TASK -> runTask(stage);
            case DRAIN -> drained(stage);
            case CLOSE -> close(stage);
        };
    }

    private String next(Step step, Lane lane, StageState stage, boolean waits) {
        if (external && (step.ticket < lane.first || step.ticket > OrderedScheduler.MAX_TICKET)) {
            return "IllegalArgumentException";
        }
        if (stage.life != State.RUNNING) {
            return String.valueOf(endCode(stage));
        }
        long ticket = external ? step.ticket : lane.next;
        if (ticket - lane.lowest() >= window) {
            if (waits && waitsForItself(lane, ticket)) {
                return "SELF_DEADLOCK";
            }
            return String.valueOf(external || waits ? OrderedScheduler.TIMED_OUT : OrderedScheduler.FULL);
        }
        if (!external) {
            lane.next++;
        }
        if (step.call.kind() != Kind.GET_PROCESS_PUSH) { // its time begins when it has its input
            startClocks(stage, ticket);
        }
        return String.valueOf(ticket);
    }

    private boolean waitsForItself(Lane lane, long ticket) {
        return lane.stages.stream().anyMatch(stage -> stage.draining && ticket - stage.head >= window);
    }

    /** A wait: until there is room, an end, or the time is over. It helps executors and fails overdue tickets. */
    private String await(Step step, Lane lane, StageState stage) {
        String ticket = next(step, lane, stage, true);
        if (!ticket.equals(String.valueOf(OrderedScheduler.TIMED_OUT))) {
            return ticket;
        }
        step.waits = true;
        Programs.Wait wait = step.call.time();
        long start = now;
        if (wait.park() == 0) {
            now += wait.nanos();
        }
        boolean helped = false;
        for (int round = 0; ; round++) {
            long wanted = external ? step.ticket : lane.next;
            if (stage.life != State.RUNNING || wanted - lane.lowest() < window) {
                return next(step, lane, stage, true);
            }
            if (waitsForItself(lane, wanted)) {
                return "SELF_DEADLOCK";
            }
            if (now - start >= wait.nanos()) {
                boolean anew = !helped && helpAtLast(lane, stage, round);
                if (!anew) {
                    return String.valueOf(OrderedScheduler.TIMED_OUT);
                }
                helped = true;
                continue;
            }
            if (round > 0 && help(lane, 0)) {
                helpsInTime++;
                continue;
            }
            expireFrom(stage);
            if (stage.life == State.RUNNING && wanted - lane.lowest() >= window) {
                now += wait.park();
            }
        }
    }

    private boolean helpAtLast(Lane lane, StageState stage, int round) {
        boolean tooShort = lane.stages.stream().anyMatch(each -> each.pending >= 0 && !each.hasHad(EXECUTORS_TIME));
        waitsTooShortToHelp += tooShort ? 1 : 0;
        boolean goesOn = help(lane, EXECUTORS_TIME);
        helpsAtLast += goesOn ? 1 : 0;
        boolean expired = round == 0 && expireFrom(stage);
        return goesOn || expired;
    }

    /** Goes on in the stead of executors that have had so much time. */
    private boolean help(Lane lane, long nanos) {
        boolean helped = false;
        for (StageState each : lane.stages) {
            if (each.pending >= 0 && each.hasHad(nanos)) {
                helpsFromAHandOver += each.giverInside ? 1 : 0;
                resume(each);
                helped = true;
            }
        }
        return helped;
    }

    private boolean expireFrom(StageState from) {
        int expired = 0;
        for (StageState each = from; each != null; each = each.after()) {
            expired += expire(each);
        }
        expiriesByWaits += expired;
        return expired > 0;
    }

    private void startClocks(StageState from, long ticket) {
        for (StageState stage = from; stage != null; stage = stage.after()) {
            if (ticket >= stage.head && !stage.dead.contains(ticket)) {
                stage.clock.put(ticket, now | 1); // 0 stands for none
            }
        }
    }

    private static long endCode(StageState stage) {
        return stage.life == State.FAILED ? OrderedScheduler.FAILED : OrderedScheduler.CLOSED;
    }

    private String completed(Step step, StageState stage) {
        Call call = step.call;
        int fails = call.fails();
        return switch (call.kind()) {
            case COMPLETE, HANDLE -> finish(stage, step.ticket, new Item("value", fails, call.error()));
            case RUN -> finish(stage, step.ticket, new Item("task", fails, call.error()));
            case FAIL -> finish(stage, step.ticket, new Item("failure", fails, call.error()));
            case TRASH -> finish(stage, step.ticket, new Item("trash", 0, false)); // its handler knows only the ticket
            default -> {
                if (step.ticket < stage.lane.first || (!external && step.ticket >= stage.lane.next)) {
                    yield "NOT_ISSUED";
                }
                String done = finish(stage, step.ticket, new Item("value", fails, call.error()));
                yield List.of("EARLY", "LATE", "DUPLICATE", "IN_HAND").contains(done) ? done : "null";
            }
        };
    }

    private String getProcessPush(Step step, Lane lane, StageState stage) {
        boolean helps = help(lane, 0);
        while (helps) { // before it gets an input, and before it is found to wait for ever
            helps = help(lane, 0);
        }
        if (stage.life != State.RUNNING) {
            return endCode(stage) == OrderedScheduler.FAILED ? "FAILED" : "CLOSED";
        }
        String ticket = next(step, lane, stage, true);
        if (ticket.equals("SELF_DEADLOCK") || ticket.equals(String.valueOf(OrderedScheduler.TIMED_OUT))) {
            return ticket.equals("SELF_DEADLOCK") ? ticket : "skipped";
        }
        long number = Long.parseLong(ticket);
        switch (step.call.fails()) {
            case 1 -> { // the source is at its end
                finish(stage, number, new Item("trash", 0, false));
                return "false";
            }
            case 2 -> { // the source throws
                finish(stage, number, new Item("trash", 0, false));
                return "get";
            }
            case 3 -> { // the work throws
                startClocks(stage, number);
                String done = finish(stage, number, new Item("failure", 0, false));
                return step.call.error() ? "error" : refusal(done) ? done : "true";
            }
            default -> {
                startClocks(stage, number);
                String done = finish(stage, number, new Item("value", 0, false));
                return refusal(done) ? done : "true";
            }
        }
    }

    private static boolean refusal(String done) {
        return !done.equals("true") && !done.equals("false");
    }

    private String runTask(StageState stage) {
        if (!stage.taskKnown) {
            return "nothing";
        }
        run(stage);
        return "ran";
    }

    private void run(StageState stage) {
        stage.queued = false;
        if (stage.giverInside) {
            stage.giverInside = false;
            return;
        }
        if (stage.pending >= 0) {
            resume(stage);
        }
    }

    private void resume(StageState stage) {
        stage.pending = -1;
        stage.draining = true;
        drainBehind(stage, 0);
    }

    private String drained(StageState stage) {
        drainAll(stage.lane);
        if (isDrained(stage)) {
            return "true";
        }
        // what is left here may have to come through the stages before
        List<StageState> upToHere = stage.lane.stages.subList(0, stage.number + 1);
        if (stage.ended() || upToHere.stream().noneMatch(each -> each.draining)) {
            return "false";
        }
        drainsRefusedForAStageBefore += stage.draining ? 0 : 1;
        return "SELF_DEADLOCK";
    }

    private boolean isDrained(StageState stage) {
        if (!external) {
            return stage.head >= stage.lane.next;
        }
        for (long ticket = stage.head; ticket < stage.head + window; ticket++) {
            if (!isOpen(stage, ticket)) {
                return false;
            }
        }
        return true;
    }

    private static void drainAll(Lane lane) {
        for (StageState stage : lane.stages) {
            if (stage.life == State.RUNNING) {
                stage.life = State.DRAINING;
            }
        }
    }

    private String close(StageState stage) {
        if (!stage.ended()) {
            stage.life = State.CLOSED;
        }
        drainAll(stage.lane);
        stage.lane.announced = true;
        if (stage.settled || stage.draining) {
            return "closed";
        }
        stage.draining = true;
        if (stage.pending >= 0) {
            long ticket = stage.pending;
            stage.pending = -1;
            discardSlot(stage, ticket);
            discardBehind(stage, ticket);
        } else {
            stage.dead.add(stage.head);
            discardBehind(stage, stage.head);
        }
        return "closed";
    }

    private int expire(StageState stage) {
        if (!stage.setting.timed()) {
            return 0;
        }
        long time = now;
        long head = stage.head;
        long end = external ? head + window : Math.min(stage.lane.next, head + window);
        int count = 0;
        for (long ticket = head; ticket < end; ticket++) {
            Long since = stage.clock.get(ticket);
            if (isOpen(stage, ticket) && since != null && time - since > 1) {
                stage.expiredOfSlot.put(ticket & (window - 1), ticket);
                finish(stage, ticket, new Item("expired", 0, false));
                count++;
            }
        }
        return count;
    }

    // ---- the order ----

    /** Whether this call delivered, or why it was refused. */
    private String finish(StageState stage, long ticket, Item item) {
        Lane lane = stage.lane;
        if (ticket < lane.first || (external ? ticket > OrderedScheduler.MAX_TICKET : ticket >= lane.next)) {
            return "NOT_ISSUED";
        }
        boolean expired = Long.valueOf(ticket).equals(stage.expiredOfSlot.get(ticket & (window - 1)));
        if (ticket < stage.head) {
            return expired && !item.kind.equals("expired") ? "EXPIRED" : "LATE";
        }
        if (ticket >= stage.head + window) {
            return stage.ended() ? ended(stage) : "EARLY";
        }
        if (stage.dead.contains(ticket)) {
            return ended(stage);
        }
        if (!isOpen(stage, ticket)) {
            boolean handled = stage.draining && ticket == stage.head;
            return handled && stage.ended() ? "IN_HAND" : expired ? "EXPIRED" : "DUPLICATE";
        }
        if (ticket == stage.head && !stage.draining && stage.pending < 0) {
            stage.draining = true;
            drain(stage, ticket, item);
            return "true";
        }
        stage.waiting.put(ticket, item);
        return "false";
    }

    private static String ended(StageState stage) {
        return stage.life == State.FAILED ? "FAILED" : "CLOSED";
    }

    private void drain(StageState stage, long ticket, Item item) {
        if (stage.ended()) {
            discard(stage, ticket, item);
            return;
        }
        deliver(stage, ticket, item);
        stage.clock.remove(ticket);
        stage.head++;
        if (stage.waiting.containsKey(stage.head)) {
            drainBehind(stage, 1);
        } else {
            turnPassed(stage);
        }
    }

    private void drainBehind(StageState stage, int before) {
        int run = before;
        while (true) {
            long ticket = stage.head;
            if (!stage.waiting.containsKey(ticket)) {
                turnPassed(stage);
                return;
            }
            if (stage.setting.limit() > 0 && run >= stage.setting.limit()) {
                if (give(stage, ticket)) {
                    return;
                }
                run = 0;
            }
            Item item = stage.waiting.remove(ticket);
            if (stage.ended()) {
                discard(stage, ticket, item);
                return;
            }
            deliver(stage, ticket, item);
            stage.clock.remove(ticket);
            stage.head++;
            run++;
        }
    }

    private void turnPassed(StageState stage) {
        stage.draining = false;
        boolean mayTakeBack = !program.setting().unchecked() || stage.number > 0 || stage.life == State.CLOSED;
        if (stage.lane.announced && stage.ended() && mayTakeBack) {
            stage.draining = true;
            stage.dead.add(stage.head);
            discardBehind(stage, stage.head);
        }
    }

    /** Whether the role is with the executor now. */
    private boolean give(StageState stage, long ticket) {
        stage.draining = false;
        stage.giverInside = true;
        stage.pending = ticket;
        stage.givenAt = now;
        stage.taskKnown = true;
        stage.missed = stage.queued ? stage.missed + 1 : 0;
        boolean again = stage.missed >= 4 && Integer.bitCount(stage.missed) == 1; // it may have dropped the task
        boolean threw = (!stage.queued || again) && execute(stage, ticket);
        boolean back = threw || !stage.giverInside;
        stage.giverInside = false;
        if (back && stage.pending == ticket) {
            stage.pending = -1;
            stage.draining = true;
            return false;
        }
        return true;
    }

    /** The executor gets the task; true if it throws. */
    private boolean execute(StageState stage, long ticket) {
        stage.queued = true;
        callback("execute " + stage.name() + " " + ticket);
        Runs runs = stage.setting.runs();
        switch (runs) {
            case AT_ONCE, AT_ONCE_THEN_THROWS -> run(stage);
            case TWICE, TWICE_THEN_THROWS -> {
                run(stage);
                run(stage);
            }
            default -> {}
        }
        boolean threw = runs == Runs.REFUSED
                || runs == Runs.AT_ONCE_THEN_THROWS
                || runs == Runs.LATER_AND_THROWS
                || runs == Runs.TWICE_THEN_THROWS;
        stage.queued &= !threw;
        return threw;
    }

    private void discard(StageState stage, long ticket, Item item) {
        discardItem(stage, ticket, item);
        stage.dead.add(ticket);
        discardBehind(stage, ticket);
    }

    private void discardBehind(StageState stage, long ticket) {
        for (long behind = ticket + 1; behind < ticket + window; behind++) {
            discardSlot(stage, behind);
        }
        stage.draining = false;
        stage.settled = true;
    }

    private void discardSlot(StageState stage, long ticket) {
        Item item = stage.waiting.remove(ticket);
        if (item != null) {
            stage.discarding = ticket;
            discardItem(stage, ticket, item);
            stage.discarding = -1;
        }
        stage.dead.add(ticket);
    }

    private void discardItem(StageState stage, long ticket, Item item) {
        stage.discarded++;
        stage.discardFailed |= stage.setting.throwsOnDiscard();
        callback("discarded " + stage.name() + " " + ticket + " " + (item.kind.equals("value") ? "value" : "null"));
        boolean failure = item.kind.equals("failure") || item.kind.equals("expired");
        if (failure && !item.reported(stage)) {
            log.add("unheard " + stage.name() + " " + ticket);
        }
    }

    // ---- one ticket's turn ----

    private void deliver(StageState stage, long ticket, Item item) {
        for (int attempt = 1; ; attempt++) {
            String kind = item.kind.equals("expired") ? "failure" : item.kind;
            callback(kind + " " + stage.name() + " " + ticket + " attempt " + attempt);
            if (item.fails < attempt) {
                if (!item.kind.equals("value") && !item.kind.equals("task")) {
                    countEnd(stage, ticket, item);
                }
                return;
            }
            String cause = (item.error ? "AssertionError " : "IllegalStateException ") + stage.name() + " " + ticket
                    + " " + attempt;
            log.add("policy " + stage.name() + " " + ticket + " attempt " + attempt + " " + cause);
            Answers answers = item.error ? Answers.HALT : answer(stage.setting.answers(), attempt);
            if (answers == Answers.SKIP) {
                countEndAfterFailure(stage, ticket, item, cause);
                return;
            }
            if (answers != Answers.RETRY) {
                failUpTo(stage, cause);
                countEndAfterFailure(stage, ticket, item, cause);
                failUpTo(stage.lane.stages.get(stage.lane.stages.size() - 1), cause);
                stage.lane.announced = true;
                log.add("halted " + stage.name() + " " + ticket + " " + cause);
                return;
            }
            if (stage.ended()) {
                countEndAfterFailure(stage, ticket, item, cause);
                log.add("given up " + stage.name() + " " + ticket + " " + cause);
                return;
            }
        }
    }

    /** What the policy's answer comes to. */
    static Answers answer(Answers answers, int attempt) {
        return switch (answers) {
            case SKIP -> Answers.SKIP;
            case RETRY_THEN_SKIP -> attempt <= 2 ? Answers.RETRY : Answers.SKIP;
            case RETRY_THEN_HALT -> attempt <= 2 ? Answers.RETRY : Answers.HALT;
            case RETRY -> attempt < Programs.ATTEMPTS ? Answers.RETRY : Answers.SKIP;
            default -> Answers.HALT;
        };
    }

    private static void failUpTo(StageState last, String cause) {
        String kept = cause;
        for (StageState stage : last.lane.stages) {
            if (stage.ended()) {
                kept = stage.life == State.FAILED ? stage.cause : kept;
            } else {
                stage.life = State.FAILED;
                stage.cause = kept;
            }
            if (stage == last) {
                return;
            }
        }
    }

    private void countEndAfterFailure(StageState stage, long ticket, Item item, String cause) {
        boolean delivered = item.kind.equals("value") || item.kind.equals("task");
        countEnd(stage, ticket, delivered ? new Item("failure", 0, false, cause) : item);
    }

    private void countEnd(StageState stage, long ticket, Item item) {
        StageState after = stage.after();
        switch (item.kind) {
            case "trash" -> stage.trashed++;
            case "expired" -> stage.expired++;
            default -> stage.failed++;
        }
        Item outcome = new Item(item.kind.equals("trash") ? "trash" : "failure", 0, false, item.cause);
        if (after != null && finish(after, ticket, outcome).equals("EARLY") && !stage.ended()) {
            String cause = "IllegalStateException ticket " + ticket + " must lie within the window of " + window
                    + ", but the first ticket that is not handled is " + after.head;
            failUpTo(stage.lane.stages.get(stage.lane.stages.size() - 1), cause);
            stage.lane.announced = true;
            log.add("halted " + stage.name() + " " + ticket + " " + cause);
            outcomesTooEarly++;
        }
    }

    private void callback(String line) {
        int number = callbacks.size();
        log.add(line);
        callbacks.add(0);
        if (depth < DEEPEST && number < program.inner().size()) {
            List<Call> calls = program.inner().get(number);
            callbacks.set(number, calls.size());
            depth++;
            calls.forEach(this::exec);
            depth--;
        }
    }
}
