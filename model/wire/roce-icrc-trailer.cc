/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-icrc-trailer.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceIcrcTrailer);

TypeId
RoceIcrcTrailer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceIcrcTrailer")
                            .SetParent<Trailer>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceIcrcTrailer>();
    return tid;
}

TypeId
RoceIcrcTrailer::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceIcrcTrailer::SetIcrc(uint32_t icrc)
{
    m_icrc = icrc;
}

uint32_t
RoceIcrcTrailer::GetIcrc() const
{
    return m_icrc;
}

void
RoceIcrcTrailer::Print(std::ostream& os) const
{
    os << "icrc=0x" << std::hex << m_icrc << std::dec;
}

uint32_t
RoceIcrcTrailer::GetSerializedSize() const
{
    return 4;
}

void
RoceIcrcTrailer::Serialize(Buffer::Iterator end) const
{
    end.Prev(GetSerializedSize());
    end.WriteU8(static_cast<uint8_t>(m_icrc & 0xff));
    end.WriteU8(static_cast<uint8_t>((m_icrc >> 8) & 0xff));
    end.WriteU8(static_cast<uint8_t>((m_icrc >> 16) & 0xff));
    end.WriteU8(static_cast<uint8_t>((m_icrc >> 24) & 0xff));
}

uint32_t
RoceIcrcTrailer::Deserialize(Buffer::Iterator end)
{
    end.Prev(GetSerializedSize());
    m_icrc = end.ReadU8();
    m_icrc |= uint32_t{end.ReadU8()} << 8;
    m_icrc |= uint32_t{end.ReadU8()} << 16;
    m_icrc |= uint32_t{end.ReadU8()} << 24;
    return GetSerializedSize();
}

} // namespace ns3
