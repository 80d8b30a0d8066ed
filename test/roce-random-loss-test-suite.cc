/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"

#include "ns3/callback.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-work-request.h"
#include "ns3/roce-compat.h"
#include "ns3/roce-frame.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief Frames are lost and doubled at random in both directions; every message still arrives
 * exactly once, in order, and every request completes in order.
 *
 * Two hosts send random messages of all kinds to each other; path MTU, ACK interval, window,
 * initial PSN and loss rate are drawn from the seed, and receive buffers come late. Checked at the
 * end, for each direction:
 *
 *   - lengths of arrived messages = lengths of posted ones, in order (RDMA bytes exactly once);
 *   - completions of signaled requests in posting order, all successful; posted = completed;
 *   - receive completions in posting order with the right length and immediate data;
 *   - packets sent = packets of the messages + retransmitted ones;
 *   - each data packet that arrives is in order, behind a gap, a duplicate or not ready.
 *
 * Fewer than one in 10^7 requests can fail: with 5 % loss each way a lone packet survives a try
 * with probability 0.9, and eight tries are allowed.
 */
class RoceRandomLossTestCase : public TestCase
{
  public:
    /**
     * @param first first seed
     * @param count number of seeds
     */
    RoceRandomLossTestCase(uint32_t first, uint32_t count)
        : TestCase("random loss, seeds from " + std::to_string(first)),
          m_first(first),
          m_count(count)
    {
    }

  private:
    /// One direction: what was posted, what happened.
    struct Side
    {
        Ptr<RdmaQueuePair> qp;                    //!< queue pair that sends
        std::vector<RdmaWorkRequest> posted;      //!< requests
        std::vector<uint64_t> arrived;            //!< lengths of arrived messages
        uint64_t packets{0};                      //!< packets of all requests
        uint64_t dataOnWire{0};                   //!< data packets that reach the peer
        uint32_t buffers{0};                      //!< buffers posted for the peer's messages
        std::vector<RdmaWorkRequest> takesBuffer; //!< requests that consume a buffer at the peer
    };

    void DoRun() override
    {
        for (uint32_t seed = m_first; seed < m_first + m_count; seed++)
        {
            RunSeed(seed);
        }
    }

    /**
     * @param least smallest number
     * @param most largest number
     * @return a random number
     */
    uint32_t Draw(uint32_t least, uint32_t most)
    {
        return m_random->GetInteger(least, most);
    }

    /**
     * @param when arrival
     * @param bytes length of the message
     */
    void Arrived0(Time when, uint64_t bytes)
    {
        m_side[0].arrived.push_back(bytes);
        NS_TEST_EXPECT_MSG_EQ((when <= Simulator::Now()), true, "arrival is not in the future");
    }

    /**
     * @param when arrival
     * @param bytes length of the message
     */
    void Arrived1(Time when, uint64_t bytes)
    {
        m_side[1].arrived.push_back(bytes);
        NS_TEST_EXPECT_MSG_EQ((when <= Simulator::Now()), true, "arrival is not in the future");
    }

    /// @param side side whose queue pair gets one more receive buffer
    void PostBuffer(uint32_t side)
    {
        m_side[side].qp->PostReceive({m_side[side].buffers++, 100'000});
    }

    /// @param side side that posts its next request
    void PostRequest(uint32_t side)
    {
        m_side[side].qp->PostSend(m_pending[side].front());
        m_pending[side].pop_front();
    }

    /**
     * Draw the requests of a side and when they are posted.
     * @param side the side
     * @param pathMtu payload of a packet
     */
    void Plan(uint32_t side, uint32_t pathMtu)
    {
        Side& state = m_side[side];
        const uint32_t messages = Draw(5, 30);
        uint64_t when = 0;
        for (uint32_t i = 0; i < messages; i++)
        {
            RdmaWorkRequest request;
            request.wrId = i;
            constexpr std::array<RdmaOperation, 4> OPERATIONS{RdmaOperation::SEND,
                                                              RdmaOperation::SEND_WITH_IMM,
                                                              RdmaOperation::WRITE,
                                                              RdmaOperation::WRITE_WITH_IMM};
            request.operation = OPERATIONS[Draw(0, 3)];
            request.length = Draw(0, 3) == 0 ? Draw(0, 3) : Draw(0, 20 * pathMtu);
            request.immediate = Draw(0, 1'000'000);
            request.signaled = Draw(0, 3) > 0 || i + 1 == messages;
            state.posted.push_back(request);
            state.packets += std::max<uint64_t>(1, (request.length + pathMtu - 1) / pathMtu);
            m_pending[side].push_back(request);
            when += Draw(0, 2) == 0 ? Draw(0, 100'000) : 0;
            Simulator::Schedule(NanoSeconds(when),
                                &RoceRandomLossTestCase::PostRequest,
                                this,
                                side);
            if (request.operation != RdmaOperation::WRITE)
            {
                state.takesBuffer.push_back(request);
                // Mostly in time, sometimes late: receiver-not-ready NAKs.
                Simulator::Schedule(NanoSeconds(Draw(0, 3) > 0 ? 0 : when + Draw(0, 50'000)),
                                    &RoceRandomLossTestCase::PostBuffer,
                                    this,
                                    1 - side);
            }
        }
    }

    /// @param seed stream number
    void RunSeed(uint32_t seed)
    {
        m_random = CreateObject<UniformRandomVariable>();
        m_random->SetStream(seed);
        m_side = {};
        m_pending = {};

        RoceFabricFixture fabric(Draw(0, 1) ? "100Gbps" : "25Gbps", NanoSeconds(Draw(10, 3000)));
        constexpr std::array<uint32_t, 5> MTUS{256, 1000, 1024, 1027, 4096};
        const uint32_t pathMtu = MTUS[Draw(0, 4)];
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(pathMtu));
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(Draw(1, 6)));
        fabric.roce.SetQueuePairAttribute("RetryCount", UintegerValue(7));
        fabric.roce.SetQueuePairAttribute("MinRnrTimer", UintegerValue(Draw(1, 6)));
        fabric.roce.SetQueuePairAttribute("AckInterval", UintegerValue(Draw(0, 1) ? 1 : 7));
        fabric.roce.SetQueuePairAttribute("InitialPsn",
                                          UintegerValue(Draw(0, 1) ? 0xffffff - Draw(0, 200) : 0));
        const uint32_t window = Draw(0, 2) ? 0 : Draw(1, 20) * pathMtu;
        switch (Draw(0, 2))
        {
        case 0:
            fabric.roce.SetCongestionControl("ns3::RdmaDcqcn");
            break;
        case 1:
            fabric.roce.SetCongestionControl("ns3::RdmaFixedRate",
                                             "Rate",
                                             DataRateValue(DataRate("7.3Gbps")));
            break;
        default:
            fabric.roce.SetCongestionControl("ns3::RdmaNoCongestionControl",
                                             "Window",
                                             UintegerValue(window));
            break;
        }
        if (Draw(0, 1))
        {
            fabric.Star(2);
        }
        else
        {
            fabric.Pair();
        }
        const auto qps = fabric.Connect(0, 1);
        m_side[0].qp = qps.first;
        m_side[1].qp = qps.second;
        for (auto& side : m_side)
        {
            side.qp->SetReceiveCompletionQueue(CreateObject<RdmaCompletionQueue>());
        }
        qps.second->TraceConnectWithoutContext(
            "MessageReceived",
            MakeCallback(&RoceRandomLossTestCase::Arrived0, this));
        qps.first->TraceConnectWithoutContext(
            "MessageReceived",
            MakeCallback(&RoceRandomLossTestCase::Arrived1, this));

        constexpr std::array<uint32_t, 4> LOSSES{0, 10, 30, 50}; // per mille
        const uint32_t loss = LOSSES[Draw(0, 3)];
        const uint32_t doubled = LOSSES[Draw(0, 1)];
        // Both directions pass the cable of host 1.
        fabric.GetCable(1)->SetScript([this, loss, doubled, qps](const RoceFrame& frame, uint8_t) {
            const uint32_t dice = Draw(0, 999);
            if (dice < loss)
            {
                return RoceScriptedChannel::DROP;
            }
            const bool twice = dice < loss + doubled;
            if (RoceScriptedChannel::IsData(frame))
            {
                const bool toSecond = frame.destination == RoceAddressBytes{10, 0, 0, 2};
                m_side[toSecond ? 0 : 1].dataOnWire += twice ? 2 : 1;
            }
            return twice ? RoceScriptedChannel::DUPLICATE : RoceScriptedChannel::PASS;
        });
        Plan(0, pathMtu);
        Plan(1, pathMtu);
        Simulator::Run();
        for (uint32_t side = 0; side < 2; side++)
        {
            Check(m_side[side], m_side[1 - side], seed);
        }
        m_side = {};
    }

    /**
     * @param from side that sent
     * @param to side that received
     * @param seed stream number
     */
    void Check(const Side& from, const Side& to, uint32_t seed)
    {
        const auto& sender = from.qp->GetCounters();
        const auto& receiver = to.qp->GetCounters();
        const std::string where = "seed " + std::to_string(seed);
        uint64_t bytes = 0;
        std::vector<uint64_t> lengths;
        std::vector<uint64_t> signaled;
        for (const auto& request : from.posted)
        {
            bytes += request.length;
            lengths.push_back(request.length);
            if (request.signaled)
            {
                signaled.push_back(request.wrId);
            }
        }
        NS_TEST_EXPECT_MSG_EQ((from.arrived == lengths),
                              true,
                              "messages once, in order, " << where);
        NS_TEST_EXPECT_MSG_EQ(sender.posted, from.posted.size(), "posted, " << where);
        NS_TEST_EXPECT_MSG_EQ(sender.completed, sender.posted, "all complete, " << where);
        NS_TEST_EXPECT_MSG_EQ(sender.failed, 0, "none fails, " << where);
        NS_TEST_EXPECT_MSG_EQ(sender.bytesAcked, bytes, "bytes acknowledged, " << where);
        NS_TEST_EXPECT_MSG_EQ(receiver.bytesReceived, bytes, "bytes received, " << where);
        NS_TEST_EXPECT_MSG_EQ(receiver.packetsReceived, from.packets, "in order, " << where);
        NS_TEST_EXPECT_MSG_EQ(sender.packetsSent - sender.retransmittedPackets,
                              from.packets,
                              "packets sent the first time, " << where);
        NS_TEST_EXPECT_MSG_EQ(receiver.packetsReceived + receiver.outOfSequence +
                                  receiver.duplicateRequest + receiver.rnrNaksSent,
                              from.dataOnWire,
                              "every arrival is counted as one thing, " << where);
        std::vector<uint64_t> completed;
        for (const auto& completion : from.qp->GetSendCompletionQueue()->Poll(1000))
        {
            completed.push_back(completion.wrId);
        }
        NS_TEST_EXPECT_MSG_EQ((completed == signaled), true, "completions in order, " << where);
        const auto received = to.qp->GetReceiveCompletionQueue()->Poll(1000);
        NS_TEST_ASSERT_MSG_EQ(received.size(), from.takesBuffer.size(), "buffers, " << where);
        for (std::size_t i = 0; i < received.size(); i++)
        {
            const auto& request = from.takesBuffer[i];
            NS_TEST_EXPECT_MSG_EQ(received[i].wrId, i, "buffers in order, " << where);
            NS_TEST_EXPECT_MSG_EQ(received[i].byteLength, request.length, "length, " << where);
            NS_TEST_EXPECT_MSG_EQ(received[i].hasImmediate,
                                  request.HasImmediate(),
                                  "immediate data or not, " << where);
            if (request.HasImmediate())
            {
                NS_TEST_EXPECT_MSG_EQ(received[i].immediate,
                                      request.immediate,
                                      "immediate data, " << where);
            }
        }
    }

    uint32_t m_first;                                     //!< first seed
    uint32_t m_count;                                     //!< number of seeds
    Ptr<UniformRandomVariable> m_random;                  //!< all randomness
    std::array<Side, 2> m_side;                           //!< both directions
    std::array<std::deque<RdmaWorkRequest>, 2> m_pending; //!< planned, not posted yet
};

/**
 * @ingroup roce-tests
 * @brief Random loss test suite.
 */
class RoceRandomLossTestSuite : public TestSuite
{
  public:
    RoceRandomLossTestSuite();
};

RoceRandomLossTestSuite::RoceRandomLossTestSuite()
    : TestSuite("roce-random-loss", Type::UNIT)
{
    for (uint32_t first = 1; first < 100; first += 20)
    {
        AddTestCase(new RoceRandomLossTestCase(first, 20));
    }
    AddTestCase(new RoceRandomLossTestCase(101, 5000), rocecompat::EXTENSIVE);
}

RoceRandomLossTestSuite g_roceRandomLossTestSuite; //!< registers the suite

} // namespace
