/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_IMM_DT_HEADER_H
#define ROCE_IMM_DT_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Immediate data (ImmDt) of SEND and RDMA WRITE with immediate.
 */
class RoceImmDtHeader : public Header
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @param immediate the 32 bits that the receiver finds in its work completion
    void SetImmediate(uint32_t immediate);

    /// @return the 32 bits that the receiver finds in its work completion
    uint32_t GetImmediate() const;

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint32_t m_immediate{0}; //!< the 32 bits that the receiver finds in its work completion
};

} // namespace ns3

#endif /* ROCE_IMM_DT_HEADER_H */
