/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @param kmin Kmin, bytes
 * @param kmax Kmax, bytes
 * @param pmax Pmax
 * @param stream random stream
 * @return a marker
 */
Ptr<RoceEcnMarker>
MakeMarker(uint64_t kmin, uint64_t kmax, double pmax, int64_t stream)
{
    auto marker = CreateObject<RoceEcnMarker>();
    marker->SetThresholds({kmin, kmax, pmax});
    marker->AssignStreams(stream);
    return marker;
}

/**
 * @ingroup roce-tests
 * @param marker a marker
 * @param ecn codepoint of the frames
 * @param queueBytes length of the queue
 * @param n number of frames
 * @return number of frames marked
 */
uint32_t
CountMarks(Ptr<RoceEcnMarker> marker, RoceEcn ecn, uint64_t queueBytes, uint32_t n)
{
    uint32_t marks = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        marks += marker->ShouldMark(ecn, queueBytes);
    }
    return marks;
}

/**
 * @ingroup roce-tests
 * @brief Share of frames marked in a queue of constant length.
 */
class RoceEcnProbabilityTestCase : public TestCase
{
  public:
    RoceEcnProbabilityTestCase();

  private:
    void DoRun() override;
};

RoceEcnProbabilityTestCase::RoceEcnProbabilityTestCase()
    : TestCase("Marking probability")
{
}

void
RoceEcnProbabilityTestCase::DoRun()
{
    // Kmin 100 kB, Kmax 400 kB, Pmax 0.2: half-way 0.1, three standard deviations of
    // sqrt(100000 x 0.1 x 0.9) = 94.9 are 285.
    constexpr uint32_t N = 100'000;
    auto marker = MakeMarker(100'000, 400'000, 0.2, 1);
    const uint32_t marks = CountMarks(marker, RoceEcn::ECT0, 250'000, N);
    NS_TEST_EXPECT_MSG_EQ_TOL(marks, 10'000.0, 285.0, "half-way");
    NS_TEST_EXPECT_MSG_EQ(marker->GetMarked(), marks, "counter");
    NS_TEST_EXPECT_MSG_EQ(CountMarks(marker, RoceEcn::ECT0, 0, N), 0, "empty queue");
    NS_TEST_EXPECT_MSG_EQ(CountMarks(marker, RoceEcn::ECT0, 100'000, N), 0, "at Kmin");
    NS_TEST_EXPECT_MSG_EQ(CountMarks(marker, RoceEcn::ECT0, 400'001, N), N, "above Kmax");
    NS_TEST_EXPECT_MSG_EQ(CountMarks(marker, RoceEcn::ECT1, 400'001, N), N, "ECT(1)");
    NS_TEST_EXPECT_MSG_EQ(CountMarks(marker, RoceEcn::NOT_ECT, 400'001, N), 0, "not ECT");
    // At Kmax itself the probability is Pmax: 20,000, three standard deviations are 379.
    NS_TEST_EXPECT_MSG_EQ_TOL(CountMarks(marker, RoceEcn::ECT0, 400'000, N),
                              20'000.0,
                              379.0,
                              "at Kmax");

    // Paper thresholds at constant queues: 0.25, 0.50 and 0.75 %; 99 % binomial is 2.576 sigma.
    auto paper = MakeMarker(5000, 200'000, 0.01, 2);
    constexpr uint32_t MANY = 200'000;
    for (const uint32_t quarter : {1, 2, 3})
    {
        const double p = 0.0025 * quarter;
        NS_TEST_EXPECT_MSG_EQ_TOL(CountMarks(paper, RoceEcn::ECT0, 5000 + quarter * 48'750, MANY),
                                  MANY * p,
                                  2.576 * std::sqrt(MANY * p * (1 - p)),
                                  "quarter " << quarter);
    }
    NS_TEST_EXPECT_MSG_EQ(CountMarks(paper, RoceEcn::ECT0, 5000, MANY), 0, "at Kmin");
    NS_TEST_EXPECT_MSG_EQ(CountMarks(paper, RoceEcn::ECT0, 200'001, MANY), MANY, "above Kmax");

    // Kmin = Kmax is a step, as DCTCP has it.
    auto step = MakeMarker(65'000, 65'000, 1.0, 3);
    NS_TEST_EXPECT_MSG_EQ(CountMarks(step, RoceEcn::ECT0, 65'000, 100), 0, "at K");
    NS_TEST_EXPECT_MSG_EQ(CountMarks(step, RoceEcn::ECT0, 65'001, 100), 100, "above K");
}

/**
 * @ingroup roce-tests
 * @brief The averaged queue length follows avg = avg + (q - avg) / 2^w.
 */
class RoceEcnAverageTestCase : public TestCase
{
  public:
    RoceEcnAverageTestCase();

  private:
    void DoRun() override;
};

RoceEcnAverageTestCase::RoceEcnAverageTestCase()
    : TestCase("Averaged queue length")
{
}

void
RoceEcnAverageTestCase::DoRun()
{
    // w = 2, q = 1000 from 0: avg after k decisions is 1000 (1 - 0.75^k). It passes 700 with k = 5
    // (1 - 0.2373 = 0.7627), and back to 0 it is below 700 at once (572).
    auto marker = CreateObjectWithAttributes<RoceEcnMarker>("Kmin",
                                                            UintegerValue(700),
                                                            "Kmax",
                                                            UintegerValue(700),
                                                            "Weight",
                                                            UintegerValue(2),
                                                            "MarkAt",
                                                            StringValue("ENQUEUE"));
    NS_TEST_EXPECT_MSG_EQ(marker->GetMarkAt(), RoceEcnMarker::ENQUEUE, "attribute");
    for (uint32_t k = 1; k <= 5; k++)
    {
        // Frames that cannot be marked count in the average, too.
        const RoceEcn ecn = k == 2 ? RoceEcn::NOT_ECT : RoceEcn::ECT0;
        NS_TEST_EXPECT_MSG_EQ(marker->ShouldMark(ecn, 1000), (k == 5), "decision " << k);
    }
    NS_TEST_EXPECT_MSG_EQ(marker->ShouldMark(RoceEcn::ECT0, 0), false, "falls");
}

/**
 * @ingroup roce-tests
 * @brief Published thresholds scale with the port.
 */
class RoceEcnPresetTestCase : public TestCase
{
  public:
    RoceEcnPresetTestCase();

  private:
    void DoRun() override;
};

RoceEcnPresetTestCase::RoceEcnPresetTestCase()
    : TestCase("Presets")
{
}

void
RoceEcnPresetTestCase::DoRun()
{
    /// A published setting.
    struct Row
    {
        RoceEcnMarker::Preset preset; //!< the set
        uint64_t gbps;                //!< port rate
        uint64_t kmin;                //!< Kmin, bytes
        uint64_t kmax;                //!< Kmax, bytes
        double pmax;                  //!< Pmax
    };

    const std::vector<Row> rows = {
        {RoceEcnMarker::HPCC, 25, 100'000, 400'000, 0.2},
        {RoceEcnMarker::HPCC, 50, 200'000, 800'000, 0.2},
        {RoceEcnMarker::HPCC, 100, 400'000, 1'600'000, 0.2},
        {RoceEcnMarker::HPCC, 400, 1'600'000, 6'400'000, 0.2},
        {RoceEcnMarker::DCQCN_PAPER, 40, 5000, 200'000, 0.01},
        {RoceEcnMarker::DCQCN_PAPER, 100, 12'500, 500'000, 0.01},
        {RoceEcnMarker::DCTCP, 10, 30'000, 30'000, 1.0},
        {RoceEcnMarker::DCTCP, 100, 300'000, 300'000, 1.0},
        {RoceEcnMarker::SONIC, 400, 1'048'576, 2'097'152, 0.05},
        {RoceEcnMarker::CUMULUS, 100, 150'000, 1'500'000, 1.0},
        {RoceEcnMarker::CISCO, 100, 150'000, 3'000'000, 0.07},
    };
    for (const Row& row : rows)
    {
        const auto got = RoceEcnMarker::GetPreset(row.preset, row.gbps * 1'000'000'000);
        NS_TEST_EXPECT_MSG_EQ(got.kmin, row.kmin, "Kmin at " << row.gbps << "G");
        NS_TEST_EXPECT_MSG_EQ(got.kmax, row.kmax, "Kmax at " << row.gbps << "G");
        NS_TEST_EXPECT_MSG_EQ(got.pmax, row.pmax, "Pmax at " << row.gbps << "G");
    }
}

/**
 * @ingroup roce-tests
 * @brief Thresholds given in part, and in each unit.
 */
class RoceEcnUnitTestCase : public TestCase
{
  public:
    RoceEcnUnitTestCase()
        : TestCase("Thresholds that are given and units")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param marker a marker
     * @param kmin expected Kmin, bytes
     * @param kmax expected Kmax, bytes
     * @param pmax expected Pmax
     * @param message what is checked
     */
    void Expect(Ptr<RoceEcnMarker> marker,
                uint64_t kmin,
                uint64_t kmax,
                double pmax,
                const std::string& message)
    {
        const auto got = marker->GetThresholds();
        NS_TEST_EXPECT_MSG_EQ(got.kmin, kmin, message << ": Kmin");
        NS_TEST_EXPECT_MSG_EQ(got.kmax, kmax, message << ": Kmax");
        NS_TEST_EXPECT_MSG_EQ(got.pmax, pmax, message << ": Pmax");
    }
};

void
RoceEcnUnitTestCase::DoRun()
{
    auto marker = CreateObject<RoceEcnMarker>();
    Expect(marker, 400'000, 1'600'000, 0.2, "HPCC at 100 Gb/s without a port");
    marker->SetPort(400'000'000'000, 1);
    Expect(marker, 1'600'000, 6'400'000, 0.2, "HPCC at 400 Gb/s");
    marker->SetAttribute("Kmin", UintegerValue(5000));
    Expect(marker, 5000, 6'400'000, 0.2, "Kmin given, the others of the preset");
    marker->SetPort(25'000'000'000, 1);
    Expect(marker, 5000, 400'000, 0.2, "what is given does not scale");
    marker->SetAttribute("Preset", StringValue("SONIC"));
    marker->SetAttribute("Pmax", DoubleValue(0.0));
    Expect(marker, 5000, 2'097'152, 0.0, "another preset under what is given");
    marker->SetThresholds({1, 2, 0.5});
    Expect(marker, 1, 2, 0.5, "all given");

    // 1 us and 4 us are 12.5 and 50 kB at 100 Gb/s, four times as much at 400 Gb/s.
    auto timed = CreateObjectWithAttributes<RoceEcnMarker>("Unit",
                                                           StringValue("NANOSECONDS"),
                                                           "Kmin",
                                                           UintegerValue(1000),
                                                           "Kmax",
                                                           UintegerValue(4000));
    Expect(timed, 12'500, 50'000, 0.2, "times at 100 Gb/s");
    timed->SetPort(400'000'000'000, 254);
    Expect(timed, 50'000, 200'000, 0.2, "times at 400 Gb/s");

    // FBOSS thresholds of Tomahawk 5: 103 and 563 cells of 254 B.
    auto cells = CreateObjectWithAttributes<RoceEcnMarker>("Unit",
                                                           StringValue("CELLS"),
                                                           "Kmin",
                                                           UintegerValue(103),
                                                           "Kmax",
                                                           UintegerValue(563));
    cells->SetPort(100'000'000'000, 254);
    Expect(cells, 26'162, 143'002, 0.2, "cells");
    // A threshold that no queue reaches.
    cells->SetAttribute("Kmax", UintegerValue(UINT64_MAX - 1));
    NS_TEST_EXPECT_MSG_EQ(cells->GetThresholds().kmax, uint64_t{1} << 53, "huge");
}

/**
 * @ingroup roce-tests
 * @brief Equal streams repeat, different streams do not; draws are made only between the
 * thresholds.
 */
class RoceEcnStreamTestCase : public TestCase
{
  public:
    RoceEcnStreamTestCase();

  private:
    void DoRun() override;
    /**
     * @param stream random stream
     * @param detour whether to ask about certain cases in between
     * @return decisions about 200 frames at probability one half
     */
    std::string GetDecisions(int64_t stream, bool detour);
    /**
     * Trace sink.
     * @param queueBytes length of the queue
     */
    void Mark(uint64_t queueBytes);

    uint64_t m_traced{0}; //!< calls of Mark()
};

RoceEcnStreamTestCase::RoceEcnStreamTestCase()
    : TestCase("Random streams")
{
}

void
RoceEcnStreamTestCase::Mark(uint64_t queueBytes)
{
    NS_TEST_EXPECT_MSG_EQ(queueBytes, 1000, "queue length");
    m_traced++;
}

std::string
RoceEcnStreamTestCase::GetDecisions(int64_t stream, bool detour)
{
    auto marker = MakeMarker(0, 2000, 1.0, stream);
    std::string decisions;
    if (!detour)
    {
        marker->TraceConnectWithoutContext("Mark",
                                           MakeCallback(&RoceEcnStreamTestCase::Mark, this));
    }
    for (uint32_t i = 0; i < 200; i++)
    {
        decisions += marker->ShouldMark(RoceEcn::ECT0, 1000) ? "1" : "0";
        if (detour)
        {
            marker->ShouldMark(RoceEcn::ECT0, 0);
            marker->ShouldMark(RoceEcn::ECT0, 2001);
            marker->ShouldMark(RoceEcn::NOT_ECT, 1000);
        }
    }
    return decisions;
}

void
RoceEcnStreamTestCase::DoRun()
{
    const std::string first = GetDecisions(7, false);
    NS_TEST_EXPECT_MSG_EQ(m_traced,
                          static_cast<uint64_t>(std::count(first.begin(), first.end(), '1')),
                          "one trace per mark");
    NS_TEST_EXPECT_MSG_EQ(GetDecisions(7, false), first, "same stream");
    NS_TEST_EXPECT_MSG_EQ(GetDecisions(7, true), first, "certain decisions draw nothing");
    NS_TEST_EXPECT_MSG_NE(GetDecisions(8, false), first, "another stream");
}

/**
 * @ingroup roce-tests
 * @brief ECN marker test suite.
 */
class RoceEcnMarkerTestSuite : public TestSuite
{
  public:
    RoceEcnMarkerTestSuite();
};

RoceEcnMarkerTestSuite::RoceEcnMarkerTestSuite()
    : TestSuite("roce-ecn-marker", Type::UNIT)
{
    AddTestCase(new RoceEcnProbabilityTestCase);
    AddTestCase(new RoceEcnAverageTestCase);
    AddTestCase(new RoceEcnPresetTestCase);
    AddTestCase(new RoceEcnUnitTestCase);
    AddTestCase(new RoceEcnStreamTestCase);
}

RoceEcnMarkerTestSuite g_roceEcnMarkerTestSuite; //!< registers the suite

} // namespace
