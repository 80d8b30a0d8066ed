/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup roce
 * The perftest suite (ib_write_bw, ib_read_lat ...) on two simulated hosts with any number of
 * switches between them. The tables have the columns of perftest, so that its output and this one
 * can be read by the same scripts; latencies have three decimals, that is nanoseconds.
 *
 *     ./ns3 run "roce-perftest --test=write_lat --size=2 --preset=typical"
 *     ./ns3 run "roce-perftest --test=read_bw --all --hops=3"
 */

#include "ns3/command-line.h"
#include "ns3/nstime.h"
#include "ns3/rdma-counter-recorder.h"
#include "ns3/rdma-nic-preset.h"
#include "ns3/roce-perftest-bench.h"
#include "ns3/roce-text-input.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * Say what is wrong with the input and end the program.
 * @param reason what is wrong
 */
[[noreturn]] void
Refuse(const std::string& reason)
{
    std::cerr << "roce-perftest: " << reason << std::endl;
    std::exit(2);
}

/**
 * @tparam T type of the value
 * @param option an option
 * @param text its value
 * @param parsed what the parser made of it
 * @param example a valid value
 * @return the value
 */
template <typename T>
T
Require(const std::string& option,
        const std::string& text,
        std::optional<T> parsed,
        const std::string& example)
{
    if (!parsed)
    {
        Refuse("--" + option + "=" + text + " is not valid; an example is --" + option + "=" +
               example);
    }
    return *parsed;
}

/**
 * @param words some words
 * @return them, separated by commas
 */
std::string
Join(const std::vector<std::string>& words)
{
    std::string text;
    for (const auto& word : words)
    {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

/**
 * Stop unless a number is within limits.
 * @param option the option
 * @param value its value
 * @param least smallest valid value
 * @param most largest valid value
 */
void
CheckRange(const std::string& option, uint64_t value, uint64_t least, uint64_t most)
{
    if (value < least || value > most)
    {
        Refuse("--" + option + "=" + std::to_string(value) + ": expected " + std::to_string(least) +
               " to " + std::to_string(most));
    }
}

/// What the command line says.
struct Options
{
    std::string size{"65536"};   //!< message length
    std::string rate{"100Gbps"}; //!< line rate
    std::string delay{"10ns"};   //!< propagation delay of each cable
    std::string switchDelay;     //!< latency of each switch
    bool all{false};             //!< sweep over message lengths
    uint32_t roce{2};            //!< version of RoCE
    std::string pcap;            //!< capture file
    std::string counters;        //!< counter file
};

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    RocePerftestBench::Config config;
    Options options;
    CommandLine cmd(__FILE__);
    cmd.Usage("Measure bandwidth or latency between two hosts as the perftest suite does.\n"
              "Exit status: 0 measured, 1 failed, 2 wrong input.");
    cmd.AddValue("test", "Test: " + Join(RocePerftestBench::GetTests()), config.test);
    cmd.AddValue("size", "Message length, bytes or with a unit such as 64KiB", options.size);
    cmd.AddValue("all", "Measure all powers of two from 2 B to 8 MiB", options.all);
    cmd.AddValue("iters",
                 "Messages per queue pair (0: 1000 for latency; for bandwidth 5000, but at most "
                 "64 MiB and at least 8 messages)",
                 config.iterations);
    cmd.AddValue("mtu", "Path MTU: RDMA payload of a full packet, bytes", config.mtu);
    cmd.AddValue("qps", "Queue pairs of a bandwidth test", config.queuePairs);
    cmd.AddValue("tx-depth", "Requests posted at most, per queue pair", config.txDepth);
    cmd.AddValue("post-list", "Requests posted at a time", config.postList);
    cmd.AddValue("inline",
                 "Messages up to this length are posted inline, bytes (-1: 220 for latency, 0 for "
                 "bandwidth)",
                 config.inlineBytes);
    cmd.AddValue("rate", "Line rate, with a unit", options.rate);
    cmd.AddValue("hops", "Number of switches between the hosts", config.hops);
    cmd.AddValue("delay", "Propagation delay of each cable, with a unit", options.delay);
    cmd.AddValue("switch-delay",
                 "Latency of each switch besides store and forward, with a unit (default none)",
                 options.switchDelay);
    cmd.AddValue("preset",
                 "Delays of the NICs: " + Join(RdmaNicPreset::GetNames()) +
                     " (attributes DoorbellDelay, SendDelay, FetchDelay of RdmaEngine and "
                     "PipelineDelay of RoceNetDevice)",
                 config.preset);
    cmd.AddValue("roce", "Version of RoCE: 2, or 1 with up to one switch", options.roce);
    cmd.AddValue("pcap", "Name of a capture file of the client's port", options.pcap);
    cmd.AddValue("counters",
                 "Name of a CSV file for counters of NICs and queue pairs",
                 options.counters);
    cmd.Parse(argc, argv);

    if (cmd.GetNExtraNonOptions() > 0)
    {
        Refuse("'" + cmd.GetExtraNonOption(0) + "' is not an option; see --help");
    }
    if (!RocePerftestBench::IsTest(config.test))
    {
        Refuse("--test=" + config.test + ": expected one of " +
               Join(RocePerftestBench::GetTests()));
    }
    const std::vector<std::string> presets = RdmaNicPreset::GetNames();
    if (std::find(presets.begin(), presets.end(), config.preset) == presets.end())
    {
        Refuse("--preset=" + config.preset + ": expected one of " + Join(presets));
    }
    const uint64_t size =
        Require("size", options.size, RoceTextInput::ParseBytes(options.size), "64KiB");
    config.rate = Require("rate", options.rate, RoceTextInput::ParseRate(options.rate), "100Gbps");
    config.delay = Require("delay", options.delay, RoceTextInput::ParseTime(options.delay), "10ns");
    if (!options.switchDelay.empty())
    {
        config.switchDelay = Require("switch-delay",
                                     options.switchDelay,
                                     RoceTextInput::ParseTime(options.switchDelay),
                                     "300ns");
    }
    CheckRange("size", size, 1, uint64_t{1} << 31);
    CheckRange("mtu", config.mtu, 256, 4096);
    CheckRange("qps", config.queuePairs, 1, 16384);
    CheckRange("tx-depth", config.txDepth, 1, 1 << 20);
    CheckRange("post-list", config.postList, 1, config.txDepth);
    CheckRange("hops", config.hops, 0, 60);
    CheckRange("inline",
               std::max<int64_t>(config.inlineBytes, 0),
               0,
               RdmaQueuePair::MAX_INLINE_BYTES);

    CheckRange("roce", options.roce, 1, 2);
    config.roceV1 = options.roce == 1;
    if (config.roceV1 && config.hops > 1)
    {
        Refuse("--roce=1 cannot be routed: --hops must be 0 or 1");
    }

    RocePerftestBench bench(config);
    if (!options.pcap.empty())
    {
        bench.GetHelper().EnablePcap(options.pcap, bench.GetPorts().Get(0), true, true);
    }
    std::unique_ptr<RdmaCounterRecorder> recorder;
    if (!options.counters.empty())
    {
        recorder = std::make_unique<RdmaCounterRecorder>(options.counters);
    }

    bench.PrintHeader(std::cout);
    std::string error;
    for (const uint64_t each : options.all ? bench.GetAllSizes() : std::vector<uint64_t>{size})
    {
        error = bench.Measure(each, std::cout);
        if (!error.empty())
        {
            std::cerr << "roce-perftest: " << error << std::endl;
            break;
        }
    }
    for (uint32_t i = 0; recorder && i < bench.GetPorts().GetN(); i++)
    {
        const auto engine = RoceHelper::GetEngine(bench.GetPorts().Get(i));
        recorder->RecordQueuePairs(engine, i, 0);
        recorder->RecordDevice(engine, i, 0);
    }
    Simulator::Destroy();
    return error.empty() ? 0 : 1;
}
