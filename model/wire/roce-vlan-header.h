/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_VLAN_HEADER_H
#define ROCE_VLAN_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup roce
 * @brief IEEE 802.1Q tag without its EtherType 0x8100, which stands in the Ethernet header.
 */
class RoceVlanHeader : public Header
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @param tci tag control information: PCP (3 bits), DEI (1), VID (12)
    void SetTci(uint16_t tci);

    /// @return tag control information: PCP (3 bits), DEI (1), VID (12)
    uint16_t GetTci() const;

    /// @param etherType EtherType of what follows the tag
    void SetEtherType(uint16_t etherType);

    /// @return EtherType of what follows the tag
    uint16_t GetEtherType() const;

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint16_t m_tci{0};            //!< tag control information: PCP (3 bits), DEI (1), VID (12)
    uint16_t m_etherType{0x0800}; //!< EtherType of what follows the tag
};

} // namespace ns3

#endif /* ROCE_VLAN_HEADER_H */
