/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-experiment.h"

#include "roce-flow-generator.h"
#include "roce-ideal-fct.h"
#include "roce-json-file.h"
#include "roce-path-finder.h"

#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/pfc-flow-control.h"
#include "ns3/rdma-requester.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-shared-buffer.h"
#include "ns3/roce-switch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <sys/stat.h>
#include <tuple>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceExperiment");

namespace
{

constexpr int64_t GENERATOR_STREAM = 0; //!< first random stream of the workload
constexpr int64_t FABRIC_STREAM = 1000; //!< first random stream of the network

/**
 * Add the values of all attributes of an object that can be read.
 * @param json where to
 * @param object the object
 */
void
AddAttributes(RoceJsonFile& json, Ptr<const Object> object)
{
    json.AddText("type", object->GetInstanceTypeId().GetName());
    for (TypeId tid = object->GetInstanceTypeId(); tid != Object::GetTypeId();
         tid = tid.GetParent())
    {
        for (std::size_t i = 0; i < tid.GetAttributeN(); i++)
        {
            const std::string name = tid.GetAttribute(i).name;
            StringValue value;
            // An attribute that holds an object has no value worth printing.
            if ((tid.GetAttribute(i).flags & TypeId::ATTR_GET) &&
                tid.GetAttribute(i).checker->GetValueTypeName() != "ns3::PointerValue" &&
                object->GetAttributeFailSafe(name, value))
            {
                json.AddText(name, value.Get());
            }
        }
    }
}

} // namespace

RoceExperiment::RoceExperiment(const Config& config)
    : m_config(config)
{
    NS_LOG_FUNCTION(this);
}

bool
RoceExperiment::Fail(const std::string& error)
{
    m_error = error;
    return false;
}

const std::string&
RoceExperiment::GetError() const
{
    return m_error;
}

const RoceFlowRunner&
RoceExperiment::GetFlows() const
{
    return m_flows;
}

const RoceTopologyHelper&
RoceExperiment::GetNetwork() const
{
    return m_network;
}

std::string
RoceExperiment::GetPath(const std::string& name) const
{
    return m_config.output + "/" + name;
}

bool
RoceExperiment::Prepare()
{
    NS_LOG_FUNCTION(this);
    RngSeedManager::SetRun(m_config.seed);
    RoceFlowGenerator generator;
    generator.AssignStreams(GENERATOR_STREAM);
    if (!m_spec.ReadTopology(m_config.topology, m_config.rate, m_config.delay) ||
        !m_spec.ReadFlows(m_config.flows, generator))
    {
        return Fail(m_spec.GetError());
    }
    RoceHelper::UseHeapScheduler();
    if (!BuildNetwork() || !BuildFlows() || !OpenFiles())
    {
        return false;
    }
    ConnectRecorders();
    m_flows.Start();
    return true;
}

bool
RoceExperiment::BuildNetwork()
{
    uint8_t classes = 0;
    for (const RoceFlow& flow : m_spec.GetFlows())
    {
        classes |= 1 << flow.trafficClass;
    }
    if (classes != 0)
    {
        m_roce.GetQosMap()->SetLosslessClasses(classes);
    }
    m_roce.EnablePfc(m_config.pfc);
    m_roce.EnableEcn(m_config.ecn);
    m_roce.EnableFlowControl(false); // hosts have no network stack, so no queue discs
    m_roce.SetCongestionControl(m_config.congestionControl);
    m_roce.SetLoadBalancer(m_config.loadBalancer);
    m_roce.SetQueuePairAttribute("PathMtu", UintegerValue(m_config.mtu));
    constexpr uint32_t ETHERNET_MTU = 1500;
    constexpr uint32_t HEADERS = 64; // IPv4 20, UDP 8, BTH 12, RETH 16, ImmDt 4, ICRC 4
    m_roce.SetDeviceAttribute("Mtu", UintegerValue(std::max(ETHERNET_MTU, m_config.mtu + HEADERS)));
    if (m_config.buffer > 0)
    {
        m_roce.SetBufferAttribute("TotalBytes", UintegerValue(m_config.buffer));
    }
    for (const uint32_t number : m_spec.GetTopology().GetSwitches())
    {
        const std::size_t ports = m_spec.GetTopology().GetLinksOf(number).size();
        if (ports > RoceSharedBuffer::MAX_PORTS)
        {
            return Fail("switch " + std::to_string(number) + " has " + std::to_string(ports) +
                        " links; a switch has up to " +
                        std::to_string(RoceSharedBuffer::MAX_PORTS) + " ports");
        }
    }
    m_roce.EnableBufferCheck(false); // so that it is an error of the input, with the whole plan
    m_network.Install(m_spec.GetTopology(), m_roce);
    for (const uint32_t number : m_spec.GetTopology().GetSwitches())
    {
        const std::string problem = m_network.GetSwitch(number)->GetBuffer()->GetProblem();
        if (!problem.empty())
        {
            return Fail("switch " + std::to_string(number) + ": " + problem);
        }
    }
    m_network.AssignStreams(m_roce, FABRIC_STREAM);
    return true;
}

bool
RoceExperiment::BuildFlows()
{
    const RoceTopology& topology = m_spec.GetTopology();
    // Grouped by destination, the path finder searches once per destination.
    std::vector<RoceFlow> flows = m_spec.GetFlows();
    std::sort(flows.begin(), flows.end(), [](const RoceFlow& a, const RoceFlow& b) {
        return std::tie(a.destination, a.id) < std::tie(b.destination, b.id);
    });
    RocePathFinder finder(topology);
    const uint64_t packetsPerMessage = RdmaRequester::MAX_MESSAGE_BYTES / m_config.mtu;
    const RoceIdealFct ideal(m_config.mtu, packetsPerMessage * m_config.mtu);
    for (const RoceFlow& flow : flows)
    {
        const std::vector<uint32_t>& path = finder.FindPath(flow.source, flow.destination);
        if (path.empty())
        {
            return Fail("flow " + std::to_string(flow.id) + ": there is no path from host " +
                        std::to_string(flow.source) + " to host " +
                        std::to_string(flow.destination) + " (hosts do not forward)");
        }
        std::vector<RoceTopologyLink> links;
        for (const uint32_t link : path)
        {
            links.push_back(topology.GetLinks()[link]);
        }
        m_flows.AddFlow(flow,
                        m_network.GetEngine(path.front(), flow.source),
                        m_network.GetEngine(path.back(), flow.destination),
                        ideal.Compute(links, flow.bytes));
    }
    return true;
}

bool
RoceExperiment::OpenFiles()
{
    for (std::size_t end = 0; end != std::string::npos;)
    {
        end = m_config.output.find('/', end + 1);
        mkdir(m_config.output.substr(0, end).c_str(), 0777); // the next line notices a failure
    }
    if (!std::ofstream(GetPath("flows.csv")))
    {
        return Fail("no files can be written in the directory --output=" + m_config.output);
    }
    std::remove(GetPath("summary.json").c_str()); // of an earlier run
    m_flowRecorder = std::make_unique<RoceFlowRecorder>(GetPath("flows.csv"));
    m_pfcRecorder = std::make_unique<RocePfcRecorder>(GetPath("pfc.csv"));
    m_queueRecorder = std::make_unique<RoceQueueRecorder>(GetPath("queues.csv"),
                                                          m_config.queueInterval,
                                                          m_config.queueMinimum);
    m_portRecorder = std::make_unique<RocePortRecorder>(GetPath("ports.csv"));
    m_counterRecorder = std::make_unique<RdmaCounterRecorder>(GetPath("counters.csv"));
    return true;
}

void
RoceExperiment::ConnectRecorders()
{
    const RoceTopology& topology = m_spec.GetTopology();
    for (uint32_t node = 0; node < topology.GetNNodes(); node++)
    {
        const Ptr<RoceSwitch> owner = m_network.GetSwitch(node);
        const std::vector<uint32_t>& links = topology.GetLinksOf(node);
        for (uint32_t port = 0; port < links.size(); port++)
        {
            Ptr<RoceNetDevice> device = m_network.GetDevice(links[port], node);
            const uint32_t peer = topology.GetPeer(links[port], node);
            m_portRecorder->AddPort(device, node, port, peer, owner);
            if (m_config.pfc)
            {
                const auto pfc = DynamicCast<PfcFlowControl>(device->GetFlowControl());
                m_pfcRecorder->Connect(pfc, node, port);
            }
        }
        if (owner && m_queueRecorder->IsEnabled())
        {
            m_queueRecorder->Connect(owner, node);
        }
    }
    m_flows.SetRecorder(m_flowRecorder.get());
}

void
RoceExperiment::CollectCounters()
{
    for (const uint32_t node : m_spec.GetTopology().GetSwitches())
    {
        const Ptr<RoceSwitch> pipeline = m_network.GetSwitch(node);
        // Without PFC no class is lossless, whatever it was meant to be.
        (m_config.pfc ? m_result.dropsLossless : m_result.dropsLossy) +=
            pipeline->GetTotalDrops(true);
        m_result.dropsLossy += pipeline->GetTotalDrops(false);
        m_result.maxBufferBytes =
            std::max(m_result.maxBufferBytes, pipeline->GetBuffer()->GetPeakUsedBytes());
    }
    for (const uint32_t host : m_spec.GetTopology().GetHosts())
    {
        const std::vector<uint32_t>& links = m_spec.GetTopology().GetLinksOf(host);
        for (uint32_t port = 0; port < links.size(); port++)
        {
            const Ptr<RdmaEngine> engine = m_network.GetEngine(links[port], host);
            m_counterRecorder->RecordDevice(engine, host, port);
            const RdmaCounters counters = engine->GetCounters();
            m_result.engines.packetsSent += counters.packetsSent;
            m_result.engines.cnpSent += counters.cnpSent;
            m_result.engines.retransmittedPackets += counters.retransmittedPackets;
            m_result.engines.naksSent += counters.naksSent;
            m_result.engines.localAckTimeoutErr += counters.localAckTimeoutErr;
        }
    }
    m_counterRecorder->Flush();
}

const RoceExperiment::Result&
RoceExperiment::Finish(const Cost& cost)
{
    NS_LOG_FUNCTION(this);
    const RocePs start = m_flows.GetFirstStart();
    const RocePs last = m_flows.GetNUnfinished() > 0 ? RoceClock::Now() : m_flows.GetLastEnd();
    const RocePs end = std::max(last, start);
    m_result = Result();
    m_result.cost = cost;
    m_result.makespan = static_cast<double>(end - start) / RoceClock::SECOND;
    m_queueRecorder->Finish();
    m_pfcRecorder->Flush();
    m_result.ports = m_portRecorder->Write(start, end);
    CollectCounters();
    WriteSummary();
    return m_result;
}

void
RoceExperiment::WriteSummary() const
{
    const RoceSlowdownStatistics::Result slowdown = m_flows.GetSlowdowns().GetResult();
    const auto hops = static_cast<double>(m_result.ports.packetHops);
    const auto events = static_cast<double>(m_result.cost.events);
    const double cpu = m_result.cost.cpu;
    RoceJsonFile json;
    json.AddInteger("flows_total", m_flows.GetNFlows());
    json.AddInteger("flows_completed", m_flows.GetNCompleted());
    json.AddInteger("flows_failed", m_flows.GetNFailed());
    json.AddInteger("flows_unfinished", m_flows.GetNUnfinished());
    json.AddInteger("bytes_total", m_flows.GetTotalBytes());
    json.AddInteger("drops_lossless", m_result.dropsLossless);
    json.AddInteger("drops_lossy", m_result.dropsLossy);
    json.AddInteger("drops_link", m_result.ports.linkDrops);
    json.AddInteger("pfc_xoff_sent", m_result.ports.xoffSent);
    json.AddNumber("pfc_paused_s", RoceCsvFile::FormatSeconds(m_result.ports.pausedTime));
    json.AddInteger("ecn_marked", m_result.ports.ecnMarked);
    json.AddInteger("cnp_sent", m_result.engines.cnpSent);
    json.AddInteger("retransmitted_packets", m_result.engines.retransmittedPackets);
    json.AddInteger("nak_sent", m_result.engines.naksSent);
    json.AddInteger("timeouts", m_result.engines.localAckTimeoutErr);
    json.AddInteger("max_queue_bytes", m_result.ports.maxQueueBytes);
    json.AddInteger("max_buffer_bytes", m_result.maxBufferBytes);
    json.AddInteger("packet_hops", m_result.ports.packetHops);
    json.AddInteger("events", m_result.cost.events);
    json.AddDecimal("events_per_hop", hops > 0 ? events / hops : 0);
    json.AddDecimal("cpu_s", cpu);
    json.AddDecimal("wall_s", m_result.cost.wall);
    json.AddDecimal("packet_hops_per_cpu_s", cpu > 0 ? hops / cpu : 0);
    json.AddNumber("sim_s", RoceCsvFile::FormatSeconds(RoceClock::Now()));
    json.AddDecimal("makespan_s", m_result.makespan);
    const double bits = 8 * static_cast<double>(m_flows.GetCompletedBytes());
    json.AddDecimal("goodput_bps", m_result.makespan > 0 ? bits / m_result.makespan : 0);
    json.Open("slowdown");
    json.AddDecimal("mean", slowdown.mean);
    json.AddDecimal("p50", slowdown.p50);
    json.AddDecimal("p95", slowdown.p95);
    json.AddDecimal("p99", slowdown.p99);
    json.AddDecimal("max", slowdown.maximum);
    json.Close();
    AddConfiguration(json);
    json.Write(GetPath("summary.json"));
}

void
RoceExperiment::AddConfiguration(RoceJsonFile& json) const
{
    const RoceTopology& topology = m_spec.GetTopology();
    json.Open("config");
    json.AddText("topology", m_config.topology);
    json.AddInteger("hosts", topology.GetHosts().size());
    json.AddInteger("switches", topology.GetSwitches().size());
    json.AddInteger("links", topology.GetLinks().size());
    json.AddText("flows", m_config.flows);
    json.AddInteger("mtu", m_config.mtu);
    json.AddText("cc", m_config.congestionControl);
    json.AddText("lb", m_config.loadBalancer);
    json.AddInteger("pfc", m_config.pfc ? 1 : 0);
    json.AddInteger("ecn", m_config.ecn ? 1 : 0);
    json.AddInteger("seed", m_config.seed);
    ObjectFactory factory;
    factory.SetTypeId(m_config.congestionControl);
    json.Open("congestion_control");
    AddAttributes(json, factory.Create<Object>());
    json.Close();
    if (!topology.GetSwitches().empty())
    {
        const Ptr<RoceSwitch> first = m_network.GetSwitch(topology.GetSwitches().front());
        json.Open("load_balancer");
        AddAttributes(json, first->GetLoadBalancer());
        json.Close();
        json.Open("buffer");
        AddAttributes(json, first->GetBuffer());
        json.Close();
    }
    json.Close();
}

void
RoceExperiment::Print(std::ostream& os) const
{
    /// A range of flow sizes.
    struct Range
    {
        const char* name; //!< what to call it
        uint64_t minimum; //!< smallest size
        uint64_t limit;   //!< sizes are below this one
    };

    static constexpr std::array RANGES{Range{"all", 0, UINT64_MAX},
                                       Range{"below 10 kB", 0, 10'000},
                                       Range{"10 kB to 100 kB", 10'000, 100'000},
                                       Range{"100 kB to 1 MB", 100'000, 1'000'000},
                                       Range{"1 MB to 10 MB", 1'000'000, 10'000'000},
                                       Range{"10 MB and more", 10'000'000, UINT64_MAX}};
    const std::ios::fmtflags flags = os.flags();
    const std::streamsize precision = os.precision();
    os << "slowdown            flows      mean       p50       p95       p99       max\n";
    for (const Range& range : RANGES)
    {
        const RoceSlowdownStatistics::Result result =
            m_flows.GetSlowdowns().GetResult(range.minimum, range.limit);
        if (result.flows > 0)
        {
            os << std::left << std::setw(16) << range.name << std::right << std::setw(9)
               << result.flows << std::fixed << std::setprecision(3);
            for (const double value :
                 {result.mean, result.p50, result.p95, result.p99, result.maximum})
            {
                os << std::setw(10) << value;
            }
            os << '\n';
        }
    }
    os.flags(flags);
    os.precision(precision);
    const auto hops = static_cast<double>(m_result.ports.packetHops);
    const Cost& cost = m_result.cost;
    os << "flows: " << m_flows.GetNCompleted() << " completed, " << m_flows.GetNFailed()
       << " failed, " << m_flows.GetNUnfinished() << " unfinished\n"
       << "PFC: " << m_result.ports.xoffSent << " pause requests, ports paused for "
       << 1e3 * static_cast<double>(m_result.ports.pausedTime) / RoceClock::SECOND << " ms in all\n"
       << "drops: " << m_result.dropsLossless << " in lossless classes, " << m_result.dropsLossy
       << " in others, " << m_result.ports.linkDrops << " on links\n"
       << "ECN: " << m_result.ports.ecnMarked << " frames marked, " << m_result.engines.cnpSent
       << " CNPs; packets sent again: " << m_result.engines.retransmittedPackets << '\n'
       << "buffers: deepest queue " << m_result.ports.maxQueueBytes
       << " bytes, most in use in a switch " << m_result.maxBufferBytes << " bytes\n"
       << "run: " << m_result.ports.packetHops << " packet-hops (data and ACK), "
       << (hops > 0 ? static_cast<double>(cost.events) / hops : 0) << " events each, "
       << (cost.cpu > 0 ? hops / cost.cpu / 1e6 : 0) << " million per CPU second; " << cost.cpu
       << " s CPU, " << cost.wall << " s wall, " << 1e3 * m_result.makespan << " ms simulated\n"
       << "results: " << m_config.output << std::endl;
}

void
RoceExperiment::PrintUnfinished(std::ostream& os) const
{
    if (m_flows.GetNUnfinished() == 0)
    {
        return;
    }
    constexpr std::size_t MOST = 10;
    os << m_flows.GetNUnfinished() << " of " << m_flows.GetNFlows() << " flows have not ended at "
       << Simulator::Now().GetSeconds() << " s; the first of them:\n";
    for (const RoceFlow& flow : m_flows.GetUnfinished(MOST))
    {
        os << "  flow " << flow.id << " from " << flow.source << " to " << flow.destination
           << ", start " << RoceCsvFile::FormatSeconds(flow.start)
           << " s: " << m_flows.GetAckedBytes(flow) << " of " << flow.bytes
           << " bytes acknowledged\n";
    }
}

} // namespace ns3
