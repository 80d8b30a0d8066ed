/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fake-loads.h"

#include "ns3/boolean.h"
#include "ns3/random-variable-stream.h"
#include "ns3/roce-ecmp.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/roce-load-meter.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr RocePs MICROSECOND = 1'000'000; //!< picoseconds in a microsecond

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
}

RoceLoadBalancerTestSuite g_roceLoadBalancerTestSuite; //!< registers the suite

} // namespace
