/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-ieth-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceIethHeader);

TypeId
RoceIethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceIethHeader")
                            .SetParent<Header>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceIethHeader>();
    return tid;
}

TypeId
RoceIethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceIethHeader::SetRKey(uint32_t rKey)
{
    m_rKey = rKey;
}

uint32_t
RoceIethHeader::GetRKey() const
{
    return m_rKey;
}

void
RoceIethHeader::Print(std::ostream& os) const
{
    os << "rkey=0x" << std::hex << m_rKey << std::dec;
}

uint32_t
RoceIethHeader::GetSerializedSize() const
{
    return 4;
}

void
RoceIethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(m_rKey);
}

uint32_t
RoceIethHeader::Deserialize(Buffer::Iterator start)
{
    m_rKey = start.ReadNtohU32();
    return GetSerializedSize();
}

} // namespace ns3
