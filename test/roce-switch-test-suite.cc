/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"
#include "roce-pfc-test-util.h"

#include "ns3/boolean.h"
#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/enum.h"
#include "ns3/object-factory.h"
#include "ns3/packet.h"
#include "ns3/rdma-opcode.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-forwarding-table.h"
#include "ns3/roce-shared-buffer.h"
#include "ns3/roce-switch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup roce-tests
 * The switching pipeline in small fabrics: classes, TTL, drops, marks, schedulers.
 */

using namespace ns3;

namespace
{

/**
 * @param device a port
 * @param trafficClass class
 * @return bytes that it has put on the line in that class, preamble and gap included
 */
uint64_t
GetWireBytes(Ptr<RoceNetDevice> device, uint8_t trafficClass)
{
    const auto& tx = device->GetTxCounters(trafficClass);
    return tx.bytes + 20 * tx.frames;
}

/**
 * @ingroup roce-tests
 * @brief Each of the 64 DSCPs is in the class of the one QoS map, in the NIC and in the switch.
 */
class SwitchDscpTestCase : public TestCase
{
  public:
    /// @param custom use a map that is not the default one
    explicit SwitchDscpTestCase(bool custom)
        : TestCase(custom ? "Custom map from DSCP to class" : "Default map from DSCP to class"),
          m_custom(custom)
    {
    }

  private:
    /**
     * @param dscp a DSCP
     * @return its class
     */
    uint8_t GetClass(uint8_t dscp) const
    {
        return m_custom ? (5 * dscp + 3) % 8 : dscp / 8;
    }

    /**
     * @param port egress port
     * @param trafficClass class
     * @param bytes length of the queue
     * @param when time
     */
    void QueueChanged(uint16_t port,
                      uint8_t trafficClass,
                      uint64_t bytes,
                      [[maybe_unused]] Time when)
    {
        if (port == 1 && bytes > 0)
        {
            m_queued[trafficClass]++;
        }
    }

    void DoRun() override
    {
        RoceFabricFixture fabric;
        if (m_custom)
        {
            for (uint8_t dscp = 0; dscp < 64; dscp++)
            {
                fabric.roce.GetQosMap()->SetDscpClass(dscp, GetClass(dscp));
            }
        }
        fabric.Star(2);
        fabric.GetSwitch()->TraceConnectWithoutContext(
            "QueueBytes",
            MakeCallback(&SwitchDscpTestCase::QueueChanged, this));
        std::array<std::set<uint8_t>, 2> seen; // DSCPs of data before and behind the switch
        for (uint32_t cable = 0; cable < 2; cable++)
        {
            fabric.GetCable(cable)->SetScript([&, cable](const RoceFrame& frame, uint8_t) {
                if (RoceScriptedChannel::IsData(frame))
                {
                    NS_TEST_EXPECT_MSG_EQ(+frame.trafficClass,
                                          +GetClass(frame.dscp),
                                          "class of DSCP " << +frame.dscp);
                    seen[cable].insert(frame.dscp);
                }
                return RoceScriptedChannel::PASS;
            });
        }
        for (uint8_t dscp = 0; dscp < 64; dscp++)
        {
            ConnectWithDscp(fabric, 0, 1, dscp).first->PostSend(RdmaWorkRequest::Write(100));
        }
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(seen[0].size(), 64, "all left the NIC");
        NS_TEST_EXPECT_MSG_EQ(seen[1].size(), 64, "all left the switch");
        for (uint8_t c = 0; c < 8; c++)
        {
            NS_TEST_EXPECT_MSG_EQ(fabric.GetNic(0)->GetTxCounters(c).frames, 8, "NIC " << +c);
            NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch()->GetPort(1)->GetTxCounters(c).frames,
                                  8,
                                  "switch, class " << +c);
            NS_TEST_EXPECT_MSG_EQ(m_queued[c], 8, "enqueued in class " << +c);
        }
    }

    bool m_custom;                      //!< use a map that is not the default one
    std::array<uint32_t, 8> m_queued{}; //!< frames enqueued towards host 1, by class
};

/**
 * @ingroup roce-tests
 * @brief A CNP overtakes: it crosses the fabric at once although data of the same direction is
 * paused in its NIC.
 */
class SwitchCnpLatencyTestCase : public TestCase
{
  public:
    SwitchCnpLatencyTestCase()
        : TestCase("CNP while data of its direction is paused")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetCongestionControl("ns3::RdmaDcqcn");
        fabric.Star(2);
        fabric.Connect(1, 0).first->PostSend(RdmaWorkRequest::Write(ENDLESS));
        auto qp = fabric.Connect(0, 1).first;
        RocePs marked = 0;
        RocePs cnp = 0;
        fabric.GetCable(1)->SetScript([&](RoceFrame& frame, uint8_t end) {
            if (end == 1 && RoceScriptedChannel::IsData(frame))
            {
                frame.ecn = RoceEcn::CE;
                marked = frame.time; // arrival at host 1
            }
            return RoceScriptedChannel::PASS;
        });
        fabric.GetCable(0)->SetScript([&](const RoceFrame& frame, uint8_t end) {
            if (end == 1 && RoceScriptedChannel::IsCnp(frame))
            {
                cnp = frame.time; // arrival at host 0
            }
            return RoceScriptedChannel::PASS;
        });
        InjectPfc(fabric.GetCable(1), 1, 1'000'000, 1 << ROCE_CLASS, 0xffff);
        uint64_t paused = 0;
        auto nic = fabric.GetNic(1);
        Simulator::Schedule(MicroSeconds(10), [&]() {
            paused = nic->GetTxCounters(ROCE_CLASS).frames;
            qp->PostSend(RdmaWorkRequest::Write(1000));
        });
        Simulator::Stop(MicroSeconds(100));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(nic->GetTxCounters(ROCE_CLASS).frames, paused, "data is paused");
        NS_TEST_EXPECT_MSG_EQ(qp->GetCounters().cnpHandled, 1, "one CNP");
        // Two cables of 1 us, each with 78 + 8 byte times of 80 ps; the last bit does not wait for
        // the gap.
        NS_TEST_EXPECT_MSG_EQ(cnp - marked, 2 * (86 * 80 + 1'000'000), "2013.76 ns");
    }
};

/**
 * @ingroup roce-tests
 * @brief Switches decrement the TTL and drop a frame at zero; a routing loop ends.
 */
class SwitchTtlTestCase : public TestCase
{
  public:
    /// @param ipv6 use IPv6
    explicit SwitchTtlTestCase(bool ipv6)
        : TestCase(ipv6 ? "Hop limit" : "TTL"),
          m_ipv6(ipv6)
    {
    }

  private:
    /**
     * @param inPort ingress port
     * @param trafficClass class
     * @param bytes length
     * @param reason why
     * @param when time
     */
    void Dropped([[maybe_unused]] uint16_t inPort,
                 uint8_t trafficClass,
                 [[maybe_unused]] uint32_t bytes,
                 uint8_t reason,
                 [[maybe_unused]] Time when)
    {
        m_traced++;
        NS_TEST_EXPECT_MSG_EQ(+reason, +RoceSwitch::TTL_EXPIRED, "reason");
        NS_TEST_EXPECT_MSG_EQ(+trafficClass, +ROCE_CLASS, "class");
    }

    /**
     * Send one packet over three switches.
     * @param ttl its TTL
     * @return true if it arrived
     */
    bool SendOne(uint8_t ttl)
    {
        RoceFabricFixture fabric;
        fabric.useIpv6 = m_ipv6;
        fabric.roce.SetQueuePairAttribute("Ttl", UintegerValue(ttl));
        fabric.roce.SetQueuePairAttribute("RetryCount", UintegerValue(0));
        fabric.Chain(3);
        m_traced = 0;
        fabric.GetSwitch(2)->TraceConnectWithoutContext(
            "Drop",
            MakeCallback(&SwitchTtlTestCase::Dropped, this));
        int32_t arrived = -1;
        fabric.GetCable(1)->SetScript([&](const RoceFrame& frame, uint8_t) {
            arrived = RoceScriptedChannel::IsData(frame) ? frame.ttl : arrived;
            return RoceScriptedChannel::PASS;
        });
        auto qp = fabric.Connect(0, 1).first;
        qp->PostSend(RdmaWorkRequest::Write(100));
        Simulator::Run();
        const uint64_t drops = fabric.GetSwitch(2)->GetDrops(RoceSwitch::TTL_EXPIRED, true);
        NS_TEST_EXPECT_MSG_EQ(drops, m_traced, "each drop is traced once");
        NS_TEST_EXPECT_MSG_EQ(qp->GetCounters().failed, drops, "a lost packet fails the request");
        if (arrived >= 0)
        {
            NS_TEST_EXPECT_MSG_EQ(arrived, ttl - 3, "one less in each switch");
        }
        return arrived >= 0;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(SendOne(64), true, "default TTL");
        NS_TEST_EXPECT_MSG_EQ(SendOne(4), true, "arrives with TTL 1");
        NS_TEST_EXPECT_MSG_EQ(SendOne(3), false, "would have left the third switch with TTL 0");
        NS_TEST_EXPECT_MSG_EQ(m_traced, 1, "so it is dropped there");
    }

    bool m_ipv6;          //!< use IPv6
    uint64_t m_traced{0}; //!< drops seen by the trace source
};

/**
 * @ingroup roce-tests
 * @brief Packets in a loop of two switches are forwarded TTL - 1 times, then the run ends.
 */
class SwitchLoopTestCase : public TestCase
{
  public:
    SwitchLoopTestCase()
        : TestCase("A routing loop ends")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("RetryCount", UintegerValue(1));
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(8)); // 1 ms
        fabric.Chain(2);
        for (uint32_t i = 0; i < 2; i++)
        {
            fabric.GetSwitch(i)->SetAttribute("CheckBuffer", BooleanValue(true));
        }
        // Switch 1 sends what is for host 1 back to switch 0.
        fabric.GetSwitch(1)->GetForwardingTable()->Replace(Ipv4Address("10.0.0.2"),
                                                           Ipv4Mask("255.255.255.255"),
                                                           {0});
        auto qp = fabric.Connect(0, 1).first;
        qp->PostSend(RdmaWorkRequest::Write(100));
        Simulator::Run();

        // Two attempts with TTL 64. Switch 0 sees 64, 62, ... 2 and forwards 32 times; switch 1
        // sees 63, 61, ... 1, forwards 31 times and drops.
        NS_TEST_EXPECT_MSG_EQ(qp->GetCounters().packetsSent, 2, "attempts");
        NS_TEST_EXPECT_MSG_EQ(qp->GetCounters().failed, 1, "the request has failed");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch(0)->GetForwarded(), 2 * 32, "switch 0");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch(1)->GetForwarded(), 2 * 31, "switch 1");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch(1)->GetDrops(RoceSwitch::TTL_EXPIRED, true),
                              2,
                              "drops");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch(0)->GetTotalDrops(true), 0, "none in switch 0");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch(0)->GetBuffer()->GetUsedBytes(), 0, "empty");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch(1)->GetBuffer()->GetUsedBytes(), 0, "empty");
    }
};

/**
 * @ingroup roce-tests
 * @brief Frames without route, and frames that are not IP, are counted and traced once each.
 */
class SwitchNoRouteTestCase : public TestCase
{
  public:
    SwitchNoRouteTestCase()
        : TestCase("No route, not IP")
    {
    }

  private:
    /**
     * @param inPort ingress port
     * @param trafficClass class
     * @param bytes length
     * @param reason why
     * @param when time
     */
    void Dropped(uint16_t inPort,
                 [[maybe_unused]] uint8_t trafficClass,
                 uint32_t bytes,
                 uint8_t reason,
                 [[maybe_unused]] Time when)
    {
        NS_TEST_EXPECT_MSG_EQ(inPort, 0, "port of the sender");
        m_traced[reason] += bytes;
        m_frames[reason]++;
    }

    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("RetryCount", UintegerValue(0));
        fabric.Star(2);
        auto sw = fabric.GetSwitch();
        sw->TraceConnectWithoutContext("Drop", MakeCallback(&SwitchNoRouteTestCase::Dropped, this));
        NS_TEST_EXPECT_MSG_EQ(
            sw->GetForwardingTable()->Remove(Ipv4Address("10.0.0.2"), Ipv4Mask("255.255.255.255")),
            true,
            "the route was there");
        fabric.Connect(0, 1).first->PostSend(RdmaWorkRequest::Write(3000));
        auto nic = fabric.GetNic(0);
        nic->Send(Create<Packet>(50), nic->GetBroadcast(), 0x0806);
        Simulator::Run();

        // Packets of 1024, 1024 and 952 bytes; the first one has a RETH of 16 bytes.
        NS_TEST_EXPECT_MSG_EQ(sw->GetDrops(RoceSwitch::NO_ROUTE, true), 3, "no route");
        NS_TEST_EXPECT_MSG_EQ(m_frames[RoceSwitch::NO_ROUTE], 3, "no route, traced");
        NS_TEST_EXPECT_MSG_EQ(m_traced[RoceSwitch::NO_ROUTE], 3000 + 3 * 62 + 16, "their bytes");
        NS_TEST_EXPECT_MSG_EQ(sw->GetDrops(RoceSwitch::NOT_IP, false), 1, "not IP");
        NS_TEST_EXPECT_MSG_EQ(m_frames[RoceSwitch::NOT_IP], 1, "not IP, traced");
        NS_TEST_EXPECT_MSG_EQ(m_traced[RoceSwitch::NOT_IP], 50 + 18, "Ethernet header and FCS");
        NS_TEST_EXPECT_MSG_EQ(sw->GetTotalDrops(true) + sw->GetTotalDrops(false), 4, "all");
        NS_TEST_EXPECT_MSG_EQ(sw->GetForwarded(), 0, "nothing was forwarded");
        NS_TEST_EXPECT_MSG_EQ(CountArrivals(sw), 4, "arrived = forwarded + dropped");
    }

    std::array<uint64_t, RoceSwitch::N_DROP_REASONS> m_traced{}; //!< bytes by reason
    std::array<uint64_t, RoceSwitch::N_DROP_REASONS> m_frames{}; //!< frames by reason
};

/**
 * @ingroup roce-tests
 * @brief Which frames of a queue of known length get a mark: with Kmin = Kmax = K exactly those
 * with more than K bytes of others in the queue.
 *
 * The receiver holds its port until 40 packets are in the queue: one of 1102 bytes, then 39 of
 * 1086. K = 20000 lies between 18 and 19 of them.
 */
class SwitchEcnTestCase : public TestCase
{
  public:
    /**
     * @param markAt when to mark
     * @param ect are packets ECN-capable?
     * @param cells does the buffer count cells of 254 B?
     */
    SwitchEcnTestCase(RoceEcnMarker::MarkAt markAt, bool ect, bool cells = false)
        : TestCase(std::string("Marks at ") +
                   (markAt == RoceEcnMarker::DEQUEUE ? "dequeue" : "enqueue") +
                   (ect ? "" : ", not ECN-capable") + (cells ? ", counting cells" : "")),
          m_markAt(markAt),
          m_ect(ect),
          m_cells(cells)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetEcnThresholds(20'000, 20'000, 1.0);
        fabric.roce.SetEcnAttribute("MarkAt", EnumValue(m_markAt));
        if (m_cells)
        {
            fabric.roce.SetBufferAttribute("CellBytes", UintegerValue(254));
            fabric.roce.SetEcnAttribute("Unit", EnumValue(RoceEcnMarker::CELLS));
            fabric.roce.SetEcnAttribute("Kmin", UintegerValue(79));
            fabric.roce.SetEcnAttribute("Kmax", UintegerValue(79));
        }
        fabric.roce.SetQueuePairAttribute("Ecn", BooleanValue(m_ect));
        fabric.Star(2);
        auto nic = fabric.GetNic(1);
        SetHold(nic, ROCE_CLASS, true);
        std::set<uint32_t> marked; // their PSNs
        fabric.GetCable(1)->SetScript([&](const RoceFrame& frame, uint8_t) {
            if (RoceScriptedChannel::IsData(frame))
            {
                if (frame.ecn == RoceEcn::CE)
                {
                    marked.insert(frame.psn);
                }
                else
                {
                    NS_TEST_EXPECT_MSG_EQ((frame.ecn == RoceEcn::ECT0), m_ect, "left alone");
                }
            }
            return RoceScriptedChannel::PASS;
        });
        auto qps = fabric.Connect(0, 1);
        qps.first->PostSend(RdmaWorkRequest::Write(40 * 1024));
        Simulator::Schedule(MicroSeconds(50), [&]() {
            NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch()->GetQueueBytes(1, ROCE_CLASS),
                                  1102 + 39 * 1086,
                                  "all in the queue");
            SetHold(nic, ROCE_CLASS, false);
        });
        Simulator::Run();

        std::set<uint32_t> expected;
        for (uint32_t i = 0; i < 40 && m_ect; i++)
        {
            // Packet i leaves 39 - i behind; it found i. Each takes 5 cells, the first one, too.
            const uint32_t others = m_markAt == RoceEcnMarker::DEQUEUE ? 39 - i : i;
            const uint32_t first = m_markAt == RoceEcnMarker::ENQUEUE && i > 0 ? 16 : 0;
            if (m_cells ? others * 5 > 79 : others * 1086 + first > 20'000)
            {
                expected.insert(i);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(expected.size(), (!m_ect ? 0 : m_cells ? 24 : 21), "40 - 16 or 19");
        NS_TEST_EXPECT_MSG_EQ((marked == expected), true, "exactly these are marked");
        auto sw = fabric.GetSwitch();
        NS_TEST_EXPECT_MSG_EQ(sw->GetMarked(1, ROCE_CLASS), expected.size(), "counted");
        NS_TEST_EXPECT_MSG_EQ(sw->GetTotalMarked(), expected.size(), "in this queue only");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().ecnMarkedPackets,
                              expected.size(),
                              "counted by the receiver");
    }

    RoceEcnMarker::MarkAt m_markAt; //!< when to mark
    bool m_ect;                     //!< are packets ECN-capable?
    bool m_cells;                   //!< does the buffer count cells?
};

/**
 * @ingroup roce-tests
 * @brief Three classes with weights 5, 15 and 20 and different packet sizes share a line, of a
 * switch or of a NIC, in proportion of their weights in wire bytes.
 */
class SwitchDwrrTestCase : public TestCase
{
  public:
    /// @param inNic one host sends in all classes
    explicit SwitchDwrrTestCase(bool inNic)
        : TestCase(inNic ? "Weighted shares in a NIC" : "Weighted shares in a switch"),
          m_inNic(inNic)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.GetQosMap()->SetAttribute("Weights", StringValue("5,15,20,1,1,1,1,1"));
        fabric.roce.GetQosMap()->SetLosslessClasses(7); // so that nothing is sent again
        SetThresholds(fabric, 100'000, 90'000);
        fabric.Star(4);
        const std::array<uint32_t, 3> mtu = {1024, 4096, 256};
        for (uint8_t c = 0; c < 3; c++)
        {
            const uint32_t host = m_inNic ? 1 : c + 1;
            fabric.GetEngine(host)->SetQueuePairAttribute("PathMtu", UintegerValue(mtu[c]));
            fabric.GetEngine(0)->SetQueuePairAttribute("PathMtu", UintegerValue(mtu[c]));
            ConnectWithDscp(fabric, host, 0, 8 * c)
                .first->PostSend(RdmaWorkRequest::Write(ENDLESS));
        }
        auto port = m_inNic ? fabric.GetNic(1) : fabric.GetSwitch()->GetPort(0);
        std::array<uint64_t, 3> before{};
        Simulator::Schedule(MilliSeconds(1), [&]() {
            for (uint8_t c = 0; c < 3; c++)
            {
                before[c] = GetWireBytes(port, c);
            }
        });
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();

        const std::array<double, 3> gbps = {12.5, 37.5, 50};
        uint64_t total = 0;
        for (uint8_t c = 0; c < 3; c++)
        {
            const uint64_t bytes = GetWireBytes(port, c) - before[c];
            total += bytes;
            NS_TEST_EXPECT_MSG_EQ_TOL(bytes * 8 / 2e6, // in 2 ms
                                      gbps[c],
                                      0.01 * gbps[c],
                                      "class " << +c);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(total, 25e6, 4200.0, "the line is never idle");
    }

    bool m_inNic; //!< one host sends in all classes
};

/**
 * @ingroup roce-tests
 * @brief A strict class gets all it wants, the others what is left; among strict classes the
 * higher one is first.
 */
class SwitchStrictTestCase : public TestCase
{
  public:
    SwitchStrictTestCase()
        : TestCase("Strict priority")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.GetQosMap()->SetLosslessClasses((1 << 3) | (1 << 6) | (1 << 7));
        SetThresholds(fabric, 100'000, 90'000);
        fabric.Star(4);
        // Class 7 at 10 Gb/s, class 6 at 40 Gb/s, class 3 as fast as it can.
        const std::array<double, 3> rate = {10, 40, 100};
        const std::array<uint8_t, 3> classes = {7, 6, 3};
        for (uint32_t i = 0; i < 3; i++)
        {
            ObjectFactory fixed("ns3::RdmaFixedRate");
            fixed.Set("Rate", DataRateValue(DataRate(static_cast<uint64_t>(rate[i] * 1e9))));
            fabric.GetEngine(i + 1)->SetCongestionControl(fixed);
            ConnectWithDscp(fabric, i + 1, 0, 8 * classes[i])
                .first->PostSend(RdmaWorkRequest::Write(ENDLESS));
        }
        auto port = fabric.GetSwitch()->GetPort(0);
        std::array<uint64_t, 3> before{};
        Simulator::Schedule(MilliSeconds(1), [&]() {
            for (uint32_t i = 0; i < 3; i++)
            {
                before[i] = GetWireBytes(port, classes[i]);
            }
        });
        Simulator::Stop(MilliSeconds(2));
        Simulator::Run();

        const std::array<double, 3> expected = {10, 40, 50};
        for (uint32_t i = 0; i < 3; i++)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(GetWireBytes(port, classes[i]) - before[i],
                                      expected[i] * 1e9 / 8 * 1e-3,
                                      3 * 1122.0,
                                      "class " << +classes[i]);
            NS_TEST_EXPECT_MSG_EQ(
                (GetGate(fabric.GetSwitch()->GetPort(i + 1))->GetCounters(classes[i]).xoffSent > 0),
                (classes[i] == 3),
                "only the lowest class waits");
        }
        // A frame of a strict class waits for the one on the line at most, so two of each fit.
        NS_TEST_EXPECT_MSG_LT(fabric.GetSwitch()->GetMaxQueueBytes(0, 6), 3 * 1102, "class 6");
    }
};

/**
 * @ingroup roce-tests
 * @brief Test suite of the switching pipeline.
 */
class RoceSwitchTestSuite : public TestSuite
{
  public:
    RoceSwitchTestSuite()
        : TestSuite("roce-switch", Type::UNIT)
    {
        AddTestCase(new SwitchDscpTestCase(false));
        AddTestCase(new SwitchDscpTestCase(true));
        AddTestCase(new SwitchCnpLatencyTestCase);
        AddTestCase(new SwitchTtlTestCase(false));
        AddTestCase(new SwitchTtlTestCase(true));
        AddTestCase(new SwitchLoopTestCase);
        AddTestCase(new SwitchNoRouteTestCase);
        AddTestCase(new SwitchEcnTestCase(RoceEcnMarker::DEQUEUE, true));
        AddTestCase(new SwitchEcnTestCase(RoceEcnMarker::ENQUEUE, true));
        AddTestCase(new SwitchEcnTestCase(RoceEcnMarker::DEQUEUE, false));
        AddTestCase(new SwitchEcnTestCase(RoceEcnMarker::ENQUEUE, false));
        AddTestCase(new SwitchEcnTestCase(RoceEcnMarker::DEQUEUE, true, true));
        AddTestCase(new SwitchEcnTestCase(RoceEcnMarker::ENQUEUE, true, true));
        AddTestCase(new SwitchDwrrTestCase(false));
        AddTestCase(new SwitchDwrrTestCase(true));
        AddTestCase(new SwitchStrictTestCase);
    }
};

RoceSwitchTestSuite g_roceSwitchTestSuite; //!< static instance

} // namespace
