/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_DETH_HEADER_H
#define ROCE_DETH_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Datagram extended transport header (DETH) of unreliable datagrams.
 */
class RoceDethHeader : public Header
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @param qKey queue key
    void SetQKey(uint32_t qKey);

    /// @return queue key
    uint32_t GetQKey() const;

    /// @param sourceQp queue pair number of the sender, 24 bits
    void SetSourceQp(uint32_t sourceQp);

    /// @return queue pair number of the sender, 24 bits
    uint32_t GetSourceQp() const;

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint32_t m_qKey{0};     //!< queue key
    uint32_t m_sourceQp{0}; //!< queue pair number of the sender, 24 bits
};

} // namespace ns3

#endif /* ROCE_DETH_HEADER_H */
