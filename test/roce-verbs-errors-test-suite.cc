/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-abort-check.h"
#include "roce-fabric-fixture.h"

#include "ns3/rdma-opcode.h"
#include "ns3/rdma-syndrome.h"
#include "ns3/rdma-work-request.h"
#include "ns3/roce-frame.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief A request that the responder refuses fails with the right status, what is behind it is
 * flushed, both ends are in error, and nothing hangs.
 */
class RoceRefusedRequestTestCase : public TestCase
{
  public:
    /// One way to be refused.
    struct Setup
    {
        std::string name;           //!< what is wrong
        RdmaWcStatus sender;        //!< status of the request
        RdmaWcStatus receiver;      //!< status of the receiver's buffer
        uint64_t bufferBytes{4000}; //!< receive buffer
        uint32_t peerMtu{1024};     //!< path MTU of the responder
        /// Changes frames between the hosts.
        std::function<void(RoceFrame&)> change{[](RoceFrame&) {}};
        bool receiverFails{true}; //!< the responder is in error, too
    };

    /// @param setup the way to be refused
    explicit RoceRefusedRequestTestCase(const Setup& setup)
        : TestCase(setup.name),
          m_setup(setup)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Star(2);
        fabric.GetEngine(1)->SetQueuePairAttribute("PathMtu", UintegerValue(m_setup.peerMtu));
        const auto qps = fabric.Connect(0, 1);
        const auto change = m_setup.change;
        fabric.GetCable(1)->SetScript([change](RoceFrame& frame, uint8_t) {
            change(frame);
            return RoceScriptedChannel::PASS;
        });
        qps.second->PostReceive({1, m_setup.bufferBytes});
        qps.second->PostReceive({2, m_setup.bufferBytes});
        qps.first->PostSend(RdmaWorkRequest::Send(4000, 1));
        qps.first->PostSend(RdmaWorkRequest::Write(5000, 2));
        Simulator::Run();

        const auto& sender = qps.first->GetCounters();
        const auto sent = qps.first->GetSendCompletionQueue()->Poll(5);
        NS_TEST_ASSERT_MSG_EQ(sent.size(), 2, "both requests complete");
        NS_TEST_EXPECT_MSG_EQ(sent[0].wrId, 1, "in order");
        NS_TEST_EXPECT_MSG_EQ(sent[0].status, m_setup.sender, "status of the refused one");
        NS_TEST_EXPECT_MSG_EQ(sent[1].status, RdmaWcStatus::WR_FLUSH_ERR, "status of the other");
        NS_TEST_EXPECT_MSG_EQ((qps.first->GetState() == RdmaQpState::ERR), true, "sender in ERR");
        NS_TEST_EXPECT_MSG_EQ(sender.posted, 2, "posted");
        NS_TEST_EXPECT_MSG_EQ(sender.failed, 2, "failed");
        NS_TEST_EXPECT_MSG_EQ(sender.completed, 0, "completed");
        NS_TEST_EXPECT_MSG_EQ(sender.localAckTimeoutErr, 0, "nothing waits for a timeout");
        if (!m_setup.receiverFails)
        {
            return;
        }
        const auto received = qps.second->GetReceiveCompletionQueue()->Poll(5);
        NS_TEST_ASSERT_MSG_EQ(received.size(), 2, "both buffers complete");
        NS_TEST_EXPECT_MSG_EQ(received[0].wrId, 1, "in order");
        NS_TEST_EXPECT_MSG_EQ(received[0].status, m_setup.receiver, "status of the first buffer");
        NS_TEST_EXPECT_MSG_EQ(received[1].status, RdmaWcStatus::WR_FLUSH_ERR, "of the second");
        NS_TEST_EXPECT_MSG_EQ((qps.second->GetState() == RdmaQpState::ERR),
                              true,
                              "receiver in ERR");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().naksSent, 1, "one NAK");
    }

    Setup m_setup; //!< the way to be refused
};

/**
 * @ingroup roce-tests
 * @brief Errors of use stop the program and say what is wrong.
 */
class RoceMisuseTestCase : public TestCase
{
  public:
    /// Sets up and misuses a fabric.
    typedef std::function<void(RoceFabricFixture&)> Misuse;

    /**
     * @param name what is done
     * @param says words that the message must contain; empty if it is allowed
     * @param misuse does it
     */
    RoceMisuseTestCase(const std::string& name, const std::string& says, Misuse misuse)
        : TestCase(name),
          m_says(says),
          m_misuse(misuse)
    {
    }

  private:
    void DoRun() override
    {
        if (!RoceAbortCheck::IsSupported())
        {
            return;
        }
        const auto misuse = m_misuse;
        const std::string message = RoceAbortCheck::GetMessage([misuse]() {
            RoceFabricFixture fabric;
            misuse(fabric);
        });
        if (m_says.empty())
        {
            NS_TEST_EXPECT_MSG_EQ(message, "", "this is allowed");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ((message.find(m_says) != std::string::npos),
                                  true,
                                  "expected '" << m_says << "', got '" << message << "'");
        }
    }

    std::string m_says; //!< words that the message must contain
    Misuse m_misuse;    //!< does it
};

/**
 * @ingroup roce-tests
 * @brief Connect two hosts.
 * @param fabric the fabric
 * @param mtu MTU of the ports
 * @param pathMtu path MTU
 * @param ipv6 IPv6 addresses
 * @param vlan VLAN ID, 0 for none
 */
void
ConnectWithMtu(RoceFabricFixture& fabric, uint32_t mtu, uint32_t pathMtu, bool ipv6, uint32_t vlan)
{
    fabric.useIpv6 = ipv6;
    fabric.roce.SetDeviceAttribute("Mtu", UintegerValue(mtu));
    fabric.roce.SetEngineAttribute("VlanId", UintegerValue(vlan));
    fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(pathMtu));
    fabric.Star(2);
    fabric.Connect(0, 1);
}

/**
 * @ingroup roce-tests
 * @brief Verbs error test suite.
 */
class RoceVerbsErrorsTestSuite : public TestSuite
{
  public:
    RoceVerbsErrorsTestSuite();

  private:
    /// Requests that the responder refuses.
    void AddRefusals();
    /// Errors of use.
    void AddMisuses();
};

RoceVerbsErrorsTestSuite::RoceVerbsErrorsTestSuite()
    : TestSuite("roce-verbs-errors", Type::UNIT)
{
    AddRefusals();
    AddMisuses();
}

void
RoceVerbsErrorsTestSuite::AddRefusals()
{
    RoceRefusedRequestTestCase::Setup setup;
    setup.name = "SEND into a buffer that is too small";
    setup.sender = RdmaWcStatus::REM_INV_REQ_ERR;
    setup.receiver = RdmaWcStatus::LOC_LEN_ERR;
    setup.bufferBytes = 3999;
    AddTestCase(new RoceRefusedRequestTestCase(setup));

    setup = {};
    setup.name = "the ends have different path MTUs";
    setup.sender = RdmaWcStatus::REM_INV_REQ_ERR;
    setup.receiver = RdmaWcStatus::WR_FLUSH_ERR;
    setup.peerMtu = 2048;
    AddTestCase(new RoceRefusedRequestTestCase(setup));

    setup.name = "a middle packet where a first one is expected";
    setup.peerMtu = 1024;
    setup.change = [](RoceFrame& frame) {
        if (frame.opcode == RdmaOpcode::RC_SEND_FIRST)
        {
            frame.opcode = RdmaOpcode::RC_SEND_MIDDLE;
        }
    };
    AddTestCase(new RoceRefusedRequestTestCase(setup));

    setup.name = "a WRITE packet inside of a SEND";
    setup.change = [](RoceFrame& frame) {
        if (frame.opcode == RdmaOpcode::RC_SEND_MIDDLE)
        {
            frame.opcode = RdmaOpcode::RC_WRITE_MIDDLE;
        }
    };
    AddTestCase(new RoceRefusedRequestTestCase(setup));

    // The other NAKs come from responders that check keys and bounds.
    const auto answer = [](RdmaSyndrome::NakCode code) {
        return [code](RoceFrame& frame) {
            if (RoceScriptedChannel::IsAck(frame))
            {
                frame.ext.ack.syndrome = RdmaSyndrome::MakeNak(code);
            }
        };
    };
    setup.receiverFails = false;
    setup.name = "the peer denies access";
    setup.sender = RdmaWcStatus::REM_ACCESS_ERR;
    setup.change = answer(RdmaSyndrome::REMOTE_ACCESS_ERROR);
    AddTestCase(new RoceRefusedRequestTestCase(setup));

    setup.name = "the peer fails";
    setup.sender = RdmaWcStatus::REM_OP_ERR;
    setup.change = answer(RdmaSyndrome::REMOTE_OPERATIONAL_ERROR);
    AddTestCase(new RoceRefusedRequestTestCase(setup));
}

void
RoceVerbsErrorsTestSuite::AddMisuses()
{
    const auto add = [this](const std::string& name,
                            const std::string& says,
                            RoceMisuseTestCase::Misuse misuse) {
        AddTestCase(new RoceMisuseTestCase(name, says, misuse));
    };
    add("connect a port to itself", "loopback", [](RoceFabricFixture& fabric) {
        fabric.Star(2);
        fabric.Connect(1, 1);
    });
    add("cable from a node to itself", "to itself", [](RoceFabricFixture& fabric) {
        fabric.hosts.Create(1);
        fabric.roce.Install(fabric.hosts.Get(0), fabric.hosts.Get(0));
    });
    add("connect ports without address", "no IP address", [](RoceFabricFixture& fabric) {
        fabric.hosts.Create(2);
        fabric.nics = fabric.roce.Install(fabric.hosts.Get(0), fabric.hosts.Get(1));
        fabric.Connect(0, 1);
    });
    add("connect IPv4 to IPv6", "different families", [](RoceFabricFixture& fabric) {
        fabric.Star(2);
        fabric.GetEngine(1)->SetAddress(Ipv6Address("2001:db8::1"));
        fabric.Connect(0, 1);
    });
    add("queue pairs on a switch port", "not a NIC port", [](RoceFabricFixture& fabric) {
        fabric.Star(2);
        RoceHelper::GetEngine(fabric.GetSwitch()->GetPort(0));
    });
    add("send before RTS", "needs state RTS", [](RoceFabricFixture& fabric) {
        fabric.Star(2);
        fabric.GetEngine(0)->CreateQueuePair()->PostSend(RdmaWorkRequest::Write(1));
    });
    add("receive before INIT", "needs INIT", [](RoceFabricFixture& fabric) {
        fabric.Star(2);
        fabric.GetEngine(0)->CreateQueuePair()->PostReceive({1, 1});
    });
    add("skip a state", "RTS follows RTR only", [](RoceFabricFixture& fabric) {
        fabric.Star(2);
        auto qp = fabric.GetEngine(0)->CreateQueuePair();
        qp->ModifyToInit();
        qp->ModifyToRts();
    });
    add("SEND of more than 2^31 B", "largest message", [](RoceFabricFixture& fabric) {
        fabric.Star(2);
        fabric.Connect(0, 1).first->PostSend(RdmaWorkRequest::Send((uint64_t{1} << 31) + 1));
    });
    add("destroy twice", "no longer", [](RoceFabricFixture& fabric) {
        fabric.Star(2);
        const auto qp = fabric.Connect(0, 1).first;
        fabric.GetEngine(0)->DestroyQueuePair(qp);
        fabric.GetEngine(0)->DestroyQueuePair(qp);
    });
    add("destroy at the wrong port", "not, or no longer", [](RoceFabricFixture& fabric) {
        fabric.Star(2);
        fabric.GetEngine(1)->DestroyQueuePair(fabric.Connect(0, 1).first);
    });
    add("use after destroy", "needs state RTS", [](RoceFabricFixture& fabric) {
        fabric.Star(2);
        const auto qp = fabric.Connect(0, 1).first;
        fabric.GetEngine(0)->DestroyQueuePair(qp);
        qp->PostSend(RdmaWorkRequest::Write(1));
    });

    // Largest packet from layer 3 on: IPv4 20 (IPv6 40), UDP 8, BTH 12, RETH 16, ImmDt 4, ICRC 4:
    // 64 (84) B and the payload, padded to a multiple of four. A tag does not count.
    add("MTU 1500, path MTU 1436", "", [](RoceFabricFixture& fabric) {
        ConnectWithMtu(fabric, 1500, 1436, false, 0);
    });
    add("MTU 1500, path MTU 1437", "MTU of the port is 1500", [](RoceFabricFixture& fabric) {
        ConnectWithMtu(fabric, 1500, 1437, false, 0);
    });
    add("MTU 1500, path MTU 1436, VLAN", "", [](RoceFabricFixture& fabric) {
        ConnectWithMtu(fabric, 1500, 1436, false, 7);
    });
    add("MTU 1500, path MTU 1440, VLAN", "MTU of the port is 1500", [](RoceFabricFixture& fabric) {
        ConnectWithMtu(fabric, 1500, 1440, false, 7);
    });
    add("MTU 1500, path MTU 1416, IPv6", "", [](RoceFabricFixture& fabric) {
        ConnectWithMtu(fabric, 1500, 1416, true, 0);
    });
    add("MTU 1500, path MTU 1420, IPv6", "MTU of the port is 1500", [](RoceFabricFixture& fabric) {
        ConnectWithMtu(fabric, 1500, 1420, true, 0);
    });
    add("MTU 1500, path MTU 4096", "needs packets of 4160 bytes", [](RoceFabricFixture& fabric) {
        ConnectWithMtu(fabric, 1500, 4096, false, 0);
    });
}

RoceVerbsErrorsTestSuite g_roceVerbsErrorsTestSuite; //!< registers the suite

} // namespace
