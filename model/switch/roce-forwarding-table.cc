/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-forwarding-table.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>
#include <functional>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceForwardingTable");

NS_OBJECT_ENSURE_REGISTERED(RoceForwardingTable);

namespace
{

/**
 * @param ports ports in any order
 * @return the same in ascending order without duplicates
 */
std::vector<uint16_t>
Normalize(std::vector<uint16_t> ports)
{
    std::sort(ports.begin(), ports.end());
    ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
    return ports;
}

/**
 * @param os where to print
 * @param group what to print
 */
void
PrintPorts(std::ostream& os, const RocePortGroup& group)
{
    os << " group " << group.id << " ports";
    for (const uint16_t port : group.members)
    {
        const bool up = std::binary_search(group.ports.begin(), group.ports.end(), port);
        os << " " << port << (up ? "" : " (withdrawn)");
    }
    os << "\n";
}

} // namespace

TypeId
RoceForwardingTable::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceForwardingTable")
                            .SetParent<Object>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceForwardingTable>();
    return tid;
}

RoceForwardingTable::RoceForwardingTable() = default;

RoceForwardingTable::~RoceForwardingTable() = default;

uint32_t
RoceForwardingTable::Truncate(uint32_t address, uint8_t length)
{
    return length ? address & (0xffffffffU << (32 - length)) : 0;
}

RoceForwardingTable::Ipv6Key
RoceForwardingTable::Truncate(const Ipv6Key& address, uint8_t length)
{
    const uint64_t ones = ~uint64_t{0};
    if (length <= 64)
    {
        return {length ? address.high & (ones << (64 - length)) : 0, 0};
    }
    return {address.high, address.low & (ones << (128 - length))};
}

RoceForwardingTable::Ipv6Key
RoceForwardingTable::MakeKey(const RoceAddressBytes& bytes)
{
    return {uint64_t{ReadWord(bytes, 0)} << 32 | ReadWord(bytes, 4),
            uint64_t{ReadWord(bytes, 8)} << 32 | ReadWord(bytes, 12)};
}

RoceForwardingTable::Ipv6Key
RoceForwardingTable::MakeKey(Ipv6Address address)
{
    RoceAddressBytes bytes{};
    address.GetBytes(bytes.data());
    return MakeKey(bytes);
}

uint8_t
RoceForwardingTable::GetLength(Ipv4Address network, Ipv4Mask mask)
{
    const auto length = static_cast<uint8_t>(mask.GetPrefixLength());
    NS_ABORT_MSG_IF(mask.Get() != Truncate(0xffffffffU, length) ||
                        Truncate(network.Get(), length) != network.Get(),
                    "RoceForwardingTable: " << network << " with mask " << mask
                                            << " is not a network; the mask must be contiguous and "
                                               "the address must have no bits outside of it");
    return length;
}

uint8_t
RoceForwardingTable::GetLength(Ipv6Address network, Ipv6Prefix prefix)
{
    const uint8_t length = prefix.GetPrefixLength();
    const Ipv6Key key = MakeKey(network);
    NS_ABORT_MSG_UNLESS(Truncate(key, length) == key,
                        "RoceForwardingTable: " << network << " has bits outside of prefix length "
                                                << +length);
    return length;
}

void
RoceForwardingTable::Add(Ipv4Address network, Ipv4Mask mask, const std::vector<uint16_t>& ports)
{
    NS_LOG_FUNCTION(this << network << mask);
    Set(m_ipv4, network.Get(), GetLength(network, mask), ports, true);
}

void
RoceForwardingTable::Add(Ipv6Address network, Ipv6Prefix prefix, const std::vector<uint16_t>& ports)
{
    NS_LOG_FUNCTION(this << network << prefix);
    Set(m_ipv6, MakeKey(network), GetLength(network, prefix), ports, true);
}

void
RoceForwardingTable::Replace(Ipv4Address network, Ipv4Mask mask, const std::vector<uint16_t>& ports)
{
    NS_LOG_FUNCTION(this << network << mask);
    Set(m_ipv4, network.Get(), GetLength(network, mask), ports, false);
}

void
RoceForwardingTable::Replace(Ipv6Address network,
                             Ipv6Prefix prefix,
                             const std::vector<uint16_t>& ports)
{
    NS_LOG_FUNCTION(this << network << prefix);
    Set(m_ipv6, MakeKey(network), GetLength(network, prefix), ports, false);
}

bool
RoceForwardingTable::Remove(Ipv4Address network, Ipv4Mask mask)
{
    NS_LOG_FUNCTION(this << network << mask);
    return Unset(m_ipv4, network.Get(), GetLength(network, mask));
}

bool
RoceForwardingTable::Remove(Ipv6Address network, Ipv6Prefix prefix)
{
    NS_LOG_FUNCTION(this << network << prefix);
    return Unset(m_ipv6, MakeKey(network), GetLength(network, prefix));
}

template <typename Key, size_t Lengths>
void
RoceForwardingTable::Set(Family<Key, Lengths>& family,
                         const Key& key,
                         uint8_t length,
                         const std::vector<uint16_t>& ports,
                         bool merge)
{
    NS_ABORT_MSG_IF(ports.empty(), "RoceForwardingTable: a route needs at least one port");
    RoceRouteMap<Key>& routes = family.routes[length];
    std::vector<uint16_t> members = ports;
    const uint32_t before = routes.Find(key);
    if (merge && before != RoceRouteMap<Key>::NONE)
    {
        const std::vector<uint16_t>& old = m_groups[before].members;
        members.insert(members.end(), old.begin(), old.end());
    }
    if (routes.GetSize() == 0)
    {
        const auto place = std::upper_bound(family.lengths.begin(),
                                            family.lengths.end(),
                                            length,
                                            std::greater<>());
        family.lengths.insert(place, length);
    }
    routes.Set(key, GetGroup(Normalize(std::move(members))));
}

template <typename Key, size_t Lengths>
bool
RoceForwardingTable::Unset(Family<Key, Lengths>& family, const Key& key, uint8_t length)
{
    RoceRouteMap<Key>& routes = family.routes[length];
    if (!routes.Erase(key))
    {
        return false;
    }
    if (routes.GetSize() == 0)
    {
        family.lengths.erase(std::find(family.lengths.begin(), family.lengths.end(), length));
    }
    return true;
}

uint32_t
RoceForwardingTable::GetGroup(const std::vector<uint16_t>& ports)
{
    const auto id = static_cast<uint32_t>(m_groups.size());
    const auto [entry, isNew] = m_groupIds.emplace(ports, id);
    if (isNew)
    {
        RocePortGroup& group = m_groups.emplace_back();
        group.id = id;
        group.members = ports;
        UpdateGroup(group);
        if (ports.back() >= m_groupsOfPort.size())
        {
            m_groupsOfPort.resize(ports.back() + 1U);
        }
        for (const uint16_t port : ports)
        {
            m_groupsOfPort[port].push_back(id);
        }
    }
    return entry->second;
}

void
RoceForwardingTable::UpdateGroup(RocePortGroup& group) const
{
    group.version++;
    group.ports.clear();
    for (const uint16_t port : group.members)
    {
        if (port >= m_withdrawn.size() || !m_withdrawn[port])
        {
            group.ports.push_back(port);
        }
    }
}

void
RoceForwardingTable::SetWithdrawn(uint16_t port, bool withdrawn)
{
    NS_LOG_FUNCTION(this << port << withdrawn);
    if (port >= m_withdrawn.size())
    {
        m_withdrawn.resize(port + 1U, false);
    }
    if (m_withdrawn[port] == withdrawn)
    {
        return;
    }
    m_withdrawn[port] = withdrawn;
    if (port < m_groupsOfPort.size())
    {
        for (const uint32_t id : m_groupsOfPort[port])
        {
            UpdateGroup(m_groups[id]);
        }
    }
}

void
RoceForwardingTable::WithdrawPort(uint16_t port)
{
    SetWithdrawn(port, true);
}

void
RoceForwardingTable::RestorePort(uint16_t port)
{
    SetWithdrawn(port, false);
}

template <typename Key, size_t Lengths>
const RocePortGroup*
RoceForwardingTable::Match(const Family<Key, Lengths>& family, const Key& address) const
{
    for (const uint8_t length : family.lengths)
    {
        const uint32_t id = family.routes[length].Find(Truncate(address, length));
        if (id != RoceRouteMap<Key>::NONE && !m_groups[id].ports.empty())
        {
            return &m_groups[id];
        }
    }
    return nullptr;
}

const RocePortGroup*
RoceForwardingTable::LookupIpv4(uint32_t address) const
{
    return Match(m_ipv4, address);
}

const RocePortGroup*
RoceForwardingTable::LookupIpv6(const RoceAddressBytes& address) const
{
    return Match(m_ipv6, MakeKey(address));
}

uint32_t
RoceForwardingTable::GetNRoutes() const
{
    size_t n = 0;
    for (const auto& routes : m_ipv4.routes)
    {
        n += routes.GetSize();
    }
    for (const auto& routes : m_ipv6.routes)
    {
        n += routes.GetSize();
    }
    return static_cast<uint32_t>(n);
}

uint32_t
RoceForwardingTable::GetNGroups() const
{
    return static_cast<uint32_t>(m_groups.size());
}

std::string
RoceForwardingTable::Describe() const
{
    std::map<std::pair<Ipv4Address, uint32_t>, uint32_t> ipv4;
    std::map<std::pair<Ipv6Address, uint32_t>, uint32_t> ipv6;
    for (const uint8_t length : m_ipv4.lengths)
    {
        for (const auto& [key, id] : m_ipv4.routes[length].GetAll())
        {
            ipv4.emplace(std::make_pair(Ipv4Address(key), length), id);
        }
    }
    for (const uint8_t length : m_ipv6.lengths)
    {
        for (const auto& [key, id] : m_ipv6.routes[length].GetAll())
        {
            RoceAddressBytes bytes;
            for (size_t i = 0; i < bytes.size(); i++)
            {
                const uint64_t half = i < 8 ? key.high : key.low;
                bytes[i] = static_cast<uint8_t>(half >> (8 * (7 - i % 8)));
            }
            ipv6.emplace(std::make_pair(Ipv6Address(bytes.data()), length), id);
        }
    }
    std::ostringstream os;
    for (const auto& [prefix, id] : ipv4)
    {
        os << prefix.first << "/" << prefix.second;
        PrintPorts(os, m_groups[id]);
    }
    for (const auto& [prefix, id] : ipv6)
    {
        os << prefix.first << "/" << prefix.second;
        PrintPorts(os, m_groups[id]);
    }
    return os.str();
}

} // namespace ns3
