/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-recovery-ops.h"

#include "ns3/assert.h"
#include "ns3/log.h"

#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaRecoveryOps");
NS_OBJECT_ENSURE_REGISTERED(RdmaRecoveryOps);

TypeId
RdmaRecoveryOps::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaRecoveryOps").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

RdmaRecoveryOps::~RdmaRecoveryOps() = default;

void
RdmaRecoveryOps::GapReported(RdmaTransportState& state, uint64_t received)
{
    NS_LOG_FUNCTION(this << state.unacked << state.next << received);
    DoGapReported(state, received);
    NS_ASSERT(state.unacked <= state.next && state.next <= state.highest);
}

void
RdmaRecoveryOps::TimedOut(RdmaTransportState& state)
{
    NS_LOG_FUNCTION(this << state.unacked << state.next);
    DoTimedOut(state);
    NS_ASSERT(state.unacked <= state.next && state.next <= state.highest);
}

void
RdmaRecoveryOps::Advanced(const RdmaTransportState&)
{
}

void
RdmaRecoveryOps::Reset()
{
}

bool
RdmaRecoveryOps::HasResend(const RdmaTransportState&) const
{
    return false;
}

bool
RdmaRecoveryOps::TakeResend(const RdmaTransportState&, uint64_t&)
{
    return false;
}

void
RdmaRecoveryOps::Resent(uint64_t)
{
}

uint64_t
RdmaRecoveryOps::GetMaxOutstanding() const
{
    return std::numeric_limits<uint64_t>::max();
}

RocePs
RdmaRecoveryOps::GetTimeout(const RdmaTransportState&, RocePs configured) const
{
    return configured;
}

RocePs
RdmaRecoveryOps::GetShortestTimeout(RocePs configured) const
{
    return configured;
}

bool
RdmaRecoveryOps::RestartsMessages() const
{
    return false;
}

uint32_t
RdmaRecoveryOps::GetReorderWindow() const
{
    return 0;
}

bool
RdmaRecoveryOps::ReportsGap(uint64_t, uint64_t, bool reported) const
{
    return !reported;
}

} // namespace ns3
