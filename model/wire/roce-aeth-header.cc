/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-aeth-header.h"

#include "rdma-syndrome.h"
#include "roce-buffer-util.h"

#include "ns3/abort.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceAethHeader);

TypeId
RoceAethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceAethHeader")
                            .SetParent<Header>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceAethHeader>();
    return tid;
}

TypeId
RoceAethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceAethHeader::SetSyndrome(uint8_t syndrome)
{
    m_syndrome = syndrome;
}

uint8_t
RoceAethHeader::GetSyndrome() const
{
    return m_syndrome;
}

void
RoceAethHeader::SetMsn(uint32_t msn)
{
    NS_ABORT_MSG_IF(msn > 0xffffff,
                    "RoceAethHeader::SetMsn: " << msn << " does not fit into 24 bits");
    m_msn = msn;
}

uint32_t
RoceAethHeader::GetMsn() const
{
    return m_msn;
}

void
RoceAethHeader::Print(std::ostream& os) const
{
    os << "syndrome=" << RdmaSyndrome::GetName(m_syndrome) << " msn=" << m_msn;
}

uint32_t
RoceAethHeader::GetSerializedSize() const
{
    return 4;
}

void
RoceAethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteU8(m_syndrome);
    WriteRoceU24(start, m_msn);
}

uint32_t
RoceAethHeader::Deserialize(Buffer::Iterator start)
{
    m_syndrome = start.ReadU8();
    m_msn = ReadRoceU24(start);
    return GetSerializedSize();
}

} // namespace ns3
