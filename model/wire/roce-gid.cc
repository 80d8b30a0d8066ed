/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-gid.h"

#include "roce-frame-codec.h"

#include <algorithm>

namespace ns3
{

RoceAddressBytes
RoceGid::FromIp(const RoceAddressBytes& address, uint16_t etherType)
{
    if (etherType != RoceFrameCodec::ETHERTYPE_IPV4)
    {
        return address;
    }
    RoceAddressBytes gid{};
    gid[10] = gid[11] = 0xff;
    std::copy_n(address.begin(), 4, gid.begin() + 12);
    return gid;
}

RoceAddressBytes
RoceGid::FromMac(Mac48Address address)
{
    uint8_t mac[6];
    address.CopyTo(mac);
    constexpr uint8_t UNIVERSAL = 0x02; // the bit is inverted in a modified EUI-64
    RoceAddressBytes gid{0xfe, 0x80};
    std::copy_n(mac, 3, gid.begin() + 8);
    gid[8] ^= UNIVERSAL;
    gid[11] = 0xff;
    gid[12] = 0xfe;
    std::copy_n(mac + 3, 3, gid.begin() + 13);
    return gid;
}

} // namespace ns3
