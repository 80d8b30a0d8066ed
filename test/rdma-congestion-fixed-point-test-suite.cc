/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-dcqcn-fixed-point.h"

#include "ns3/test.h"

#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief The solver that network tests take their expectations from, against published numbers.
 */
class DcqcnFixedPointTestCase : public TestCase
{
  public:
    DcqcnFixedPointTestCase()
        : TestCase("fixed point of the fluid model against its table for 40G, 1000 B packets")
    {
    }

  private:
    void DoRun() override
    {
        // flows, p, q in KB for Kmax 200 KB and Pmax 1 %, q for 2000 KB and 10 %, alpha; computed
        // with an independent program. Its published curves settle at 20 KB for 2 flows, 125 KB for
        // 10 and 1170-1180 KB for 64 (with 2000 KB and 10 %).
        struct Row
        {
            uint32_t flows; //!< number of flows
            double p;       //!< marking probability
            double q;       //!< queue, 0 if beyond Kmax
            double longQ;   //!< queue with the longer ramp
            double alpha;   //!< alpha
        };

        const std::vector<Row> rows{
            {1, 3.182e-4, 11.2, 11.3, 0.0838},
            {2, 7.770e-4, 20.2, 20.5, 0.1014},
            {4, 1.8877e-3, 41.8, 42.7, 0.1218},
            {8, 4.552e-3, 93.8, 95.8, 0.1452},
            {10, 6.032e-3, 122.6, 125.3, 0.1533},
            {16, 1.0873e-2, 0, 221.9, 0.1713},
            {64, 5.905e-2, 0, 1183, 0.2301},
        };
        for (const auto& row : rows)
        {
            RoceDcqcnFixedPoint point;
            point.Solve(40e9, row.flows);
            NS_TEST_EXPECT_MSG_EQ_TOL(point.p / row.p, 1, 2e-4, row.flows << " flows: p");
            NS_TEST_EXPECT_MSG_EQ_TOL(point.alpha, row.alpha, 5.1e-5, row.flows << " flows: alpha");
            if (row.q != 0)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(point.q / 1000, row.q, 0.051, row.flows << " flows: q");
            }
            else
            {
                NS_TEST_EXPECT_MSG_GT(point.q, point.kMax, row.flows << " flows: beyond Kmax");
            }
            point.kMax = 2000e3;
            point.pMax = 0.1;
            point.Solve(40e9, row.flows);
            NS_TEST_EXPECT_MSG_EQ_TOL(point.q / 1000,
                                      row.longQ,
                                      (row.longQ > 1000 ? 0.5 : 0.051),
                                      row.flows << " flows: q, long ramp");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief Fixed point of DCQCN.
 */
class RoceDcqcnFixedPointTestSuite : public TestSuite
{
  public:
    RoceDcqcnFixedPointTestSuite()
        : TestSuite("roce-dcqcn-fixed-point", Type::UNIT)
    {
        AddTestCase(new DcqcnFixedPointTestCase());
    }
};

RoceDcqcnFixedPointTestSuite g_roceDcqcnFixedPointTestSuite; //!< the suite

} // namespace
