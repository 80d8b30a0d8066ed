/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-headroom.h"
#include "ns3/roce-shared-buffer.h"
#include "ns3/roce-static-threshold.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <sstream>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint8_t LOSSLESS = 3;  //!< the class that is lossless by default
constexpr uint8_t LOSSY = 1;     //!< a class that is not
constexpr uint32_t FRAME = 4158; //!< frame of a middle packet with 4096 bytes of payload

/**
 * @ingroup roce-tests
 * @param nPorts number of ports
 * @param totalBytes memory
 * @param reserve reserve of each class of each port
 * @return a buffer
 */
Ptr<RoceSharedBuffer>
MakeBuffer(uint32_t nPorts, uint64_t totalBytes, uint64_t reserve)
{
    auto buffer = CreateObjectWithAttributes<RoceSharedBuffer>("TotalBytes",
                                                               UintegerValue(totalBytes),
                                                               "Reserve",
                                                               UintegerValue(reserve));
    buffer->Configure(nPorts);
    return buffer;
}

/**
 * @ingroup roce-tests
 * @brief Ports that fill a blocked egress together are paused at the fixed point of the dynamic
 * threshold.
 *
 * n ports take turns, one frame each. All hold q after k turns, and the threshold is
 * alpha (B - n q): reached for the first time in the first turn after which q >= alpha B / (1 + n
 * alpha), by the last port of the turn.
 */
class RoceDynamicThresholdTestCase : public TestCase
{
  public:
    /**
     * @param nPorts number of ingress ports
     * @param alpha alpha
     * @param pool bytes to share
     * @param expected where the first port is to be paused, at most one frame less than it is
     */
    RoceDynamicThresholdTestCase(uint16_t nPorts, double alpha, uint64_t pool, double expected);

  private:
    void DoRun() override;

    uint16_t m_nPorts; //!< number of ingress ports
    double m_alpha;    //!< alpha
    uint64_t m_pool;   //!< bytes to share
    double m_expected; //!< fixed point, bytes
};

RoceDynamicThresholdTestCase::RoceDynamicThresholdTestCase(uint16_t nPorts,
                                                           double alpha,
                                                           uint64_t pool,
                                                           double expected)
    : TestCase("Dynamic threshold, " + std::to_string(nPorts) + " ports, alpha " +
               std::to_string(alpha)),
      m_nPorts(nPorts),
      m_alpha(alpha),
      m_pool(pool),
      m_expected(expected)
{
}

void
RoceDynamicThresholdTestCase::DoRun()
{
    constexpr uint64_t HEADROOM = 100'000;
    auto buffer = MakeBuffer(m_nPorts + 1, m_pool + m_nPorts * HEADROOM, 0);
    buffer->SetAttribute("Alpha", DoubleValue(m_alpha));
    for (uint16_t port = 0; port < m_nPorts; port++)
    {
        buffer->SetHeadroom(port, LOSSLESS, HEADROOM);
    }
    buffer->Validate();
    NS_TEST_ASSERT_MSG_EQ(buffer->GetSharedSize(), m_pool, "headroom is separate from the pool");

    uint64_t first = 0;
    uint32_t paused = 0;
    std::vector<bool> isPaused(m_nPorts);
    while (paused < m_nPorts)
    {
        for (uint16_t port = 0; port < m_nPorts; port++)
        {
            if (isPaused[port])
            {
                continue;
            }
            const auto verdict = buffer->Admit(port, m_nPorts, LOSSLESS, FRAME);
            NS_TEST_ASSERT_MSG_EQ(verdict.IsAdmitted(), true, "lossless");
            if (verdict.sendXoff)
            {
                isPaused[port] = true;
                first = paused++ ? first : buffer->GetIngressBytes(port, LOSSLESS);
            }
        }
    }
    NS_TEST_EXPECT_MSG_GT_OR_EQ(first, m_expected, "paused too early");
    NS_TEST_EXPECT_MSG_LT(first, m_expected + FRAME, "paused more than one frame late");
    // Together they hold n q, and at most one frame more each.
    NS_TEST_EXPECT_MSG_GT_OR_EQ(buffer->GetSharedUsed(), m_nPorts * (m_expected - FRAME), "pool");
    NS_TEST_EXPECT_MSG_LT(buffer->GetSharedUsed(), m_nPorts * (m_expected + FRAME), "pool");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetTotalHeadroom() - m_nPorts * HEADROOM,
                          0,
                          "headroom untouched");
    buffer->Check();
}

/**
 * @ingroup roce-tests
 * @brief Headroom holds exactly the frames that come after the XOFF decision.
 *
 * Static Xoff of 102,000 B: 24 frames of 4158 B are 99,792 B, the 25th reaches it. The 14 frames
 * that then arrive (2.2 us there and back at 100 Gb/s, 13.2 frames of 4178 B on the wire, and the
 * one that is being sent) fit into a headroom of 14 frames; of 7 frames, 7 are dropped.
 */
class RoceStaticThresholdTestCase : public TestCase
{
  public:
    RoceStaticThresholdTestCase();

  private:
    void DoRun() override;
};

RoceStaticThresholdTestCase::RoceStaticThresholdTestCase()
    : TestCase("Static threshold and headroom to the frame")
{
}

void
RoceStaticThresholdTestCase::DoRun()
{
    for (const uint32_t headroomFrames : {14, 7})
    {
        auto buffer = MakeBuffer(2, 1 << 20, 4096);
        buffer->SetAttribute("IngressThreshold",
                             StringValue("ns3::RoceStaticThreshold[Xoff=102000|Xon=90000]"));
        buffer->SetHeadroom(0, LOSSLESS, headroomFrames * FRAME);
        buffer->Validate();
        for (uint32_t i = 1; i <= 25; i++)
        {
            const auto verdict = buffer->Admit(0, 1, LOSSLESS, FRAME);
            NS_TEST_EXPECT_MSG_EQ(verdict.IsAdmitted(), true, "before XOFF");
            NS_TEST_EXPECT_MSG_EQ(verdict.sendXoff, (i == 25), "XOFF with frame 25, this is " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(buffer->GetHeadroomUsed(0, LOSSLESS), 0, "all from the pool so far");
        uint32_t drops = 0;
        for (uint32_t i = 0; i < 14; i++)
        {
            const auto verdict = buffer->Admit(0, 1, LOSSLESS, FRAME);
            NS_TEST_EXPECT_MSG_EQ(verdict.sendXoff, false, "XOFF is decided once");
            drops += verdict.reason == RoceSharedBuffer::HEADROOM_FULL;
        }
        NS_TEST_EXPECT_MSG_EQ(drops, 14 - headroomFrames, "frames dropped");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetCount(RoceSharedBuffer::HEADROOM_FULL), drops, "count");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetPeakHeadroomUsed(0, LOSSLESS),
                              headroomFrames * FRAME,
                              "headroom used");
        // XON at 90,000 B held: 21 frames are 87,318 B, 22 are 91,476 B.
        uint32_t left = 25 + headroomFrames;
        while (!buffer->Release(0, 1, LOSSLESS, FRAME))
        {
            left--;
            NS_TEST_ASSERT_MSG_GT(left, 21, "XON is late");
            NS_TEST_EXPECT_MSG_EQ(buffer->IsPaused(0, LOSSLESS), true, "not resumed yet");
            buffer->Check();
        }
        NS_TEST_EXPECT_MSG_EQ(left - 1, 21, "frames left at XON");
        NS_TEST_EXPECT_MSG_EQ(buffer->IsPaused(0, LOSSLESS), false, "resumed");
    }
}

/**
 * @ingroup roce-tests
 * @brief Order of charging and of release, byte by byte.
 */
class RoceChargeOrderTestCase : public TestCase
{
  public:
    RoceChargeOrderTestCase();

  private:
    void DoRun() override;
};

RoceChargeOrderTestCase::RoceChargeOrderTestCase()
    : TestCase("Reserve, shared, headroom and back")
{
}

void
RoceChargeOrderTestCase::DoRun()
{
    // 2 ports x 8 classes x 1000 B of reserve, 5000 B of headroom, 20,000 B to share; alpha 1/4.
    auto buffer = MakeBuffer(2, 41'000, 1000);
    buffer->SetAttribute("Alpha", DoubleValue(0.25));
    buffer->SetAttribute("XonOffset", UintegerValue(1500));
    buffer->SetHeadroom(0, LOSSLESS, 5000);
    NS_TEST_ASSERT_MSG_EQ(buffer->GetSharedSize(), 20'000, "41000 - 16000 - 5000");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetXoffBytes(0, LOSSLESS), 6000, "1000 + 20000 / 4");

    buffer->Admit(0, 1, LOSSLESS, 700);
    NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedUsed(), 0, "all in the reserve");
    buffer->Admit(0, 1, LOSSLESS, 700);
    NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedUsed(), 400, "300 of 700 in the reserve");
    // shared s reaches (20000 - s) / 4 at s = 4000.
    NS_TEST_EXPECT_MSG_EQ(buffer->Admit(0, 1, LOSSLESS, 3599).sendXoff, false, "shared 3999");
    NS_TEST_EXPECT_MSG_EQ(buffer->Admit(0, 1, LOSSLESS, 1).sendXoff, true, "shared 4000");
    NS_TEST_EXPECT_MSG_EQ(buffer->IsAboveXoff(0, LOSSLESS), true, "at the threshold");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetHeadroomUsed(0, LOSSLESS), 0, "no headroom yet");

    buffer->Admit(0, 1, LOSSLESS, 2000);
    buffer->Admit(0, 1, LOSSLESS, 2500);
    NS_TEST_EXPECT_MSG_EQ(buffer->GetHeadroomUsed(0, LOSSLESS), 4500, "headroom");
    NS_TEST_EXPECT_MSG_EQ(buffer->Admit(0, 1, LOSSLESS, 501).reason,
                          RoceSharedBuffer::HEADROOM_FULL,
                          "501 of 500");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetIngressBytes(0, LOSSLESS), 9500, "refusals charge nothing");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetEgressBytes(1, LOSSLESS), 9500, "egress side");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetUsedBytes(), 9500, "total");

    buffer->Release(0, 1, LOSSLESS, 4400);
    NS_TEST_EXPECT_MSG_EQ(buffer->GetHeadroomUsed(0, LOSSLESS), 100, "headroom first");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedUsed(), 4000, "shared untouched");
    buffer->Release(0, 1, LOSSLESS, 1300);
    NS_TEST_EXPECT_MSG_EQ(buffer->GetHeadroomUsed(0, LOSSLESS), 0, "headroom empty");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedUsed(), 2800, "then shared");
    // XON: shared s <= (20000 - s) / 4 - 1500 holds up to s = 2800: exactly now.
    NS_TEST_EXPECT_MSG_EQ(buffer->IsPaused(0, LOSSLESS), false, "resumed at 2800");
    buffer->Release(0, 1, LOSSLESS, 3000);
    NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedUsed(), 0, "shared empty");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetIngressBytes(0, LOSSLESS), 800, "reserve last");
    buffer->Release(0, 1, LOSSLESS, 800);
    NS_TEST_EXPECT_MSG_EQ(buffer->GetUsedBytes(), 0, "empty");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetPeakUsedBytes(), 9500, "peak");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetPeakIngressBytes(0, LOSSLESS), 9500, "peak");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetPeakEgressBytes(1, LOSSLESS), 9500, "peak");
    buffer->Check();
}

/**
 * @ingroup roce-tests
 * @brief A threshold that other ports lowered does not make a class need more headroom, and bytes
 * that wait for another egress keep a class paused.
 */
class RoceSharedPauseTestCase : public TestCase
{
  public:
    RoceSharedPauseTestCase();

  private:
    void DoRun() override;
};

RoceSharedPauseTestCase::RoceSharedPauseTestCase()
    : TestCase("Pausing when the pool is shared")
{
}

void
RoceSharedPauseTestCase::DoRun()
{
    auto buffer = MakeBuffer(6, 210'000, 0);
    buffer->SetAttribute("Alpha", DoubleValue(1.0));
    buffer->SetHeadroom(0, LOSSLESS, 10'000);
    // Port 0 holds 40 kB while its threshold is 200 - 40 = 160 kB; then port 1 takes 100 kB, and
    // the threshold of all falls to 60 kB, 120 kB taken: 40 kB.
    buffer->Admit(0, 4, LOSSLESS, 20'000);
    buffer->Admit(0, 5, LOSSLESS, 25'000);
    NS_TEST_EXPECT_MSG_EQ(buffer->Admit(1, 4, LOSSLESS, 60'000).sendXoff, false, "60 < 95");
    NS_TEST_EXPECT_MSG_EQ(buffer->Admit(2, 4, LOSSLESS, 60'000).sendXoff, true, "60 > 35");
    NS_TEST_EXPECT_MSG_EQ(buffer->IsAboveXoff(0, LOSSLESS), true, "45 > 35: above, but unasked");
    NS_TEST_EXPECT_MSG_EQ(buffer->IsPaused(0, LOSSLESS), false, "nothing arrived, nothing sent");
    NS_TEST_EXPECT_MSG_EQ(buffer->Admit(0, 4, LOSSLESS, 5000).sendXoff, true, "XOFF now");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetHeadroomUsed(0, LOSSLESS), 0, "decided with this frame");
    NS_TEST_EXPECT_MSG_EQ(buffer->Admit(0, 4, LOSSLESS, 10'000).IsAdmitted(), true, "headroom");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetHeadroomUsed(0, LOSSLESS), 10'000, "all of it");

    // Egress 4 drains all of its frames; 25 kB of port 0 wait for egress 5. Free is 175 kB then.
    buffer->Release(1, 4, LOSSLESS, 60'000);
    NS_TEST_EXPECT_MSG_EQ(buffer->Release(0, 4, LOSSLESS, 9999),
                          false,
                          "one byte of headroom left");
    NS_TEST_EXPECT_MSG_EQ(buffer->Release(0, 4, LOSSLESS, 1), true, "50 <= 90 - 3");
    NS_TEST_EXPECT_MSG_EQ(buffer->Release(2, 4, LOSSLESS, 60'000), true, "0 held");
    buffer->Release(0, 4, LOSSLESS, 25'000);
    buffer->Release(0, 5, LOSSLESS, 25'000);
    NS_TEST_EXPECT_MSG_EQ(buffer->GetUsedBytes(), 0, "empty");

    // The same with static thresholds: what waits for egress 5 is above XON on its own.
    buffer->SetAttribute(
        "IngressThreshold",
        PointerValue(CreateObjectWithAttributes<RoceStaticThreshold>("Xoff",
                                                                     UintegerValue(30'000),
                                                                     "Xon",
                                                                     UintegerValue(20'000))));
    buffer->Admit(0, 5, LOSSLESS, 25'000);
    NS_TEST_EXPECT_MSG_EQ(buffer->Admit(0, 4, LOSSLESS, 5000).sendXoff, true, "30 kB");
    NS_TEST_EXPECT_MSG_EQ(buffer->Release(0, 4, LOSSLESS, 5000), false, "25 kB > Xon");
    NS_TEST_EXPECT_MSG_EQ(buffer->MayResume(0, LOSSLESS), false, "25 kB > Xon");
    NS_TEST_EXPECT_MSG_EQ(buffer->Release(0, 5, LOSSLESS, 25'000), true, "empty");

    // A threshold below XonOffset does not wrap: such a class is resumed when it holds nothing.
    auto tight = MakeBuffer(3, 10'000, 0);
    tight->SetAttribute("Alpha", DoubleValue(1.0));
    tight->Admit(1, 2, LOSSLESS, 9000);
    tight->Admit(0, 2, LOSSLESS, 500);
    NS_TEST_EXPECT_MSG_EQ(tight->GetXoffBytes(0, LOSSLESS), 500, "500 B are free");
    NS_TEST_EXPECT_MSG_EQ(tight->IsPaused(0, LOSSLESS), true, "500 >= 500");
    tight->Admit(0, 2, LOSSLESS, 100);
    NS_TEST_EXPECT_MSG_EQ(tight->Release(0, 2, LOSSLESS, 400), false, "500 - 3000 is not huge");
    NS_TEST_EXPECT_MSG_EQ(tight->Release(0, 2, LOSSLESS, 100), true, "empty");

    // Without headroom a class is paused before anything of it is dropped, even if the pool is
    // full.
    auto small = MakeBuffer(3, 10'000, 0);
    small->SetAttribute("IngressThreshold",
                        StringValue("ns3::RoceStaticThreshold[Xoff=50000|Xon=40000]"));
    NS_TEST_EXPECT_MSG_EQ(small->Admit(0, 2, LOSSLESS, 6000).sendXoff, false, "far below Xoff");
    const auto refused = small->Admit(0, 2, LOSSLESS, 6000);
    NS_TEST_EXPECT_MSG_EQ(refused.reason, RoceSharedBuffer::INGRESS_SHARED_FULL, "pool exhausted");
    NS_TEST_EXPECT_MSG_EQ(refused.sendXoff, true, "a drop pauses, too");
    const auto empty = small->Admit(1, 2, LOSSLESS, 6000);
    NS_TEST_EXPECT_MSG_EQ(empty.IsAdmitted(), false, "pool exhausted");
    NS_TEST_EXPECT_MSG_EQ(empty.sendXoff, false, "it holds nothing that could resume it");
}

/**
 * @ingroup roce-tests
 * @brief Lossy classes: egress limit, pool, reserve, never paused; lossless ones: no egress limit.
 */
class RoceLossyTestCase : public TestCase
{
  public:
    RoceLossyTestCase();

  private:
    void DoRun() override;
    /**
     * Trace sink.
     * @param inPort ingress port
     * @param outPort egress port
     * @param cls class
     * @param bytes length
     * @param reason why
     */
    void Drop(uint16_t inPort,
              uint16_t outPort,
              uint8_t cls,
              uint32_t bytes,
              RoceSharedBuffer::Reason reason);

    std::ostringstream m_drops; //!< calls of Drop()
};

RoceLossyTestCase::RoceLossyTestCase()
    : TestCase("Lossy classes")
{
}

void
RoceLossyTestCase::Drop(uint16_t inPort,
                        uint16_t outPort,
                        uint8_t cls,
                        uint32_t bytes,
                        RoceSharedBuffer::Reason reason)
{
    m_drops << inPort << ">" << outPort << " class " << +cls << " " << bytes << " " << reason
            << ";";
}

void
RoceLossyTestCase::DoRun()
{
    auto buffer = MakeBuffer(4, 100'000, 0);
    buffer->TraceConnectWithoutContext("Drop", MakeCallback(&RoceLossyTestCase::Drop, this));
    // EgressAlpha 1: a queue may grow until it holds as much as is free: 50 kB.
    for (uint32_t i = 0; i < 50; i++)
    {
        const auto verdict = buffer->Admit(i % 2, 2, LOSSY, 1000);
        NS_TEST_EXPECT_MSG_EQ(verdict.IsAdmitted(), true, "frame " << i);
        NS_TEST_EXPECT_MSG_EQ(verdict.sendXoff, false, "never paused");
    }
    const auto verdict = buffer->Admit(1, 2, LOSSY, 1000);
    NS_TEST_EXPECT_MSG_EQ(verdict.reason, RoceSharedBuffer::EGRESS_LIMIT, "51 > 50");
    NS_TEST_EXPECT_MSG_EQ(verdict.sendXoff, false, "never paused");
    NS_TEST_EXPECT_MSG_EQ(m_drops.str(), "1>2 class 1 1000 EGRESS_LIMIT;", "trace");
    NS_TEST_EXPECT_MSG_EQ(buffer->Admit(1, 3, LOSSY, 1000).IsAdmitted(), true, "another egress");
    NS_TEST_EXPECT_MSG_EQ(buffer->IsPaused(1, LOSSY), false, "never paused");
    buffer->Check();

    // The tail is dropped at 20 kB per queue, but two queues do not fit into 30 kB.
    auto tailDrop = MakeBuffer(4, 30'000, 0);
    tailDrop->SetAttribute("EgressThreshold",
                           StringValue("ns3::RoceStaticThreshold[Xoff=20000|Xon=0]"));
    std::vector<uint32_t> admitted(4);
    for (uint32_t i = 0; i < 50; i++)
    {
        const uint16_t out = i < 25 ? 2 : 3;
        admitted[out] += tailDrop->Admit(0, out, LOSSY, 1000).IsAdmitted();
    }
    NS_TEST_EXPECT_MSG_EQ(admitted[2], 20, "egress limit");
    NS_TEST_EXPECT_MSG_EQ(admitted[3], 10, "what is left of the pool");
    NS_TEST_EXPECT_MSG_EQ(tailDrop->GetCount(RoceSharedBuffer::EGRESS_LIMIT), 5, "egress limit");
    NS_TEST_EXPECT_MSG_EQ(tailDrop->GetCount(RoceSharedBuffer::POOL_FULL), 15, "pool full");

    // A lossless class fills one egress as far as its ingress classes let it; a reserve still
    // serves the lossy class when the pool is exhausted.
    auto mixed = MakeBuffer(3, 3 * 8 * 2000 + 50'000, 2000);
    mixed->SetAttribute("IngressThreshold",
                        StringValue("ns3::RoceStaticThreshold[Xoff=100000|Xon=0]"));
    NS_TEST_EXPECT_MSG_EQ(mixed->Admit(0, 2, LOSSLESS, 52'000).IsAdmitted(),
                          true,
                          "no egress limit");
    NS_TEST_EXPECT_MSG_EQ(mixed->Admit(1, 2, LOSSY, 1500).IsAdmitted(), true, "from the reserve");
    NS_TEST_EXPECT_MSG_EQ(mixed->Admit(1, 2, LOSSY, 1500).IsAdmitted(), false, "not twice");
    mixed->Check();
}

/**
 * @ingroup roce-tests
 * @brief Random traffic keeps all identities, never wraps and ends empty.
 */
class RoceBufferInvariantTestCase : public TestCase
{
  public:
    RoceBufferInvariantTestCase();

  private:
    void DoRun() override;
};

RoceBufferInvariantTestCase::RoceBufferInvariantTestCase()
    : TestCase("Identities under random traffic")
{
}

void
RoceBufferInvariantTestCase::DoRun()
{
    /// A frame in the buffer.
    struct Held
    {
        uint16_t in;    //!< ingress port
        uint16_t out;   //!< egress port
        uint8_t cls;    //!< class
        uint32_t bytes; //!< length
    };

    constexpr uint16_t N_PORTS = 5;
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(1);
    auto buffer = MakeBuffer(N_PORTS, N_PORTS * (8 * 500 + 2 * 20'000) + 300'000, 500);
    buffer->SetAttribute("LosslessClasses", UintegerValue(0x18));
    // An alpha above 1 drives the pool to exhaustion and the threshold to zero.
    buffer->SetAttribute("Alpha", DoubleValue(4.0));
    for (uint16_t port = 0; port < N_PORTS; port++)
    {
        buffer->SetHeadroom(port, 3, 20'000);
        buffer->SetHeadroom(port, 4, 20'000);
    }
    buffer->Validate();

    std::vector<Held> held;
    uint64_t bytesHeld = 0;
    uint64_t mostFree = 0;
    std::vector<int> pauses(N_PORTS * 8);
    for (uint32_t i = 0; i < 20'000; i++)
    {
        // Filling and draining phases.
        const bool fill = random->GetValue() < (i / 1000 % 2 ? 0.35 : 0.65);
        if (fill)
        {
            const Held frame{static_cast<uint16_t>(random->GetInteger(0, N_PORTS - 1)),
                             static_cast<uint16_t>(random->GetInteger(0, N_PORTS - 1)),
                             static_cast<uint8_t>(random->GetInteger(2, 5)),
                             random->GetInteger(64, 9216)};
            const bool wasPaused = buffer->IsPaused(frame.in, frame.cls);
            const auto verdict = buffer->Admit(frame.in, frame.out, frame.cls, frame.bytes);
            pauses[frame.in * 8 + frame.cls] += verdict.sendXoff;
            if (verdict.IsAdmitted())
            {
                held.push_back(frame);
                bytesHeld += frame.bytes;
            }
            else if (buffer->IsLossless(frame.cls))
            {
                NS_TEST_ASSERT_MSG_EQ((wasPaused || verdict.sendXoff ||
                                       buffer->GetIngressBytes(frame.in, frame.cls) == 0),
                                      true,
                                      "dropped without a pause");
            }
        }
        else if (!held.empty())
        {
            const size_t victim = random->GetInteger(0, static_cast<uint32_t>(held.size()) - 1);
            const Held frame = held[victim];
            held[victim] = held.back();
            held.pop_back();
            bytesHeld -= frame.bytes;
            pauses[frame.in * 8 + frame.cls] -=
                buffer->Release(frame.in, frame.out, frame.cls, frame.bytes);
        }
        buffer->Check();
        NS_TEST_ASSERT_MSG_EQ(buffer->GetUsedBytes(), bytesHeld, "bytes held");
        mostFree = std::max(mostFree, buffer->GetXoffBytes(0, 3));
    }
    NS_TEST_EXPECT_MSG_EQ(mostFree,
                          500 + 4 * 300'000,
                          "largest threshold is that of an empty pool");
    NS_TEST_EXPECT_MSG_GT(buffer->GetCount(RoceSharedBuffer::HEADROOM_FULL), 0, "stressed enough");
    for (const Held& frame : held)
    {
        pauses[frame.in * 8 + frame.cls] -=
            buffer->Release(frame.in, frame.out, frame.cls, frame.bytes);
    }
    NS_TEST_EXPECT_MSG_EQ(buffer->GetUsedBytes(), 0, "empty");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedUsed(), 0, "empty");
    for (uint16_t port = 0; port < N_PORTS; port++)
    {
        for (uint8_t cls = 0; cls < 8; cls++)
        {
            NS_TEST_EXPECT_MSG_EQ(pauses[port * 8 + cls], 0, "every XOFF has its XON");
            NS_TEST_EXPECT_MSG_EQ(buffer->IsPaused(port, cls), false, "nothing stays paused");
        }
    }
    buffer->Check();
}

/**
 * @ingroup roce-tests
 * @brief Plans: impossible ones are found and explained, numbers never wrap, any number of ports.
 */
class RoceBufferPlanTestCase : public TestCase
{
  public:
    RoceBufferPlanTestCase();

  private:
    void DoRun() override;
};

RoceBufferPlanTestCase::RoceBufferPlanTestCase()
    : TestCase("Buffer plans")
{
}

void
RoceBufferPlanTestCase::DoRun()
{
    // 64 ports x 400G x 12 us: 2 C d = 1.2 MB per port alone is 76.8 MB of 67.1 MB; 8 us fit.
    RoceHeadroom::Link link;
    link.rate = 400'000'000'000;
    link.localFrameBytes = FRAME;
    link.peerFrameBytes = FRAME;
    for (const RocePs delay : {12'000'000, 8'000'000})
    {
        link.delay = delay;
        const uint64_t headroom = RoceHeadroom::GetBytes(link);
        auto buffer = MakeBuffer(64, 64 << 20, 4096);
        for (uint16_t port = 0; port < 64; port++)
        {
            buffer->SetHeadroom(port, LOSSLESS, headroom);
        }
        // 64 x 8 x 4096 B of reserves are 2,097,152 B. Headroom: frames 2 x 4178 + 84, response
        // 57,920, and 1,200,000 or 800,000 B of cable.
        const uint64_t sum = 64 * (8356 + 84 + 57'920 + (delay == 8'000'000 ? 800'000 : 1'200'000));
        NS_TEST_EXPECT_MSG_EQ(buffer->GetTotalHeadroom(), sum, "sum of headroom");
        const std::string problem = buffer->GetProblem();
        if (delay == 8'000'000)
        {
            NS_TEST_EXPECT_MSG_EQ(problem, "", "fits");
            NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedSize(), 67'108'864 - 2'097'152 - sum, "left");
            const std::string left =
                "left to share   " + std::to_string(67'108'864 - 2'097'152 - sum);
            NS_TEST_EXPECT_MSG_NE(buffer->Describe().find(left), std::string::npos, "says so");
            continue;
        }
        for (const std::string& part : {std::to_string(sum),
                                        std::string("67108864"),
                                        std::string("2097152"),
                                        std::string("64 ports"),
                                        std::string("8 classes"),
                                        std::to_string(headroom)})
        {
            NS_TEST_EXPECT_MSG_NE(problem.find(part), std::string::npos, "names " << part);
        }
        NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedSize(), 0, "does not wrap");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetXoffBytes(0, LOSSLESS), 4096, "only the reserve");
    }

    // 1,499 ports send a frame each to the last one at once: 6,232,842 B fit into 6.3 MB.
    auto wide = MakeBuffer(1500, 6'300'000, 0);
    for (uint16_t port = 0; port < 1499; port++)
    {
        NS_TEST_EXPECT_MSG_EQ(wide->Admit(port, 1499, LOSSLESS, FRAME).IsAdmitted(), true, port);
    }
    NS_TEST_EXPECT_MSG_EQ(wide->GetEgressBytes(1499, LOSSLESS), 1499 * FRAME, "all there");
    wide->Check();

    // Growing keeps settings.
    auto growing = MakeBuffer(1, 1 << 20, 0);
    growing->SetHeadroom(0, LOSSLESS, 1000);
    growing->SetReserve(0, LOSSLESS, 2000);
    growing->SetAlpha(0, LOSSLESS, 1.0);
    growing->Configure(3);
    NS_TEST_EXPECT_MSG_EQ(growing->GetHeadroom(0, LOSSLESS), 1000, "kept");
    NS_TEST_EXPECT_MSG_EQ(growing->GetXoffBytes(0, LOSSLESS), 2000 + (1 << 20) - 3000, "kept");
    NS_TEST_EXPECT_MSG_EQ(growing->GetXoffBytes(2, LOSSLESS), ((1 << 20) - 3000) / 8, "default");
    growing->SetAttribute("Reserve", UintegerValue(100));
    NS_TEST_EXPECT_MSG_EQ(growing->GetTotalReserve(), 3 * 8 * 100, "set everywhere");
}

/**
 * @ingroup roce-tests
 * @brief Shared buffer test suite.
 */
class RoceSharedBufferTestSuite : public TestSuite
{
  public:
    RoceSharedBufferTestSuite();
};

RoceSharedBufferTestSuite::RoceSharedBufferTestSuite()
    : TestSuite("roce-shared-buffer", Type::UNIT)
{
    // Four senders, 9 MB: 9 MB / 8 / 1.5 and 9 MB / 4 / 2.
    AddTestCase(new RoceDynamicThresholdTestCase(4, 1.0 / 8, 9'000'000, 750'000));
    AddTestCase(new RoceDynamicThresholdTestCase(4, 1.0 / 4, 9'000'000, 1'125'000));
    for (const double alpha : {1.0 / 16, 1.0 / 8, 1.0 / 2, 1.0, 8.0})
    {
        for (const uint16_t n : {1, 2, 8, 32})
        {
            constexpr uint64_t POOL = 12'000'000;
            AddTestCase(
                new RoceDynamicThresholdTestCase(n, alpha, POOL, alpha * POOL / (1 + n * alpha)));
        }
    }
    AddTestCase(new RoceStaticThresholdTestCase);
    AddTestCase(new RoceChargeOrderTestCase);
    AddTestCase(new RoceSharedPauseTestCase);
    AddTestCase(new RoceLossyTestCase);
    AddTestCase(new RoceBufferInvariantTestCase);
    AddTestCase(new RoceBufferPlanTestCase);
}

RoceSharedBufferTestSuite g_roceSharedBufferTestSuite; //!< registers the suite

} // namespace
