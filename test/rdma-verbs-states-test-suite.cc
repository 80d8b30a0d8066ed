/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-service-pair.h"
#include "rdma-wire-log.h"
#include "roce-abort-check.h"
#include "roce-fabric-fixture.h"

#include "ns3/callback.h"
#include "ns3/rdma-memory-table.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-shared-receive-queue.h"
#include "ns3/rdma-work-request.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

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
        const auto qps = RdmaServicePair::Connect(fabric, m_service);
        const auto others = RdmaServicePair::Connect(fabric, RdmaService::RC);
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
 * @brief Shared receive queue, verbs states and misuse test suite.
 */
class RdmaVerbsStatesTestSuite : public TestSuite
{
  public:
    RdmaVerbsStatesTestSuite();

  private:
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

RdmaVerbsStatesTestSuite::RdmaVerbsStatesTestSuite()
    : TestSuite("roce-verbs-states", Type::UNIT)
{
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
RdmaVerbsStatesTestSuite::Add(const std::string& name,
                              const std::string& says,
                              RdmaVerbsMisuseTestCase::Misuse misuse)
{
    AddTestCase(new RdmaVerbsMisuseTestCase(name, says, std::move(misuse)));
}

void
RdmaVerbsStatesTestSuite::AddRequest(const std::string& name,
                                     const std::string& says,
                                     RdmaService service,
                                     const std::function<RdmaWorkRequest(Ptr<RdmaQueuePair>)>& make)
{
    Add(name, says, [service, make](RoceFabricFixture& fabric) {
        const auto qps = RdmaServicePair::Connect(fabric, service);
        qps.first->PostSend(make(qps.second));
    });
}

void
RdmaVerbsStatesTestSuite::AddBadRequests()
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
        return RdmaServicePair::MakeDatagram(to, 1024);
    });
    AddRequest("datagram of more than one MTU",
               "1025 bytes exceeds the path MTU, 1024",
               ud,
               [](Ptr<RdmaQueuePair> to) { return RdmaServicePair::MakeDatagram(to, 1025); });
    AddRequest("datagram to another family", "another family", ud, [](Ptr<RdmaQueuePair> to) {
        RdmaWorkRequest request = RdmaServicePair::MakeDatagram(to, 10);
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
        RdmaServicePair::Connect(fabric, RdmaService::RC).first->PostSend(RdmaWorkRequest::Read(1));
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
RdmaVerbsStatesTestSuite::AddBadSettings()
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
        RdmaServicePair::Connect(fabric, RdmaService::RC).first->ModifyToRts();
    });
    Add("RTS after ERR", "RTS follows RTR only", [](RoceFabricFixture& fabric) {
        const auto qp = RdmaServicePair::Connect(fabric, RdmaService::RC).first;
        qp->ModifyToError();
        qp->ModifyToRts();
    });
    Add("INIT twice", "INIT follows RESET only", [](RoceFabricFixture& fabric) {
        RdmaServicePair::Connect(fabric, RdmaService::RC).first->ModifyToInit();
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

RdmaVerbsStatesTestSuite g_rdmaVerbsStatesTestSuite; //!< registers the suite

} // namespace
