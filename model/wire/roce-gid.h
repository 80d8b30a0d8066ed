/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_GID_H
#define ROCE_GID_H

#include "roce-frame.h"

#include "ns3/mac48-address.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief The addresses in the GRH of RoCEv1: 16 bytes like those of IPv6, made from what the port
 * has.
 */
class RoceGid
{
  public:
    /**
     * @param address IP address of a port
     * @param etherType EtherType that says what kind it is
     * @return the IPv4-mapped IPv6 address of an IPv4 address, else the IPv6 address itself
     */
    static RoceAddressBytes FromIp(const RoceAddressBytes& address, uint16_t etherType);
    /**
     * @param address MAC address of a port without IP address
     * @return fe80:: with the modified EUI-64 of the address (RFC 4291, appendix A)
     */
    static RoceAddressBytes FromMac(Mac48Address address);
};

} // namespace ns3

#endif /* ROCE_GID_H */
