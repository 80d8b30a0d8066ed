/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/roce-experiment-spec.h"
#include "ns3/roce-flow-generator.h"
#include "ns3/roce-flow-reader.h"
#include "ns3/roce-size-distribution.h"
#include "ns3/roce-text-input.h"
#include "ns3/roce-topology-reader.h"
#include "ns3/roce-topology.h"
#include "ns3/test.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup roce-tests
 * The file formats of experiments: what is read, and what is refused with which words.
 */

using namespace ns3;

namespace
{

/// A text and a part of the error that it must give.
using Refusal = std::pair<std::string, std::string>;

/**
 * @ingroup roce-tests
 * @brief Numbers with units.
 */
class RoceTextInputTestCase : public TestCase
{
  public:
    RoceTextInputTestCase()
        : TestCase("numbers with units, strictly")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(RoceTextInput::ParseUnsigned("18446744073709551615").value(),
                              UINT64_MAX,
                              "the largest 64-bit number");
        for (const char* bad : {"", "-1", "+1", "1.0", "1e3", "0x10", "18446744073709551616", "1 "})
        {
            NS_TEST_EXPECT_MSG_EQ(RoceTextInput::ParseUnsigned(bad).has_value(), false, bad);
        }

        // 1 MB is 10^6 and 1 MiB is 2^20 bytes (IEC 80000-13).
        const std::vector<std::pair<std::string, uint64_t>> sizes{{"0", 0},
                                                                  {"1500", 1500},
                                                                  {"1500B", 1500},
                                                                  {"1kB", 1000},
                                                                  {"1KB", 1000},
                                                                  {"1.5MB", 1500000},
                                                                  {"1MiB", 1048576},
                                                                  {"0.5KiB", 512},
                                                                  {"3GB", 3000000000},
                                                                  {"4GiB", 4294967296},
                                                                  {"1TB", 1000000000000},
                                                                  {"2TiB", 2199023255552},
                                                                  {"1e6", 1000000}};
        for (const auto& [text, bytes] : sizes)
        {
            NS_TEST_EXPECT_MSG_EQ(RoceTextInput::ParseBytes(text).value_or(1), bytes, text);
        }
        for (const char* bad : {"", "MB", "-1MB", "1 MB", "1mb", "0.5B", "1e30", "nan", "inf"})
        {
            NS_TEST_EXPECT_MSG_EQ(RoceTextInput::ParseBytes(bad).has_value(), false, bad);
        }

        const std::vector<std::pair<std::string, uint64_t>> rates{{"100Gbps", 100000000000},
                                                                  {"100Gb/s", 100000000000},
                                                                  {"1.6Tbps", 1600000000000},
                                                                  {"0.5Mbps", 500000},
                                                                  {"9600bps", 9600},
                                                                  {"1GBps", 8000000000}};
        for (const auto& [text, rate] : rates)
        {
            NS_TEST_EXPECT_MSG_EQ(RoceTextInput::ParseRate(text).value_or(1), rate, text);
        }
        for (const char* bad : {"", "100", "100G", "0Gbps", "-1Gbps", "Gbps", "1e20Gbps"})
        {
            NS_TEST_EXPECT_MSG_EQ(RoceTextInput::ParseRate(bad).has_value(), false, bad);
        }

        const std::vector<std::pair<std::string, RocePs>> times{{"1us", 1000000},
                                                                {"1000ns", 1000000},
                                                                {"0.001ms", 1000000},
                                                                {"0ns", 0},
                                                                {"2.5ps", 3}, // rounded
                                                                {"3s", 3000000000000}};
        for (const auto& [text, time] : times)
        {
            NS_TEST_EXPECT_MSG_EQ(RoceTextInput::ParseTime(text).value_or(-1), time, text);
        }
        for (const char* bad : {"", "1", "-1ns", "1000", "ns", "1h", "1e30s"})
        {
            NS_TEST_EXPECT_MSG_EQ(RoceTextInput::ParseTime(bad).has_value(), false, bad);
        }
        // Nothing of a start time is lost: ConWeave's generator writes nine decimals.
        NS_TEST_EXPECT_MSG_EQ(RoceTextInput::ParseSeconds("2.001958803").value_or(-1),
                              2001958803000,
                              "nanoseconds after two seconds");
        NS_TEST_EXPECT_MSG_EQ(RoceTextInput::ParseSeconds("1e7").has_value(),
                              false,
                              "beyond the picosecond clock");
    }
};

/**
 * @ingroup roce-tests
 * @brief Topology files.
 */
class RoceTopologyReaderTestCase : public TestCase
{
  public:
    RoceTopologyReaderTestCase()
        : TestCase("topology files")
    {
    }

  private:
    void DoRun() override
    {
        // As published with HPCC: CR LF, the switch first, an explanation at the end.
        RoceTopologyReader reader;
        std::istringstream hpcc("4 1 3\r\n0\r\n0 1 100Gbps 0.001ms 0\r\n0 2 100Gbps 0.001ms 0\r\n"
                                "0 3 400Gbps 1000ns 0.25\r\n\r\nFirst line: node #\r\n");
        NS_TEST_ASSERT_MSG_EQ(reader.Read(hpcc, "t"), true, reader.GetError());
        const RoceTopology& plan = reader.GetTopology();
        NS_TEST_EXPECT_MSG_EQ(plan.GetNNodes(), 4, "nodes");
        NS_TEST_EXPECT_MSG_EQ(plan.IsSwitch(0), true, "node 0 is listed");
        NS_TEST_EXPECT_MSG_EQ(plan.GetHosts().size(), 3, "the others are hosts");
        NS_TEST_EXPECT_MSG_EQ(plan.GetHosts().at(0), 1, "host 0 is node 1");
        NS_TEST_EXPECT_MSG_EQ(plan.GetLinks().size(), 3, "links");
        NS_TEST_EXPECT_MSG_EQ(plan.GetLinks().at(2).rate, 400000000000, "rate");
        NS_TEST_EXPECT_MSG_EQ(plan.GetLinks().at(2).delay, 1000000, "delay");
        NS_TEST_EXPECT_MSG_EQ(plan.GetLinks().at(2).errorRate, 0.25, "error rate");
        NS_TEST_EXPECT_MSG_EQ(plan.GetPeer(1, 0), 2, "peer");
        NS_TEST_EXPECT_MSG_EQ(plan.GetHostRate(3), 400000000000, "NIC rate");

        // Switch numbers over two lines with a trailing blank; no switch at all; no end of line.
        std::istringstream lines("3 2 2\n1 \n2\n0 1 1Gbps 1us 0\n1 2 1Gbps 1us 0");
        NS_TEST_EXPECT_MSG_EQ(reader.Read(lines, "t"), true, reader.GetError());
        std::istringstream direct("2 0 1\n\n0 1 1Gbps 1us 0\n");
        NS_TEST_EXPECT_MSG_EQ(reader.Read(direct, "t"), true, reader.GetError());

        const std::vector<Refusal> refusals{
            {"", "t:0: the file is empty"},
            {"4 1\n", "t:1: expected the three numbers"},
            {"144 8 4 24 192 A100\n", "t:1: expected the three numbers"},
            {"4 x 3\n", "t:1: number of switches 'x'"},
            {"-4 1 3\n", "t:1: number of nodes '-4'"},
            {"99999999999999999999 1 3\n", "t:1: number of nodes '99999999999999999999'"},
            {"4000000000 1 3\n", "is larger than 16000000"},
            {"1 1 0\n0\n", "leave no host"},
            {"3 1 2\n", "t:1: the file ends after 0 of 1 announced switch numbers"},
            {"3 1 2\n1 2\n", "t:2: more switch numbers than the 1 announced"},
            {"4 2 3\n2 2\n", "t:2: switch 2 is listed twice"},
            {"3 1 2\n7\n", "t:2: switch number 7 is larger than 2"},
            {"3 1 2\n2\n0 2 1Gbps 1us 0\n", "t:3: the file ends after 1 of 2 announced links"},
            {"3 1 2\n2\n0 2 1Gbps 1us\n", "t:3: expected a link"},
            {"3 1 2\n2\n0 2 1Gbps 1us 0 0\n", "found 6 fields"},
            {"3 1 2\n2\n0 9 1Gbps 1us 0\n", "t:3: node 9 is larger than 2"},
            {"3 1 2\n2\n2 2 1Gbps 1us 0\n", "t:3: link from node 2 to itself"},
            {"3 1 2\n2\n0 2 100 1us 0\n", "t:3: rate '100'"},
            {"3 1 2\n2\n0 2 0Gbps 1us 0\n", "t:3: rate '0Gbps'"},
            {"3 1 2\n2\n0 2 1Gbps 1000 0\n", "t:3: delay '1000'"},
            {"3 1 2\n2\n0 2 1Gbps -1us 0\n", "t:3: delay '-1us'"},
            {"3 1 2\n2\n0 2 1Gbps 1us -0.1\n", "t:3: error rate '-0.1'"},
            {"3 1 2\n2\n0 2 1Gbps 1us nan\n", "t:3: error rate 'nan'"},
            {"3 1 2\n2\n0 2 1Gbps 1us 1\n", "t:3: error rate 1 is a probability"},
            {"3 1 1\n2\n0 2 1Gbps 1us 0\n", "t:3: host 1 has no link"},
            {"4 0 2\n0 1 1Gbps 1us 0\n2 3 1Gbps 1us 0\n", "host 2 cannot be reached from host 0"}};
        for (const auto& [text, error] : refusals)
        {
            std::istringstream stream(text);
            NS_TEST_EXPECT_MSG_EQ(reader.Read(stream, "t"), false, "accepted: " << text);
            NS_TEST_EXPECT_MSG_NE(reader.GetError().find(error),
                                  std::string::npos,
                                  "'" << reader.GetError() << "' does not say '" << error << "'");
        }
        NS_TEST_EXPECT_MSG_EQ(reader.ReadFile("no-such-file"), false, "missing file");
        NS_TEST_EXPECT_MSG_EQ(reader.GetError(), "no-such-file: cannot be opened", "missing file");
    }
};

/**
 * @ingroup roce-tests
 * @brief Flow files.
 */
class RoceFlowReaderTestCase : public TestCase
{
  public:
    RoceFlowReaderTestCase()
        : TestCase("flow files")
    {
    }

  private:
    void DoRun() override
    {
        const RoceTopology plan = RoceTopology::Star(4, 100'000'000'000, 1'000'000);
        RoceFlowReader reader;
        // HPCC: not sorted, beyond 32 bits, more text after the announced flows.
        std::istringstream hpcc("2\r\n0 2 3 100 4294971392 2.5\r\n1 2 4 100 7 2\r\n3 2 3 100 9 "
                                "2\r\n\r\nPlease order the flows!\r\n");
        NS_TEST_ASSERT_MSG_EQ(reader.Read(hpcc, "f", plan), true, reader.GetError());
        NS_TEST_ASSERT_MSG_EQ(reader.GetFlows().size(), 2, "announced flows only");
        const RoceFlow& flow = reader.GetFlows().at(0);
        NS_TEST_EXPECT_MSG_EQ(flow.source, 0, "source");
        NS_TEST_EXPECT_MSG_EQ(flow.destination, 2, "destination");
        NS_TEST_EXPECT_MSG_EQ(+flow.trafficClass, 3, "class");
        NS_TEST_EXPECT_MSG_EQ(flow.bytes, 4294971392, "64-bit size");
        NS_TEST_EXPECT_MSG_EQ(flow.start, 2'500'000'000'000, "start");
        NS_TEST_EXPECT_MSG_EQ(reader.GetFlows().at(1).id, 1, "numbered in the order of the file");
        NS_TEST_EXPECT_MSG_EQ(+reader.GetFlows().at(1).trafficClass, 4, "class");

        // ConWeave: no port.
        std::istringstream conweave("1\n3 1 3 1000000 2.000000577");
        NS_TEST_ASSERT_MSG_EQ(reader.Read(conweave, "f", plan), true, reader.GetError());
        NS_TEST_EXPECT_MSG_EQ(reader.GetFlows().at(0).bytes, 1000000, "size");
        NS_TEST_EXPECT_MSG_EQ(reader.GetFlows().at(0).start, 2'000'000'577'000, "start");

        std::istringstream none("0\n");
        NS_TEST_EXPECT_MSG_EQ(reader.Read(none, "f", plan), true, reader.GetError());

        const std::vector<Refusal> refusals{
            {"", "f:0: the file is empty"},
            {"0 1 3 100 1000 2\n", "f:1: expected the number of flows alone, found 6 fields"},
            {"-1\n", "f:1: number of flows '-1'"},
            {"2\n2\n0 1 3 100 10 2\n", "f:2: expected a flow"},
            {"2\n0 1 3 100 10 2\n", "f:2: the file ends after 1 of 2 announced flows"},
            {"1\n0 1 3 100\n", "f:2: expected a flow"},
            {"2\n0 1 3 100 10 2\n0 1 3 10 2\n", "f:3: found 5 fields after flows of 6 fields"},
            {"1\n0 9 3 100 10 2\n", "f:2: destination 9 does not exist: the topology has 5 nodes"},
            {"1\n4 1 3 100 10 2\n", "f:2: source 4 is a switch"},
            {"1\n1 1 3 100 10 2\n", "f:2: flow from host 1 to itself"},
            {"1\n0 1 8 100 10 2\n", "f:2: traffic class (pg) 8 is larger than 7"},
            {"1\n0 1 3 65536 10 2\n", "f:2: destination port 65536"},
            {"1\n0 1 3 100 -10 2\n", "f:2: size '-10'"},
            {"1\n0 1 3 100 1.5 2\n", "f:2: size '1.5'"},
            {"1\n0 1 3 100 99999999999999999999 2\n", "f:2: size '99999999999999999999'"},
            {"1\n0 1 3 100 10 -2\n", "f:2: start '-2'"},
            {"1\n0 1 3 100 10 now\n", "f:2: start 'now'"},
            {"1\n0 1 3 100 10 1e9\n", "f:2: start '1e9'"}};
        for (const auto& [text, error] : refusals)
        {
            std::istringstream stream(text);
            NS_TEST_EXPECT_MSG_EQ(reader.Read(stream, "f", plan), false, "accepted: " << text);
            NS_TEST_EXPECT_MSG_NE(reader.GetError().find(error),
                                  std::string::npos,
                                  "'" << reader.GetError() << "' does not say '" << error << "'");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief Size distributions.
 */
class RoceSizeDistributionTestCase : public TestCase
{
  public:
    RoceSizeDistributionTestCase()
        : TestCase("size distribution files")
    {
    }

  private:
    void DoRun() override
    {
        RoceSizeDistribution sizes;
        std::istringstream integers("0 0\n1000 50\n3000 100\n");
        NS_TEST_ASSERT_MSG_EQ(sizes.Read(integers, "c"), true, sizes.GetError());
        // Half of the flows average 500 bytes, half 2000.
        NS_TEST_EXPECT_MSG_EQ_TOL(sizes.GetMean(), 1250, 1e-9, "mean of a piecewise linear CDF");
        NS_TEST_EXPECT_MSG_EQ(sizes.GetSize(0), 1, "never less than a byte");
        NS_TEST_EXPECT_MSG_EQ(sizes.GetSize(25), 500, "interpolated");
        NS_TEST_EXPECT_MSG_EQ(sizes.GetSize(50), 1000, "at a point");
        NS_TEST_EXPECT_MSG_EQ(sizes.GetSize(75), 2000, "interpolated");
        NS_TEST_EXPECT_MSG_EQ(sizes.GetSize(100), 3000, "largest");

        // Decimals, a step (two points at one size) and a first point above zero.
        std::istringstream decimals("100 20.0\n100 30.5\n200 100.0");
        NS_TEST_ASSERT_MSG_EQ(sizes.Read(decimals, "c"), true, sizes.GetError());
        NS_TEST_EXPECT_MSG_EQ(sizes.GetSize(10), 100, "below the first point");
        NS_TEST_EXPECT_MSG_EQ(sizes.GetSize(25), 100, "inside the step");
        NS_TEST_EXPECT_MSG_EQ_TOL(sizes.GetMean(),
                                  0.305 * 100 + 0.695 * 150,
                                  1e-9,
                                  "mean with a step");

        const std::vector<Refusal> refusals{
            {"", "c:0: the file is empty"},
            {"0 0\n1000\n", "c:2: expected 'bytes percent', found 1 field"},
            {"0 0\n1000 50 7\n", "c:2: expected 'bytes percent', found 3 fields"},
            {"0 0\nx 100\n", "c:2: size 'x'"},
            {"0 0\n1000 -1\n", "c:2: percentage '-1'"},
            {"0 0\n1000 101\n", "c:2: percentage 101 is above 100"},
            {"0 0\n1000 60\n2000 50\n3000 100\n", "c:3: percentage 50 is below"},
            {"0 0\n1000 60\n500 100\n", "c:3: size 500 is below"},
            {"0 0\n1000 99\n", "c:2: the last percentage must be 100"},
            {"0 0\n1000 1\n", "not a fraction"},
            {"0 0\n0 100\n", "c:2: all sizes are 0"},
            {"0 0\n1e99 100\n", "c:2: size 1e99 is above"}};
        for (const auto& [text, error] : refusals)
        {
            std::istringstream stream(text);
            NS_TEST_EXPECT_MSG_EQ(sizes.Read(stream, "c"), false, "accepted: " << text);
            NS_TEST_EXPECT_MSG_NE(sizes.GetError().find(error),
                                  std::string::npos,
                                  "'" << sizes.GetError() << "' does not say '" << error << "'");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief Descriptions such as "star:16" and "incast:15:1MB".
 */
class RoceExperimentSpecTestCase : public TestCase
{
  public:
    RoceExperimentSpecTestCase()
        : TestCase("descriptions of networks and workloads")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t RATE = 100'000'000'000;
        constexpr RocePs DELAY = 1'000'000;
        const RoceFlowGenerator generator;
        RoceExperimentSpec spec;
        NS_TEST_ASSERT_MSG_EQ(spec.ReadTopology("leaf-spine:8x4x8", RATE, DELAY), true, "W2");
        NS_TEST_EXPECT_MSG_EQ(spec.GetTopology().GetHosts().size(), 64, "8 leaves of 8 hosts");
        NS_TEST_EXPECT_MSG_EQ(spec.GetTopology().GetSwitches().size(), 12, "8 leaves, 4 spines");
        NS_TEST_ASSERT_MSG_EQ(spec.ReadFlows("permutation:1MiB", generator), true, spec.GetError());
        NS_TEST_EXPECT_MSG_EQ(spec.GetFlows().size(), 64, "one per host");
        NS_TEST_EXPECT_MSG_EQ(spec.GetFlows().at(5).bytes, 1048576, "size");
        NS_TEST_ASSERT_MSG_EQ(spec.ReadTopology("star:17", RATE, DELAY), true, spec.GetError());
        NS_TEST_ASSERT_MSG_EQ(spec.ReadFlows("incast:16:10MB", generator), true, spec.GetError());
        NS_TEST_EXPECT_MSG_EQ(spec.GetFlows().size(), 16, "one per sender");
        NS_TEST_EXPECT_MSG_EQ(spec.GetFlows().at(0).destination, 0, "to host 0");
        NS_TEST_EXPECT_MSG_EQ(spec.GetFlows().at(15).source, 16, "from hosts 1 to 16");

        for (const char* bad : {"star:",
                                "star:0",
                                "star:-1",
                                "star:4x4",
                                "star:99999999999",
                                "leaf-spine:8x4",
                                "leaf-spine:8x4x8x1",
                                "leaf-spine:8x0x8",
                                "leaf-spine:16000x16000x16000",
                                "fat-tree:3",
                                "fat-tree:258",
                                "fat-tree:4:4"})
        {
            NS_TEST_EXPECT_MSG_EQ(spec.ReadTopology(bad, RATE, DELAY), false, bad);
            NS_TEST_EXPECT_MSG_NE(spec.GetError().find("expected star:N"), std::string::npos, bad);
        }
        NS_TEST_EXPECT_MSG_EQ(spec.ReadTopology("ring:4", RATE, DELAY), false, "unknown");
        NS_TEST_EXPECT_MSG_EQ(spec.GetError(), "ring:4: cannot be opened", "taken for a file");

        NS_TEST_ASSERT_MSG_EQ(spec.ReadTopology("star:4", RATE, DELAY), true, spec.GetError());
        for (const char* bad : {"incast:3",
                                "incast:0:1MB",
                                "incast:3:1",
                                "incast:3:1:1",
                                "incast:3:-1",
                                "incast:3:1XB",
                                "permutation:",
                                "permutation:1MB:2",
                                "poisson:f:0.3",
                                "poisson:f:0:1ms",
                                "poisson:f:101%:1ms",
                                "poisson:f:0.3:1",
                                "poisson:f:-1:1ms"})
        {
            const bool good = std::string(bad) == "incast:3:1";
            NS_TEST_EXPECT_MSG_EQ(spec.ReadFlows(bad, generator), good, bad);
        }
        NS_TEST_EXPECT_MSG_EQ(spec.ReadFlows("incast:4:1MB", generator), false, "one host too few");
        NS_TEST_EXPECT_MSG_NE(spec.GetError().find("more than the 4 hosts"),
                              std::string::npos,
                              spec.GetError());
        NS_TEST_EXPECT_MSG_EQ(spec.ReadFlows("poisson:no-such-file:30%:1ms", generator),
                              false,
                              "missing distribution");
        NS_TEST_EXPECT_MSG_EQ(spec.GetError(), "no-such-file: cannot be opened", "missing file");
    }
};

/**
 * @ingroup roce-tests
 * @brief Files and descriptions of experiments.
 */
class RoceExperimentFilesTestSuite : public TestSuite
{
  public:
    RoceExperimentFilesTestSuite()
        : TestSuite("roce-experiment-files", Type::UNIT)
    {
        AddTestCase(new RoceTextInputTestCase());
        AddTestCase(new RoceTopologyReaderTestCase());
        AddTestCase(new RoceFlowReaderTestCase());
        AddTestCase(new RoceSizeDistributionTestCase());
        AddTestCase(new RoceExperimentSpecTestCase());
    }
};

RoceExperimentFilesTestSuite g_roceExperimentFilesTestSuite; //!< registers the suite

} // namespace
