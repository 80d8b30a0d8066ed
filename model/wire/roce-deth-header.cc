/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-deth-header.h"

#include "roce-buffer-util.h"

#include "ns3/abort.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceDethHeader);

TypeId
RoceDethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceDethHeader")
                            .SetParent<Header>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceDethHeader>();
    return tid;
}

TypeId
RoceDethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceDethHeader::SetQKey(uint32_t qKey)
{
    m_qKey = qKey;
}

uint32_t
RoceDethHeader::GetQKey() const
{
    return m_qKey;
}

void
RoceDethHeader::SetSourceQp(uint32_t sourceQp)
{
    NS_ABORT_MSG_IF(sourceQp > 0xffffff,
                    "RoceDethHeader::SetSourceQp: " << sourceQp << " does not fit into 24 bits");
    m_sourceQp = sourceQp;
}

uint32_t
RoceDethHeader::GetSourceQp() const
{
    return m_sourceQp;
}

void
RoceDethHeader::Print(std::ostream& os) const
{
    os << "qkey=0x" << std::hex << m_qKey << std::dec << " src-qp=" << m_sourceQp;
}

uint32_t
RoceDethHeader::GetSerializedSize() const
{
    return 8;
}

void
RoceDethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(m_qKey);
    start.WriteU8(0);
    WriteRoceU24(start, m_sourceQp);
}

uint32_t
RoceDethHeader::Deserialize(Buffer::Iterator start)
{
    m_qKey = start.ReadNtohU32();
    start.Next(); // reserved
    m_sourceQp = ReadRoceU24(start);
    return GetSerializedSize();
}

} // namespace ns3
