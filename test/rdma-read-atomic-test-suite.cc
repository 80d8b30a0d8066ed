/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-wire-log.h"
#include "roce-fabric-fixture.h"

#include "ns3/rdma-memory-table.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-syndrome.h"
#include "ns3/rdma-work-request.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-compat.h"
#include "ns3/roce-frame.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
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
constexpr uint32_t REQUEST = MIDDLE + 16;              //!< frame of a READ request: RETH
constexpr uint32_t ANSWER = MIDDLE + 4;                //!< the same with AETH
constexpr RocePs TIMEOUT_UNIT = 4'096'000;             //!< 4.096 us: local ACK timeout with code 0

/**
 * @ingroup roce-tests
 * @brief How long READs take (scenario P20).
 *
 * A request takes 2 Flight(78 B) over the switch. Then the responses follow each other without a
 * gap: the first and the last of a READ have an AETH (4166 - 4 + 4096 B of payload: 4162 B), the
 * others 4158 B. The first packet is among the longest, so the switch adds its Flight only, and the
 * last bit of packet k arrives S(k) + 2 Flight(4162 B) after the responder began, where S(k) is the
 * sum of the slots before.
 *
 *   1 MiB:  2 x 1006.88 + 334.56 + 254 x 334.24 + 2 x 1333.60 = 89,912.48 ns
 *
 * which is 3.84 ns, four gaps of 12 B, less than in a convention that counts the gap as part of the
 * frame (89,916.32 ns). With depth 1 a READ begins when the one before has ended; with depth 16 the
 * responder always knows what is next.
 */
class RdmaReadTimeTestCase : public TestCase
{
  public:
    /**
     * @param reads number of READs
     * @param bytes length of each
     * @param depth READs that may be unanswered
     */
    RdmaReadTimeTestCase(uint32_t reads, uint32_t bytes, uint32_t depth)
        : TestCase(std::to_string(reads) + " READs of " + std::to_string(bytes) + " B, depth " +
                   std::to_string(depth)),
          m_reads(reads),
          m_bytes(bytes),
          m_depth(depth)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t MTU = 4096;
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(MTU));
        fabric.roce.SetQueuePairAttribute("MaxReadAtomic", UintegerValue(m_depth));
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        for (uint32_t i = 0; i < m_reads; i++)
        {
            qps.first->PostSend(RdmaWorkRequest::Read(m_bytes, i));
        }
        Simulator::Run();

        const RocePs flights = 2 * fabric.Flight(REQUEST) + 2 * fabric.Flight(ANSWER + MTU);
        const RocePs slots =
            2 * fabric.Slot(ANSWER + MTU) + (m_bytes / MTU - 2) * fabric.Slot(MIDDLE + MTU);
        const RocePs last = fabric.Slot(ANSWER + MTU);
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(100);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), m_reads, "all complete");
        for (uint32_t i = 0; i < m_reads; i++)
        {
            const RocePs expected = m_depth == 1 ? (i + 1) * (flights + slots - last)
                                                 : flights + (i + 1) * slots - last;
            NS_TEST_EXPECT_MSG_EQ(completions[i].wrId, i, "in order");
            NS_TEST_EXPECT_MSG_EQ(completions[i].completed, PicoSeconds(expected), "READ " << i);
            NS_TEST_EXPECT_MSG_EQ(completions[i].byteLength, m_bytes, "bytes");
        }
        if (m_reads == 1)
        {
            NS_TEST_EXPECT_MSG_EQ(completions[0].completed,
                                  PicoSeconds(89'912'480),
                                  "1 MiB in closed form");
        }
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().bytesReceived,
                              uint64_t{m_reads} * m_bytes,
                              "bytes received");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().acksSent, 0, "responses acknowledge");
    }

    uint32_t m_reads; //!< number of READs
    uint32_t m_bytes; //!< length of each
    uint32_t m_depth; //!< READs that may be unanswered
};

/**
 * @ingroup roce-tests
 * @brief Congestion marks on READ responses slow the responder down, which sends the data: the
 * requester sends the CNPs.
 */
class RdmaReadCongestionTestCase : public TestCase
{
  public:
    RdmaReadCongestionTestCase()
        : TestCase("marked READ responses")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.roce.SetCongestionControl("ns3::RdmaDcqcn");
        fabric.Star(2);
        const auto qps = fabric.Connect(0, 1);
        fabric.GetCable(0)->SetScript(RoceScriptedChannel::Mark([](const RoceFrame& frame) {
            return frame.kind == RoceFrameKind::ROCE && RdmaOpcode::IsReadResponse(frame.opcode);
        }));
        qps.first->PostSend(RdmaWorkRequest::Read(1 << 20));
        Simulator::Stop(MicroSeconds(60));
        Simulator::Run();
        const auto& requester = qps.first->GetCounters();
        const auto& responder = qps.second->GetCounters();
        NS_TEST_EXPECT_MSG_GT(requester.cnpSent, 0, "the requester notices congestion");
        NS_TEST_EXPECT_MSG_EQ(requester.ecnMarkedPackets,
                              requester.bytesReceived / 1024,
                              "on every response");
        NS_TEST_EXPECT_MSG_GT(responder.cnpHandled, 0, "and tells the responder");
        NS_TEST_EXPECT_MSG_LT(qps.second->GetRate(), 99'000'000'000ULL, "whose rate falls");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetRate(), 100'000'000'000ULL, "that of the other stays");
        NS_TEST_EXPECT_MSG_EQ(responder.cnpSent, 0, "nobody marks requests");
        // 60 us at line rate would be 664 responses.
        NS_TEST_EXPECT_MSG_LT(requester.bytesReceived, 500 * 1024, "fewer bytes arrive");
    }
};

/**
 * @ingroup roce-tests
 * @brief A READ takes max(1, ceil(length / MTU)) PSNs, whose first is in its request; an atomic
 * takes one. Responses carry them in order, over the end of the 24 bits.
 */
class RdmaReadPsnTestCase : public TestCase
{
  public:
    RdmaReadPsnTestCase()
        : TestCase("PSNs and MSNs of READs and atomics")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t START = 0xfffffc;
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("InitialPsn", UintegerValue(START));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        const RdmaWireLog log(fabric, 0);
        const std::vector<std::pair<uint32_t, uint32_t>> reads{{0, 1},
                                                               {1, 1},
                                                               {1024, 1},
                                                               {1025, 2},
                                                               {3072, 3},
                                                               {5000, 5}}; // length, PSNs
        for (const auto& [length, psns] : reads)
        {
            qps.first->PostSend(RdmaWorkRequest::Read(length));
        }
        qps.first->PostSend(RdmaWorkRequest::FetchAndAdd(1, 8));
        qps.first->PostSend(RdmaWorkRequest::Write(1));
        Simulator::Run();

        const auto requests = log.Find([](const RdmaWireLog::Line& line) { return line.end == 0; });
        const auto answers = log.Find([](const RdmaWireLog::Line& line) { return line.end == 1; });
        NS_TEST_ASSERT_MSG_EQ(requests.size(), reads.size() + 2, "one packet each");
        NS_TEST_ASSERT_MSG_EQ(answers.size(), 13 + 2, "one packet per PSN");
        uint32_t psn = START;
        uint32_t answer = 0;
        for (uint32_t i = 0; i < requests.size(); i++)
        {
            const bool isRead = i < reads.size();
            const uint32_t psns = isRead ? reads[i].second : 1;
            NS_TEST_EXPECT_MSG_EQ(requests[i].psn, (psn & 0xffffff), "PSN of request " << i);
            NS_TEST_EXPECT_MSG_EQ(requests[i].ackReq, true, "wants an answer");
            if (isRead)
            {
                NS_TEST_EXPECT_MSG_EQ(requests[i].dmaLength, reads[i].first, "length in RETH");
                NS_TEST_EXPECT_MSG_EQ(requests[i].frameBytes, REQUEST, "frame of a request");
            }
            for (uint32_t k = 0; k < psns; k++, answer++, psn++)
            {
                const auto& line = answers[answer];
                NS_TEST_EXPECT_MSG_EQ(line.psn, (psn & 0xffffff), "PSN of answer " << answer);
                const bool hasAeth = !isRead || k == 0 || k + 1 == psns;
                NS_TEST_EXPECT_MSG_EQ(line.msn, (hasAeth ? i + 1 : 0), "MSN " << answer);
                if (isRead)
                {
                    const uint8_t opcode = psns == 1       ? RdmaOpcode::RC_READ_RESPONSE_ONLY
                                           : k == 0        ? RdmaOpcode::RC_READ_RESPONSE_FIRST
                                           : k + 1 == psns ? RdmaOpcode::RC_READ_RESPONSE_LAST
                                                           : RdmaOpcode::RC_READ_RESPONSE_MIDDLE;
                    NS_TEST_EXPECT_MSG_EQ(+line.opcode, +opcode, "opcode of answer " << answer);
                    const uint32_t payload = k + 1 < psns ? 1024 : reads[i].first - k * 1024;
                    NS_TEST_EXPECT_MSG_EQ(line.payload, payload, "payload " << answer);
                    const uint32_t padded = (payload + 3) / 4 * 4;
                    NS_TEST_EXPECT_MSG_EQ(line.frameBytes,
                                          (hasAeth ? ANSWER : MIDDLE) + padded,
                                          "frame " << answer);
                }
            }
        }
        // AtomicETH 28 B; AETH 4 B and AtomicAckETH 8 B.
        NS_TEST_EXPECT_MSG_EQ(requests[6].frameBytes, MIDDLE + 28, "frame of an atomic");
        NS_TEST_EXPECT_MSG_EQ(answers[13].frameBytes, MIDDLE + 12, "frame of its response");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().completed, 8, "all complete");
    }
};

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
 * @brief Atomics are executed exactly once: their first result is replayed.
 */
class RdmaAtomicTestCase : public TestCase
{
  public:
    /**
     * @param name what happens to the frames
     * @param script decides about them
     */
    RdmaAtomicTestCase(const std::string& name, RoceScriptedChannel::Script script)
        : TestCase("atomics, " + name),
          m_script(std::move(script))
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t ADDRESS = 0x2000;
        constexpr uint64_t N = 40;
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(3));
        fabric.roce.SetQueuePairAttribute("MaxReadAtomic", UintegerValue(5));
        fabric.roce.SetQueuePairAttribute("MaxDestReadAtomic", UintegerValue(5));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        fabric.GetCable(0)->SetScript(m_script);
        for (uint64_t i = 0; i < N; i++)
        {
            qps.first->PostSend(RdmaWorkRequest::FetchAndAdd(3, ADDRESS, i));
        }
        qps.first->PostSend(RdmaWorkRequest::CompareAndSwap(3 * N, 1000, ADDRESS, N));
        qps.first->PostSend(RdmaWorkRequest::CompareAndSwap(3 * N, 2000, ADDRESS, N + 1));
        qps.first->PostSend(RdmaWorkRequest::FetchAndAdd(UINT64_MAX, ADDRESS, N + 2)); // minus 1
        Simulator::Run();
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(100);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), N + 3, "all complete");
        for (uint64_t i = 0; i < N + 3; i++)
        {
            const uint64_t before = i <= N ? 3 * i : 1000; // the second swap finds no match
            NS_TEST_EXPECT_MSG_EQ(completions[i].wrId, i, "in order");
            NS_TEST_EXPECT_MSG_EQ(completions[i].status, RdmaWcStatus::SUCCESS, "status");
            NS_TEST_EXPECT_MSG_EQ(completions[i].atomicResult, before, "result of " << i);
            NS_TEST_EXPECT_MSG_EQ(completions[i].byteLength, 8, "length");
            const bool isSwap = i == N || i == N + 1;
            NS_TEST_EXPECT_MSG_EQ((completions[i].opcode ==
                                   (isSwap ? RdmaWcOpcode::COMP_SWAP : RdmaWcOpcode::FETCH_ADD)),
                                  true,
                                  "opcode of " << i);
        }
        RdmaMemoryTable& memory = fabric.GetEngine(1)->GetMemory();
        NS_TEST_EXPECT_MSG_EQ(memory.ReadWord(0, ADDRESS), 999, "final value");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().packetsReceived, N + 3, "executed once");
    }

    RoceScriptedChannel::Script m_script; //!< decides about frames
};

/**
 * @ingroup roce-tests
 * @brief At most MaxReadAtomic READs are unanswered: request i + depth leaves when READ i has been
 * answered.
 */
class RdmaReadDepthTestCase : public TestCase
{
  public:
    /// @param depth READs that may be unanswered
    explicit RdmaReadDepthTestCase(uint32_t depth)
        : TestCase("depth " + std::to_string(depth)),
          m_depth(depth)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t N = 12;
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("MaxReadAtomic", UintegerValue(m_depth));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        const RdmaWireLog log(fabric, 0);
        for (uint32_t i = 0; i < N; i++)
        {
            // An atomic counts as a READ does.
            qps.first->PostSend(i % 3 == 2 ? RdmaWorkRequest::FetchAndAdd(1, 8, i)
                                           : RdmaWorkRequest::Read(3000, i));
        }
        Simulator::Run();
        const auto requests = log.Find([](const RdmaWireLog::Line& line) { return line.end == 0; });
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(N + 1);
        NS_TEST_ASSERT_MSG_EQ(requests.size(), N, "requests");
        NS_TEST_ASSERT_MSG_EQ(completions.size(), N, "completions");
        for (uint32_t i = 0; i + m_depth < N; i++)
        {
            const Time next = PicoSeconds(requests[i + m_depth].start);
            NS_TEST_EXPECT_MSG_EQ((next >= completions[i].completed),
                                  true,
                                  "request " << i + m_depth << " waits");
            if (m_depth == 1)
            {
                NS_TEST_EXPECT_MSG_EQ(next, completions[i].completed, "no longer than needed");
            }
        }
    }

    uint32_t m_depth; //!< READs that may be unanswered
};

/**
 * @ingroup roce-tests
 * @brief A requester that asks for more READs than the responder has resources for is refused: the
 * READs before are answered, the first one too many fails.
 */
class RdmaReadExcessTestCase : public TestCase
{
  public:
    RdmaReadExcessTestCase()
        : TestCase("more READs than responder resources")
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Pair();
        fabric.GetEngine(1)->SetQueuePairAttribute("MaxDestReadAtomic", UintegerValue(2));
        const auto qps = fabric.Connect(0, 1);
        for (uint32_t i = 0; i < 4; i++)
        {
            qps.first->PostSend(RdmaWorkRequest::Read(100'000, i));
        }
        Simulator::Run();
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(5);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 4, "all complete");
        for (uint32_t i = 0; i < 4; i++)
        {
            const auto status = i < 2    ? RdmaWcStatus::SUCCESS
                                : i == 2 ? RdmaWcStatus::REM_INV_REQ_ERR
                                         : RdmaWcStatus::WR_FLUSH_ERR;
            NS_TEST_EXPECT_MSG_EQ(completions[i].status, status, "READ " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().naksSent, 1, "one NAK");
        NS_TEST_EXPECT_MSG_EQ((qps.second->GetState() == RdmaQpState::ERR), true, "both in ERR");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().localAckTimeoutErr, 0, "no timeout");
    }
};

/**
 * @ingroup roce-tests
 * @brief Order around a READ: later requests are sent before its response arrives unless they have
 * a fence; their acknowledgments wait behind its response.
 */
class RdmaReadOrderTestCase : public TestCase
{
  public:
    /// @param fence the request behind the READ has a fence
    explicit RdmaReadOrderTestCase(bool fence)
        : TestCase(fence ? "WRITE with fence behind a READ" : "WRITE behind a READ"),
          m_fence(fence)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        const RdmaWireLog log(fabric, 0);
        qps.first->PostSend(RdmaWorkRequest::Read(50'000, 1)); // 49 responses
        auto write = RdmaWorkRequest::Write(1, 2);
        write.fence = m_fence;
        qps.first->PostSend(write);
        Simulator::Run();
        const auto writes = log.Find(RdmaOpcode::RC_WRITE_ONLY);
        const auto acks = log.Find(RdmaOpcode::RC_ACKNOWLEDGE);
        const auto lasts = log.Find(RdmaOpcode::RC_READ_RESPONSE_LAST);
        NS_TEST_ASSERT_MSG_EQ((writes.size() == 1 && acks.size() == 1 && lasts.size() == 1),
                              true,
                              "one of each");
        const RocePs responder = fabric.Flight(REQUEST);
        const RocePs lastStart =
            responder + fabric.Slot(ANSWER + 1024) + 47 * fabric.Slot(MIDDLE + 1024);
        const uint32_t lastFrame = ANSWER + 50'000 - 48 * 1024;
        const RocePs answered = lastStart + fabric.Flight(lastFrame);
        NS_TEST_EXPECT_MSG_EQ(lasts[0].start, lastStart, "last response");
        NS_TEST_EXPECT_MSG_EQ(writes[0].start,
                              (m_fence ? answered : fabric.Slot(REQUEST)),
                              "start of the WRITE");
        NS_TEST_EXPECT_MSG_EQ(
            acks[0].start,
            (m_fence ? answered + fabric.Flight(REQUEST + 4) : lastStart + fabric.Slot(lastFrame)),
            "start of its ACK");
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(3);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 2, "both complete");
        NS_TEST_EXPECT_MSG_EQ(completions[0].completed, PicoSeconds(answered), "READ completes");
        NS_TEST_EXPECT_MSG_EQ(completions[1].completed,
                              PicoSeconds(acks[0].start + fabric.Flight(ANSWER)),
                              "WRITE completes");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().impliedNakSeqErr, 0, "nothing is missing");
    }

    bool m_fence; //!< the request behind the READ has a fence
};

/**
 * @ingroup roce-tests
 * @brief A READ of more than 2^31 bytes is asked for in several requests, each of which needs a
 * responder resource.
 *
 * 5 GiB + 1 B with 4096 B packets: 2^31 / 4096 = 524,288 packets per message.
 */
class RdmaLongReadTestCase : public TestCase
{
  public:
    /// @param depth READs that may be unanswered
    explicit RdmaLongReadTestCase(uint32_t depth)
        : TestCase("READ of 5 GiB + 1 B, depth " + std::to_string(depth)),
          m_depth(depth)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t GIB = uint64_t{1} << 30;
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(4096));
        fabric.roce.SetQueuePairAttribute("MaxReadAtomic", UintegerValue(m_depth));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        // Only the numbers matter: nobody hears the requests.
        const RdmaWireLog log(fabric, 0, [](const RoceFrame&, uint8_t) {
            return RoceScriptedChannel::DROP;
        });
        auto read = RdmaWorkRequest::Read(5 * GIB + 1);
        read.remoteAddress = 4096;
        qps.first->PostSend(read);
        qps.first->PostSend(RdmaWorkRequest::Write(1));
        Simulator::Stop(MicroSeconds(10));
        Simulator::Run();
        const uint32_t sent = std::min<uint32_t>(m_depth, 3);
        NS_TEST_ASSERT_MSG_EQ(log.lines.size(), (sent == 3 ? 4 : sent), "requests");
        for (uint64_t i = 0; i < sent; i++)
        {
            const auto& line = log.lines[i];
            NS_TEST_EXPECT_MSG_EQ(+line.opcode, +RdmaOpcode::RC_READ_REQUEST, "opcode");
            NS_TEST_EXPECT_MSG_EQ(line.psn, i * 524'288, "PSN of request " << i);
            NS_TEST_EXPECT_MSG_EQ(line.remoteAddress, 4096 + i * 2 * GIB, "address " << i);
            NS_TEST_EXPECT_MSG_EQ(line.dmaLength, (i < 2 ? 2 * GIB : GIB + 1), "length " << i);
        }
        if (sent == 3)
        {
            NS_TEST_EXPECT_MSG_EQ(log.lines[3].psn, 2 * 524'288 + 262'145, "PSN of the WRITE");
        }
    }

    uint32_t m_depth; //!< READs that may be unanswered
};

/**
 * @ingroup roce-tests
 * @brief A long READ of several messages, from the post to the completion.
 *
 * 4 GiB + 1 B at 400 Gb/s with 8192 B packets: two messages of 2^18 packets and one packet.
 */
class RdmaLongReadRunTestCase : public TestCase
{
  public:
    RdmaLongReadRunTestCase()
        : TestCase("READ of 4 GiB + 1 B")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t LENGTH = (uint64_t{1} << 32) + 1;
        RoceFabricFixture fabric("400Gbps");
        fabric.roce.SetDeviceAttribute("Mtu", UintegerValue(9000));
        fabric.roce.SetQueuePairAttribute("PathMtu", UintegerValue(8192));
        fabric.roce.SetQueuePairAttribute("MaxReadAtomic", UintegerValue(2));
        fabric.roce.SetQueuePairAttribute("MaxDestReadAtomic", UintegerValue(2));
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        qps.first->PostSend(RdmaWorkRequest::Read(LENGTH, 1));
        qps.first->PostSend(RdmaWorkRequest::Write(1, 2));
        Simulator::Run();
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(3);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 2, "both complete");
        NS_TEST_EXPECT_MSG_EQ(completions[0].status, RdmaWcStatus::SUCCESS, "status");
        NS_TEST_EXPECT_MSG_EQ(completions[0].byteLength, LENGTH, "length");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().bytesReceived, LENGTH, "bytes");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().packetsSent, 4, "requests and the WRITE");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().packetsSent, (1 << 19) + 1, "responses");
        // Two messages of First, 2^18 - 2 Middle and Last, and Only with its byte padded to four.
        const RocePs slots =
            2 * (2 * fabric.Slot(ANSWER + 8192) + ((1 << 18) - 2) * fabric.Slot(MIDDLE + 8192));
        NS_TEST_EXPECT_MSG_EQ(
            completions[0].completed,
            PicoSeconds(fabric.Flight(REQUEST) + slots + fabric.Flight(ANSWER + 4)),
            "time");
    }
};

/**
 * @ingroup roce-tests
 * @brief What the responder thinks of keys, bounds, rights and addresses.
 */
class RdmaMemoryAccessTestCase : public TestCase
{
  public:
    static constexpr uint64_t BASE = 0x100000; //!< address of the region
    static constexpr uint64_t LENGTH = 10'000; //!< its length, bytes

    /// One access.
    struct Setup
    {
        std::string name;                              //!< what is tried
        uint8_t access{RDMA_ALL_ACCESS};               //!< rights of the region
        RdmaOperation operation{RdmaOperation::WRITE}; //!< what is done
        int64_t offset{0};                             //!< from BASE
        uint64_t length{1000};                         //!< bytes
        RdmaWcStatus status{RdmaWcStatus::SUCCESS};    //!< expected
        bool badKey{false};                            //!< a key that was never given out
        bool deregister{false};                        //!< the region is gone before
        bool invalidate{false};                        //!< a SEND makes the key invalid
        uint8_t flags{RDMA_ALL_ACCESS};                //!< rights of the queue pair
    };

    /// @param setup the access
    explicit RdmaMemoryAccessTestCase(const Setup& setup)
        : TestCase(setup.name),
          m_setup(setup)
    {
    }

  private:
    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.Pair();
        fabric.GetEngine(1)->SetQueuePairAttribute("AccessFlags", UintegerValue(m_setup.flags));
        const auto qps = fabric.Connect(0, 1);
        RdmaMemoryTable& memory = fabric.GetEngine(1)->GetMemory();
        const uint32_t key = memory.Register(BASE, LENGTH, m_setup.access, true).rKey;
        const uint32_t other = memory.Register(0, 1 << 20, RDMA_ALL_ACCESS, false).rKey;
        NS_TEST_EXPECT_MSG_NE(key, other, "keys differ");
        if (m_setup.deregister)
        {
            NS_TEST_EXPECT_MSG_EQ(memory.Deregister(key), true, "it was there");
            NS_TEST_EXPECT_MSG_EQ(memory.Deregister(key), false, "and is not any more");
        }
        qps.second->SetReceiveCompletionQueue(CreateObject<RdmaCompletionQueue>());
        qps.second->PostReceive({1, 100});
        qps.second->PostReceive({2, 100});
        RdmaWorkRequest request;
        request.wrId = 7;
        request.operation = m_setup.operation;
        request.length = m_setup.length;
        request.remoteAddress = BASE + static_cast<uint64_t>(m_setup.offset);
        request.rKey = m_setup.badKey ? 0xdead : key;
        request.swapAdd = 5;
        if (m_setup.invalidate)
        {
            RdmaWorkRequest send = RdmaWorkRequest::Send(10, 6);
            send.operation = RdmaOperation::SEND_WITH_INV;
            send.invalidateKey = key;
            send.signaled = false;
            qps.first->PostSend(send);
        }
        // Something before that takes long to answer: it must not suffer.
        auto read = RdmaWorkRequest::Read(20'000, 5);
        read.rKey = other;
        read.remoteAddress = memory.Find(other)->address;
        const bool canRead = m_setup.flags & RDMA_REMOTE_READ;
        if (canRead)
        {
            qps.first->PostSend(read);
        }
        qps.first->PostSend(request);
        request.wrId = 8;
        qps.first->PostSend(request);
        Simulator::Run();

        const bool fails = m_setup.status != RdmaWcStatus::SUCCESS;
        const auto sent = qps.first->GetSendCompletionQueue()->Poll(5);
        NS_TEST_ASSERT_MSG_EQ(sent.size(), (canRead ? 3 : 2), "all complete");
        if (canRead)
        {
            NS_TEST_EXPECT_MSG_EQ(sent[0].status, RdmaWcStatus::SUCCESS, "the one before");
        }
        const auto& done = sent[canRead ? 1 : 0];
        NS_TEST_EXPECT_MSG_EQ(done.wrId, 7, "the request");
        NS_TEST_EXPECT_MSG_EQ(done.status, m_setup.status, "its status");
        NS_TEST_EXPECT_MSG_EQ(sent.back().status,
                              (fails ? RdmaWcStatus::WR_FLUSH_ERR : RdmaWcStatus::SUCCESS),
                              "the one behind");
        const bool responderFails = qps.second->GetState() == RdmaQpState::ERR;
        NS_TEST_EXPECT_MSG_EQ(responderFails, fails, "state of the responder");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().naksSent, (fails ? 1 : 0), "NAKs");
        NS_TEST_EXPECT_MSG_EQ(qps.first->GetCounters().localAckTimeoutErr, 0, "no timeout");
        const auto received = qps.second->GetReceiveCompletionQueue()->Poll(5);
        NS_TEST_EXPECT_MSG_EQ(received.size(),
                              (fails ? 2U : 0U) + (m_setup.invalidate && !fails ? 1U : 0U),
                              "an error flushes the receive queue");
        if (m_setup.invalidate)
        {
            NS_TEST_ASSERT_MSG_EQ(received.empty(), false, "the SEND has arrived");
            NS_TEST_EXPECT_MSG_EQ(received[0].status, RdmaWcStatus::SUCCESS, "with success");
            NS_TEST_EXPECT_MSG_EQ(received[0].hasInvalidate, true, "says what it has done");
            NS_TEST_EXPECT_MSG_EQ(received[0].invalidatedKey, key, "to which key");
            NS_TEST_EXPECT_MSG_EQ((memory.Find(key) == nullptr), true, "the region is gone");
        }
    }

    Setup m_setup; //!< the access
};

/**
 * @ingroup roce-tests
 * @brief Bytes arrive as they were sent: WRITE, READ, SEND and atomics on the same memory, without
 * loss and with every tenth frame lost; opcodes and byte counts of completions.
 */
class RdmaPayloadTestCase : public TestCase
{
  public:
    /**
     * @param loss every so many frames one is lost, 0: none
     * @param recovery TypeId name of the loss recovery
     */
    RdmaPayloadTestCase(uint32_t loss, const std::string& recovery)
        : TestCase("payload, one frame lost of " + std::to_string(loss) + ", " + recovery),
          m_loss(loss),
          m_recovery(recovery)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t LENGTH = 30'001;
        RoceFabricFixture fabric;
        fabric.roce.SetQueuePairAttribute("Timeout", UintegerValue(3));
        fabric.roce.SetRecovery(m_recovery);
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        qps.second->SetReceiveCompletionQueue(CreateObject<RdmaCompletionQueue>());
        fabric.GetCable(0)->SetScript(
            [this, next = uint32_t{0}](const RoceFrame&, uint8_t) mutable {
                next++;
                return m_loss && next % m_loss == 0 ? RoceScriptedChannel::DROP
                                                    : RoceScriptedChannel::PASS;
            });
        RdmaMemoryTable& memory = fabric.GetEngine(1)->GetMemory();
        const RdmaMemoryRegion& region = memory.Register(0, 2 * LENGTH, RDMA_ALL_ACCESS, true);
        const uint64_t address = region.address;
        qps.second->PostReceive({1, LENGTH});
        qps.second->PostReceive({2, 0});
        qps.second->PostReceive({3, LENGTH});
        qps.second->PostReceive({4, LENGTH});

        const Ptr<Packet> written = RdmaWireLog::MakePayload(LENGTH, 1);
        const Ptr<Packet> sent = RdmaWireLog::MakePayload(LENGTH, 2);
        const std::vector<std::pair<RdmaOperation, RdmaWcOpcode>> operations{
            {RdmaOperation::WRITE, RdmaWcOpcode::RDMA_WRITE},
            {RdmaOperation::SEND, RdmaWcOpcode::SEND},
            {RdmaOperation::WRITE_WITH_IMM, RdmaWcOpcode::RDMA_WRITE},
            {RdmaOperation::READ, RdmaWcOpcode::RDMA_READ},
            {RdmaOperation::FETCH_AND_ADD, RdmaWcOpcode::FETCH_ADD},
            {RdmaOperation::COMPARE_AND_SWAP, RdmaWcOpcode::COMP_SWAP},
            {RdmaOperation::SEND_WITH_IMM, RdmaWcOpcode::SEND},
            {RdmaOperation::READ, RdmaWcOpcode::RDMA_READ},
            {RdmaOperation::SEND_WITH_INV, RdmaWcOpcode::SEND}};
        const uint64_t word = (address + LENGTH + 7) / 8 * 8; // within the second half
        for (uint32_t i = 0; i < operations.size(); i++)
        {
            RdmaWorkRequest request;
            request.wrId = i;
            request.operation = operations[i].first;
            request.length = request.IsAtomic() ? 8 : LENGTH;
            // The WRITE with immediate data goes one byte behind the WRITE.
            request.remoteAddress = request.IsAtomic() ? word : address + (i == 2 ? 1 : 0);
            request.rKey = region.rKey;
            request.immediate = 100 + i;
            request.invalidateKey = region.rKey;
            request.payload = request.IsSend() ? sent : request.IsWrite() ? written : nullptr;
            request.swapAdd = 0x0102030405060708;
            request.fence = request.operation == RdmaOperation::SEND_WITH_INV;
            qps.first->PostSend(request);
        }
        Simulator::Run();

        std::vector<uint8_t> expected = RdmaWireLog::GetBytes(written);
        expected.insert(expected.begin(), expected[0]); // the second WRITE, one byte later
        expected.resize(LENGTH);
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(20);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), operations.size(), "all complete");
        for (uint32_t i = 0; i < completions.size(); i++)
        {
            const auto& done = completions[i];
            const bool isAtomic = i == 4 || i == 5;
            NS_TEST_EXPECT_MSG_EQ(done.status, RdmaWcStatus::SUCCESS, "status of " << i);
            NS_TEST_EXPECT_MSG_EQ(done.wrId, i, "order");
            NS_TEST_EXPECT_MSG_EQ((done.opcode == operations[i].second), true, "opcode of " << i);
            NS_TEST_EXPECT_MSG_EQ(done.byteLength, (isAtomic ? 8 : LENGTH), "length of " << i);
            if (i == 3)
            {
                NS_TEST_EXPECT_MSG_EQ((RdmaWireLog::GetBytes(done.payload) == expected),
                                      true,
                                      "READ after both WRITEs");
            }
        }
        // Of the word, the second WRITE has filled none but at most its last byte before LENGTH.
        NS_TEST_EXPECT_MSG_EQ(completions[5].atomicResult,
                              completions[4].atomicResult + 0x0102030405060708,
                              "the swap sees the sum");
        const auto received = qps.second->GetReceiveCompletionQueue()->Poll(9);
        NS_TEST_ASSERT_MSG_EQ(received.size(), 4, "buffers");
        for (uint32_t i = 0; i < 4; i++)
        {
            const bool isWrite = i == 1;
            const auto opcode = isWrite ? RdmaWcOpcode::RECV_RDMA_WITH_IMM : RdmaWcOpcode::RECV;
            NS_TEST_EXPECT_MSG_EQ(received[i].wrId, i + 1, "buffers in order");
            NS_TEST_EXPECT_MSG_EQ((received[i].opcode == opcode), true, "opcode of buffer " << i);
            NS_TEST_EXPECT_MSG_EQ(received[i].byteLength, LENGTH, "length in buffer " << i);
            NS_TEST_EXPECT_MSG_EQ(received[i].hasImmediate, (i == 1 || i == 2), "immediate " << i);
            NS_TEST_EXPECT_MSG_EQ(received[i].hasInvalidate, (i == 3), "invalidate " << i);
            NS_TEST_EXPECT_MSG_EQ(received[i].hasGrh, false, "no GRH on connections");
            NS_TEST_EXPECT_MSG_EQ((RdmaWireLog::GetBytes(received[i].payload) ==
                                   RdmaWireLog::GetBytes(isWrite ? nullptr : sent)),
                                  true,
                                  "payload in buffer " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(received[1].immediate, 102, "immediate data of the WRITE");
        NS_TEST_EXPECT_MSG_EQ(received[2].immediate, 106, "immediate data of the SEND");
    }

    uint32_t m_loss;        //!< every so many frames one is lost
    std::string m_recovery; //!< loss recovery
};

/**
 * @ingroup roce-tests
 * @brief A region goes away in the middle of a message: the NIC does not touch it any more.
 *
 * 100 packets between two hosts; the region is deregistered while packet 50 is on the line. Every
 * packet of a WRITE is checked as it arrives, every packet of a READ response as it starts.
 */
class RdmaRevokedMemoryTestCase : public TestCase
{
  public:
    /// @param operation WRITE or READ
    explicit RdmaRevokedMemoryTestCase(RdmaOperation operation)
        : TestCase(std::string("region goes away during a ") +
                   (operation == RdmaOperation::READ ? "READ" : "WRITE")),
          m_operation(operation)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t LENGTH = 100 * 1024;
        RoceFabricFixture fabric;
        fabric.Pair();
        const auto qps = fabric.Connect(0, 1);
        RdmaMemoryTable& memory = fabric.GetEngine(1)->GetMemory();
        const uint32_t key = memory.Register(1 << 20, LENGTH, RDMA_ALL_ACCESS, true).rKey;
        RdmaWorkRequest request = RdmaWorkRequest::Write(LENGTH, 1);
        request.operation = m_operation;
        request.remoteAddress = 1 << 20;
        request.rKey = key;
        qps.first->PostSend(request);
        const bool isRead = m_operation == RdmaOperation::READ;
        // Start of packet 50 at the responder, or end of packet 49: one 1024 B slot is 88.48 ns.
        const RocePs when = isRead ? fabric.Flight(REQUEST) + fabric.Slot(ANSWER + 1024) +
                                         49 * fabric.Slot(MIDDLE + 1024)
                                   : fabric.Slot(REQUEST + 1024) + 48 * fabric.Slot(MIDDLE + 1024) +
                                         fabric.Flight(MIDDLE + 1024);
        Simulator::Schedule(PicoSeconds(when + 40'000),
                            &RdmaRevokedMemoryTestCase::Revoke,
                            this,
                            fabric.GetEngine(1),
                            key);
        Simulator::Run();
        const auto completions = qps.first->GetSendCompletionQueue()->Poll(2);
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "one completion");
        NS_TEST_EXPECT_MSG_EQ(completions[0].status, RdmaWcStatus::REM_ACCESS_ERR, "refused");
        const auto& counters = (isRead ? qps.first : qps.second)->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.bytesReceived,
                              (isRead ? 51 : 50) * 1024,
                              "nothing after that");
        NS_TEST_EXPECT_MSG_EQ(qps.second->GetCounters().naksSent, 1, "one NAK");
        NS_TEST_EXPECT_MSG_EQ((qps.second->GetState() == RdmaQpState::ERR), true, "responder");
        NS_TEST_EXPECT_MSG_EQ((qps.first->GetState() == RdmaQpState::ERR), true, "requester");
    }

    /**
     * @param engine the responder
     * @param key key of the region
     */
    void Revoke(Ptr<RdmaEngine> engine, uint32_t key)
    {
        engine->CatchUp(RoceClock::Now());
        engine->GetMemory().Deregister(key);
    }

    RdmaOperation m_operation; //!< WRITE or READ
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
 * @brief READ and atomic test suite.
 */
class RdmaReadAtomicTestSuite : public TestSuite
{
  public:
    RdmaReadAtomicTestSuite();

  private:
    /// READs with a lost frame.
    void AddLosses();
    /// Keys, bounds and rights.
    void AddAccesses();
};

RdmaReadAtomicTestSuite::RdmaReadAtomicTestSuite()
    : TestSuite("roce-read-atomic", Type::UNIT)
{
    AddTestCase(new RdmaReadTimeTestCase(1, 1 << 20, 16));
    AddTestCase(new RdmaReadTimeTestCase(16, 65'536, 1));
    AddTestCase(new RdmaReadTimeTestCase(16, 65'536, 16));
    AddTestCase(new RdmaReadCongestionTestCase());
    AddTestCase(new RdmaReadPsnTestCase());
    AddLosses();
    const auto isRoce = [](const RoceFrame& frame) { return frame.kind == RoceFrameKind::ROCE; };
    const auto isAnswer = [](const RoceFrame& frame) {
        return RdmaOpcode::HasAtomicAckEth(frame.opcode);
    };
    AddTestCase(new RdmaAtomicTestCase("no loss", nullptr));
    AddTestCase(
        new RdmaAtomicTestCase("responses lost",
                               RoceScriptedChannel::Lose(isAnswer, {0, 5, 6, 7, 20, 42, 43, 60})));
    AddTestCase(new RdmaAtomicTestCase("requests and responses lost",
                                       RoceScriptedChannel::Lose(isRoce, {0, 3, 9, 13, 14, 30})));
    AddTestCase(new RdmaAtomicTestCase("all frames twice", [](const RoceFrame&, uint8_t) {
        return RoceScriptedChannel::DUPLICATE;
    }));
    AddTestCase(new RdmaReadDepthTestCase(1));
    AddTestCase(new RdmaReadDepthTestCase(4));
    AddTestCase(new RdmaReadExcessTestCase());
    AddTestCase(new RdmaReadOrderTestCase(false));
    AddTestCase(new RdmaReadOrderTestCase(true));
    AddTestCase(new RdmaLongReadTestCase(1));
    AddTestCase(new RdmaLongReadTestCase(2));
    AddTestCase(new RdmaLongReadTestCase(16));
    AddTestCase(new RdmaLongReadRunTestCase(), rocecompat::EXTENSIVE);
    AddAccesses();
    for (const char* recovery :
         {"ns3::RdmaGoBackN", "ns3::RdmaSelectiveRepeat", "ns3::RdmaGoBackZero"})
    {
        AddTestCase(new RdmaPayloadTestCase(0, recovery));
        AddTestCase(new RdmaPayloadTestCase(101, recovery));
    }
    // Go-back-0 would not get through a message of 30 packets.
    AddTestCase(new RdmaPayloadTestCase(11, "ns3::RdmaGoBackN"));
    AddTestCase(new RdmaPayloadTestCase(11, "ns3::RdmaSelectiveRepeat"));
    AddTestCase(new RdmaRevokedMemoryTestCase(RdmaOperation::WRITE));
    AddTestCase(new RdmaRevokedMemoryTestCase(RdmaOperation::READ));
    AddTestCase(new RdmaBadResponseTestCase(false));
    AddTestCase(new RdmaBadResponseTestCase(true));
}

void
RdmaReadAtomicTestSuite::AddLosses()
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

void
RdmaReadAtomicTestSuite::AddAccesses()
{
    typedef RdmaMemoryAccessTestCase Case;
    constexpr auto REFUSED = RdmaWcStatus::REM_ACCESS_ERR;
    constexpr auto INVALID = RdmaWcStatus::REM_INV_REQ_ERR;
    const auto add = [this](const std::string& name, const std::function<void(Case::Setup&)>& set) {
        Case::Setup setup;
        setup.name = name;
        set(setup);
        AddTestCase(new Case(setup));
    };
    const std::vector<std::pair<RdmaOperation, uint8_t>> operations{
        {RdmaOperation::WRITE, RDMA_REMOTE_WRITE},
        {RdmaOperation::READ, RDMA_REMOTE_READ},
        {RdmaOperation::FETCH_AND_ADD, RDMA_REMOTE_ATOMIC},
        {RdmaOperation::COMPARE_AND_SWAP, RDMA_REMOTE_ATOMIC}};
    for (const auto& [operation, right] : operations)
    {
        const bool isAtomic = operation >= RdmaOperation::COMPARE_AND_SWAP;
        const uint64_t length = isAtomic ? 8 : 3000;
        const auto basic = [operation = operation, length](Case::Setup& setup) {
            setup.operation = operation;
            setup.length = length;
        };
        const std::string name = "operation " + std::to_string(static_cast<int>(operation)) + ": ";
        add(name + "first bytes", basic);
        add(name + "last bytes", [&](Case::Setup& setup) {
            basic(setup);
            setup.offset = static_cast<int64_t>(Case::LENGTH - length);
        });
        add(name + "one step behind the end", [&](Case::Setup& setup) {
            basic(setup);
            setup.offset = static_cast<int64_t>(Case::LENGTH - length) + (isAtomic ? 8 : 1);
            setup.status = REFUSED;
        });
        add(name + "one step before the start", [&](Case::Setup& setup) {
            basic(setup);
            setup.offset = isAtomic ? -8 : -1;
            setup.status = REFUSED;
        });
        add(name + "unknown key", [&](Case::Setup& setup) {
            basic(setup);
            setup.badKey = true;
            setup.status = REFUSED;
        });
        add(name + "no right to the region", [&, right = right](Case::Setup& setup) {
            basic(setup);
            setup.access = RDMA_ALL_ACCESS & ~right;
            setup.status = REFUSED;
        });
        add(name + "just the right to the region", [&, right = right](Case::Setup& setup) {
            basic(setup);
            setup.access = right;
        });
        add(name + "deregistered", [&](Case::Setup& setup) {
            basic(setup);
            setup.deregister = true;
            setup.status = REFUSED;
        });
        add(name + "invalidated by SEND", [&](Case::Setup& setup) {
            basic(setup);
            setup.invalidate = true;
            setup.status = REFUSED;
        });
        add(name + "queue pair without the right", [&, right = right](Case::Setup& setup) {
            basic(setup);
            setup.flags = RDMA_ALL_ACCESS & ~right;
            setup.status = INVALID;
        });
        if (isAtomic)
        {
            add(name + "misaligned", [&](Case::Setup& setup) {
                basic(setup);
                setup.offset = 4;
                setup.status = INVALID;
            });
        }
        else
        {
            add(name + "no bytes need no key", [&](Case::Setup& setup) {
                basic(setup);
                setup.length = 0;
                setup.badKey = true;
            });
        }
    }
}

RdmaReadAtomicTestSuite g_rdmaReadAtomicTestSuite; //!< registers the suite

} // namespace
