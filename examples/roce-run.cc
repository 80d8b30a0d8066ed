/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup roce
 *
 * Run an experiment: a network and its flows, from files or built in, and write the results.
 *
 *     roce-run --topology=leaf-spine:4x2x4 --flows=incast:15:1MB --output=results
 *     roce-run --topology=fat.txt --flows=poisson:WebSearch_distribution.txt:0.3:2ms
 *
 * See --help for all options and doc/outputs.rst for what is written. The program ends by itself
 * when the last flow has ended. Exit status: 0 if every flow completed, 1 if one failed or did not
 * end, 2 if the options or input files are wrong.
 */

#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/enum.h"
#include "ns3/nstime.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-experiment-spec.h"
#include "ns3/roce-experiment.h"
#include "ns3/roce-load-balancer.h"
#include "ns3/roce-text-input.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// The options as given on the command line; empty texts stand for defaults.
struct Options
{
    std::string topology;              //!< network
    std::string flows;                 //!< workload
    std::string rate;                  //!< rate of links of built-in networks
    std::string delay;                 //!< delay of links of built-in networks
    uint32_t mtu{1024};                //!< path MTU, bytes
    std::string cc{"dcqcn"};           //!< congestion control
    bool pfc{true};                    //!< lossless classes
    bool ecn{true};                    //!< marking
    std::string buffer;                //!< memory of a switch
    std::string lb{"ecmp"};            //!< load balancer
    uint64_t seed{1};                  //!< run number of the random streams
    std::string stop;                  //!< end of the simulation
    std::string output{"results"};     //!< directory of the results
    std::string queueInterval{"10us"}; //!< interval of queues.csv
    std::string queueMinimum{"10kB"};  //!< depth of no interest in queues.csv
    std::string progress{"auto"};      //!< progress line
};

/**
 * Say what is wrong with the input and end the program.
 * @param reason what is wrong
 */
[[noreturn]] void
Refuse(const std::string& reason)
{
    std::cerr << "roce-run: " << reason << std::endl;
    std::exit(2);
}

/**
 * @param text an option
 * @param what its name
 * @param parsed what the parser made of it
 * @param example a valid value
 * @return the value
 */
template <typename T>
T
Require(const std::string& text,
        const std::string& what,
        std::optional<T> parsed,
        const std::string& example)
{
    if (!parsed)
    {
        Refuse("--" + what + "=" + text + " is not valid; an example is --" + what + "=" + example);
    }
    return *parsed;
}

/**
 * Look up a strategy by its short or full name.
 * @param option name of the option
 * @param name what was given
 * @param shortNames pairs of a short name and a type name
 * @param base type that it must derive from
 * @return name of the type
 */
std::string
FindStrategy(const std::string& option,
             const std::string& name,
             const std::vector<std::pair<std::string, std::string>>& shortNames,
             TypeId base)
{
    std::string typeName = name;
    std::string known;
    for (const auto& [shortName, fullName] : shortNames)
    {
        known += shortName + ", ";
        if (name == shortName)
        {
            typeName = fullName;
        }
    }
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(typeName, &tid) || !tid.IsChildOf(base) ||
        !tid.HasConstructor())
    {
        Refuse("--" + option + "=" + name + ": expected " + known +
               "or the name of a type derived from " + base.GetName());
    }
    return typeName;
}

/**
 * Read the command line.
 * @param argc number of words
 * @param argv words
 * @return the options
 */
Options
ReadOptions(int argc, char** argv)
{
    // Both flows of a pair are marked at the same moments, so that they share a link evenly in
    // every run; RED leaves that to chance.
    Config::SetDefault("ns3::RoceEcnMarker::Preset", EnumValue(RoceEcnMarker::DCTCP));
    Options options;
    CommandLine cmd(__FILE__);
    cmd.Usage("Run an experiment on a RoCE network and write flows.csv, pfc.csv, queues.csv, "
              "ports.csv,\n"
              "counters.csv and summary.json. Exit status: 0 all flows completed, 1 some did not, "
              "2 wrong input.\n"
              "Attributes of any class can be set, for example --ns3::RdmaDcqcn::RateAi=20Mbps.");
    cmd.AddValue(
        "topology",
        "Network: a topology file (nodes switches links; switch numbers; src dst rate delay "
        "error_rate), star:N (N hosts on a switch), leaf-spine:LxSxH (leaves, spines, hosts per "
        "leaf) or fat-tree:K (K ports per switch)",
        options.topology);
    cmd.AddValue(
        "flows",
        "Workload: a flow file (number of flows; src dst pg [dport] bytes start_s), "
        "incast:N:BYTES (N senders to host 0), permutation:BYTES, or "
        "poisson:CDF:LOAD:DURATION (CDF: file of 'bytes percent'; LOAD: payload as a fraction of "
        "the NIC rate, 0.3 or 30%; DURATION: with a unit, such as 2ms)",
        options.flows);
    cmd.AddValue("rate",
                 "Rate of all links of a built-in network, with a unit (default 100Gbps)",
                 options.rate);
    cmd.AddValue("delay",
                 "Propagation delay of all links of a built-in network, with a unit (default 1us)",
                 options.delay);
    cmd.AddValue("mtu",
                 "Path MTU: RDMA payload of a full packet, bytes (256 to 4096)",
                 options.mtu);
    cmd.AddValue("cc", "Congestion control: dcqcn, none or a TypeId", options.cc);
    cmd.AddValue("pfc",
                 "1: the classes of the flows are lossless by priority flow control; 0: lossy",
                 options.pfc);
    cmd.AddValue(
        "ecn",
        "1: switches mark congestion in ECN-capable packets, above 30 kB per 10 Gb/s of "
        "port rate unless --ns3::RoceEcnMarker::Preset is HPCC (RED) or another; 0: they do "
        "not",
        options.ecn);
    cmd.AddValue(
        "buffer",
        "Packet buffer of every switch, bytes or with a unit such as 32MiB (default: that of "
        "RoceSharedBuffer)",
        options.buffer);
    cmd.AddValue("lb", "Choice among equal-cost ports: ecmp, dlb or a TypeId", options.lb);
    cmd.AddValue(
        "seed",
        "Number of the run: selects independent random numbers (hashes, marking, workload)",
        options.seed);
    cmd.AddValue(
        "stop",
        "Simulated time at which to give up, with a unit (default: when all flows have ended)",
        options.stop);
    cmd.AddValue("output", "Directory for the results; it is created", options.output);
    cmd.AddValue("queue-interval",
                 "Queue depths are written once per interval, with a unit; 0 writes none",
                 options.queueInterval);
    cmd.AddValue("queue-minimum",
                 "Queues are not written while they hold at most this, bytes or with a unit",
                 options.queueMinimum);
    cmd.AddValue("progress",
                 "Progress line: 1 on, 0 off, auto: if standard error is a terminal",
                 options.progress);
    cmd.Parse(argc, argv);
    if (cmd.GetNExtraNonOptions() > 0)
    {
        Refuse("'" + cmd.GetExtraNonOption(0) + "' is not an option; see --help");
    }
    return options;
}

/**
 * Check the options.
 * @param options what was given
 * @return what it means
 */
RoceExperiment::Config
CheckOptions(const Options& options)
{
    for (const auto& [name, value] : {std::make_pair("topology", options.topology),
                                      std::make_pair("flows", options.flows),
                                      std::make_pair("output", options.output)})
    {
        if (value.empty())
        {
            Refuse(std::string("--") + name + " is missing; see --help");
        }
    }
    for (const auto& [name, value] :
         {std::make_pair("rate", options.rate), std::make_pair("delay", options.delay)})
    {
        if (!value.empty() && !RoceExperimentSpec::IsBuiltIn(options.topology))
        {
            Refuse(std::string("--") + name + " is for built-in networks; the links of " +
                   options.topology + " have their own");
        }
    }
    RoceExperiment::Config config;
    config.topology = options.topology;
    config.flows = options.flows;
    config.output = options.output;
    config.mtu = options.mtu;
    config.pfc = options.pfc;
    config.ecn = options.ecn;
    config.seed = options.seed;
    if (!options.rate.empty())
    {
        config.rate =
            Require(options.rate, "rate", RoceTextInput::ParseRate(options.rate), "100Gbps");
    }
    if (!options.delay.empty())
    {
        config.delay =
            Require(options.delay, "delay", RoceTextInput::ParseTime(options.delay), "1us");
    }
    constexpr uint32_t LARGEST_MTU = 4096; // InfiniBand's largest, far below any jumbo frame
    if (options.mtu < 256 || options.mtu > LARGEST_MTU || options.mtu % 4 != 0)
    {
        Refuse("--mtu=" + std::to_string(options.mtu) +
               ": expected a multiple of 4 from 256 to 4096 bytes");
    }
    config.congestionControl =
        FindStrategy("cc",
                     options.cc,
                     {{"dcqcn", "ns3::RdmaDcqcn"}, {"none", "ns3::RdmaNoCongestionControl"}},
                     RdmaCongestionOps::GetTypeId());
    config.loadBalancer = FindStrategy("lb",
                                       options.lb,
                                       {{"ecmp", "ns3::RoceEcmp"}, {"dlb", "ns3::RoceDlb"}},
                                       RoceLoadBalancer::GetTypeId());
    if (!options.buffer.empty())
    {
        config.buffer =
            Require(options.buffer, "buffer", RoceTextInput::ParseBytes(options.buffer), "32MiB");
        if (config.buffer == 0)
        {
            Refuse("--buffer=" + options.buffer + ": a switch cannot work without memory");
        }
    }
    config.queueInterval = options.queueInterval == "0"
                               ? 0
                               : Require(options.queueInterval,
                                         "queue-interval",
                                         RoceTextInput::ParseTime(options.queueInterval),
                                         "10us");
    config.queueMinimum = Require(options.queueMinimum,
                                  "queue-minimum",
                                  RoceTextInput::ParseBytes(options.queueMinimum),
                                  "10kB");
    return config;
}

/// Processor and wall-clock time since some moment.
class Stopwatch
{
  public:
    Stopwatch()
        : m_wall(std::chrono::steady_clock::now()),
          m_cpu(std::clock())
    {
    }

    /// @return seconds by the clock on the wall
    double GetWall() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_wall).count();
    }

    /// @return seconds of processor time
    double GetCpu() const
    {
        return static_cast<double>(std::clock() - m_cpu) / CLOCKS_PER_SEC;
    }

  private:
    std::chrono::steady_clock::time_point m_wall; //!< start
    std::clock_t m_cpu;                           //!< start
};

/// The line on the terminal that tells how far a run is.
class ProgressLine
{
  public:
    /// @param enabled false to print nothing
    explicit ProgressLine(bool enabled)
        : m_enabled(enabled)
    {
    }

    /**
     * Print, if a while has passed.
     * @param flows the flows
     * @param events events executed so far
     * @param watch time since the start of the run
     */
    void Update(const RoceFlowRunner& flows, uint64_t events, const Stopwatch& watch)
    {
        const double wall = watch.GetWall();
        if (!m_enabled || wall < m_next)
        {
            return;
        }
        m_next = wall + 0.5;
        const double done = static_cast<double>(flows.GetAckedBytes()) /
                            static_cast<double>(std::max<uint64_t>(1, flows.GetTotalBytes()));
        std::ostringstream line;
        line << std::fixed << "time " << std::setprecision(6) << Simulator::Now().GetSeconds()
             << " s, " << flows.GetNCompleted() + flows.GetNFailed() << " of " << flows.GetNFlows()
             << " flows done, " << std::setprecision(2) << static_cast<double>(events) / wall / 1e6
             << " M events/s, ETA ";
        if (done > 0)
        {
            line << std::setprecision(0) << wall * (1 - done) / done << " s";
        }
        else
        {
            line << "-";
        }
        std::cerr << '\r' << std::left << std::setw(static_cast<int>(m_width)) << line.str()
                  << std::flush;
        m_width = line.str().size();
    }

    /// Remove the line.
    void Clear()
    {
        if (m_width > 0)
        {
            std::cerr << '\r' << std::string(m_width, ' ') << '\r' << std::flush;
        }
    }

  private:
    bool m_enabled;         //!< print at all?
    double m_next{0};       //!< wall-clock second of the next update
    std::size_t m_width{0}; //!< length of the last line
};

/**
 * @param options the options
 * @return simulated time at which to give up
 */
Time
GetStop(const Options& options)
{
    if (options.stop.empty())
    {
        return Time::Max();
    }
    return RoceClock::ToTime(
        Require(options.stop, "stop", RoceTextInput::ParseTime(options.stop), "10ms"));
}

/**
 * @param options the options
 * @return true if a progress line is wanted
 */
bool
IsProgressWanted(const Options& options)
{
    if (options.progress != "auto" && options.progress != "0" && options.progress != "1")
    {
        Refuse("--progress=" + options.progress + ": expected 0, 1 or auto");
    }
    return options.progress == "1" || (options.progress == "auto" && isatty(STDERR_FILENO) == 1);
}

/**
 * Simulate until all flows have ended, it is time to give up, or nothing moves any more (a
 * deadlock of pauses refreshes itself for ever). The run is cut into slices, each of which ends
 * with one extra event, to look after that and to show progress.
 *
 * @param flows the flows
 * @param stop simulated time at which to give up
 * @param showProgress true to show a progress line
 * @return what it cost
 */
RoceExperiment::Cost
Simulate(const RoceFlowRunner& flows, Time stop, bool showProgress)
{
    const Time longestSlice = MilliSeconds(10);
    const Time patience = Seconds(2); // simulated time without progress
    ProgressLine progress(showProgress);
    const Stopwatch watch;
    const uint64_t before = Simulator::GetEventCount();
    uint64_t slices = 0;
    uint64_t lastBytes = 0;
    Time lastMove;
    Time slice = MicroSeconds(100);
    while (flows.GetNUnfinished() > 0 && Simulator::Now() < stop &&
           Simulator::Now() - lastMove <= patience)
    {
        const double wall = watch.GetWall();
        Simulator::Stop(std::min(slice, stop - Simulator::Now()));
        Simulator::Run();
        slices++;
        const uint64_t bytes = flows.GetAckedBytes();
        const uint64_t ended = flows.GetNCompleted() + flows.GetNFailed();
        if (bytes != lastBytes || flows.GetNStarted() == ended) // it moves, or there is nothing to
        {
            lastMove = Simulator::Now();
        }
        lastBytes = bytes;
        progress.Update(flows, Simulator::GetEventCount() - before, watch);
        const double spent = watch.GetWall() - wall;
        if (spent < 0.1)
        {
            slice = std::min(slice + slice, longestSlice);
        }
        else if (spent > 0.4)
        {
            slice = std::max(slice / 2, NanoSeconds(1));
        }
    }
    RoceExperiment::Cost cost;
    cost.cpu = watch.GetCpu();
    cost.wall = watch.GetWall();
    cost.events = Simulator::GetEventCount() - before - slices;
    progress.Clear();
    if (flows.GetNUnfinished() > 0 && Simulator::Now() < stop)
    {
        std::cerr << "roce-run: nothing has moved for " << patience.GetSeconds()
                  << " s of simulated time\n";
    }
    return cost;
}

} // namespace

int
main(int argc, char** argv)
{
    Time::SetResolution(Time::PS); // so that all times in the results are exact
    const Options options = ReadOptions(argc, argv);
    const Time stop = GetStop(options);
    const bool showProgress = IsProgressWanted(options);
    RoceExperiment experiment(CheckOptions(options));
    if (!experiment.Prepare())
    {
        Refuse(experiment.GetError());
    }
    const RoceExperiment::Cost cost = Simulate(experiment.GetFlows(), stop, showProgress);
    experiment.Finish(cost);
    experiment.Print(std::cout);
    experiment.PrintUnfinished(std::cerr);
    const RoceFlowRunner& flows = experiment.GetFlows();
    const bool done = flows.GetNCompleted() == flows.GetNFlows();
    Simulator::Destroy();
    return done ? 0 : 1;
}
