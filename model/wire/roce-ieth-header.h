/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_IETH_HEADER_H
#define ROCE_IETH_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Invalidate extended transport header (IETH) of SEND with invalidate.
 */
class RoceIethHeader : public Header
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @param rKey remote memory key that the receiver invalidates
    void SetRKey(uint32_t rKey);

    /// @return remote memory key that the receiver invalidates
    uint32_t GetRKey() const;

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint32_t m_rKey{0}; //!< remote memory key that the receiver invalidates
};

} // namespace ns3

#endif /* ROCE_IETH_HEADER_H */
