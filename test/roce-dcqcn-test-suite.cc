/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/object-factory.h"
#include "ns3/rdma-cnp-generator.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/roce-clock.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr RocePs US = 1'000'000; //!< one microsecond
constexpr double GBPS = 1e9;     //!< one Gb/s

/**
 * @ingroup roce-tests
 * @brief A reaction point and what the queue pair would share with it.
 */
struct Flow
{
    /**
     * @param lineRate line rate, bit/s
     * @param attributes attributes of RdmaDcqcn, in the order in which they are set
     */
    Flow(uint64_t lineRate, const std::vector<std::pair<std::string, std::string>>& attributes = {})
    {
        ObjectFactory factory("ns3::RdmaDcqcn");
        for (const auto& [name, value] : attributes)
        {
            factory.Set(name, StringValue(value));
        }
        cc = factory.Create<RdmaDcqcn>();
        state.lineRate = lineRate;
        state.pathMtu = 1024;
        cc->Init(state, 0);
    }

    /**
     * @param count number of packets
     * @param now time at which all of them are sent
     * @param bytes their length, bytes
     */
    void Send(uint32_t count, RocePs now, uint32_t bytes = 1000)
    {
        for (uint32_t i = 0; i < count; i++)
        {
            cc->PacketSent(state, now, bytes);
        }
    }

    /**
     * @param now a time
     * @return the rate at that time, Gb/s
     */
    double RateAt(RocePs now)
    {
        cc->Update(state, now);
        return cc->GetCurrentRate() / GBPS;
    }

    Ptr<RdmaDcqcn> cc;         //!< the reaction point
    RdmaCongestionState state; //!< shared state
};

/**
 * @ingroup roce-tests
 * @brief One CNP at line rate 40 Gb/s: the published recovery (a) and the decay of alpha (c).
 */
class DcqcnRecoveryTestCase : public TestCase
{
  public:
    DcqcnRecoveryTestCase()
        : TestCase("one CNP at 40G, paper preset: rate and alpha against closed forms")
    {
    }

  private:
    void DoRun() override
    {
        Flow flow(40'000'000'000);
        NS_TEST_EXPECT_MSG_EQ(flow.state.rate, 40'000'000'000, "starts at line rate");
        NS_TEST_EXPECT_MSG_EQ(flow.state.nextUpdate,
                              RdmaCongestionState::NEVER,
                              "nothing happens before the first CNP");

        const RocePs start = 10 * US;
        flow.Send(20'000, start); // 20 MB: the byte counter does not run yet
        flow.cc->CnpReceived(flow.state, start);
        NS_TEST_EXPECT_MSG_EQ(flow.state.rate, 20'000'000'000, "alpha = 1 halves the rate");
        NS_TEST_EXPECT_MSG_EQ(flow.cc->GetTargetRate(), 40 * GBPS, "Rt = Rc before the cut");
        NS_TEST_EXPECT_MSG_EQ(flow.state.signals, 1, "one signal");

        // Rt stays at the line rate, so every event halves the distance: Rc_k = 40 - 20 / 2^k.
        double expected = 20;
        for (int k = 1; k <= 35; k++)
        {
            const RocePs due = start + k * 55 * US;
            NS_TEST_ASSERT_MSG_EQ(flow.state.nextUpdate, due, "timer stage " << k);
            NS_TEST_ASSERT_MSG_EQ_TOL(flow.RateAt(due - 1), expected, 1e-12, "before stage " << k);
            expected = 40 - 20 / std::pow(2, k);
            NS_TEST_ASSERT_MSG_EQ_TOL(flow.RateAt(due), expected, 40e-9, "after stage " << k);
            // alpha = 1 (the CNP left it at (1-g) + g), then one factor 1-g per alpha timer
            NS_TEST_ASSERT_MSG_EQ_TOL(flow.cc->GetAlpha(due),
                                      std::pow(255.0 / 256, k),
                                      1e-12,
                                      "alpha after period " << k);
        }
        // 20e9 / 2^36 < 0.5 bit/s: back at line rate, and nothing is left to do.
        flow.cc->Update(flow.state, start + 36 * 55 * US);
        NS_TEST_EXPECT_MSG_EQ(flow.state.rate, 40'000'000'000, "back at line rate");
        NS_TEST_EXPECT_MSG_EQ(flow.state.nextUpdate, RdmaCongestionState::NEVER, "at rest");

        // alpha halves every ln 2 / -ln(1 - 1/256) = 177.1 periods.
        for (int k : {177, 354, 1770})
        {
            const double alpha = flow.cc->GetAlpha(start + k * 55 * US);
            const double exact = std::exp(k * std::log1p(-1.0 / 256));
            NS_TEST_EXPECT_MSG_EQ_TOL(alpha / exact, 1, 1e-6, "alpha after " << k);
            NS_TEST_EXPECT_MSG_EQ_TOL(std::log2(alpha), -k / 177.0, k * 4e-6, "halves each 177");
        }

        // The next cut, at line rate again, uses the alpha of its own time.
        flow.cc->CnpReceived(flow.state, start + 177 * 55 * US);
        const double alpha = std::pow(255.0 / 256, 177);
        NS_TEST_EXPECT_MSG_EQ_TOL(flow.cc->GetCurrentRate() / (40 * GBPS * (1 - alpha / 2)),
                                  1,
                                  1e-12,
                                  "cut by the old alpha");
        NS_TEST_EXPECT_MSG_EQ_TOL(flow.cc->GetAlpha(start + 177 * 55 * US),
                                  255.0 / 256 * alpha + 1.0 / 256,
                                  1e-15,
                                  "alpha is raised after the cut");
    }
};

/**
 * @ingroup roce-tests
 * @brief Every packet is marked (b): the receiver's interval and the way down to MinRate.
 */
class DcqcnAllMarkedTestCase : public TestCase
{
  public:
    DcqcnAllMarkedTestCase()
        : TestCase("every packet marked: CNPs 50 us apart, rate halved by each down to MinRate")
    {
    }

  private:
    void DoRun() override
    {
        Flow flow(40'000'000'000);
        auto generator = CreateObject<RdmaCnpGenerator>();
        RocePs last = -1;
        int cnps = 0;
        // A marked packet each 10/3 us: the 15th after a CNP comes exactly 50 us after it, and that
        // is allowed. The alpha and rate timers of 55 us never expire, so alpha stays 1.
        for (int i = 0; i < 15 * 20; i++)
        {
            const RocePs now = i * 10 * US / 3;
            if (!generator->ShouldSend(7, RoceAddressBytes{}, now))
            {
                continue;
            }
            if (last >= 0)
            {
                NS_TEST_ASSERT_MSG_EQ(now - last, 50 * US, "spacing of CNP " << cnps);
            }
            last = now;
            cnps++;
            flow.cc->CnpReceived(flow.state, now);
            // 40 Gb/s / 2^12 = 9.77 Mb/s is below the least rate
            const double expected = std::max(40 * GBPS / std::pow(2, cnps), 10e6);
            NS_TEST_ASSERT_MSG_EQ_TOL(flow.cc->GetCurrentRate() / expected,
                                      1,
                                      1e-12,
                                      "cut " << cnps);
            NS_TEST_ASSERT_MSG_EQ(flow.cc->GetAlpha(now), 1, "alpha of cut " << cnps);
        }
        NS_TEST_EXPECT_MSG_EQ(cnps, 20, "one CNP per 50 us");
        NS_TEST_EXPECT_MSG_EQ(flow.state.rate, 10'000'000, "at MinRate");
        NS_TEST_EXPECT_MSG_EQ(flow.cc->GetTargetRate(), 10e6, "the target follows every cut");
    }
};

/**
 * @ingroup roce-tests
 * @brief The meaning of F: exactly F events of fast recovery, event F + 1 is additive.
 */
class DcqcnStagesTestCase : public TestCase
{
  public:
    DcqcnStagesTestCase()
        : TestCase("fast recovery, additive and hyper increase by timer and byte counter")
    {
    }

  private:
    void DoRun() override
    {
        TimerOnly();
        BytesAndTimer(false);
        BytesAndTimer(true);
        Carry();
    }

    /// Without a full byte counter the timer alone leads to additive increase and no further.
    void TimerOnly()
    {
        Flow flow(40'000'000'000);
        flow.cc->CnpReceived(flow.state, 0);       // Rc 20, Rt 40
        flow.cc->CnpReceived(flow.state, 50 * US); // Rc 10, Rt 20: both timers start again
        double current = 10;
        double target = 20;
        for (int k = 1; k <= 100; k++)
        {
            if (k > 5)
            {
                target += 0.04; // R_AI
            }
            current = (current + target) / 2;
            NS_TEST_ASSERT_MSG_EQ_TOL(flow.RateAt(50 * US + k * 55 * US) / current,
                                      1,
                                      1e-12,
                                      "event " << k);
        }
    }

    /**
     * F = 2, 10 packets of 1000 bytes per byte stage.
     * @param scale whether the hyper step grows with the stage
     */
    void BytesAndTimer(bool scale)
    {
        Flow flow(
            40'000'000'000,
            {{"F", "2"}, {"ByteCounter", "10000"}, {"ScaleHyperIncrease", scale ? "1" : "0"}});
        flow.cc->CnpReceived(flow.state, 0);
        flow.Send(9, US);
        flow.cc->CnpReceived(flow.state, 10 * US); // Rc 10, Rt 20; the 9 packets are forgotten
        const RocePs start = 10 * US;
        flow.Send(9, start + US);
        NS_TEST_EXPECT_MSG_EQ(flow.RateAt(start + US), 10, "byte counter not full");

        // step: true for the byte counter, false for the timer; and what Rt gains
        const std::vector<std::pair<bool, double>> events{
            {true, 0},                  // byte 1, timer 0: fast recovery
            {true, 0},                  // byte 2: fast recovery
            {true, 0.04},               // byte 3 > F: additive
            {false, 0.04},              // timer 1: additive, the greater stage counts
            {true, 0.04},               // byte 4
            {false, 0.04},              // timer 2
            {false, 0.2},               // timer 3, byte 4: both > F: hyper
            {true, 0.2},                // byte 5, timer 3
            {false, scale ? 0.4 : 0.2}, // timer 4, byte 5: second hyper stage
            {false, scale ? 0.6 : 0.2}, // timer 5, byte 5: third
        };
        double current = 10;
        double target = 20;
        int timers = 0;
        RocePs now = start + 2 * US;
        bool first = true;
        for (const auto& [byBytes, gain] : events)
        {
            if (byBytes)
            {
                flow.Send(first ? 1 : 10, now);
                first = false;
            }
            else
            {
                timers++;
                now = start + timers * 55 * US;
                NS_TEST_ASSERT_MSG_EQ(flow.state.nextUpdate, now, "timer " << timers);
            }
            target += gain;
            current = (current + target) / 2;
            NS_TEST_ASSERT_MSG_EQ_TOL(flow.RateAt(now) / current, 1, 1e-12, "timer " << timers);
            NS_TEST_ASSERT_MSG_EQ_TOL(flow.cc->GetTargetRate() / GBPS / target, 1, 1e-12, "target");
        }
    }

    /// Bytes beyond a full counter count for the next stage; one huge packet may fill it twice.
    void Carry()
    {
        Flow flow(40'000'000'000, {{"ByteCounter", "10000"}});
        flow.cc->CnpReceived(flow.state, 0); // Rc 20, Rt 40
        flow.Send(7, US, 1500);              // 10500
        NS_TEST_EXPECT_MSG_EQ(flow.RateAt(US), 30, "one stage, 500 bytes left");
        flow.Send(6, US, 1500); // 9500
        NS_TEST_EXPECT_MSG_EQ(flow.RateAt(US), 30, "not yet");
        flow.Send(1, US, 500); // 10000
        NS_TEST_EXPECT_MSG_EQ(flow.RateAt(US), 35, "two stages");
        flow.Send(1, US, 20000);
        NS_TEST_EXPECT_MSG_EQ(flow.RateAt(US), 38.75, "two stages at once");
    }
};

/**
 * @ingroup roce-tests
 * @brief The firmware variant by hand computation.
 */
class DcqcnNicTestCase : public TestCase
{
  public:
    DcqcnNicTestCase()
        : TestCase("NIC variant, preset hpcc at 100G, against hand computation")
    {
    }

  private:
    void DoRun() override
    {
        Trace();
        Clamp("AFTER_INCREASE", 100);
        Clamp("AFTER_BYTE_STAGE", 100);
        Clamp("ALWAYS", 0);
        FirstCnp();
    }

    /// Two cuts and the way through all stages.
    void Trace()
    {
        const double keep = 255.0 / 256;
        Flow flow(100'000'000'000, {{"Preset", "hpcc"}}); // R_AI 20 Mb/s, R_HAI 200 Mb/s
        flow.cc->CnpReceived(flow.state, 0);
        NS_TEST_EXPECT_MSG_EQ(flow.state.rate, 100'000'000'000, "the cut timer decides");
        NS_TEST_EXPECT_MSG_EQ(flow.state.nextUpdate, 4 * US, "the first cut");

        // 1 us: the CNP keeps alpha at 1; 2, 3 and 4 us: decay; 4 us: cut, after the alpha timer.
        double current = 100 * (1 - std::pow(keep, 3) / 2);
        NS_TEST_EXPECT_MSG_EQ_TOL(flow.RateAt(4 * US) / current, 1, 1e-12, "first cut");
        NS_TEST_EXPECT_MSG_EQ(flow.state.nextUpdate, 304 * US, "rate timer from the cut");
        current = (current + 100) / 2;
        NS_TEST_EXPECT_MSG_EQ_TOL(flow.RateAt(304 * US) / current, 1, 1e-12, "fast recovery");

        // A CNP at 310.5 us. 310 us: alpha = keep^309; 311 us: with the CNP; 312 us: decay and cut,
        // with Rt = Rc because of the increase.
        flow.cc->CnpReceived(flow.state, 310 * US + US / 2);
        NS_TEST_EXPECT_MSG_EQ(flow.state.nextUpdate, 312 * US, "the cut timer runs freely");
        const double alpha = keep * (keep * std::pow(keep, 309) + 1.0 / 256);
        double target = current;
        current *= 1 - alpha / 2;
        NS_TEST_EXPECT_MSG_EQ_TOL(flow.RateAt(312 * US) / current, 1, 1e-12, "second cut");
        NS_TEST_EXPECT_MSG_EQ_TOL(flow.cc->GetTargetRate() / GBPS / target, 1, 1e-12, "target");
        NS_TEST_EXPECT_MSG_EQ_TOL(flow.cc->GetAlpha(312 * US) / alpha, 1, 1e-12, "alpha");

        // F = 1: one fast recovery, one additive, then hyper increases.
        const std::vector<double> gains{0, 0.02, 0.2, 0.2, 0.2};
        for (std::size_t k = 0; k < gains.size(); k++)
        {
            target += gains[k];
            current = (current + target) / 2;
            NS_TEST_EXPECT_MSG_EQ_TOL(flow.RateAt((612 + 300 * k) * US) / current,
                                      1,
                                      1e-12,
                                      "increase " << k + 1);
        }
    }

    /**
     * A second cut without an increase in between.
     * @param clamp value of TargetRateClamp
     * @param target expected target rate, Gb/s; 0 for the rate before the cut
     */
    void Clamp(const std::string& clamp, double target)
    {
        Flow flow(100'000'000'000, {{"Preset", "hpcc"}, {"TargetRateClamp", clamp}});
        flow.cc->CnpReceived(flow.state, 0);
        const double before = flow.RateAt(4 * US);
        flow.cc->CnpReceived(flow.state, 5 * US);
        NS_TEST_EXPECT_MSG_LT(flow.RateAt(8 * US), before, clamp << ": second cut");
        NS_TEST_EXPECT_MSG_EQ_TOL(flow.cc->GetTargetRate() / GBPS,
                                  (target == 0 ? before : target),
                                  1e-9,
                                  clamp << ": target");
        // ... and a third after one: here the two settings of the NIC differ.
        flow.RateAt(308 * US);
        flow.cc->CnpReceived(flow.state, 309 * US);
        flow.RateAt(312 * US);
        NS_TEST_EXPECT_MSG_EQ((flow.cc->GetTargetRate() == 100 * GBPS),
                              (clamp == "AFTER_BYTE_STAGE"),
                              clamp << ": target after an increase");
    }

    /// RATE_TO_SET_ON_FIRST_CNP acts once, and 0 means that it does not act.
    void FirstCnp()
    {
        Flow flow(100'000'000'000, {{"RateOnFirstCnp", "40Gbps"}, {"Preset", "nvidia"}});
        flow.cc->CnpReceived(flow.state, 0);
        NS_TEST_EXPECT_MSG_EQ(flow.state.rate, 40'000'000'000, "set at once");
        NS_TEST_EXPECT_MSG_EQ(flow.cc->GetTargetRate(), 40 * GBPS, "with the target");
        const double after = flow.RateAt(4 * US);
        flow.cc->CnpReceived(flow.state, 5 * US);
        NS_TEST_EXPECT_MSG_EQ(flow.RateAt(5 * US), after, "not at the second CNP");
    }
};

/**
 * @ingroup roce-tests
 * @brief Rates never leave [MinRate, line rate or MaxRate].
 */
class DcqcnLimitsTestCase : public TestCase
{
  public:
    DcqcnLimitsTestCase()
        : TestCase("limits: MinRate, MaxRate, line rate, reaction delay, long silence")
    {
    }

  private:
    void DoRun() override
    {
        // MaxRate is start, ceiling of the target, and goal of the recovery.
        Flow limited(100'000'000'000, {{"MaxRate", "30Gbps"}});
        NS_TEST_EXPECT_MSG_EQ(limited.state.rate, 30'000'000'000, "starts at MaxRate");
        limited.cc->CnpReceived(limited.state, 0);
        NS_TEST_EXPECT_MSG_EQ(limited.RateAt(55 * US), 22.5, "fast recovery");
        NS_TEST_EXPECT_MSG_EQ(limited.RateAt(10'000 * US), 30, "back at MaxRate");
        NS_TEST_EXPECT_MSG_EQ(limited.state.nextUpdate, RdmaCongestionState::NEVER, "at rest");

        // A MinRate above the line rate leaves only the line rate.
        Flow floor(1'000'000'000, {{"MinRate", "2Gbps"}});
        floor.cc->CnpReceived(floor.state, 0);
        NS_TEST_EXPECT_MSG_EQ(floor.state.rate, 1'000'000'000, "no lower rate exists");

        // The delay shifts the cut, not the order of CNPs.
        Flow slow(40'000'000'000, {{"ReactionDelay", "60us"}});
        slow.cc->CnpReceived(slow.state, 0);
        slow.cc->CnpReceived(slow.state, 50 * US);
        NS_TEST_EXPECT_MSG_EQ(slow.state.rate, 40'000'000'000, "no effect yet");
        NS_TEST_EXPECT_MSG_EQ(slow.state.nextUpdate, 60 * US, "first effect");
        NS_TEST_EXPECT_MSG_EQ(slow.RateAt(60 * US - 1), 40, "a picosecond before");
        NS_TEST_EXPECT_MSG_EQ(slow.RateAt(60 * US), 20, "first cut");
        NS_TEST_EXPECT_MSG_EQ(slow.state.nextUpdate, 110 * US, "second effect");
        NS_TEST_EXPECT_MSG_EQ(slow.RateAt(110 * US), 10, "second cut");
        NS_TEST_EXPECT_MSG_EQ(slow.state.nextUpdate, 165 * US, "rate timer");

        // 115 us: the alpha timer (255/256), then the rate timer (20 -> 30), then a delayed CNP.
        Flow tie(40'000'000'000, {{"ReactionDelay", "60us"}});
        tie.cc->CnpReceived(tie.state, 0);
        tie.cc->CnpReceived(tie.state, 55 * US);
        NS_TEST_EXPECT_MSG_EQ(tie.RateAt(120 * US), 30 * (1 - 255.0 / 512), "increase, then cut");
        NS_TEST_EXPECT_MSG_EQ(tie.cc->GetTargetRate(), 30 * GBPS, "target of the increase");
        NS_TEST_EXPECT_MSG_EQ(tie.state.nextUpdate, 170 * US, "rate timer from the cut");

        // 100 s of silence are 10^8 alpha periods; alpha is 0 for all that matters long before.
        Flow silent(100'000'000'000, {{"Preset", "nvidia"}});
        silent.cc->CnpReceived(silent.state, 0);
        const RocePs late = 100 * RoceClock::SECOND;
        NS_TEST_EXPECT_MSG_EQ(silent.RateAt(late), 100, "recovered");
        NS_TEST_EXPECT_MSG_LT(silent.cc->GetAlpha(late), 1e-300, "alpha decayed");
        silent.cc->CnpReceived(silent.state, late + US / 2);
        NS_TEST_EXPECT_MSG_EQ(silent.state.nextUpdate,
                              late + 4 * US,
                              "phase of the cut timer kept");
        // one period with the CNP, three without: alpha = g (1-g)^3 at late + 4 us
        const double alpha = 5.0 / 1024 * std::pow(1019.0 / 1024, 3);
        NS_TEST_EXPECT_MSG_EQ_TOL(silent.RateAt(late + 4 * US) / (100 * (1 - alpha / 2)),
                                  1,
                                  1e-12,
                                  "cut by a fresh alpha");
    }
};

/**
 * @ingroup roce-tests
 * @brief DCQCN reaction point.
 */
class RoceDcqcnTestSuite : public TestSuite
{
  public:
    RoceDcqcnTestSuite()
        : TestSuite("roce-dcqcn", Type::UNIT)
    {
        AddTestCase(new DcqcnRecoveryTestCase());
        AddTestCase(new DcqcnAllMarkedTestCase());
        AddTestCase(new DcqcnStagesTestCase());
        AddTestCase(new DcqcnNicTestCase());
        AddTestCase(new DcqcnLimitsTestCase());
    }
};

RoceDcqcnTestSuite g_roceDcqcnTestSuite; //!< the suite

} // namespace
