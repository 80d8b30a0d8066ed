/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/random-variable-stream.h"
#include "ns3/roce-dlb.h"
#include "ns3/roce-ecmp.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/roce-load-meter.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr RocePs MICROSECOND = 1'000'000;  //!< picoseconds in a microsecond
constexpr uint64_t RATE = 400'000'000'000; //!< rate of the ports, bit/s

/**
 * @ingroup roce-tests
 * @brief Port loads that a test sets.
 */
class RoceFakeLoads : public RocePortLoads
{
  public:
    uint64_t GetQueuedBytes(uint16_t port) const override
    {
        const auto found = m_queues.find(port);
        return found == m_queues.end() ? 0 : found->second;
    }

    double GetLoad(uint16_t port, RocePs) const override
    {
        const auto found = m_loads.find(port);
        return found == m_loads.end() ? 0.0 : found->second;
    }

    uint64_t GetRate(uint16_t) const override
    {
        return RATE;
    }

    std::map<uint16_t, uint64_t> m_queues; //!< queued bytes, 0 if missing
    std::map<uint16_t, double> m_loads;    //!< loads in bit/s, 0 if missing
};

/**
 * @ingroup roce-tests
 * @param n number of ports
 * @param withdrawn ports that are withdrawn
 * @return a group of the ports from 0 to n - 1
 */
RocePortGroup
MakeGroup(uint16_t n, const std::set<uint16_t>& withdrawn = {})
{
    RocePortGroup group;
    group.version = static_cast<uint32_t>(withdrawn.size());
    for (uint16_t port = 0; port < n; port++)
    {
        group.members.push_back(port);
        if (withdrawn.count(port) == 0)
        {
            group.ports.push_back(port);
        }
    }
    return group;
}

/**
 * @ingroup roce-tests
 * @param flow number of a flow
 * @return a frame of it, between two hosts of its own
 */
RoceFramePtr
MakeFrame(uint32_t flow)
{
    RoceFramePtr frame = CreateRoceFrame();
    const auto high = static_cast<uint8_t>(flow >> 8);
    const auto low = static_cast<uint8_t>(flow);
    frame->source = {10, 1, high, low};
    frame->destination = {10, 2, high, low};
    frame->udpSourcePort = 49'152;
    frame->destQp = 0x11;
    frame->flowHash = RoceFrameCodec::ComputeFlowHash(*frame);
    return frame;
}

/**
 * @ingroup roce-tests
 * @param balancer a balancer
 * @param group ports
 * @param nFlows number of flows
 * @return the port of each flow
 */
std::vector<uint16_t>
SelectAll(Ptr<RoceLoadBalancer> balancer, const RocePortGroup& group, uint32_t nFlows)
{
    const RoceFakeLoads loads;
    std::vector<uint16_t> ports;
    for (uint32_t flow = 0; flow < nFlows; flow++)
    {
        ports.push_back(balancer->Select(group, *MakeFrame(flow), 0, loads));
    }
    return ports;
}

/**
 * @ingroup roce-tests
 * @brief Collisions of n flows on n ports over many seeds, against the exact values.
 *
 * Balls into bins: mean busy fraction 1 - (1 - 1/n)^n = 0.6836 (n = 4), 0.6564 (n = 8); expected
 * largest number of flows on a port 2.125, 2.597; with 16 QPs per flow and n = 8 it is 1.369 times
 * the mean.
 */
class RoceEcmpCollisionTestCase : public TestCase
{
  public:
    /**
     * @param n number of flows and of ports
     * @param qps QPs per flow
     * @param busy expected busy fraction, 0: not checked
     * @param largest expected largest number of QPs on a port over the mean
     */
    RoceEcmpCollisionTestCase(uint16_t n, uint32_t qps, double busy, double largest);

  private:
    void DoRun() override;

    uint16_t m_n;     //!< number of flows and of ports
    uint32_t m_qps;   //!< QPs per flow
    double m_busy;    //!< expected busy fraction
    double m_largest; //!< expected largest number of QPs on a port over the mean
};

RoceEcmpCollisionTestCase::RoceEcmpCollisionTestCase(uint16_t n,
                                                     uint32_t qps,
                                                     double busy,
                                                     double largest)
    : TestCase("ECMP collisions, " + std::to_string(n) + " flows of " + std::to_string(qps) +
               " QPs"),
      m_n(n),
      m_qps(qps),
      m_busy(busy),
      m_largest(largest)
{
}

void
RoceEcmpCollisionTestCase::DoRun()
{
    constexpr uint32_t SEEDS = 400;
    const RocePortGroup group = MakeGroup(m_n);
    const RoceFakeLoads loads;
    double busy = 0.0;
    double largest = 0.0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++)
    {
        auto ecmp = CreateObjectWithAttributes<RoceEcmp>(
            "Seed",
            UintegerValue(seed),
            "HashFields",
            UintegerValue(RoceLoadBalancer::FIVE_TUPLE | RoceLoadBalancer::DEST_QP));
        std::vector<uint32_t> count(m_n);
        for (uint32_t flow = 0; flow < m_n; flow++)
        {
            RoceFramePtr frame = MakeFrame(flow);
            for (uint32_t qp = 0; qp < m_qps; qp++)
            {
                frame->destQp = 0x11 + qp;
                count.at(ecmp->Select(group, *frame, 0, loads))++;
            }
        }
        busy += m_n - std::count(count.begin(), count.end(), 0U);
        largest += *std::max_element(count.begin(), count.end());
    }
    busy /= SEEDS * m_n;
    largest /= SEEDS * m_qps;
    if (m_busy > 0.0)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(busy, m_busy, 0.025, "busy fraction");
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(largest, m_largest, 0.04 * m_largest, "largest load");
}

/**
 * @ingroup roce-tests
 * @brief Two tiers of switches: independent with seeds per switch, polarized with equal seeds.
 */
class RoceEcmpPolarizationTestCase : public TestCase
{
  public:
    RoceEcmpPolarizationTestCase();

  private:
    void DoRun() override;
};

RoceEcmpPolarizationTestCase::RoceEcmpPolarizationTestCase()
    : TestCase("Polarization")
{
}

void
RoceEcmpPolarizationTestCase::DoRun()
{
    constexpr uint32_t FLOWS = 8000;
    const RocePortGroup group = MakeGroup(4);
    for (const bool perSwitch : {true, false})
    {
        auto first = CreateObjectWithAttributes<RoceEcmp>("PerSwitchSeed", BooleanValue(perSwitch));
        auto second =
            CreateObjectWithAttributes<RoceEcmp>("PerSwitchSeed", BooleanValue(perSwitch));
        first->SetSwitchId(17);
        second->SetSwitchId(18);
        const auto tier1 = SelectAll(first, group, FLOWS);
        const auto tier2 = SelectAll(second, group, FLOWS);
        std::map<std::pair<uint16_t, uint16_t>, uint32_t> joint;
        for (uint32_t flow = 0; flow < FLOWS; flow++)
        {
            joint[{tier1[flow], tier2[flow]}]++;
        }
        if (!perSwitch)
        {
            NS_TEST_EXPECT_MSG_EQ((tier1 == tier2), true, "same function, same port");
            continue;
        }
        // Independent: chi-square with 15 degrees of freedom; 37.7 is its 99.9 % point.
        double chiSquare = 0.0;
        for (uint16_t a = 0; a < 4; a++)
        {
            for (uint16_t b = 0; b < 4; b++)
            {
                const double expected = FLOWS / 16.0;
                chiSquare += std::pow(joint[{a, b}] - expected, 2) / expected;
            }
        }
        NS_TEST_EXPECT_MSG_LT(chiSquare, 37.7, "both tiers are independent and uniform");
    }
}

/**
 * @ingroup roce-tests
 * @brief The hash covers the selected fields and no others.
 */
class RoceHashFieldTestCase : public TestCase
{
  public:
    RoceHashFieldTestCase();

  private:
    void DoRun() override;
};

RoceHashFieldTestCase::RoceHashFieldTestCase()
    : TestCase("Hash fields")
{
}

void
RoceHashFieldTestCase::DoRun()
{
    const auto change = [](RoceFrame& frame, uint32_t field) {
        switch (field)
        {
        case RoceLoadBalancer::SOURCE:
            frame.source[3] ^= 1;
            break;
        case RoceLoadBalancer::DESTINATION:
            frame.destination[3] ^= 1;
            break;
        case RoceLoadBalancer::UDP_SOURCE_PORT:
            frame.udpSourcePort ^= 1;
            break;
        case RoceLoadBalancer::DEST_QP:
            frame.destQp ^= 1;
            break;
        case RoceLoadBalancer::OPCODE:
            frame.opcode ^= 1;
            break;
        default:
            frame.ingressPort ^= 1;
        }
    };
    for (uint32_t fields = 1; fields < 64; fields++)
    {
        auto ecmp = CreateObjectWithAttributes<RoceEcmp>("HashFields", UintegerValue(fields));
        for (uint32_t field = 1; field < 64; field *= 2)
        {
            for (const bool stored : {true, false})
            {
                RoceFramePtr a = MakeFrame(1);
                RoceFramePtr b = MakeFrame(1);
                change(*b, field);
                a->flowHash = stored ? RoceFrameCodec::ComputeFlowHash(*a) : 0;
                b->flowHash = stored ? RoceFrameCodec::ComputeFlowHash(*b) : 0;
                NS_TEST_EXPECT_MSG_EQ((ecmp->Hash(*a) != ecmp->Hash(*b)),
                                      ((fields & field) != 0),
                                      "fields " << fields << " field " << field);
            }
        }
    }
    // A frame of the IP stack is known by its flow hash only.
    auto ecmp = CreateObjectWithAttributes<RoceEcmp>("HashFields",
                                                     UintegerValue(RoceLoadBalancer::DEST_QP));
    RoceFramePtr frame = MakeFrame(1);
    frame->kind = RoceFrameKind::PACKET;
    const uint32_t before = ecmp->Hash(*frame);
    frame->destQp++;
    NS_TEST_EXPECT_MSG_EQ(ecmp->Hash(*frame), before, "no queue pair in it");
    frame->flowHash++;
    NS_TEST_EXPECT_MSG_NE(ecmp->Hash(*frame), before, "another flow");

    // Every output bit depends on every input bit with probability one half: 64 x 64 pairs, 1000
    // trials each, six standard deviations of 15.8.
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(1);
    std::vector<uint32_t> flips(64 * 64);
    constexpr uint32_t TRIALS = 1000;
    constexpr uint32_t WORD = 0xffffffff;
    for (uint32_t i = 0; i < TRIALS; i++)
    {
        const uint64_t value =
            uint64_t{random->GetInteger(0, WORD)} << 32 | random->GetInteger(0, WORD);
        const uint64_t mixed = RoceLoadBalancer::Mix(value);
        for (uint32_t in = 0; in < 64; in++)
        {
            const uint64_t changed = mixed ^ RoceLoadBalancer::Mix(value ^ uint64_t{1} << in);
            for (uint32_t out = 0; out < 64; out++)
            {
                flips[in * 64 + out] += (changed >> out) & 1;
            }
        }
    }
    const auto [least, most] = std::minmax_element(flips.begin(), flips.end());
    NS_TEST_EXPECT_MSG_GT(*least, 405, "no output bit ignores an input bit");
    NS_TEST_EXPECT_MSG_LT(*most, 595, "no output bit copies an input bit");
}

/**
 * @ingroup roce-tests
 * @brief What withdrawing a port does to the flows of ECMP.
 */
class RoceEcmpWithdrawTestCase : public TestCase
{
  public:
    RoceEcmpWithdrawTestCase();

  private:
    void DoRun() override;
};

RoceEcmpWithdrawTestCase::RoceEcmpWithdrawTestCase()
    : TestCase("ECMP and withdrawn ports")
{
}

void
RoceEcmpWithdrawTestCase::DoRun()
{
    constexpr uint32_t FLOWS = 4000;
    for (const bool resilient : {false, true})
    {
        auto ecmp = CreateObjectWithAttributes<RoceEcmp>("Resilient", BooleanValue(resilient));
        const auto before = SelectAll(ecmp, MakeGroup(8), FLOWS);
        const auto after = SelectAll(ecmp, MakeGroup(8, {3}), FLOWS);
        uint32_t moved = 0;
        std::vector<uint32_t> inherited(8);
        for (uint32_t flow = 0; flow < FLOWS; flow++)
        {
            NS_TEST_EXPECT_MSG_NE(after[flow], 3, "withdrawn port chosen");
            if (before[flow] == 3)
            {
                inherited[after[flow]]++;
            }
            else
            {
                moved += before[flow] != after[flow];
            }
        }
        if (resilient)
        {
            NS_TEST_EXPECT_MSG_EQ(moved, 0, "flows of other ports stay");
            // 500 flows on 7 ports: 71 each, standard deviation 7.8.
            for (uint16_t port = 0; port < 8; port++)
            {
                const double expected = port == 3 ? 0.0 : 71.4;
                NS_TEST_EXPECT_MSG_EQ_TOL(inherited[port], expected, 40.0, "spread");
            }
        }
        else
        {
            // Port 3 held [3/8, 4/8) of the hash range. Boundaries of the others move from p/8 to
            // p/7 below and from (p+1)/8 to p/7 above: 3/56 + 6/56 (1 + 2 steps of 1/56 below, 3 +
            // 2 + 1 above) = 9/56 of all flows, 642.9; standard deviation 23.
            NS_TEST_EXPECT_MSG_EQ_TOL(moved, FLOWS * 9.0 / 56, 70.0, "flows of other ports move");
        }
        NS_TEST_EXPECT_MSG_EQ((SelectAll(ecmp, MakeGroup(8), FLOWS) == before), true, "and return");
        const auto one = SelectAll(ecmp, MakeGroup(3, {0, 2}), 100);
        NS_TEST_EXPECT_MSG_EQ(std::count(one.begin(), one.end(), 1), 100, "only one port left");
    }
}

/**
 * @ingroup roce-tests
 * @brief The meter equals a timer that samples at the end of every period.
 */
class RoceLoadMeterTestCase : public TestCase
{
  public:
    RoceLoadMeterTestCase();

  private:
    void DoRun() override;
};

RoceLoadMeterTestCase::RoceLoadMeterTestCase()
    : TestCase("Load meter")
{
}

void
RoceLoadMeterTestCase::DoRun()
{
    constexpr RocePs PERIOD = 5 * MICROSECOND;
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(1);
    RoceLoadMeter meter(PERIOD);
    RocePs now = 0;
    RocePs nextSample = PERIOD;
    uint64_t bytes = 0;
    double average = 0.0;
    const auto advance = [&](RocePs time) {
        for (now = time; nextSample <= now; nextSample += PERIOD)
        {
            average += (static_cast<double>(bytes) - average) / 4;
            bytes = 0;
        }
    };
    for (uint32_t i = 0; i < 2000; i++)
    {
        // Short gaps mostly, sometimes many periods of silence, often exactly on a boundary.
        const double kind = random->GetValue();
        const RocePs gap = kind < 0.9 ? random->GetInteger(0, 2) * MICROSECOND
                                      : random->GetInteger(0, 100) * MICROSECOND;
        advance(now + gap);
        if (random->GetValue() < 0.7)
        {
            const uint32_t frame = random->GetInteger(84, 9236);
            meter.Add(frame, now);
            bytes += frame;
        }
        const double expected = average * 8 / 5e-6;
        NS_TEST_ASSERT_MSG_EQ_TOL(meter.GetLoad(now), expected, 1e-9 * expected + 1e-9, "load");
    }
    // A constant 62,500 B in every period are 100 Gb/s.
    RoceLoadMeter constant(PERIOD);
    for (RocePs period = 0; period < 100; period++)
    {
        constant.Add(62'500, period * PERIOD + MICROSECOND);
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(constant.GetLoad(100 * PERIOD), 1e11, 1.0, "100 Gb/s");
}

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
        loads.m_loads[0] = (percent + 0.5) / 100.0 * RATE;
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
    loads.m_loads[0] = RATE;
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
    loads.m_loads[home] = RATE;
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
    other.m_loads[1] = 0.95 * RATE;
    now += 1000 * MICROSECOND;
    for (uint32_t burst = 0; burst < 20; burst++)
    {
        const uint16_t expected = burst < 10 ? 0 : 1;
        for (uint32_t i = 0; i < 10; i++)
        {
            if (burst == 9 && i == 5)
            {
                other.m_loads[0] = 0.95 * RATE;
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
        loads.m_loads[hashed] = RATE;
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
    loads.m_loads[home] = RATE;
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
    loads.m_loads[0] = RATE;
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
 * @brief Load balancer test suite.
 */
class RoceLoadBalancerTestSuite : public TestSuite
{
  public:
    RoceLoadBalancerTestSuite();
};

RoceLoadBalancerTestSuite::RoceLoadBalancerTestSuite()
    : TestSuite("roce-load-balancer", Type::UNIT)
{
    AddTestCase(new RoceEcmpCollisionTestCase(4, 1, 0.6836, 2.125));
    AddTestCase(new RoceEcmpCollisionTestCase(8, 1, 0.6564, 2.597));
    AddTestCase(new RoceEcmpCollisionTestCase(8, 16, 0.0, 1.369));
    AddTestCase(new RoceEcmpPolarizationTestCase);
    AddTestCase(new RoceHashFieldTestCase);
    AddTestCase(new RoceEcmpWithdrawTestCase);
    AddTestCase(new RoceLoadMeterTestCase);
    AddTestCase(new RoceDlbQualityTestCase);
    AddTestCase(new RoceDlbModeTestCase);
}

RoceLoadBalancerTestSuite g_roceLoadBalancerTestSuite; //!< registers the suite

} // namespace
