/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-engine.h"
#include "ns3/rdma-nic-preset.h"
#include "ns3/rdma-perftest.h"
#include "ns3/roce-perftest-bench.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief Bandwidth of large WRITEs, SENDs and READs is payload / (payload + 82) of the line rate.
 *
 * 82 bytes: Ethernet header 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, preamble 8, gap 12. With
 * messages of 2 MiB, RETH (16 B) and AETH (4 B) of first and last packets are below 0.001 %, and
 * the way of the last packet and its acknowledgment (below 0.7 us) is 0.05 % of the 1.3 ms or more
 * that 16 MiB take at 100 Gb/s.
 */
class RocePerftestBandwidthTestCase : public TestCase
{
  public:
    /**
     * @param test name of the test
     * @param mtu path MTU, bytes
     * @param hops switches between the hosts
     */
    RocePerftestBandwidthTestCase(const std::string& test, uint32_t mtu, uint32_t hops)
        : TestCase(test + ", path MTU " + std::to_string(mtu) + ", switches " +
                   std::to_string(hops)),
          m_test(test),
          m_mtu(mtu),
          m_hops(hops)
    {
    }

  private:
    void DoRun() override
    {
        RocePerftestBench::Config config;
        config.test = m_test;
        config.mtu = m_mtu;
        config.hops = m_hops;
        config.iterations = 8;
        RocePerftestBench bench(config);
        const auto result = bench.MeasureBandwidth(2 << 20);
        const double expected = 100e9 * m_mtu / (m_mtu + 82);
        NS_TEST_EXPECT_MSG_EQ(result.iterations, 8, "messages");
        NS_TEST_EXPECT_MSG_EQ_TOL(result.average, expected, expected * 1e-3, "average, bit/s");
        NS_TEST_EXPECT_MSG_EQ_TOL(result.messageRate,
                                  result.average / 8 / (2 << 20),
                                  1,
                                  "messages per second");
        NS_TEST_EXPECT_MSG_EQ((result.peak >= result.average), true, "peak is not below average");
        NS_TEST_EXPECT_MSG_EQ((result.peak <= 100e9), true, "peak is not above the line rate");
        Simulator::Destroy();
    }

    std::string m_test; //!< name of the test
    uint32_t m_mtu;     //!< path MTU, bytes
    uint32_t m_hops;    //!< switches between the hosts
};

/**
 * @ingroup roce-tests
 * @brief Latency is the sum of its documented parts, to the nanosecond.
 *
 * One byte takes 1 ns at 8 Gb/s, so that everything happens on ticks of 1 ns; the script
 * test/check-perftest.py has the same sums at other rates and a resolution of 1 ps. A frame of F
 * bytes has arrived F + 8 ns + delay after its start, and each switch stores and forwards it. F is
 * 62 B of headers and FCS (see the bandwidth test), the extension header (RETH 16, AETH 4,
 * AtomicETH 28, AETH and AtomicAckETH 12) and the payload, padded to a multiple of four. Parts of
 * the NICs: doorbell (d), send (s), fetch (f), receive (r).
 *
 * WRITE and SEND, half of a round trip:
 *
 *     max(d + s + f, 86 ns) + (n + 1) (F + 8 ns + delay) + n t + r
 *
 * The acknowledgment of the ping (66 B, with preamble and gap 86 B) leaves at the arrival of the
 * ping, so the pong waits for it if the NIC is faster. No such thing precedes the first ping, so
 * the smallest sample is half of that wait below. f is 0 for inline messages, here up to 220 B.
 * READ and atomic, request F and response G, all of the round trip:
 *
 *     d + s + f' + (n + 1) (F + G + 16 ns + 2 delay) + 2 n t + 2 r + s
 *
 * where f' = f is the fetch of the responder.
 */
class RocePerftestLatencyTestCase : public TestCase
{
  public:
    /**
     * @param test name of the test
     * @param size message length, bytes; one packet
     * @param hops switches between the hosts
     * @param preset NIC delays
     */
    RocePerftestLatencyTestCase(const std::string& test,
                                uint64_t size,
                                uint32_t hops,
                                const std::string& preset)
        : TestCase(test + " of " + std::to_string(size) + " B, switches " + std::to_string(hops) +
                   ", NIC delays " + preset),
          m_test(test),
          m_size(size),
          m_hops(hops),
          m_preset(preset)
    {
    }

  private:
    void DoRun() override
    {
        constexpr RocePs BYTE = 1000;
        constexpr RocePs HEADERS = 62;
        RocePerftestBench::Config config;
        config.test = m_test;
        config.hops = m_hops;
        config.preset = m_preset;
        config.iterations = 100;
        config.rate = 8'000'000'000;
        config.delay = 15'000;        // 3 m of copper
        config.switchDelay = 300'000; // fast switches
        RocePerftestBench bench(config);
        const auto result = bench.MeasureLatency(m_size);

        const bool typical = m_preset == "typical";
        const RocePs doorbell = typical ? 150'000 : 0;
        const RocePs send = typical ? 250'000 : 0;
        const RocePs fetch = typical ? 400'000 : 0;
        const RocePs receive = typical ? 450'000 : 0;
        const auto padded = static_cast<RocePs>((m_size + 3) / 4 * 4);
        const auto way = [&](RocePs frame) {
            return (m_hops + 1) * ((frame + 8) * BYTE + config.delay) +
                   m_hops * config.switchDelay + receive;
        };
        RocePs expected;
        RocePs first;
        if (m_test == "write_lat" || m_test == "send_lat")
        {
            const RocePs start = doorbell + send + (m_size > 220 ? fetch : 0);
            const RocePs wait = std::max(start, 86 * BYTE);
            const RocePs flight = way(HEADERS + padded + (m_test == "write_lat" ? 16 : 0));
            expected = wait + flight;
            first = (start + flight + wait + flight) / 2;
        }
        else
        {
            const bool isRead = m_test == "read_lat";
            expected = doorbell + send + way(HEADERS + (isRead ? 16 : 28)) + send + fetch +
                       way(HEADERS + (isRead ? 4 + padded : 12));
            first = expected;
        }
        NS_TEST_EXPECT_MSG_EQ(result.iterations, 100, "samples");
        NS_TEST_EXPECT_MSG_EQ(result.typical, expected, "typical, ps");
        NS_TEST_EXPECT_MSG_EQ(result.minimum, first, "minimum, ps");
        NS_TEST_EXPECT_MSG_EQ(result.maximum, expected, "maximum, ps");
        NS_TEST_EXPECT_MSG_EQ(result.percentile99, expected, "99 %, ps");
        Simulator::Destroy();
    }

    std::string m_test;   //!< name of the test
    uint64_t m_size;      //!< message length, bytes
    uint32_t m_hops;      //!< switches between the hosts
    std::string m_preset; //!< NIC delays
};

/**
 * @ingroup roce-tests
 * @brief The preset `typical` gives what is measured on hardware: 0.8 to 1.1 us for a WRITE of 2
 * bytes and 1.6 to 2.1 us for a READ, back to back over 2 m of cable.
 */
class RocePerftestPresetTestCase : public TestCase
{
  public:
    RocePerftestPresetTestCase()
        : TestCase("latency with typical NIC delays")
    {
    }

  private:
    /**
     * @param test name of the test
     * @return typical latency, microseconds
     */
    static double Measure(const std::string& test)
    {
        RocePerftestBench::Config config;
        config.test = test;
        config.iterations = 10;
        config.preset = "typical";
        RocePerftestBench bench(config);
        const double latency = static_cast<double>(bench.MeasureLatency(2).typical) / 1e6;
        Simulator::Destroy();
        return latency;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(Measure("write_lat"), 0.95, 0.15, "WRITE, us");
        NS_TEST_EXPECT_MSG_EQ_TOL(Measure("send_lat"), 0.95, 0.15, "SEND, us");
        NS_TEST_EXPECT_MSG_EQ_TOL(Measure("read_lat"), 1.85, 0.25, "READ, us");
        NS_TEST_EXPECT_MSG_EQ_TOL(Measure("atomic_lat"), 1.85, 0.25, "atomic, us");
    }
};

/**
 * @ingroup roce-tests
 * @brief Statistics of samples, and the depth of the send queue.
 */
class RocePerftestStatisticsTestCase : public TestCase
{
  public:
    RocePerftestStatisticsTestCase()
        : TestCase("statistics, depth, post list, tables")
    {
    }

  private:
    void DoRun() override
    {
        // 1 ... 1000: median 501 (the upper one), mean 500.5, variance (n^2 - 1) / 12 = 83333.25.
        std::vector<RocePs> samples;
        for (RocePs i = 1000; i >= 1; i--)
        {
            samples.push_back(i);
        }
        const RdmaPerftest::Latency result = RdmaPerftest::Summarize(samples);
        NS_TEST_EXPECT_MSG_EQ(result.minimum, 1, "minimum");
        NS_TEST_EXPECT_MSG_EQ(result.maximum, 1000, "maximum");
        NS_TEST_EXPECT_MSG_EQ(result.typical, 501, "median");
        NS_TEST_EXPECT_MSG_EQ_TOL(result.average, 500.5, 1e-9, "mean");
        NS_TEST_EXPECT_MSG_EQ_TOL(result.deviation, 288.67499, 1e-4, "standard deviation");
        NS_TEST_EXPECT_MSG_EQ(result.percentile99, 990, "99 %");
        NS_TEST_EXPECT_MSG_EQ(result.percentile999, 999, "99.9 %");
        NS_TEST_EXPECT_MSG_EQ(RdmaPerftest::Summarize({7}).percentile99, 7, "one sample");

        CheckDepth();
        CheckTables();
    }

    /**
     * With one request at a time each WRITE of 4096 B waits for its acknowledgment. Period at
     * 8 Gb/s: 4174 + 8 + 66 + 8 ns + 2 x 10 us; so two queue pairs that work side by side have at
     * most the double rate of one.
     */
    void CheckDepth()
    {
        RocePerftestBench::Config config;
        config.rate = 8'000'000'000;
        config.delay = 10'000'000;
        config.iterations = 8;
        config.txDepth = 1;
        RocePerftestBench bench(config);
        const double period = (4174 + 8 + 66 + 8 + 20'000) * 1e-9;
        const auto one = bench.MeasureBandwidth(4096);
        NS_TEST_EXPECT_MSG_EQ_TOL(one.messageRate, 1 / period, 1, "one at a time");
        Simulator::Destroy();

        config.queuePairs = 2;
        RocePerftestBench two(config);
        const auto both = two.MeasureBandwidth(4096);
        NS_TEST_EXPECT_MSG_EQ(both.iterations, 16, "messages of both queue pairs");
        NS_TEST_EXPECT_MSG_EQ((both.messageRate > 1.7 / period), true, "two at a time");
        NS_TEST_EXPECT_MSG_EQ((both.messageRate <= 2 / period), true, "not more than two");
        NS_TEST_EXPECT_MSG_EQ(two.GetQueuePairs().size(), 2, "queue pairs");
        Simulator::Destroy();

        // Pairs of requests: the second of each starts with the first, so the rate is nearly
        // double.
        config.queuePairs = 1;
        config.txDepth = 2;
        config.postList = 2;
        RocePerftestBench lists(config);
        const auto list = lists.MeasureBandwidth(4096);
        const double pair = period + (4174 + 20) * 1e-9;
        NS_TEST_EXPECT_MSG_EQ_TOL(list.messageRate, 2 / pair, 1, "two per period");
        Simulator::Destroy();
    }

    /// Titles and rows have as many columns as those of perftest.
    void CheckTables()
    {
        for (const std::string& test : RocePerftestBench::GetTests())
        {
            RocePerftestBench::Config config;
            config.test = test;
            config.iterations = 3;
            RocePerftestBench bench(config);
            std::ostringstream title;
            std::ostringstream row;
            bench.PrintHeader(title);
            NS_TEST_EXPECT_MSG_EQ(bench.Measure(64, row), "", test);
            std::istringstream words(row.str());
            std::vector<double> values;
            for (double value = 0; words >> value;)
            {
                values.push_back(value);
            }
            NS_TEST_ASSERT_MSG_EQ(values.size(), (bench.IsLatency() ? 9 : 5), test + ": columns");
            NS_TEST_EXPECT_MSG_EQ(values[0], (test.find("atomic") == 0 ? 8 : 64), test + ": bytes");
            NS_TEST_EXPECT_MSG_EQ(values[1], 3, test + ": iterations");
            NS_TEST_EXPECT_MSG_EQ((title.str().find("#bytes") != std::string::npos),
                                  true,
                                  test + ": title");
            Simulator::Destroy();
        }
        RocePerftestBench::Config config;
        RocePerftestBench bench(config);
        const auto sizes = bench.GetAllSizes();
        NS_TEST_EXPECT_MSG_EQ(sizes.size(), 23, "2^1 ... 2^23");
        NS_TEST_EXPECT_MSG_EQ(sizes.front(), 2, "first");
        NS_TEST_EXPECT_MSG_EQ(sizes.back(), 8 << 20, "last");
        NS_TEST_EXPECT_MSG_EQ(bench.GetIterations(2), 5000, "small messages");
        NS_TEST_EXPECT_MSG_EQ(bench.GetIterations(8 << 20), 8, "large messages");
        Simulator::Destroy();
    }
};

/**
 * @ingroup roce-tests
 * @brief The perftest programs on simulated hosts.
 */
class RocePerftestTestSuite : public TestSuite
{
  public:
    RocePerftestTestSuite()
        : TestSuite("roce-perftest", Type::SYSTEM)
    {
        for (const uint32_t mtu : {256, 512, 1024, 2048, 4096})
        {
            AddTestCase(new RocePerftestBandwidthTestCase("write_bw", mtu, 0));
        }
        AddTestCase(new RocePerftestBandwidthTestCase("send_bw", 1024, 1));
        AddTestCase(new RocePerftestBandwidthTestCase("read_bw", 1024, 0));
        AddTestCase(new RocePerftestBandwidthTestCase("read_bw", 4096, 1));
        for (const char* preset : {"none", "typical"})
        {
            for (const uint32_t hops : {0, 1, 3})
            {
                AddTestCase(new RocePerftestLatencyTestCase("write_lat", 2, hops, preset));
                AddTestCase(new RocePerftestLatencyTestCase("write_lat", 4096, hops, preset));
                AddTestCase(new RocePerftestLatencyTestCase("send_lat", 64, hops, preset));
                AddTestCase(new RocePerftestLatencyTestCase("read_lat", 2, hops, preset));
                AddTestCase(new RocePerftestLatencyTestCase("atomic_lat", 8, hops, preset));
            }
        }
        AddTestCase(new RocePerftestPresetTestCase);
        AddTestCase(new RocePerftestStatisticsTestCase);
    }
};

RocePerftestTestSuite g_rocePerftestTestSuite; //!< registers the suite

} // namespace
