/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-wire-log.h"
#include "roce-abort-check.h"
#include "roce-fabric-fixture.h"

#include "ns3/callback.h"
#include "ns3/rdma-memory-table.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-shared-receive-queue.h"
#include "ns3/rdma-work-request.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-frame.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
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
constexpr uint32_t QKEY = 0x11111111;                  //!< default Q_Key

/**
 * Bring up queue pairs at hosts 0 and 1.
 * @param fabric the fabric
 * @param service transport service
 * @return the queue pairs, ready to send
 */
RoceFabricFixture::QueuePairs
Connect(const RoceFabricFixture& fabric, RdmaService service)
{
    auto a = fabric.GetEngine(0)->CreateQueuePair(service);
    auto b = fabric.GetEngine(1)->CreateQueuePair(service);
    for (const auto& qp : {a, b})
    {
        qp->ModifyToInit();
        if (service == RdmaService::UD)
        {
            qp->ModifyToRtr();
        }
        else
        {
            qp->ModifyToRtr((qp == a ? b : a)->GetLocal());
        }
        qp->ModifyToRts();
        qp->SetReceiveCompletionQueue(CreateObject<RdmaCompletionQueue>());
    }
    return {a, b};
}

/**
 * @param to queue pair that gets it
 * @param bytes payload
 * @param id work request ID
 * @return a datagram
 */
RdmaWorkRequest
MakeDatagram(Ptr<RdmaQueuePair> to, uint64_t bytes, uint64_t id = 0)
{
    RdmaWorkRequest request = RdmaWorkRequest::Send(bytes, id);
    const RdmaPeer peer = to->GetLocal();
    request.remoteIp = peer.address;
    request.remoteEtherType = peer.etherType;
    request.remoteQpNumber = peer.number;
    request.remoteQKey = QKEY;
    return request;
}

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
        const auto qps = Connect(fabric, RdmaService::UC);
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
        const auto qps = Connect(fabric, RdmaService::UC);
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
        const auto qps = Connect(fabric, RdmaService::UD);
        const RdmaWireLog log(fabric, 0);
        for (uint64_t i = 0; i < 4; i++)
        {
            qps.second->PostReceive({i, i == 3 ? uint64_t{1063} : uint64_t{1064}});
        }
        auto request = MakeDatagram(qps.second, 1024, 1);
        request.payload = RdmaWireLog::MakePayload(1024, 5);
        qps.first->PostSend(request);
        request = MakeDatagram(qps.second, 0, 2);
        request.operation = RdmaOperation::SEND_WITH_IMM;
        request.immediate = 77;
        qps.first->PostSend(request);
        request = MakeDatagram(qps.second, 10, 3);
        request.remoteQKey = QKEY + 1;
        qps.first->PostSend(request); // wrong key: dropped
        qps.first->PostSend(MakeDatagram(qps.second, 10, 4));
        qps.first->PostSend(MakeDatagram(qps.second, 1024, 5)); // one byte too long
        qps.first->PostSend(MakeDatagram(qps.second, 1, 6));    // no buffer
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
            qps[0]->PostSend(MakeDatagram(qps[1], 100 + k));
            qps[0]->PostSend(MakeDatagram(qps[2], 200 + k));
            qps[3]->PostSend(MakeDatagram(qps[1], 300 + k));
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
        const auto qps = Connect(fabric, m_service);
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
        return m_service == RdmaService::UD ? MakeDatagram(m_peer, 500, id)
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
 * @brief Queue pairs share receive buffers: first come, first served; RNR when there is none; the
 * limit event comes once.
 */
class RdmaSharedReceiveQueueTestCase : public TestCase
{
  public:
    RdmaSharedReceiveQueueTestCase()
        : TestCase("shared receive queue")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("MinRnrTimer", UintegerValue(1)); // 10 us
        fabric.Star(4);
        auto shared = CreateObject<RdmaSharedReceiveQueue>();
        auto queue = CreateObject<RdmaCompletionQueue>();
        std::vector<Ptr<RdmaQueuePair>> senders;
        std::vector<uint32_t> numbers;
        for (uint32_t host = 1; host < 4; host++)
        {
            auto sender = fabric.GetEngine(host)->CreateQueuePair();
            auto receiver = fabric.GetEngine(0)->CreateQueuePair();
            receiver->SetSharedReceiveQueue(shared);
            receiver->SetReceiveCompletionQueue(queue);
            sender->ModifyToInit();
            receiver->ModifyToInit();
            sender->ModifyToRtr(receiver->GetLocal());
            receiver->ModifyToRtr(sender->GetLocal());
            sender->ModifyToRts();
            receiver->ModifyToRts();
            senders.push_back(sender);
            numbers.push_back(receiver->GetNumber());
            m_receivers.push_back(receiver);
        }
        shared->ArmLimit(2, MakeCallback(&RdmaSharedReceiveQueueTestCase::LimitReached, this));
        m_shared = shared;
        for (uint64_t i = 0; i < 3; i++)
        {
            shared->PostReceive({i, 20'000});
        }
        // A long message, and two short ones that begin later and end earlier. A fourth finds no
        // buffer until one comes at 50 us.
        senders[0]->PostSend(RdmaWorkRequest::Send(20'000));
        Post(NanoSeconds(300), senders[1], 100);
        Post(NanoSeconds(200), senders[2], 50);
        Post(NanoSeconds(600), senders[1], 200);
        Simulator::Schedule(MicroSeconds(50), &RdmaSharedReceiveQueueTestCase::PostBuffer, this);
        Simulator::Run();

        const auto done = queue->Poll(9);
        NS_TEST_ASSERT_MSG_EQ(done.size(), 4, "all arrive");
        const std::vector<uint64_t> buffers{1, 2, 0, 3};
        const std::vector<uint64_t> lengths{50, 100, 20'000, 200};
        const std::vector<uint32_t> where{2, 1, 0, 1};
        for (uint32_t i = 0; i < 4; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(done[i].wrId, buffers[i], "buffer of message " << i);
            NS_TEST_EXPECT_MSG_EQ(done[i].byteLength, lengths[i], "length of message " << i);
            NS_TEST_EXPECT_MSG_EQ(done[i].qpNumber, numbers[where[i]], "queue pair " << i);
        }
        // Retries 10 us apart: the first one after the post at 50 us gets it.
        NS_TEST_EXPECT_MSG_EQ(
            (done[3].completed > MicroSeconds(50) && done[3].completed < MicroSeconds(65)),
            true,
            "when the buffer has come");
        NS_TEST_EXPECT_MSG_GT(m_receivers[1]->GetCounters().rnrNaksSent, 1, "RNR NAKs");
        NS_TEST_EXPECT_MSG_EQ(m_receivers[2]->GetCounters().rnrNaksSent, 0, "not for others");
        NS_TEST_EXPECT_MSG_EQ(m_events, 1, "the limit is reported once");
        NS_TEST_EXPECT_MSG_EQ(m_left, 1, "when fewer than two buffers are left");
        NS_TEST_EXPECT_MSG_EQ(shared->GetSize(), 0, "all are used");

        // Buffers of a shared queue outlive a queue pair.
        shared->PostReceive({9, 100});
        m_receivers[0]->ModifyToError();
        NS_TEST_EXPECT_MSG_EQ(shared->GetSize(), 1, "not flushed");
        NS_TEST_EXPECT_MSG_EQ(queue->GetSize(), 0, "no completion");
        m_receivers.clear();
        m_shared = nullptr;
    }

    /**
     * @param when time
     * @param qp sender
     * @param bytes message length
     */
    void Post(Time when, Ptr<RdmaQueuePair> qp, uint64_t bytes)
    {
        Simulator::Schedule(when, &RdmaQueuePair::PostSend, qp, RdmaWorkRequest::Send(bytes));
    }

    /// One more buffer.
    void PostBuffer()
    {
        m_shared->PostReceive({3, 1000});
    }

    /// The limit event.
    void LimitReached()
    {
        m_events++;
        m_left = m_shared->GetSize();
    }

    Ptr<RdmaSharedReceiveQueue> m_shared;        //!< the buffers
    std::vector<Ptr<RdmaQueuePair>> m_receivers; //!< queue pairs that share them
    uint32_t m_events{0};                        //!< limit events
    std::size_t m_left{0};                       //!< buffers left at the last one
};

/**
 * @ingroup roce-tests
 * @brief State SQD: what has begun is finished, what has not waits for RTS.
 */
class RdmaSqdTestCase : public TestCase
{
  public:
    /**
     * @param service transport service
     * @param begun the first request has begun; else another queue pair uses the line
     */
    RdmaSqdTestCase(RdmaService service, bool begun)
        : TestCase(std::string("SQD, ") + (service == RdmaService::RC ? "RC" : "UC") +
                   (begun ? "" : ", nothing has begun")),
          m_service(service),
          m_begun(begun)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Pair();
        const auto qps = Connect(fabric, m_service);
        const auto others = Connect(fabric, RdmaService::RC);
        const RdmaWireLog log(fabric, 0);
        m_qp = qps.first;
        if (!m_begun)
        {
            others.first->PostSend(RdmaWorkRequest::Write(100'000));
        }
        m_qp->PostSend(RdmaWorkRequest::Write(50'000, 1)); // 49 packets, 4.3 us
        m_qp->PostSend(RdmaWorkRequest::Write(1000, 2));
        if (m_begun)
        {
            Simulator::Schedule(MicroSeconds(1), &RdmaQueuePair::ModifyToSqd, m_qp);
        }
        else
        {
            m_qp->ModifyToSqd(); // the line is busy with the other one
        }
        Simulator::Schedule(MicroSeconds(20), &RdmaSqdTestCase::CheckAndPost, this);
        Simulator::Schedule(MicroSeconds(30), &RdmaQueuePair::ModifyToRts, m_qp);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((m_qp->GetState() == RdmaQpState::RTS), true, "back in RTS");
        const auto starts = log.Find([this](const RdmaWireLog::Line& line) {
            const bool isOurs = m_service == RdmaService::UC
                                    ? RdmaOpcode::GetService(line.opcode) == RdmaOpcode::UC
                                    : line.psn < 51;
            return isOurs && line.end == 0 && line.payload > 0 &&
                   RdmaOpcode::HasReth(line.opcode) && line.start > 0;
        });
        const auto completions = m_qp->GetSendCompletionQueue()->Poll(5);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), (m_begun ? 2 : 3), "the rest completes");
        NS_TEST_ASSERT_MSG_EQ(starts.size(), (m_begun ? 2 : 3), "first packets");
        NS_TEST_EXPECT_MSG_EQ(PicoSeconds(starts[0].start), MicroSeconds(30), "at once");
        NS_TEST_EXPECT_MSG_EQ(m_qp->GetCounters().completed, 3, "all complete");
        m_qp = nullptr;
    }

    /// In the middle of SQD: look, and post one more.
    void CheckAndPost()
    {
        const auto completions = m_qp->GetSendCompletionQueue()->Poll(5);
        NS_TEST_EXPECT_MSG_EQ(completions.size(), (m_begun ? 1 : 0), "what has begun is done");
        NS_TEST_EXPECT_MSG_EQ(m_qp->GetSendQueueLength(), (m_begun ? 1 : 2), "the rest waits");
        NS_TEST_EXPECT_MSG_EQ((m_qp->GetState() == RdmaQpState::SQD), true, "state");
        m_qp->PostSend(RdmaWorkRequest::Write(500, 3));
    }

    RdmaService m_service;   //!< transport service
    bool m_begun;            //!< the first request has begun
    Ptr<RdmaQueuePair> m_qp; //!< the queue pair
};

/**
 * @ingroup roce-tests
 * @brief Requests and settings that no NIC would take stop the program and say why.
 */
class RdmaVerbsMisuseTestCase : public TestCase
{
  public:
    /// Misuses a fabric of two hosts.
    typedef std::function<void(RoceFabricFixture&)> Misuse;

    /**
     * @param name what is done
     * @param says words that the message must contain; empty if it is allowed
     * @param misuse does it
     */
    RdmaVerbsMisuseTestCase(const std::string& name, const std::string& says, Misuse misuse)
        : TestCase(name),
          m_says(says),
          m_misuse(std::move(misuse))
    {
    }

  private:
    void DoRun() override
    {
        if (!RoceAbortCheck::IsSupported())
        {
            return;
        }
        const std::string message = RoceAbortCheck::GetMessage([this] {
            RoceFabricFixture fabric;
            fabric.Pair();
            m_misuse(fabric);
            Simulator::Stop(MicroSeconds(10));
            Simulator::Run();
        });
        if (m_says.empty())
        {
            NS_TEST_EXPECT_MSG_EQ(message, "", "this is allowed");
        }
        else
        {
            NS_TEST_EXPECT_MSG_NE(message.find(m_says),
                                  std::string::npos,
                                  "'" << message << "' contains '" << m_says << "'");
        }
    }

    std::string m_says; //!< what the message must contain
    Misuse m_misuse;    //!< the misuse
};

/**
 * @ingroup roce-tests
 * @brief Datagram, shared receive queue and verbs state test suite.
 */
class RdmaDatagramTestSuite : public TestSuite
{
  public:
    RdmaDatagramTestSuite();

  private:
    /// Unreliable connections.
    void AddConnections();
    /// Requests that no NIC would take.
    void AddBadRequests();
    /// Settings that no NIC would take.
    void AddBadSettings();
    /**
     * @param name what is done
     * @param says words that the message must contain; empty if it is allowed
     * @param misuse does it
     */
    void Add(const std::string& name,
             const std::string& says,
             RdmaVerbsMisuseTestCase::Misuse misuse);
    /**
     * Post a request, or what follows from it.
     * @param name what is posted
     * @param says words that the message must contain; empty if it is allowed
     * @param service transport service
     * @param make makes the request for a queue pair
     */
    void AddRequest(const std::string& name,
                    const std::string& says,
                    RdmaService service,
                    const std::function<RdmaWorkRequest(Ptr<RdmaQueuePair>)>& make);
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
    AddTestCase(new RdmaSharedReceiveQueueTestCase());
    for (const RdmaService service : {RdmaService::RC, RdmaService::UC})
    {
        AddTestCase(new RdmaSqdTestCase(service, true));
        AddTestCase(new RdmaSqdTestCase(service, false));
    }
    AddBadRequests();
    AddBadSettings();
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

void
RdmaDatagramTestSuite::Add(const std::string& name,
                           const std::string& says,
                           RdmaVerbsMisuseTestCase::Misuse misuse)
{
    AddTestCase(new RdmaVerbsMisuseTestCase(name, says, std::move(misuse)));
}

void
RdmaDatagramTestSuite::AddRequest(const std::string& name,
                                  const std::string& says,
                                  RdmaService service,
                                  const std::function<RdmaWorkRequest(Ptr<RdmaQueuePair>)>& make)
{
    Add(name, says, [service, make](RoceFabricFixture& fabric) {
        const auto qps = Connect(fabric, service);
        qps.first->PostSend(make(qps.second));
    });
}

void
RdmaDatagramTestSuite::AddBadRequests()
{
    constexpr uint64_t LARGEST = uint64_t{1} << 31;
    const auto change = [](RdmaOperation operation, uint64_t length) {
        return [operation, length](Ptr<RdmaQueuePair>) {
            RdmaWorkRequest request = RdmaWorkRequest::Send(length);
            request.operation = operation;
            return request;
        };
    };
    const RdmaService rc = RdmaService::RC;
    const RdmaService uc = RdmaService::UC;
    const RdmaService ud = RdmaService::UD;
    AddRequest("SEND of 2^31 B", "", rc, change(RdmaOperation::SEND, LARGEST));
    AddRequest("SEND of 2^31 + 1 B", "2^31", rc, change(RdmaOperation::SEND, LARGEST + 1));
    AddRequest("WRITE of 2^31 + 1 B", "", rc, change(RdmaOperation::WRITE, LARGEST + 1));
    AddRequest("READ on UC", "reliable connection", uc, change(RdmaOperation::READ, 1));
    AddRequest("atomic on UC", "reliable connection", uc, change(RdmaOperation::FETCH_AND_ADD, 8));
    AddRequest("READ on UD", "reliable connection", ud, change(RdmaOperation::READ, 1));
    AddRequest("SEND with invalidate on UC",
               "SEND with invalidate",
               uc,
               change(RdmaOperation::SEND_WITH_INV, 8));
    AddRequest("WRITE on UD", "can only SEND", ud, change(RdmaOperation::WRITE, 8));
    AddRequest("atomic of 4 B", "8 bytes, not 4", rc, change(RdmaOperation::FETCH_AND_ADD, 4));
    AddRequest("datagram of one MTU", "", ud, [](Ptr<RdmaQueuePair> to) {
        return MakeDatagram(to, 1024);
    });
    AddRequest("datagram of more than one MTU",
               "1025 bytes exceeds the path MTU, 1024",
               ud,
               [](Ptr<RdmaQueuePair> to) { return MakeDatagram(to, 1025); });
    AddRequest("datagram to another family", "another family", ud, [](Ptr<RdmaQueuePair> to) {
        RdmaWorkRequest request = MakeDatagram(to, 10);
        request.remoteEtherType = 0x86dd;
        return request;
    });
    AddRequest("payload of another length",
               "payload has 9 bytes, the request says 10",
               rc,
               [](Ptr<RdmaQueuePair>) {
                   RdmaWorkRequest request = RdmaWorkRequest::Send(10);
                   request.payload = Create<Packet>(9);
                   return request;
               });
    for (const uint64_t bytes : {1024, 1025})
    {
        AddRequest(std::to_string(bytes) + " B inline",
                   bytes == 1024 ? "" : "1025 bytes of inline data exceed 1024",
                   rc,
                   [bytes](Ptr<RdmaQueuePair>) {
                       RdmaWorkRequest request = RdmaWorkRequest::Send(bytes);
                       request.inlineData = true;
                       return request;
                   });
    }
    Add("READ without MaxReadAtomic", "MaxReadAtomic is 0", [](RoceFabricFixture& fabric) {
        fabric.GetEngine(0)->SetQueuePairAttribute("MaxReadAtomic", UintegerValue(0));
        Connect(fabric, RdmaService::RC).first->PostSend(RdmaWorkRequest::Read(1));
    });
    for (const RdmaService service : {rc, uc, ud})
    {
        Add("send in INIT", "needs state RTS", [service](RoceFabricFixture& fabric) {
            auto qp = fabric.GetEngine(0)->CreateQueuePair(service);
            qp->ModifyToInit();
            qp->PostSend(RdmaWorkRequest::Send(1));
        });
    }
}

void
RdmaDatagramTestSuite::AddBadSettings()
{
    Add("UD with a peer", "has no peer", [](RoceFabricFixture& fabric) {
        auto a = fabric.GetEngine(0)->CreateQueuePair(RdmaService::UD);
        a->ModifyToInit();
        a->ModifyToRtr(fabric.GetEngine(1)->CreateQueuePair(RdmaService::UD)->GetLocal());
    });
    for (const RdmaService service : {RdmaService::RC, RdmaService::UC})
    {
        Add("connection without a peer", "needs a peer", [service](RoceFabricFixture& fabric) {
            auto a = fabric.GetEngine(0)->CreateQueuePair(service);
            a->ModifyToInit();
            a->ModifyToRtr();
        });
    }
    Add("SQD before RTS", "SQD follows RTS only", [](RoceFabricFixture& fabric) {
        auto a = fabric.GetEngine(0)->CreateQueuePair(RdmaService::UD);
        a->ModifyToInit();
        a->ModifyToRtr();
        a->ModifyToSqd();
    });
    Add("RTS twice", "RTS follows RTR only", [](RoceFabricFixture& fabric) {
        Connect(fabric, RdmaService::RC).first->ModifyToRts();
    });
    Add("RTS after ERR", "RTS follows RTR only", [](RoceFabricFixture& fabric) {
        const auto qp = Connect(fabric, RdmaService::RC).first;
        qp->ModifyToError();
        qp->ModifyToRts();
    });
    Add("INIT twice", "INIT follows RESET only", [](RoceFabricFixture& fabric) {
        Connect(fabric, RdmaService::RC).first->ModifyToInit();
    });
    Add("shared receive queue too late", "set in state RESET", [](RoceFabricFixture& fabric) {
        auto a = fabric.GetEngine(0)->CreateQueuePair();
        a->ModifyToInit();
        a->SetSharedReceiveQueue(CreateObject<RdmaSharedReceiveQueue>());
    });
    Add("receive beside the shared queue",
        "post to the shared receive queue",
        [](RoceFabricFixture& fabric) {
            auto a = fabric.GetEngine(0)->CreateQueuePair();
            a->SetSharedReceiveQueue(CreateObject<RdmaSharedReceiveQueue>());
            a->ModifyToInit();
            a->PostReceive({1, 1});
        });
    Add("region without bytes", "at least one byte", [](RoceFabricFixture& fabric) {
        fabric.GetEngine(0)->GetMemory().Register(0, 0, RDMA_ALL_ACCESS, false);
    });
    Add("region beyond the address space", "64-bit address space", [](RoceFabricFixture& fabric) {
        fabric.GetEngine(0)->GetMemory().Register(UINT64_MAX, 2, RDMA_ALL_ACCESS, false);
    });
    Add("region with unknown rights", "not within 0 to 15", [](RoceFabricFixture& fabric) {
        fabric.GetEngine(0)->GetMemory().Register(0, 1, 16, false);
    });
}

RdmaDatagramTestSuite g_rdmaDatagramTestSuite; //!< registers the suite

} // namespace
