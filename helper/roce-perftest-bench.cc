/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-perftest-bench.h"

#include "roce-routing-helper.h"

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/enum.h"
#include "ns3/log.h"
#include "ns3/rdma-nic-preset.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iomanip>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RocePerftestBench");

namespace
{

/// A test of the suite.
struct Test
{
    const char* name;                  //!< its name
    RdmaPerftest::Operation operation; //!< what it measures
    bool latency;                      //!< latency, not bandwidth
};

/// All tests.
constexpr Test TESTS[] = {{"write_bw", RdmaPerftest::WRITE, false},
                          {"write_lat", RdmaPerftest::WRITE, true},
                          {"send_bw", RdmaPerftest::SEND, false},
                          {"send_lat", RdmaPerftest::SEND, true},
                          {"read_bw", RdmaPerftest::READ, false},
                          {"read_lat", RdmaPerftest::READ, true},
                          {"atomic_bw", RdmaPerftest::ATOMIC, false},
                          {"atomic_lat", RdmaPerftest::ATOMIC, true}};

/**
 * @param name name of a test
 * @return the test; stops the program if there is none
 */
const Test&
FindTest(const std::string& name)
{
    for (const Test& test : TESTS)
    {
        if (name == test.name)
        {
            return test;
        }
    }
    NS_ABORT_MSG("RocePerftestBench: there is no test " << name);
}

/**
 * @param time picoseconds
 * @return microseconds
 */
double
ToMicroseconds(double time)
{
    return time / 1e6;
}

} // namespace

RocePerftestBench::RocePerftestBench(const Config& config)
    : m_config(config)
{
    FindTest(config.test);
    NS_ABORT_MSG_IF(config.queuePairs == 0, "RocePerftestBench: needs at least one queue pair");
    BuildNetwork();
    const RdmaNicPreset preset = RdmaNicPreset::Find(config.preset);
    for (uint32_t i = 0; i < m_ports.GetN(); i++)
    {
        preset.Apply(RoceHelper::GetEngine(m_ports.Get(i)));
    }
    for (uint32_t i = 0; i < (IsLatency() ? 1 : config.queuePairs); i++)
    {
        m_pairs.push_back(m_roce.ConnectQueuePairs(m_ports.Get(0), m_ports.Get(1)));
    }
}

void
RocePerftestBench::BuildNetwork()
{
    m_roce.SetDeviceAttribute("DataRate", DataRateValue(DataRate(m_config.rate)));
    m_roce.SetChannelAttribute("Delay", TimeValue(RoceClock::ToTime(m_config.delay)));
    m_roce.SetQueuePairAttribute("PathMtu", UintegerValue(m_config.mtu));
    m_roce.SetEngineAttribute("RoceVersion",
                              EnumValue(m_config.roceV1 ? RdmaEngine::V1 : RdmaEngine::V2));
    m_nodes.Create(2);
    const NodeContainer switches = RoceHelper::CreateSwitches(m_config.hops);
    Ptr<Node> last = m_nodes.Get(0);
    for (uint32_t i = 0; i <= m_config.hops; i++)
    {
        const Ptr<Node> next = i < m_config.hops ? switches.Get(i) : m_nodes.Get(1);
        const NetDeviceContainer ports = m_roce.Install(last, next);
        if (i == 0)
        {
            m_ports.Add(ports.Get(0));
        }
        if (i == m_config.hops)
        {
            m_ports.Add(ports.Get(1));
        }
        last = next;
    }
    for (uint32_t i = 0; i < m_config.hops; i++)
    {
        const Ptr<RoceSwitch> pipeline = RoceHelper::GetSwitch(switches.Get(i));
        for (uint16_t port = 0; port < pipeline->GetNPorts(); port++)
        {
            pipeline->GetPort(port)->SetAttribute(
                "PipelineDelay",
                TimeValue(RoceClock::ToTime(m_config.switchDelay)));
        }
    }
    for (uint32_t i = 0; i < m_ports.GetN(); i++)
    {
        RoceHelper::GetEngine(m_ports.Get(i))->SetAddress(Ipv4Address(0x0a000001 + i));
    }
    RoceRoutingHelper::PopulateForwardingTables();
}

std::vector<std::string>
RocePerftestBench::GetTests()
{
    std::vector<std::string> names;
    for (const Test& test : TESTS)
    {
        names.emplace_back(test.name);
    }
    return names;
}

bool
RocePerftestBench::IsTest(const std::string& name)
{
    const std::vector<std::string> names = GetTests();
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool
RocePerftestBench::IsLatency() const
{
    return FindTest(m_config.test).latency;
}

uint64_t
RocePerftestBench::GetIterations(uint64_t size) const
{
    constexpr uint64_t MOST_BYTES = 64 << 20;
    if (m_config.iterations)
    {
        return m_config.iterations;
    }
    if (IsLatency())
    {
        return 1000;
    }
    return std::clamp<uint64_t>(MOST_BYTES / std::max<uint64_t>(size, 1), 8, 5000);
}

std::vector<uint64_t>
RocePerftestBench::GetAllSizes() const
{
    constexpr uint64_t LARGEST = 8 << 20;
    if (FindTest(m_config.test).operation == RdmaPerftest::ATOMIC)
    {
        return {RdmaWorkRequest::ATOMIC_BYTES};
    }
    std::vector<uint64_t> sizes;
    for (uint64_t size = 2; size <= LARGEST; size *= 2)
    {
        sizes.push_back(size);
    }
    return sizes;
}

RdmaPerftest::Config
RocePerftestBench::MakeTest(uint64_t size) const
{
    constexpr uint32_t LATENCY_INLINE = 220; // default of ib_write_lat
    const Test& test = FindTest(m_config.test);
    RdmaPerftest::Config config;
    config.operation = test.operation;
    config.latency = test.latency;
    config.size = size;
    config.iterations = GetIterations(size);
    config.txDepth = m_config.txDepth;
    config.postList = m_config.postList;
    config.inlineBytes = m_config.inlineBytes >= 0 ? static_cast<uint32_t>(m_config.inlineBytes)
                                                   : (test.latency ? LATENCY_INLINE : 0);
    return config;
}

// --- measuring ---

std::string
RocePerftestBench::Run(RdmaPerftest& perftest)
{
    perftest.Start();
    Simulator::Run();
    if (perftest.IsDone())
    {
        return "";
    }
    return perftest.GetError().empty() ? "the simulation ended before the test"
                                       : perftest.GetError();
}

RdmaPerftest::Bandwidth
RocePerftestBench::MeasureBandwidth(uint64_t size)
{
    NS_LOG_FUNCTION(this << size);
    RdmaPerftest perftest(MakeTest(size), m_pairs);
    const std::string error = Run(perftest);
    NS_ABORT_MSG_UNLESS(error.empty(), "RocePerftestBench: " << error);
    return perftest.GetBandwidth();
}

RdmaPerftest::Latency
RocePerftestBench::MeasureLatency(uint64_t size)
{
    NS_LOG_FUNCTION(this << size);
    RdmaPerftest perftest(MakeTest(size), m_pairs);
    const std::string error = Run(perftest);
    NS_ABORT_MSG_UNLESS(error.empty(), "RocePerftestBench: " << error);
    return perftest.GetLatency();
}

// --- printing ---

void
RocePerftestBench::PrintHeader(std::ostream& os) const
{
    if (IsLatency())
    {
        os << " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]   "
              " "
              "t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n";
    }
    else
    {
        os << " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n";
    }
}

std::string
RocePerftestBench::Measure(uint64_t size, std::ostream& os)
{
    NS_LOG_FUNCTION(this << size);
    const RdmaPerftest::Config config = MakeTest(size);
    RdmaPerftest perftest(config, m_pairs);
    const std::string error = Run(perftest);
    if (!error.empty())
    {
        return error;
    }
    const std::ios::fmtflags flags = os.flags();
    const std::streamsize precision = os.precision();
    const uint64_t bytes =
        config.operation == RdmaPerftest::ATOMIC ? RdmaWorkRequest::ATOMIC_BYTES : size;
    os << std::fixed << std::left << ' ' << std::setw(IsLatency() ? 8 : 11) << bytes;
    if (IsLatency())
    {
        const RdmaPerftest::Latency result = perftest.GetLatency();
        os << std::setw(15) << result.iterations << std::setprecision(3);
        os << std::setw(15) << ToMicroseconds(static_cast<double>(result.minimum));
        os << std::setw(15) << ToMicroseconds(static_cast<double>(result.maximum));
        os << std::setw(15) << ToMicroseconds(static_cast<double>(result.typical));
        os << std::setw(15) << ToMicroseconds(result.average);
        os << std::setw(16) << ToMicroseconds(result.deviation);
        os << std::setw(23) << ToMicroseconds(static_cast<double>(result.percentile99));
        os << ToMicroseconds(static_cast<double>(result.percentile999)) << '\n';
    }
    else
    {
        const RdmaPerftest::Bandwidth result = perftest.GetBandwidth();
        os << std::setw(15) << result.iterations << std::setprecision(2);
        os << std::setw(19) << result.peak / 1e9;
        os << std::setw(21) << result.average / 1e9;
        os << std::setprecision(6) << result.messageRate / 1e6 << '\n';
    }
    os.flags(flags);
    os.precision(precision);
    os.flush();
    return "";
}

RoceHelper&
RocePerftestBench::GetHelper()
{
    return m_roce;
}

const NetDeviceContainer&
RocePerftestBench::GetPorts() const
{
    return m_ports;
}

const std::vector<RdmaPerftest::QueuePairs>&
RocePerftestBench::GetQueuePairs() const
{
    return m_pairs;
}

} // namespace ns3
