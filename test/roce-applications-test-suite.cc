/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-stack-fabric.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/data-rate.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/packet.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/roce-shared-buffer.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/test.h"
#include "ns3/type-id.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>

/**
 * @file
 * @ingroup roce-tests
 * Applications of ns-3 on RoCE ports. The module does not depend on the applications module, so
 * they are created by name; in an ns-3 that was built without that module these tests do nothing.
 */

using namespace ns3;

NS_LOG_COMPONENT_DEFINE("RoceApplicationsTest");

namespace
{

/**
 * @ingroup roce-tests
 * @brief A test with applications of ns-3.
 */
class ApplicationsTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * Add an application to a node.
     * @param node the node
     * @param factory how to make the application
     */
    static void Install(Ptr<Node> node, const ObjectFactory& factory)
    {
        auto application = factory.Create<Application>();
        node->AddApplication(application);
        application->SetStartTime(Time(0));
    }

    /**
     * Add a PacketSink that counts what it receives.
     * @param fabric the hosts
     * @param host which of them
     * @param protocol type of the socket factory
     */
    void InstallSink(const RoceStackFabric& fabric, uint32_t host, TypeId protocol)
    {
        ObjectFactory factory("ns3::PacketSink");
        factory.Set("Protocol", TypeIdValue(protocol));
        factory.Set("Local", AddressValue(fabric.GetAny(PORT)));
        Install(fabric.hosts.Get(host), factory);
        fabric.hosts.Get(host)->GetApplication(0)->TraceConnectWithoutContext(
            "Rx",
            MakeCallback(&ApplicationsTestCase::Received, this));
    }

    static constexpr uint16_t PORT = 9; //!< where sinks listen
    uint64_t m_received{0};             //!< bytes that sinks have received

  private:
    /**
     * @param packet what a sink has received
     * @param from its sender
     */
    void Received(Ptr<const Packet> packet, [[maybe_unused]] const Address& from)
    {
        m_received += packet->GetSize();
    }

    /// Do what the test is for.
    virtual void DoTest() = 0;

    void DoRun() override
    {
        TypeId tid;
        if (TypeId::LookupByNameFailSafe("ns3::PacketSink", &tid))
        {
            DoTest();
        }
        else
        {
            NS_LOG_WARN("The applications module is not there; nothing is tested");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief Scenario P15: two OnOff applications send UDP at 100 Gb/s each into one port of 100 Gb/s,
 * in a lossy class: the port is full, half is lost, and nobody is paused.
 *
 * Datagrams of 7984 B are 8050 B on the wire (UDP 8, IPv4 20, Ethernet 18, preamble and gap 20),
 * which take 644 ns. Both senders fill their lines, because 100 Gb/s of payload is more than fits.
 */
class OnOffOverloadTestCase : public ApplicationsTestCase
{
  public:
    OnOffOverloadTestCase()
        : ApplicationsTestCase("P15: overload of a lossy class by UDP")
    {
    }

  private:
    void DoTest() override
    {
        RoceStackFabric fabric(3);
        InstallSink(fabric, 0, UdpSocketFactory::GetTypeId());
        ObjectFactory source("ns3::OnOffApplication");
        source.Set("Protocol", TypeIdValue(UdpSocketFactory::GetTypeId()));
        source.Set("Remote", AddressValue(fabric.GetAddress(0, PORT)));
        source.Set("DataRate", DataRateValue(DataRate("100Gbps")));
        source.Set("PacketSize", UintegerValue(7984));
        source.Set("OffTime", StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        Install(fabric.hosts.Get(1), source);
        Install(fabric.hosts.Get(2), source);
        auto sw = fabric.tor->GetSwitch();
        uint64_t frames = 0;
        uint64_t drops = 0;
        uint64_t arrived = 0;
        uint64_t received = 0;
        const auto read = [&]() {
            frames = sw->GetPort(0)->GetTxCounters(0).frames;
            drops = sw->GetTotalDrops(false);
            arrived =
                sw->GetPort(1)->GetRxCounters(0).frames + sw->GetPort(2)->GetRxCounters(0).frames;
            received = m_received;
        };
        // The queue is full long before.
        Simulator::Schedule(MicroSeconds(500), read);
        Simulator::Stop(MicroSeconds(1500));
        Simulator::Run();

        const uint64_t f = frames;
        const uint64_t d = drops;
        const uint64_t a = arrived;
        const uint64_t r = received;
        read();
        NS_TEST_EXPECT_MSG_EQ_TOL((frames - f) * 644.0, 1e6, 644.0, "100 Gb/s on the wire");
        NS_TEST_EXPECT_MSG_EQ_TOL((received - r) / 7984 * 644.0, 1e6, 644.0, "and in the sink");
        NS_TEST_EXPECT_MSG_EQ_TOL((arrived - a) * 322.0, 1e6, 2 * 644.0, "both lines are full");
        NS_TEST_EXPECT_MSG_EQ_TOL((drops - d) / static_cast<double>(arrived - a),
                                  0.5,
                                  0.005,
                                  "half is lost");
        for (uint16_t p = 0; p < 3; p++)
        {
            NS_TEST_EXPECT_MSG_EQ(sw->GetPort(p)->GetTxControlCounters().frames, 0, "PFC frames");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetNic(p)->GetTxControlCounters().frames, 0, "of hosts");
        }
    }
};

/**
 * @ingroup roce-tests
 * @brief A BulkSend application over TCP, beside an RDMA WRITE between the same hosts.
 */
class BulkSendTestCase : public ApplicationsTestCase
{
  public:
    BulkSendTestCase()
        : ApplicationsTestCase("TCP beside RDMA")
    {
    }

  private:
    void DoTest() override
    {
        constexpr uint64_t BYTES = 2'000'000;
        RoceStackFabric fabric(2);
        InstallSink(fabric, 1, TcpSocketFactory::GetTypeId());
        ObjectFactory source("ns3::BulkSendApplication");
        source.Set("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
        source.Set("Remote", AddressValue(fabric.GetAddress(1, PORT)));
        source.Set("MaxBytes", UintegerValue(BYTES));
        Install(fabric.hosts.Get(0), source);
        auto qp = fabric.roce.ConnectQueuePairs(fabric.nics.Get(0), fabric.nics.Get(1)).first;
        qp->PostSend(RdmaWorkRequest::Write(BYTES));
        Simulator::Stop(Seconds(5));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(m_received, BYTES, "TCP");
        NS_TEST_EXPECT_MSG_EQ(qp->GetCounters().completed, 1, "RDMA");
        NS_TEST_EXPECT_MSG_EQ(qp->GetCounters().retransmittedPackets, 0, "lossless");
        NS_TEST_EXPECT_MSG_EQ(fabric.tor->GetSwitch()->GetBuffer()->GetUsedBytes(), 0, "empty");
    }
};

/**
 * @ingroup roce-tests
 * @brief Applications of ns-3 on RoCE ports.
 */
class RoceApplicationsTestSuite : public TestSuite
{
  public:
    RoceApplicationsTestSuite()
        : TestSuite("roce-applications", Type::SYSTEM)
    {
        AddTestCase(new OnOffOverloadTestCase);
        AddTestCase(new BulkSendTestCase);
    }
};

RoceApplicationsTestSuite g_roceApplicationsTestSuite; //!< the suite

} // namespace
