/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_FORWARDING_TABLE_H
#define ROCE_FORWARDING_TABLE_H

#include "roce-port-group.h"
#include "roce-route-map.h"

#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/object.h"
#include "ns3/roce-frame.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Longest-prefix match of IPv4 and IPv6 destinations onto groups of equal-cost ports.
 *
 * Host routes are found with one hash look-up; other routes with one more per prefix length in use,
 * the longest first. Next hops are ports, not nodes, so parallel links are different next hops.
 *
 * A port can be withdrawn (its link is down) and restored. Routes keep it as a member meanwhile,
 * but their groups do not offer it; a route of which all ports are withdrawn does not match, so
 * that the next shorter prefix is used as if the route had been removed.
 */
class RoceForwardingTable : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RoceForwardingTable();
    ~RoceForwardingTable() override;

    /**
     * Add ports to a route, which is created if it does not exist.
     * @param network network address, without host bits
     * @param mask contiguous network mask
     * @param ports ports, at least one; duplicates count once
     */
    void Add(Ipv4Address network, Ipv4Mask mask, const std::vector<uint16_t>& ports);
    /**
     * Add ports to a route, which is created if it does not exist.
     * @param network network address, without host bits
     * @param prefix its length
     * @param ports ports, at least one; duplicates count once
     */
    void Add(Ipv6Address network, Ipv6Prefix prefix, const std::vector<uint16_t>& ports);
    /**
     * Set the ports of a route, which is created if it does not exist.
     * @param network network address, without host bits
     * @param mask contiguous network mask
     * @param ports ports, at least one; duplicates count once
     */
    void Replace(Ipv4Address network, Ipv4Mask mask, const std::vector<uint16_t>& ports);
    /**
     * Set the ports of a route, which is created if it does not exist.
     * @param network network address, without host bits
     * @param prefix its length
     * @param ports ports, at least one; duplicates count once
     */
    void Replace(Ipv6Address network, Ipv6Prefix prefix, const std::vector<uint16_t>& ports);
    /**
     * Remove a route.
     * @param network network address
     * @param mask network mask
     * @return true if there was such a route
     */
    bool Remove(Ipv4Address network, Ipv4Mask mask);
    /**
     * Remove a route.
     * @param network network address
     * @param prefix its length
     * @return true if there was such a route
     */
    bool Remove(Ipv6Address network, Ipv6Prefix prefix);

    /**
     * Take a port out of all groups, also of those that come later.
     * @param port the port
     */
    void WithdrawPort(uint16_t port);
    /**
     * Undo WithdrawPort().
     * @param port the port
     */
    void RestorePort(uint16_t port);

    /**
     * @param frame a frame
     * @return ports towards its destination, at least one, or null if there is no route
     */
    const RocePortGroup* Lookup(const RoceFrame& frame) const
    {
        return frame.HasLongAddresses() ? LookupIpv6(frame.destination)
                                        : LookupIpv4(ReadWord(frame.destination, 0));
    }

    /**
     * @param address an IPv4 address as an integer in host order
     * @return ports towards it, at least one, or null if there is no route
     */
    const RocePortGroup* LookupIpv4(uint32_t address) const;
    /**
     * @param address an IPv6 address (or the GID of RoCEv1)
     * @return ports towards it, at least one, or null if there is no route
     */
    const RocePortGroup* LookupIpv6(const RoceAddressBytes& address) const;

    /// @return number of routes
    uint32_t GetNRoutes() const;
    /// @return number of distinct groups ever used
    uint32_t GetNGroups() const;
    /// @return one line per route, IPv4 first, in ascending order of address and length
    std::string Describe() const;

  private:
    /// An IPv6 prefix.
    struct Ipv6Key
    {
        uint64_t high{0}; //!< first eight bytes
        uint64_t low{0};  //!< last eight bytes

        /**
         * @param other another prefix
         * @return true if they are equal
         */
        bool operator==(const Ipv6Key& other) const
        {
            return high == other.high && low == other.low;
        }

        /// @return 64 bits that tell prefixes apart as far as possible
        uint64_t Fold() const
        {
            return (high * 0xd6e8feb86659fd93ULL) ^ low;
        }
    };

    /**
     * Routes of one address family.
     * @tparam Key type of a prefix
     * @tparam Lengths number of prefix lengths
     */
    template <typename Key, size_t Lengths>
    struct Family
    {
        std::array<RoceRouteMap<Key>, Lengths> routes; //!< routes, by prefix length
        std::vector<uint8_t> lengths;                  //!< prefix lengths in use, the longest first
    };

    /**
     * @param bytes an address
     * @param offset first byte
     * @return four bytes as an integer
     */
    static uint32_t ReadWord(const RoceAddressBytes& bytes, size_t offset)
    {
        return static_cast<uint32_t>(bytes[offset]) << 24 |
               static_cast<uint32_t>(bytes[offset + 1]) << 16 |
               static_cast<uint32_t>(bytes[offset + 2]) << 8 | bytes[offset + 3];
    }

    /**
     * @param address an address
     * @param length a prefix length
     * @return the first length bits of it
     */
    static uint32_t Truncate(uint32_t address, uint8_t length);
    /**
     * @param address an address
     * @param length a prefix length
     * @return the first length bits of it
     */
    static Ipv6Key Truncate(const Ipv6Key& address, uint8_t length);
    /**
     * @param bytes an address
     * @return the same as a key
     */
    static Ipv6Key MakeKey(const RoceAddressBytes& bytes);
    /**
     * @param address an address
     * @return the same as a key
     */
    static Ipv6Key MakeKey(Ipv6Address address);
    /**
     * @param network a network
     * @param mask its mask
     * @return length of the prefix; stops the program if it is none
     */
    static uint8_t GetLength(Ipv4Address network, Ipv4Mask mask);
    /**
     * @param network a network
     * @param prefix its length
     * @return length of the prefix; stops the program if it is none
     */
    static uint8_t GetLength(Ipv6Address network, Ipv6Prefix prefix);

    /**
     * @tparam Key type of a prefix
     * @tparam Lengths number of prefix lengths
     * @param family where to search
     * @param address what to search
     * @return ports towards it, or null
     */
    template <typename Key, size_t Lengths>
    const RocePortGroup* Match(const Family<Key, Lengths>& family, const Key& address) const;
    /**
     * Create or change a route.
     * @tparam Key type of a prefix
     * @tparam Lengths number of prefix lengths
     * @param family where
     * @param key prefix
     * @param length its length
     * @param ports its ports
     * @param merge keep the ports it has
     */
    template <typename Key, size_t Lengths>
    void Set(Family<Key, Lengths>& family,
             const Key& key,
             uint8_t length,
             const std::vector<uint16_t>& ports,
             bool merge);
    /**
     * Remove a route.
     * @tparam Key type of a prefix
     * @tparam Lengths number of prefix lengths
     * @param family where
     * @param key prefix
     * @param length its length
     * @return true if there was such a route
     */
    template <typename Key, size_t Lengths>
    bool Unset(Family<Key, Lengths>& family, const Key& key, uint8_t length);
    /**
     * Find a group or create it.
     * @param ports its members in ascending order
     * @return its id
     */
    uint32_t GetGroup(const std::vector<uint16_t>& ports);
    /**
     * Bring the ports of a group up to date.
     * @param group the group
     */
    void UpdateGroup(RocePortGroup& group) const;
    /**
     * @param port a port
     * @param withdrawn its new state
     */
    void SetWithdrawn(uint16_t port, bool withdrawn);

    Family<uint32_t, 33> m_ipv4;                          //!< IPv4 routes
    Family<Ipv6Key, 129> m_ipv6;                          //!< IPv6 routes
    std::deque<RocePortGroup> m_groups;                   //!< groups by id; they never move
    std::map<std::vector<uint16_t>, uint32_t> m_groupIds; //!< ids of groups by their members
    std::vector<std::vector<uint32_t>> m_groupsOfPort;    //!< ids of groups with a port, by port
    std::vector<bool> m_withdrawn;                        //!< by port
};

} // namespace ns3

#endif /* ROCE_FORWARDING_TABLE_H */
