/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-congestion-ops.h"

#include "ns3/abort.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaCongestionOps");
NS_OBJECT_ENSURE_REGISTERED(RdmaCongestionOps);

TypeId
RdmaCongestionOps::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaCongestionOps").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

RdmaCongestionOps::~RdmaCongestionOps() = default;

void
RdmaCongestionOps::Init(RdmaCongestionState& state, RocePs now)
{
    NS_LOG_FUNCTION(this << now);
    DoInit(state, now);
    NS_ABORT_MSG_IF(state.rate == 0, GetName() << " set a sending rate of 0; it must be positive");
}

void
RdmaCongestionOps::Update(RdmaCongestionState& state, RocePs now)
{
    if (now >= state.nextUpdate)
    {
        DoUpdate(state, now);
    }
}

void
RdmaCongestionOps::PacketSent(RdmaCongestionState& state, RocePs now, uint32_t wireBytes)
{
    Update(state, now);
    DoPacketSent(state, now, wireBytes);
}

void
RdmaCongestionOps::AckReceived(RdmaCongestionState& state, const RdmaAckEvent& event)
{
    Update(state, event.time);
    if (event.ecnEcho)
    {
        state.signals++;
    }
    DoAckReceived(state, event);
}

void
RdmaCongestionOps::CnpReceived(RdmaCongestionState& state, RocePs now)
{
    NS_LOG_FUNCTION(this << now);
    Update(state, now);
    state.signals++;
    DoCnpReceived(state, now);
}

void
RdmaCongestionOps::LossDetected(RdmaCongestionState& state, RocePs now, bool timeout)
{
    NS_LOG_FUNCTION(this << now << timeout);
    Update(state, now);
    state.signals++;
    DoLossDetected(state, now, timeout);
}

void
RdmaCongestionOps::DoUpdate(RdmaCongestionState&, RocePs)
{
}

void
RdmaCongestionOps::DoPacketSent(RdmaCongestionState&, RocePs, uint32_t)
{
}

void
RdmaCongestionOps::DoAckReceived(RdmaCongestionState&, const RdmaAckEvent&)
{
}

void
RdmaCongestionOps::DoCnpReceived(RdmaCongestionState&, RocePs)
{
}

void
RdmaCongestionOps::DoLossDetected(RdmaCongestionState&, RocePs, bool)
{
}

} // namespace ns3
