/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-wire-log.h"
#include "roce-fabric-fixture.h"

#include "ns3/callback.h"
#include "ns3/rdma-memory-table.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-work-request.h"
#include "ns3/roce-clock.h"
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

constexpr uint32_t MIDDLE = RoceFabricFixture::MIDDLE; //!< frame without extension and payload
constexpr uint32_t REQUEST = MIDDLE + 16;              //!< frame of a READ request: RETH
constexpr uint32_t ANSWER = MIDDLE + 4;                //!< the same with AETH
constexpr RocePs TIMEOUT_UNIT = 4'096'000;             //!< 4.096 us: local ACK timeout with code 0

/**
 * @ingroup roce-tests
 * @brief One frame around a READ is lost; what is missing, and only that, is asked for again.
 *
 * A READ of ten packets, then a WRITE of one packet (or nothing). Pair of hosts, so that the times
 * are those of one cable.
 */
class RdmaReadLossTestCase : public TestCase
{
  public:
    /// What is lost, and what has to follow.
    struct Setup
    {
        std::string name;                                    //!< what is lost
        std::function<bool(const RdmaWireLog::Line&)> loses; //!< picks the frame
        bool write{true};                                    //!< a WRITE follows the READ
        uint32_t again{0};      //!< first response packet that is asked for again, 10: none
        uint64_t naks{0};       //!< NAKs of the responder
        uint64_t implied{0};    //!< responses found missing
        uint64_t timeouts{0};   //!< local ACK timeouts
        uint64_t duplicates{0}; //!< duplicates at the responder
        uint64_t responses{10}; //!< response packets sent
    };

    /// @param setup what is lost, and what has to follow
    explicit RdmaReadLossTestCase(const Setup& setup)
        : TestCase("lost: " + setup.name),
          m_setup(setup)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t BASE = 0x10000;
        constexpr uint32_t LENGTH = 10 * 1024;
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(6)); // 262.144 us
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        RdmaMemoryTable& memory = fabric.GetEngine(1)->GetMemory();
        const uint32_t key = memory.Register(BASE, LENGTH, RDMA_ALL_ACCESS, true).rKey;
        const Ptr<Packet> bytes = RdmaWireLog::MakePayload(LENGTH, 7);
        memory.Write(key, BASE, bytes);

        bool lost = false;
        RdmaWireLog* wire = nullptr;
        const RdmaWireLog log(fabric, 0, [&](const RoceFrame&, uint8_t) {
            if (!lost && m_setup.loses(wire->lines.back()))
            {
                lost = true;
                return RoceScriptedChannel::DROP;
            }
            return RoceScriptedChannel::PASS;
        });
        wire = const_cast<RdmaWireLog*>(&log);
        auto read = RdmaWorkRequest::Read(LENGTH, 1);
        read.remoteAddress = BASE;
        read.rKey = key;
        qps.first->PostSend(read);
        if (m_setup.write)
        {
            auto write = RdmaWorkRequest::Write(1, 2);
            write.remoteAddress = BASE;
            write.rKey = key;
            qps.first->PostSend(write);
        }
        Simulator::Run();

        const auto& requester = qps.first->GetCounters();
        const auto& responder = qps.second->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(lost, true, "the frame came by");
        NS_TEST_EXPECT_MSG_EQ(responder.naksSent, m_setup.naks, "NAKs");
        NS_TEST_EXPECT_MSG_EQ(requester.impliedNakSeqErr, m_setup.implied, "implied NAKs");
        NS_TEST_EXPECT_MSG_EQ(requester.localAckTimeoutErr, m_setup.timeouts, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(responder.duplicateRequest, m_setup.duplicates, "duplicates");
        NS_TEST_EXPECT_MSG_EQ(responder.packetsSent, m_setup.responses, "responses");
        NS_TEST_EXPECT_MSG_EQ(requester.bytesReceived, LENGTH, "each byte is taken once");
        NS_TEST_EXPECT_MSG_EQ(responder.packetsReceived, (m_setup.write ? 2 : 1), "executed once");
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(3);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), (m_setup.write ? 2 : 1), "completions");
        NS_TEST_EXPECT_MSG_EQ(completions[0].wrId, 1, "in order");
        NS_TEST_EXPECT_MSG_EQ(completions[0].status, RdmaWcStatus::SUCCESS, "status");
        NS_TEST_EXPECT_MSG_EQ(completions[0].byteLength, LENGTH, "length");
        NS_TEST_EXPECT_MSG_EQ(
            (RdmaWireLog::GetBytes(completions[0].payload) == RdmaWireLog::GetBytes(bytes)),
            true,
            "payload");
        const auto requests = log.Find(RdmaOpcode::RC_READ_REQUEST);
        NS_TEST_ASSERT_MSG_EQ(requests.size(), (m_setup.again < 10 ? 2 : 1), "requests");
        if (m_setup.again == 10)
        {
            return;
        }
        const uint32_t again = m_setup.again;
        NS_TEST_EXPECT_MSG_EQ(requests[1].psn, again, "PSN of the second request");
        NS_TEST_EXPECT_MSG_EQ(requests[1].dmaLength, LENGTH - again * 1024, "its length");
        NS_TEST_EXPECT_MSG_EQ(requests[1].remoteAddress, BASE + again * 1024, "its address");
        // The answer to it is a READ response of its own: First ... Last, or Only.
        const uint8_t opcode =
            again == 9 ? RdmaOpcode::RC_READ_RESPONSE_ONLY : RdmaOpcode::RC_READ_RESPONSE_FIRST;
        const auto answers = log.Find([again](const RdmaWireLog::Line& line) {
            return RdmaOpcode::IsReadResponse(line.opcode) && line.psn == again;
        });
        NS_TEST_EXPECT_MSG_EQ(+answers.back().opcode, +opcode, "opcode of the second answer");
        if (m_setup.timeouts == 1 && again == 9)
        {
            // Nine responses, the timeout, and a short round trip.
            const RocePs progress = fabric.Flight(REQUEST) + fabric.Slot(ANSWER + 1024) +
                                    7 * fabric.Slot(MIDDLE + 1024) + fabric.Flight(MIDDLE + 1024);
            const RocePs done = progress + (TIMEOUT_UNIT << 6) + fabric.Flight(REQUEST) +
                                fabric.Flight(ANSWER + 1024);
            NS_TEST_EXPECT_MSG_EQ(completions[0].completed, PicoSeconds(done), "time");
        }
    }

    Setup m_setup; //!< what is lost, and what has to follow
};

/**
 * @ingroup roce-tests
 * @brief A response is missed while a later READ is being answered: the repeated answer goes first,
 * then the later READ starts anew, and no timeout is needed.
 *
 * A READ of 10 packets, whose last response is lost, and one of 60. The first response of the
 * second reveals the loss, and both requests come again while it is being answered.
 */
class RdmaRepeatedAnswerTestCase : public TestCase
{
  public:
    RdmaRepeatedAnswerTestCase()
        : TestCase("repeated answer in the middle of a later one")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t MTU = 1024;
        RoceFabricFixture fabric;
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        fabric.GetCable(0)->SetScript(RoceScriptedChannel::Lose(
            [](const RoceFrame& frame) { return RdmaOpcode::IsReadResponse(frame.opcode); },
            {9}));
        qps.first->PostSend(RdmaWorkRequest::Read(10 * MTU, 1));
        qps.first->PostSend(RdmaWorkRequest::Read(60 * MTU, 2));
        Simulator::Run();

        const RocePs ends = fabric.Slot(ANSWER + MTU); // First, Last and Only have an AETH
        const RocePs slot = fabric.Slot(MIDDLE + MTU);
        const RocePs second = fabric.Flight(REQUEST) + 2 * ends + 8 * slot; // its first response
        const RocePs again = second + fabric.Flight(ANSWER + MTU) + fabric.Flight(REQUEST);
        const RocePs sent = (again - second - ends + slot - 1) / slot; // Middles until then
        const RocePs turn = second + ends + sent * slot;
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(3);
        NS_TEST_EXPECT_MSG_EQ(completions.size(), 2, "both complete");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().localAckTimeoutErr, 0, "no timeout");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().impliedNakSeqErr, 1, "one loss is noticed");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().packetsSent,
                              10 + 1 + static_cast<uint64_t>(sent) + 1 + 60,
                              "responses");
        if (completions.size() == 2)
        {
            NS_TEST_EXPECT_MSG_EQ(completions[0].completed,
                                  PicoSeconds(turn + fabric.Flight(ANSWER + MTU)),
                                  "first READ");
            NS_TEST_EXPECT_MSG_EQ(
                completions[1].completed,
                PicoSeconds(turn + 2 * ends + 58 * slot + fabric.Flight(ANSWER + MTU)),
                "second READ");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief An old request that comes again does not count against the responder resources.
 *
 * Depth 1 at both ends. The first READ, of 14 packets of 88 ns, is answered by 2.2 us, and its
 * request comes again at 3.2 us; the second READ comes at 4.2 us, while the answer to that is being
 * sent.
 */
class RdmaOldRequestTestCase : public TestCase
{
  public:
    RdmaOldRequestTestCase()
        : TestCase("an old READ request comes again")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("MaxReadAtomic", UintegerValue(1));
        fabric.roce.SetQueuePairAttribute("MaxDestReadAtomic", UintegerValue(1));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        fabric.GetCable(0)->SetExtraDelay(NanoSeconds(2190));
        fabric.GetCable(0)->SetScript([](const RoceFrame& frame, uint8_t) {
            return RdmaOpcode::IsReadRequest(frame.opcode) && frame.psn == 0
                       ? RoceScriptedChannel::ECHO
                       : RoceScriptedChannel::PASS;
        });
        qps.first->PostSend(RdmaWorkRequest::Read(14 * 1024, 1));
        qps.first->PostSend(RdmaWorkRequest::Read(10 * 1024, 2));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().duplicateRequest, 1, "it came again");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().packetsSent, 38, "and was answered");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().bytesReceived, 24 * 1024, "in vain");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().naksSent, 0, "nothing is refused");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 2, "both complete");
    }
};

/**
 * @ingroup roce-tests
 * @brief A response that does not fit its request fails it, and a callback that destroys the queue
 * pair meanwhile is no problem.
 */
class RdmaBadResponseTestCase : public TestCase
{
  public:
    /// @param destroys the completion of the WRITE before destroys the queue pair
    explicit RdmaBadResponseTestCase(bool destroys)
        : TestCase(std::string("bad response") + (destroys ? ", destroyed by a callback" : "")),
          m_destroys(destroys)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("AckInterval", UintegerValue(100));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        fabric.GetCable(0)->SetScript([](RoceFrame& frame, uint8_t) {
            if (RdmaOpcode::IsReadResponse(frame.opcode))
            {
                frame.payloadBytes = 7;
            }
            return RoceScriptedChannel::IsAck(frame) ? RoceScriptedChannel::DROP
                                                     : RoceScriptedChannel::PASS;
        });
        m_qp = qps.first;
        m_qp->GetSendCompletionQueue()->SetCallback(
            MakeCallback(&RdmaBadResponseTestCase::Completed, this));
        m_qp->PostSend(RdmaWorkRequest::Write(1, 1));
        m_qp->PostSend(RdmaWorkRequest::Read(100, 2));
        m_qp->PostSend(RdmaWorkRequest::Write(1, 3));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_status.size(), 3, "all complete, once");
        NS_TEST_EXPECT_MSG_EQ(m_status[0], RdmaWcStatus::SUCCESS, "acknowledged by the response");
        NS_TEST_EXPECT_MSG_EQ(
            m_status[1],
            (m_destroys ? RdmaWcStatus::WR_FLUSH_ERR : RdmaWcStatus::BAD_RESP_ERR),
            "the READ");
        NS_TEST_EXPECT_MSG_EQ(m_status[2], RdmaWcStatus::WR_FLUSH_ERR, "the one behind");
        m_qp = nullptr;
    }

    /// @param done a completion
    void Completed(const RdmaWorkCompletion& done)
    {
        m_status.push_back(done.status);
        if (m_destroys && done.wrId == 1)
        {
            m_qp->GetEngine()->DestroyQueuePair(m_qp);
        }
    }

    bool m_destroys;                    //!< the first completion destroys the queue pair
    Ptr<RdmaQueuePair> m_qp;            //!< the requester
    std::vector<RdmaWcStatus> m_status; //!< completions
};

/**
 * @ingroup roce-tests
 * @brief READ loss test suite.
 */
class RdmaReadLossTestSuite : public TestSuite
{
  public:
    RdmaReadLossTestSuite();

  private:
    /// READs with a lost frame.
    void AddLosses();
};

RdmaReadLossTestSuite::RdmaReadLossTestSuite()
    : TestSuite("roce-read-loss", Type::UNIT)
{
    AddLosses();
    AddTestCase(new RdmaRepeatedAnswerTestCase());
    AddTestCase(new RdmaOldRequestTestCase());
    AddTestCase(new RdmaBadResponseTestCase(false));
    AddTestCase(new RdmaBadResponseTestCase(true));
}

void
RdmaReadLossTestSuite::AddLosses()
{
    const auto response = [](uint32_t psn) {
        return [psn](const RdmaWireLog::Line& line) {
            return RdmaOpcode::IsReadResponse(line.opcode) && line.psn == psn;
        };
    };
    RdmaReadLossTestCase::Setup setup;
    setup.name = "READ request";
    setup.loses = [](const RdmaWireLog::Line& line) {
        return RdmaOpcode::IsReadRequest(line.opcode);
    };
    setup.naks = 1;
    AddTestCase(new RdmaReadLossTestCase(setup));
    setup.name = "READ request, nothing behind";
    setup.write = false;
    setup.naks = 0;
    setup.timeouts = 1;
    AddTestCase(new RdmaReadLossTestCase(setup));

    // The responses that are behind the lost one have left by the time the second request comes,
    // and the answer to the WRITE has, too: both requests are duplicates.
    setup.timeouts = 0;
    setup.write = true;
    setup.implied = 1;
    setup.duplicates = 2;
    setup.name = "first response";
    setup.loses = response(0);
    setup.responses = 20;
    AddTestCase(new RdmaReadLossTestCase(setup));
    setup.name = "middle response";
    setup.loses = response(5);
    setup.again = 5;
    setup.responses = 15;
    AddTestCase(new RdmaReadLossTestCase(setup));
    setup.name = "last response";
    setup.loses = response(9);
    setup.again = 9;
    setup.responses = 11;
    AddTestCase(new RdmaReadLossTestCase(setup));
    setup.name = "last response, nothing behind";
    setup.write = false;
    setup.implied = 0;
    setup.timeouts = 1;
    setup.duplicates = 1;
    AddTestCase(new RdmaReadLossTestCase(setup));

    setup.name = "ACK behind the response";
    setup.loses = [](const RdmaWireLog::Line& line) {
        return line.opcode == RdmaOpcode::RC_ACKNOWLEDGE;
    };
    setup.write = true;
    setup.again = 10;
    setup.responses = 10;
    AddTestCase(new RdmaReadLossTestCase(setup));
}

RdmaReadLossTestSuite g_rdmaReadLossTestSuite; //!< registers the suite

} // namespace
