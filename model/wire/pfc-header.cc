/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pfc-header.h"

#include "ns3/abort.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PfcHeader);

TypeId
PfcHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PfcHeader")
                            .SetParent<Header>()
                            .SetGroupName("Roce")
                            .AddConstructor<PfcHeader>();
    return tid;
}

TypeId
PfcHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
PfcHeader::SetOpcode(uint16_t opcode)
{
    m_opcode = opcode;
}

uint16_t
PfcHeader::GetOpcode() const
{
    return m_opcode;
}

void
PfcHeader::SetClassEnable(uint8_t classEnable)
{
    m_classEnable = classEnable;
}

uint8_t
PfcHeader::GetClassEnable() const
{
    return m_classEnable;
}

void
PfcHeader::SetPause(uint8_t trafficClass, uint16_t quanta)
{
    SetQuanta(trafficClass, quanta);
    m_classEnable = static_cast<uint8_t>(m_classEnable | (1u << trafficClass));
}

void
PfcHeader::SetQuanta(uint8_t trafficClass, uint16_t quanta)
{
    NS_ABORT_MSG_IF(trafficClass >= CLASSES,
                    "PfcHeader::SetQuanta: class " << unsigned{trafficClass} << " is not 0 to 7");
    m_quanta[trafficClass] = quanta;
}

uint16_t
PfcHeader::GetQuanta(uint8_t trafficClass) const
{
    NS_ABORT_MSG_IF(trafficClass >= CLASSES,
                    "PfcHeader::GetQuanta: class " << unsigned{trafficClass} << " is not 0 to 7");
    return m_quanta[trafficClass];
}

bool
PfcHeader::IsEnabled(uint8_t trafficClass) const
{
    return trafficClass < CLASSES && ((m_classEnable >> trafficClass) & 1) != 0;
}

void
PfcHeader::Print(std::ostream& os) const
{
    os << "opcode=0x" << std::hex << m_opcode << std::dec;
    for (uint32_t i = 0; i < CLASSES; i++)
    {
        if ((m_classEnable >> i) & 1)
        {
            os << " class" << i << "=" << m_quanta[i];
        }
    }
}

uint32_t
PfcHeader::GetSerializedSize() const
{
    return 20;
}

void
PfcHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(m_opcode);
    start.WriteHtonU16(m_classEnable);
    for (uint16_t quanta : m_quanta)
    {
        start.WriteHtonU16(quanta);
    }
}

uint32_t
PfcHeader::Deserialize(Buffer::Iterator start)
{
    m_opcode = start.ReadNtohU16();
    m_classEnable = static_cast<uint8_t>(start.ReadNtohU16() & 0xff);
    for (uint16_t& quanta : m_quanta)
    {
        quanta = start.ReadNtohU16();
    }
    return GetSerializedSize();
}

} // namespace ns3
