/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-abort-check.h"
#include "roce-fabric-fixture.h"

#include "ns3/enum.h"
#include "ns3/mac48-address.h"
#include "ns3/rdma-work-request.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/roce-gid.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <string>

/**
 * @file
 * @ingroup roce-tests
 * RoCEv1: EtherType 0x8915, a GRH with GIDs, one Ethernet segment.
 */

using namespace ns3;

namespace
{

/// Headers and FCS of a middle packet: Ethernet 14, GRH 40, BTH 12, ICRC 4, FCS 4 bytes.
constexpr uint32_t V1_MIDDLE = 74;

/**
 * @ingroup roce-tests
 * @brief All operations over a cable and through a switch, with the frames that they should have.
 */
class RoceSegmentTestCase : public TestCase
{
  public:
    /**
     * @param throughSwitch with a switch between the hosts
     * @param ipv6 the hosts have IPv6 addresses
     */
    RoceSegmentTestCase(bool throughSwitch, bool ipv6)
        : TestCase(std::string("RoCEv1 ") + (throughSwitch ? "through a switch" : "over a cable") +
                   (ipv6 ? ", GIDs from IPv6" : ", GIDs from IPv4")),
          m_switch(throughSwitch),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetEngineAttribute("RoceVersion", EnumValue(RdmaEngine::V1));
        fabric.useIpv6 = m_ipv6;
        if (m_switch)
        {
            fabric.Star(2);
        }
        else
        {
            fabric.Pair();
        }
        const Ipv6Address gids[] = {Ipv6Address(m_ipv6 ? "2001:db8::1" : "::ffff:a00:1"),
                                    Ipv6Address(m_ipv6 ? "2001:db8::2" : "::ffff:a00:2")};
        uint64_t frames = 0;
        for (uint32_t host = 0; host < 2; host++)
        {
            fabric.GetCable(host)->SetScript([&, host](const RoceFrame& frame, uint8_t end) {
                frames++;
                const uint32_t from = m_switch && end == 1 ? 1 - host : (m_switch ? host : end);
                NS_TEST_EXPECT_MSG_EQ(frame.etherType, 0x8915, "EtherType");
                NS_TEST_EXPECT_MSG_EQ(RoceFrameCodec::ToIpv6(frame.source), gids[from], "SGID");
                NS_TEST_EXPECT_MSG_EQ(RoceFrameCodec::ToIpv6(frame.destination),
                                      gids[1 - from],
                                      "DGID");
                NS_TEST_EXPECT_MSG_EQ(+frame.ttl, 64, "nobody routes");
                NS_TEST_EXPECT_MSG_EQ((frame.ecn == RoceEcn::NOT_ECT), true, "not ECN-capable");
                NS_TEST_EXPECT_MSG_EQ(frame.frameBytes,
                                      RoceFrameCodec::GetFrameBytes(frame),
                                      "length");
                return RoceScriptedChannel::PASS;
            });
        }
        const auto qps = fabric.Connect(0, 1);
        qps.second->PostReceive({7, 1000});
        qps.first->PostSend(RdmaWorkRequest::Write(4096));
        qps.first->PostSend(RdmaWorkRequest::Send(1000));
        qps.first->PostSend(RdmaWorkRequest::Read(2048));
        qps.first->PostSend(RdmaWorkRequest::FetchAndAdd(5, 64));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 4, "all done");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetEngine(1)->GetMemory().ReadWord(0, 64), 5, "atomic");
        // 4 + 1 packets with 5 ACKs, READ 1 + 2, atomic 1 + 1; on two cables with a switch.
        NS_TEST_EXPECT_MSG_EQ(frames, (m_switch ? 2 : 1) * 15, "frames");
        // WRITE first 16 more for RETH; SEND 1000; READ request RETH; atomic 28 for AtomicETH.
        const uint64_t bytes =
            4 * (V1_MIDDLE + 1024) + 16 + V1_MIDDLE + 1000 + V1_MIDDLE + 16 + V1_MIDDLE + 28;
        NS_TEST_EXPECT_MSG_EQ(fabric.GetNic(0)->GetTxCounters(3).bytes, bytes, "frame bytes");
    }

    bool m_switch; //!< with a switch between the hosts
    bool m_ipv6;   //!< the hosts have IPv6 addresses
};

/**
 * @ingroup roce-tests
 * @brief GIDs of all kinds, and a port that has no IP address at all.
 */
class RoceGidTestCase : public TestCase
{
  public:
    RoceGidTestCase()
        : TestCase("GIDs")
    {
    }

  private:
    void DoRun() override
    {
        // RFC 4291, 2.5.5.2 and appendix A.
        NS_TEST_EXPECT_MSG_EQ(
            RoceFrameCodec::ToIpv6(
                RoceGid::FromIp(RoceFrameCodec::ToBytes(Ipv4Address("192.0.2.33")), 0x0800)),
            Ipv6Address("::ffff:c000:221"),
            "IPv4");
        NS_TEST_EXPECT_MSG_EQ(
            RoceFrameCodec::ToIpv6(
                RoceGid::FromIp(RoceFrameCodec::ToBytes(Ipv6Address("2001:db8::42")), 0x86dd)),
            Ipv6Address("2001:db8::42"),
            "IPv6");
        NS_TEST_EXPECT_MSG_EQ(
            RoceFrameCodec::ToIpv6(RoceGid::FromMac(Mac48Address("34:56:78:9a:bc:de"))),
            Ipv6Address("fe80::3656:78ff:fe9a:bcde"),
            "MAC");

        NodeContainer hosts(2);
        RoceHelper roce;
        roce.SetEngineAttribute("RoceVersion", EnumValue(RdmaEngine::V1));
        const Ptr<Node> tor = RoceHelper::CreateSwitches(1).Get(0);
        const NetDeviceContainer nics = roce.Install(hosts, tor);
        RoceRoutingHelper::PopulateForwardingTables();
        const auto qps = roce.ConnectQueuePairs(nics.Get(0), nics.Get(1));
        qps.first->PostSend(RdmaWorkRequest::Write(10000));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 1, "without IP addresses");
        Simulator::Destroy();
    }
};

/**
 * @ingroup roce-tests
 * @brief Beyond the segment: refused by the helper, dropped by the switch.
 */
class RoceBeyondSegmentTestCase : public TestCase
{
  public:
    RoceBeyondSegmentTestCase()
        : TestCase("RoCEv1 is not routed")
    {
    }

  private:
    /**
     * @param misuse what should stop the program
     * @param reason part of the message
     */
    void Refused(const std::function<void()>& misuse, const std::string& reason)
    {
        if (RoceAbortCheck::IsSupported())
        {
            const std::string message = RoceAbortCheck::GetMessage(misuse);
            NS_TEST_EXPECT_MSG_EQ((message.find(reason) != std::string::npos),
                                  true,
                                  "expected '" << reason << "', got '" << message << "'");
        }
    }

    void DoRun() override
    {
        Refused(
            []() {
                RoceFabricFixture fabric;
                fabric.roce.SetEngineAttribute("RoceVersion", EnumValue(RdmaEngine::V1));
                fabric.Chain(2);
                fabric.Connect(0, 1);
            },
            "RoCEv1 cannot be routed");
        Refused(
            []() {
                RoceFabricFixture fabric;
                fabric.Pair();
                fabric.GetEngine(1)->SetAttribute("RoceVersion", EnumValue(RdmaEngine::V1));
            },
            "set RoceVersion before the address");

        // IPv6 hosts, whose addresses are routed everywhere, connected by hand.
        RoceFabricFixture fabric;
        fabric.useIpv6 = true;
        fabric.roce.SetEngineAttribute("RoceVersion", EnumValue(RdmaEngine::V1));
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(4));
        fabric.roce.SetQueuePairAttribute("RetryCount", UintegerValue(1));
        fabric.Chain(2);
        fabric.GetSwitch(0)->GetForwardingTable()->Replace(Ipv6Address("2001:db8::2"),
                                                           Ipv6Prefix(128),
                                                           {1});
        auto left = fabric.GetEngine(0)->CreateQueuePair();
        auto right = fabric.GetEngine(1)->CreateQueuePair();
        left->ModifyToInit();
        right->ModifyToInit();
        left->ModifyToRtr(right->GetLocal());
        right->ModifyToRtr(left->GetLocal());
        left->ModifyToRts();
        left->PostSend(RdmaWorkRequest::Write(100));
        Simulator::Run();
        const auto completions = left->GetSendCompletionQueue()->Poll(1);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "it ends");
        NS_TEST_EXPECT_MSG_EQ(completions[0].status, RdmaWcStatus::RETRY_EXC_ERR, "nobody there");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch(0)->GetDrops(RoceSwitch::NO_ROUTE, true),
                              2,
                              "both tries are dropped by the first switch");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch(1)->GetPort(0)->GetRxFrames(), 0, "none gets on");
    }
};

/**
 * @ingroup roce-tests
 * @brief RoCEv1.
 */
class RoceSegmentTestSuite : public TestSuite
{
  public:
    RoceSegmentTestSuite()
        : TestSuite("roce-segment", Type::UNIT)
    {
        for (const bool ipv6 : {false, true})
        {
            AddTestCase(new RoceSegmentTestCase(false, ipv6));
            AddTestCase(new RoceSegmentTestCase(true, ipv6));
        }
        AddTestCase(new RoceGidTestCase);
        AddTestCase(new RoceBeyondSegmentTestCase);
    }
};

RoceSegmentTestSuite g_roceSegmentTestSuite; //!< registers the suite

} // namespace
