/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-grh-header.h"

#include "ns3/abort.h"
#include "ns3/address-utils.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceGrhHeader);

TypeId
RoceGrhHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceGrhHeader")
                            .SetParent<Header>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceGrhHeader>();
    return tid;
}

TypeId
RoceGrhHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceGrhHeader::SetTrafficClass(uint8_t trafficClass)
{
    m_trafficClass = trafficClass;
}

uint8_t
RoceGrhHeader::GetTrafficClass() const
{
    return m_trafficClass;
}

void
RoceGrhHeader::SetFlowLabel(uint32_t flowLabel)
{
    NS_ABORT_MSG_IF(flowLabel > 0xfffff,
                    "RoceGrhHeader::SetFlowLabel: " << flowLabel << " does not fit into 20 bits");
    m_flowLabel = flowLabel;
}

uint32_t
RoceGrhHeader::GetFlowLabel() const
{
    return m_flowLabel;
}

void
RoceGrhHeader::SetPayloadLength(uint16_t payloadLength)
{
    m_payloadLength = payloadLength;
}

uint16_t
RoceGrhHeader::GetPayloadLength() const
{
    return m_payloadLength;
}

void
RoceGrhHeader::SetNextHeader(uint8_t nextHeader)
{
    m_nextHeader = nextHeader;
}

uint8_t
RoceGrhHeader::GetNextHeader() const
{
    return m_nextHeader;
}

void
RoceGrhHeader::SetHopLimit(uint8_t hopLimit)
{
    m_hopLimit = hopLimit;
}

uint8_t
RoceGrhHeader::GetHopLimit() const
{
    return m_hopLimit;
}

void
RoceGrhHeader::SetSource(Ipv6Address source)
{
    m_source = source;
}

Ipv6Address
RoceGrhHeader::GetSource() const
{
    return m_source;
}

void
RoceGrhHeader::SetDestination(Ipv6Address destination)
{
    m_destination = destination;
}

Ipv6Address
RoceGrhHeader::GetDestination() const
{
    return m_destination;
}

void
RoceGrhHeader::Print(std::ostream& os) const
{
    os << m_source << " > " << m_destination << " tclass=0x" << std::hex << unsigned{m_trafficClass}
       << " flow-label=0x" << m_flowLabel << std::dec << " length=" << m_payloadLength
       << " next-header=0x" << std::hex << unsigned{m_nextHeader} << std::dec
       << " hop-limit=" << unsigned{m_hopLimit};
}

uint32_t
RoceGrhHeader::GetSerializedSize() const
{
    return 40;
}

void
RoceGrhHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32((uint32_t{6} << 28) | (uint32_t{m_trafficClass} << 20) | m_flowLabel);
    start.WriteHtonU16(m_payloadLength);
    start.WriteU8(m_nextHeader);
    start.WriteU8(m_hopLimit);
    WriteTo(start, m_source);
    WriteTo(start, m_destination);
}

uint32_t
RoceGrhHeader::Deserialize(Buffer::Iterator start)
{
    const uint32_t word = start.ReadNtohU32();
    m_trafficClass = static_cast<uint8_t>((word >> 20) & 0xff);
    m_flowLabel = word & 0xfffff;
    m_payloadLength = start.ReadNtohU16();
    m_nextHeader = start.ReadU8();
    m_hopLimit = start.ReadU8();
    ReadFrom(start, m_source);
    ReadFrom(start, m_destination);
    return GetSerializedSize();
}

} // namespace ns3
