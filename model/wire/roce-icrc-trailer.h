/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_ICRC_TRAILER_H
#define ROCE_ICRC_TRAILER_H

#include "ns3/trailer.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup roce
 * @brief The invariant CRC at the end of every RoCE packet.
 *
 * Unlike everything before it the value is sent least significant byte first. RoceIcrc computes it.
 */
class RoceIcrcTrailer : public Trailer
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @param icrc CRC value (before its bytes are swapped for the wire)
    void SetIcrc(uint32_t icrc);

    /// @return CRC value (before its bytes are swapped for the wire)
    uint32_t GetIcrc() const;

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator end) const override;
    uint32_t Deserialize(Buffer::Iterator end) override;

  private:
    uint32_t m_icrc{0}; //!< CRC value (before its bytes are swapped for the wire)
};

} // namespace ns3

#endif /* ROCE_ICRC_TRAILER_H */
