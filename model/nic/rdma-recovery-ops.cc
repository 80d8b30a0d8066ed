/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-recovery-ops.h"

#include "ns3/assert.h"
#include "ns3/log.h"

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
RdmaRecoveryOps::GapReported(RdmaTransportState& state)
{
    NS_LOG_FUNCTION(this << state.unacked << state.next);
    DoGapReported(state);
    NS_ASSERT(state.unacked <= state.next && state.next <= state.highest);
}

void
RdmaRecoveryOps::TimedOut(RdmaTransportState& state)
{
    NS_LOG_FUNCTION(this << state.unacked << state.next);
    DoTimedOut(state);
    NS_ASSERT(state.unacked <= state.next && state.next <= state.highest);
}

} // namespace ns3
