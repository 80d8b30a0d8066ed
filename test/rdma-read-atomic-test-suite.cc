/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-wire-log.h"
#include "roce-fabric-fixture.h"

#include "ns3/rdma-memory-table.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-work-request.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-compat.h"
#include "ns3/roce-frame.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MIDDLE = RoceFabricFixture::MIDDLE; //!< frame without extension and payload
constexpr uint32_t REQUEST = MIDDLE + 16;              //!< frame of a READ request: RETH
constexpr uint32_t ANSWER = MIDDLE + 4;                //!< the same with AETH

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
 * @brief READ and atomic test suite.
 */
class RdmaReadAtomicTestSuite : public TestSuite
{
  public:
    RdmaReadAtomicTestSuite();
};

RdmaReadAtomicTestSuite::RdmaReadAtomicTestSuite()
    : TestSuite("roce-read-atomic", Type::UNIT)
{
    AddTestCase(new RdmaReadTimeTestCase(1, 1 << 20, 16));
    AddTestCase(new RdmaReadTimeTestCase(16, 65'536, 1));
    AddTestCase(new RdmaReadTimeTestCase(16, 65'536, 16));
    AddTestCase(new RdmaReadCongestionTestCase());
    AddTestCase(new RdmaReadPsnTestCase());
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
}

RdmaReadAtomicTestSuite g_rdmaReadAtomicTestSuite; //!< registers the suite

} // namespace
