/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"
#include "roce-pfc-test-util.h"

#include "ns3/boolean.h"
#include "ns3/callback.h"
#include "ns3/enum.h"
#include "ns3/error-model.h"
#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-dlb.h"
#include "ns3/roce-shared-buffer.h"
#include "ns3/roce-switch.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup roce-tests
 * Whole fabrics: repeatable runs, runs with and without trace sinks, links that go down, flowlets.
 */

using namespace ns3;

namespace
{

/**
 * Give the hosts of a fabric addresses and fill the forwarding tables.
 * @param fabric the fabric
 */
void
AssignAddresses(RoceFabricFixture& fabric)
{
    for (uint32_t i = 0; i < fabric.nics.GetN(); i++)
    {
        fabric.GetEngine(i)->SetAddress(Ipv4Address(0x0a000001 + i));
    }
    RoceRoutingHelper::PopulateForwardingTables();
}

/**
 * Build two leaves with two hosts each and two spines. Ports of leaf l: hosts 2 l and 2 l + 1, then
 * spines; ports of spines: leaves. Switches 0 and 1 are leaves, 2 and 3 spines.
 * @param fabric the fabric
 */
void
BuildLeafSpine(RoceFabricFixture& fabric)
{
    fabric.hosts.Create(4);
    for (uint32_t i = 0; i < 4; i++)
    {
        fabric.switches.push_back(CreateObject<RoceSwitchNode>());
    }
    for (uint32_t host = 0; host < 4; host++)
    {
        Ptr<Node> leaf = fabric.switches[host / 2];
        fabric.nics.Add(fabric.roce.Install(fabric.hosts.Get(host), leaf).Get(0));
    }
    for (uint32_t leaf = 0; leaf < 2; leaf++)
    {
        for (uint32_t spine = 2; spine < 4; spine++)
        {
            Ptr<Node> a = fabric.switches[leaf];
            Ptr<Node> b = fabric.switches[spine];
            fabric.roce.Install(a, b);
        }
    }
    AssignAddresses(fabric);
}

/// How a RandomScenario is run.
struct ScenarioOptions
{
    std::string rate{"8Gbps"}; //!< line rate; at 8 Gb/s each byte takes one nanosecond
    bool traced{false};        //!< connect a sink to each trace source of each port and switch
    double errorRate{0};       //!< part of frames that host 5 loses
    bool dcqcn{true};          //!< rates follow marks; else NICs send at line rate
};

/**
 * Eight hosts on two switches with two cables between them: an incast of RoCE flows, flows in a
 * lossy class, with PFC, ECN and DCQCN. What is drawn: sizes, starts, marks, losses.
 */
class RandomScenario
{
  public:
    /**
     * Run it.
     * @param options how
     * @return everything that was counted, as text
     */
    std::string Run(const ScenarioOptions& options)
    {
        m_sniffed = 0;
        RoceFabricFixture fabric(options.rate);
        fabric.roce.SetCongestionControl(options.dcqcn ? "ns3::RdmaDcqcn"
                                                       : "ns3::RdmaNoCongestionControl");
        fabric.roce.SetEcnThresholds(10'000, 40'000, 0.2);
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(8)); // 1 ms
        fabric.roce.SetBufferAttribute("TotalBytes", UintegerValue(700'000));
        fabric.hosts.Create(8);
        for (uint32_t i = 0; i < 2; i++)
        {
            fabric.switches.push_back(CreateObject<RoceSwitchNode>());
            fabric.GetSwitch(i)->SetAttribute("CheckBuffer", BooleanValue(true));
        }
        for (uint32_t i = 0; i < 8; i++)
        {
            Ptr<Node> edge = fabric.switches[i / 4];
            fabric.nics.Add(fabric.roce.Install(fabric.hosts.Get(i), edge).Get(0));
        }
        Ptr<Node> left = fabric.switches[0];
        Ptr<Node> right = fabric.switches[1];
        fabric.roce.Install(left, right);
        fabric.roce.Install(left, right);
        AssignAddresses(fabric);
        if (options.errorRate > 0)
        {
            auto model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(options.errorRate);
            fabric.GetNic(5)->SetReceiveErrorModel(model);
        }
        int64_t stream = 1000;
        stream += fabric.roce.AssignStreams(NodeContainer::GetGlobal(), stream);
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(stream);
        if (options.traced)
        {
            Connect(fabric);
        }
        std::vector<RoceFabricFixture::QueuePairs> flows;
        for (uint32_t k = 0; k < 20; k++)
        {
            // Most go to host 5; every fifth is lossy.
            uint32_t from = random->GetInteger(0, 7);
            const uint32_t to = k % 4 ? 5 : random->GetInteger(0, 7);
            from = from == to ? (from + 1) % 8 : from;
            flows.push_back(ConnectWithDscp(fabric, from, to, k % 5 ? 26 : 18));
            auto qp = flows.back().first;
            const uint32_t bytes = random->GetInteger(0, 100'000);
            Simulator::Schedule(NanoSeconds(random->GetInteger(0, 100'000)),
                                [qp, bytes]() { qp->PostSend(RdmaWorkRequest::Write(bytes)); });
        }
        Simulator::Run();
        return Describe(fabric, flows);
    }

    /// @return trace events seen in the last run
    uint64_t GetSniffed() const
    {
        return m_sniffed;
    }

    /// @return frames marked in the last run
    uint64_t GetMarked() const
    {
        return m_marked;
    }

    /// @return pauses in the last run
    uint64_t GetPauses() const
    {
        return m_pauses;
    }

    /// @return frames of lossy classes that switches dropped in the last run
    uint64_t GetDrops() const
    {
        return m_drops;
    }

    /// @return what is wrong with the end of the last run, or nothing
    std::string GetProblem() const
    {
        return m_problem;
    }

  private:
    /// @param packet a frame on a cable
    void Sniff([[maybe_unused]] Ptr<const Packet> packet)
    {
        m_sniffed++;
    }

    /**
     * @param port egress port
     * @param trafficClass class
     * @param bytes length of the queue
     * @param when time
     */
    void QueueChanged([[maybe_unused]] uint16_t port,
                      [[maybe_unused]] uint8_t trafficClass,
                      [[maybe_unused]] uint64_t bytes,
                      [[maybe_unused]] Time when)
    {
        m_sniffed++;
    }

    /// @param fabric where to listen
    void Connect(RoceFabricFixture& fabric)
    {
        for (uint32_t i = 0; i < NodeContainer::GetGlobal().GetN(); i++)
        {
            Ptr<Node> node = NodeContainer::GetGlobal().Get(i);
            for (uint32_t d = 0; d < node->GetNDevices(); d++)
            {
                for (const std::string source : {"PromiscSniffer", "PhyTxEnd", "MacRx"})
                {
                    node->GetDevice(d)->TraceConnectWithoutContext(
                        source,
                        MakeCallback(&RandomScenario::Sniff, this));
                }
            }
        }
        for (uint32_t i = 0; i < 2; i++)
        {
            fabric.GetSwitch(i)->TraceConnectWithoutContext(
                "QueueBytes",
                MakeCallback(&RandomScenario::QueueChanged, this));
        }
    }

    /**
     * Collect all results.
     * @param fabric the fabric
     * @param flows its queue pairs
     * @return the results
     */
    std::string Describe(const RoceFabricFixture& fabric,
                         const std::vector<RoceFabricFixture::QueuePairs>& flows)
    {
        std::ostringstream os;
        m_problem.clear();
        for (const auto& flow : flows)
        {
            for (const auto& entry : flow.first->GetSendCompletionQueue()->Poll(10))
            {
                os << entry.status << " " << entry.completed.GetPicoSeconds() << "; ";
            }
            const RdmaCounters& tx = flow.first->GetCounters();
            const RdmaCounters& rx = flow.second->GetCounters();
            os << flow.second->GetLastMessageTime().GetPicoSeconds() << " " << tx.packetsSent << " "
               << tx.retransmittedPackets << " " << tx.acksReceived << " " << tx.packetSeqErr << " "
               << tx.localAckTimeoutErr << " " << tx.cnpHandled << " " << rx.packetsReceived << " "
               << rx.outOfSequence << " " << rx.duplicateRequest << " " << rx.ecnMarkedPackets
               << " " << rx.cnpSent << " " << flow.first->GetRate() << "\n";
            if (tx.completed != 1)
            {
                m_problem += "a flow has not completed; ";
            }
        }
        m_marked = m_pauses = m_drops = 0;
        for (uint32_t i = 0; i < 2; i++)
        {
            auto sw = fabric.GetSwitch(i);
            os << "switch " << i << ": " << sw->GetForwarded() << " " << sw->GetTotalMarked() << " "
               << sw->GetTotalDrops(true) << " " << sw->GetTotalDrops(false) << " "
               << sw->GetBuffer()->GetPeakUsedBytes() << "\n";
            m_marked += sw->GetTotalMarked();
            m_drops += sw->GetTotalDrops(false);
            for (uint16_t p = 0; p < sw->GetNPorts(); p++)
            {
                for (uint8_t c = 0; c < 8; c++)
                {
                    const auto pfc = GetGate(sw->GetPort(p))->GetCounters(c);
                    os << pfc.xoffSent << " " << pfc.xonSent << " " << pfc.holdTime << " "
                       << pfc.pausedTime << " " << sw->GetMaxQueueBytes(p, c) << " "
                       << sw->GetBuffer()->GetPeakIngressBytes(p, c) << " "
                       << sw->GetPort(p)->GetTxCounters(c).bytes << "; ";
                    m_pauses += pfc.xoffSent;
                    if (sw->GetBuffer()->GetIngressBytes(p, c) ||
                        sw->GetBuffer()->GetEgressBytes(p, c) || sw->GetBuffer()->IsPaused(p, c))
                    {
                        m_problem += "a port is not idle; ";
                    }
                }
            }
            if (sw->GetTotalDrops(true))
            {
                m_problem += "the lossless class has lost frames; ";
            }
            if (sw->GetBuffer()->GetUsedBytes())
            {
                m_problem += "the buffer is not empty; ";
            }
            if (CountArrivals(sw) != sw->GetForwarded() + sw->GetTotalDrops(false))
            {
                m_problem += "arrived != forwarded + dropped; ";
            }
        }
        for (uint32_t i = 0; i < 8; i++)
        {
            const auto pfc = GetGate(fabric.GetNic(i))->GetCounters(ROCE_CLASS);
            os << "\nhost " << i << " " << pfc.xoffReceived << " " << pfc.pausedTime << " "
               << fabric.GetNic(i)->GetRxDrops() << " " << fabric.GetNic(i)->GetRxFrames();
        }
        return os.str();
    }

    uint64_t m_sniffed{0}; //!< trace events
    uint64_t m_marked{0};  //!< frames marked
    uint64_t m_pauses{0};  //!< XOFF sent by switches
    uint64_t m_drops{0};   //!< frames of lossy classes dropped
    std::string m_problem; //!< what is wrong at the end
};

/**
 * @ingroup roce-tests
 * @brief Trace sinks, which make every departure punctual, change nothing: neither a time nor a
 * counter. At 8 Gb/s, where everything happens on ticks of the simulator; off the ticks only the
 * order of events on the same tick may differ.
 */
class NetworkPunctualTestCase : public TestCase
{
  public:
    NetworkPunctualTestCase()
        : TestCase("Random traffic, with and without trace sinks")
    {
    }

  private:
    void DoRun() override
    {
        RandomScenario scenario;
        for (uint64_t run = 1; run <= 5; run++)
        {
            RngSeedManager::SetRun(run);
            ScenarioOptions options;
            options.errorRate = run % 2 ? 0 : 0.01;
            // Paced packets start between the ticks of a nanosecond clock, where the order of
            // events on one tick is not that of their true times; test/check-roce-run.py compares
            // runs with DCQCN on a picosecond clock.
            options.dcqcn = false;
            const std::string lazy = scenario.Run(options);
            NS_TEST_EXPECT_MSG_EQ(scenario.GetSniffed(), 0, "nobody listens");
            NS_TEST_EXPECT_MSG_EQ(scenario.GetProblem(), "", "run " << run);
            m_marked += scenario.GetMarked();
            m_pauses += scenario.GetPauses();
            m_drops += scenario.GetDrops();
            options.traced = true;
            const std::string eager = scenario.Run(options);
            NS_TEST_EXPECT_MSG_GT(scenario.GetSniffed(), 1000, "somebody listens");
            NS_TEST_EXPECT_MSG_EQ(eager, lazy, "run " << run);
        }
        RngSeedManager::SetRun(1);
        NS_TEST_EXPECT_MSG_GT(m_marked, 100, "marks");
        NS_TEST_EXPECT_MSG_GT(m_pauses, 10, "pauses");
        NS_TEST_EXPECT_MSG_GT(m_drops, 10, "drops of the lossy class");
    }

    uint64_t m_marked{0}; //!< marks of all runs
    uint64_t m_pauses{0}; //!< pauses of all runs
    uint64_t m_drops{0};  //!< drops of all runs
};

/**
 * @ingroup roce-tests
 * @brief The same seed gives the same results, a second time in the same process, too; another run
 * number gives others. At 100 Gb/s, with losses.
 */
class NetworkRepeatTestCase : public TestCase
{
  public:
    NetworkRepeatTestCase()
        : TestCase("Runs repeat exactly")
    {
    }

  private:
    void DoRun() override
    {
        RandomScenario scenario;
        ScenarioOptions options;
        options.rate = "100Gbps";
        options.errorRate = 0.01;
        RngSeedManager::SetRun(1);
        const std::string first = scenario.Run(options);
        NS_TEST_EXPECT_MSG_EQ(scenario.GetProblem(), "", "run 1");
        NS_TEST_EXPECT_MSG_GT(scenario.GetMarked(), 0, "something was drawn");
        NS_TEST_EXPECT_MSG_EQ(scenario.Run(options), first, "the same again");
        RngSeedManager::SetRun(2);
        NS_TEST_EXPECT_MSG_EQ((scenario.Run(options) != first), true, "another run is different");
        RngSeedManager::SetRun(1);
        NS_TEST_EXPECT_MSG_EQ(scenario.Run(options), first, "and the first one again");
    }
};

/**
 * @ingroup roce-tests
 * @brief Flowlets: a flow without gaps stays on its uplink, whatever the load; a flow with gaps
 * leaves a loaded uplink in its next gap, without reordering.
 */
class NetworkFlowletTestCase : public TestCase
{
  public:
    NetworkFlowletTestCase()
        : TestCase("Flowlets on two uplinks")
    {
    }

  private:
    /**
     * @param groupId group
     * @param flowSet flow set
     * @param from port before
     * @param to port from now on
     * @param now time
     */
    void Rerouted([[maybe_unused]] uint32_t groupId,
                  [[maybe_unused]] uint32_t flowSet,
                  uint16_t from,
                  uint16_t to,
                  [[maybe_unused]] int64_t now)
    {
        m_moves++;
        NS_TEST_EXPECT_MSG_EQ(from, 2, "from uplink 1");
        NS_TEST_EXPECT_MSG_EQ(to, 3, "to uplink 2");
    }

    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetLoadBalancer("ns3::RoceDlb",
                                    "Mode",
                                    EnumValue(RoceDlb::FLOWLET),
                                    "InactivityTime",
                                    TimeValue(MicroSeconds(256)));
        fabric.roce.GetQosMap()->SetLosslessClasses((1 << ROCE_CLASS) | (1 << OTHER_CLASS));
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(MTU));
        BuildLeafSpine(fabric);
        fabric.roce.AssignStreams(NodeContainer::GetGlobal(), 1);
        auto leaf = fabric.GetSwitch(0);
        leaf->GetLoadBalancer()->TraceConnectWithoutContext(
            "Reroute",
            MakeCallback(&NetworkFlowletTestCase::Rerouted, this));
        auto steady = fabric.Connect(0, 2);
        auto bursty = ConnectWithDscp(fabric, 1, 3, 34);
        // Only uplink 1 exists when both start; uplink 2 comes between the first two bursts.
        leaf->GetPort(3)->SetLinkState(false);
        steady.first->PostSend(RdmaWorkRequest::Write(ENDLESS));
        for (uint32_t burst = 0; burst < 5; burst++)
        {
            Simulator::Schedule(MicroSeconds(100 + 520 * burst), [bursty]() {
                bursty.first->PostSend(RdmaWorkRequest::Write(100'000));
            });
        }
        Simulator::Schedule(MicroSeconds(300), [leaf]() { leaf->GetPort(3)->SetLinkState(true); });
        Simulator::Stop(MicroSeconds(2900));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(m_moves, 1, "one flow has moved, once");
        NS_TEST_EXPECT_MSG_EQ(leaf->GetPort(3)->GetTxCounters(ROCE_CLASS).frames,
                              0,
                              "the flow without gaps never changes its path");
        NS_TEST_EXPECT_MSG_GT(leaf->GetPort(2)->GetTxCounters(ROCE_CLASS).frames, 8000, "it ran");
        // 100000 B in packets of 4096 B: 25 of them in each burst.
        NS_TEST_EXPECT_MSG_EQ(leaf->GetPort(2)->GetTxCounters(OTHER_CLASS).frames, 25, "burst 1");
        NS_TEST_EXPECT_MSG_EQ(leaf->GetPort(3)->GetTxCounters(OTHER_CLASS).frames,
                              4 * 25,
                              "bursts 2 to 5");
        for (const auto& qp : {steady.second, bursty.second})
        {
            NS_TEST_EXPECT_MSG_EQ(qp->GetCounters().outOfSequence, 0, "no reordering");
        }
        NS_TEST_EXPECT_MSG_EQ(bursty.first->GetCounters().completed, 5, "all bursts");
        NS_TEST_EXPECT_MSG_EQ(bursty.first->GetCounters().retransmittedPackets, 0, "at once");
    }

    uint32_t m_moves{0}; //!< choices changed
};

/**
 * @ingroup roce-tests
 * @brief Two flows of 125 MB, one on each spine; at 5 ms one spine loses a link and routes are
 * computed again: both flows share the other spine and finish.
 */
class NetworkRerouteTestCase : public TestCase
{
  public:
    NetworkRerouteTestCase()
        : TestCase("Spine link goes down, flows are rerouted")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetLoadBalancer("ns3::RoceDlb", "Mode", EnumValue(RoceDlb::ASSIGNED));
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(MTU));
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(5)); // 131 us
        fabric.roce.SetQueuePairAttribute("AckInterval", UintegerValue(16));
        // Short queues, so that acknowledgments come in time.
        SetThresholds(fabric, 100'000, 90'000);
        BuildLeafSpine(fabric);
        fabric.roce.AssignStreams(NodeContainer::GetGlobal(), 1);
        auto leaf = fabric.GetSwitch(0);
        std::vector<Ptr<RdmaQueuePair>> flows;
        for (uint32_t i = 0; i < 2; i++)
        {
            flows.push_back(fabric.Connect(i, i + 2).first);
            auto qp = flows.back();
            // The second one finds the first spine loaded.
            Simulator::Schedule(MicroSeconds(20 * i),
                                [qp]() { qp->PostSend(RdmaWorkRequest::Write(125'000'000)); });
        }
        Simulator::Schedule(MilliSeconds(5), [this, leaf]() {
            for (uint16_t p = 2; p <= 3; p++)
            {
                NS_TEST_EXPECT_MSG_GT(leaf->GetPort(p)->GetTxCounters(ROCE_CLASS).bytes,
                                      50'000'000,
                                      "one flow on each spine");
            }
            leaf->GetPort(2)->SetLinkState(false);
            RoceRoutingHelper::PopulateForwardingTables();
        });
        Simulator::Run();

        // Until 5 ms each has sent 61.3 MB at 98.04 Gb/s of payload; the remaining 127.5 MB take
        // 10.4 ms on one path, and the lost packets and a timeout come on top.
        for (const auto& qp : flows)
        {
            const auto entries = qp->GetSendCompletionQueue()->Poll(2);
            NS_TEST_ASSERT_MSG_EQ(entries.size(), 1, "the flow finishes");
            NS_TEST_EXPECT_MSG_EQ(entries[0].IsSuccess(), true, "with success");
            NS_TEST_EXPECT_MSG_GT(entries[0].completed, MicroSeconds(15'000), "not before");
            NS_TEST_EXPECT_MSG_LT(entries[0].completed, MicroSeconds(15'900), "in time");
            m_last = std::max(m_last, entries[0].completed);
        }
        NS_TEST_EXPECT_MSG_GT(m_last, MicroSeconds(15'400), "the capacity of one path");
        for (uint32_t i = 0; i < 4; i++)
        {
            auto sw = fabric.GetSwitch(i);
            NS_TEST_EXPECT_MSG_EQ(sw->GetBuffer()->GetUsedBytes(), 0, "empty");
            for (uint16_t p = 0; p < sw->GetNPorts(); p++)
            {
                NS_TEST_EXPECT_MSG_EQ(sw->GetBuffer()->IsPaused(p, ROCE_CLASS), false, "idle");
            }
        }
    }

    Time m_last; //!< last completion
};

/**
 * @ingroup roce-tests
 * @brief Test suite of whole fabrics.
 */
class RoceNetworkTestSuite : public TestSuite
{
  public:
    RoceNetworkTestSuite()
        : TestSuite("roce-network", Type::UNIT)
    {
        AddTestCase(new NetworkFlowletTestCase);
        AddTestCase(new NetworkRerouteTestCase);
        AddTestCase(new NetworkRepeatTestCase);
        AddTestCase(new NetworkPunctualTestCase);
    }
};

RoceNetworkTestSuite g_roceNetworkTestSuite; //!< static instance

} // namespace
