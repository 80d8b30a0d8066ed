/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"
#include "roce-pfc-test-util.h"

#include "ns3/boolean.h"
#include "ns3/roce-shared-buffer.h"
#include "ns3/roce-switch.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief The link of a receiver goes down and up again: queued frames are flushed, upstream ports
 * are resumed, flows finish after it.
 */
class NetworkLinkTestCase : public TestCase
{
  public:
    NetworkLinkTestCase()
        : TestCase("Link of a congested receiver goes down and up")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t live = GetLiveRoceFrames();
        Run();
        NS_TEST_EXPECT_MSG_EQ(GetLiveRoceFrames(), live, "no frame has leaked");
    }

    /// The scenario.
    void Run()
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(7)); // 0.5 ms
        SetThresholds(fabric, 100'000, 90'000);
        fabric.Star(3);
        auto sw = fabric.GetSwitch();
        sw->SetAttribute("CheckBuffer", BooleanValue(true));
        std::vector<Ptr<RdmaQueuePair>> senders;
        for (uint32_t i = 1; i <= 2; i++)
        {
            senders.push_back(fabric.Connect(i, 0).first);
            senders.back()->PostSend(RdmaWorkRequest::Write(2'000'000));
        }
        auto nic = fabric.GetNic(0);
        Simulator::Schedule(MicroSeconds(100), [&]() {
            nic->GetLinkPeer()->CatchUp(RoceClock::Now());
            const uint64_t bytes = sw->GetQueueBytes(0, ROCE_CLASS);
            NS_TEST_EXPECT_MSG_GT(bytes, 150'000, "both senders are held at about 100 kB");
            const uint64_t forwarded = sw->GetForwarded();
            const uint64_t sent = sw->GetPort(0)->GetTxCounters(ROCE_CLASS).frames +
                                  sw->GetPort(1)->GetTxCounters(ROCE_CLASS).frames +
                                  sw->GetPort(2)->GetTxCounters(ROCE_CLASS).frames;
            const uint64_t used = sw->GetBuffer()->GetUsedBytes();
            nic->SetLinkState(false);
            NS_TEST_EXPECT_MSG_EQ(sw->GetDrops(RoceSwitch::LINK_DOWN, true),
                                  forwarded - sent,
                                  "everything that was queued for that port");
            NS_TEST_EXPECT_MSG_EQ(sw->GetQueueBytes(0, ROCE_CLASS), 0, "the queue is empty");
            NS_TEST_EXPECT_MSG_EQ(sw->GetBuffer()->GetUsedBytes(), used - bytes, "and the buffer");
            for (uint16_t p = 0; p < 3; p++)
            {
                NS_TEST_EXPECT_MSG_EQ(sw->GetBuffer()->IsPaused(p, ROCE_CLASS), false, p);
            }
            NS_TEST_EXPECT_MSG_EQ(nic->IsLinkUp(), false, "this end is down");
            NS_TEST_EXPECT_MSG_EQ(sw->GetPort(0)->IsLinkUp(), false, "the other one, too");
        });
        Simulator::Schedule(MicroSeconds(110), [&]() {
            for (uint32_t i = 1; i <= 2; i++)
            {
                const auto counters = GetGate(fabric.GetNic(i))->GetCounters(ROCE_CLASS);
                NS_TEST_EXPECT_MSG_GT(counters.xonReceived, 0, "sender " << i << " goes on");
                NS_TEST_EXPECT_MSG_EQ(
                    +(GetGate(fabric.GetNic(i))->GetOpenClasses(RoceClock::Now())),
                    0xff,
                    "sender " << i << " is not paused");
            }
        });
        Simulator::Schedule(MicroSeconds(200), [&]() {
            NS_TEST_EXPECT_MSG_GT(sw->GetDrops(RoceSwitch::NO_ROUTE, true), 0, "no way to host 0");
            nic->SetLinkState(true);
        });
        Simulator::Run();

        for (const auto& qp : senders)
        {
            NS_TEST_EXPECT_MSG_EQ(qp->GetCounters().completed, 1, "the flow finishes");
            NS_TEST_EXPECT_MSG_GT(qp->GetCounters().retransmittedPackets,
                                  0,
                                  "what was lost is sent again");
        }
        NS_TEST_EXPECT_MSG_EQ(sw->GetBuffer()->GetUsedBytes(), 0, "the buffer is empty");
        NS_TEST_EXPECT_MSG_EQ(CountArrivals(sw),
                              sw->GetForwarded() + sw->GetDrops(RoceSwitch::NO_ROUTE, true),
                              "arrived = forwarded + refused");
        for (uint16_t p = 0; p < 3; p++)
        {
            NS_TEST_EXPECT_MSG_EQ(sw->GetBuffer()->IsPaused(p, ROCE_CLASS), false, "nobody waits");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief A sender that is paused loses its link for a moment: the pause is forgotten with the
 * link, and the switch, which has not got rid of the bytes, asks for it again.
 */
class NetworkPausedLinkTestCase : public TestCase
{
  public:
    NetworkPausedLinkTestCase()
        : TestCase("Link of a paused sender goes down and up")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(9)); // 2 ms
        SetThresholds(fabric, 100'000, 90'000);
        fabric.Star(2);
        auto sw = fabric.GetSwitch();
        auto sender = fabric.GetNic(0);
        auto receiver = fabric.GetNic(1);
        auto qp = fabric.Connect(0, 1).first;
        SetHold(receiver, ROCE_CLASS, true);
        qp->PostSend(RdmaWorkRequest::Write(2'000'000));
        Simulator::Schedule(MicroSeconds(50), [&]() {
            NS_TEST_EXPECT_MSG_EQ(sw->GetBuffer()->IsPaused(0, ROCE_CLASS), true, "congested");
            sender->SetLinkState(false);
            NS_TEST_EXPECT_MSG_EQ(+(GetGate(sender)->GetOpenClasses(RoceClock::Now())),
                                  0xff,
                                  "a link that went down forgets its pauses");
        });
        Simulator::Schedule(MicroSeconds(60), [&]() { sender->SetLinkState(true); });
        Simulator::Schedule(MicroSeconds(70), [&]() {
            NS_TEST_EXPECT_MSG_EQ(
                ((GetGate(sender)->GetOpenClasses(RoceClock::Now()) >> ROCE_CLASS) & 1),
                0,
                "paused again");
        });
        Simulator::Schedule(MilliSeconds(1), [&]() { SetHold(receiver, ROCE_CLASS, false); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sw->GetTotalDrops(true), 0, "headroom was enough");
        NS_TEST_EXPECT_MSG_EQ(qp->GetCounters().completed, 1, "the flow finishes");
        NS_TEST_EXPECT_MSG_EQ(sw->GetBuffer()->GetUsedBytes(), 0, "the buffer is empty");
    }
};

/**
 * @ingroup roce-tests
 * @brief A link that goes down and up at the same instant loses what was on the line and goes on
 * when the frame would have ended.
 */
class NetworkLinkFlapTestCase : public TestCase
{
  public:
    NetworkLinkFlapTestCase()
        : TestCase("Link goes down and up at once")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(MTU));
        fabric.Pair();
        WireLog log(fabric, fabric.GetCable(0));
        auto qps = fabric.Connect(0, 1);
        qps.first->PostSend(RdmaWorkRequest::Write(ENDLESS));
        auto nic = fabric.GetNic(0);
        const RocePs when = 10'000'000;
        Simulator::Schedule(MicroSeconds(10), [nic]() {
            nic->SetLinkState(false);
            nic->SetLinkState(true);
        });
        Simulator::Stop(MicroSeconds(20));
        Simulator::Run();
        // Frames start at 0 and at 1.28 ns (RETH) + k x 334.24 ns.
        const RocePs slot = fabric.Slot(FRAME);
        const RocePs offset = fabric.ByteTimes(16);
        const RocePs next = offset + ((when - offset) / slot + 1) * slot;
        NS_TEST_EXPECT_MSG_EQ(FirstFrom(log.GetStarts(0, ROCE_CLASS), when), next, "goes on");
        NS_TEST_EXPECT_MSG_GT(qps.second->GetCounters().outOfSequence, 0, "there was a loss");
    }
};

/**
 * @ingroup roce-tests
 * @brief Links that go down and up.
 */
class RoceLinkStateTestSuite : public TestSuite
{
  public:
    RoceLinkStateTestSuite()
        : TestSuite("roce-link-state", Type::SYSTEM)
    {
        AddTestCase(new NetworkLinkTestCase);
        AddTestCase(new NetworkPausedLinkTestCase);
        AddTestCase(new NetworkLinkFlapTestCase);
    }
};

RoceLinkStateTestSuite g_roceLinkStateTestSuite; //!< the suite

} // namespace
