/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_STACK_FABRIC_H
#define ROCE_STACK_FABRIC_H

#include "ns3/address.h"
#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/ipv6-address.h"
#include "ns3/ipv6-interface-container.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/roce-helper.h"
#include "ns3/roce-net-device.h"
#include "ns3/roce-qos-map.h"
#include "ns3/roce-routing-helper.h"
#include "ns3/roce-switch-node.h"
#include "ns3/roce-switch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup roce-tests
 * @brief Hosts with a network stack on one RoCE switch. It cleans up the simulator when
 * it goes out of scope.
 */
class RoceStackFabric
{
  public:
    /**
     * @param n number of hosts
     * @param ipv6 give the hosts IPv6 addresses only
     * @param stackLimit packets of the stack that wait in a NIC per class
     * @param weights weights of the classes
     */
    explicit RoceStackFabric(uint32_t n,
                             bool ipv6 = false,
                             uint32_t stackLimit = 2,
                             const std::string& weights = "1,1,1,1,1,1,1,1")
        : hosts(n),
          tor(CreateObject<RoceSwitchNode>()),
          m_ipv6(ipv6)
    {
        roce.SetChannelAttribute("Delay", StringValue("1us"));
        roce.SetEngineAttribute("StackQueueLimit", UintegerValue(stackLimit));
        roce.SetBufferAttribute("TotalBytes", UintegerValue(2'000'000));
        roce.GetQosMap()->SetAttribute("Weights", StringValue(weights));
        nics = roce.Install(hosts, tor);
        InternetStackHelper().Install(hosts);
        if (ipv6)
        {
            Ipv6AddressHelper addresses(Ipv6Address("2001:db8::"), Ipv6Prefix(64));
            m_interfaces = addresses.Assign(nics);
        }
        else
        {
            Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(nics);
        }
        RoceRoutingHelper::PopulateForwardingTables();
        tor->GetSwitch()->SetAttribute("CheckBuffer", BooleanValue(true));
    }

    ~RoceStackFabric()
    {
        Simulator::Destroy();
    }

    /**
     * @param i a host
     * @param port a port number
     * @return the address of a socket of that host
     */
    Address GetAddress(uint32_t i, uint16_t port) const
    {
        if (m_ipv6)
        {
            return Inet6SocketAddress(m_interfaces.GetAddress(i, 1), port);
        }
        return InetSocketAddress(Ipv4Address(0x0a000001 + i), port);
    }

    /**
     * @param port a port number
     * @return the address of a listener
     */
    Address GetAny(uint16_t port) const
    {
        return m_ipv6 ? Address(Inet6SocketAddress(Ipv6Address::GetAny(), port))
                      : Address(InetSocketAddress(Ipv4Address::GetAny(), port));
    }

    /**
     * @param i a host
     * @return its port
     */
    Ptr<RoceNetDevice> GetNic(uint32_t i) const
    {
        return DynamicCast<RoceNetDevice>(nics.Get(i));
    }

    RoceHelper roce;         //!< wires everything
    NodeContainer hosts;     //!< hosts
    Ptr<RoceSwitchNode> tor; //!< the switch
    NetDeviceContainer nics; //!< port of each host

  private:
    bool m_ipv6;                         //!< IPv6 only
    Ipv6InterfaceContainer m_interfaces; //!< IPv6 addresses
};

} // namespace ns3

#endif /* ROCE_STACK_FABRIC_H */
