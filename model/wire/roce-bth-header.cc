/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-bth-header.h"

#include "rdma-opcode.h"
#include "roce-buffer-util.h"

#include "ns3/abort.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceBthHeader);

namespace
{

constexpr uint8_t SOLICITED = 0x80; //!< bit of byte 1
constexpr uint8_t MIG_REQ = 0x40;   //!< bit of byte 1
constexpr uint8_t FECN = 0x80;      //!< bit of byte 4
constexpr uint8_t BECN = 0x40;      //!< bit of byte 4
constexpr uint8_t ACK_REQ = 0x80;   //!< bit of byte 8

} // namespace

TypeId
RoceBthHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceBthHeader")
                            .SetParent<Header>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceBthHeader>();
    return tid;
}

TypeId
RoceBthHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceBthHeader::SetOpcode(uint8_t opcode)
{
    m_opcode = opcode;
}

uint8_t
RoceBthHeader::GetOpcode() const
{
    return m_opcode;
}

void
RoceBthHeader::SetSolicited(bool solicited)
{
    m_solicited = solicited;
}

bool
RoceBthHeader::GetSolicited() const
{
    return m_solicited;
}

void
RoceBthHeader::SetMigReq(bool migReq)
{
    m_migReq = migReq;
}

bool
RoceBthHeader::GetMigReq() const
{
    return m_migReq;
}

void
RoceBthHeader::SetPadCount(uint8_t padCount)
{
    NS_ABORT_MSG_IF(padCount > 0x3,
                    "RoceBthHeader::SetPadCount: " << unsigned{padCount}
                                                   << " does not fit into 2 bits");
    m_padCount = padCount;
}

uint8_t
RoceBthHeader::GetPadCount() const
{
    return m_padCount;
}

void
RoceBthHeader::SetVersion(uint8_t version)
{
    NS_ABORT_MSG_IF(version > 0xf,
                    "RoceBthHeader::SetVersion: " << unsigned{version}
                                                  << " does not fit into 4 bits");
    m_version = version;
}

uint8_t
RoceBthHeader::GetVersion() const
{
    return m_version;
}

void
RoceBthHeader::SetPKey(uint16_t pKey)
{
    m_pKey = pKey;
}

uint16_t
RoceBthHeader::GetPKey() const
{
    return m_pKey;
}

void
RoceBthHeader::SetFecn(bool fecn)
{
    m_fecn = fecn;
}

bool
RoceBthHeader::GetFecn() const
{
    return m_fecn;
}

void
RoceBthHeader::SetBecn(bool becn)
{
    m_becn = becn;
}

bool
RoceBthHeader::GetBecn() const
{
    return m_becn;
}

void
RoceBthHeader::SetDestQp(uint32_t destQp)
{
    NS_ABORT_MSG_IF(destQp > 0xffffff,
                    "RoceBthHeader::SetDestQp: " << destQp << " does not fit into 24 bits");
    m_destQp = destQp;
}

uint32_t
RoceBthHeader::GetDestQp() const
{
    return m_destQp;
}

void
RoceBthHeader::SetAckReq(bool ackReq)
{
    m_ackReq = ackReq;
}

bool
RoceBthHeader::GetAckReq() const
{
    return m_ackReq;
}

void
RoceBthHeader::SetPsn(uint32_t psn)
{
    NS_ABORT_MSG_IF(psn > 0xffffff,
                    "RoceBthHeader::SetPsn: " << psn << " does not fit into 24 bits");
    m_psn = psn;
}

uint32_t
RoceBthHeader::GetPsn() const
{
    return m_psn;
}

void
RoceBthHeader::Print(std::ostream& os) const
{
    os << RdmaOpcode::GetName(m_opcode) << " qp=" << m_destQp << " psn=" << m_psn
       << " pad=" << unsigned{m_padCount} << " pkey=0x" << std::hex << m_pKey << std::dec
       << (m_solicited ? " SE" : "") << (m_migReq ? " M" : "") << (m_fecn ? " FECN" : "")
       << (m_becn ? " BECN" : "") << (m_ackReq ? " A" : "");
}

uint32_t
RoceBthHeader::GetSerializedSize() const
{
    return 12;
}

void
RoceBthHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteU8(m_opcode);
    start.WriteU8(static_cast<uint8_t>((m_solicited ? SOLICITED : 0) | (m_migReq ? MIG_REQ : 0) |
                                       (m_padCount << 4) | m_version));
    start.WriteHtonU16(m_pKey);
    start.WriteU8(static_cast<uint8_t>((m_fecn ? FECN : 0) | (m_becn ? BECN : 0)));
    WriteRoceU24(start, m_destQp);
    start.WriteU8(m_ackReq ? ACK_REQ : 0);
    WriteRoceU24(start, m_psn);
}

uint32_t
RoceBthHeader::Deserialize(Buffer::Iterator start)
{
    m_opcode = start.ReadU8();
    const uint8_t flags = start.ReadU8();
    m_solicited = (flags & SOLICITED) != 0;
    m_migReq = (flags & MIG_REQ) != 0;
    m_padCount = (flags >> 4) & 3;
    m_version = flags & 0xf;
    m_pKey = start.ReadNtohU16();
    const uint8_t notification = start.ReadU8();
    m_fecn = (notification & FECN) != 0;
    m_becn = (notification & BECN) != 0;
    m_destQp = ReadRoceU24(start);
    m_ackReq = (start.ReadU8() & ACK_REQ) != 0;
    m_psn = ReadRoceU24(start);
    return GetSerializedSize();
}

} // namespace ns3
