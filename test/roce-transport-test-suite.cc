/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"

#include "ns3/rdma-psn.h"
#include "ns3/rdma-work-request.h"
#include "ns3/roce-frame.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MIDDLE = RoceFabricFixture::MIDDLE; //!< overhead of a middle packet, bytes
constexpr uint32_t FIRST = RoceFabricFixture::FIRST;   //!< the same with RETH
constexpr uint32_t ACK = RoceFabricFixture::ACK;       //!< frame of an acknowledgment, bytes
constexpr RocePs MICROSECOND = 1'000'000;              //!< in picoseconds
constexpr RocePs TIMEOUT_UNIT = 4'096'000;             //!< 4.096 us: local ACK timeout with code 0

/**
 * @ingroup roce-tests
 * @brief A packet is lost in the middle of a long message (scenario P5).
 *
 * Packet 100 of 1000 is lost on the last link; packet 101 causes the one NAK. When it reaches the
 * sender, these have left: with S(k) = start of packet k and all packets after the first delayed by
 * the 16 B of its RETH at the switch,
 *
 *   NAK - S(101) = 16 B + 2 Flight(data) + 2 Flight(ACK) = 9479.68 ns = 28.36 slots of 334.24 ns
 *
 * so packets 101 ... 129 have left, and 100 ... 129 are sent again: 30.
 */
class RoceGoBackNTestCase : public TestCase
{
  public:
    RoceGoBackNTestCase()
        : TestCase("one packet of a long message is lost")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t PACKETS = 1000;
        RoceFabricFixture fabric("100Gbps", NanoSeconds(2200));
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(4096));
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        fabric.GetCable(1)->SetScript(
            RoceScriptedChannel::Lose(RoceScriptedChannel::IsData, {100}));
        qps.first->PostSend(RdmaWorkRequest::Write(PACKETS * 4096));
        Simulator::Run();

        const RocePs nakDelay =
            fabric.ByteTimes(16) + 2 * fabric.Flight(MIDDLE + 4096) + 2 * fabric.Flight(ACK);
        const uint64_t behind = nakDelay / fabric.Slot(MIDDLE + 4096) + 1; // 101 included
        const uint64_t again = behind + 1;
        const auto& sender = qps.first->GetCounters();
        const auto& receiver = qps.second->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(again, 30, "the derivation above");
        NS_TEST_EXPECT_MSG_EQ(receiver.naksSent, 1, "NAKs");
        NS_TEST_EXPECT_MSG_EQ(sender.packetSeqErr, 1, "NAKs received");
        NS_TEST_EXPECT_MSG_EQ(sender.retransmittedPackets, again, "sent again");
        NS_TEST_EXPECT_MSG_EQ(sender.packetsSent, PACKETS + again, "data packets sent");
        NS_TEST_EXPECT_MSG_EQ(receiver.outOfSequence, behind, "packets behind the gap");
        NS_TEST_EXPECT_MSG_EQ(receiver.packetsReceived, PACKETS, "delivered once");
        NS_TEST_EXPECT_MSG_EQ(receiver.duplicateRequest, 0, "go-back-N starts at the gap");
        NS_TEST_EXPECT_MSG_EQ(receiver.bytesReceived, PACKETS * 4096, "bytes");
        NS_TEST_EXPECT_MSG_EQ(receiver.messagesReceived, 1, "messages");
        NS_TEST_EXPECT_MSG_EQ(sender.localAckTimeoutErr, 0, "no timeout");
        NS_TEST_EXPECT_MSG_EQ(sender.completed, 1, "completed");
    }
};

/**
 * @ingroup roce-tests
 * @brief The last packet of a message is lost: only the local ACK timeout repairs it
 * (scenario P27).
 *
 * Timeout code 14: 4.096 us x 2^14 = 67.108864 ms after the last progress. With an ACK per packet
 * that is the ACK of packet 14, and packet 15 is sent again; with an ACK at the end only it is the
 * start of packet 0, and all 16 are sent again.
 */
class RoceLostLastPacketTestCase : public TestCase
{
  public:
    /// @param ackInterval packets per acknowledgment
    explicit RoceLostLastPacketTestCase(uint32_t ackInterval)
        : TestCase("the last packet is lost, ACK every " + std::to_string(ackInterval)),
          m_ackInterval(ackInterval)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("AckInterval", UintegerValue(m_ackInterval));
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        std::vector<uint32_t> acks;
        auto lose = RoceScriptedChannel::Lose(RoceScriptedChannel::IsData, {15});
        fabric.GetCable(1)->SetScript([&](RoceFrame& frame, uint8_t end) {
            if (RoceScriptedChannel::IsAck(frame))
            {
                acks.push_back(frame.psn);
            }
            return lose(frame, end);
        });
        qps.first->PostSend(RdmaWorkRequest::Write(16 * 1024));
        Simulator::Run();

        const bool each = m_ackInterval == 1;
        // Arrival of packet k at the receiver, see RoceGoBackNTestCase about the first packet.
        const auto arrival = [&fabric](uint32_t k) {
            return fabric.Flight(FIRST + 1024) + fabric.Slot(FIRST + 1024) +
                   (k - 1) * fabric.Slot(MIDDLE + 1024) + fabric.Flight(MIDDLE + 1024);
        };
        const RocePs progress = each ? arrival(14) + 2 * fabric.Flight(ACK) : 0;
        const RocePs expiry = progress + (TIMEOUT_UNIT << 14);
        const RocePs done = expiry + (each ? 2 * fabric.Flight(MIDDLE + 1024) : arrival(15)) +
                            2 * fabric.Flight(ACK);
        const auto& sender = qps.first->GetCounters();
        const auto& receiver = qps.second->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(sender.localAckTimeoutErr, 1, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(sender.retransmittedPackets, (each ? 1 : 16), "sent again");
        NS_TEST_EXPECT_MSG_EQ(receiver.naksSent, 0, "nobody can see a missing last packet");
        NS_TEST_EXPECT_MSG_EQ(receiver.duplicateRequest, (each ? 0 : 15), "duplicates");
        NS_TEST_EXPECT_MSG_EQ(receiver.bytesReceived, 16 * 1024, "delivered once");
        NS_TEST_ASSERT_MSG_EQ(acks.size(), 16, "ACKs");
        for (uint32_t i = 0; i < 16; i++)
        {
            // A duplicate is answered with what has arrived so far: 15 times PSN 14.
            NS_TEST_EXPECT_MSG_EQ(acks[i], (each || i == 15 ? i : 14), "PSN of ACK " << i);
        }
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(2);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "one completion");
        NS_TEST_EXPECT_MSG_EQ(completions[0].status, RdmaWcStatus::SUCCESS, "status");
        NS_TEST_EXPECT_MSG_EQ(completions[0].completed, PicoSeconds(done), "time of completion");
        NS_TEST_EXPECT_MSG_EQ_TOL(done, 67'110 * MICROSECOND, 67 * MICROSECOND, "about 67.11 ms");
    }

    uint32_t m_ackInterval; //!< packets per acknowledgment
};

/**
 * @ingroup roce-tests
 * @brief The peer is silent: after RetryCount retries the oldest request fails and the rest is
 * flushed.
 *
 * The first timeout expires T after the first packet left, each further one T later; the one after
 * the last retry is the end: (RetryCount + 1) T.
 */
class RoceRetryExhaustionTestCase : public TestCase
{
  public:
    /// @param retryCount retries
    explicit RoceRetryExhaustionTestCase(uint32_t retryCount)
        : TestCase("no answer, " + std::to_string(retryCount) + " retries"),
          m_retryCount(retryCount)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(8));
        fabric.roce.SetQueuePairAttribute("RetryCount", UintegerValue(m_retryCount));
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        fabric.GetCable(1)->SetScript(
            [](const RoceFrame&, uint8_t) { return RoceScriptedChannel::DROP; });
        auto request = RdmaWorkRequest::Write(2048, 1);
        qps.first->PostSend(request);
        request.wrId = 2;
        request.signaled = false; // errors give a completion all the same
        qps.first->PostSend(request);
        qps.first->PostReceive({3, 100});
        Simulator::Run();

        const auto& sender = qps.first->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(sender.localAckTimeoutErr, m_retryCount + 1, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(sender.packetsSent, 4 * (m_retryCount + 1), "packets sent");
        NS_TEST_EXPECT_MSG_EQ((qps.first->GetState() == RdmaQpState::ERR), true, "state ERR");
        qps.first->PostSend(RdmaWorkRequest::Write(1, 4)); // flushed at once
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(5);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 4, "one completion for each request");
        for (uint64_t i = 0; i < 4; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(completions[i].wrId, i + 1, "in order");
            NS_TEST_EXPECT_MSG_EQ(
                completions[i].status,
                (i == 0 ? RdmaWcStatus::RETRY_EXC_ERR : RdmaWcStatus::WR_FLUSH_ERR),
                "status of request " << i + 1);
        }
        NS_TEST_EXPECT_MSG_EQ(completions[0].completed,
                              PicoSeconds((m_retryCount + 1) * (TIMEOUT_UNIT << 8)),
                              "time of the failure");
        NS_TEST_EXPECT_MSG_EQ(sender.posted, 3, "posted");
        NS_TEST_EXPECT_MSG_EQ(sender.completed + sender.failed, 3, "posted = completed + failed");
        NS_TEST_EXPECT_MSG_EQ(sender.failed, 3, "failed");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().packetsReceived, 0, "nothing arrived");
    }

    uint32_t m_retryCount; //!< retries
};

/**
 * @ingroup roce-tests
 * @brief Progress gives all retries back: each of five messages is lost once, with one retry.
 */
class RoceRetryRefillTestCase : public TestCase
{
  public:
    RoceRetryRefillTestCase()
        : TestCase("progress gives retries back")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(4));
        fabric.roce.SetQueuePairAttribute("RetryCount", UintegerValue(1));
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        std::map<uint32_t, uint32_t> seen;
        fabric.GetCable(0)->SetScript([&seen](const RoceFrame& frame, uint8_t end) {
            return end == 0 && seen[frame.psn]++ == 0 ? RoceScriptedChannel::DROP
                                                      : RoceScriptedChannel::PASS;
        });
        m_qp = PeekPointer(qps.first);
        m_qp->GetSendCompletionQueue()->SetCallback(
            MakeCallback(&RoceRetryRefillTestCase::Completed, this));
        m_qp->PostSend(RdmaWorkRequest::Write(100));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_qp->GetCounters().localAckTimeoutErr, 5, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(m_qp->GetCounters().completed, 5, "all complete");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().messagesReceived, 5, "all arrive");
    }

    /// @param done a completion; the next message is posted
    void Completed(const RdmaWorkCompletion& done)
    {
        if (done.IsSuccess() && m_left > 0)
        {
            m_left--;
            m_qp->PostSend(RdmaWorkRequest::Write(100));
        }
    }

    RdmaQueuePair* m_qp{nullptr}; //!< the sender
    uint32_t m_left{4};           //!< messages that follow the first
};

/**
 * @ingroup roce-tests
 * @brief PSNs run over the end of their 24 bits while a packet is lost.
 *
 * Ten packets from PSN 0xFFFFFE on. The NAK names the missing PSN, and go-back-N starts there; the
 * loss of the last packet is repaired by the timeout.
 */
class RocePsnWrapTestCase : public TestCase
{
  public:
    /// @param lost index of the lost packet
    explicit RocePsnWrapTestCase(uint32_t lost)
        : TestCase("PSN wraps, packet " + std::to_string(lost) + " is lost"),
          m_lost(lost)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t START = 0xfffffe;
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("InitialPsn", UintegerValue(START));
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(8));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        std::vector<uint32_t> psns;
        std::vector<uint32_t> naks;
        auto lose = RoceScriptedChannel::Lose(RoceScriptedChannel::IsData, {m_lost});
        fabric.GetCable(0)->SetScript([&](RoceFrame& frame, uint8_t end) {
            if (RoceScriptedChannel::IsData(frame))
            {
                psns.push_back(frame.psn);
            }
            else if (RoceScriptedChannel::IsNak(frame))
            {
                naks.push_back(frame.psn);
            }
            return lose(frame, end);
        });
        qps.first->PostSend(RdmaWorkRequest::Write(10 * 1024));
        Simulator::Run();

        const auto psn = [](uint32_t k) { return (START + k) & 0xffffff; };
        // The whole message leaves before any answer can come: 10 x 88 ns are less than 2 us.
        const uint32_t again = 10 - m_lost;
        NS_TEST_ASSERT_MSG_EQ(psns.size(), 10 + again, "packets sent");
        for (uint32_t i = 0; i < psns.size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(psns[i], psn(i < 10 ? i : i - 10 + m_lost), "PSN " << i);
        }
        const bool last = m_lost == 9;
        NS_TEST_ASSERT_MSG_EQ(naks.size(), (last ? 0 : 1), "NAKs");
        if (!last)
        {
            NS_TEST_EXPECT_MSG_EQ(naks[0], psn(m_lost), "the NAK names the missing packet");
        }
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().localAckTimeoutErr,
                              (last ? 1 : 0),
                              "timeout");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 1, "completed");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().packetsReceived, 10, "delivered once");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().bytesReceived, 10 * 1024, "bytes");
    }

    uint32_t m_lost; //!< index of the lost packet
};

/**
 * @ingroup roce-tests
 * @brief A lost ACK makes the requester repeat; the responder acknowledges again and does nothing
 * else.
 */
class RoceLostAckTestCase : public TestCase
{
  public:
    RoceLostAckTestCase()
        : TestCase("an ACK is lost")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(4));
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        fabric.GetCable(1)->SetScript(RoceScriptedChannel::Lose(RoceScriptedChannel::IsAck, {0}));
        qps.second->PostReceive({1, 1024});
        qps.second->PostReceive({2, 1024});
        qps.first->PostSend(RdmaWorkRequest::Send(1000));
        Simulator::Run();
        const auto& receiver = qps.second->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(receiver.duplicateRequest, 1, "the packet came again");
        NS_TEST_EXPECT_MSG_EQ(receiver.acksSent, 2, "and was acknowledged again");
        NS_TEST_EXPECT_MSG_EQ(receiver.messagesReceived, 1, "but counted once");
        NS_TEST_EXPECT_MSG_EQ(receiver.bytesReceived, 1000, "with its bytes");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetReceiveQueueLength(), 1, "one buffer is left");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 1, "completed");
        // T after the packet left at time 0 it is sent again; 1000 B + 62 B.
        const RocePs done =
            (TIMEOUT_UNIT << 4) + 2 * fabric.Flight(MIDDLE + 1000) + 2 * fabric.Flight(ACK);
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(2);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "one completion");
        NS_TEST_EXPECT_MSG_EQ(completions[0].completed, PicoSeconds(done), "time of completion");

        // ACKs are cumulative: losing one in the middle of a message changes nothing.
        fabric.GetCable(1)->SetScript(RoceScriptedChannel::Lose(RoceScriptedChannel::IsAck, {3}));
        qps.first->PostSend(RdmaWorkRequest::Write(16 * 1024));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().retransmittedPackets, 1, "none more");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 2, "completed");
    }
};

/**
 * @ingroup roce-tests
 * @brief One NAK per gap: when it is lost, or the missing packet is lost again, no other NAK is
 * sent, and the timeout helps.
 */
class RoceNakLatchTestCase : public TestCase
{
  public:
    /// @param loseNak lose the NAK (true) or the missing packet again (false)
    explicit RoceNakLatchTestCase(bool loseNak)
        : TestCase(loseNak ? "a NAK is lost" : "a packet is lost twice"),
          m_loseNak(loseNak)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(4));
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        uint32_t lost = 0;
        uint32_t naksLost = 0;
        fabric.GetCable(1)->SetScript([&](const RoceFrame& frame, uint8_t) {
            if (RoceScriptedChannel::IsNak(frame) && m_loseNak)
            {
                naksLost++;
                return RoceScriptedChannel::DROP;
            }
            if (RoceScriptedChannel::IsData(frame) && frame.psn == 5 && lost < (m_loseNak ? 1 : 2))
            {
                lost++;
                return RoceScriptedChannel::DROP;
            }
            return RoceScriptedChannel::PASS;
        });
        qps.first->PostSend(RdmaWorkRequest::Write(16 * 1024));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().naksSent, 1, "one NAK");
        NS_TEST_EXPECT_MSG_EQ(naksLost, (m_loseNak ? 1 : 0), "NAKs lost");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().localAckTimeoutErr, 1, "one timeout");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 1, "completed");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().packetsReceived, 16, "delivered once");
        // Packets 5 to 15 again at the timeout, and before it at the NAK if that arrived.
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().retransmittedPackets,
                              (m_loseNak ? 11 : 22),
                              "sent again");
    }

    bool m_loseNak; //!< what is lost
};

/**
 * @ingroup roce-tests
 * @brief An ACK for every 16 packets and the last (scenario P19): 1000 / 16 = 62.5, so 63.
 *
 * A window of 8 packets must not wait for the 16th: the packet that fills it asks for an ACK. On a
 * single cable a round takes from the start of its first packet to the arrival of the ACK of its
 * eighth, 7 Slot + Flight(data) + Flight(ACK), and there are 125 rounds.
 */
class RoceAckIntervalTestCase : public TestCase
{
  public:
    /// @param window window in packets, 0: none
    explicit RoceAckIntervalTestCase(uint32_t window)
        : TestCase("ACK every 16 packets, window " + std::to_string(window)),
          m_window(window)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("AckInterval", UintegerValue(16));
        fabric.roce.SetCongestionControl("ns3::RdmaNoCongestionControl",
                                         "Window",
                                         UintegerValue(m_window * 1024));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        uint64_t most = 0;
        fabric.GetCable(0)->SetScript([&](const RoceFrame&, uint8_t end) {
            const auto& state = qps.first->GetTransportState();
            most =
                end == 0 && state.next - state.unacked > most ? state.next - state.unacked : most;
            return RoceScriptedChannel::PASS;
        });
        qps.first->PostSend(RdmaWorkRequest::Write(1000 * 1024));
        Simulator::Run();

        const RocePs slot = fabric.Slot(MIDDLE + 1024);
        const RocePs roundTrip = fabric.Flight(MIDDLE + 1024) + fabric.Flight(ACK);
        const RocePs done = m_window ? 125 * (7 * slot + roundTrip) : 999 * slot + roundTrip;
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().acksSent, (m_window ? 125 : 63), "ACKs");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().acksReceived, (m_window ? 125 : 63), "ACKs");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().localAckTimeoutErr, 0, "timeouts");
        if (m_window)
        {
            NS_TEST_EXPECT_MSG_EQ(most, m_window, "packets in flight at most");
        }
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(2);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "one completion");
        NS_TEST_EXPECT_MSG_EQ(completions[0].completed,
                              PicoSeconds(done + fabric.ByteTimes(16)), // RETH of the first packet
                              "time of completion");
    }

    uint32_t m_window; //!< window in packets, 0: none
};

/**
 * @ingroup roce-tests
 * @brief The receiver has no buffer for the second of two SENDs (scenario P21).
 *
 * The RNR NAK reaches the sender one round trip after the second SEND left, one slot after the
 * first. The sender waits for the time coded in it (12: 640 us, 0: 655.36 ms) and tries again; the
 * buffer is there since 300 us.
 */
class RoceReceiverNotReadyTestCase : public TestCase
{
  public:
    /**
     * @param code RNR timer code
     * @param waitUs time that it stands for, us
     */
    RoceReceiverNotReadyTestCase(uint32_t code, uint64_t waitUs)
        : TestCase("receiver not ready, timer code " + std::to_string(code)),
          m_code(code),
          m_waitUs(waitUs)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("MinRnrTimer", UintegerValue(m_code));
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        Ptr<RdmaQueuePair> receiver = qps.second;
        receiver->PostReceive({1, 1024});
        qps.first->PostSend(RdmaWorkRequest::Send(1024, 1));
        qps.first->PostSend(RdmaWorkRequest::Send(1024, 2));
        Simulator::Schedule(MicroSeconds(300), [receiver]() { receiver->PostReceive({2, 1024}); });
        Simulator::Run();

        const RocePs roundTrip = 2 * fabric.Flight(MIDDLE + 1024) + 2 * fabric.Flight(ACK);
        const RocePs done =
            fabric.Slot(MIDDLE + 1024) + roundTrip + m_waitUs * MICROSECOND + roundTrip;
        NS_TEST_EXPECT_MSG_EQ(receiver->GetCounters().rnrNaksSent, 1, "RNR NAKs sent");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().rnrNaksReceived, 1, "RNR NAKs received");
        NS_TEST_EXPECT_MSG_EQ(receiver->GetCounters().naksSent, 0, "other NAKs");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().localAckTimeoutErr, 0, "timeouts");
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(3);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 2, "both complete");
        NS_TEST_EXPECT_MSG_EQ(completions[1].wrId, 2, "in order");
        NS_TEST_EXPECT_MSG_EQ(completions[1].status, RdmaWcStatus::SUCCESS, "status");
        NS_TEST_EXPECT_MSG_EQ(completions[1].completed, PicoSeconds(done), "time of completion");
        const auto received = receiver->GetReceiveCompletionQueue()->Poll(3);
        NS_TEST_ASSERT_MSG_EQ(received.size(), 2, "both received");
        NS_TEST_EXPECT_MSG_EQ(received[1].wrId, 2, "into the second buffer");
    }

    uint32_t m_code;   //!< RNR timer code
    uint64_t m_waitUs; //!< time that it stands for, us
};

/**
 * @ingroup roce-tests
 * @brief The receiver is not ready for long: RnrRetry counts retries without progress, 7 means for
 * ever.
 *
 * Try k arrives at k x (640 us + round trip) after the first. With RnrRetry r < 7 the NAK of try r
 * (the first is try 0) is fatal; with 7, the first try after the buffer is posted succeeds.
 */
class RoceRnrRetryTestCase : public TestCase
{
  public:
    /// @param rnrRetry receiver-not-ready retries
    explicit RoceRnrRetryTestCase(uint32_t rnrRetry)
        : TestCase("receiver not ready for 10 ms, RnrRetry " + std::to_string(rnrRetry)),
          m_rnrRetry(rnrRetry)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("RnrRetry", UintegerValue(m_rnrRetry));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        Ptr<RdmaQueuePair> receiver = qps.second;
        const RocePs posted = 10'000 * MICROSECOND;
        Simulator::Schedule(PicoSeconds(posted), [receiver]() { receiver->PostReceive({1, 64}); });
        qps.first->PostSend(RdmaWorkRequest::Send(64, 1));
        qps.first->PostSend(RdmaWorkRequest::Write(64, 2));
        Simulator::Run();

        const RocePs there = fabric.Flight(MIDDLE + 64);
        const RocePs period = there + fabric.Flight(ACK) + 640 * MICROSECOND;
        const uint64_t tries = (posted - there) / period + 1; // before the buffer is there
        const bool forever = m_rnrRetry == 7;
        const uint64_t naks = forever ? tries : m_rnrRetry + 1;
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().rnrNaksReceived, naks, "RNR NAKs");
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(3);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 2, "two completions");
        NS_TEST_EXPECT_MSG_EQ(completions[0].status,
                              (forever ? RdmaWcStatus::SUCCESS : RdmaWcStatus::RNR_RETRY_EXC_ERR),
                              "of the SEND");
        NS_TEST_EXPECT_MSG_EQ(completions[1].status,
                              (forever ? RdmaWcStatus::SUCCESS : RdmaWcStatus::WR_FLUSH_ERR),
                              "of the WRITE behind it");
        const RocePs answered = there + fabric.Flight(ACK);
        NS_TEST_EXPECT_MSG_EQ(completions[0].completed,
                              PicoSeconds(answered + (forever ? tries : m_rnrRetry) * period),
                              "time of completion");
    }

    uint32_t m_rnrRetry; //!< receiver-not-ready retries
};

/**
 * @ingroup roce-tests
 * @brief Transport test suite.
 */
class RoceTransportTestSuite : public TestSuite
{
  public:
    RoceTransportTestSuite();
};

RoceTransportTestSuite::RoceTransportTestSuite()
    : TestSuite("roce-transport", Type::UNIT)
{
    AddTestCase(new RoceGoBackNTestCase);
    AddTestCase(new RoceLostLastPacketTestCase(1));
    AddTestCase(new RoceLostLastPacketTestCase(1000));
    for (const uint32_t retries : {0, 1, 7})
    {
        AddTestCase(new RoceRetryExhaustionTestCase(retries));
    }
    AddTestCase(new RoceRetryRefillTestCase);
    for (uint32_t lost = 0; lost < 10; lost++)
    {
        AddTestCase(new RocePsnWrapTestCase(lost));
    }
    AddTestCase(new RoceLostAckTestCase);
    AddTestCase(new RoceNakLatchTestCase(true));
    AddTestCase(new RoceNakLatchTestCase(false));
    AddTestCase(new RoceAckIntervalTestCase(0));
    AddTestCase(new RoceAckIntervalTestCase(8));
    AddTestCase(new RoceReceiverNotReadyTestCase(12, 640));
    AddTestCase(new RoceReceiverNotReadyTestCase(0, 655'360));
    for (const uint32_t retries : {0, 2, 6, 7})
    {
        AddTestCase(new RoceRnrRetryTestCase(retries));
    }
}

RoceTransportTestSuite g_roceTransportTestSuite; //!< registers the suite

} // namespace
