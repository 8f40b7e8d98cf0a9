package io.sluice.backpressure.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** A stream ends behind its last event, also if that is published while the publisher asks whether there will be another. */
class FlowEndTest {
    private final RingBuffer<long[]> ring =
            RingBufferBuilder.of(() -> new long[1]).capacity(8).singleProducer().build();
    private final EventPoller<long[]> poller = Pipeline.on(ring).poller("flow");
    private final Producer<long[]> producer = ring.producer();
    private final List<String> heard = new ArrayList<>();
    private Runnable beforeTheLookAtTheClaims = () -> {};

    private final class Hears implements Flow.Subscriber<Long> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Long item) {
            heard.add(item.toString());
        }

        @Override
        public void onError(Throwable throwable) {
            heard.add(throwable.toString());
        }

        @Override
        public void onComplete() {
            heard.add("complete");
        }
    }

    /** The ring, with something that happens just before whoever asks is told which claims are open. */
    private Ring watched() {
        return (Ring) Proxy.newProxyInstance(
                Ring.class.getClassLoader(), new Class<?>[] {Ring.class}, (proxy, method, args) -> {
                    if (method.getName().equals("leftover")) {
                        beforeTheLookAtTheClaims.run();
                    }
                    return method.invoke(ring, args);
                });
    }

    @Test
    void theLastEventOfADrainedRingIsDeliveredBeforeTheEndHoweverLateItComes() throws InterruptedException {
        RingFlowPublisher<long[], Long> publisher = new RingFlowPublisher<>(watched(), poller, event -> event[0]);
        publisher.subscribe(new Hears());
        long claimed = producer.next(1);
        Thread drainer = new Thread(() -> ring.drain(0));
        drainer.start();
        drainer.join();
        beforeTheLookAtTheClaims = () -> {
            producer.get(claimed)[0] = 5;
            producer.publish(claimed, claimed);
            producer.close();
            beforeTheLookAtTheClaims = () -> {};
        };
        for (int i = 0; i < 4; i++) {
            publisher.doWork();
        }
        assertThat(heard).containsExactly("5", "complete");
    }
}
