/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-atomic-eth-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceAtomicEthHeader);

TypeId
RoceAtomicEthHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceAtomicEthHeader")
                            .SetParent<Header>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceAtomicEthHeader>();
    return tid;
}

TypeId
RoceAtomicEthHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceAtomicEthHeader::SetVirtualAddress(uint64_t virtualAddress)
{
    m_virtualAddress = virtualAddress;
}

uint64_t
RoceAtomicEthHeader::GetVirtualAddress() const
{
    return m_virtualAddress;
}

void
RoceAtomicEthHeader::SetRKey(uint32_t rKey)
{
    m_rKey = rKey;
}

uint32_t
RoceAtomicEthHeader::GetRKey() const
{
    return m_rKey;
}

void
RoceAtomicEthHeader::SetSwapAdd(uint64_t swapAdd)
{
    m_swapAdd = swapAdd;
}

uint64_t
RoceAtomicEthHeader::GetSwapAdd() const
{
    return m_swapAdd;
}

void
RoceAtomicEthHeader::SetCompare(uint64_t compare)
{
    m_compare = compare;
}

uint64_t
RoceAtomicEthHeader::GetCompare() const
{
    return m_compare;
}

void
RoceAtomicEthHeader::Print(std::ostream& os) const
{
    os << "va=0x" << std::hex << m_virtualAddress << std::dec << " rkey=0x" << std::hex << m_rKey
       << std::dec << " swap-add=" << m_swapAdd << " compare=" << m_compare;
}

uint32_t
RoceAtomicEthHeader::GetSerializedSize() const
{
    return 28;
}

void
RoceAtomicEthHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU64(m_virtualAddress);
    start.WriteHtonU32(m_rKey);
    start.WriteHtonU64(m_swapAdd);
    start.WriteHtonU64(m_compare);
}

uint32_t
RoceAtomicEthHeader::Deserialize(Buffer::Iterator start)
{
    m_virtualAddress = start.ReadNtohU64();
    m_rKey = start.ReadNtohU32();
    m_swapAdd = start.ReadNtohU64();
    m_compare = start.ReadNtohU64();
    return GetSerializedSize();
}

} // namespace ns3
