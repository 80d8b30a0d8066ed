/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_FABRIC_FIXTURE_H
#define ROCE_FABRIC_FIXTURE_H

#include "roce-scripted-channel.h"

#include "ns3/data-rate.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/rdma-engine.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-helper.h"
#include "ns3/roce-net-device.h"
#include "ns3/roce-routing-helper.h"
#include "ns3/roce-switch-node.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce-tests
 * @brief A small fabric for scenario tests: hosts without network stack, RoCE switches, cables
 * with scripts. It cleans up the simulator when it goes out of scope.
 *
 * Set attributes on `roce`, call one of Pair(), Star() and Chain(), connect queue pairs, run.
 */
class RoceFabricFixture
{
  public:
    /// The queue pair at the first host and the one at the second.
    typedef std::pair<Ptr<RdmaQueuePair>, Ptr<RdmaQueuePair>> QueuePairs;

    /**
     * @param rate line rate of all ports
     * @param delay propagation delay of all cables
     */
    explicit RoceFabricFixture(const std::string& rate = "100Gbps", Time delay = MicroSeconds(1))
        : m_rate(DataRate(rate).GetBitRate()),
          m_delay(RoceClock::FromTime(delay))
    {
        roce.SetChannel(RoceScriptedChannel::GetTypeId().GetName(), "Delay", TimeValue(delay));
        roce.SetDeviceAttribute("DataRate", DataRateValue(DataRate(rate)));
    }

    ~RoceFabricFixture()
    {
        Simulator::Destroy();
    }

    RoceFabricFixture(const RoceFabricFixture&) = delete;
    RoceFabricFixture& operator=(const RoceFabricFixture&) = delete;

    RoceHelper roce;     //!< wires everything; configure it first
    bool useIpv6{false}; //!< give the hosts IPv6 addresses

    // --- topologies ---

    /// Two hosts and one cable.
    void Pair()
    {
        CreateHosts(2);
        nics = roce.Install(hosts.Get(0), hosts.Get(1));
        Address();
    }

    /// @param n number of hosts on one switch; host i is at switch port i
    void Star(uint32_t n)
    {
        CreateHosts(n);
        switches.push_back(CreateObject<RoceSwitchNode>());
        nics = roce.Install(hosts, switches[0]);
        Address();
    }

    /**
     * Host 0, a row of switches, host 1. On every switch, port 0 leads to host 0 and port 1 to
     * host 1.
     * @param n number of switches
     */
    void Chain(uint32_t n)
    {
        CreateHosts(2);
        Ptr<Node> last = hosts.Get(0);
        for (uint32_t i = 0; i < n; i++)
        {
            switches.push_back(CreateObject<RoceSwitchNode>());
            const NetDeviceContainer ports = roce.Install(last, switches[i]);
            if (i == 0)
            {
                nics.Add(ports.Get(0));
            }
            last = switches[i];
        }
        nics.Add(roce.Install(last, hosts.Get(1)).Get(1));
        Address();
    }

    // --- parts ---

    /**
     * @param i a host
     * @return its port
     */
    Ptr<RoceNetDevice> GetNic(uint32_t i) const
    {
        return DynamicCast<RoceNetDevice>(nics.Get(i));
    }

    /**
     * @param i a host
     * @return its transport engine
     */
    Ptr<RdmaEngine> GetEngine(uint32_t i) const
    {
        return RoceHelper::GetEngine(nics.Get(i));
    }

    /**
     * @param i a switch
     * @return its pipeline
     */
    Ptr<RoceSwitch> GetSwitch(uint32_t i = 0) const
    {
        return switches[i]->GetSwitch();
    }

    /**
     * @param i a host
     * @return its cable, whose end 0 is at the host (in a chain, host 1 is at end 1)
     */
    Ptr<RoceScriptedChannel> GetCable(uint32_t i) const
    {
        return DynamicCast<RoceScriptedChannel>(nics.Get(i)->GetChannel());
    }

    /**
     * @param i a host
     * @param j another host
     * @return a connected queue pair at each
     */
    QueuePairs Connect(uint32_t i, uint32_t j) const
    {
        return roce.ConnectQueuePairs(nics.Get(i), nics.Get(j));
    }

    // --- arithmetic ---

    static constexpr uint32_t MIDDLE = 62; //!< Eth 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4
    static constexpr uint32_t FIRST = 78;  //!< the same with RETH 16: first or only WRITE packet
    static constexpr uint32_t ACK = 66;    //!< frame of an acknowledgment: MIDDLE + AETH 4
    static constexpr uint32_t CNP = 78;    //!< frame of a CNP: MIDDLE + 16 reserved bytes

    /**
     * @param frameBytes length of a frame with FCS
     * @return time until the next frame can start, picoseconds: 8 B preamble, 12 B gap
     */
    RocePs Slot(uint64_t frameBytes) const
    {
        return ByteTimes(frameBytes + 20);
    }

    /**
     * @param frameBytes length of a frame with FCS
     * @return time from its first bit to the arrival of its last bit at the other end of a cable,
     * picoseconds: 8 B preamble, no gap
     */
    RocePs Flight(uint64_t frameBytes) const
    {
        return ByteTimes(frameBytes + 8) + m_delay;
    }

    /**
     * @param bytes number of bytes
     * @return the time they take on the line, picoseconds, rounded down
     */
    RocePs ByteTimes(uint64_t bytes) const
    {
        // Exact for every Ethernet rate, which divides 8e12 ps.
        return static_cast<RocePs>(bytes * (8 * RoceClock::SECOND / m_rate));
    }

    /// @return propagation delay of each cable, picoseconds
    RocePs GetDelay() const
    {
        return m_delay;
    }

    NodeContainer hosts;                       //!< hosts
    NetDeviceContainer nics;                   //!< port of each host
    std::vector<Ptr<RoceSwitchNode>> switches; //!< switches

  private:
    /// @param n number of hosts
    void CreateHosts(uint32_t n)
    {
        hosts.Create(n);
    }

    /// Give host i the address 10.0.0.1 + i, or 2001:db8::1 + i, and fill the forwarding tables.
    void Address()
    {
        for (uint32_t i = 0; i < nics.GetN(); i++)
        {
            if (useIpv6)
            {
                uint8_t bytes[16] = {0x20, 0x01, 0x0d, 0xb8};
                bytes[14] = static_cast<uint8_t>((i + 1) >> 8);
                bytes[15] = static_cast<uint8_t>(i + 1);
                GetEngine(i)->SetAddress(Ipv6Address(bytes));
            }
            else
            {
                GetEngine(i)->SetAddress(Ipv4Address(0x0a000001 + i));
            }
        }
        RoceRoutingHelper::PopulateForwardingTables();
    }

    uint64_t m_rate; //!< line rate, bit/s
    RocePs m_delay;  //!< propagation delay, picoseconds
};

} // namespace ns3

#endif /* ROCE_FABRIC_FIXTURE_H */
