/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"

#include "ns3/roce-switch.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief The table of a buffer plan, number by number.
 */
class RoceBufferPlanPrintTestCase : public TestCase
{
  public:
    RoceBufferPlanPrintTestCase()
        : TestCase("Printed buffer plan")
    {
    }

  private:
    void DoRun() override
    {
        // Free when nothing is held: 1,000,000 - 2 ports x 8 classes x 1000 reserve - 2 x 50,000
        // headroom = 884,000; a class pauses at its reserve and 1/8 of that, 111,500.
        RoceFabricFixture fabric("40Gbps", MicroSeconds(2));
        fabric.roce.SetBufferAttribute("TotalBytes", UintegerValue(1'000'000));
        fabric.roce.SetBufferAttribute("Reserve", UintegerValue(1000));
        fabric.roce.SetHeadroom(50'000);
        fabric.roce.SetEcnClasses(0x09);
        fabric.roce.SetEcnPreset(RoceEcnMarker::DCQCN_PAPER);
        fabric.Star(2);
        std::ostringstream os;
        RoceHelper::PrintBufferPlan(NodeContainer(fabric.switches[0]), os);

        std::vector<std::string> rows; // with single spaces
        std::istringstream lines(os.str());
        for (std::string line; std::getline(lines, line);)
        {
            std::istringstream words(line);
            std::string row;
            for (std::string word; words >> word;)
            {
                row += (row.empty() ? "" : " ") + word;
            }
            rows.push_back(row);
        }
        NS_TEST_ASSERT_MSG_GT(rows.size(), 6, "a description, a heading and four rows");
        const auto table = rows.end() - 5;
        const std::vector<std::string> expected = {
            "port Gb/s delay ns class reserve headroom alpha xoff kmin kmax pmax",
            "0 40 2000 0 1000 - - - 5000 200000 0.01",
            "0 40 2000 3 1000 50000 0.125 111500 5000 200000 0.01",
            "1 40 2000 0 1000 - - - 5000 200000 0.01",
            "1 40 2000 3 1000 50000 0.125 111500 5000 200000 0.01",
        };
        for (std::size_t i = 0; i < expected.size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(table[i], expected[i], "row " << i);
        }
        NS_TEST_EXPECT_MSG_NE(os.str().find("1000000 B"), std::string::npos, "the memory");
        NS_TEST_EXPECT_MSG_NE(os.str().find("Switch, node 2"), std::string::npos, "which switch");
    }
};

/**
 * @ingroup roce-tests
 * @brief Printing buffer plans.
 */
class RoceBufferPlanTestSuite : public TestSuite
{
  public:
    RoceBufferPlanTestSuite()
        : TestSuite("roce-buffer-plan", Type::UNIT)
    {
        AddTestCase(new RoceBufferPlanPrintTestCase);
    }
};

RoceBufferPlanTestSuite g_roceBufferPlanTestSuite; //!< the suite

} // namespace
