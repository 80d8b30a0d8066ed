/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-wire-log.h"
#include "roce-fabric-fixture.h"

#include "ns3/callback.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-memory-table.h"
#include "ns3/rdma-work-request.h"
#include "ns3/roce-compat.h"
#include "ns3/roce-frame.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief All operations with real bytes, in both directions, over a line that loses, doubles,
 * reorders and delays frames: what happens is what would happen on a perfect line.
 *
 * Each side has memory in four parts: one that is only written, one that is only read, one that is
 * written and read (its WRITEs have a fence, without which a READ may see what was posted behind
 * it), and eight words for atomics. While requests are drawn they are applied to a model of that
 * memory in posting order, which gives the expected result of every READ and atomic and the final
 * contents. Checked at the end, for each direction:
 *
 *   - one completion for each signaled request, in order, with success and the result of the model;
 *   - receive completions in order with length, bytes, immediate data and invalidated key;
 *   - final memory, so that atomics have been executed exactly once;
 *   - posted = completed, none failed, bytes acknowledged = bytes posted, no frame left.
 *
 * Path MTU, strategy, PSN (often close to its end), depths, timeouts and rates of the disturbances
 * are drawn from the seed. With 5 % loss each way a lone packet survives a try with probability
 * 0.9, and eight tries are allowed: fewer than one in 10^7 requests can fail.
 */
class RdmaRandomOperationsTestCase : public TestCase
{
  public:
    /**
     * @param recovery loss recovery
     * @param first first seed
     * @param count number of seeds
     */
    RdmaRandomOperationsTestCase(const std::string& recovery, uint32_t first, uint32_t count)
        : TestCase(recovery + ", seeds from " + std::to_string(first)),
          m_recovery(recovery),
          m_first(first),
          m_count(count)
    {
    }

  private:
    static constexpr uint32_t PART = 40'000;    //!< bytes of each part of the memory
    static constexpr uint64_t BASE = 0x1000000; //!< address of the memory
    static constexpr uint32_t WORDS = 8;        //!< words for atomics, behind the parts

    /// One side.
    struct Side
    {
        Ptr<RdmaQueuePair> qp;                      //!< its queue pair
        std::deque<RdmaWorkRequest> pending;        //!< requests that are not posted yet
        std::vector<RdmaWorkRequest> requests;      //!< all requests
        std::vector<std::vector<uint8_t>> expected; //!< of each request: READ result
        std::vector<uint64_t> results;              //!< of each request: atomic result
        std::vector<std::size_t> takesBuffer;       //!< requests that consume a buffer of the peer
        std::vector<uint8_t> memory;                //!< model of the memory of the peer
        uint32_t key{0};                            //!< key of that memory
        std::vector<uint32_t> spareKeys;            //!< keys of the peer that can be made invalid
        uint64_t buffers{0};                        //!< buffers posted here
    };

    void DoRun() override
    {
        for (uint32_t seed = m_first; seed < m_first + m_count; seed++)
        {
            RunSeed(seed);
            if (IsStatusFailure())
            {
                return; // with the seed in the message
            }
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

    /// @param side side that posts its next request
    void PostRequest(uint32_t side)
    {
        m_side[side].qp->PostSend(m_side[side].pending.front());
        m_side[side].pending.pop_front();
    }

    /// @param side side whose queue pair gets one more receive buffer
    void PostBuffer(uint32_t side)
    {
        m_side[side].qp->PostReceive({m_side[side].buffers++, 100'000});
    }

    /**
     * Draw a request and apply it to the model.
     * @param side side that posts it
     * @param pathMtu payload of a packet
     */
    void DrawRequest(Side& side, uint32_t pathMtu)
    {
        constexpr std::array<RdmaOperation, 8> OPERATIONS{RdmaOperation::SEND,
                                                          RdmaOperation::SEND_WITH_IMM,
                                                          RdmaOperation::SEND_WITH_INV,
                                                          RdmaOperation::WRITE,
                                                          RdmaOperation::WRITE_WITH_IMM,
                                                          RdmaOperation::READ,
                                                          RdmaOperation::COMPARE_AND_SWAP,
                                                          RdmaOperation::FETCH_AND_ADD};
        RdmaWorkRequest request;
        const auto id = static_cast<uint32_t>(side.requests.size());
        request.wrId = id;
        request.operation = OPERATIONS[Draw(0, 7)];
        if (request.operation == RdmaOperation::SEND_WITH_INV && side.spareKeys.empty())
        {
            request.operation = RdmaOperation::SEND;
        }
        request.length = Draw(0, 3) == 0 ? Draw(0, 3) : Draw(0, std::min(20 * pathMtu, PART));
        request.rKey = side.key;
        request.immediate = Draw(0, 1'000'000);
        request.signaled = Draw(0, 3) > 0;
        request.fence = Draw(0, 3) == 0;
        std::vector<uint8_t> expected;
        uint64_t result = 0;
        if (request.IsAtomic())
        {
            const uint32_t offset = 3 * PART + 8 * Draw(0, WORDS - 1);
            request.length = 8;
            request.remoteAddress = BASE + offset;
            request.swapAdd = Draw(0, UINT32_MAX - 1);
            for (uint32_t i = 0; i < 8; i++)
            {
                result = result << 8 | side.memory[offset + i];
            }
            request.compare = Draw(0, 1) ? result : result + 1;
            uint64_t value = result;
            if (request.operation == RdmaOperation::FETCH_AND_ADD)
            {
                value += request.swapAdd;
            }
            else if (request.compare == result)
            {
                value = request.swapAdd;
            }
            for (uint32_t i = 0; i < 8; i++)
            {
                side.memory[offset + i] = static_cast<uint8_t>(value >> (56 - 8 * i));
            }
        }
        else
        {
            const auto length = static_cast<uint32_t>(request.length);
            const bool shared = Draw(0, 1);
            const bool isRead = request.operation == RdmaOperation::READ;
            const uint32_t part = shared ? 2 : isRead ? 1 : 0;
            const uint32_t offset = part * PART + Draw(0, PART - length);
            request.remoteAddress = BASE + offset;
            const auto place = side.memory.begin() + offset;
            if (isRead)
            {
                expected.assign(place, place + length);
            }
            else if (Draw(0, 5) > 0 || (request.IsWrite() && shared))
            {
                request.payload = RdmaWireLog::MakePayload(length, Draw(0, 1'000'000));
            }
            if (request.IsWrite())
            {
                request.fence = request.fence || shared;
                const auto bytes = RdmaWireLog::GetBytes(request.payload);
                std::copy(bytes.begin(), bytes.end(), place);
            }
            if (request.operation == RdmaOperation::SEND_WITH_INV)
            {
                request.invalidateKey = side.spareKeys.back();
                side.spareKeys.pop_back();
            }
            if (request.IsSend() || request.operation == RdmaOperation::WRITE_WITH_IMM)
            {
                side.takesBuffer.push_back(id);
            }
        }
        side.requests.push_back(request);
        side.expected.push_back(expected);
        side.results.push_back(result);
        side.pending.push_back(request);
    }

    /**
     * Draw the requests of a side and when they are posted.
     * @param index the side
     * @param pathMtu payload of a packet
     */
    void Plan(uint32_t index, uint32_t pathMtu)
    {
        Side& side = m_side[index];
        RdmaMemoryTable& memory = m_side[1 - index].qp->GetEngine()->GetMemory();
        side.key = memory.Register(BASE, 3 * PART + 8 * WORDS, RDMA_ALL_ACCESS, true).rKey;
        const Ptr<Packet> contents = RdmaWireLog::MakePayload(3 * PART + 8 * WORDS, index);
        memory.Write(side.key, BASE, contents);
        side.memory = RdmaWireLog::GetBytes(contents);
        for (uint32_t i = 0; i < 3; i++)
        {
            side.spareKeys.push_back(memory.Register(0, 1, RDMA_ALL_ACCESS, false).rKey);
        }
        const uint32_t requests = Draw(5, 25);
        uint64_t when = 0;
        for (uint32_t i = 0; i < requests; i++)
        {
            const std::size_t buffers = side.takesBuffer.size();
            DrawRequest(side, pathMtu);
            when += Draw(0, 2) == 0 ? Draw(0, 100'000) : 0;
            Simulator::Schedule(NanoSeconds(when),
                                &RdmaRandomOperationsTestCase::PostRequest,
                                this,
                                index);
            if (side.takesBuffer.size() > buffers)
            {
                // Mostly in time, sometimes late: receiver-not-ready NAKs.
                Simulator::Schedule(NanoSeconds(Draw(0, 3) > 0 ? 0 : when + Draw(0, 50'000)),
                                    &RdmaRandomOperationsTestCase::PostBuffer,
                                    this,
                                    1 - index);
            }
        }
    }

    /// @param seed stream number
    void RunSeed(uint32_t seed)
    {
        const uint64_t frames = GetLiveRoceFrames();
        m_random = CreateObject<UniformRandomVariable>();
        m_random->SetStream(seed);
        m_side = {};
        {
            RoceFabricFixture fabric(Draw(0, 1) ? "100Gbps" : "25Gbps",
                                     NanoSeconds(Draw(10, 3000)));
            constexpr std::array<uint32_t, 5> MTUS{256, 1000, 1024, 1027, 4096};
            const uint32_t pathMtu = MTUS[Draw(0, 4)];
            const uint32_t depth = Draw(1, 4);
            fabric.roce.SetRecovery("ns3::Rdma" + m_recovery);
            const auto set = [&fabric](const char* name, uint32_t value) {
                fabric.roce.SetQueuePairAttribute(name, UintegerValue(value));
            };
            set("PathMtu", pathMtu);
            set("Timeout", Draw(4, 6)); // 66 to 262 us
            set("MinRnrTimer", Draw(1, 6));
            set("AckInterval", Draw(0, 1) ? 1 : 7);
            set("InitialPsn", Draw(0, 3) ? 0xffffff - Draw(0, 200) : 0);
            set("MaxReadAtomic", depth);
            set("MaxDestReadAtomic", depth + Draw(0, 1));
            if (Draw(0, 1))
            {
                fabric.roce.SetCongestionControl("ns3::RdmaNoCongestionControl",
                                                 "Window",
                                                 UintegerValue(Draw(1, 20) * pathMtu));
            }
            fabric.Pair();
            const auto qps = fabric.Connect(0, 1);
            m_side[0].qp = qps.first;
            m_side[1].qp = qps.second;
            for (auto& side : m_side)
            {
                side.qp->SetReceiveCompletionQueue(CreateObject<RdmaCompletionQueue>());
            }
            Plan(0, pathMtu);
            Plan(1, pathMtu);
            Disturb(*fabric.GetCable(0));
            Simulator::Run();
            for (uint32_t side = 0; side < 2; side++)
            {
                Check(m_side[side], m_side[1 - side], seed);
            }
            m_side = {};
        }
        NS_TEST_EXPECT_MSG_EQ(GetLiveRoceFrames(), frames, "frames are left, seed " << seed);
    }

    /// @param cable cable that loses, doubles and postpones frames from now on
    void Disturb(RoceScriptedChannel& cable)
    {
        constexpr std::array<uint32_t, 4> RATES{0, 10, 30, 50}; // per mille
        const uint32_t lost = RATES[Draw(0, 3)];
        const uint32_t doubled = RATES[Draw(0, 2)];
        const uint32_t postponed = RATES[Draw(0, 3)];
        const uint32_t most = Draw(0, 1) ? 500 : 20'000; // ns
        cable.SetScript([this, lost, doubled, postponed, most, &cable](const RoceFrame&, uint8_t) {
            const uint32_t dice = Draw(0, 999);
            if (dice < lost)
            {
                return RoceScriptedChannel::DROP;
            }
            cable.SetExtraDelay(NanoSeconds(Draw(0, most)));
            if (dice < lost + doubled)
            {
                return dice % 2 ? RoceScriptedChannel::DUPLICATE : RoceScriptedChannel::ECHO;
            }
            return dice < lost + doubled + postponed ? RoceScriptedChannel::POSTPONE
                                                     : RoceScriptedChannel::PASS;
        });
    }

    /**
     * @param from side that sent
     * @param to side that received
     * @param seed stream number
     */
    void Check(const Side& from, const Side& to, uint32_t seed)
    {
        const std::string where = m_recovery + ", seed " + std::to_string(seed);
        const auto& counters = from.qp->GetCounters();
        uint64_t bytes = 0;
        std::vector<std::size_t> signaled;
        for (std::size_t i = 0; i < from.requests.size(); i++)
        {
            bytes += from.requests[i].HasResponse() ? 0 : from.requests[i].length;
            if (from.requests[i].signaled)
            {
                signaled.push_back(i);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(counters.posted, from.requests.size(), "posted, " << where);
        NS_TEST_EXPECT_MSG_EQ(counters.completed, counters.posted, "all complete, " << where);
        NS_TEST_EXPECT_MSG_EQ(counters.failed, 0, "none fails, " << where);
        NS_TEST_EXPECT_MSG_EQ(counters.bytesAcked, bytes, "acknowledged, " << where);

        const auto done = from.qp->GetSendCompletionQueue()->Poll(1000);
        NS_TEST_EXPECT_MSG_EQ(done.size(), signaled.size(), "completions, " << where);
        const auto received = to.qp->GetReceiveCompletionQueue()->Poll(1000);
        NS_TEST_EXPECT_MSG_EQ(received.size(), from.takesBuffer.size(), "buffers, " << where);
        if (done.size() != signaled.size() || received.size() != from.takesBuffer.size())
        {
            return;
        }
        for (std::size_t k = 0; k < done.size(); k++)
        {
            const std::size_t i = signaled[k];
            NS_TEST_EXPECT_MSG_EQ(done[k].wrId, i, "order, " << where);
            NS_TEST_EXPECT_MSG_EQ(done[k].status, RdmaWcStatus::SUCCESS, "status, " << where);
            NS_TEST_EXPECT_MSG_EQ(done[k].atomicResult,
                                  from.results[i],
                                  "result of request " << i << ", " << where);
            NS_TEST_EXPECT_MSG_EQ((RdmaWireLog::GetBytes(done[k].payload) == from.expected[i]),
                                  true,
                                  "bytes of READ " << i << ", " << where);
        }

        RdmaMemoryTable& memory = to.qp->GetEngine()->GetMemory();
        for (std::size_t k = 0; k < received.size(); k++)
        {
            const RdmaWorkRequest& request = from.requests[from.takesBuffer[k]];
            const auto& got = received[k];
            NS_TEST_EXPECT_MSG_EQ(got.wrId, k, "buffers in order, " << where);
            NS_TEST_EXPECT_MSG_EQ(got.byteLength, request.length, "length, " << where);
            NS_TEST_EXPECT_MSG_EQ(got.hasImmediate, request.HasImmediate(), "kind, " << where);
            NS_TEST_EXPECT_MSG_EQ(got.immediate,
                                  (request.HasImmediate() ? request.immediate : 0),
                                  "immediate data, " << where);
            NS_TEST_EXPECT_MSG_EQ(got.invalidatedKey,
                                  request.invalidateKey,
                                  "key made invalid, " << where);
            if (got.hasInvalidate)
            {
                NS_TEST_EXPECT_MSG_EQ((memory.Find(got.invalidatedKey) == nullptr),
                                      true,
                                      "the key is gone, " << where);
            }
            if (request.IsSend() && request.payload)
            {
                NS_TEST_EXPECT_MSG_EQ(
                    (RdmaWireLog::GetBytes(got.payload) == RdmaWireLog::GetBytes(request.payload)),
                    true,
                    "bytes of SEND " << k << ", " << where);
            }
        }
        NS_TEST_EXPECT_MSG_EQ((memory.Find(from.key)->storage == from.memory),
                              true,
                              "final memory, " << where);
    }

    std::string m_recovery;              //!< loss recovery
    uint32_t m_first;                    //!< first seed
    uint32_t m_count;                    //!< number of seeds
    Ptr<UniformRandomVariable> m_random; //!< all randomness
    std::array<Side, 2> m_side;          //!< both directions
};

/**
 * @ingroup roce-tests
 * @brief Random operations test suite.
 */
class RdmaRandomOperationsTestSuite : public TestSuite
{
  public:
    RdmaRandomOperationsTestSuite();
};

RdmaRandomOperationsTestSuite::RdmaRandomOperationsTestSuite()
    : TestSuite("roce-random-operations", Type::UNIT)
{
    for (const char* recovery : {"GoBackN", "SelectiveRepeat", "GoBackZero"})
    {
        AddTestCase(new RdmaRandomOperationsTestCase(recovery, 1, 40));
        AddTestCase(new RdmaRandomOperationsTestCase(recovery, 41, 3000), rocecompat::EXTENSIVE);
    }
}

RdmaRandomOperationsTestSuite g_rdmaRandomOperationsTestSuite; //!< registers the suite

} // namespace
