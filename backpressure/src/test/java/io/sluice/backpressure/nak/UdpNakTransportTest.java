package io.sluice.backpressure.nak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class UdpNakTransportTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final long STREAM = 77;

    private static Nak nak(long stream, long receiver) {
        return new Nak().set(stream, receiver, 1000, 500, 50, 1, 2, 3, 1);
    }

    /** Polls until that many packets were looked at. */
    private static List<Long> receive(UdpNakTransport transport, int packets) {
        List<Long> receivers = new ArrayList<>();
        int looked = 0;
        while (looked < packets) {
            looked += transport.receive(nak -> receivers.add(nak.receiver()), packets - looked);
            Thread.onSpinWait();
        }
        return receivers;
    }

    @Test
    void carriesNaksFromReceiverToSender() throws IOException {
        try (UdpNakTransport sender = UdpNakTransport.unicast(ANY, ANY, STREAM, 1 << 16);
                UdpNakTransport receiver = UdpNakTransport.unicast(ANY, sender.localAddress(), STREAM, 1 << 16)) {
            assertThat(sender.receiveBuffer()).isPositive();
            assertThat(sender.receive(nak -> {}, 10)).isZero();
            for (int i = 0; i < 5; i++) {
                assertThat(receiver.send(nak(STREAM, i))).isTrue();
            }
            assertThat(receive(sender, 5)).containsExactly(0L, 1L, 2L, 3L, 4L);
            assertThat(sender.packets(Nak.DecodeResult.ACCEPTED)).isEqualTo(5);
        }
    }

    @Test
    void carriesSignsOfLifeAndFarewells() throws IOException {
        try (UdpNakTransport sender = UdpNakTransport.unicast(ANY, ANY, STREAM, 1 << 16);
                UdpNakTransport receiver = UdpNakTransport.unicast(ANY, sender.localAddress(), STREAM, 1 << 16)) {
            receiver.send(nak(STREAM, 1).asSign(false));
            receiver.send(nak(STREAM, 2).asSign(true));
            List<String> heard = new ArrayList<>();
            while (heard.size() < 2) {
                sender.receive(nak -> heard.add(nak.receiver() + (nak.isFarewell() ? " leaves" : " lives")), 2);
                Thread.onSpinWait();
            }
            assertThat(heard).containsExactly("1 lives", "2 leaves");
            assertThat(sender.isListening()).isTrue();
        }
    }

    @Test
    void countsAndIgnoresWhatIsNoNakOfTheStream() throws IOException {
        try (UdpNakTransport sender = UdpNakTransport.unicast(ANY, ANY, STREAM, 1 << 16);
                DatagramChannel raw = DatagramChannel.open()) {
            ByteBuffer packet = ByteBuffer.allocate(Nak.LENGTH + 1);
            nak(STREAM, 1).encode(packet, 0);
            raw.send(packet.duplicate().limit(Nak.LENGTH - 1), sender.localAddress());
            raw.send(packet.duplicate(), sender.localAddress());
            raw.send(ByteBuffer.allocate(0), sender.localAddress());
            raw.send(ByteBuffer.allocate(Nak.LENGTH), sender.localAddress());
            packet.put(4, (byte) 9);
            raw.send(packet.duplicate().limit(Nak.LENGTH), sender.localAddress());
            nak(STREAM + 1, 1).encode(packet, 0);
            raw.send(packet.duplicate().limit(Nak.LENGTH), sender.localAddress());
            assertThat(receive(sender, 6)).isEmpty();
            assertThat(sender.packets(Nak.DecodeResult.TRUNCATED)).isEqualTo(2);
            assertThat(sender.packets(Nak.DecodeResult.OVERSIZED)).isEqualTo(1);
            assertThat(sender.packets(Nak.DecodeResult.FOREIGN)).isEqualTo(1);
            assertThat(sender.packets(Nak.DecodeResult.WRONG_VERSION)).isEqualTo(1);
            assertThat(sender.packets(Nak.DecodeResult.OTHER_STREAM)).isEqualTo(1);
        }
    }

    @Test
    void aGroupHearsItsMembers() throws IOException {
        NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        Assumptions.assumeTrue(loopback != null, "a loopback interface");
        int port;
        try (DatagramChannel free = DatagramChannel.open()) {
            free.bind(ANY);
            port = ((InetSocketAddress) free.getLocalAddress()).getPort();
        }
        InetSocketAddress group =
                new InetSocketAddress(InetAddress.getByAddress(new byte[] {(byte) 239, (byte) 255, 76, 67}), port);
        try (UdpNakTransport one = UdpNakTransport.multicast(group, loopback, STREAM, 1 << 16);
                UdpNakTransport other = UdpNakTransport.multicast(group, loopback, STREAM, 1 << 16)) {
            assertThat(one.send(nak(STREAM, 5))).isTrue();
            assertThat(receive(other, 1)).containsExactly(5L);
            assertThat(receive(one, 1)).containsExactly(5L);
        }
    }

    @Test
    void badSettingsAreRefused() {
        assertThatThrownBy(() -> UdpNakTransport.unicast(ANY, ANY, STREAM, 1023))
                .hasMessage("receiveBuffer must be from 1024 to 16777216, but was 1023");
        assertThatThrownBy(() -> UdpNakTransport.multicast(ANY, null, STREAM, 1024))
                .hasMessageContaining("group must be a resolved multicast address, but was");
    }

    /** They would throw at the first overload, on the thread that fills the queue. */
    @Test
    void aTargetThatNothingCanBeSentToIsRefused() throws IOException {
        for (InetSocketAddress target : List.of(
                InetSocketAddress.createUnresolved("nowhere.invalid", 4000),
                new InetSocketAddress(InetAddress.getByAddress(new byte[16]), 4000))) {
            assertThatThrownBy(() -> UdpNakTransport.unicast(ANY, target, STREAM, 4096))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("target must be a resolved IPv4 address, but was " + target);
        }
    }
}
