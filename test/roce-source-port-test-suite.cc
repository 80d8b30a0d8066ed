/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-abort-check.h"
#include "roce-fabric-fixture.h"

#include "ns3/enum.h"
#include "ns3/rdma-source-port.h"
#include "ns3/rdma-work-request.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t PATHS = 8;  //!< parallel cables between the switches
constexpr uint32_t FLOWS = 64; //!< queue pairs, or messages

/**
 * @ingroup roce-tests
 * @brief Two switches with eight cables between them, a host at each. ECMP hashes the UDP source
 * port, so each policy has its own footprint on the cables.
 *
 * 64 values hashed to 8 cables leave one of them unused with a probability of 8 (7/8)^64 = 0.15 %,
 * and the hashes are the same in every run.
 */
class RoceSourcePortTestCase : public TestCase
{
  public:
    /// @param policy the policy
    explicit RoceSourcePortTestCase(RdmaSourcePort::Policy policy)
        : TestCase("policy " + std::to_string(policy)),
          m_policy(policy)
    {
    }

  private:
    /// @param frame a frame on the cable of the first host
    void Note(const RoceFrame& frame)
    {
        if (RoceScriptedChannel::IsData(frame))
        {
            m_ports[frame.udpSourcePort].insert(frame.psn);
        }
    }

    void DoRun() override
    {
        m_ports.clear();
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("SourcePortPolicy", EnumValue(m_policy));
        if (m_policy == RdmaSourcePort::USER)
        {
            fabric.roce.SetQueuePairAttribute("SourcePort", UintegerValue(5000));
        }
        fabric.hosts.Create(2);
        for (uint32_t i = 0; i < 2; i++)
        {
            fabric.switches.push_back(CreateObject<RoceSwitchNode>());
            fabric.nics.Add(fabric.roce.Install(fabric.hosts.Get(i), fabric.switches[i]).Get(0));
            fabric.GetEngine(i)->SetAddress(Ipv4Address(0x0a000001 + i));
        }
        for (uint32_t i = 0; i < PATHS; i++)
        {
            fabric.roce.Install(fabric.switches[0], fabric.switches[1]);
        }
        RoceRoutingHelper::PopulateForwardingTables();
        fabric.GetCable(0)->SetScript([this](const RoceFrame& frame, uint8_t end) {
            if (end == 0)
            {
                Note(frame);
            }
            return RoceScriptedChannel::PASS;
        });

        const bool perMessage = m_policy == RdmaSourcePort::PER_MESSAGE;
        std::vector<RoceFabricFixture::QueuePairs> pairs;
        for (uint32_t i = 0; i < (perMessage ? 1 : FLOWS); i++)
        {
            pairs.push_back(fabric.Connect(0, 1));
        }
        for (uint32_t i = 0; i < FLOWS; i++)
        {
            // 4 packets; messages of one queue pair do not overlap, so none overtakes another.
            const auto qp = pairs[i % pairs.size()].first;
            Simulator::Schedule(MicroSeconds(20) * (perMessage ? i : 0),
                                &RdmaQueuePair::PostSend,
                                qp,
                                RdmaWorkRequest::Write(4096));
        }
        Simulator::Run();

        uint32_t used = 0;
        uint64_t frames = 0;
        for (uint16_t port = 1; port <= PATHS; port++)
        {
            const uint64_t sent = fabric.GetSwitch(0)->GetPort(port)->GetTxCounters(3).frames;
            used += sent > 0 ? 1 : 0;
            frames += sent;
        }
        NS_TEST_EXPECT_MSG_EQ(frames, 4 * FLOWS, "every packet crossed once");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetEngine(1)->GetCounters().outOfSequence,
                              0,
                              "nothing is overtaken");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetEngine(0)->GetCounters().completed, FLOWS, "all done");
        switch (m_policy)
        {
        case RdmaSourcePort::HASH:
            NS_TEST_EXPECT_MSG_EQ(used, PATHS, "queue pairs are spread");
            for (const auto& [port, psns] : m_ports)
            {
                NS_TEST_EXPECT_MSG_EQ((port >= 0xc000), true, "range of RoCEv2");
            }
            break;
        case RdmaSourcePort::PER_MESSAGE:
            NS_TEST_EXPECT_MSG_EQ(used, PATHS, "messages are spread");
            NS_TEST_EXPECT_MSG_EQ((m_ports.size() > FLOWS - 3), true, "hardly a collision of 64");
            for (const auto& [port, psns] : m_ports)
            {
                NS_TEST_EXPECT_MSG_EQ((port >= 0xc000), true, "range of RoCEv2");
                for (const uint32_t psn : psns)
                {
                    // All four packets of a message have the port of the first.
                    NS_TEST_EXPECT_MSG_EQ(psns.count(psn / 4 * 4), 1, "one port per message");
                }
            }
            break;
        case RdmaSourcePort::FIXED:
            NS_TEST_EXPECT_MSG_EQ(used, 1, "one path for all");
            NS_TEST_ASSERT_MSG_EQ(m_ports.size(), 1, "one port for all");
            NS_TEST_EXPECT_MSG_EQ(m_ports.begin()->first, 0xc000, "the fixed one");
            break;
        case RdmaSourcePort::USER:
            NS_TEST_EXPECT_MSG_EQ(used, 1, "one path for all");
            NS_TEST_ASSERT_MSG_EQ(m_ports.size(), 1, "one port for all");
            NS_TEST_EXPECT_MSG_EQ(m_ports.begin()->first, 5000, "that of the user");
            break;
        }
    }

    RdmaSourcePort::Policy m_policy;                //!< the policy
    std::map<uint16_t, std::set<uint32_t>> m_ports; //!< PSNs seen, by source port
};

/**
 * @ingroup roce-tests
 * @brief READ responses follow the policy of the responder; a packet that is sent again keeps the
 * port of its message; combinations without a meaning are refused.
 */
class RoceSourcePortRulesTestCase : public TestCase
{
  public:
    RoceSourcePortRulesTestCase()
        : TestCase("responses, retransmissions, refusals")
    {
    }

  private:
    void DoRun() override
    {
        {
            RoceFabricFixture fabric;
            fabric.roce.SetQueuePairAttribute("SourcePortPolicy",
                                              EnumValue(RdmaSourcePort::PER_MESSAGE));
            fabric.Pair();
            const auto qps = fabric.Connect(0, 1);
            std::map<uint32_t, std::set<uint16_t>> requests;
            std::map<uint32_t, std::set<uint16_t>> responses;
            uint32_t lost = 0;
            fabric.GetCable(0)->SetScript([&](const RoceFrame& frame, uint8_t end) {
                if (RoceScriptedChannel::IsData(frame))
                {
                    (end == 0 ? requests : responses)[frame.psn].insert(frame.udpSourcePort);
                    if (end == 0 && frame.psn == 1 && lost++ == 0)
                    {
                        return RoceScriptedChannel::DROP;
                    }
                }
                return RoceScriptedChannel::PASS;
            });
            qps.first->PostSend(RdmaWorkRequest::Write(4096)); // PSN 0 to 3, 1 is lost
            qps.first->PostSend(RdmaWorkRequest::Read(2048));  // PSN 4 and 5
            qps.first->PostSend(RdmaWorkRequest::Read(2048));  // PSN 6 and 7
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 3, "all done");
            NS_TEST_EXPECT_MSG_EQ((qps.first->GetCounters().retransmittedPackets > 0),
                                  true,
                                  "something was sent again");
            for (const auto& [psn, ports] : requests)
            {
                NS_TEST_EXPECT_MSG_EQ(ports.size(), 1, "the same port again");
            }
            NS_TEST_EXPECT_MSG_EQ((requests[1] == requests[0]), true, "one message");
            NS_TEST_EXPECT_MSG_EQ((requests[4] == requests[0]), false, "two messages");
            NS_TEST_EXPECT_MSG_EQ((responses[4] == responses[5]), true, "one response");
            NS_TEST_EXPECT_MSG_EQ((responses[4] == responses[6]), false, "two responses");
        }
        if (RoceAbortCheck::IsSupported())
        {
            const std::string message = RoceAbortCheck::GetMessage([]() {
                RoceFabricFixture fabric;
                fabric.roce.SetQueuePairAttribute("SourcePortPolicy",
                                                  EnumValue(RdmaSourcePort::USER));
                fabric.Pair();
                fabric.Connect(0, 1);
            });
            NS_TEST_EXPECT_MSG_EQ((message.find("SourcePort must be set") != std::string::npos),
                                  true,
                                  "USER without a port: " + message);
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief Choice of UDP source ports.
 */
class RoceSourcePortTestSuite : public TestSuite
{
  public:
    RoceSourcePortTestSuite()
        : TestSuite("roce-source-port", Type::UNIT)
    {
        for (const auto policy : {RdmaSourcePort::HASH,
                                  RdmaSourcePort::FIXED,
                                  RdmaSourcePort::PER_MESSAGE,
                                  RdmaSourcePort::USER})
        {
            AddTestCase(new RoceSourcePortTestCase(policy));
        }
        AddTestCase(new RoceSourcePortRulesTestCase);
    }
};

RoceSourcePortTestSuite g_roceSourcePortTestSuite; //!< registers the suite

} // namespace
