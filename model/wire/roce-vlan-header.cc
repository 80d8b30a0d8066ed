/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-vlan-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceVlanHeader);

TypeId
RoceVlanHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceVlanHeader")
                            .SetParent<Header>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceVlanHeader>();
    return tid;
}

TypeId
RoceVlanHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceVlanHeader::SetTci(uint16_t tci)
{
    m_tci = tci;
}

uint16_t
RoceVlanHeader::GetTci() const
{
    return m_tci;
}

void
RoceVlanHeader::SetEtherType(uint16_t etherType)
{
    m_etherType = etherType;
}

uint16_t
RoceVlanHeader::GetEtherType() const
{
    return m_etherType;
}

void
RoceVlanHeader::Print(std::ostream& os) const
{
    os << "pcp=" << (m_tci >> 13) << " dei=" << ((m_tci >> 12) & 1) << " vid=" << (m_tci & 0xfff)
       << " type=0x" << std::hex << m_etherType << std::dec;
}

uint32_t
RoceVlanHeader::GetSerializedSize() const
{
    return 4;
}

void
RoceVlanHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(m_tci);
    start.WriteHtonU16(m_etherType);
}

uint32_t
RoceVlanHeader::Deserialize(Buffer::Iterator start)
{
    m_tci = start.ReadNtohU16();
    m_etherType = start.ReadNtohU16();
    return GetSerializedSize();
}

} // namespace ns3
