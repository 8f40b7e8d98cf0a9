package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import org.objectweb.asm.Opcodes;

/** What is broken in the module backpressure. */
final class BackpressureRows extends Rows {
    private static final String LIMITER = "io.sluice.backpressure.MultiWriterLimiter";
    private static final String SINGLE = "io.sluice.backpressure.SingleWriterLimiter";

    BackpressureRows() {
        limiter();
        naks();
        bounds();
    }

    private void limiter() {
        jcstress("limiter-grant", Kind.CAS_TO_SET, "backpressure.LimiterGrantTest")
                .at(LIMITER, "isGrantedAtOnce")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
        lincheck("limiter-cas", Kind.CAS_TO_SET, "LimiterLincheckTest")
                .at(LIMITER, "isGrantedAtOnce")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
        junit(
                        "limiter-cas-after-the-clock",
                        Kind.RECHECK_REMOVED,
                        "backpressure.RateLimiterTest#whatIsTakenWhileTheClockIsReadIsNotGrantedAgain")
                .at(LIMITER, "isGranted")
                .call(HANDLE, "compareAndSet")
                .becomes(new Constant(1));
        lincheck("limiter-refused-at-once", Kind.RECHECK_REMOVED, "LimiterLincheckTest#acquiresAreAtomic")
                .at(LIMITER, "tryAcquire")
                .call("io/sluice/backpressure/MultiWriterLimiter", "isGranted")
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
                .at(LIMITER, "raised")
                .jump(Opcodes.IFLE)
                .becomes(new AlwaysJump());
        lincheck("limiter-one-short", Kind.OFF_BY_ONE, "LimiterLincheckTest#acquiresAreAtomic")
                .at(LIMITER, "isGranted")
                .jump(Opcodes.IFGE)
                .becomes(new OpcodeInstead(Opcodes.IFGT));
        junit(
                        "limiter-clock-steps-back",
                        Kind.RECHECK_REMOVED,
                        "backpressure.RateLimiterTest#stepsBackGrantNothingAndStallAtMostASecond")
                .at(LIMITER, "isGranted")
                .call("io/sluice/backpressure/MultiWriterLimiter", "steppedBack")
                .becomes(new Constant(0));
        junit("limiter-epoch-cas", Kind.CAS_TO_SET, "backpressure.RateLimiterTest#changesOfRateLoseAndGiveNothing")
                .at(LIMITER, "rateUnits")
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
