/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_BTH_HEADER_H
#define ROCE_BTH_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Base transport header (BTH): the first header of every InfiniBand transport packet.
 */
class RoceBthHeader : public Header
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @param opcode opcode, see RdmaOpcode
    void SetOpcode(uint8_t opcode);

    /// @return opcode, see RdmaOpcode
    uint8_t GetOpcode() const;

    /// @param solicited true if the packet asks for a solicited event (SE)
    void SetSolicited(bool solicited);

    /// @return true if the packet asks for a solicited event (SE)
    bool GetSolicited() const;

    /// @param migReq true if the path is in the migrated state (M), which is the normal one
    void SetMigReq(bool migReq);

    /// @return true if the path is in the migrated state (M), which is the normal one
    bool GetMigReq() const;

    /// @param padCount number of zero bytes after the payload, 0 to 3
    void SetPadCount(uint8_t padCount);

    /// @return number of zero bytes after the payload, 0 to 3
    uint8_t GetPadCount() const;

    /// @param version transport header version, 0 in every packet known
    void SetVersion(uint8_t version);

    /// @return transport header version, 0 in every packet known
    uint8_t GetVersion() const;

    /// @param pKey partition key
    void SetPKey(uint16_t pKey);

    /// @return partition key
    uint16_t GetPKey() const;

    /// @param fecn true if congestion was met on the way forward (FECN)
    void SetFecn(bool fecn);

    /// @return true if congestion was met on the way forward (FECN)
    bool GetFecn() const;

    /// @param becn true if congestion is reported back (BECN), as in a CNP
    void SetBecn(bool becn);

    /// @return true if congestion is reported back (BECN), as in a CNP
    bool GetBecn() const;

    /// @param destQp destination queue pair number, 24 bits
    void SetDestQp(uint32_t destQp);

    /// @return destination queue pair number, 24 bits
    uint32_t GetDestQp() const;

    /// @param ackReq true if the requester wants an acknowledgment (A)
    void SetAckReq(bool ackReq);

    /// @return true if the requester wants an acknowledgment (A)
    bool GetAckReq() const;

    /// @param psn packet sequence number, 24 bits
    void SetPsn(uint32_t psn);

    /// @return packet sequence number, 24 bits
    uint32_t GetPsn() const;

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint8_t m_opcode{0};     //!< opcode, see RdmaOpcode
    bool m_solicited{false}; //!< true if the packet asks for a solicited event (SE)
    bool m_migReq{
        false}; //!< true if the path is in the migrated state (M), which is the normal one
    uint8_t m_padCount{0};   //!< number of zero bytes after the payload, 0 to 3
    uint8_t m_version{0};    //!< transport header version, 0 in every packet known
    uint16_t m_pKey{0xffff}; //!< partition key
    bool m_fecn{false};      //!< true if congestion was met on the way forward (FECN)
    bool m_becn{false};      //!< true if congestion is reported back (BECN), as in a CNP
    uint32_t m_destQp{0};    //!< destination queue pair number, 24 bits
    bool m_ackReq{false};    //!< true if the requester wants an acknowledgment (A)
    uint32_t m_psn{0};       //!< packet sequence number, 24 bits
};

} // namespace ns3

#endif /* ROCE_BTH_HEADER_H */
