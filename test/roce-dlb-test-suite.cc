/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fake-loads.h"

#include "ns3/double.h"
#include "ns3/roce-dlb.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr RocePs MICROSECOND = 1'000'000; //!< picoseconds in a microsecond

/**
 * @ingroup roce-tests
 * @brief Quality bands.
 */
class RoceDlbQualityTestCase : public TestCase
{
  public:
    RoceDlbQualityTestCase();

  private:
    void DoRun() override;
};

RoceDlbQualityTestCase::RoceDlbQualityTestCase()
    : TestCase("DLB quality bands")
{
}

void
RoceDlbQualityTestCase::DoRun()
{
    RoceFakeLoads loads;
    auto dlb = CreateObjectWithAttributes<RoceDlb>("MinLoad",
                                                   DoubleValue(0.2),
                                                   "MaxLoad",
                                                   DoubleValue(0.8),
                                                   "LoadWeight",
                                                   DoubleValue(1.0));
    NS_TEST_EXPECT_MSG_EQ(dlb->GetSamplePeriod(), 5 * MICROSECOND, "default");
    // Six steps of 10 % from 20 to 80 %.
    for (int percent = 0; percent < 100; percent++)
    {
        loads.m_loads[0] = (percent + 0.5) / 100.0 * RoceFakeLoads::RATE;
        const int expected = percent < 20 ? 7 : percent >= 80 ? 0 : 6 - (percent - 20) / 10;
        NS_TEST_EXPECT_MSG_EQ(+dlb->GetQuality(0, 0, loads), expected, "load " << percent << " %");
    }
    // Queue thresholds for 100G are four times as high at 400G: 40 kB to 100 kB, steps of 10 kB.
    auto queues = CreateObjectWithAttributes<RoceDlb>("MinQueue",
                                                      UintegerValue(10'000),
                                                      "MaxQueue",
                                                      UintegerValue(25'000),
                                                      "QueueReferenceRate",
                                                      StringValue("100Gbps"),
                                                      "LoadWeight",
                                                      DoubleValue(0.0));
    for (uint64_t kilobytes = 0; kilobytes < 120; kilobytes++)
    {
        loads.m_queues[0] = kilobytes * 1000;
        const int k = static_cast<int>(kilobytes);
        const int expected = k < 40 ? 7 : k >= 100 ? 0 : 6 - (k - 40) / 10;
        NS_TEST_EXPECT_MSG_EQ(+queues->GetQuality(0, 0, loads), expected, "queue " << k << " kB");
    }
    // Equal weights: level 7 and level 0 give 3.5, rounded to 4.
    auto both = CreateObject<RoceDlb>();
    loads.m_loads[0] = 0.0;
    loads.m_queues[0] = 1'000'000;
    NS_TEST_EXPECT_MSG_EQ(+both->GetQuality(0, 0, loads), 4, "mean");
    loads.m_loads[0] = RoceFakeLoads::RATE;
    NS_TEST_EXPECT_MSG_EQ(+both->GetQuality(0, 0, loads), 0, "worst");
    NS_TEST_EXPECT_MSG_EQ(+both->GetQuality(1, 0, loads), 7, "idle");
}

/**
 * @ingroup roce-tests
 * @brief Flowlets, packets, assignments, and picks.
 */
class RoceDlbModeTestCase : public TestCase
{
  public:
    RoceDlbModeTestCase();

  private:
    void DoRun() override;
    /// Flowlets move at gaps only.
    void TestFlowlet();
    /// Every packet is placed anew.
    void TestPerPacket();
    /// Assignments hold for ever.
    void TestAssigned();
    /// Withdrawn ports are left at once.
    void TestWithdrawn();
    /// Best, two choices, random.
    void TestPicks();
    /**
     * Trace sink.
     * @param groupId group
     * @param flowSet flow set
     * @param from port before
     * @param to port after
     * @param now time
     */
    void Reroute(uint32_t groupId, uint32_t flowSet, uint16_t from, uint16_t to, int64_t now);
    /**
     * @param mode the Mode attribute
     * @param pick the Pick attribute
     * @return a balancer
     */
    Ptr<RoceDlb> Make(const std::string& mode, const std::string& pick);

    uint32_t m_reroutes{0}; //!< calls of Reroute()
};

RoceDlbModeTestCase::RoceDlbModeTestCase()
    : TestCase("DLB modes and picks")
{
}

void
RoceDlbModeTestCase::Reroute(uint32_t, uint32_t, uint16_t from, uint16_t to, int64_t)
{
    NS_TEST_EXPECT_MSG_NE(from, to, "a change is a change");
    m_reroutes++;
}

Ptr<RoceDlb>
RoceDlbModeTestCase::Make(const std::string& mode, const std::string& pick)
{
    auto dlb =
        CreateObjectWithAttributes<RoceDlb>("Mode", StringValue(mode), "Pick", StringValue(pick));
    NS_TEST_EXPECT_MSG_EQ(dlb->AssignStreams(1), 1, "one stream");
    dlb->TraceConnectWithoutContext("Reroute", MakeCallback(&RoceDlbModeTestCase::Reroute, this));
    m_reroutes = 0;
    return dlb;
}

void
RoceDlbModeTestCase::TestFlowlet()
{
    const RocePortGroup group = MakeGroup(2);
    RoceFakeLoads loads;
    const RoceFramePtr gapFree = MakeFrame(1);
    const RoceFramePtr gaps = MakeFrame(2);
    auto dlb = Make("FLOWLET", "BEST");

    // A flow with gaps below the timer never moves, however loaded its port becomes.
    RocePs now = 0;
    const uint16_t home = dlb->Select(group, *gapFree, now, loads);
    loads.m_loads[home] = RoceFakeLoads::RATE;
    loads.m_queues[home] = 1'000'000;
    for (uint32_t i = 0; i < 1000; i++)
    {
        now += i % 2 ? MICROSECOND : 256 * MICROSECOND - 1;
        NS_TEST_ASSERT_MSG_EQ(dlb->Select(group, *gapFree, now, loads), home, "frame " << i);
    }
    NS_TEST_EXPECT_MSG_EQ(m_reroutes, 0, "no path change");
    now += 256 * MICROSECOND;
    NS_TEST_EXPECT_MSG_EQ(dlb->Select(group, *gapFree, now, loads), 1 - home, "the timer itself");
    NS_TEST_EXPECT_MSG_EQ(m_reroutes, 1, "one path change");

    // A flow with 500 us gaps starts on the idle port; once that is the loaded one, it leaves with
    // its next burst.
    RoceFakeLoads other;
    other.m_loads[1] = 0.95 * RoceFakeLoads::RATE;
    now += 1000 * MICROSECOND;
    for (uint32_t burst = 0; burst < 20; burst++)
    {
        const uint16_t expected = burst < 10 ? 0 : 1;
        for (uint32_t i = 0; i < 10; i++)
        {
            if (burst == 9 && i == 5)
            {
                other.m_loads[0] = 0.95 * RoceFakeLoads::RATE;
                other.m_loads[1] = 0.0;
            }
            NS_TEST_EXPECT_MSG_EQ(dlb->Select(group, *gaps, now, other),
                                  expected,
                                  "burst " << burst << " frame " << i);
            now += MICROSECOND;
        }
        now += 500 * MICROSECOND;
    }

    // RoCEv1 is not eligible: hashed, whatever the load.
    const RoceFramePtr v1 = MakeFrame(3);
    v1->etherType = 0x8915;
    const uint16_t hashed = dlb->Select(group, *v1, now, loads);
    for (uint32_t i = 0; i < 10; i++)
    {
        now += 1000 * MICROSECOND;
        loads.m_loads[hashed] = RoceFakeLoads::RATE;
        NS_TEST_EXPECT_MSG_EQ(dlb->Select(group, *v1, now, loads), hashed, "hashed");
    }
}

void
RoceDlbModeTestCase::TestPerPacket()
{
    // One flow over four idle ports: 1000 frames each, standard deviation 27; then without port 2.
    const RocePortGroup group = MakeGroup(4);
    RoceFakeLoads loads;
    const RoceFramePtr frame = MakeFrame(1);
    auto dlb = Make("PER_PACKET", "BEST");
    std::vector<uint32_t> count(4);
    for (uint32_t i = 0; i < 4000; i++)
    {
        count[dlb->Select(group, *frame, i * 100'000, loads)]++;
    }
    for (uint16_t port = 0; port < 4; port++)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(count[port], 1000.0, 110.0, "spread over port " << port);
    }
    // Port 2 is busy from now on. Qualities are found again in the next sampling period.
    loads.m_queues[2] = 1'000'000;
    count.assign(4, 0);
    for (uint32_t i = 0; i < 3000; i++)
    {
        count[dlb->Select(group, *frame, 500 * MICROSECOND + i * 100'000, loads)]++;
    }
    NS_TEST_EXPECT_MSG_EQ(count[2], 0, "busy port avoided");
    NS_TEST_EXPECT_MSG_EQ_TOL(count[0], 1000.0, 110.0, "spread over the others");
}

void
RoceDlbModeTestCase::TestAssigned()
{
    RoceFakeLoads loads;
    const RoceFramePtr frame = MakeFrame(1);
    auto dlb = Make("ASSIGNED", "BEST");
    RocePs now = 0;
    const uint16_t home = dlb->Select(MakeGroup(4), *frame, now, loads);
    loads.m_loads[home] = RoceFakeLoads::RATE;
    for (uint32_t i = 0; i < 100; i++)
    {
        now += 10'000 * MICROSECOND;
        NS_TEST_EXPECT_MSG_EQ(dlb->Select(MakeGroup(4), *frame, now, loads), home, "assigned");
    }
    NS_TEST_EXPECT_MSG_NE(dlb->Select(MakeGroup(4, {home}), *frame, now, loads), home, "lost");
    NS_TEST_EXPECT_MSG_EQ(m_reroutes, 1, "one path change");
}

void
RoceDlbModeTestCase::TestWithdrawn()
{
    // In the middle of a flowlet, in the middle of a sampling period, and never again.
    const RoceFakeLoads loads;
    for (const std::string mode : {"FLOWLET", "PER_PACKET", "ASSIGNED"})
    {
        for (const std::string pick : {"BEST", "TWO_CHOICES", "RANDOM"})
        {
            auto dlb = Make(mode, pick);
            for (uint32_t flow = 0; flow < 50; flow++)
            {
                const RoceFramePtr frame = MakeFrame(flow);
                dlb->Select(MakeGroup(3), *frame, 1000, loads);
                const uint16_t port = dlb->Select(MakeGroup(3, {1}), *frame, 2000, loads);
                NS_TEST_EXPECT_MSG_NE(port, 1, mode << " " << pick);
                if (mode != "PER_PACKET")
                {
                    NS_TEST_EXPECT_MSG_EQ(dlb->Select(MakeGroup(3, {1}), *frame, 3000, loads),
                                          port,
                                          "stays on the other one");
                }
            }
        }
    }
}

void
RoceDlbModeTestCase::TestPicks()
{
    // Of four ports one is bad. The best ones and the better of two avoid it, random does not.
    const RocePortGroup group = MakeGroup(4);
    RoceFakeLoads loads;
    loads.m_loads[0] = RoceFakeLoads::RATE;
    const RoceFramePtr frame = MakeFrame(1);
    for (const std::string pick : {"BEST", "TWO_CHOICES", "RANDOM"})
    {
        auto dlb = Make("PER_PACKET", pick);
        std::vector<uint32_t> count(4);
        for (uint32_t i = 0; i < 4000; i++)
        {
            count[dlb->Select(group, *frame, i * MICROSECOND, loads)]++;
        }
        const double bad = pick == "RANDOM" ? 1000.0 : 0.0;
        const double tolerance = pick == "RANDOM" ? 110.0 : 0.0;
        NS_TEST_EXPECT_MSG_EQ_TOL(count[0], bad, tolerance, pick);
        NS_TEST_EXPECT_MSG_EQ_TOL(count[1], (4000.0 - bad) / 3, 120.0, pick);
    }
    // Streams: the same one repeats, another one does not.
    std::vector<std::vector<uint16_t>> runs;
    for (const int64_t stream : {1, 1, 2})
    {
        auto dlb = Make("PER_PACKET", "RANDOM");
        dlb->AssignStreams(stream);
        runs.push_back(SelectAll(dlb, group, 100));
    }
    NS_TEST_EXPECT_MSG_EQ((runs[0] == runs[1]), true, "same stream");
    NS_TEST_EXPECT_MSG_EQ((runs[0] == runs[2]), false, "another stream");
}

void
RoceDlbModeTestCase::DoRun()
{
    TestFlowlet();
    TestPerPacket();
    TestAssigned();
    TestWithdrawn();
    TestPicks();
}

/**
 * @ingroup roce-tests
 * @brief Dynamic load balancing.
 */
class RoceDlbTestSuite : public TestSuite
{
  public:
    RoceDlbTestSuite()
        : TestSuite("roce-dlb", Type::UNIT)
    {
        AddTestCase(new RoceDlbQualityTestCase);
        AddTestCase(new RoceDlbModeTestCase);
    }
};

RoceDlbTestSuite g_roceDlbTestSuite; //!< the suite

} // namespace
