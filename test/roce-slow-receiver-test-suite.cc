/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"
#include "roce-pfc-test-util.h"

#include "ns3/data-rate.h"
#include "ns3/rdma-input-buffer.h"
#include "ns3/rdma-work-request.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>

/**
 * @file
 * @ingroup roce-tests
 * NICs that work frames off more slowly than they arrive.
 */

using namespace ns3;

namespace
{

constexpr uint64_t FRAMES = 5000;         //!< packets of the WRITE
constexpr uint64_t SLOW = 25'000'000'000; //!< rate of the receiver, bit/s
constexpr uint64_t XOFF = 256 << 10;      //!< pause threshold, bytes
constexpr uint64_t XON = 128 << 10;       //!< resume threshold, bytes
constexpr RocePs SLOW_BYTE = 320;         //!< time of a byte at 25 Gb/s, picoseconds
constexpr uint32_t RETH = 16;             //!< more in the first packet, bytes

/**
 * @ingroup roce-tests
 * @brief A receiver at a quarter of the line rate pauses its link peer and works without a break.
 *
 * The buffer holds more than the slow NIC works off while a resume request and the first frame
 * after it are under way, so it never runs dry: the last frame is done
 *
 *     (switches + 1) Flight(first) + (FRAMES x FRAME + RETH) x 8 / 25 Gb/s
 *
 * after the start, exactly. Meanwhile the frames leave the last hop at a quarter of the rate at
 * which the line carries them, 100 Gb/s x FRAME / (FRAME + 20), so it is paused for 1 - 0.2512 of
 * the time.
 *
 * One cycle, with bytes per ns in = 4158 B / 334.24 ns = 12.44 and out = 3.125:
 *
 *   XON to first frame: PFC frame 72 x 0.08 + 1000 ns, Flight(FRAME) = 1333.28 ns: falls by
 *                       2339 ns x 3.125 = 7310 B
 *   rises to Xoff:      (Xoff - Xon + 7310 + 4158) B / (12.44 - 3.125)
 *   XOFF to last frame: PFC frame 1005.76 ns, half of a frame 167 ns, the cable 1000 ns = 2173 ns:
 *                       rises by 2173 x 9.315 = 20,240 B
 *   falls to Xon:       (Xoff - Xon + 20,240 + 4158) B / 3.125
 *
 * 4158 B are the two halves of a frame by which thresholds are passed on average. The cycle takes
 * 2.3 + 15.3 + 2.2 + 49.7 = 69.5 us, and 6.65 ms have 95.7 of them.
 */
class RoceSlowReceiverTestCase : public TestCase
{
  public:
    /// @param switches 0 or 1
    explicit RoceSlowReceiverTestCase(uint32_t switches)
        : TestCase("slow receiver, switches " + std::to_string(switches)),
          m_switches(switches)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(MTU));
        if (m_switches)
        {
            fabric.Star(2);
        }
        else
        {
            fabric.Pair();
        }
        auto buffer = fabric.GetEngine(1)->GetInputBuffer();
        buffer->SetAttribute("Rate", DataRateValue(DataRate(SLOW)));
        buffer->SetAttribute("Xoff", UintegerValue(XOFF));
        buffer->SetAttribute("Xon", UintegerValue(XON));
        const auto qps = fabric.Connect(0, 1);
        qps.first->PostSend(RdmaWorkRequest::Write(FRAMES * MTU));
        Simulator::Run();

        const RocePs work = (FRAMES * FRAME + RETH) * SLOW_BYTE;
        const RocePs done = (m_switches + 1) * fabric.Flight(FRAME + RETH) + work;
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetLastMessageTime(),
                              RoceClock::ToTime(done),
                              "the receiver works at its rate, without a break");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 1, "done");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().retransmittedPackets, 0, "nothing again");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetDrops(), 0, "nothing lost");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetBytes(), 0, "nothing left");
        NS_TEST_EXPECT_MSG_EQ((buffer->GetPeakBytes() >= XOFF), true, "it was needed");
        const uint64_t room = XOFF + 25'000 + 2 * 2 * FRAME; // 2 us of line rate, two frames a side
        NS_TEST_EXPECT_MSG_EQ((buffer->GetPeakBytes() <= room), true, "PFC limits the backlog");

        const auto sent = GetGate(fabric.GetNic(1))->GetCounters(ROCE_CLASS);
        NS_TEST_EXPECT_MSG_EQ_TOL(sent.xoffSent, 95.7, 4, "pause requests of the NIC");
        NS_TEST_EXPECT_MSG_EQ(sent.xonSent, sent.xoffSent, "each is taken back");
        const auto paused = GetGate(fabric.GetNic(1)->GetLinkPeer())->GetCounters(ROCE_CLASS);
        NS_TEST_EXPECT_MSG_EQ(paused.xoffReceived, sent.xoffSent, "all arrive");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(paused.pausedTime) / work,
                                  1 - 0.25 * (FRAME + 20) / FRAME,
                                  0.01,
                                  "share of the time for which the last hop is paused");
        if (m_switches)
        {
            const auto sender = GetGate(fabric.GetNic(0))->GetCounters(ROCE_CLASS);
            NS_TEST_EXPECT_MSG_EQ((sender.xoffReceived > 0), true, "the pause spreads");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch()->GetTotalDrops(true), 0, "no loss");
        }
    }

    uint32_t m_switches; //!< switches between the hosts
};

/**
 * @ingroup roce-tests
 * @brief Without PFC the buffer overflows, drops are counted and repaired; with a receiver that is
 * fast enough nothing ever waits for long.
 */
class RoceSlowReceiverLimitsTestCase : public TestCase
{
  public:
    RoceSlowReceiverLimitsTestCase()
        : TestCase("slow receiver without PFC, receiver at line rate, small frames")
    {
    }

  private:
    void DoRun() override
    {
        {
            RoceFabricFixture fabric;
            fabric.roce.EnablePfc(false);
            fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(MTU));
            fabric.roce.SetReceiverAttribute("Rate", DataRateValue(DataRate(SLOW)));
            fabric.roce.SetReceiverAttribute("Size", UintegerValue(64 << 10));
            fabric.Pair();
            const auto qps = fabric.Connect(0, 1);
            qps.first->PostSend(RdmaWorkRequest::Write(1 << 20));
            Simulator::Run();
            const auto buffer = fabric.GetEngine(1)->GetInputBuffer();
            NS_TEST_EXPECT_MSG_EQ((buffer->GetDrops() > 0), true, "it overflows");
            NS_TEST_EXPECT_MSG_EQ((buffer->GetPeakBytes() <= 64 << 10), true, "but not more");
            NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 1, "repaired");
            NS_TEST_EXPECT_MSG_EQ(
                (qps.first->GetCounters().retransmittedPackets >= buffer->GetDrops()),
                true,
                "what was dropped was sent again");
        }
        {
            // Work at line rate on frame bytes is faster than the line, which carries gaps as well:
            // each frame waits for itself only.
            RoceFabricFixture fabric;
            fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(MTU));
            fabric.roce.SetReceiverAttribute("Rate", DataRateValue(DataRate("100Gbps")));
            fabric.Pair();
            const auto qps = fabric.Connect(0, 1);
            qps.first->PostSend(RdmaWorkRequest::Write(16 * MTU));
            Simulator::Run();
            const RocePs last = fabric.Slot(FRAME + RETH) + 14 * fabric.Slot(FRAME) +
                                fabric.Flight(FRAME) + fabric.ByteTimes(FRAME);
            NS_TEST_EXPECT_MSG_EQ(qps.second->GetLastMessageTime(),
                                  RoceClock::ToTime(last),
                                  "the last frame and its own work");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetEngine(1)->GetInputBuffer()->GetPeakBytes(),
                                  FRAME + RETH,
                                  "one frame at a time");
            NS_TEST_EXPECT_MSG_EQ(GetGate(fabric.GetNic(1))->GetCounters(ROCE_CLASS).xoffSent,
                                  0,
                                  "no pause");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief Slow receivers.
 */
class RoceSlowReceiverTestSuite : public TestSuite
{
  public:
    RoceSlowReceiverTestSuite()
        : TestSuite("roce-slow-receiver", Type::UNIT)
    {
        AddTestCase(new RoceSlowReceiverTestCase(0));
        AddTestCase(new RoceSlowReceiverTestCase(1));
        AddTestCase(new RoceSlowReceiverLimitsTestCase);
    }
};

RoceSlowReceiverTestSuite g_roceSlowReceiverTestSuite; //!< registers the suite

} // namespace
