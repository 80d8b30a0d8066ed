/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-no-congestion-control.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNoCongestionControl");
NS_OBJECT_ENSURE_REGISTERED(RdmaNoCongestionControl);

TypeId
RdmaNoCongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaNoCongestionControl")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("Roce")
            .AddConstructor<RdmaNoCongestionControl>()
            .AddAttribute("Window",
                          "Most unacknowledged payload bytes, at least one path MTU; "
                          "0 for no limit, as NICs have none.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaNoCongestionControl::m_window),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

RdmaNoCongestionControl::RdmaNoCongestionControl()
    : m_window(0)
{
}

RdmaNoCongestionControl::~RdmaNoCongestionControl() = default;

std::string
RdmaNoCongestionControl::GetName() const
{
    return "none";
}

void
RdmaNoCongestionControl::DoInit(RdmaCongestionState& state, RocePs now)
{
    NS_LOG_FUNCTION(this << now);
    NS_ABORT_MSG_IF(m_window != 0 && m_window < state.pathMtu,
                    "ns3::RdmaNoCongestionControl::Window is "
                        << m_window << " bytes; it must be 0 or at least the path MTU of "
                        << state.pathMtu << " bytes");
    state.rate = state.lineRate;
    state.window = m_window == 0 ? RdmaCongestionState::UNLIMITED : m_window;
    state.nextUpdate = RdmaCongestionState::NEVER;
}

} // namespace ns3
