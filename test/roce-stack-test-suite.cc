/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-stack-fabric.h"

#include "ns3/callback.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/node-container.h"
#include "ns3/packet.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/roce-helper.h"
#include "ns3/roce-shared-buffer.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/test.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

/**
 * @file
 * @ingroup roce-tests
 * The network stack of ns-3 on RoCE ports: TCP and UDP beside RDMA, through RoCE switches and
 * through ordinary routers.
 */

using namespace ns3;

namespace
{

/**
 * One TCP connection that carries a pattern and checks it at the other end.
 */
class TcpTransfer
{
  public:
    /**
     * @param from node that sends
     * @param to node that receives
     * @param listen address at which it listens
     * @param address address to connect to
     * @param bytes number of bytes
     * @param start when to connect
     */
    TcpTransfer(Ptr<Node> from,
                Ptr<Node> to,
                const Address& listen,
                const Address& address,
                uint32_t bytes,
                Time start)
        : m_bytes(bytes),
          m_peer(address)
    {
        m_server = Socket::CreateSocket(to, TcpSocketFactory::GetTypeId());
        m_server->SetAttribute("SegmentSize", UintegerValue(SEGMENT_BYTES));
        m_server->Bind(listen);
        m_server->Listen();
        m_server->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeCallback(&TcpTransfer::Accepted, this));
        m_client = Socket::CreateSocket(from, TcpSocketFactory::GetTypeId());
        m_client->SetAttribute("SegmentSize", UintegerValue(SEGMENT_BYTES));
        Simulator::ScheduleWithContext(from->GetId(), start, &TcpTransfer::Connect, this);
    }

    /// @return bytes that have arrived in order and intact
    uint32_t GetReceived() const
    {
        return m_received;
    }

    /// @return when the last byte arrived
    Time GetEnd() const
    {
        return m_end;
    }

  private:
    static constexpr uint32_t SEGMENT_BYTES = 1448; //!< common with an MTU of 1500

    /**
     * @param i position in the stream
     * @return the byte at that position
     */
    static uint8_t Pattern(uint32_t i)
    {
        return static_cast<uint8_t>(i * 167 + (i >> 8));
    }

    /// Connect to the peer.
    void Connect()
    {
        m_client->SetSendCallback(MakeCallback(&TcpTransfer::Room, this));
        m_client->SetConnectCallback(MakeCallback(&TcpTransfer::Connected, this),
                                     MakeNullCallback<void, Ptr<Socket>>());
        m_client->Connect(m_peer);
    }

    /// @param socket the client
    void Connected(Ptr<Socket> socket)
    {
        Room(socket, socket->GetTxAvailable());
    }

    /**
     * @param socket the client
     * @param room bytes that it takes
     */
    void Room(Ptr<Socket> socket, uint32_t room)
    {
        while (m_sent < m_bytes && room > 0)
        {
            const uint32_t n = std::min({room, m_bytes - m_sent, uint32_t{8000}});
            std::vector<uint8_t> data(n);
            for (uint32_t i = 0; i < n; i++)
            {
                data[i] = Pattern(m_sent + i);
            }
            if (socket->Send(data.data(), n, 0) != static_cast<int>(n))
            {
                return;
            }
            m_sent += n;
            room = socket->GetTxAvailable();
        }
        if (m_sent == m_bytes)
        {
            socket->Close();
            m_sent++; // once
        }
    }

    /**
     * @param socket the server's end of the connection
     * @param from the client
     */
    void Accepted(Ptr<Socket> socket, [[maybe_unused]] const Address& from)
    {
        socket->SetRecvCallback(MakeCallback(&TcpTransfer::Received, this));
    }

    /// @param socket the server's end of the connection
    void Received(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            std::vector<uint8_t> data(packet->GetSize());
            packet->CopyData(data.data(), packet->GetSize());
            for (const uint8_t byte : data)
            {
                m_intact = m_intact && byte == Pattern(m_received);
                m_received += m_intact;
            }
            m_end = Simulator::Now();
        }
    }

    uint32_t m_bytes;       //!< to send
    Address m_peer;         //!< where to
    Ptr<Socket> m_server;   //!< listener
    Ptr<Socket> m_client;   //!< sender
    uint32_t m_sent{0};     //!< given to TCP
    uint32_t m_received{0}; //!< arrived intact
    bool m_intact{true};    //!< no wrong byte yet
    Time m_end;             //!< arrival of the last byte
};

/**
 * @param qp a queue pair
 * @return completion time of its one work request
 */
Time
GetCompletionTime(Ptr<RdmaQueuePair> qp)
{
    const auto entries = qp->GetSendCompletionQueue()->Poll(1);
    return entries.empty() || !entries[0].IsSuccess() ? Time() : entries[0].completed;
}

/**
 * Send a datagram, and the next one when the line of 100 Gb/s is free again.
 * @param socket a connected UDP socket
 * @param wireBytes length on the wire, a multiple of 25, which take 2 ns
 */
void
SendForEver(Ptr<Socket> socket, uint32_t wireBytes)
{
    // UDP 8, IPv4 20, Ethernet 18, preamble and gap 20.
    socket->Send(Create<Packet>(wireBytes - 66));
    Simulator::Schedule(NanoSeconds(wireBytes / 25 * 2), &SendForEver, socket, wireBytes);
}

/**
 * @ingroup roce-tests
 * @brief TCP and RDMA flows between the same hosts: all bytes arrive, in both directions, and
 * nothing lossless is lost.
 */
class StackTcpTestCase : public TestCase
{
  public:
    /// @param ipv6 use IPv6
    explicit StackTcpTestCase(bool ipv6)
        : TestCase(ipv6 ? "TCP over IPv6 beside RDMA" : "TCP beside RDMA"),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        RoceStackFabric fabric(3, m_ipv6);
        const uint32_t bytes = 300'000;
        // IPv6 addresses can be used when duplicate address detection is over, after 1 s.
        const Time start = Seconds(2);
        std::vector<std::unique_ptr<TcpTransfer>> transfers;
        std::vector<Ptr<RdmaQueuePair>> flows;
        for (uint32_t i = 0; i < 3; i++)
        {
            const uint32_t j = (i + 1) % 3;
            transfers.push_back(std::make_unique<TcpTransfer>(fabric.hosts.Get(i),
                                                              fabric.hosts.Get(j),
                                                              fabric.GetAny(80),
                                                              fabric.GetAddress(j, 80),
                                                              bytes,
                                                              start));
            flows.push_back(
                fabric.roce.ConnectQueuePairs(fabric.nics.Get(i), fabric.nics.Get(j)).first);
            auto qp = flows.back();
            Simulator::Schedule(start, [qp]() { qp->PostSend(RdmaWorkRequest::Write(3'000'000)); });
        }
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        for (uint32_t i = 0; i < 3; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(transfers[i]->GetReceived(), bytes, "TCP of host " << i);
            NS_TEST_EXPECT_MSG_EQ(flows[i]->GetCounters().completed, 1, "RDMA of host " << i);
            NS_TEST_EXPECT_MSG_EQ(flows[i]->GetCounters().retransmittedPackets, 0, "lossless");
        }
        NS_TEST_EXPECT_MSG_EQ(fabric.tor->GetSwitch()->GetTotalDrops(true), 0, "lossless class");
        NS_TEST_EXPECT_MSG_EQ(fabric.tor->GetSwitch()->GetBuffer()->GetUsedBytes(), 0, "empty");
    }

    bool m_ipv6; //!< use IPv6
};

/**
 * @ingroup roce-tests
 * @brief Datagrams of all sizes in both directions arrive once and intact.
 */
class StackUdpTestCase : public TestCase
{
  public:
    StackUdpTestCase()
        : TestCase("UDP in both directions")
    {
    }

  private:
    /// @param socket socket of the receiver
    void Received(Ptr<Socket> socket)
    {
        // The other one of hosts 0 and 1, which is also the first byte.
        const auto sender = static_cast<uint8_t>(1 - socket->GetNode()->GetId());
        while (Ptr<Packet> packet = socket->Recv())
        {
            std::vector<uint8_t> data(packet->GetSize());
            packet->CopyData(data.data(), data.size());
            const bool intact =
                data[0] == sender && std::count(data.begin() + 1, data.end(), data.size() % 251) ==
                                         static_cast<int64_t>(data.size()) - 1;
            NS_TEST_EXPECT_MSG_EQ(intact, true, "datagram of " << data.size() << " bytes");
            m_sizes[sender].push_back(packet->GetSize());
        }
    }

    void DoRun() override
    {
        RoceStackFabric fabric(2);
        std::vector<uint32_t> sizes;
        for (uint32_t size = 1; size < 8972; size += 89) // up to the MTU of 9000
        {
            sizes.push_back(size);
        }
        sizes.push_back(8972);
        std::vector<Ptr<Socket>> sockets;
        for (uint8_t i = 0; i < 2; i++)
        {
            auto socket = Socket::CreateSocket(fabric.hosts.Get(i), UdpSocketFactory::GetTypeId());
            socket->Bind(fabric.GetAny(9));
            socket->SetAttribute("RcvBufSize", UintegerValue(10'000'000));
            socket->Connect(fabric.GetAddress(1 - i, 9));
            sockets.push_back(socket);
        }
        for (uint8_t i = 0; i < 2; i++)
        {
            sockets[i]->SetRecvCallback(MakeCallback(&StackUdpTestCase::Received, this));
            auto socket = sockets[i];
            for (const uint32_t size : sizes)
            {
                Simulator::Schedule(MicroSeconds(1), [socket, i, size]() {
                    std::vector<uint8_t> data(size, size % 251);
                    data[0] = i;
                    socket->Send(data.data(), size, 0);
                });
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((m_sizes[0] == sizes), true, "host 0 to 1, in order");
        NS_TEST_EXPECT_MSG_EQ((m_sizes[1] == sizes), true, "host 1 to 0, in order");
        // IPv4 20, UDP 8, Ethernet 18, and padding of frames below 64 bytes.
        uint64_t bytes = 0;
        for (const uint32_t size : sizes)
        {
            bytes += std::max<uint32_t>(size + 46, 64);
        }
        NS_TEST_EXPECT_MSG_EQ(fabric.GetNic(0)->GetTxCounters(0).frames, sizes.size(), "frames");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetNic(0)->GetTxCounters(0).bytes, bytes, "their bytes");
    }

    std::array<std::vector<uint32_t>, 2> m_sizes; //!< sizes received, by sender
};

/**
 * @ingroup roce-tests
 * @brief Packets of the stack are in the class of their DSCP, in the NIC and in the switch.
 */
class StackDscpTestCase : public TestCase
{
  public:
    StackDscpTestCase()
        : TestCase("DSCP of UDP packets")
    {
    }

  private:
    void DoRun() override
    {
        RoceStackFabric fabric(2);
        auto server = Socket::CreateSocket(fabric.hosts.Get(1), UdpSocketFactory::GetTypeId());
        server->Bind(fabric.GetAny(9));
        for (uint8_t dscp = 0; dscp < 64; dscp++)
        {
            auto socket = Socket::CreateSocket(fabric.hosts.Get(0), UdpSocketFactory::GetTypeId());
            socket->Connect(fabric.GetAddress(1, 9));
            socket->SetIpTos(dscp << 2); // after Connect(), which may overwrite it
            Simulator::Schedule(MicroSeconds(1), [socket]() { socket->Send(Create<Packet>(100)); });
        }
        Simulator::Run();
        for (uint8_t c = 0; c < 8; c++)
        {
            NS_TEST_EXPECT_MSG_EQ(fabric.GetNic(0)->GetTxCounters(c).frames, 8, "NIC " << +c);
            NS_TEST_EXPECT_MSG_EQ(fabric.tor->GetSwitch()->GetPort(1)->GetTxCounters(c).frames,
                                  8,
                                  "switch " << +c);
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief Three UDP streams of 100 Gb/s each with different datagrams in three lossy classes share a
 * port as their weights say: 5, 15 and 20 of 40.
 */
class StackSharesTestCase : public TestCase
{
  public:
    StackSharesTestCase()
        : TestCase("Weighted shares of lossy classes")
    {
    }

  private:
    void DoRun() override
    {
        RoceStackFabric fabric(4, false, 2, "5,15,20,1,1,1,1,1");
        auto server = Socket::CreateSocket(fabric.hosts.Get(0), UdpSocketFactory::GetTypeId());
        server->Bind(fabric.GetAny(9));
        const std::array<uint32_t, 3> wireBytes = {4025, 8050, 1500};
        for (uint8_t c = 0; c < 3; c++)
        {
            auto socket =
                Socket::CreateSocket(fabric.hosts.Get(c + 1), UdpSocketFactory::GetTypeId());
            socket->Connect(fabric.GetAddress(0, 9));
            socket->SetIpTos((8 * c) << 2);
            Simulator::Schedule(NanoSeconds(100 * c), &SendForEver, socket, wireBytes[c]);
        }
        auto port = fabric.tor->GetSwitch()->GetPort(0);
        std::array<uint64_t, 3> frames{};
        Simulator::Schedule(MicroSeconds(300), [&]() {
            for (uint8_t c = 0; c < 3; c++)
            {
                frames[c] = port->GetTxCounters(c).frames;
            }
        });
        Simulator::Stop(MicroSeconds(1300));
        Simulator::Run();
        const std::array<double, 3> gbps = {12.5, 37.5, 50};
        for (uint8_t c = 0; c < 3; c++)
        {
            const uint64_t sent = port->GetTxCounters(c).frames - frames[c];
            NS_TEST_EXPECT_MSG_EQ_TOL(sent * wireBytes[c] * 8 / 1e6, // in 1 ms
                                      gbps[c],
                                      0.01 * gbps[c],
                                      "class " << +c);
        }
        NS_TEST_EXPECT_MSG_GT(fabric.tor->GetSwitch()->GetTotalDrops(false), 0, "overload");
    }
};

/**
 * @ingroup roce-tests
 * @brief How many packets of the stack may wait in the NIC has no influence on results.
 */
class StackLimitTestCase : public TestCase
{
  public:
    StackLimitTestCase()
        : TestCase("Results do not depend on StackQueueLimit")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<Time> tcp;
        std::vector<Time> rdma;
        for (const uint32_t limit : {2, 3, 64})
        {
            RoceStackFabric fabric(3, false, limit);
            TcpTransfer transfer(fabric.hosts.Get(0),
                                 fabric.hosts.Get(1),
                                 fabric.GetAny(80),
                                 fabric.GetAddress(1, 80),
                                 200'000,
                                 MicroSeconds(1));
            auto qp = fabric.roce.ConnectQueuePairs(fabric.nics.Get(0), fabric.nics.Get(1)).first;
            qp->PostSend(RdmaWorkRequest::Write(2'000'000));
            fabric.roce.ConnectQueuePairs(fabric.nics.Get(2), fabric.nics.Get(1))
                .first->PostSend(RdmaWorkRequest::Write(2'000'000));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(transfer.GetReceived(), 200'000, "TCP, limit " << limit);
            tcp.push_back(transfer.GetEnd());
            rdma.push_back(GetCompletionTime(qp));
            NS_TEST_EXPECT_MSG_EQ(tcp.back(), tcp.front(), "end of TCP with limit " << limit);
            NS_TEST_EXPECT_MSG_EQ(rdma.back(), rdma.front(), "end of RDMA with limit " << limit);
            NS_TEST_EXPECT_MSG_GT(rdma.back(), Time(), "RDMA has completed");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief RDMA and TCP between hosts on two ordinary routers: RoCE packets go up into the router's
 * stack as ns-3 packets, are forwarded, and become RoCE frames again.
 */
class StackRouterTestCase : public TestCase
{
  public:
    StackRouterTestCase()
        : TestCase("RDMA through ordinary routers")
    {
    }

  private:
    /// @param packet a frame that arrives at the last NIC
    void Sniff(Ptr<const Packet> packet)
    {
        uint8_t bytes[38];
        if (packet->CopyData(bytes, sizeof(bytes)) == sizeof(bytes) && bytes[23] == 17 &&
            bytes[36] == 0x12 && bytes[37] == 0xb7) // UDP, port 4791
        {
            m_packets++;
            NS_TEST_EXPECT_MSG_EQ(+bytes[22], 62, "TTL 64, two routers");
            NS_TEST_EXPECT_MSG_EQ(+bytes[15], ((26 << 2) | 2), "DSCP and ECT(0) are still there");
        }
    }

    void DoRun() override
    {
        NodeContainer nodes(4); // host, router, router, host
        InternetStackHelper().Install(nodes);
        RoceHelper roce;
        std::vector<NetDeviceContainer> links;
        Ipv4AddressHelper addresses("10.1.1.0", "255.255.255.0");
        for (uint32_t i = 0; i < 3; i++)
        {
            links.push_back(roce.Install(nodes.Get(i), nodes.Get(i + 1)));
            addresses.Assign(links.back());
            addresses.NewNetwork();
        }
        // Everything to the right by the last device, everything to the left by the first one.
        const auto route = [&](uint32_t node, const char* network, const char* gateway, int link) {
            auto ipv4 = nodes.Get(node)->GetObject<Ipv4>();
            const int32_t interface = ipv4->GetInterfaceForDevice(
                links[link].Get(links[link].Get(0)->GetNode() == nodes.Get(node) ? 0 : 1));
            Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->AddNetworkRouteTo(
                Ipv4Address(network),
                Ipv4Mask("255.255.255.0"),
                Ipv4Address(gateway),
                interface);
        };
        route(0, "10.1.3.0", "10.1.1.2", 0);
        route(1, "10.1.3.0", "10.1.2.2", 1);
        route(2, "10.1.1.0", "10.1.2.1", 1);
        route(3, "10.1.1.0", "10.1.3.1", 2);
        links[2].Get(1)->TraceConnectWithoutContext(
            "MacRx",
            MakeCallback(&StackRouterTestCase::Sniff, this));
        auto nics = NetDeviceContainer(links[0].Get(0));
        nics.Add(links[2].Get(1));
        auto forth = roce.ConnectQueuePairs(nics.Get(0), nics.Get(1));
        auto back = roce.ConnectQueuePairs(nics.Get(1), nics.Get(0));
        forth.first->PostSend(RdmaWorkRequest::Write(200'000));
        back.first->PostSend(RdmaWorkRequest::Write(100'000));
        forth.second->PostReceive(RdmaReceiveRequest{1, 10'000});
        forth.first->PostSend(RdmaWorkRequest::Send(5'001));
        TcpTransfer transfer(nodes.Get(0),
                             nodes.Get(3),
                             InetSocketAddress(Ipv4Address::GetAny(), 80),
                             InetSocketAddress(Ipv4Address("10.1.3.2"), 80),
                             100'000,
                             MicroSeconds(1));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(forth.first->GetCounters().completed, 2, "WRITE and SEND");
        NS_TEST_EXPECT_MSG_EQ(back.first->GetCounters().completed, 1, "WRITE the other way");
        NS_TEST_EXPECT_MSG_EQ(forth.second->GetCounters().bytesReceived, 205'001, "bytes");
        NS_TEST_EXPECT_MSG_EQ(forth.first->GetCounters().retransmittedPackets, 0, "at once");
        NS_TEST_EXPECT_MSG_EQ(back.first->GetCounters().retransmittedPackets, 0, "at once");
        // To the right: 196 + 5 data packets, and ACKs for 98 packets.
        NS_TEST_EXPECT_MSG_EQ(m_packets, 201 + 98, "RoCE packets at the last NIC");
        NS_TEST_EXPECT_MSG_EQ(transfer.GetReceived(), 100'000, "TCP on the same path");
        Simulator::Destroy();
    }

    uint64_t m_packets{0}; //!< RoCE packets seen
};

/**
 * @ingroup roce-tests
 * @brief Test suite of the network stack on RoCE ports.
 */
class RoceStackTestSuite : public TestSuite
{
  public:
    RoceStackTestSuite()
        : TestSuite("roce-stack", Type::UNIT)
    {
        AddTestCase(new StackTcpTestCase(false));
        AddTestCase(new StackTcpTestCase(true));
        AddTestCase(new StackUdpTestCase);
        AddTestCase(new StackDscpTestCase);
        AddTestCase(new StackSharesTestCase);
        AddTestCase(new StackLimitTestCase);
        AddTestCase(new StackRouterTestCase);
    }
};

RoceStackTestSuite g_roceStackTestSuite; //!< static instance

} // namespace
