/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-reth-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceRethHeader);

TypeId
RoceRethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceRethHeader")
                            .SetParent<Header>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceRethHeader>();
    return tid;
}

TypeId
RoceRethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceRethHeader::SetVirtualAddress(uint64_t virtualAddress)
{
    m_virtualAddress = virtualAddress;
}

uint64_t
RoceRethHeader::GetVirtualAddress() const
{
    return m_virtualAddress;
}

void
RoceRethHeader::SetRKey(uint32_t rKey)
{
    m_rKey = rKey;
}

uint32_t
RoceRethHeader::GetRKey() const
{
    return m_rKey;
}

void
RoceRethHeader::SetDmaLength(uint32_t dmaLength)
{
    m_dmaLength = dmaLength;
}

uint32_t
RoceRethHeader::GetDmaLength() const
{
    return m_dmaLength;
}

void
RoceRethHeader::Print(std::ostream& os) const
{
    os << "va=0x" << std::hex << m_virtualAddress << std::dec << " rkey=0x" << std::hex << m_rKey
       << std::dec << " len=" << m_dmaLength;
}

uint32_t
RoceRethHeader::GetSerializedSize() const
{
    return 16;
}

void
RoceRethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU64(m_virtualAddress);
    start.WriteHtonU32(m_rKey);
    start.WriteHtonU32(m_dmaLength);
}

uint32_t
RoceRethHeader::Deserialize(Buffer::Iterator start)
{
    m_virtualAddress = start.ReadNtohU64();
    m_rKey = start.ReadNtohU32();
    m_dmaLength = start.ReadNtohU32();
    return GetSerializedSize();
}

} // namespace ns3
