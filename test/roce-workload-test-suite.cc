/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/roce-flow-generator.h"
#include "ns3/roce-ideal-fct.h"
#include "ns3/roce-path-finder.h"
#include "ns3/roce-size-distribution.h"
#include "ns3/roce-topology.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <vector>

/**
 * @file
 * @ingroup roce-tests
 * Built-in networks and workloads, and the ideal completion time of a flow.
 */

using namespace ns3;

namespace
{

constexpr uint64_t GIGA = 1'000'000'000;        //!< bit/s in 1 Gb/s
constexpr RocePs MICROSECOND = 1'000'000;       //!< picoseconds
constexpr uint64_t MESSAGE = uint64_t{1} << 30; //!< largest message of the tests

/**
 * @ingroup roce-tests
 * @brief Shapes of the built-in networks.
 */
class RoceTopologyShapesTestCase : public TestCase
{
  public:
    RoceTopologyShapesTestCase()
        : TestCase("star, leaf-spine and fat tree")
    {
    }

  private:
    void DoRun() override
    {
        const RoceTopology star = RoceTopology::Star(5, 100 * GIGA, MICROSECOND);
        NS_TEST_EXPECT_MSG_EQ(star.GetHosts().size(), 5, "hosts");
        NS_TEST_EXPECT_MSG_EQ(star.GetLinksOf(5).size(), 5, "ports of the switch");
        NS_TEST_EXPECT_MSG_EQ(star.FindProblem(), "", "connected");

        const RoceTopology leafSpine = RoceTopology::LeafSpine(3, 2, 4, 100 * GIGA, MICROSECOND);
        NS_TEST_EXPECT_MSG_EQ(leafSpine.GetHosts().size(), 12, "hosts");
        NS_TEST_EXPECT_MSG_EQ(leafSpine.GetLinks().size(), 12 + 6, "links");
        NS_TEST_EXPECT_MSG_EQ(leafSpine.GetLinksOf(12).size(), 4 + 2, "ports of a leaf");
        NS_TEST_EXPECT_MSG_EQ(leafSpine.GetLinksOf(15).size(), 3, "ports of a spine");
        NS_TEST_EXPECT_MSG_EQ(leafSpine.FindProblem(), "", "connected");

        // k = 4: 16 hosts, 8 + 8 + 4 switches of 4 ports each, 16 links per tier.
        const RoceTopology fatTree = RoceTopology::FatTree(4, 100 * GIGA, MICROSECOND);
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetHosts().size(), 16, "k^3/4 hosts");
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetSwitches().size(), 20, "5 k^2/4 switches");
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetLinks().size(), 48, "3 k^3/4 links");
        for (uint32_t node : fatTree.GetSwitches())
        {
            NS_TEST_EXPECT_MSG_EQ(fatTree.GetLinksOf(node).size(), 4, "ports of switch " << node);
        }
        NS_TEST_EXPECT_MSG_EQ(fatTree.FindProblem(), "", "connected");
        RocePathFinder finder(fatTree);
        NS_TEST_EXPECT_MSG_EQ(finder.FindPath(0, 1).size(), 2, "same edge switch");
        NS_TEST_EXPECT_MSG_EQ(finder.FindPath(0, 2).size(), 4, "same pod");
        NS_TEST_EXPECT_MSG_EQ(finder.FindPath(0, 15).size(), 6, "over the core");
        // Every core switch reaches every pod exactly once.
        for (uint32_t core = 32; core < 36; core++)
        {
            std::set<uint32_t> pods;
            for (uint32_t link : fatTree.GetLinksOf(core))
            {
                pods.insert((fatTree.GetPeer(link, core) - 24) / 2);
            }
            NS_TEST_EXPECT_MSG_EQ(pods.size(), 4, "pods of core " << core);
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief The best of several paths.
 */
class RocePathFinderTestCase : public TestCase
{
  public:
    RocePathFinderTestCase()
        : TestCase("best shortest path")
    {
    }

  private:
    void DoRun() override
    {
        // Hosts 0, 1, 7; switches 2 to 6. From 0 to 1 over 2, then 3, 4 or 5, then 6. Link numbers
        // in brackets. 3: 10G on one side. 4 and 5: 40G all the way, but 5 is shorter. 7 hangs
        // between 2 and 6 and would be as short, but is a host.
        RoceTopology plan;
        for (int node = 0; node < 8; node++)
        {
            plan.AddNode(node >= 2 && node <= 6);
        }
        plan.AddLink({0, 2, 40 * GIGA, MICROSECOND, 0});     // 0
        plan.AddLink({6, 1, 40 * GIGA, MICROSECOND, 0});     // 1
        plan.AddLink({2, 3, 100 * GIGA, MICROSECOND, 0});    // 2
        plan.AddLink({3, 6, 10 * GIGA, 0, 0});               // 3
        plan.AddLink({2, 4, 40 * GIGA, MICROSECOND, 0});     // 4
        plan.AddLink({4, 6, 100 * GIGA, MICROSECOND, 0});    // 5
        plan.AddLink({2, 5, 40 * GIGA, MICROSECOND, 0});     // 6
        plan.AddLink({5, 6, 40 * GIGA, MICROSECOND / 2, 0}); // 7
        plan.AddLink({2, 7, 100 * GIGA, 0, 0});              // 8
        plan.AddLink({7, 6, 100 * GIGA, 0, 0});              // 9
        RocePathFinder finder(plan);
        const std::vector<uint32_t> expected{0, 6, 7, 1};
        NS_TEST_EXPECT_MSG_EQ((finder.FindPath(0, 1) == expected), true, "0 to 1");
        const std::vector<uint32_t> reverse{1, 7, 6, 0};
        NS_TEST_EXPECT_MSG_EQ((finder.FindPath(1, 0) == reverse), true, "1 to 0");
        // Host to host through a host does not work.
        RoceTopology chain;
        for (int node = 0; node < 3; node++)
        {
            chain.AddNode(false);
        }
        chain.AddLink({0, 1, GIGA, 0, 0});
        chain.AddLink({1, 2, GIGA, 0, 0});
        RocePathFinder hosts(chain);
        NS_TEST_EXPECT_MSG_EQ(hosts.FindPath(0, 1).size(), 1, "neighbors");
        NS_TEST_EXPECT_MSG_EQ(hosts.FindPath(0, 2).size(), 0, "hosts do not forward");
    }
};

/**
 * @ingroup roce-tests
 * @brief The ideal completion time.
 */
class RoceIdealFctTestCase : public TestCase
{
  public:
    RoceIdealFctTestCase()
        : TestCase("ideal flow completion time")
    {
    }

  private:
    /**
     * The recurrence of the class comment, evaluated packet by packet and stage by stage.
     * @param path links
     * @param bytes payload
     * @param mtu path MTU
     * @return completion time, picoseconds
     */
    static double Simulate(const std::vector<RoceTopologyLink>& path, uint64_t bytes, uint32_t mtu)
    {
        std::vector<RoceTopologyLink> stages = path;
        stages.insert(stages.end(), path.rbegin(), path.rend());
        std::vector<double> free(stages.size(), 0);
        double done = 0;
        uint64_t left = bytes;
        bool first = true;
        while (first || left > 0)
        {
            const uint64_t payload = std::min<uint64_t>(left, mtu);
            const double data = (payload + 3) / 4 * 4 + 82 + (first ? 16 : 0);
            left -= payload;
            first = false;
            done = 0;
            for (std::size_t j = 0; j < stages.size(); j++)
            {
                const double wire = j < path.size() ? data : 86; // there, or an acknowledgment back
                const double psPerByte = 8e12 / static_cast<double>(stages[j].rate);
                const double start = std::max(done, free[j]);
                free[j] = start + wire * psPerByte;
                done = start + (wire - 12) * psPerByte + static_cast<double>(stages[j].delay);
            }
        }
        return done;
    }

    void DoRun() override
    {
        // 1 MiB in packets of 4096 bytes over two links of 100 Gb/s and 1 us. The first of the 256
        // packets is the longest, so the others queue behind it in the switch: it comes there after
        // 4182 * 0.08 ns + 1 us and its 4194 bytes are followed by 254 packets of 4178 and the last
        // one, of which the gap does not count, and 1 us. The acknowledgment takes 2 * (1 us + 74 *
        // 0.08 ns). The usual round figure, 89,914.72 ns, treats gaps and the queue differently.
        const std::vector<RoceTopologyLink> star(2, {0, 1, 100 * GIGA, MICROSECOND, 0});
        const RoceIdealFct p1(4096, MESSAGE);
        const double lastByte = (4182 + 4194 + 254 * 4178 + 4166) * 80.0 + 2e6;
        NS_TEST_EXPECT_MSG_EQ(p1.Compute(star, 1 << 20),
                              std::llround(lastByte + 2 * (74 * 80.0 + 1e6)),
                              "1 MiB");
        NS_TEST_EXPECT_MSG_EQ_TOL(p1.Compute(star, 1 << 20) / 1000.0,
                                  89914.72,
                                  89914.72 * 1e-3,
                                  "the round figure");
        // One packet of 4096 bytes, one of 1 byte (padded to 4), one of none.
        NS_TEST_EXPECT_MSG_EQ(p1.Compute(star, 4096), 2 * (4182 + 74) * 80 + 4000000, "4096 bytes");
        NS_TEST_EXPECT_MSG_EQ(p1.Compute(star, 1), 2 * (90 + 74) * 80 + 4000000, "1 byte");
        NS_TEST_EXPECT_MSG_EQ(p1.Compute(star, 0), 2 * (86 + 74) * 80 + 4000000, "no byte");

        // Any mix of rates and delays, small and large last packets.
        const std::vector<std::vector<uint64_t>> rates{{100},
                                                       {100, 100},
                                                       {100, 400, 400, 400, 400, 100},
                                                       {400, 100, 200, 100},
                                                       {100, 10, 100, 25, 400},
                                                       {10, 25, 40, 100, 200, 400},
                                                       {400, 200, 100, 40, 25, 10}};
        for (const std::vector<uint64_t>& mix : rates)
        {
            std::vector<RoceTopologyLink> path;
            for (uint64_t rate : mix)
            {
                path.push_back({0, 1, rate * GIGA, static_cast<RocePs>(path.size()) * 12345, 0});
            }
            for (uint32_t mtu : {256, 1024, 4096})
            {
                const RoceIdealFct ideal(mtu, MESSAGE);
                for (uint64_t bytes : {0, 1, 255, 256, 257, 1024, 1025, 2048, 4096, 9000, 123456})
                {
                    NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(ideal.Compute(path, bytes)),
                                              Simulate(path, bytes, mtu),
                                              1.0,
                                              mix.size()
                                                  << " links, " << bytes << " B, MTU " << mtu);
                }
            }
        }
        // 4 GiB + 4096 B at 400 Gb/s: 2^20 + 1 packets; four messages more than one, 16 B each.
        const std::vector<RoceTopologyLink> fast(1, {0, 1, 400 * GIGA, 0, 0});
        NS_TEST_EXPECT_MSG_EQ(p1.Compute(fast, 4294971392),
                              ((1048577 * int64_t{4178} + 5 * 16 - 12) + 74) * 20,
                              "64-bit sizes");
    }
};

/**
 * @ingroup roce-tests
 * @brief Generated workloads.
 */
class RoceFlowGeneratorTestCase : public TestCase
{
  public:
    RoceFlowGeneratorTestCase()
        : TestCase("permutation and Poisson workloads")
    {
    }

  private:
    void DoRun() override
    {
        RoceFlowGenerator generator;
        NS_TEST_EXPECT_MSG_EQ(generator.AssignStreams(100), 4, "streams");
        const RoceTopology plan = RoceTopology::Star(16, 100 * GIGA, MICROSECOND);
        for (int i = 0; i < 50; i++)
        {
            const std::vector<RoceFlow> flows = generator.Permutation(plan, 1000);
            std::set<uint32_t> sources;
            std::set<uint32_t> destinations;
            for (const RoceFlow& flow : flows)
            {
                NS_TEST_EXPECT_MSG_NE(flow.source, flow.destination, "flow to itself");
                sources.insert(flow.source);
                destinations.insert(flow.destination);
            }
            NS_TEST_EXPECT_MSG_EQ(sources.size(), 16, "every host sends");
            NS_TEST_EXPECT_MSG_EQ(destinations.size(), 16, "every host receives");
        }
        const RoceTopology pair = RoceTopology::Star(2, 100 * GIGA, MICROSECOND);
        NS_TEST_EXPECT_MSG_EQ(generator.Permutation(pair, 1).at(1).destination,
                              0,
                              "two hosts swap");

        // Sizes uniform from 0 to 20,000 bytes: 10,000 on average. At a load of 30 % of 100 Gb/s a
        // host starts 0.3 * 1e11 / 8 / 1e4 = 375,000 flows a second; 16 hosts in 5 ms: 30,000
        // expected, with a standard deviation of sqrt(30,000) = 173; five of them are allowed. The
        // standard deviation of the mean size is 20,000 / sqrt(12) / sqrt(30,000) = 33 bytes.
        std::istringstream text("0 0\n20000 100\n");
        RoceSizeDistribution sizes;
        NS_TEST_ASSERT_MSG_EQ(sizes.Read(text, "uniform"), true, sizes.GetError());
        const std::vector<RoceFlow> flows = generator.Poisson(plan, sizes, 0.3, 5000 * MICROSECOND);
        NS_TEST_EXPECT_MSG_EQ_TOL(flows.size(), 30000.0, 5 * 173.2, "number of arrivals");
        double bytes = 0;
        std::vector<uint32_t> pairs(16 * 16);
        RocePs previous = 0;
        uint64_t id = 0;
        for (const RoceFlow& flow : flows)
        {
            bytes += static_cast<double>(flow.bytes);
            pairs[flow.source * 16 + flow.destination]++;
            NS_TEST_EXPECT_MSG_EQ((flow.start >= previous && flow.start < 5000 * MICROSECOND),
                                  true,
                                  "in order and within the duration");
            NS_TEST_EXPECT_MSG_EQ(flow.id, id++, "numbered in order");
            previous = flow.start;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(bytes / static_cast<double>(flows.size()),
                                  10000,
                                  5 * 33.4,
                                  "mean size");
        for (uint32_t i = 0; i < pairs.size(); i++)
        {
            // 30,000 flows over 240 pairs: 125 each, standard deviation 11.2; the most extreme of
            // 240 pairs is within 5 of them with a probability of 0.9999.
            const double expected = i / 16 == i % 16 ? 0 : 125;
            const double tolerance = expected == 0 ? 0 : 56;
            NS_TEST_EXPECT_MSG_EQ_TOL(pairs[i], expected, tolerance, "pair " << i);
        }

        // The same streams give the same flows again.
        RoceFlowGenerator again;
        RoceFlowGenerator other;
        again.AssignStreams(7);
        other.AssignStreams(7);
        const std::vector<RoceFlow> a = again.Poisson(plan, sizes, 0.5, 100 * MICROSECOND);
        const std::vector<RoceFlow> b = other.Poisson(plan, sizes, 0.5, 100 * MICROSECOND);
        NS_TEST_ASSERT_MSG_EQ(a.size(), b.size(), "repeatable");
        for (std::size_t i = 0; i < a.size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ((a[i].start == b[i].start && a[i].bytes == b[i].bytes &&
                                   a[i].destination == b[i].destination),
                                  true,
                                  "flow " << i << " is repeatable");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief Networks, workloads and ideal completion times.
 */
class RoceWorkloadTestSuite : public TestSuite
{
  public:
    RoceWorkloadTestSuite()
        : TestSuite("roce-workload", Type::UNIT)
    {
        AddTestCase(new RoceTopologyShapesTestCase());
        AddTestCase(new RocePathFinderTestCase());
        AddTestCase(new RoceIdealFctTestCase());
        AddTestCase(new RoceFlowGeneratorTestCase());
    }
};

RoceWorkloadTestSuite g_roceWorkloadTestSuite; //!< registers the suite

} // namespace
