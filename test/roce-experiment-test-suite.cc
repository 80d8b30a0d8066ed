/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-test-file.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-experiment.h"
#include "ns3/roce-fat-tree-helper.h"
#include "ns3/roce-helper.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-switch.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup roce-tests
 * Networks made by helpers, and whole experiments.
 */

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @brief Leaf-spine and fat-tree helpers build what they say, and it carries traffic.
 */
class RoceFabricHelpersTestCase : public TestCase
{
  public:
    RoceFabricHelpersTestCase()
        : TestCase("leaf-spine and fat-tree helpers")
    {
    }

  private:
    /**
     * Send a message from one host to another.
     * @param roce what made the devices
     * @param a port of the sender
     * @param b port of the receiver
     * @return bytes that arrived
     */
    uint64_t Transfer(const RoceHelper& roce, Ptr<RoceNetDevice> a, Ptr<RoceNetDevice> b)
    {
        auto [sender, receiver] = roce.ConnectQueuePairs(a, b);
        sender->PostSend(RdmaWorkRequest::Write(100000));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sender->GetCounters().completed, 1, "completed");
        return receiver->GetCounters().bytesReceived;
    }

    void DoRun() override
    {
        {
            RoceHelper roce;
            RoceLeafSpineHelper fabric(3, 2, 4);
            fabric.SetHostLink(DataRate("25Gbps"), NanoSeconds(500));
            fabric.SetFabricLink(DataRate("400Gbps"), MicroSeconds(2));
            fabric.Install(roce);
            NS_TEST_EXPECT_MSG_EQ(fabric.GetNetwork().GetHosts().GetN(), 12, "hosts");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetNetwork().GetHostDevices().GetN(), 12, "NICs");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetNetwork().GetSwitches().GetN(), 5, "switches");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetLeaf(2)->GetNPorts(), 4 + 2, "ports of a leaf");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetSpine(1)->GetNPorts(), 3, "ports of a spine");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetLeaf(0)->GetPort(3)->GetBitRate(),
                                  25'000'000'000,
                                  "host link");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetLeaf(0)->GetPort(4)->GetBitRate(),
                                  400'000'000'000,
                                  "fabric link");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetLeaf(1)->GetPort(2)->GetLinkPeer(),
                                  fabric.GetHostDevice(1, 2),
                                  "host 2 of leaf 1");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetHost(1, 2),
                                  fabric.GetHostDevice(1, 2)->GetNode(),
                                  "host 2 of leaf 1");
            NS_TEST_EXPECT_MSG_EQ(
                Transfer(roce, fabric.GetHostDevice(0, 0), fabric.GetHostDevice(2, 3)),
                100000,
                "over a spine");
            // 98 packets went up one uplink or the other, none to the other leaf.
            NS_TEST_EXPECT_MSG_EQ(fabric.GetLeaf(0)->GetForwarded(), 98 * 2, "data and ACKs");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetLeaf(1)->GetForwarded(), 0, "not on the path");
            Simulator::Destroy();
        }
        {
            RoceHelper roce;
            RoceFatTreeHelper fabric(4);
            fabric.Install(roce);
            NS_TEST_EXPECT_MSG_EQ(fabric.GetNHosts(), 16, "k^3/4 hosts");
            for (uint32_t pod = 0; pod < 4; pod++)
            {
                for (uint32_t i = 0; i < 2; i++)
                {
                    NS_TEST_EXPECT_MSG_EQ(fabric.GetEdge(pod, i)->GetNPorts(), 4, "edge");
                    NS_TEST_EXPECT_MSG_EQ(fabric.GetAggregation(pod, i)->GetNPorts(), 4, "agg.");
                }
                NS_TEST_EXPECT_MSG_EQ(fabric.GetCore(pod)->GetNPorts(), 4, "core");
                // Port 2 of aggregation switch 1 leads to core 2, whose port pod leads back.
                NS_TEST_EXPECT_MSG_EQ(fabric.GetAggregation(pod, 1)->GetPort(2)->GetLinkPeer(),
                                      fabric.GetCore(2)->GetPort(pod),
                                      "core 2");
            }
            NS_TEST_EXPECT_MSG_EQ(Transfer(roce, fabric.GetHostDevice(0), fabric.GetHostDevice(15)),
                                  100000,
                                  "between pods");
            NS_TEST_EXPECT_MSG_EQ(Transfer(roce, fabric.GetHostDevice(4), fabric.GetHostDevice(5)),
                                  100000,
                                  "within a pod");
            Simulator::Destroy();
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief A flow that is alone takes exactly the ideal time.
 */
class RoceLoneFlowTestCase : public TestCase
{
  public:
    RoceLoneFlowTestCase()
        : TestCase("a lone flow has a slowdown of exactly 1")
    {
    }

  private:
    void DoRun() override
    {
        // Two switches in a row, every link different; the slowest first, in the middle, and last.
        // The default resolution of one nanosecond must not show. Without congestion control, since
        // a queue builds up in front of a slower link and would be marked.
        const std::vector<std::vector<std::string>> rates{{"100Gbps", "100Gbps", "100Gbps"},
                                                          {"40Gbps", "100Gbps", "400Gbps"},
                                                          {"400Gbps", "40Gbps", "100Gbps"},
                                                          {"400Gbps", "100Gbps", "40Gbps"}};
        const std::string directory = CreateTempDirFilename("lone");
        const std::string topology = CreateTempDirFilename("topology.txt");
        const std::string flows = CreateTempDirFilename("flows.txt");
        for (const std::vector<std::string>& rate : rates)
        {
            for (const char* bytes : {"0", "1", "1024", "1025", "3000", "1000000"})
            {
                std::ofstream(topology) << "4 2 3\n2 3\n0 2 " << rate[0] << " 1us 0\n2 3 "
                                        << rate[1] << " 777ns 0\n3 1 " << rate[2] << " 2us 0\n";
                std::ofstream(flows) << "1\n0 1 3 100 " << bytes << " 0.001\n";
                RoceExperiment::Config config;
                config.topology = topology;
                config.flows = flows;
                config.output = directory;
                config.congestionControl = "ns3::RdmaNoCongestionControl";
                RoceExperiment experiment(config);
                NS_TEST_ASSERT_MSG_EQ(experiment.Prepare(), true, experiment.GetError());
                Simulator::Run();
                const RoceExperiment::Result& result = experiment.Finish({});
                const RoceSlowdownStatistics::Result slowdown =
                    experiment.GetFlows().GetSlowdowns().GetResult();
                NS_TEST_EXPECT_MSG_EQ(slowdown.flows, 1, "completed");
                NS_TEST_EXPECT_MSG_EQ_TOL(slowdown.maximum,
                                          1,
                                          1e-4, // the completion is told in nanoseconds
                                          bytes << " bytes over " << rate[0] << ", " << rate[1]
                                                << ", " << rate[2]);
                NS_TEST_EXPECT_MSG_EQ(result.dropsLossless, 0, "no loss");
                Simulator::Destroy();
            }
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief The balance of flows, and the files of a run that was stopped.
 */
class RoceUnfinishedTestCase : public TestCase
{
  public:
    RoceUnfinishedTestCase()
        : TestCase("flows = completed + failed + unfinished")
    {
    }

  private:
    void DoRun() override
    {
        const std::string flows = CreateTempDirFilename("flows.txt");
        // Host 0 gets 1 kB at once and 1 GB that cannot end; one flow starts later than the end.
        std::ofstream(flows) << "3\n1 0 3 100 1000 0\n2 0 3 100 1000000000 0\n1 2 3 100 5 9\n";
        RoceExperiment::Config config;
        config.topology = "star:3";
        config.flows = flows;
        config.output = CreateTempDirFilename("stopped");
        RoceExperiment experiment(config);
        NS_TEST_ASSERT_MSG_EQ(experiment.Prepare(), true, experiment.GetError());
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        experiment.Finish({});
        const RoceFlowRunner& runner = experiment.GetFlows();
        NS_TEST_EXPECT_MSG_EQ(runner.GetNFlows(), 3, "all");
        NS_TEST_EXPECT_MSG_EQ(runner.GetNStarted(), 2, "started");
        NS_TEST_EXPECT_MSG_EQ(runner.GetNCompleted(), 1, "completed");
        NS_TEST_EXPECT_MSG_EQ(runner.GetNFailed(), 0, "failed");
        NS_TEST_EXPECT_MSG_EQ(runner.GetNUnfinished(), 2, "unfinished");
        NS_TEST_EXPECT_MSG_EQ(runner.GetUnfinished(9).size(), 2, "named");
        NS_TEST_EXPECT_MSG_EQ(runner.GetUnfinished(1).at(0).id, 1, "in order of the start");
        // 1 ms at 100 Gb/s less a round trip of 4 us: up to 11.5 MB of payload.
        NS_TEST_EXPECT_MSG_GT(runner.GetAckedBytes(), 11'000'000, "at line rate");
        NS_TEST_EXPECT_MSG_LT(runner.GetAckedBytes(), 11'600'000, "not above line rate");
        std::ostringstream list;
        experiment.PrintUnfinished(list);
        NS_TEST_EXPECT_MSG_NE(list.str().find("2 of 3 flows"), std::string::npos, list.str());
        NS_TEST_EXPECT_MSG_NE(ReadAll(config.output + "/flows.csv").find("\n0,1,0,3,1000,"),
                              std::string::npos,
                              "the flow that ended is in the file");
        NS_TEST_EXPECT_MSG_NE(
            ReadAll(config.output + "/summary.json").find("\"flows_unfinished\": 2"),
            std::string::npos,
            "the summary tells");
        Simulator::Destroy();
    }
};

/**
 * @ingroup roce-tests
 * @brief Input that cannot be run.
 */
class RoceExperimentRefusalTestCase : public TestCase
{
  public:
    RoceExperimentRefusalTestCase()
        : TestCase("an experiment that cannot be run is refused")
    {
    }

  private:
    void DoRun() override
    {
        const std::string topology = CreateTempDirFilename("topology.txt");
        const std::string flows = CreateTempDirFilename("flows.txt");
        std::ofstream(topology) << "3 0 2\n0 1 1Gbps 1us 0\n1 2 1Gbps 1us 0\n";
        std::ofstream(flows) << "1\n0 2 3 1000 0\n";
        RoceExperiment::Config config;
        config.topology = topology;
        config.flows = flows;
        config.output = CreateTempDirFilename("none");
        RoceExperiment chain(config);
        NS_TEST_EXPECT_MSG_EQ(chain.Prepare(), false, "hosts do not forward");
        NS_TEST_EXPECT_MSG_NE(chain.GetError().find("no path from host 0 to host 2"),
                              std::string::npos,
                              chain.GetError());
        NS_TEST_EXPECT_MSG_EQ(std::ifstream(config.output + "/flows.csv").good(), false, "no file");
        config.topology = "star:3";
        config.flows = "incast:2:1kB";
        config.output = flows; // a file, not a directory
        RoceExperiment output(config);
        NS_TEST_EXPECT_MSG_EQ(output.Prepare(), false, "no directory");
        NS_TEST_EXPECT_MSG_NE(output.GetError().find("--output"),
                              std::string::npos,
                              output.GetError());
        Simulator::Destroy();
    }
};

/**
 * @ingroup roce-tests
 * @brief Whole experiments.
 */
class RoceExperimentTestSuite : public TestSuite
{
  public:
    RoceExperimentTestSuite()
        : TestSuite("roce-experiment", Type::SYSTEM)
    {
        AddTestCase(new RoceFabricHelpersTestCase());
        AddTestCase(new RoceLoneFlowTestCase());
        AddTestCase(new RoceUnfinishedTestCase());
        AddTestCase(new RoceExperimentRefusalTestCase());
    }
};

RoceExperimentTestSuite g_roceExperimentTestSuite; //!< registers the suite

} // namespace
