/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/random-variable-stream.h"
#include "ns3/roce-forwarding-table.h"
#include "ns3/test.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup roce-tests
 * @param group a group
 * @return its ports as text
 */
std::string
Ports(const RocePortGroup* group)
{
    std::string text;
    if (group)
    {
        for (const uint16_t port : group->ports)
        {
            text += (text.empty() ? "" : " ") + std::to_string(port);
        }
    }
    return text;
}

/**
 * @ingroup roce-tests
 * @param address an IPv6 address
 * @return its bytes
 */
RoceAddressBytes
Bytes(Ipv6Address address)
{
    RoceAddressBytes bytes{};
    address.GetBytes(bytes.data());
    return bytes;
}

/**
 * @ingroup roce-tests
 * @brief Routes, groups and withdrawn ports by example.
 */
class RoceRouteExampleTestCase : public TestCase
{
  public:
    RoceRouteExampleTestCase();

  private:
    void DoRun() override;
};

RoceRouteExampleTestCase::RoceRouteExampleTestCase()
    : TestCase("Routes by example")
{
}

void
RoceRouteExampleTestCase::DoRun()
{
    auto table = CreateObject<RoceForwardingTable>();
    const Ipv4Mask host("255.255.255.255");
    const uint32_t address = Ipv4Address("10.1.2.3").Get();
    NS_TEST_EXPECT_MSG_EQ((table->LookupIpv4(address) == nullptr), true, "no route");

    // Four parallel links are four next hops; duplicates and order do not matter.
    table->Add("10.1.2.3", host, {7, 5});
    table->Add("10.1.2.3", host, {6, 5, 4});
    const RocePortGroup* four = table->LookupIpv4(address);
    NS_TEST_EXPECT_MSG_EQ(Ports(four), "4 5 6 7", "merged, in order");
    table->Add("10.1.2.4", host, {4, 5, 6, 7});
    NS_TEST_EXPECT_MSG_EQ(table->LookupIpv4(address + 1), four, "equal ports share a group");

    table->Add("10.1.0.0", Ipv4Mask("255.255.0.0"), {1, 2});
    table->Add("0.0.0.0", Ipv4Mask("0.0.0.0"), {9});
    NS_TEST_EXPECT_MSG_EQ(Ports(table->LookupIpv4(address + 2)), "1 2", "network route");
    NS_TEST_EXPECT_MSG_EQ(Ports(table->LookupIpv4(0)), "9", "default route");
    NS_TEST_EXPECT_MSG_EQ(table->GetNRoutes(), 4, "routes");

    // Withdrawn ports: pointers and ids stay, versions change, a dead route falls back.
    const uint32_t id = four->id;
    const uint32_t version = four->version;
    table->WithdrawPort(5);
    NS_TEST_EXPECT_MSG_EQ(Ports(four), "4 6 7", "withdrawn");
    NS_TEST_EXPECT_MSG_NE(four->version, version, "version tells");
    NS_TEST_EXPECT_MSG_EQ(four->id, id, "id stays");
    NS_TEST_EXPECT_MSG_EQ(four->members.size(), 4, "members stay");
    table->Add("10.2.0.0", Ipv4Mask("255.255.0.0"), {5, 8});
    NS_TEST_EXPECT_MSG_EQ(Ports(table->LookupIpv4(Ipv4Address("10.2.0.1").Get())),
                          "8",
                          "withdrawn for later routes, too");
    table->WithdrawPort(1);
    table->WithdrawPort(2);
    table->WithdrawPort(2);
    NS_TEST_EXPECT_MSG_EQ(Ports(table->LookupIpv4(address + 2)), "9", "next shorter prefix");
    table->WithdrawPort(9);
    NS_TEST_EXPECT_MSG_EQ((table->LookupIpv4(address + 2) == nullptr), true, "nothing left");
    for (const uint16_t port : {1, 2, 5, 9})
    {
        table->RestorePort(port);
    }
    NS_TEST_EXPECT_MSG_EQ(Ports(table->LookupIpv4(address + 2)), "1 2", "restored");
    NS_TEST_EXPECT_MSG_EQ(Ports(four), "4 5 6 7", "restored");

    table->Replace("10.1.2.3", host, {3});
    NS_TEST_EXPECT_MSG_EQ(Ports(table->LookupIpv4(address)), "3", "replaced");
    NS_TEST_EXPECT_MSG_EQ(table->Remove("10.1.2.3", host), true, "removed");
    NS_TEST_EXPECT_MSG_EQ(table->Remove("10.1.2.3", host), false, "only once");
    NS_TEST_EXPECT_MSG_EQ(Ports(table->LookupIpv4(address)), "1 2", "less specific");

    // Frames select the family by their EtherType.
    table->Add(Ipv6Address("2001:db8::"), Ipv6Prefix(32), {11, 12});
    table->Add(Ipv6Address("2001:db8::1"), Ipv6Prefix(128), {13});
    RoceFramePtr frame = CreateRoceFrame();
    frame->destination = {10, 1, 2, 4};
    NS_TEST_EXPECT_MSG_EQ(Ports(table->Lookup(*frame)), "4 5 6 7", "IPv4 frame");
    frame->etherType = 0x86dd;
    frame->destination = Bytes(Ipv6Address("2001:db8::1"));
    NS_TEST_EXPECT_MSG_EQ(Ports(table->Lookup(*frame)), "13", "IPv6 frame");
    frame->destination = Bytes(Ipv6Address("2001:db8::1:1"));
    NS_TEST_EXPECT_MSG_EQ(Ports(table->Lookup(*frame)), "11 12", "IPv6 network");
    frame->destination = Bytes(Ipv6Address("2001:db9::1"));
    NS_TEST_EXPECT_MSG_EQ((table->Lookup(*frame) == nullptr), true, "no IPv6 default");

    // Groups are numbered as they came: {5 7}, {4 5 6 7}, {1 2}, {9}, {5 8}, {3}, {11 12}, {13}.
    NS_TEST_EXPECT_MSG_EQ(table->GetNGroups(), 8, "groups");
    table->WithdrawPort(12);
    NS_TEST_EXPECT_MSG_EQ(table->Describe(),
                          "0.0.0.0/0 group 3 ports 9\n"
                          "10.1.0.0/16 group 2 ports 1 2\n"
                          "10.1.2.4/32 group 1 ports 4 5 6 7\n"
                          "10.2.0.0/16 group 4 ports 5 8\n"
                          "2001:db8::/32 group 6 ports 11 12 (withdrawn)\n"
                          "2001:db8::1/128 group 7 ports 13\n",
                          "text");
}

/**
 * @ingroup roce-tests
 * @brief Random changes and look-ups agree with a linear search over all prefixes.
 */
class RoceRouteRandomTestCase : public TestCase
{
  public:
    /// @param ipv6 whether to test IPv6
    explicit RoceRouteRandomTestCase(bool ipv6);

  private:
    void DoRun() override;

    /// An address or a prefix as bits, the first one first.
    using Bits = std::vector<bool>;

    /// A route of the reference.
    struct Route
    {
        Bits prefix;              //!< prefix
        std::set<uint16_t> ports; //!< ports
    };

    /**
     * @return a random address; many share long prefixes
     */
    Bits DrawAddress();
    /**
     * @param n number of ports, at most
     * @return random ports, some of them twice
     */
    std::vector<uint16_t> DrawPorts(uint32_t n);
    /**
     * Change a route in the table.
     * @param prefix prefix
     * @param action 0: add, 1: replace, 2: remove
     * @param ports ports
     * @return what Remove() said
     */
    bool Apply(const Bits& prefix, uint32_t action, const std::vector<uint16_t>& ports);
    /**
     * @param address an address
     * @return ports that the table finds
     */
    std::string Find(const Bits& address) const;
    /**
     * @param address an address
     * @return ports that the reference finds
     */
    std::string FindReference(const Bits& address) const;
    /**
     * @param bits bits
     * @return the same as bytes
     */
    static RoceAddressBytes ToBytes(const Bits& bits);

    bool m_ipv6;                         //!< whether to test IPv6
    Ptr<UniformRandomVariable> m_random; //!< random numbers
    Ptr<RoceForwardingTable> m_table;    //!< the table
    std::vector<Route> m_routes;         //!< the reference
    std::set<uint16_t> m_withdrawn;      //!< withdrawn ports
};

RoceRouteRandomTestCase::RoceRouteRandomTestCase(bool ipv6)
    : TestCase(std::string("Random routes, ") + (ipv6 ? "IPv6" : "IPv4")),
      m_ipv6(ipv6)
{
}

RoceRouteRandomTestCase::Bits
RoceRouteRandomTestCase::DrawAddress()
{
    // Most bits are zero so that prefixes nest.
    Bits bits(m_ipv6 ? 128 : 32);
    for (uint32_t i = 0; i < 6; i++)
    {
        bits[m_random->GetInteger(0, static_cast<uint32_t>(bits.size()) - 1)] = true;
    }
    return bits;
}

std::vector<uint16_t>
RoceRouteRandomTestCase::DrawPorts(uint32_t n)
{
    std::vector<uint16_t> ports(m_random->GetInteger(1, n));
    for (uint16_t& port : ports)
    {
        port = static_cast<uint16_t>(m_random->GetInteger(0, 11));
    }
    return ports;
}

RoceAddressBytes
RoceRouteRandomTestCase::ToBytes(const Bits& bits)
{
    RoceAddressBytes bytes{};
    for (size_t i = 0; i < bits.size(); i++)
    {
        bytes[i / 8] |= static_cast<uint8_t>(bits[i] ? 0x80 >> (i % 8) : 0);
    }
    return bytes;
}

bool
RoceRouteRandomTestCase::Apply(const Bits& prefix,
                               uint32_t action,
                               const std::vector<uint16_t>& ports)
{
    const RoceAddressBytes bytes = ToBytes(prefix);
    const auto length = static_cast<uint8_t>(prefix.size());
    const auto apply = [&](auto network, auto mask) {
        switch (action)
        {
        case 0:
            m_table->Add(network, mask, ports);
            return true;
        case 1:
            m_table->Replace(network, mask, ports);
            return true;
        default:
            return m_table->Remove(network, mask);
        }
    };
    if (m_ipv6)
    {
        RoceAddressBytes copy = bytes;
        return apply(Ipv6Address(copy.data()), Ipv6Prefix(length));
    }
    return apply(Ipv4Address::Deserialize(bytes.data()),
                 Ipv4Mask(length ? 0xffffffffU << (32 - length) : 0));
}

std::string
RoceRouteRandomTestCase::Find(const Bits& address) const
{
    RoceFramePtr frame = CreateRoceFrame();
    frame->etherType = m_ipv6 ? 0x86dd : 0x0800;
    frame->destination = ToBytes(address);
    return Ports(m_table->Lookup(*frame));
}

std::string
RoceRouteRandomTestCase::FindReference(const Bits& address) const
{
    std::string best;
    size_t bestLength = 0;
    for (const Route& route : m_routes)
    {
        if (!std::equal(route.prefix.begin(), route.prefix.end(), address.begin()))
        {
            continue;
        }
        std::string ports;
        for (const uint16_t port : route.ports)
        {
            if (m_withdrawn.count(port) == 0)
            {
                ports += (ports.empty() ? "" : " ") + std::to_string(port);
            }
        }
        if (!ports.empty() && (best.empty() || route.prefix.size() > bestLength))
        {
            best = ports;
            bestLength = route.prefix.size();
        }
    }
    return best;
}

void
RoceRouteRandomTestCase::DoRun()
{
    m_random = CreateObject<UniformRandomVariable>();
    m_random->SetStream(m_ipv6 ? 2 : 1);
    m_table = CreateObject<RoceForwardingTable>();
    for (uint32_t step = 0; step < 1500; step++)
    {
        const uint32_t action = m_random->GetInteger(0, 3);
        if (action == 3)
        {
            const auto port = static_cast<uint16_t>(m_random->GetInteger(0, 11));
            if (m_withdrawn.insert(port).second)
            {
                m_table->WithdrawPort(port);
            }
            else
            {
                m_withdrawn.erase(port);
                m_table->RestorePort(port);
            }
        }
        else
        {
            Bits prefix = DrawAddress();
            if (action == 2 && !m_routes.empty())
            {
                const auto last = static_cast<uint32_t>(m_routes.size()) - 1;
                prefix = m_routes[m_random->GetInteger(0, last)].prefix;
            }
            else if (m_random->GetValue() < 0.7) // the others are host routes
            {
                const auto bits = static_cast<uint32_t>(prefix.size());
                prefix.resize(m_random->GetInteger(0, bits));
            }
            const std::vector<uint16_t> ports = DrawPorts(4);
            const auto route = std::find_if(m_routes.begin(), m_routes.end(), [&](const Route& r) {
                return r.prefix == prefix;
            });
            const bool exists = route != m_routes.end();
            const bool done = Apply(prefix, action, ports);
            NS_TEST_ASSERT_MSG_EQ(done, (action != 2 || exists), "result of Remove()");
            if (action == 2)
            {
                if (exists)
                {
                    m_routes.erase(route);
                }
            }
            else if (exists && action == 0)
            {
                route->ports.insert(ports.begin(), ports.end());
            }
            else if (exists)
            {
                route->ports = {ports.begin(), ports.end()};
            }
            else
            {
                m_routes.push_back({prefix, {ports.begin(), ports.end()}});
            }
        }
        NS_TEST_ASSERT_MSG_EQ(m_table->GetNRoutes(), m_routes.size(), "number of routes");
        for (uint32_t i = 0; i < 4; i++)
        {
            Bits address = DrawAddress();
            if (i < 2 && !m_routes.empty()) // below a prefix that exists
            {
                const auto last = static_cast<uint32_t>(m_routes.size()) - 1;
                const Bits& prefix = m_routes[m_random->GetInteger(0, last)].prefix;
                std::copy(prefix.begin(), prefix.end(), address.begin());
            }
            NS_TEST_ASSERT_MSG_EQ(Find(address), FindReference(address), "step " << step);
        }
    }
    NS_TEST_EXPECT_MSG_GT(m_routes.size(), 100, "enough routes to mean something");
}

/**
 * @ingroup roce-tests
 * @brief Forwarding table test suite.
 */
class RoceForwardingTableTestSuite : public TestSuite
{
  public:
    RoceForwardingTableTestSuite();
};

RoceForwardingTableTestSuite::RoceForwardingTableTestSuite()
    : TestSuite("roce-forwarding-table", Type::UNIT)
{
    AddTestCase(new RoceRouteExampleTestCase);
    AddTestCase(new RoceRouteRandomTestCase(false));
    AddTestCase(new RoceRouteRandomTestCase(true));
}

RoceForwardingTableTestSuite g_roceForwardingTableTestSuite; //!< registers the suite

} // namespace
