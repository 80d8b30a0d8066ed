/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-go-back-zero.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaGoBackZero);

TypeId
RdmaGoBackZero::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaGoBackZero")
                            .SetParent<RdmaGoBackN>()
                            .SetGroupName("Roce")
                            .AddConstructor<RdmaGoBackZero>();
    return tid;
}

bool
RdmaGoBackZero::RestartsMessages() const
{
    return true;
}

} // namespace ns3
