/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-service-pair.h"
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
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MIDDLE = RoceFabricFixture::MIDDLE; //!< frame without extension and payload
constexpr uint32_t FIRST = RoceFabricFixture::FIRST;   //!< the same with RETH
constexpr uint32_t DATAGRAM = MIDDLE + 8;              //!< the same with DETH

/**
 * @ingroup roce-tests
 * @brief An unreliable connection: no acknowledgment, a work request is complete when its last
 * packet starts, and a message that has lost a packet is dropped up to the next First or Only.
 *
 * Four messages of five packets each, one after the other; packet i has index i over all.
 */
class RdmaUcTestCase : public TestCase
{
  public:
    /// What is lost, and what has to follow.
    struct Setup
    {
        std::string name;            //!< what is lost
        std::set<uint64_t> lost;     //!< indices of lost packets
        std::set<uint32_t> messages; //!< messages that arrive
        uint64_t gaps{0};            //!< times that the PSN is not the expected one
        uint64_t dropped{0};         //!< packets dropped
    };

    /**
     * @param setup what is lost, and what has to follow
     * @param operation SEND, or WRITE with immediate data
     */
    RdmaUcTestCase(const Setup& setup, RdmaOperation operation)
        : TestCase("UC " + std::string(operation == RdmaOperation::SEND ? "SEND, " : "WRITE, ") +
                   setup.name),
          m_setup(setup),
          m_operation(operation)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t LENGTH = 5 * 1024 - 3;
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("InitialPsn", UintegerValue(0xfffff8));
        fabric.Pair();
        const auto qps = RdmaServicePair::Connect(fabric, RdmaService::UC);
        const RdmaWireLog log(fabric,
                              0,
                              RoceScriptedChannel::Lose(RoceScriptedChannel::IsData, m_setup.lost));
        for (uint32_t i = 0; i < 4; i++)
        {
            qps.second->PostReceive({i, LENGTH});
            RdmaWorkRequest request = RdmaWorkRequest::Send(LENGTH, i);
            request.operation = m_operation;
            request.immediate = i;
            request.payload = RdmaWireLog::MakePayload(LENGTH, i);
            qps.first->PostSend(request);
        }
        Simulator::Run();

        const bool isSend = m_operation == RdmaOperation::SEND;
        const uint32_t first = isSend ? MIDDLE : FIRST;
        const uint32_t last = (isSend ? MIDDLE : MIDDLE + 4) + 1024; // 1021 B are padded to 1024
        NS_TEST_ASSERT_MSG_EQ(log.lines.size(), 20, "nothing but the data, each packet once");
        const auto sent = qps.first->GetSendCompletionQueue()->Poll(5);
        NS_TEST_ASSERT_MSG_EQ(sent.size(), 4, "all complete");
        RocePs start = 0;
        for (uint32_t i = 0; i < 4; i++)
        {
            const RocePs lastStart =
                start + fabric.Slot(first + 1024) + 3 * fabric.Slot(MIDDLE + 1024);
            NS_TEST_EXPECT_MSG_EQ(sent[i].status, RdmaWcStatus::SUCCESS, "whatever happens to it");
            NS_TEST_EXPECT_MSG_EQ(sent[i].completed, PicoSeconds(lastStart), "at departure");
            NS_TEST_EXPECT_MSG_EQ(log.lines[5 * i].start, start, "start of message " << i);
            start = lastStart + fabric.Slot(last);
        }
        for (uint32_t i = 0; i < 20; i++)
        {
            const auto& line = log.lines[i];
            NS_TEST_EXPECT_MSG_EQ(line.psn, ((0xfffff8 + i) & 0xffffff), "PSN of packet " << i);
            NS_TEST_EXPECT_MSG_EQ(line.ackReq, false, "asks for no acknowledgment");
            NS_TEST_EXPECT_MSG_EQ(+RdmaOpcode::GetService(line.opcode), +RdmaOpcode::UC, "opcode");
        }
        const auto received = qps.second->GetReceiveCompletionQueue()->Poll(5);
        NS_TEST_ASSERT_MSG_EQ(received.size(), m_setup.messages.size(), "messages that arrive");
        uint32_t k = 0;
        for (const uint32_t message : m_setup.messages)
        {
            NS_TEST_EXPECT_MSG_EQ(received[k].wrId, k, "buffers are used in order");
            NS_TEST_EXPECT_MSG_EQ(received[k].byteLength, LENGTH, "length");
            if (isSend)
            {
                NS_TEST_EXPECT_MSG_EQ(
                    (RdmaWireLog::GetBytes(received[k].payload) ==
                     RdmaWireLog::GetBytes(RdmaWireLog::MakePayload(LENGTH, message))),
                    true,
                    "payload of message " << message);
            }
            else
            {
                NS_TEST_EXPECT_MSG_EQ(received[k].immediate, message, "message " << message);
            }
            k++;
        }
        const auto& counters = qps.second->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.outOfSequence, m_setup.gaps, "gaps");
        NS_TEST_EXPECT_MSG_EQ(counters.droppedPackets, m_setup.dropped, "dropped packets");
        NS_TEST_EXPECT_MSG_EQ(counters.messagesReceived, m_setup.messages.size(), "messages");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetReceiveQueueLength(),
                              4 - m_setup.messages.size(),
                              "buffers that are left");
        NS_TEST_EXPECT_MSG_EQ((qps.second->GetState() == RdmaQpState::RTS), true, "no error");
    }

    Setup m_setup;             //!< what is lost, and what has to follow
    RdmaOperation m_operation; //!< SEND, or WRITE with immediate data
};

/**
 * @ingroup roce-tests
 * @brief What an unreliable connection does not accept is dropped without an answer.
 */
class RdmaUcRefusedTestCase : public TestCase
{
  public:
    RdmaUcRefusedTestCase()
        : TestCase("UC drops what it cannot accept")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Pair();
        const auto qps = RdmaServicePair::Connect(fabric, RdmaService::UC);
        const uint32_t key =
            fabric.GetEngine(1)->GetMemory().Register(4096, 5000, RDMA_ALL_ACCESS, false).rKey;
        const RdmaWireLog log(fabric, 0);
        auto write = RdmaWorkRequest::Write(3000, 1); // three packets
        write.remoteAddress = 4096;
        write.rKey = key + 1;
        qps.first->PostSend(write); // bad key
        write.rKey = key;
        qps.first->PostSend(write); // fine
        write.remoteAddress += 2001;
        qps.first->PostSend(write);                          // ends behind the region
        qps.first->PostSend(RdmaWorkRequest::Send(1500, 2)); // no buffer, two packets
        Simulator::Run();
        const auto& counters = qps.second->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.droppedPackets, 3 + 3 + 2, "dropped");
        NS_TEST_EXPECT_MSG_EQ(counters.messagesReceived, 1, "one WRITE");
        NS_TEST_EXPECT_MSG_EQ(counters.bytesReceived, 3000, "its bytes");
        NS_TEST_EXPECT_MSG_EQ(log.lines.size(), 11, "no answers");
        NS_TEST_EXPECT_MSG_EQ((qps.second->GetState() == RdmaQpState::RTS), true, "no error");

        // A buffer that is too small is used up.
        qps.second->PostReceive({1, 1499});
        qps.second->PostReceive({2, 1500});
        qps.first->PostSend(RdmaWorkRequest::Send(1500, 2));
        qps.first->PostSend(RdmaWorkRequest::Send(1500, 3));
        Simulator::Run();
        const auto received = qps.second->GetReceiveCompletionQueue()->Poll(3);
        NS_TEST_ASSERT_MSG_EQ(received.size(), 2, "both buffers");
        NS_TEST_EXPECT_MSG_EQ(received[0].status, RdmaWcStatus::LOC_LEN_ERR, "too small");
        NS_TEST_EXPECT_MSG_EQ(received[1].status, RdmaWcStatus::SUCCESS, "large enough");
        NS_TEST_EXPECT_MSG_EQ(received[1].byteLength, 1500, "length");
    }
};

/**
 * @ingroup roce-tests
 * @brief Datagrams: DETH, Q_Key, the 40 bytes in front, immediate data, source queue pair.
 */
class RdmaUdTestCase : public TestCase
{
  public:
    RdmaUdTestCase()
        : TestCase("UD datagrams")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Pair();
        const auto qps = RdmaServicePair::Connect(fabric, RdmaService::UD);
        const RdmaWireLog log(fabric, 0);
        for (uint64_t i = 0; i < 4; i++)
        {
            qps.second->PostReceive({i, i == 3 ? uint64_t{1063} : uint64_t{1064}});
        }
        auto request = RdmaServicePair::MakeDatagram(qps.second, 1024, 1);
        request.payload = RdmaWireLog::MakePayload(1024, 5);
        qps.first->PostSend(request);
        request = RdmaServicePair::MakeDatagram(qps.second, 0, 2);
        request.operation = RdmaOperation::SEND_WITH_IMM;
        request.immediate = 77;
        qps.first->PostSend(request);
        request = RdmaServicePair::MakeDatagram(qps.second, 10, 3);
        request.remoteQKey = RdmaServicePair::QKEY + 1;
        qps.first->PostSend(request); // wrong key: dropped
        qps.first->PostSend(RdmaServicePair::MakeDatagram(qps.second, 10, 4));
        qps.first->PostSend(
            RdmaServicePair::MakeDatagram(qps.second, 1024, 5));              // one byte too long
        qps.first->PostSend(RdmaServicePair::MakeDatagram(qps.second, 1, 6)); // no buffer
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(log.lines.size(), 6, "one packet each, no answers");
        // 1024, 0 with ImmDt, and three times 10 or 1024 or 1 padded to four.
        const std::vector<uint32_t> frames{DATAGRAM + 1024,
                                           DATAGRAM + 4,
                                           DATAGRAM + 12,
                                           DATAGRAM + 12,
                                           DATAGRAM + 1024,
                                           DATAGRAM + 4};
        const auto sent = qps.first->GetSendCompletionQueue()->Poll(7);
        NS_TEST_ASSERT_MSG_EQ(sent.size(), 6, "all complete");
        RocePs start = 0;
        for (uint32_t i = 0; i < 6; i++)
        {
            const auto& line = log.lines[i];
            const uint8_t opcode = i == 1 ? RdmaOpcode::UD_SEND_ONLY_IMM : RdmaOpcode::UD_SEND_ONLY;
            NS_TEST_EXPECT_MSG_EQ(+line.opcode, +opcode, "opcode of datagram " << i);
            NS_TEST_EXPECT_MSG_EQ(line.frameBytes, frames[i], "frame " << i);
            NS_TEST_EXPECT_MSG_EQ(line.psn, i, "PSN " << i);
            NS_TEST_EXPECT_MSG_EQ(line.dmaLength, qps.first->GetNumber(), "source in DETH");
            NS_TEST_EXPECT_MSG_EQ(line.start, start, "start of datagram " << i);
            NS_TEST_EXPECT_MSG_EQ(sent[i].completed, PicoSeconds(start), "completes then");
            NS_TEST_EXPECT_MSG_EQ(sent[i].status, RdmaWcStatus::SUCCESS, "with success");
            start += fabric.Slot(frames[i]);
        }
        const auto received = qps.second->GetReceiveCompletionQueue()->Poll(5);
        NS_TEST_ASSERT_MSG_EQ(received.size(), 4, "buffers used");
        const std::vector<uint64_t> lengths{1064, 40, 50};
        for (uint32_t i = 0; i < 3; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(received[i].status, RdmaWcStatus::SUCCESS, "status " << i);
            NS_TEST_EXPECT_MSG_EQ(received[i].wrId, i, "buffers in order");
            NS_TEST_EXPECT_MSG_EQ(received[i].byteLength, lengths[i], "length with 40 B in front");
            NS_TEST_EXPECT_MSG_EQ(received[i].hasGrh, true, "which are there");
            NS_TEST_EXPECT_MSG_EQ(received[i].sourceQp, qps.first->GetNumber(), "sender");
            NS_TEST_EXPECT_MSG_EQ(received[i].hasImmediate, (i == 1), "immediate data");
        }
        NS_TEST_EXPECT_MSG_EQ(received[1].immediate, 77, "immediate data");
        NS_TEST_EXPECT_MSG_EQ((RdmaWireLog::GetBytes(received[0].payload) ==
                               RdmaWireLog::GetBytes(RdmaWireLog::MakePayload(1024, 5))),
                              true,
                              "payload");
        NS_TEST_EXPECT_MSG_EQ(received[3].status, RdmaWcStatus::LOC_LEN_ERR, "needs 40 B more");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().droppedPackets, 3, "dropped");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().messagesReceived, 3, "messages");
    }
};

/**
 * @ingroup roce-tests
 * @brief One datagram queue pair talks to several, lost datagrams do not matter to others, and a
 * congestion mark comes back to the sender.
 */
class RdmaUdManyTestCase : public TestCase
{
  public:
    RdmaUdManyTestCase()
        : TestCase("UD to several peers, marked")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Star(3);
        std::vector<Ptr<RdmaQueuePair>> qps;
        for (uint32_t i = 0; i < 4; i++)
        {
            auto qp = fabric.GetEngine(i % 3)->CreateQueuePair(RdmaService::UD); // two at host 0
            qp->ModifyToInit();
            qp->ModifyToRtr();
            qp->ModifyToRts();
            qp->SetReceiveCompletionQueue(CreateObject<RdmaCompletionQueue>());
            for (uint32_t k = 0; k < 20; k++)
            {
                qp->PostReceive({k, 1064});
            }
            qps.push_back(qp);
        }
        // Host 2: the first datagram is lost, the others are marked.
        auto lose = RoceScriptedChannel::Lose(RoceScriptedChannel::IsData, {0});
        auto mark = RoceScriptedChannel::Mark(RoceScriptedChannel::IsData);
        fabric.GetCable(2)->SetScript([&](RoceFrame& frame, uint8_t end) {
            mark(frame, end);
            return lose(frame, end);
        });
        for (uint32_t k = 0; k < 10; k++)
        {
            qps[0]->PostSend(RdmaServicePair::MakeDatagram(qps[1], 100 + k));
            qps[0]->PostSend(RdmaServicePair::MakeDatagram(qps[2], 200 + k));
            qps[3]->PostSend(RdmaServicePair::MakeDatagram(qps[1], 300 + k));
        }
        Simulator::Run();
        uint32_t fromFirst = 0;
        uint32_t fromSecond = 0;
        for (const auto& done : qps[1]->GetReceiveCompletionQueue()->Poll(30))
        {
            uint32_t& next = done.sourceQp == qps[0]->GetNumber() ? fromFirst : fromSecond;
            const uint32_t base = &next == &fromFirst ? 100 : 300;
            NS_TEST_EXPECT_MSG_EQ(done.byteLength, base + next + 40, "each in order");
            next++;
        }
        NS_TEST_EXPECT_MSG_EQ(fromFirst, 10, "all of the first sender");
        NS_TEST_EXPECT_MSG_EQ(fromSecond, 10, "all of the second sender");
        NS_TEST_EXPECT_MSG_EQ(qps[2]->GetReceiveCompletionQueue()->GetSize(), 9, "one was lost");
        NS_TEST_EXPECT_MSG_EQ(qps[2]->GetCounters().ecnMarkedPackets, 9, "marked");
        NS_TEST_EXPECT_MSG_GT(qps[2]->GetCounters().cnpSent, 0, "says so");
        NS_TEST_EXPECT_MSG_EQ(qps[0]->GetCounters().cnpHandled,
                              qps[2]->GetCounters().cnpSent,
                              "to the queue pair that has sent them");
        NS_TEST_EXPECT_MSG_EQ(qps[3]->GetCounters().cnpHandled, 0, "not to the other");
    }
};

/**
 * @ingroup roce-tests
 * @brief A datagram completes while the NIC is sending; the callback may post or destroy.
 */
class RdmaDepartureCallbackTestCase : public TestCase
{
  public:
    /// @param service transport service
    explicit RdmaDepartureCallbackTestCase(RdmaService service)
        : TestCase(std::string("callback at departure, ") +
                   (service == RdmaService::UC ? "UC" : "UD")),
          m_service(service)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Pair();
        const auto qps = RdmaServicePair::Connect(fabric, m_service);
        const RdmaWireLog log(fabric, 0);
        m_qp = qps.first;
        m_peer = qps.second;
        m_qp->GetSendCompletionQueue()->SetCallback(
            MakeCallback(&RdmaDepartureCallbackTestCase::Completed, this));
        m_qp->PostSend(Make(1));
        Simulator::Run();
        // One after the other up to 9; its completion posts two, which wait, and destroys the queue
        // pair, so that they are flushed.
        NS_TEST_EXPECT_MSG_EQ(log.lines.size(), 9, "datagrams sent");
        for (uint32_t i = 1; i < log.lines.size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(log.lines[i].start - log.lines[i - 1].start,
                                  fabric.Slot(log.lines[i].frameBytes),
                                  "back to back");
        }
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 11, "all complete");
        for (uint32_t i = 0; i < 11; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(m_done[i].first, i + 1, "in order");
            NS_TEST_EXPECT_MSG_EQ(m_done[i].second,
                                  (i < 9 ? RdmaWcStatus::SUCCESS : RdmaWcStatus::WR_FLUSH_ERR),
                                  "status");
        }
        NS_TEST_EXPECT_MSG_EQ(fabric.GetEngine(0)->GetNQueuePairs(), 0, "it is gone");
        m_qp = m_peer = nullptr;
    }

    /**
     * @param id work request ID
     * @return a message of one packet
     */
    RdmaWorkRequest Make(uint64_t id) const
    {
        return m_service == RdmaService::UD ? RdmaServicePair::MakeDatagram(m_peer, 500, id)
                                            : RdmaWorkRequest::Send(500, id);
    }

    /// @param done a completion
    void Completed(const RdmaWorkCompletion& done)
    {
        m_done.emplace_back(done.wrId, done.status);
        // Events are at full nanoseconds.
        NS_TEST_EXPECT_MSG_EQ((Simulator::Now() - done.completed <= NanoSeconds(1)),
                              true,
                              "told at once");
        if (done.IsSuccess() && done.wrId < 9)
        {
            m_qp->PostSend(Make(m_next++));
        }
        else if (done.wrId == 9)
        {
            m_qp->PostSend(Make(m_next++));
            m_qp->PostSend(Make(m_next++));
            m_qp->GetEngine()->DestroyQueuePair(m_qp);
        }
    }

    RdmaService m_service;                                 //!< transport service
    Ptr<RdmaQueuePair> m_qp;                               //!< the sender
    Ptr<RdmaQueuePair> m_peer;                             //!< the receiver
    uint64_t m_next{2};                                    //!< next work request ID
    std::vector<std::pair<uint64_t, RdmaWcStatus>> m_done; //!< completions
};

/**
 * @ingroup roce-tests
 * @brief Unreliable services test suite.
 */
class RdmaDatagramTestSuite : public TestSuite
{
  public:
    RdmaDatagramTestSuite();

  private:
    /// Messages with lost packets.
    void AddConnections();
};

RdmaDatagramTestSuite::RdmaDatagramTestSuite()
    : TestSuite("roce-datagram", Type::UNIT)
{
    AddConnections();
    AddTestCase(new RdmaUcRefusedTestCase());
    AddTestCase(new RdmaUdTestCase());
    AddTestCase(new RdmaUdManyTestCase());
    AddTestCase(new RdmaDepartureCallbackTestCase(RdmaService::UC));
    AddTestCase(new RdmaDepartureCallbackTestCase(RdmaService::UD));
}

void
RdmaDatagramTestSuite::AddConnections()
{
    // A packet behind a gap in its message is dropped, as are those that follow up to the next
    // First. If a Last is lost, or a whole message, the next First has the unexpected PSN but is
    // taken.
    const std::vector<RdmaUcTestCase::Setup> setups{
        {"nothing lost", {}, {0, 1, 2, 3}, 0, 0},
        {"First lost", {5}, {0, 2, 3}, 1, 4},
        {"Middle lost", {7}, {0, 2, 3}, 1, 2},
        {"Last lost", {9}, {0, 2, 3}, 1, 0},
        {"whole message lost", {5, 6, 7, 8, 9}, {0, 2, 3}, 1, 0},
        {"two messages hit by one burst", {8, 9, 10}, {0, 3}, 1, 4},
        {"the end is lost", {18, 19}, {0, 1, 2}, 0, 0},
        {"one of each message", {1, 7, 13, 19}, {}, 3, 3 + 2 + 1}};
    for (const auto& setup : setups)
    {
        AddTestCase(new RdmaUcTestCase(setup, RdmaOperation::SEND));
        AddTestCase(new RdmaUcTestCase(setup, RdmaOperation::WRITE_WITH_IMM));
    }
}

RdmaDatagramTestSuite g_rdmaDatagramTestSuite; //!< registers the suite

} // namespace
