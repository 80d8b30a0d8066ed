/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-fabric-fixture.h"

#include "ns3/rdma-work-request.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t RAILS = 2;           //!< NICs of each host
constexpr uint32_t PACKET_BYTES = 1024; //!< path MTU
constexpr uint32_t RETH = 16;           //!< more in the first packet, bytes

/**
 * @ingroup roce-tests
 * @brief Hosts with a NIC on each of two switches (rails). A queue pair uses the rail of the ports
 * it was connected on, and the rails do not disturb each other.
 *
 * A WRITE of n packets sends n (1024 + 62) + 16 B of frames, and its last packet has arrived after
 * Flight(first) + Slot(first) + (n - 2) Slot(middle) + Flight(middle) (see roce-timing).
 */
class RoceRailsTestCase : public TestCase
{
  public:
    RoceRailsTestCase()
        : TestCase("two NICs per node")
    {
    }

  private:
    /**
     * @param packets length of a WRITE, packets
     * @return bytes of its frames
     */
    static uint64_t GetFrameBytes(uint64_t packets)
    {
        return packets * (PACKET_BYTES + RoceFabricFixture::MIDDLE) + RETH;
    }

    void DoRun() override
    {
        RoceFabricFixture fabric;
        fabric.hosts.Create(2);
        std::vector<NetDeviceContainer> rails;
        for (uint32_t rail = 0; rail < RAILS; rail++)
        {
            fabric.switches.push_back(CreateObject<RoceSwitchNode>());
            rails.push_back(fabric.roce.Install(fabric.hosts, fabric.switches[rail]));
            for (uint32_t host = 0; host < 2; host++)
            {
                RoceHelper::GetEngine(rails[rail].Get(host))
                    ->SetAddress(Ipv4Address(0x0a000001 + 256 * rail + host));
            }
        }
        RoceRoutingHelper::PopulateForwardingTables();

        // Rail 0: one queue pair. Rail 1: two, which share it.
        const uint64_t packets[] = {1000, 600, 400};
        const uint32_t railOf[] = {0, 1, 1};
        std::vector<RoceFabricFixture::QueuePairs> pairs;
        for (uint32_t i = 0; i < 3; i++)
        {
            const NetDeviceContainer& nics = rails[railOf[i]];
            pairs.push_back(fabric.roce.ConnectQueuePairs(nics.Get(0), nics.Get(1)));
            pairs[i].first->PostSend(RdmaWorkRequest::Write(packets[i] * PACKET_BYTES));
        }
        Simulator::Run();

        for (uint32_t i = 0; i < 3; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(pairs[i].first->GetCounters().completed, 1, "done");
            NS_TEST_EXPECT_MSG_EQ(pairs[i].second->GetCounters().bytesReceived,
                                  packets[i] * PACKET_BYTES,
                                  "payload of queue pair " << i);
        }
        const uint64_t bytes[] = {GetFrameBytes(1000), GetFrameBytes(600) + GetFrameBytes(400)};
        for (uint32_t rail = 0; rail < RAILS; rail++)
        {
            const auto sender = DynamicCast<RoceNetDevice>(rails[rail].Get(0));
            const auto receiver = DynamicCast<RoceNetDevice>(rails[rail].Get(1));
            NS_TEST_EXPECT_MSG_EQ(sender->GetTxCounters(3).bytes, bytes[rail], "sent on the rail");
            NS_TEST_EXPECT_MSG_EQ(receiver->GetRxCounters(3).bytes, bytes[rail], "received on it");
            NS_TEST_EXPECT_MSG_EQ(
                RoceHelper::GetEngine(rails[rail].Get(1))->GetCounters().bytesReceived,
                1000 * PACKET_BYTES,
                "payload of the rail");
        }
        // As fast as if it were alone: the other rail takes nothing from it.
        const uint64_t first = PACKET_BYTES + RoceFabricFixture::FIRST;
        const uint64_t middle = PACKET_BYTES + RoceFabricFixture::MIDDLE;
        const RocePs last = fabric.Flight(first) + fabric.Slot(first) + 998 * fabric.Slot(middle) +
                            fabric.Flight(middle);
        NS_TEST_EXPECT_MSG_EQ(pairs[0].second->GetLastMessageTime(),
                              RoceClock::ToTime(last),
                              "rail 0 at line rate");
        // Rail 1 carries one more RETH, and the last of its two WRITEs ends as late.
        const RocePs more = fabric.Slot(first) - fabric.Slot(middle);
        NS_TEST_EXPECT_MSG_EQ(pairs[1].second->GetLastMessageTime(),
                              RoceClock::ToTime(last + more),
                              "rail 1 at line rate");
    }
};

/**
 * @ingroup roce-tests
 * @brief Several NICs per host.
 */
class RoceRailsTestSuite : public TestSuite
{
  public:
    RoceRailsTestSuite()
        : TestSuite("roce-rails", Type::UNIT)
    {
        AddTestCase(new RoceRailsTestCase);
    }
};

RoceRailsTestSuite g_roceRailsTestSuite; //!< registers the suite

} // namespace
