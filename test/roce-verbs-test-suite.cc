/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"

#include "ns3/callback.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-work-request.h"
#include "ns3/roce-frame.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MIDDLE = RoceFabricFixture::MIDDLE; //!< overhead of a middle packet, bytes
constexpr uint32_t FIRST = RoceFabricFixture::FIRST;   //!< the same with RETH
constexpr uint32_t ACK = RoceFabricFixture::ACK;       //!< frame of an acknowledgment, bytes

/**
 * @ingroup roce-tests
 * @brief A test with one pair of queue pairs and a completion callback at the sender.
 */
class RoceCallbackTestCase : public TestCase
{
  public:
    /// @param name what is tested
    explicit RoceCallbackTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /**
     * Have Completed() called with each completion of a queue pair.
     * @param qps queue pairs; the first one is the sender
     */
    void Listen(const RoceFabricFixture::QueuePairs& qps)
    {
        m_qp = PeekPointer(qps.first);
        m_engine = PeekPointer(m_qp->GetEngine());
        m_qp->GetSendCompletionQueue()->SetCallback(
            MakeCallback(&RoceCallbackTestCase::Completed, this));
    }

    /// @param done a completion
    virtual void Completed(const RdmaWorkCompletion& done) = 0;

    RdmaQueuePair* m_qp{nullptr};  //!< the sender
    RdmaEngine* m_engine{nullptr}; //!< its NIC
};

/**
 * @ingroup roce-tests
 * @brief Unsignaled requests complete without a completion; errors always give one.
 */
class RoceUnsignaledTestCase : public TestCase
{
  public:
    RoceUnsignaledTestCase()
        : TestCase("unsignaled work requests")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        for (uint64_t i = 1; i <= 10; i++)
        {
            auto request = RdmaWorkRequest::Write(3000, i);
            request.signaled = i % 5 == 0;
            qps.first->PostSend(request);
        }
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetSendQueueLength(), 10, "all wait");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetSendQueueLength(), 0, "none waits");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 10, "all complete");
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(20);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 2, "two ask for a completion");
        NS_TEST_EXPECT_MSG_EQ(completions[0].wrId, 5, "the fifth");
        NS_TEST_EXPECT_MSG_EQ(completions[1].wrId, 10, "the tenth");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().messagesReceived, 10, "all arrive");

        auto request = RdmaWorkRequest::Write(1, 11);
        request.signaled = false;
        qps.first->ModifyToError();
        qps.first->PostSend(request);
        const auto flushed = qps.first->GetSendCompletionQueue()->Poll(20);
        NS_TEST_ASSERT_MSG_EQ(flushed.size(), 1, "an error is always reported");
        NS_TEST_EXPECT_MSG_EQ(flushed[0].status, RdmaWcStatus::WR_FLUSH_ERR, "status");
    }
};

/**
 * @ingroup roce-tests
 * @brief A ping-pong driven by completion callbacks: each message is posted when the one before
 * is complete, so n messages take n round trips.
 */
class RoceChainedWorkTestCase : public RoceCallbackTestCase
{
  public:
    RoceChainedWorkTestCase()
        : RoceCallbackTestCase("a completion callback posts more work")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        Listen(qps);
        m_qp->PostSend(RdmaWorkRequest::Write(512));
        Simulator::Run();
        const RocePs roundTrip = 2 * fabric.Flight(FIRST + 512) + 2 * fabric.Flight(ACK);
        NS_TEST_EXPECT_MSG_EQ(m_count, 100, "completions");
        // A user's callback runs on a tick of the simulator's clock, so each round trip is rounded
        // up to a nanosecond.
        const int64_t ticks = (roundTrip + 999) / 1000;
        NS_TEST_EXPECT_MSG_EQ_TOL(m_last.GetNanoSeconds(), 100 * ticks, 1, "100 round trips, ns");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().messagesReceived, 100, "messages");
    }

    void Completed(const RdmaWorkCompletion& done) override
    {
        NS_TEST_EXPECT_MSG_EQ(done.status, RdmaWcStatus::SUCCESS, "status");
        m_last = done.completed;
        if (++m_count < 100)
        {
            m_qp->PostSend(RdmaWorkRequest::Write(512));
        }
    }

    uint32_t m_count{0}; //!< completions
    Time m_last;         //!< time of the last one
};

/**
 * @ingroup roce-tests
 * @brief Congestion control that changes its rate after a loss and with the next acknowledgment.
 */
class RoceBrakeControl : public RdmaCongestionOps
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RoceBrakeControl")
                                .SetParent<RdmaCongestionOps>()
                                .SetGroupName("Roce")
                                .AddConstructor<RoceBrakeControl>()
                                .AddAttribute("First",
                                              "Rate at the start.",
                                              DataRateValue(DataRate("100Gbps")),
                                              MakeDataRateAccessor(&RoceBrakeControl::m_first),
                                              MakeDataRateChecker())
                                .AddAttribute("AfterLoss",
                                              "Rate after a loss.",
                                              DataRateValue(DataRate("100Mbps")),
                                              MakeDataRateAccessor(&RoceBrakeControl::m_afterLoss),
                                              MakeDataRateChecker())
                                .AddAttribute("AfterAck",
                                              "Rate after an acknowledgment.",
                                              DataRateValue(DataRate("100Gbps")),
                                              MakeDataRateAccessor(&RoceBrakeControl::m_afterAck),
                                              MakeDataRateChecker());
        return tid;
    }

    std::string GetName() const override
    {
        return "brake";
    }

  private:
    void DoInit(RdmaCongestionState& state, RocePs) override
    {
        state.rate = m_first.GetBitRate();
    }

    void DoLossDetected(RdmaCongestionState& state, RocePs, bool) override
    {
        state.rate = m_afterLoss.GetBitRate();
    }

    void DoAckReceived(RdmaCongestionState& state, const RdmaAckEvent&) override
    {
        state.rate = m_afterAck.GetBitRate();
    }

    DataRate m_first;     //!< rate at the start
    DataRate m_afterLoss; //!< rate after a loss
    DataRate m_afterAck;  //!< rate after an acknowledgment
};

/**
 * @ingroup roce-tests
 * @brief An ACK that comes while its packets are being sent again completes many requests at
 * once, and the first completion posts another one, which leaves in the middle of it.
 *
 * Ten packets leave at once; the cable is 10 us long, so the timeout of 8.192 us comes first, and
 * the congestion control brakes behind the first repeated packet. The ACKs of the first nine are
 * lost; the one of the tenth arrives at S(9) + Flight(data) + Flight(ACK) and lifts the brake.
 */
class RoceJumpingAckTestCase : public RoceCallbackTestCase
{
  public:
    RoceJumpingAckTestCase()
        : RoceCallbackTestCase("an ACK overtakes retransmission, and the callback posts more")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric("100Gbps", MicroSeconds(10));
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(1));
        fabric.roce.SetCongestionControl(RoceBrakeControl::GetTypeId().GetName());
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        Listen(qps);
        fabric.GetCable(0)->SetScript(
            RoceScriptedChannel::Lose(RoceScriptedChannel::IsAck, {0, 1, 2, 3, 4, 5, 6, 7, 8}));
        for (uint64_t i = 0; i < 10; i++)
        {
            m_qp->PostSend(RdmaWorkRequest::Write(100 + i, i));
        }
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 11, "completions");
        RocePs ack = fabric.Flight(FIRST + 112) + fabric.Flight(ACK);
        uint64_t bytes = 0;
        for (uint64_t i = 0; i < 10; i++)
        {
            bytes += 100 + i;
            ack += i < 9 ? fabric.Slot(FIRST + (100 + i + 3) / 4 * 4) : 0; // padded to 4
            NS_TEST_EXPECT_MSG_EQ(m_done[i].wrId, i, "in order");
            NS_TEST_EXPECT_MSG_EQ(m_done[i].byteLength, 100 + i, "length");
        }
        for (uint64_t i = 0; i < 10; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(m_done[i].completed, PicoSeconds(ack), "all at once");
        }
        NS_TEST_EXPECT_MSG_EQ(m_done[10].wrId, 99, "then the new one");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().messagesReceived, 11, "messages");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().bytesReceived, bytes + 5000, "bytes");
        NS_TEST_EXPECT_MSG_EQ(m_qp->GetCounters().bytesAcked, bytes + 5000, "acknowledged");
    }

    void Completed(const RdmaWorkCompletion& done) override
    {
        m_done.push_back(done);
        if (m_done.size() == 1)
        {
            m_qp->PostSend(RdmaWorkRequest::Write(5000, 99));
        }
    }

    std::vector<RdmaWorkCompletion> m_done; //!< completions
};

/**
 * @ingroup roce-tests
 * @brief What was sent is paid back at the rate of its time, also when an ACK changes the rate.
 *
 * 1 Gb/s, from the first ACK on 10 Gb/s. A packet of 1024 B is 1122 B = 8976 bit on the wire. The
 * ACK arrives after Flight(1102) + Flight(66) = 2094.72 ns, when 2094.72 bit are paid back; the
 * rest takes 688.128 ns, so the second packet starts at 2782.848 ns.
 */
class RoceRateStepTestCase : public TestCase
{
  public:
    RoceRateStepTestCase()
        : TestCase("an ACK changes the rate between two packets")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetCongestionControl(RoceBrakeControl::GetTypeId().GetName(),
                                         "First",
                                         DataRateValue(DataRate("1Gbps")),
                                         "AfterAck",
                                         DataRateValue(DataRate("10Gbps")));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        std::vector<RocePs> starts;
        fabric.GetCable(0)->SetScript([&](const RoceFrame& frame, uint8_t end) {
            if (end == 0)
            {
                starts.push_back(frame.time - fabric.Flight(frame.frameBytes));
            }
            return RoceScriptedChannel::PASS;
        });
        qps.first->PostSend(RdmaWorkRequest::Write(1024));
        qps.first->PostSend(RdmaWorkRequest::Write(1024));
        Simulator::Run();
        const RocePs ack = fabric.Flight(FIRST + 1024) + fabric.Flight(ACK);
        const RocePs bits = (FIRST + 1024 + 20) * 8;
        // 1 Gb/s: 1000 ps per bit; 10 Gb/s: 100 ps per bit.
        const RocePs expected = ack + (bits * 1000 - ack) / 10;
        NS_TEST_ASSERT_MSG_EQ(starts.size(), 2, "packets");
        NS_TEST_EXPECT_MSG_EQ(starts[1], expected, "start of the second one, ps");
        NS_TEST_EXPECT_MSG_EQ(expected, 2'782'848, "the derivation above");
    }
};

/**
 * @ingroup roce-tests
 * @brief The first completion destroys the queue pair; so does every completion after it.
 */
class RoceDestroyTestCase : public RoceCallbackTestCase
{
  public:
    RoceDestroyTestCase()
        : RoceCallbackTestCase("a completion callback destroys the queue pair")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        Listen(qps);
        m_qp->PostReceive({50, 1});
        for (uint64_t i = 0; i < 3; i++)
        {
            m_qp->PostSend(RdmaWorkRequest::Write(1000, i));
        }
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 4, "each request is completed");
        NS_TEST_EXPECT_MSG_EQ(m_done[0].status, RdmaWcStatus::SUCCESS, "the first");
        for (std::size_t i = 1; i < 4; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(m_done[i].status, RdmaWcStatus::WR_FLUSH_ERR, "the others");
        }
        NS_TEST_EXPECT_MSG_EQ(m_engine->GetNQueuePairs(), 0, "queue pairs");
        NS_TEST_EXPECT_MSG_EQ((m_engine->FindQueuePair(m_done[0].qpNumber) == nullptr),
                              true,
                              "it cannot be found");
        NS_TEST_EXPECT_MSG_EQ(m_engine->GetLatePackets(), 2, "two ACKs come too late");
        const RdmaCounters total = m_engine->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(total.posted, 3, "counters of the NIC: posted");
        NS_TEST_EXPECT_MSG_EQ(total.completed, 1, "completed");
        NS_TEST_EXPECT_MSG_EQ(total.failed, 2, "failed");
        NS_TEST_EXPECT_MSG_EQ(total.packetsSent, 3, "packets");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().messagesReceived, 3, "all were sent");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().posted, 3, "its own counters stay");
        NS_TEST_EXPECT_MSG_EQ((qps.first->GetEngine() == nullptr), true, "no NIC any more");
    }

    void Completed(const RdmaWorkCompletion& done) override
    {
        m_done.push_back(done);
        m_engine->DestroyQueuePair(m_qp);
    }

    std::vector<RdmaWorkCompletion> m_done; //!< completions
};

/**
 * @ingroup roce-tests
 * @brief Queue pairs are destroyed by whoever hears of them: at a failure, at a receive error, and
 * by a trace sink of arriving messages.
 */
class RoceDestroyElsewhereTestCase : public RoceCallbackTestCase
{
  public:
    RoceDestroyElsewhereTestCase()
        : RoceCallbackTestCase("a queue pair is destroyed at a failure and at an arrival")
    {
    }

  private:
    void DoRun() override
    {
        {
            RoceFabricFixture fabric; // the peer is silent
            fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(1));
            fabric.roce.SetQueuePairAttribute("RetryCount", UintegerValue(0));
            fabric.Star(2);
            const auto qps = fabric.Connect(0, 1);
            fabric.GetCable(0)->SetScript(
                [](const RoceFrame&, uint8_t) { return RoceScriptedChannel::DROP; });
            Listen(qps);
            m_qp->PostSend(RdmaWorkRequest::Write(100));
            m_qp->PostSend(RdmaWorkRequest::Write(100));
            Simulator::Run();
            Check({RdmaWcStatus::RETRY_EXC_ERR, RdmaWcStatus::WR_FLUSH_ERR});
        }
        {
            RoceFabricFixture fabric; // the receive buffer is too small
            fabric.Star(2);
            const auto qps = fabric.Connect(0, 1);
            Listen({qps.second, qps.first});
            m_qp->PostReceive({1, 99});
            m_qp->PostReceive({2, 99});
            qps.first->PostSend(RdmaWorkRequest::Send(100));
            Simulator::Run();
            Check({RdmaWcStatus::LOC_LEN_ERR, RdmaWcStatus::WR_FLUSH_ERR});
        }
        {
            RoceFabricFixture fabric; // a trace sink
            fabric.Star(2);
            const auto qps = fabric.Connect(0, 1);
            Listen({qps.second, qps.first});
            m_destroyAtCompletion = false;
            m_qp->TraceConnectWithoutContext(
                "MessageReceived",
                MakeCallback(&RoceDestroyElsewhereTestCase::Arrived, this));
            m_qp->PostReceive({1, 100});
            m_qp->PostReceive({2, 100});
            qps.first->PostSend(RdmaWorkRequest::Send(100));
            Simulator::Run();
            Check({RdmaWcStatus::SUCCESS, RdmaWcStatus::WR_FLUSH_ERR});
            NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 1, "it was acknowledged");
        }
    }

    /// @param expected status of each completion
    void Check(const std::vector<RdmaWcStatus>& expected)
    {
        NS_TEST_EXPECT_MSG_EQ((m_status == expected), true, "status of the completions");
        NS_TEST_EXPECT_MSG_EQ(m_engine->GetNQueuePairs(), 0, "it is gone");
        m_status.clear();
    }

    /**
     * @param when arrival
     * @param bytes length of the message
     */
    void Arrived(Time when, uint64_t bytes)
    {
        NS_TEST_EXPECT_MSG_EQ(bytes, 100, "length");
        NS_TEST_EXPECT_MSG_GT(when, Time(), "arrival");
        m_engine->DestroyQueuePair(m_qp);
    }

    void Completed(const RdmaWorkCompletion& done) override
    {
        m_status.push_back(done.status);
        if (m_destroyAtCompletion)
        {
            m_engine->DestroyQueuePair(m_qp);
        }
    }

    bool m_destroyAtCompletion{true};   //!< or at the arrival of a message
    std::vector<RdmaWcStatus> m_status; //!< completions
};

/**
 * @ingroup roce-tests
 * @brief Packets of a destroyed connection do not reach the next one between the same ports.
 *
 * Both ends are destroyed 500 ns after the start, when packets 0 to 5 have left (packet k > 0
 * starts at 89.76 + (k - 1) 88.48 ns) and none has arrived. Queue pair numbers rest for one second.
 */
class RoceNumberReuseTestCase : public TestCase
{
  public:
    RoceNumberReuseTestCase()
        : TestCase("queue pair numbers and late packets")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Star(2);
        auto old = fabric.Connect(0, 1);
        const uint32_t number = old.second->GetNumber();
        const uint64_t id = old.second->GetId();
        old.first->PostSend(RdmaWorkRequest::Write(100 * 1024));
        RoceFabricFixture::QueuePairs next;
        Simulator::Schedule(NanoSeconds(500), [&]() {
            fabric.GetEngine(0)->DestroyQueuePair(old.first);
            fabric.GetEngine(1)->DestroyQueuePair(old.second);
            next = fabric.Connect(0, 1);
            next.first->PostSend(RdmaWorkRequest::Write(7 * 1024));
        });
        Simulator::Run();
        const RocePs slot = fabric.Slot(MIDDLE + 1024);
        const uint64_t late = 1 + (500'000 - fabric.Slot(FIRST + 1024)) / slot + 1;
        NS_TEST_EXPECT_MSG_EQ(late, 6, "the derivation above");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetEngine(1)->GetLatePackets(), late, "late packets");
        NS_TEST_EXPECT_MSG_NE(next.second->GetNumber(), number, "another number");
        NS_TEST_EXPECT_MSG_EQ(next.second->GetCounters().bytesReceived, 7 * 1024, "its own bytes");
        NS_TEST_EXPECT_MSG_EQ(next.second->GetCounters().outOfSequence, 0, "nothing else");
        NS_TEST_EXPECT_MSG_EQ(next.first->GetCounters().completed, 1, "completed");

        Simulator::Stop(Seconds(1.5) - Simulator::Now());
        Simulator::Run();
        const auto third = fabric.Connect(0, 1);
        NS_TEST_EXPECT_MSG_EQ(third.second->GetNumber(), number, "used again after its rest");
        NS_TEST_EXPECT_MSG_NE(third.second->GetId(), id, "but the ID never is");
        third.first->PostSend(RdmaWorkRequest::Write(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(third.first->GetCounters().completed, 1, "completed");
    }
};

/**
 * @ingroup roce-tests
 * @brief The verbs state machine step by step, one completion queue for everything, and a peer
 * that only receives.
 */
class RoceStatesTestCase : public TestCase
{
  public:
    RoceStatesTestCase()
        : TestCase("states and completion queues")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Star(3);
        auto queue = CreateObject<RdmaCompletionQueue>();
        std::vector<Ptr<RdmaQueuePair>> senders;
        std::vector<Ptr<RdmaQueuePair>> receivers;
        for (uint32_t i = 0; i < 2; i++)
        {
            Ptr<RdmaQueuePair> sender = fabric.GetEngine(i)->CreateQueuePair();
            Ptr<RdmaQueuePair> receiver = fabric.GetEngine(2)->CreateQueuePair();
            sender->SetSendCompletionQueue(queue);
            receiver->SetReceiveCompletionQueue(queue);
            NS_TEST_EXPECT_MSG_EQ((sender->GetState() == RdmaQpState::RESET), true, "new");
            sender->ModifyToInit();
            receiver->ModifyToInit();
            receiver->PostReceive({i, 10}); // allowed from INIT on
            sender->ModifyToRtr(receiver->GetLocal());
            receiver->ModifyToRtr(sender->GetLocal());
            NS_TEST_EXPECT_MSG_EQ((sender->GetState() == RdmaQpState::RTR), true, "RTR");
            sender->ModifyToRts();
            NS_TEST_EXPECT_MSG_EQ((sender->GetState() == RdmaQpState::RTS), true, "RTS");
            senders.push_back(sender);
            receivers.push_back(receiver);
        }
        senders[0]->PostSend(RdmaWorkRequest::Send(10, 100));
        senders[1]->PostSend(RdmaWorkRequest::Send(8, 101));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(queue->GetTotal(), 4, "two sent, two received");
        NS_TEST_EXPECT_MSG_EQ(queue->GetSize(), 4, "all wait");
        for (const auto& entry : queue->Poll(100))
        {
            const bool received = entry.opcode == RdmaWcOpcode::RECV;
            const std::size_t i = entry.wrId % 2;
            NS_TEST_EXPECT_MSG_EQ(entry.status, RdmaWcStatus::SUCCESS, "status");
            NS_TEST_EXPECT_MSG_EQ(entry.qpId,
                                  (received ? receivers[i] : senders[i])->GetId(),
                                  "queue pair");
            NS_TEST_EXPECT_MSG_EQ(entry.byteLength, (i == 0 ? 10 : 8), "length");
        }
        NS_TEST_EXPECT_MSG_EQ(queue->GetSize(), 0, "none waits");

        receivers[0]->PostReceive({7, 10});
        receivers[0]->ModifyToError();
        const auto flushed = queue->Poll(10);
        NS_TEST_ASSERT_MSG_EQ(flushed.size(), 1, "the buffer is flushed");
        NS_TEST_EXPECT_MSG_EQ(flushed[0].status, RdmaWcStatus::WR_FLUSH_ERR, "status");
        NS_TEST_EXPECT_MSG_EQ(flushed[0].wrId, 7, "which one");
    }
};

/**
 * @ingroup roce-tests
 * @brief Run() ends by itself soon after the last completion (scenario P23).
 */
class RoceRunEndsTestCase : public TestCase
{
  public:
    /// @param timeout local ACK timeout code
    explicit RoceRunEndsTestCase(uint32_t timeout)
        : TestCase("DCQCN flow of 10 MB without Stop(), timeout code " + std::to_string(timeout)),
          m_timeout(timeout)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetCongestionControl("ns3::RdmaDcqcn");
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(m_timeout));
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        qps.first->PostSend(RdmaWorkRequest::Write(10'000'000));
        Simulator::Run();
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(2);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "one completion");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(Simulator::Now() - completions[0].completed,
                                    MilliSeconds(10),
                                    "end of the run after the completion");
    }

    uint32_t m_timeout; //!< local ACK timeout code
};

/**
 * @ingroup roce-tests
 * @brief No frame is lost by the program: none is left after a run, nor after a run that is cut
 * off with frames everywhere.
 */
class RoceFrameLeakTestCase : public TestCase
{
  public:
    RoceFrameLeakTestCase()
        : TestCase("all frames are given back")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(GetLiveRoceFrames(), 0, "before");
        for (const bool cut : {false, true})
        {
            {
                RoceFabricFixture fabric;
                fabric.roce.SetCongestionControl("ns3::RdmaDcqcn");
                fabric.Star(9);
                for (uint32_t i = 1; i < 9; i++)
                {
                    fabric.Connect(i, 0).first->PostSend(RdmaWorkRequest::Write(1'000'000));
                }
                if (cut)
                {
                    Simulator::Stop(MicroSeconds(100));
                }
                Simulator::Run();
                if (cut)
                {
                    NS_TEST_EXPECT_MSG_GT(GetLiveRoceFrames(), 100, "queues and cables are full");
                }
                else
                {
                    NS_TEST_EXPECT_MSG_EQ(GetLiveRoceFrames(), 0, "none is left");
                }
            }
            NS_TEST_EXPECT_MSG_EQ(GetLiveRoceFrames(), 0, "none is left after Destroy()");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief Verbs test suite.
 */
class RoceVerbsTestSuite : public TestSuite
{
  public:
    RoceVerbsTestSuite();
};

RoceVerbsTestSuite::RoceVerbsTestSuite()
    : TestSuite("roce-verbs", Type::UNIT)
{
    AddTestCase(new RoceUnsignaledTestCase);
    AddTestCase(new RoceChainedWorkTestCase);
    AddTestCase(new RoceJumpingAckTestCase);
    AddTestCase(new RoceRateStepTestCase);
    AddTestCase(new RoceDestroyTestCase);
    AddTestCase(new RoceDestroyElsewhereTestCase);
    AddTestCase(new RoceNumberReuseTestCase);
    AddTestCase(new RoceStatesTestCase);
    AddTestCase(new RoceRunEndsTestCase(14));
    AddTestCase(new RoceRunEndsTestCase(31));
    AddTestCase(new RoceFrameLeakTestCase);
}

RoceVerbsTestSuite g_roceVerbsTestSuite; //!< registers the suite

} // namespace
