/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"

#include "ns3/rdma-work-request.h"
#include "ns3/roce-compat.h"
#include "ns3/roce-frame.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MIDDLE = RoceFabricFixture::MIDDLE; //!< overhead of a middle packet, bytes
constexpr uint32_t FIRST = RoceFabricFixture::FIRST;   //!< the same with RETH
constexpr uint32_t ACK = RoceFabricFixture::ACK;       //!< frame of an acknowledgment, bytes

/**
 * @ingroup roce-tests
 * @brief Note the true arrival time of every data packet at a host.
 * @param fabric the fabric
 * @param host the host
 * @param end end of its cable that it sits at
 * @param [out] arrivals arrival times, picoseconds; must outlive the run
 */
void
RecordArrivals(RoceFabricFixture& fabric, uint32_t host, uint8_t end, std::vector<RocePs>& arrivals)
{
    fabric.GetCable(host)->SetScript([&arrivals, end](const RoceFrame& frame, uint8_t from) {
        if (from != end && RoceScriptedChannel::IsData(frame))
        {
            arrivals.push_back(frame.time);
        }
        return RoceScriptedChannel::PASS;
    });
}

/**
 * @ingroup roce-tests
 * @brief One 1 MiB WRITE through one store-and-forward switch (scenario P1).
 *
 * 256 packets of 4096 B. The first one is 16 B longer (RETH), so packet 1 waits for it at the
 * switch, and from then on the switch sends back to back:
 *
 *   start of packet k at the switch = Flight(first) + Slot(first) + (k - 1) Slot(middle), k > 0
 *   arrival of the last = that + Flight(middle) = 334.56 + 335.52 + 254 x 334.24 + 333.28 + 2000 ns
 *                       = 87,900.32 ns
 *   completion = that + 2 Flight(ACK) = that + 2 x (5.92 + 1000) ns = 89,912.16 ns
 */
class RoceOneMebibyteTestCase : public TestCase
{
  public:
    RoceOneMebibyteTestCase()
        : TestCase("1 MiB WRITE through one switch")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(4096));
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        std::vector<RocePs> arrivals;
        RecordArrivals(fabric, 1, 0, arrivals);
        qps.first->PostSend(RdmaWorkRequest::Write(1 << 20));
        Simulator::Run();

        const RocePs last = fabric.Flight(FIRST + 4096) + fabric.Slot(FIRST + 4096) +
                            254 * fabric.Slot(MIDDLE + 4096) + fabric.Flight(MIDDLE + 4096);
        const RocePs done = last + 2 * fabric.Flight(ACK);
        NS_TEST_ASSERT_MSG_EQ(arrivals.size(), 256, "one packet per 4096 B");
        NS_TEST_EXPECT_MSG_EQ(arrivals.back(), last, "arrival of the last byte, ps");
        NS_TEST_EXPECT_MSG_EQ(last, 87'900'320, "the derivation above");
        NS_TEST_EXPECT_MSG_EQ_TOL(last, 87'900'960, 87'900, "the published value +-0.1 %");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetLastMessageTime(),
                              PicoSeconds(last),
                              "the receiver's clock");
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(2);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "one completion");
        NS_TEST_EXPECT_MSG_EQ(completions[0].completed, PicoSeconds(done), "completion");
        NS_TEST_EXPECT_MSG_EQ(completions[0].status, RdmaWcStatus::SUCCESS, "status");
        NS_TEST_EXPECT_MSG_EQ(completions[0].byteLength, 1 << 20, "length");
        NS_TEST_EXPECT_MSG_EQ_TOL(done, 89'914'720, 89'915, "the published value +-0.1 %");
    }
};

/**
 * @ingroup roce-tests
 * @brief Goodput of a long WRITE is that of the framing, to the picosecond.
 *
 * Overhead of a middle packet on the wire is 62 + 20 B, 4 B more with a VLAN tag, 20 B more with
 * IPv6; so each packet follows the one before in Slot(payload + overhead). The percentages are
 * the published ones (InfiniBand and IEEE 802 framing).
 */
class RoceGoodputTestCase : public TestCase
{
  public:
    /// One way to frame.
    struct Setup
    {
        std::string rate; //!< line rate
        uint32_t pathMtu; //!< payload of a packet, bytes
        bool vlan;        //!< with a VLAN tag
        bool ipv6;        //!< IPv6 in place of IPv4
        double percent;   //!< goodput, percent of the line rate
    };

    /**
     * @param setup the way to frame
     * @param bytes message length
     */
    RoceGoodputTestCase(const Setup& setup, uint64_t bytes)
        : TestCase("goodput at " + setup.rate + ", path MTU " + std::to_string(setup.pathMtu) +
                   (setup.vlan ? ", VLAN" : "") + (setup.ipv6 ? ", IPv6" : "") + ", " +
                   std::to_string(bytes) + " B"),
          m_setup(setup),
          m_bytes(bytes)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric(m_setup.rate);
        fabric.useIpv6 = m_setup.ipv6;
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(m_setup.pathMtu));
        fabric.roce.SetEngineAttribute("VlanId", UintegerValue(m_setup.vlan ? 100 : 0));
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        std::vector<RocePs> arrivals;
        RecordArrivals(fabric, 1, 0, arrivals);
        qps.first->PostSend(RdmaWorkRequest::Write(m_bytes));
        Simulator::Run();

        const uint32_t overhead = MIDDLE + (m_setup.vlan ? 4 : 0) + (m_setup.ipv6 ? 20 : 0);
        const RocePs slot = fabric.Slot(m_setup.pathMtu + overhead);
        NS_TEST_ASSERT_MSG_EQ(arrivals.size(), m_bytes / m_setup.pathMtu, "packets");
        // Packet 1 waits for the longer packet 0 at the switch; from there on the spacing is even.
        const std::size_t n = arrivals.size() - 2;
        NS_TEST_EXPECT_MSG_EQ(arrivals.back() - arrivals[1],
                              static_cast<RocePs>(n) * slot,
                              "time between the arrivals of packet 1 and the last, ps");
        uint64_t tooEarly = 0;
        for (std::size_t i = 2; i < arrivals.size(); i++)
        {
            tooEarly += arrivals[i] - arrivals[i - 1] < slot ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(tooEarly, 0, "never above the line rate");
        const double percent = 100.0 * n * m_setup.pathMtu * 8 * 1e12 /
                               (arrivals.back() - arrivals[1]) /
                               DataRate(m_setup.rate).GetBitRate();
        NS_TEST_EXPECT_MSG_EQ_TOL(percent, m_setup.percent, 1e-4, "goodput, percent");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().bytesReceived, m_bytes, "all arrived");
        // The whole transfer, latency of the first packet aside: the same +-0.1 %.
        const double whole = 100.0 * (m_bytes - m_setup.pathMtu) * 8 * 1e12 /
                             (arrivals.back() - arrivals[0]) / DataRate(m_setup.rate).GetBitRate();
        NS_TEST_EXPECT_MSG_EQ_TOL(whole, m_setup.percent, 0.1, "goodput of the transfer, percent");
    }

    Setup m_setup;    //!< the way to frame
    uint64_t m_bytes; //!< message length
};

/**
 * @ingroup roce-tests
 * @brief Every rate is exact: n packets take n times the bits of one, also where one does not take
 * a whole number of picoseconds (30 Gb/s: 1106 B in 294,933.3 ps).
 */
class RoceRateTestCase : public TestCase
{
  public:
    /// @param rate line rate, bit/s
    explicit RoceRateTestCase(uint64_t rate)
        : TestCase("line rate " + std::to_string(rate) + " bps"),
          m_rate(rate)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric(std::to_string(m_rate) + "bps");
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        std::vector<RocePs> arrivals;
        RecordArrivals(fabric, 1, 1, arrivals);
        constexpr uint64_t PACKETS = 3000;
        qps.first->PostSend(RdmaWorkRequest::Write(PACKETS * 1024));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(arrivals.size(), PACKETS, "packets");
        // 1106 B on the wire. The first packet differs, so count from the second.
        const auto bits = static_cast<uint64_t>((PACKETS - 2) * (MIDDLE + 1024 + 20) * 8);
        const auto exact = static_cast<RocePs>(bits * static_cast<long double>(1e12) / m_rate);
        NS_TEST_EXPECT_MSG_EQ_TOL(arrivals.back() - arrivals[1],
                                  exact,
                                  1,
                                  "no drift, whatever the rate, ps");
    }

    uint64_t m_rate; //!< line rate, bit/s
};

/**
 * @ingroup roce-tests
 * @brief Latency of a message over H links of 1 us, store and forward or cut through.
 *
 * With ser(n) = n + 8 byte times (preamble counted), spacing of packets Slot(n) = n + 20 byte times
 * and head = 64 + 8 byte times, for m equal packets:
 *
 *   store and forward  H (ser + 1 us) + (H - 1) switch + (m - 1) Slot
 *   cut through        ser + H x 1 us + (H - 1) (switch + head) + (m - 1) Slot
 *
 * SENDs are used, whose packets are all equal (no RETH).
 */
class RoceLatencyTestCase : public TestCase
{
  public:
    /// One path and message.
    struct Setup
    {
        std::string rate;    //!< line rate
        uint32_t links;      //!< number of links
        uint32_t frameBytes; //!< length of each frame with FCS
        uint32_t packets;    //!< packets of the message
        bool cutThrough;     //!< switches cut through
        int64_t switchNs;    //!< latency of each switch, ns
        double publishedUs;  //!< published closed form without preambles, us; 0: none
    };

    /// @param setup the path and message
    explicit RoceLatencyTestCase(const Setup& setup)
        : TestCase(std::to_string(setup.links) + " links, " + std::to_string(setup.packets) +
                   " x " + std::to_string(setup.frameBytes) + " B at " + setup.rate +
                   (setup.cutThrough ? ", cut through" : ", store and forward")),
          m_setup(setup)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric(m_setup.rate);
        const uint32_t payload = m_setup.frameBytes - MIDDLE;
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(payload));
        fabric.Chain(m_setup.links - 1);
        for (uint32_t i = 0; i < m_setup.links - 1; i++)
        {
            for (uint16_t port = 0; port < 2; port++)
            {
                auto device = fabric.GetSwitch(i)->GetPort(port);
                device->SetAttribute("CutThroughBytes", UintegerValue(m_setup.cutThrough ? 64 : 0));
                device->SetAttribute("PipelineDelay", TimeValue(NanoSeconds(m_setup.switchNs)));
            }
        }
        const auto qps = fabric.Connect(0, 1);
        std::vector<RocePs> arrivals;
        RecordArrivals(fabric, 1, 1, arrivals);
        const uint64_t bytes = uint64_t{payload} * m_setup.packets;
        qps.second->PostReceive({1, bytes});
        qps.first->PostSend(RdmaWorkRequest::Send(bytes, 7));
        Simulator::Run();

        const RocePs microsecond = 1'000'000;
        const uint32_t hops = m_setup.links;
        const RocePs ser = fabric.ByteTimes(m_setup.frameBytes + 8);
        const RocePs head = m_setup.cutThrough ? fabric.ByteTimes(64 + 8) : ser;
        const RocePs expected = ser + hops * microsecond +
                                (hops - 1) * (head + m_setup.switchNs * 1000) +
                                (m_setup.packets - 1) * fabric.Slot(m_setup.frameBytes);
        NS_TEST_ASSERT_MSG_EQ(arrivals.size(), m_setup.packets, "packets");
        NS_TEST_EXPECT_MSG_EQ(arrivals.back(), expected, "arrival of the last byte, ps");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetLastMessageTime(),
                              PicoSeconds(expected),
                              "the receiver's clock");
        if (m_setup.publishedUs > 0)
        {
            // The published numbers leave out the preamble, 8 B per serialization.
            const double preambles = 8.0 * fabric.ByteTimes(1) * hops;
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(expected),
                                      m_setup.publishedUs * 1e6 + preambles,
                                      2000.0,
                                      "the published closed form +-2 ns");
        }
        const auto received = qps.second->GetReceiveCompletionQueue()->Poll(2);
        NS_TEST_ASSERT_MSG_EQ(received.size(), 1, "one receive completion");
        NS_TEST_EXPECT_MSG_EQ(received[0].completed, PicoSeconds(expected), "its time");
        NS_TEST_EXPECT_MSG_EQ(received[0].byteLength, bytes, "its length");
    }

    Setup m_setup; //!< the path and message
};

/**
 * @ingroup roce-tests
 * @brief Messages of a few bytes: one packet, done after one round trip to the picosecond
 * (scenario P24).
 *
 * A frame is at least 64 B, and payload is padded to a multiple of four; a SEND has 62 B around its
 * payload, a WRITE 78 B. Round trip through one switch: 2 Flight(frame) + 2 Flight(ACK).
 */
class RoceTinyMessageTestCase : public TestCase
{
  public:
    /**
     * @param send SEND (true) or WRITE (false)
     * @param bytes message length
     * @param frameBytes length of its frame
     */
    RoceTinyMessageTestCase(bool send, uint64_t bytes, uint32_t frameBytes)
        : TestCase(std::string(send ? "SEND" : "WRITE") + " of " + std::to_string(bytes) + " B"),
          m_send(send),
          m_bytes(bytes),
          m_frameBytes(frameBytes)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        std::vector<RocePs> arrivals;
        RecordArrivals(fabric, 1, 0, arrivals);
        qps.second->PostReceive({1, 4});
        qps.first->PostSend(m_send ? RdmaWorkRequest::Send(m_bytes)
                                   : RdmaWorkRequest::Write(m_bytes));
        Simulator::Run();

        const RocePs there = 2 * fabric.Flight(m_frameBytes);
        const RocePs roundTrip = there + 2 * fabric.Flight(ACK);
        NS_TEST_ASSERT_MSG_EQ(arrivals.size(), 1, "one packet");
        NS_TEST_EXPECT_MSG_EQ(arrivals[0], there, "its arrival, ps");
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(2);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "one completion");
        NS_TEST_EXPECT_MSG_EQ(completions[0].completed - completions[0].posted,
                              PicoSeconds(roundTrip),
                              "completion time is one round trip");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().packetsSent, 1, "packets sent");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().messagesReceived, 1, "messages received");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetReceiveCompletionQueue()->GetTotal(),
                              (m_send ? 1 : 0),
                              "a SEND takes a buffer, a WRITE does not");
    }

    bool m_send;           //!< SEND or WRITE
    uint64_t m_bytes;      //!< message length
    uint32_t m_frameBytes; //!< length of its frame
};

/**
 * @ingroup roce-tests
 * @brief 1499 hosts send one packet each to the last host of a 1500-port switch (scenario P12).
 *
 * All packets arrive at the switch at the same instant and leave one after another:
 * last arrival = Flight + 1498 Slot + Flight = 1334.56 + 1498 x 335.52 + 1334.56 ns = 505.278 us.
 */
class RoceManyPortsTestCase : public TestCase
{
  public:
    RoceManyPortsTestCase()
        : TestCase("1499 to 1 on a switch with 1500 ports")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t HOSTS = 1500;
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(4096));
        // 1499 frames of 4174 B are 6.26 MB. Headroom for long cables is not the point here.
        fabric.roce.SetBufferAttribute("TotalBytes", UintegerValue(7'000'000));
        fabric.roce.SetBufferAttribute("Reserve", UintegerValue(0));
        fabric.roce.SetHeadroom(0);
        fabric.Star(HOSTS);
        std::vector<Ptr<RdmaQueuePair>> senders;
        for (uint32_t i = 1; i < HOSTS; i++)
        {
            senders.push_back(fabric.Connect(i, 0).first);
        }
        std::vector<RocePs> arrivals;
        RecordArrivals(fabric, 0, 0, arrivals);
        for (auto& qp : senders)
        {
            qp->PostSend(RdmaWorkRequest::Write(4096));
        }
        Simulator::Run();

        const RocePs last = 2 * fabric.Flight(FIRST + 4096) + 1498 * fabric.Slot(FIRST + 4096);
        NS_TEST_ASSERT_MSG_EQ(arrivals.size(), HOSTS - 1, "all packets arrive");
        NS_TEST_EXPECT_MSG_EQ(arrivals.back(), last, "arrival of the last one, ps");
        NS_TEST_EXPECT_MSG_EQ_TOL(last, 505'300'000, 2'500'000, "the published value +-0.5 %");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch()->GetTotalDrops(true), 0, "lossless drops");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch()->GetTotalDrops(false), 0, "lossy drops");
        uint64_t completed = 0;
        for (auto& qp : senders)
        {
            completed += qp->GetCounters().completed;
        }
        NS_TEST_EXPECT_MSG_EQ(completed, HOSTS - 1, "all complete");
    }
};

/**
 * @ingroup roce-tests
 * @brief One WRITE of 4 GiB + 4096 B at 400 Gb/s (scenario P3): no count is cut to 32 bits.
 *
 * InfiniBand limits a message to 2^31 B, so it is carried by two of these and one of 4096 B, with
 * a RETH each. Send time = 1,048,577 slots of 4178 B + 3 x 16 B = 87.62 ms.
 */
class RoceHugeMessageTestCase : public TestCase
{
  public:
    RoceHugeMessageTestCase()
        : TestCase("WRITE of 4 GiB + 4096 B")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t BYTES = (uint64_t{1} << 32) + 4096;
        RoceFabricFixture fabric("400Gbps");
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(4096));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        RocePs last = 0;
        uint64_t payload = 0;
        std::vector<uint64_t> addresses;
        std::vector<uint64_t> lengths;
        fabric.GetCable(0)->SetScript([&](const RoceFrame& frame, uint8_t) {
            if (RoceScriptedChannel::IsData(frame))
            {
                last = frame.time;
                payload += frame.payloadBytes;
                if (RdmaOpcode::IsFirst(frame.opcode) || RdmaOpcode::IsOnly(frame.opcode))
                {
                    addresses.push_back(frame.remoteAddress);
                    lengths.push_back(frame.dmaLength);
                }
            }
            return RoceScriptedChannel::PASS;
        });
        auto request = RdmaWorkRequest::Write(BYTES);
        request.remoteAddress = 0x7f00'0000'1000;
        qps.first->PostSend(request);
        Simulator::Run();

        constexpr uint64_t PACKETS = BYTES / 4096;
        // All slots, without the gap after the last packet.
        const RocePs expected =
            fabric.ByteTimes(BYTES + PACKETS * (MIDDLE + 20) + 3 * 16 - 12) + fabric.GetDelay();
        NS_TEST_EXPECT_MSG_EQ(last, expected, "arrival of the last byte, ps");
        NS_TEST_EXPECT_MSG_EQ(payload, BYTES, "payload on the wire");
        constexpr uint64_t LARGEST = uint64_t{1} << 31;
        const std::vector<uint64_t> expectedAddresses{request.remoteAddress,
                                                      request.remoteAddress + LARGEST,
                                                      request.remoteAddress + 2 * LARGEST};
        NS_TEST_EXPECT_MSG_EQ((addresses == expectedAddresses), true, "address in each RETH");
        NS_TEST_EXPECT_MSG_EQ((lengths == std::vector<uint64_t>{LARGEST, LARGEST, 4096}),
                              true,
                              "length in each RETH");
        const auto& sender = qps.first->GetCounters();
        const auto& receiver = qps.second->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(sender.bytesSent, BYTES, "bytes sent");
        NS_TEST_EXPECT_MSG_EQ(sender.bytesAcked, BYTES, "bytes acknowledged");
        NS_TEST_EXPECT_MSG_EQ(sender.packetsSent, PACKETS, "packets sent");
        NS_TEST_EXPECT_MSG_EQ(receiver.bytesReceived, BYTES, "bytes received");
        NS_TEST_EXPECT_MSG_EQ(receiver.messagesReceived, 3, "messages received");
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(2);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "one completion");
        NS_TEST_EXPECT_MSG_EQ(completions[0].byteLength, BYTES, "length in the completion");
        NS_TEST_EXPECT_MSG_EQ_TOL(last, 87'620'000'000, 87'620'000, "87.62 ms +-0.1 %");
    }
};

/**
 * @ingroup roce-tests
 * @brief Timing test suite.
 */
class RoceTimingTestSuite : public TestSuite
{
  public:
    RoceTimingTestSuite();
};

RoceTimingTestSuite::RoceTimingTestSuite()
    : TestSuite("roce-timing", Type::UNIT)
{
    AddTestCase(new RoceOneMebibyteTestCase);

    const std::vector<RoceGoodputTestCase::Setup> framings{
        // 256 / (256 + 82 + 4 (VLAN) + 20 (IPv6)) and so on
        {"", 256, false, false, 75.7396},
        {"", 256, true, false, 74.8538},
        {"", 256, false, true, 71.5084},
        {"", 1024, false, false, 92.5859},
        {"", 1024, true, false, 92.2523},
        {"", 1024, false, true, 90.9414},
        {"", 1024, true, true, 90.6195},
        {"", 4096, false, false, 98.0373},
        {"", 4096, true, false, 97.9436},
        {"", 4096, false, true, 97.5703},
        {"", 4096, true, true, 97.4774},
    };
    for (const std::string rate : {"100Gbps", "400Gbps"})
    {
        for (auto setup : framings)
        {
            setup.rate = rate;
            AddTestCase(new RoceGoodputTestCase(setup, uint64_t{setup.pathMtu} * 300));
            if (setup.pathMtu > 256)
            {
                AddTestCase(new RoceGoodputTestCase(setup, 64 << 20), rocecompat::EXTENSIVE);
            }
        }
    }

    for (const double gigabits : {10.0, 25.0, 30.0, 40.0, 50.0, 100.0, 200.0, 400.0, 800.0, 1600.0})
    {
        AddTestCase(new RoceRateTestCase(static_cast<uint64_t>(gigabits * 1e9)));
    }

    // Published: H (ser + 1 us) and ser + H x 1 us + (H - 1) x 5.12 ns, ser on frame bytes.
    for (const auto& setup : std::vector<RoceLatencyTestCase::Setup>{
             {"100Gbps", 2, 4158, 1, false, 0, 2.6653},
             {"100Gbps", 4, 4158, 1, false, 0, 5.3306},
             {"100Gbps", 6, 4158, 1, false, 0, 7.9958},
             {"100Gbps", 2, 1086, 1, false, 0, 2.1738},
             {"100Gbps", 4, 1086, 1, false, 0, 4.3475},
             {"100Gbps", 6, 1086, 1, false, 0, 6.5213},
             {"100Gbps", 4, 82, 1, false, 0, 4.0262},
             {"400Gbps", 4, 4158, 1, false, 0, 4.3326},
             {"100Gbps", 2, 4158, 1, true, 0, 2.3378},
             {"100Gbps", 4, 4158, 1, true, 0, 4.3480},
             {"100Gbps", 6, 4158, 1, true, 0, 6.3582},
             {"100Gbps", 2, 1086, 1, true, 0, 2.0920},
             {"100Gbps", 4, 1086, 1, true, 0, 4.1022},
             {"100Gbps", 6, 1086, 1, true, 0, 6.1125},
             {"100Gbps", 4, 82, 1, true, 0, 4.0219},
             {"400Gbps", 4, 4158, 1, true, 0, 4.0870},
         })
    {
        AddTestCase(new RoceLatencyTestCase(setup));
        auto longer = setup; // a message of 16 packets through switches that take their time
        longer.packets = 16;
        longer.switchNs = 450;
        longer.publishedUs = 0;
        AddTestCase(new RoceLatencyTestCase(longer));
    }

    AddTestCase(new RoceTinyMessageTestCase(false, 0, 78));
    AddTestCase(new RoceTinyMessageTestCase(false, 1, 82));
    AddTestCase(new RoceTinyMessageTestCase(false, 4, 82));
    AddTestCase(new RoceTinyMessageTestCase(true, 0, 64));
    AddTestCase(new RoceTinyMessageTestCase(true, 2, 66));
    AddTestCase(new RoceTinyMessageTestCase(true, 3, 66));

    AddTestCase(new RoceManyPortsTestCase);
    AddTestCase(new RoceHugeMessageTestCase);
}

RoceTimingTestSuite g_roceTimingTestSuite; //!< registers the suite

} // namespace
