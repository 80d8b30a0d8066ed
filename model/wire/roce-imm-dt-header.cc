/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-imm-dt-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceImmDtHeader);

TypeId
RoceImmDtHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceImmDtHeader")
                            .SetParent<Header>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceImmDtHeader>();
    return tid;
}

TypeId
RoceImmDtHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceImmDtHeader::SetImmediate(uint32_t immediate)
{
    m_immediate = immediate;
}

uint32_t
RoceImmDtHeader::GetImmediate() const
{
    return m_immediate;
}

void
RoceImmDtHeader::Print(std::ostream& os) const
{
    os << "imm=0x" << std::hex << m_immediate << std::dec;
}

uint32_t
RoceImmDtHeader::GetSerializedSize() const
{
    return 4;
}

void
RoceImmDtHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(m_immediate);
}

uint32_t
RoceImmDtHeader::Deserialize(Buffer::Iterator start)
{
    m_immediate = start.ReadNtohU32();
    return GetSerializedSize();
}

} // namespace ns3
