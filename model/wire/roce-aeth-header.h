/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_AETH_HEADER_H
#define ROCE_AETH_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup roce
 * @brief ACK extended transport header (AETH) of acknowledgments and READ responses.
 *
 * RdmaSyndrome builds and takes apart the syndrome.
 */
class RoceAethHeader : public Header
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @param syndrome kind of acknowledgment, see RdmaSyndrome
    void SetSyndrome(uint8_t syndrome);

    /// @return kind of acknowledgment, see RdmaSyndrome
    uint8_t GetSyndrome() const;

    /// @param msn message sequence number, 24 bits
    void SetMsn(uint32_t msn);

    /// @return message sequence number, 24 bits
    uint32_t GetMsn() const;

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint8_t m_syndrome{0}; //!< kind of acknowledgment, see RdmaSyndrome
    uint32_t m_msn{0};     //!< message sequence number, 24 bits
};

} // namespace ns3

#endif /* ROCE_AETH_HEADER_H */
