/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-test-file.h"

#include "ns3/roce-csv-file.h"
#include "ns3/roce-flow-recorder.h"
#include "ns3/roce-json-file.h"
#include "ns3/roce-pfc-recorder.h"
#include "ns3/roce-queue-recorder.h"
#include "ns3/roce-slowdown-statistics.h"
#include "ns3/test.h"

#include <cmath>
#include <string>

/**
 * @file
 * @ingroup roce-tests
 * What recorders write into result files.
 */

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief flows.csv and exact times.
 */
class RoceFlowRecorderTestCase : public TestCase
{
  public:
    RoceFlowRecorderTestCase()
        : TestCase("flow rows")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(RoceCsvFile::FormatSeconds(0), "0.000000000000", "zero");
        NS_TEST_EXPECT_MSG_EQ(RoceCsvFile::FormatSeconds(2'000'000'577'001),
                              "2.000000577001",
                              "a picosecond after two seconds");
        const std::string path = CreateTempDirFilename("flows.csv");
        RoceFlow flow;
        flow.id = 7;
        flow.source = 1;
        flow.destination = 2;
        flow.bytes = 4294971392;
        flow.start = 2'000'000'000'000;
        RoceFlowRecorder::Outcome outcome;
        outcome.end = 2'000'150'000'000;
        outcome.idealFct = 100'000'000;
        outcome.packets = 12;
        outcome.retransmittedPackets = 2;
        outcome.congestionSignals = 3;
        outcome.status = "SUCCESS";
        RoceFlowRecorder recorder(path);
        recorder.Record(flow, outcome);
        // The file is complete while the recorder still lives: a run may be killed.
        NS_TEST_EXPECT_MSG_EQ(ReadAll(path),
                              "id,src,dst,class,bytes,start_s,end_s,fct_s,ideal_fct_s,slowdown,"
                              "packets,retransmitted_packets,congestion_signals,status\n"
                              "7,1,2,3,4294971392,2.000000000000,2.000150000000,0.000150000000,"
                              "0.000100000000,1.5,12,2,3,SUCCESS\n",
                              "header and row");
    }
};

/**
 * @ingroup roce-tests
 * @brief queues.csv.
 */
class RoceQueueRecorderTestCase : public TestCase
{
  public:
    RoceQueueRecorderTestCase()
        : TestCase("queue depth rows")
    {
    }

  private:
    void DoRun() override
    {
        const std::string path = CreateTempDirFilename("queues.csv");
        RoceQueueRecorder recorder(path, 10'000'000, 1000); // 10 us, more than 1000 bytes
        const uint32_t a = recorder.AddQueue(5, 1, 3);
        const uint32_t b = recorder.AddQueue(5, 2, 3);
        NS_TEST_EXPECT_MSG_EQ(recorder.IsEnabled(), true, "recording");
        recorder.Record(a, 1000, 1'000'000); // never above 1000: no row
        recorder.Record(a, 0, 2'000'000);
        recorder.Record(a, 3000, 11'000'000); // interval 1: up to 5000, 2000 at the end
        recorder.Record(a, 5000, 12'000'000);
        recorder.Record(a, 2000, 19'999'999);
        recorder.Record(b, 9000, 20'000'000); // another queue, not mixed up
        recorder.Record(a, 1500, 45'000'000); // interval 4 starts with the 2000 of before
        recorder.Record(a, 500, 51'000'000);  // interval 5 starts with 1500
        recorder.Record(a, 0, 61'000'000);    // interval 6: never above 1000, one row to say so
        recorder.Record(a, 600, 71'000'000);  // interval 7: still not, no row
        recorder.Finish();
        NS_TEST_EXPECT_MSG_EQ(ReadAll(path),
                              "time_s,node,port,class,max_bytes,bytes\n"
                              "0.000010000000,5,1,3,5000,2000\n"
                              "0.000040000000,5,1,3,2000,1500\n"
                              "0.000050000000,5,1,3,1500,500\n"
                              "0.000060000000,5,1,3,500,0\n"
                              "0.000020000000,5,2,3,9000,9000\n",
                              "rows");

        const std::string off = CreateTempDirFilename("off.csv");
        RoceQueueRecorder none(off, 0, 0);
        none.Record(none.AddQueue(1, 1, 1), 100000, 1);
        none.Finish();
        NS_TEST_EXPECT_MSG_EQ(none.IsEnabled(), false, "interval 0");
        NS_TEST_EXPECT_MSG_EQ(ReadAll(off), "time_s,node,port,class,max_bytes,bytes\n", "no rows");
    }
};

/**
 * @ingroup roce-tests
 * @brief pfc.csv.
 */
class RocePfcRecorderTestCase : public TestCase
{
  public:
    RocePfcRecorderTestCase()
        : TestCase("pause rows")
    {
    }

  private:
    void DoRun() override
    {
        const std::string path = CreateTempDirFilename("pfc.csv");
        RocePfcRecorder recorder(path);
        recorder.Record(9, 0, 3, true, 335'539'200, 1'000'000);
        recorder.Record(1, 0, 3, false, 335'539'200, 2'006'720);
        recorder.Record(9, 0, 3, true, 0, 3'000'000);
        recorder.Flush();
        NS_TEST_EXPECT_MSG_EQ(recorder.GetXoffSent(), 1, "resume requests are not counted");
        NS_TEST_EXPECT_MSG_EQ(ReadAll(path),
                              "time_s,node,port,class,event,pause_s\n"
                              "0.000001000000,9,0,3,xoff_sent,0.000335539200\n"
                              "0.000002006720,1,0,3,xoff_received,0.000335539200\n"
                              "0.000003000000,9,0,3,xon_sent,0.000000000000\n",
                              "rows");
    }
};

/**
 * @ingroup roce-tests
 * @brief Percentiles.
 */
class RoceSlowdownStatisticsTestCase : public TestCase
{
  public:
    RoceSlowdownStatisticsTestCase()
        : TestCase("slowdown percentiles")
    {
    }

  private:
    void DoRun() override
    {
        RoceSlowdownStatistics statistics;
        NS_TEST_EXPECT_MSG_EQ(statistics.GetResult().flows, 0, "empty");
        for (int i = 101; i >= 1; i--)
        {
            statistics.Add(i <= 50 ? 1000 : 2000, i);
        }
        // 1, 2, ... 101: the percentile p is 1 + p, as numpy.percentile says.
        const RoceSlowdownStatistics::Result all = statistics.GetResult();
        NS_TEST_EXPECT_MSG_EQ(all.flows, 101, "flows");
        NS_TEST_EXPECT_MSG_EQ_TOL(all.mean, 51, 1e-9, "mean");
        NS_TEST_EXPECT_MSG_EQ_TOL(all.p50, 51, 1e-9, "p50");
        NS_TEST_EXPECT_MSG_EQ_TOL(all.p95, 96, 1e-9, "p95");
        NS_TEST_EXPECT_MSG_EQ_TOL(all.p99, 100, 1e-9, "p99");
        NS_TEST_EXPECT_MSG_EQ_TOL(all.maximum, 101, 1e-9, "maximum");
        // 1 ... 50: position 0.5 * 49 = 24.5, between 25 and 26; 0.95 * 49 = 46.55 from 1.
        const RoceSlowdownStatistics::Result small = statistics.GetResult(0, 2000);
        NS_TEST_EXPECT_MSG_EQ(small.flows, 50, "flows below 2000 bytes");
        NS_TEST_EXPECT_MSG_EQ_TOL(small.p50, 25.5, 1e-9, "p50");
        NS_TEST_EXPECT_MSG_EQ_TOL(small.p95, 47.55, 1e-9, "p95");
        NS_TEST_EXPECT_MSG_EQ(statistics.GetResult(2001, 9000).flows, 0, "no such flow");
    }
};

/**
 * @ingroup roce-tests
 * @brief JSON.
 */
class RoceJsonFileTestCase : public TestCase
{
  public:
    RoceJsonFileTestCase()
        : TestCase("summary text")
    {
    }

  private:
    void DoRun() override
    {
        RoceJsonFile json;
        json.AddInteger("big", 18446744073709551615U);
        json.Open("inner");
        json.AddDecimal("half", 0.5);
        json.AddDecimal("none", std::nan(""));
        json.Close();
        json.AddText("text", "a \"b\" \\ \n");
        NS_TEST_EXPECT_MSG_EQ(json.GetText(),
                              "{\n"
                              "  \"big\": 18446744073709551615,\n"
                              "  \"inner\": {\n"
                              "    \"half\": 0.5,\n"
                              "    \"none\": null\n"
                              "  },\n"
                              "  \"text\": \"a \\\"b\\\" \\\\ \\u000a\"\n"
                              "}\n",
                              "text");
        const std::string path = CreateTempDirFilename("summary.json");
        json.Write(path);
        NS_TEST_EXPECT_MSG_EQ(ReadAll(path), json.GetText(), "file");
    }
};

/**
 * @ingroup roce-tests
 * @brief Result files.
 */
class RoceRecorderTestSuite : public TestSuite
{
  public:
    RoceRecorderTestSuite()
        : TestSuite("roce-recorder", Type::UNIT)
    {
        AddTestCase(new RoceFlowRecorderTestCase());
        AddTestCase(new RoceQueueRecorderTestCase());
        AddTestCase(new RocePfcRecorderTestCase());
        AddTestCase(new RoceSlowdownStatisticsTestCase());
        AddTestCase(new RoceJsonFileTestCase());
    }
};

RoceRecorderTestSuite g_roceRecorderTestSuite; //!< registers the suite

} // namespace
