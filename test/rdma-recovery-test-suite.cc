/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-wire-log.h"
#include "roce-fabric-fixture.h"

#include "ns3/random-variable-stream.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-work-request.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-compat.h"
#include "ns3/roce-frame.h"
#include "ns3/roce-routing-helper.h"
#include "ns3/roce-switch-node.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MIDDLE = RoceFabricFixture::MIDDLE; //!< overhead of a middle packet, bytes
constexpr uint32_t FIRST = RoceFabricFixture::FIRST;   //!< the same with RETH
constexpr uint32_t ACK = RoceFabricFixture::ACK;       //!< frame of an acknowledgment, bytes
constexpr uint32_t MTU = 1024;                         //!< payload of a packet, bytes
constexpr RocePs MICROSECOND = 1'000'000;              //!< in picoseconds

/**
 * @ingroup roce-tests
 * @brief Closed forms for a WRITE of many packets over one cable.
 *
 * Packet k starts at S(k) = Slot(FIRST) + (k - 1) Slot(MIDDLE) unless something is sent again
 * before it, which costs Slot(MIDDLE) each. The news about packet k + 1 (an ACK or a NAK) is back R
 * = Flight(data) + Flight(ACK) after its start, and by then
 *
 *   behind = floor(R / Slot) + 1
 *
 * packets from k + 1 on have started. Go-back-N sends these again as well as packet k, selective
 * repeat packet k only; as long as the line never becomes idle, the message takes so many slots
 * longer.
 */
struct RdmaRecoveryForms
{
    /// @param fabric two hosts on one cable
    explicit RdmaRecoveryForms(const RoceFabricFixture& fabric)
        : slot(fabric.Slot(MIDDLE + MTU)),
          firstExtra(fabric.ByteTimes(FIRST - MIDDLE)),
          roundTrip(fabric.Flight(MIDDLE + MTU) + fabric.Flight(ACK)),
          behind(static_cast<uint64_t>(roundTrip / slot) + 1)
    {
    }

    /**
     * @param k index of a packet on the wire
     * @return its start if the line never is idle
     */
    RocePs Start(uint64_t k) const
    {
        return k == 0 ? 0 : firstExtra + static_cast<RocePs>(k) * slot;
    }

    /**
     * @param packets packets on the wire, repeated ones included
     * @return completion of the message if the line never is idle and the last one is not repeated
     */
    RocePs Done(uint64_t packets) const
    {
        return Start(packets - 1) + roundTrip;
    }

    RocePs slot;       //!< of a middle packet
    RocePs firstExtra; //!< by which the first packet takes longer
    RocePs roundTrip;  //!< from the start of a packet until the news about it are back
    uint64_t behind;   //!< packets that leave before the news about the first of them are back
};

/**
 * @ingroup roce-tests
 * @brief What a few lost packets cost with each strategy, in packets and in time.
 */
class RdmaRecoveryCostTestCase : public TestCase
{
  public:
    /**
     * @param recovery GoBackN or SelectiveRepeat
     * @param lost indices of lost packets, each repaired before the next one is lost, or, with
     *        selective repeat, in any distance
     * @param gapTolerance selective repeat: packets after a gap before it is reported
     */
    RdmaRecoveryCostTestCase(const std::string& recovery,
                             const std::set<uint64_t>& lost,
                             uint32_t gapTolerance = 1)
        : TestCase(recovery + ", " + std::to_string(lost.size()) + " lost from " +
                   std::to_string(*lost.begin()) + ", tolerance " + std::to_string(gapTolerance)),
          m_recovery(recovery),
          m_lost(lost),
          m_gapTolerance(gapTolerance)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t PACKETS = 400;
        RoceFabricFixture fabric;
        const bool isSelective = m_recovery == "SelectiveRepeat";
        if (isSelective)
        {
            fabric.roce.SetRecovery("ns3::RdmaSelectiveRepeat",
                                    "GapTolerance",
                                    UintegerValue(m_gapTolerance));
        }
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        // Indices count packets on the wire: those of the message until something is repeated.
        const RdmaWireLog log(fabric,
                              0,
                              RoceScriptedChannel::Lose(RoceScriptedChannel::IsData, m_lost));
        qps.first->PostSend(RdmaWorkRequest::Write(PACKETS * MTU));
        Simulator::Run();

        const RdmaRecoveryForms forms(fabric);
        const uint64_t again = m_lost.size() * (isSelective ? 1 : forms.behind + 1);
        const auto& sender = qps.first->GetCounters();
        const auto& receiver = qps.second->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(forms.behind, 24, "R = 2093.44 ns, a slot is 88.48 ns");
        NS_TEST_EXPECT_MSG_EQ(sender.retransmittedPackets, again, "sent again");
        NS_TEST_EXPECT_MSG_EQ(sender.packetsSent, PACKETS + again, "sent");
        NS_TEST_EXPECT_MSG_EQ(sender.localAckTimeoutErr, 0, "no timeout");
        NS_TEST_EXPECT_MSG_EQ(receiver.duplicateRequest, 0, "nothing comes twice");
        NS_TEST_EXPECT_MSG_EQ(receiver.packetsReceived, PACKETS, "everything is taken once");
        NS_TEST_EXPECT_MSG_EQ(receiver.bytesReceived, PACKETS * MTU, "bytes");
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(2);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "completes");
        NS_TEST_EXPECT_MSG_EQ(
            completions[0].completed,
            PicoSeconds(forms.Done(PACKETS + again) + (m_lost.count(0) ? forms.firstExtra : 0)),
            "so many slots later");
        if (!isSelective)
        {
            NS_TEST_EXPECT_MSG_EQ(receiver.naksSent, m_lost.size(), "one NAK per gap");
            NS_TEST_EXPECT_MSG_EQ(receiver.outOfSequence, m_lost.size() * forms.behind, "behind");
        }
        else if (m_lost.size() == 1)
        {
            // Packets behind the gap until its repetition comes: those that leave until the news is
            // back, which the tolerance delays by as many packets.
            const uint64_t kept = forms.behind + m_gapTolerance - 1;
            NS_TEST_EXPECT_MSG_EQ(receiver.outOfSequence, kept, "kept");
            NS_TEST_EXPECT_MSG_EQ(receiver.naksSent, kept, "each is reported");
        }
    }

    std::string m_recovery;    //!< strategy
    std::set<uint64_t> m_lost; //!< indices of lost packets
    uint32_t m_gapTolerance;   //!< packets after a gap before it is reported
};

/**
 * @ingroup roce-tests
 * @brief Selective repeat, and the responder can keep fewer packets than arrive after the gap: go
 * back to the first one that it has dropped.
 *
 * Packet L is lost, packets up to L + w - 1 are kept. L is repeated as number L + 1 + behind on the
 * wire and followed by packet L + 1 + behind, which reveals that L + w is missing (and is not kept,
 * with 2 w <= behind + 1). Until that is
 * known, packets up to L + 2 behind have left.
 */
class RdmaReorderWindowTestCase : public TestCase
{
  public:
    /// @param window packets after a gap that are kept
    explicit RdmaReorderWindowTestCase(uint32_t window)
        : TestCase("reorder window of " + std::to_string(window)),
          m_window(window)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t PACKETS = 400;
        RoceFabricFixture fabric;
        fabric.roce.SetRecovery("ns3::RdmaSelectiveRepeat",
                                "ReorderWindow",
                                UintegerValue(m_window));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        const RdmaWireLog log(fabric,
                              0,
                              RoceScriptedChannel::Lose(RoceScriptedChannel::IsData, {50}));
        qps.first->PostSend(RdmaWorkRequest::Write(PACKETS * MTU));
        Simulator::Run();
        const RdmaRecoveryForms forms(fabric);
        const bool isEnough = m_window > forms.behind;
        const uint64_t again = 1 + (isEnough ? 0 : 2 * forms.behind + 1 - m_window);
        const auto& sender = qps.first->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(sender.retransmittedPackets, again, "sent again");
        NS_TEST_EXPECT_MSG_EQ(sender.localAckTimeoutErr, 0, "no timeout");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().packetsReceived, PACKETS, "taken once");
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(2);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "completes");
        NS_TEST_EXPECT_MSG_EQ(completions[0].completed,
                              PicoSeconds(forms.Done(PACKETS + again)),
                              "time");
    }

    uint32_t m_window; //!< packets after a gap that are kept
};

/**
 * @ingroup roce-tests
 * @brief Selective repeat where only a timeout helps: RtoLow while at most three packets are in
 * flight, RtoHigh otherwise, from the last thing that was heard of the receiver.
 */
class RdmaSelectiveTimeoutTestCase : public TestCase
{
  public:
    /**
     * @param packets packets of the message
     * @param lost how often each packet is lost, by PSN
     * @param timeouts expected timeouts
     * @param heard packet whose ACK or NAK is the last news before the first timeout
     * @param high the first timeout is RtoHigh
     */
    RdmaSelectiveTimeoutTestCase(uint64_t packets,
                                 const std::map<uint32_t, uint32_t>& lost,
                                 uint64_t timeouts,
                                 uint64_t heard,
                                 bool high)
        : TestCase("selective repeat, timeouts: " + std::to_string(timeouts) +
                   (high ? ", high" : ", low") + ", of " + std::to_string(packets)),
          m_packets(packets),
          m_lost(lost),
          m_timeouts(timeouts),
          m_heard(heard),
          m_high(high)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetRecovery("ns3::RdmaSelectiveRepeat");
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        auto left = m_lost;
        fabric.GetCable(0)->SetScript([&left](const RoceFrame& frame, uint8_t) {
            if (RoceScriptedChannel::IsData(frame) && left.count(frame.psn) && left[frame.psn] > 0)
            {
                left[frame.psn]--;
                return RoceScriptedChannel::DROP;
            }
            return RoceScriptedChannel::PASS;
        });
        qps.first->PostSend(RdmaWorkRequest::Write(m_packets * MTU));
        Simulator::Run();

        const RdmaRecoveryForms forms(fabric);
        uint64_t again = 0;
        for (const auto& [psn, times] : m_lost)
        {
            again += times;
        }
        const auto& sender = qps.first->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(sender.localAckTimeoutErr, m_timeouts, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(sender.retransmittedPackets, again, "each loss is repaired once");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().duplicateRequest, 0, "no duplicate");
        const RocePs first = forms.Start(m_heard) + forms.roundTrip +
                             (m_high ? 320 : 100) * MICROSECOND + forms.roundTrip;
        // Each further one begins with the ACK of the one before, with few packets in flight.
        const RocePs done =
            first + static_cast<RocePs>(m_timeouts - 1) * (100 * MICROSECOND + forms.roundTrip);
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(2);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "completes");
        NS_TEST_EXPECT_MSG_EQ(completions[0].status, RdmaWcStatus::SUCCESS, "with success");
        NS_TEST_EXPECT_MSG_EQ(completions[0].completed, PicoSeconds(done), "time");
    }

    uint64_t m_packets;                  //!< packets of the message
    std::map<uint32_t, uint32_t> m_lost; //!< how often each packet is lost
    uint64_t m_timeouts;                 //!< expected timeouts
    uint64_t m_heard;                    //!< packet that brings the last news
    bool m_high;                         //!< the first timeout is RtoHigh
};

/**
 * @ingroup roce-tests
 * @brief A receiver was not ready for a packet, but was for a copy of it that had left meanwhile:
 * the requester goes on at once, and no timeout runs out while it waits.
 *
 * The local ACK timeout (8.192 us) is shorter than the round trip (10 us), so three SENDs leave at
 * 0 and, because there was no answer yet, at 8.2 us. The first copy finds no buffer at 5 us; its
 * RNR NAK of 80 us arrives at 10 us. At 7 us there are buffers, so the second copies are taken at
 * 13 us, but the third one of them is lost. With its eight timeouts of 8.192 us in vain, it would
 * fail before the 80 us are over.
 */
class RdmaReadyAgainTestCase : public TestCase
{
  public:
    RdmaReadyAgainTestCase()
        : TestCase("receiver ready for a second copy")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric("100Gbps", MicroSeconds(5));
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(1));
        fabric.roce.SetQueuePairAttribute("MinRnrTimer", UintegerValue(6));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        fabric.GetCable(0)->SetScript(RoceScriptedChannel::Lose(RoceScriptedChannel::IsData, {5}));
        qps.second->SetReceiveCompletionQueue(CreateObject<RdmaCompletionQueue>());
        for (uint64_t i = 0; i < 3; i++)
        {
            qps.first->PostSend(RdmaWorkRequest::Send(100, i));
            Simulator::Schedule(MicroSeconds(7),
                                &RdmaQueuePair::PostReceive,
                                qps.second,
                                RdmaReceiveRequest{i, 100});
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().rnrNaksSent, 1, "not ready once");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().rnrNaksReceived, 1, "and says so");
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(4);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 3, "all complete");
        for (const auto& done : completions)
        {
            NS_TEST_EXPECT_MSG_EQ(done.status, RdmaWcStatus::SUCCESS, "status");
        }
        // The second timeout, at 8.2 us, an ACK of the second copy at 18.2 us, and a round trip.
        const RocePs roundTrip = fabric.Flight(MIDDLE + 100) + fabric.Flight(ACK);
        const RocePs second = 8'192'000 + fabric.Slot(MIDDLE + 100) + roundTrip;
        NS_TEST_EXPECT_MSG_EQ(completions[1].completed, PicoSeconds(second), "second copy");
        NS_TEST_EXPECT_MSG_EQ(completions[2].completed,
                              PicoSeconds(second + roundTrip),
                              "the third one follows at once");
    }
};

/**
 * @ingroup roce-tests
 * @brief The window of IRN: W packets per round trip.
 *
 * Packet i + W starts when the ACK of packet i is there: packet k W + j at k R + S(j), where the
 * extra bytes of the first packet delay all others.
 */
class RdmaIrnWindowTestCase : public TestCase
{
  public:
    /// @param window most packets in flight
    explicit RdmaIrnWindowTestCase(uint32_t window)
        : TestCase("window of " + std::to_string(window) + " packets"),
          m_window(window)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t PACKETS = 200;
        RoceFabricFixture fabric;
        fabric.roce.SetRecovery("ns3::RdmaSelectiveRepeat",
                                "MaxOutstanding",
                                UintegerValue(m_window));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        const RdmaWireLog log(fabric, 0);
        qps.first->PostSend(RdmaWorkRequest::Write(PACKETS * MTU));
        Simulator::Run();
        const RdmaRecoveryForms forms(fabric);
        const auto data = log.Find([](const RdmaWireLog::Line& line) { return line.end == 0; });
        NS_TEST_ASSERT_MSG_EQ(data.size(), PACKETS, "each packet once");
        for (uint64_t i = 0; i < PACKETS; i++)
        {
            const RocePs start = static_cast<RocePs>(i / m_window) * forms.roundTrip +
                                 static_cast<RocePs>(i % m_window) * forms.slot +
                                 (i > 0 ? forms.firstExtra : 0);
            // Beyond one bandwidth-delay product, the line is the limit.
            const RocePs expected = m_window >= forms.behind ? forms.Start(i) : start;
            NS_TEST_EXPECT_MSG_EQ(data[i].start, expected, "start of packet " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 1, "completes");
    }

    uint32_t m_window; //!< most packets in flight
};

/**
 * @ingroup roce-tests
 * @brief The livelock of go-back-0: of every 256 data packets one is lost, so a message of 4 MiB in
 * 4096 packets never gets through (Guo et al., SIGCOMM 2016), while the line is busy all the time.
 *
 * Go-back-N: each loss costs r = behind + 1 packets. Losses come every 256 packets on the wire, not
 * sooner than r after each other, so k = floor(T / 256) losses with T = P + k r packets on the
 * wire. Selective repeat is the same with r = 1.
 */
class RdmaLivelockTestCase : public TestCase
{
  public:
    /// @param recovery strategy
    explicit RdmaLivelockTestCase(const std::string& recovery)
        : TestCase("one packet of 256 is lost, " + recovery),
          m_recovery(recovery)
    {
    }

  private:
    void DoRun() override
    {
        // With selective repeat the last loss of 4096 would be so late that its repair leaves the
        // line idle.
        const uint64_t packets = m_recovery == "SelectiveRepeat" ? 4000 : 4096;
        RoceFabricFixture fabric;
        fabric.roce.SetRecovery("ns3::Rdma" + m_recovery);
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        fabric.GetCable(0)->SetScript([n = uint64_t{0}](const RoceFrame& frame, uint8_t) mutable {
            return RoceScriptedChannel::IsData(frame) && ++n % 256 == 0 ? RoceScriptedChannel::DROP
                                                                        : RoceScriptedChannel::PASS;
        });
        qps.first->PostSend(RdmaWorkRequest::Write(packets * MTU));
        // Without loss it takes 0.365 ms.
        Simulator::Stop(MicroSeconds(1500));
        Simulator::Run();
        const RdmaRecoveryForms forms(fabric);
        const auto& sender = qps.first->GetCounters();
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(2);
        if (m_recovery == "GoBackZero")
        {
            NS_TEST_EXPECT_MSG_EQ(completions.size(), 0, "never done");
            NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().messagesReceived, 0, "no message");
            NS_TEST_EXPECT_MSG_LT(sender.bytesAcked, 256 * MTU, "nothing lasts");
            NS_TEST_EXPECT_MSG_GT(sender.packetsSent,
                                  static_cast<uint64_t>(1490 * MICROSECOND / forms.slot),
                                  "at full line rate");
            NS_TEST_EXPECT_MSG_EQ(sender.localAckTimeoutErr, 0, "no timeout, no failure");
            return;
        }
        const uint64_t cost = m_recovery == "GoBackN" ? forms.behind + 1 : 1;
        uint64_t losses = 0;
        while ((packets + (losses + 1) * cost) / 256 > losses)
        {
            losses++;
        }
        NS_TEST_EXPECT_MSG_EQ(losses, (m_recovery == "GoBackN" ? 17 : 15), "losses");
        NS_TEST_EXPECT_MSG_EQ(sender.packetsSent, packets + losses * cost, "packets sent");
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "done");
        NS_TEST_EXPECT_MSG_EQ(completions[0].completed,
                              PicoSeconds(forms.Done(packets + losses * cost)),
                              "time");
    }

    std::string m_recovery; //!< strategy
};

/**
 * @ingroup roce-tests
 * @brief Packets are sprayed over two uplinks of different length (scenario P26).
 *
 * Two switches with two links between them, one 1 us longer. Go-back-N takes each overtaking for a
 * loss. A responder that keeps packets, and waits before it reports a gap for more packets than can
 * overtake one (1 us are 3 slots of 334 ns, so 64 are plenty), sees no loss at all.
 */
class RdmaSprayTestCase : public TestCase
{
  public:
    /// @param tolerant the receiver tolerates reordering
    explicit RdmaSprayTestCase(bool tolerant)
        : TestCase(std::string("spray over unequal paths, ") +
                   (tolerant ? "selective repeat with tolerance" : "go-back-N")),
          m_tolerant(tolerant)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t PACKETS = 1000;
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(4096));
        fabric.roce.SetLoadBalancer("ns3::RoceDlb",
                                    "Mode",
                                    StringValue("PER_PACKET"),
                                    "Pick",
                                    StringValue("RANDOM"));
        if (m_tolerant)
        {
            fabric.roce.SetRecovery("ns3::RdmaSelectiveRepeat", "GapTolerance", UintegerValue(64));
        }
        fabric.hosts.Create(2);
        const auto left = CreateObject<RoceSwitchNode>();
        const auto right = CreateObject<RoceSwitchNode>();
        fabric.nics.Add(fabric.roce.Install(fabric.hosts.Get(0), left).Get(0));
        fabric.nics.Add(fabric.roce.Install(fabric.hosts.Get(1), right).Get(0));
        fabric.roce.Install(left, right);
        fabric.roce.SetChannelAttribute("Delay", TimeValue(MicroSeconds(2)));
        fabric.roce.Install(left, right);
        fabric.GetEngine(0)->SetAddress(Ipv4Address("10.0.0.1"));
        fabric.GetEngine(1)->SetAddress(Ipv4Address("10.0.0.2"));
        RoceRoutingHelper::PopulateForwardingTables();
        fabric.roce.AssignStreams(NodeContainer::GetGlobal(), 1);
        const auto qps = fabric.Connect(0, 1);
        qps.first->PostSend(RdmaWorkRequest::Write(PACKETS * 4096));
        Simulator::Run();

        const auto& sender = qps.first->GetCounters();
        const auto& receiver = qps.second->GetCounters();
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(2);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "completes");
        NS_TEST_EXPECT_MSG_EQ(receiver.bytesReceived, PACKETS * 4096, "each byte once");
        // One path: the last packet starts at S(999), and everything crosses three cables.
        const RocePs single = fabric.ByteTimes(16) + 999 * fabric.Slot(MIDDLE + 4096) +
                              3 * fabric.Flight(MIDDLE + 4096) + 3 * fabric.Flight(ACK);
        if (m_tolerant)
        {
            NS_TEST_EXPECT_MSG_GT(receiver.outOfSequence, 300, "many are overtaken");
            NS_TEST_EXPECT_MSG_EQ(sender.retransmittedPackets, 0, "nothing is sent again");
            NS_TEST_EXPECT_MSG_EQ(receiver.naksSent, 0, "no NAK");
            NS_TEST_EXPECT_MSG_EQ_TOL(completions[0].completed,
                                      PicoSeconds(single),
                                      PicoSeconds(single / 100) + MicroSeconds(1),
                                      "as fast as one path");
            return;
        }
        NS_TEST_EXPECT_MSG_GT(receiver.naksSent, 50, "many NAKs");
        NS_TEST_EXPECT_MSG_GT(sender.retransmittedPackets, PACKETS, "more in vain than not");
        NS_TEST_EXPECT_MSG_GT(completions[0].completed, PicoSeconds(2 * single), "less than half");
    }

    bool m_tolerant; //!< the receiver tolerates reordering
};

/**
 * @ingroup roce-tests
 * @brief Two equal senders at a lossy port (scenario P18): both get half.
 *
 * 200 Gb/s of go-back-N at a 100 Gb/s port with 1 MB of tail-drop buffer, no PFC, no congestion
 * control. Messages of random length, as each sender's own randomness would make them, keep the two
 * from locking in phase.
 */
class RdmaEqualSendersTestCase : public TestCase
{
  public:
    /// @param seed stream number
    explicit RdmaEqualSendersTestCase(uint32_t seed)
        : TestCase("two equal senders, tail drop, seed " + std::to_string(seed)),
          m_seed(seed)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.EnablePfc(false);
        fabric.roce.EnableEcn(false);
        fabric.roce.SetBufferAttribute("TotalBytes", UintegerValue(1'000'000));
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(4096));
        // A repeated packet that is lost as well is repaired by the timeout only, because the NAK
        // is not sent twice: 262 us, three times the delay of the full buffer.
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(6));
        fabric.Star(3);
        m_random = CreateObject<UniformRandomVariable>();
        m_random->SetStream(m_seed);
        for (uint32_t i = 0; i < 2; i++)
        {
            const auto qps = fabric.Connect(i + 1, 0);
            m_senders[i] = qps.first;
            qps.first->GetSendCompletionQueue()->SetCallback(
                i == 0 ? MakeCallback(&RdmaEqualSendersTestCase::Completed0, this)
                       : MakeCallback(&RdmaEqualSendersTestCase::Completed1, this));
            m_receivers[i] = qps.second;
            // Start jitter: up to 10 us.
            Simulator::Schedule(NanoSeconds(m_random->GetInteger(0, 10'000)),
                                &RdmaEqualSendersTestCase::Start,
                                this,
                                i);
        }
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        std::array<double, 2> goodput;
        std::array<double, 2> drops;
        for (uint32_t i = 0; i < 2; i++)
        {
            const auto& sender = m_senders[i]->GetCounters();
            const auto& receiver = m_receivers[i]->GetCounters();
            goodput[i] = static_cast<double>(receiver.bytesReceived);
            drops[i] = static_cast<double>(sender.packetsSent - receiver.packetsReceived -
                                           receiver.outOfSequence - receiver.duplicateRequest);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(goodput[0] / (goodput[0] + goodput[1]), 0.5, 0.1, "goodput");
        NS_TEST_EXPECT_MSG_EQ_TOL(drops[0] / (drops[0] + drops[1]), 0.5, 0.2, "drops");
        NS_TEST_EXPECT_MSG_GT(drops[0] + drops[1], 1000, "there is loss");
        m_senders = m_receivers = {};
    }

    /// @param i sender that begins, with enough requests to keep it busy
    void Start(uint32_t i)
    {
        for (uint32_t k = 0; k < 8; k++)
        {
            Post(m_senders[i]);
        }
    }

    /// @param qp queue pair that sends one more message
    void Post(Ptr<RdmaQueuePair> qp)
    {
        qp->PostSend(RdmaWorkRequest::Write(m_random->GetInteger(1, 64) * 1000));
    }

    /// A message of the first sender is complete: the next one follows.
    void Completed0(const RdmaWorkCompletion&)
    {
        Post(m_senders[0]);
    }

    /// A message of the second sender is complete: the next one follows.
    void Completed1(const RdmaWorkCompletion&)
    {
        Post(m_senders[1]);
    }

    uint32_t m_seed;                               //!< stream number
    Ptr<UniformRandomVariable> m_random;           //!< all randomness
    std::array<Ptr<RdmaQueuePair>, 2> m_senders;   //!< both senders
    std::array<Ptr<RdmaQueuePair>, 2> m_receivers; //!< their peers
};

/**
 * @ingroup roce-tests
 * @brief Loss recovery test suite.
 */
class RdmaRecoveryTestSuite : public TestSuite
{
  public:
    RdmaRecoveryTestSuite();
};

RdmaRecoveryTestSuite::RdmaRecoveryTestSuite()
    : TestSuite("roce-recovery", Type::UNIT)
{
    const std::vector<std::set<uint64_t>> spread{{0}, {1}, {100}, {50, 150}, {10, 60, 110, 200}};
    for (const auto& lost : spread)
    {
        AddTestCase(new RdmaRecoveryCostTestCase("GoBackN", lost));
        AddTestCase(new RdmaRecoveryCostTestCase("SelectiveRepeat", lost));
    }
    // Close to each other: the second before the first is known, a burst, and after it is known.
    const std::vector<std::set<uint64_t>> close{{50, 51},
                                                {50, 52},
                                                {50, 70},
                                                {50, 74},
                                                {50, 51, 52, 53, 54},
                                                {50, 77, 90},
                                                {50, 60, 70, 80, 90, 110}};
    for (const auto& lost : close)
    {
        AddTestCase(new RdmaRecoveryCostTestCase("SelectiveRepeat", lost));
    }
    AddTestCase(new RdmaRecoveryCostTestCase("SelectiveRepeat", {100}, 2));
    AddTestCase(new RdmaRecoveryCostTestCase("SelectiveRepeat", {100}, 50));
    // The last packet is lost, once and twice; the last two; the last but one and its repetition,
    // which the NAK of the last one brings about; a repetition with many packets in flight.
    AddTestCase(new RdmaSelectiveTimeoutTestCase(100, {{99, 1}}, 1, 98, false));
    AddTestCase(new RdmaSelectiveTimeoutTestCase(20, {{18, 1}, {19, 1}}, 2, 17, false));
    AddTestCase(new RdmaSelectiveTimeoutTestCase(50, {{48, 2}}, 1, 49, false));
    AddTestCase(new RdmaSelectiveTimeoutTestCase(50, {{47, 2}}, 1, 49, false));
    AddTestCase(new RdmaSelectiveTimeoutTestCase(50, {{46, 2}}, 1, 49, true));
    AddTestCase(new RdmaSelectiveTimeoutTestCase(20, {{5, 2}}, 1, 19, true));
    for (const uint32_t window : {2, 10, 12, 25, 30})
    {
        AddTestCase(new RdmaReorderWindowTestCase(window));
    }
    AddTestCase(new RdmaReadyAgainTestCase());
    for (const uint32_t window : {1, 5, 23, 24, 100})
    {
        AddTestCase(new RdmaIrnWindowTestCase(window));
    }
    AddTestCase(new RdmaLivelockTestCase("GoBackZero"));
    AddTestCase(new RdmaLivelockTestCase("GoBackN"));
    AddTestCase(new RdmaLivelockTestCase("SelectiveRepeat"));
    AddTestCase(new RdmaSprayTestCase(false));
    AddTestCase(new RdmaSprayTestCase(true));
    AddTestCase(new RdmaEqualSendersTestCase(1));
    for (uint32_t seed = 2; seed < 30; seed++)
    {
        AddTestCase(new RdmaEqualSendersTestCase(seed), rocecompat::EXTENSIVE);
    }
}

RdmaRecoveryTestSuite g_rdmaRecoveryTestSuite; //!< registers the suite

} // namespace
