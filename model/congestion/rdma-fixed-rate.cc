/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-fixed-rate.h"

#include "ns3/abort.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaFixedRate");
NS_OBJECT_ENSURE_REGISTERED(RdmaFixedRate);

TypeId
RdmaFixedRate::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaFixedRate")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("Roce")
            .AddConstructor<RdmaFixedRate>()
            .AddAttribute("Rate",
                          "The rate in wire bits, preamble and gap included; above 0 and at most "
                          "the line rate.",
                          DataRateValue(DataRate(10'000'000'000)),
                          MakeDataRateAccessor(&RdmaFixedRate::m_rate),
                          MakeDataRateChecker());
    return tid;
}

RdmaFixedRate::RdmaFixedRate() = default;

RdmaFixedRate::~RdmaFixedRate() = default;

std::string
RdmaFixedRate::GetName() const
{
    return "fixed-rate";
}

void
RdmaFixedRate::DoInit(RdmaCongestionState& state, RocePs now)
{
    NS_LOG_FUNCTION(this << now);
    NS_ABORT_MSG_IF(m_rate.GetBitRate() == 0 || m_rate.GetBitRate() > state.lineRate,
                    "ns3::RdmaFixedRate::Rate is "
                        << m_rate << "; it must be above 0 and at most the line rate of "
                        << state.lineRate << " bit/s");
    state.rate = m_rate.GetBitRate();
    state.window = RdmaCongestionState::UNLIMITED;
    state.nextUpdate = RdmaCongestionState::NEVER;
}

} // namespace ns3
