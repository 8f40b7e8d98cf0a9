package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import io.sluice.jcstress.twin.Change.ReadThenAdd;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import io.sluice.jcstress.twin.Change.SecondArgument;
import org.objectweb.asm.Opcodes;

/** What is broken in the module backpressure. */
final class BackpressureRows extends Rows {
    private static final String LIMITER = "io.sluice.backpressure.MultiWriterLimiter";
    private static final String COUNT = "io.sluice.backpressure.Count";
    private static final String CHANGES = "LimiterLincheckTest#changesOfRateLoseAndGiveNothing";
    private static final String SINGLE = "io.sluice.backpressure.SingleWriterLimiter";

    BackpressureRows() {
        limiter();
        naks();
        bounds();
    }

    private void limiter() {
        jcstress("limiter-grant", Kind.CAS_TO_SET, "backpressure.LimiterGrantTest")
                .at(LIMITER, "isGranted")
                .call(HANDLE, "compareAndSet")
                .number(2, 2)
                .becomes(new ReadThenSet());
        jcstress("limiter-stock", Kind.ADD_SPLIT, "backpressure.LimiterGrantTest")
                .at(LIMITER, "isOneGranted")
                .call(HANDLE, "getAndAdd")
                .becomes(new ReadThenAdd());
        lincheck("limiter-cas", Kind.CAS_TO_SET, "LimiterLincheckTest#acquiresAreAtomic")
                .at(LIMITER, "isGranted")
                .call(HANDLE, "compareAndSet")
                .number(2, 2)
                .becomes(new ReadThenSet());
        jcstress("limiter-several-of-the-stock", Kind.CAS_TO_SET, "backpressure.LimiterSeveralTest")
                .at(LIMITER, "isGranted")
                .call(HANDLE, "compareAndSet")
                .number(1, 2)
                .becomes(new ReadThenSet());
        junit(
                        "limiter-cas-after-the-clock",
                        Kind.RECHECK_REMOVED,
                        "backpressure.RateLimiterTest#whatIsTakenWhileTheClockIsReadIsNotGrantedAgain")
                .at(LIMITER, "isGranted")
                .call(HANDLE, "compareAndSet")
                .number(2, 2)
                .becomes(new Constant(1));
        junit(
                        "limiter-those-in-vain-counted-for-ever",
                        Kind.WRONG_BRANCH,
                        "backpressure.RateLimiterTest#thoseWhoComeInVainTakeNothing")
                .at(COUNT, "isFarBelow")
                .jump(Opcodes.IFGE)
                .becomes(new AlwaysJump());
        junit(
                        "limiter-debt-of-those-in-vain",
                        Kind.RECHECK_REMOVED,
                        "backpressure.RateLimiterTest#thoseWhoComeInVainTakeNothing")
                .at(COUNT, "inStock")
                .call("java/lang/Math", "max")
                .becomes(new SecondArgument());
        junit(
                        "limiter-credit-not-renewed",
                        Kind.RECHECK_REMOVED,
                        "backpressure.RateLimiterTest#neverMoreThanTheBurstAfterAnyIdleTime")
                .at(LIMITER, "isGranted")
                .call("io/sluice/backpressure/MultiWriterLimiter$Epoch", "earned")
                .becomes(new Constant(0));
    }

    private void naks() {
        jcstress("nak-upgrade", Kind.STEP_REMOVED, "backpressure.NakUpgradeTest")
                .at("io.sluice.backpressure.NakController", "onNak")
                .call("io/sluice/backpressure/Nak", "level")
                .number(1, 4)
                .becomes(new Constant(0));
    }

    private void bounds() {
        junit(
                        "limiter-stock-unbounded",
                        Kind.WRONG_BRANCH,
                        "backpressure.RateLimiterTest#neverMoreThanTheBurstAfterAnyIdleTime")
                .at(LIMITER, "granted")
                .call("io/sluice/backpressure/MultiWriterLimiter", "tooMuch")
                .becomes(new Constant(0));
        lincheck("limiter-one-short", Kind.OFF_BY_ONE, "LimiterLincheckTest#acquiresAreAtomic")
                .at(LIMITER, "isGranted")
                .jump(Opcodes.IFLT)
                .number(3, 3)
                .becomes(new OpcodeInstead(Opcodes.IFLE));
        junit(
                        "limiter-clock-steps-back",
                        Kind.RECHECK_REMOVED,
                        "backpressure.RateLimiterTest#stepsBackGrantNothingAndStallAtMostASecond")
                .at(LIMITER, "isGranted")
                .call("io/sluice/backpressure/MultiWriterLimiter", "hasSteppedBack")
                .becomes(new Constant(0));
        junit("limiter-epoch-cas", Kind.CAS_TO_SET, "backpressure.RateLimiterTest#changesOfRateLoseAndGiveNothing")
                .at(LIMITER, "replace")
                .call(HANDLE, "compareAndSet")
                .becomes(new Constant(1));
        junit(
                        "limiter-credit-not-forgotten",
                        Kind.STEP_REMOVED,
                        "backpressure.RateLimiterTest#changesOfRateEarnNoMoreThanTheBurst")
                .at(LIMITER, "goOn")
                .call(HANDLE, "compareAndSet")
                .becomes(new Constant(1));
        lincheck("limiter-anew-unnoticed", Kind.STEP_REMOVED, CHANGES)
                .at(LIMITER, "startAnew")
                .call(HANDLE, "compareAndSet")
                .becomes(new Constant(1));
        junit(
                        "single-limiter-stock-unbounded",
                        Kind.WRONG_BRANCH,
                        "backpressure.RateLimiterTest#neverMoreThanTheBurstAfterAnyIdleTime")
                .at(SINGLE, "refill")
                .jump(Opcodes.IFLE)
                .number(2, 2)
                .becomes(new AlwaysJump());
    }
}
