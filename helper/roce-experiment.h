/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_EXPERIMENT_H
#define ROCE_EXPERIMENT_H

#include "rdma-counter-recorder.h"
#include "roce-experiment-spec.h"
#include "roce-flow-recorder.h"
#include "roce-flow-runner.h"
#include "roce-helper.h"
#include "roce-pfc-recorder.h"
#include "roce-port-recorder.h"
#include "roce-queue-recorder.h"
#include "roce-topology-helper.h"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>

namespace ns3
{

class RoceJsonFile;

/**
 * @ingroup roce
 * @brief A network, its flows and the files with the results: what the program roce-run runs.
 *
 *     RoceExperiment::Config config;
 *     config.topology = "leaf-spine:4x2x4";
 *     config.flows = "incast:15:1MB";
 *     RoceExperiment experiment(config);
 *     if (!experiment.Prepare()) { std::cerr << experiment.GetError(); return 2; }
 *     Simulator::Run(); // ends when the last flow has ended
 *     experiment.Finish({});
 *     experiment.Print(std::cout);
 *     Simulator::Destroy();
 */
class RoceExperiment
{
  public:
    /// What to run. The defaults are those of roce-run.
    struct Config
    {
        std::string topology;           //!< network, see RoceExperimentSpec
        std::string flows;              //!< workload, see RoceExperimentSpec
        uint64_t rate{100'000'000'000}; //!< rate of links of built-in networks, bit/s
        RocePs delay{1'000'000};        //!< delay of links of built-in networks, picoseconds
        uint32_t mtu{1024};             //!< path MTU, bytes
        std::string congestionControl{"ns3::RdmaDcqcn"}; //!< TypeId name
        std::string loadBalancer{"ns3::RoceEcmp"};       //!< TypeId name
        bool pfc{true};                                  //!< the classes of the flows are lossless
        bool ecn{true};                                  //!< switches mark congestion in them
        uint64_t buffer{0};            //!< memory of a switch, bytes; 0: RoceSharedBuffer's default
        uint64_t seed{1};              //!< run number of the random streams
        std::string output{"results"}; //!< directory of the results
        RocePs queueInterval{10'000'000}; //!< interval of queues.csv, picoseconds; 0: no rows
        uint64_t queueMinimum{10'000};    //!< depth of no interest in queues.csv, bytes
    };

    /// What the run cost; all 0 if that was not measured.
    struct Cost
    {
        double cpu{0};      //!< processor time, seconds
        double wall{0};     //!< time by the clock on the wall, seconds
        uint64_t events{0}; //!< simulator events executed
    };

    /// What came out, in all. Units are those of summary.json.
    struct Result
    {
        Cost cost;                      //!< what the run cost
        RocePortRecorder::Totals ports; //!< sums over ports
        RdmaCounters engines;           //!< sums over NIC ports
        uint64_t dropsLossless{0};      //!< frames of lossless classes dropped by switches
        uint64_t dropsLossy{0};         //!< frames of other classes dropped by switches
        uint64_t maxBufferBytes{0};     //!< most buffer in use at once in any switch
        double makespan{0}; //!< first start to last end (or to now, if a flow has none), seconds
    };

    /// @param config what to run
    explicit RoceExperiment(const Config& config);

    /**
     * Read all input, build the network, open the result files and schedule the flows.
     * @return true on success; else GetError() says what is wrong and no file was touched
     */
    bool Prepare();

    /// @return what is wrong
    const std::string& GetError() const;

    /// @return the flows and how far they are
    const RoceFlowRunner& GetFlows() const;

    /// @return the network
    const RoceTopologyHelper& GetNetwork() const;

    /**
     * Complete the result files, before Simulator::Destroy().
     * @param cost what the run cost
     * @return what came out
     */
    const Result& Finish(const Cost& cost);

    /**
     * Print a short table, after Finish().
     * @param os where to
     */
    void Print(std::ostream& os) const;

    /**
     * Print the flows that have not ended, if there are any.
     * @param os where to
     */
    void PrintUnfinished(std::ostream& os) const;

  private:
    /**
     * Create nodes, devices and routes.
     * @return false if the buffer of a switch is too small for its ports
     */
    bool BuildNetwork();
    /**
     * Find the path of every flow.
     * @return false if one has none
     */
    bool BuildFlows();
    /**
     * Create the result files.
     * @return false if that is impossible
     */
    bool OpenFiles();
    /// Have the result files filled.
    void ConnectRecorders();
    /// Add up what switches and NICs have counted.
    void CollectCounters();
    /// Write summary.json.
    void WriteSummary() const;
    /**
     * @param json where to write what was run, as it took effect
     */
    void AddConfiguration(RoceJsonFile& json) const;
    /**
     * @param error what is wrong
     * @return false
     */
    bool Fail(const std::string& error);
    /**
     * @param name name of a result file
     * @return with the directory
     */
    std::string GetPath(const std::string& name) const;

    Config m_config;                                        //!< what to run
    std::string m_error;                                    //!< what is wrong
    Result m_result;                                        //!< what came out
    RoceExperimentSpec m_spec;                              //!< network and flows
    RoceHelper m_roce;                                      //!< makes devices and switches
    RoceTopologyHelper m_network;                           //!< the network
    std::unique_ptr<RoceFlowRecorder> m_flowRecorder;       //!< flows.csv
    std::unique_ptr<RocePfcRecorder> m_pfcRecorder;         //!< pfc.csv
    std::unique_ptr<RoceQueueRecorder> m_queueRecorder;     //!< queues.csv
    std::unique_ptr<RocePortRecorder> m_portRecorder;       //!< ports.csv
    std::unique_ptr<RdmaCounterRecorder> m_counterRecorder; //!< counters.csv
    RoceFlowRunner m_flows;                                 //!< the flows
};

} // namespace ns3

#endif /* ROCE_EXPERIMENT_H */
