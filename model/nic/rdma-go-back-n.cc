/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-go-back-n.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaGoBackN);

TypeId
RdmaGoBackN::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaGoBackN")
                            .SetParent<RdmaRecoveryOps>()
                            .SetGroupName("Roce")
                            .AddConstructor<RdmaGoBackN>();
    return tid;
}

void
RdmaGoBackN::DoGapReported(RdmaTransportState& state, uint64_t)
{
    state.next = state.unacked;
}

void
RdmaGoBackN::DoTimedOut(RdmaTransportState& state)
{
    state.next = state.unacked;
}

} // namespace ns3
