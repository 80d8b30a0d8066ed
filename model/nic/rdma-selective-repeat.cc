/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-selective-repeat.h"

#include "ns3/log.h"
#include "ns3/roce-clock.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSelectiveRepeat");
NS_OBJECT_ENSURE_REGISTERED(RdmaSelectiveRepeat);

TypeId
RdmaSelectiveRepeat::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaSelectiveRepeat")
            .SetParent<RdmaRecoveryOps>()
            .SetGroupName("Roce")
            .AddConstructor<RdmaSelectiveRepeat>()
            .AddAttribute("ReorderWindow",
                          "Packets after a gap that the responder keeps; later ones are dropped.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&RdmaSelectiveRepeat::m_reorderWindow),
                          MakeUintegerChecker<uint32_t>(1, 1 << 22))
            .AddAttribute("GapTolerance",
                          "How far behind the newest packet a missing one may be before it is "
                          "reported, in packets (1: at once, as IRN).",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaSelectiveRepeat::m_gapTolerance),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxOutstanding",
                          "Most packets in flight (IRN: one bandwidth-delay product); 0 means no "
                          "limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaSelectiveRepeat::m_maxOutstanding),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("RtoLow",
                          "Timeout while at most FewPackets are in flight (IRN: 100 us); 0 takes "
                          "that of the queue pair.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&RdmaSelectiveRepeat::m_rtoLow),
                          MakeTimeChecker(Time()))
            .AddAttribute("RtoHigh",
                          "Timeout otherwise (IRN: 320 us); 0 takes that of the queue pair.",
                          TimeValue(MicroSeconds(320)),
                          MakeTimeAccessor(&RdmaSelectiveRepeat::m_rtoHigh),
                          MakeTimeChecker(Time()))
            .AddAttribute("FewPackets",
                          "Packets in flight up to which RtoLow is used (IRN: 3).",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaSelectiveRepeat::m_fewPackets),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

void
RdmaSelectiveRepeat::DoGapReported(RdmaTransportState& state, uint64_t received)
{
    if (received > state.unacked && received < state.highest)
    {
        m_arrived.insert(received);
    }
    else if (received == state.unacked)
    {
        state.next = state.unacked; // more has arrived than the responder could keep
    }
}

void
RdmaSelectiveRepeat::DoTimedOut(RdmaTransportState& state)
{
    m_repeatNext = state.unacked; // what was repeated may have been lost again
    m_oldestAgain = true;
}

void
RdmaSelectiveRepeat::Advanced(const RdmaTransportState& state)
{
    m_arrived.erase(m_arrived.begin(), m_arrived.lower_bound(state.unacked));
    m_oldestAgain = false;
}

void
RdmaSelectiveRepeat::Reset()
{
    m_arrived.clear();
    m_oldestAgain = false;
}

uint64_t
RdmaSelectiveRepeat::FindMissing(const RdmaTransportState& state) const
{
    if (m_oldestAgain)
    {
        return state.unacked;
    }
    if (m_arrived.empty())
    {
        return NONE;
    }
    uint64_t sequence = std::max(m_repeatNext, state.unacked);
    for (auto arrived = m_arrived.lower_bound(sequence);
         arrived != m_arrived.end() && *arrived == sequence;
         ++arrived)
    {
        sequence++;
    }
    return sequence < *m_arrived.rbegin() ? sequence : NONE;
}

bool
RdmaSelectiveRepeat::HasResend(const RdmaTransportState& state) const
{
    return FindMissing(state) != NONE;
}

bool
RdmaSelectiveRepeat::TakeResend(const RdmaTransportState& state, uint64_t& sequence)
{
    const uint64_t missing = FindMissing(state);
    if (missing == NONE)
    {
        return false;
    }
    sequence = missing;
    return true;
}

void
RdmaSelectiveRepeat::Resent(uint64_t end)
{
    m_oldestAgain = false;
    m_repeatNext = end;
}

uint64_t
RdmaSelectiveRepeat::GetMaxOutstanding() const
{
    return m_maxOutstanding ? m_maxOutstanding : RdmaRecoveryOps::GetMaxOutstanding();
}

RocePs
RdmaSelectiveRepeat::GetTimeout(const RdmaTransportState& state, RocePs configured) const
{
    const Time& timeout = state.highest - state.unacked <= m_fewPackets ? m_rtoLow : m_rtoHigh;
    return timeout.IsZero() ? configured : RoceClock::FromTime(timeout);
}

RocePs
RdmaSelectiveRepeat::GetShortestTimeout(RocePs configured) const
{
    const RocePs low = m_rtoLow.IsZero() ? configured : RoceClock::FromTime(m_rtoLow);
    const RocePs high = m_rtoHigh.IsZero() ? configured : RoceClock::FromTime(m_rtoHigh);
    return std::min(low, high);
}

uint32_t
RdmaSelectiveRepeat::GetReorderWindow() const
{
    return m_reorderWindow;
}

bool
RdmaSelectiveRepeat::ReportsGap(uint64_t missing, uint64_t received, bool) const
{
    return received - missing >= m_gapTolerance;
}

} // namespace ns3
