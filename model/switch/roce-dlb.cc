/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-dlb.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/log.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-compat.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceDlb");

NS_OBJECT_ENSURE_REGISTERED(RoceDlb);

namespace
{

constexpr double BEST_LEVEL = 7.0; //!< level of an idle port

/**
 * @param value a measurement
 * @param min where level 7 ends
 * @param max where level 0 begins, greater than min
 * @return level, 7 (best) to 0
 */
double
GetLevel(double value, double min, double max)
{
    constexpr double STEPS = 6.0; // levels 6 to 1 lie between min and max
    if (value < min)
    {
        return BEST_LEVEL;
    }
    if (value >= max)
    {
        return 0.0;
    }
    return STEPS - static_cast<int>((value - min) * STEPS / (max - min));
}

} // namespace

TypeId
RoceDlb::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceDlb")
            .SetParent<RoceLoadBalancer>()
            .SetGroupName("Roce")
            .AddConstructor<RoceDlb>()
            .AddAttribute("Mode",
                          "How long a choice holds: for a flowlet, a packet, or for ever.",
                          EnumValue(RoceDlb::FLOWLET),
                          MakeRoceEnumAccessor<Mode>(&RoceDlb::m_mode),
                          MakeEnumChecker(RoceDlb::FLOWLET,
                                          "FLOWLET",
                                          RoceDlb::PER_PACKET,
                                          "PER_PACKET",
                                          RoceDlb::ASSIGNED,
                                          "ASSIGNED"))
            .AddAttribute("Pick",
                          "Which port is chosen: one of the best band, the better of two "
                          "different random ones, or a random one.",
                          EnumValue(RoceDlb::BEST),
                          MakeRoceEnumAccessor<Pick>(&RoceDlb::m_pick),
                          MakeEnumChecker(RoceDlb::BEST,
                                          "BEST",
                                          RoceDlb::TWO_CHOICES,
                                          "TWO_CHOICES",
                                          RoceDlb::RANDOM,
                                          "RANDOM"))
            .AddAttribute("FlowSetSize",
                          "Entries of the flow-set table of a group (SAI ARS max_flows 512). Flows "
                          "that hash to the same entry move together.",
                          UintegerValue(512),
                          MakeUintegerAccessor(&RoceDlb::m_flowSets),
                          MakeUintegerChecker<uint32_t>(1, 1 << 20))
            .AddAttribute("InactivityTime",
                          "Idle time of a flow set that ends a flowlet (Broadcom and Juniper "
                          "default).",
                          TimeValue(MicroSeconds(256)),
                          MakeTimeAccessor(&RoceDlb::m_inactivity),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("SamplePeriod",
                          "Period in which loads are sampled and qualities found (FBOSS 5 us).",
                          TimeValue(MicroSeconds(5)),
                          MakeTimeAccessor(&RoceDlb::m_samplePeriod),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("MinLoad",
                          "Share of the port rate below which the load level is best (500 Mb/s of "
                          "10 Gb/s).",
                          DoubleValue(0.05),
                          MakeDoubleAccessor(&RoceDlb::m_minLoad),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute(
                "MaxLoad",
                "Share of the port rate at which the load level is worst (9000 Mb/s of 10 "
                "Gb/s).",
                DoubleValue(0.9),
                MakeDoubleAccessor(&RoceDlb::m_maxLoad),
                MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("MinQueue",
                          "Queued bytes below which the queue level is best, on a port of "
                          "QueueReferenceRate (FBOSS on Tomahawk 5: 103 cells of 254 B).",
                          UintegerValue(26162),
                          MakeUintegerAccessor(&RoceDlb::m_minQueue),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MaxQueue",
                          "Queued bytes at which the queue level is worst, on a port of "
                          "QueueReferenceRate (FBOSS on Tomahawk 5: 563 cells of 254 B).",
                          UintegerValue(143002),
                          MakeUintegerAccessor(&RoceDlb::m_maxQueue),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "QueueReferenceRate",
                "Port rate for which MinQueue and MaxQueue are given; they scale with the "
                "rate of the port.",
                DataRateValue(DataRate("400Gbps")),
                MakeDataRateAccessor(&RoceDlb::m_queueRate),
                MakeDataRateChecker())
            .AddAttribute("LoadWeight",
                          "Weight of the load level in the quality; the queue level has the rest.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RoceDlb::m_loadWeight),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddTraceSource("Reroute",
                            "A flow set changed its port.",
                            MakeTraceSourceAccessor(&RoceDlb::m_rerouteTrace),
                            "ns3::RoceDlb::RerouteCallback");
    return tid;
}

RoceDlb::RoceDlb()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

RoceDlb::~RoceDlb() = default;

void
RoceDlb::NotifyConstructionCompleted()
{
    RoceLoadBalancer::NotifyConstructionCompleted();
    NS_ABORT_MSG_UNLESS(
        m_minLoad < m_maxLoad && m_minQueue < m_maxQueue && m_queueRate.GetBitRate() > 0,
        "RoceDlb: MinLoad " << m_minLoad << " must be less than MaxLoad " << m_maxLoad
                            << ", MinQueue " << m_minQueue << " B less than MaxQueue " << m_maxQueue
                            << " B, and QueueReferenceRate " << m_queueRate.GetBitRate()
                            << " bit/s not 0");
}

RocePs
RoceDlb::GetSamplePeriod() const
{
    return RoceClock::FromTime(m_samplePeriod);
}

int64_t
RoceDlb::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

uint8_t
RoceDlb::GetQuality(uint16_t port, RocePs now, const RocePortLoads& loads) const
{
    const auto rate = static_cast<double>(loads.GetRate(port));
    const double scale = rate / static_cast<double>(m_queueRate.GetBitRate());
    const double load = GetLevel(loads.GetLoad(port, now) / rate, m_minLoad, m_maxLoad);
    const double queue = GetLevel(static_cast<double>(loads.GetQueuedBytes(port)),
                                  static_cast<double>(m_minQueue) * scale,
                                  static_cast<double>(m_maxQueue) * scale);
    constexpr double ROUND = 0.5;
    return static_cast<uint8_t>(m_loadWeight * load + (1.0 - m_loadWeight) * queue + ROUND);
}

uint16_t
RoceDlb::DoSelect(const RocePortGroup& group,
                  const RoceFrame& frame,
                  RocePs now,
                  const RocePortLoads& loads)
{
    constexpr uint16_t IPV4 = 0x0800;
    constexpr uint16_t IPV6 = 0x86dd;
    if (frame.etherType != IPV4 && frame.etherType != IPV6)
    {
        return group.ports[Reduce(Hash(frame), static_cast<uint32_t>(group.ports.size()))];
    }
    if (group.id >= m_groups.size())
    {
        m_groups.resize(group.id + 1);
    }
    GroupState& state = m_groups[group.id];
    if (m_mode == PER_PACKET)
    {
        return PickPort(state, group, now, loads);
    }

    if (state.flowSets.empty())
    {
        state.flowSets.resize(m_flowSets);
    }
    const uint32_t index = Reduce(Hash(frame), static_cast<uint32_t>(state.flowSets.size()));
    FlowSet& flowSet = state.flowSets[index];
    const bool used = flowSet.last >= 0;
    bool keep =
        used && (m_mode == ASSIGNED || now - flowSet.last < RoceClock::FromTime(m_inactivity));
    if (keep && flowSet.version != group.version)
    {
        keep = std::binary_search(group.ports.begin(), group.ports.end(), flowSet.port);
    }
    if (!keep)
    {
        const uint16_t before = flowSet.port;
        flowSet.port = PickPort(state, group, now, loads);
        if (used && before != flowSet.port)
        {
            NS_LOG_LOGIC("group " << group.id << " flow set " << index << " from port " << before
                                  << " to " << flowSet.port);
            m_rerouteTrace(group.id, index, before, flowSet.port, now);
        }
    }
    flowSet.version = group.version;
    flowSet.last = now;
    return flowSet.port;
}

uint16_t
RoceDlb::PickPort(GroupState& state,
                  const RocePortGroup& group,
                  RocePs now,
                  const RocePortLoads& loads)
{
    if (group.ports.size() == 1)
    {
        return group.ports.front();
    }
    if (m_pick == BEST)
    {
        UpdateCandidates(state, group, now, loads);
        return PickRandom(state.candidates);
    }
    if (m_pick == RANDOM)
    {
        return PickRandom(group.ports);
    }
    const auto n = static_cast<uint32_t>(group.ports.size());
    const uint32_t i = m_random->GetInteger(0, n - 1);
    const uint32_t distance = m_random->GetInteger(1, n - 1);
    const uint16_t first = group.ports[i];
    const uint16_t second = group.ports[(i + distance) % n];
    return GetQuality(second, now, loads) > GetQuality(first, now, loads) ? second : first;
}

uint16_t
RoceDlb::PickRandom(const std::vector<uint16_t>& ports)
{
    return ports.size() == 1
               ? ports.front()
               : ports[m_random->GetInteger(0, static_cast<uint32_t>(ports.size()) - 1)];
}

void
RoceDlb::UpdateCandidates(GroupState& state,
                          const RocePortGroup& group,
                          RocePs now,
                          const RocePortLoads& loads) const
{
    const RocePs sample = now / GetSamplePeriod();
    if (state.sample == sample && state.version == group.version)
    {
        return;
    }
    state.sample = sample;
    state.version = group.version;
    state.candidates.clear();
    uint8_t best = 0;
    for (const uint16_t port : group.ports)
    {
        const uint8_t quality = GetQuality(port, now, loads);
        if (quality > best)
        {
            best = quality;
            state.candidates.clear();
        }
        if (quality == best)
        {
            state.candidates.push_back(port);
        }
    }
}

} // namespace ns3
