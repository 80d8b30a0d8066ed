/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-atomic-ack-eth-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceAtomicAckEthHeader);

TypeId
RoceAtomicAckEthHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceAtomicAckEthHeader")
                            .SetParent<Header>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceAtomicAckEthHeader>();
    return tid;
}

TypeId
RoceAtomicAckEthHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceAtomicAckEthHeader::SetOriginalData(uint64_t originalData)
{
    m_originalData = originalData;
}

uint64_t
RoceAtomicAckEthHeader::GetOriginalData() const
{
    return m_originalData;
}

void
RoceAtomicAckEthHeader::Print(std::ostream& os) const
{
    os << "original=" << m_originalData;
}

uint32_t
RoceAtomicAckEthHeader::GetSerializedSize() const
{
    return 8;
}

void
RoceAtomicAckEthHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU64(m_originalData);
}

uint32_t
RoceAtomicAckEthHeader::Deserialize(Buffer::Iterator start)
{
    m_originalData = start.ReadNtohU64();
    return GetSerializedSize();
}

} // namespace ns3
