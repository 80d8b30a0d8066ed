/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Sixteen hosts on one switch; fifteen of them write 1 MiB to host 0 at the same time.
//
//   host 1 ----+
//   host 2 ----+---- switch ---- host 0
//   ...        |
//   host 15 ---+
//
// PFC keeps the fabric lossless, DCQCN shares the last link. Prints when each write completed.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/roce-module.h"

#include <iostream>
#include <vector>

using namespace ns3;

int
main(int argc, char* argv[])
{
    uint32_t nHosts = 16;
    uint64_t bytes = 1 << 20;
    bool pcap = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("hosts", "Number of hosts, at least 2", nHosts);
    cmd.AddValue("bytes", "Bytes that each sender writes", bytes);
    cmd.AddValue("pcap", "Write the frames of host 0 to roce-first-*.pcap", pcap);
    cmd.Parse(argc, argv);
    NS_ABORT_MSG_IF(nHosts < 2, "--hosts=" << nHosts << " must be at least 2");

    NodeContainer hosts(nHosts);
    auto tor = CreateObject<RoceSwitchNode>();

    RoceHelper roce;
    roce.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    roce.SetChannelAttribute("Delay", StringValue("1us"));
    roce.SetCongestionControl("ns3::RdmaDcqcn");
    NetDeviceContainer nics = roce.Install(hosts, tor);

    InternetStackHelper().Install(hosts);
    Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(nics);
    RoceRoutingHelper::PopulateForwardingTables();
    if (pcap)
    {
        roce.EnablePcap("roce-first", nics.Get(0), true);
    }

    std::vector<Ptr<RdmaQueuePair>> senders;
    for (uint32_t i = 1; i < nHosts; i++)
    {
        auto [qp, peer] = roce.ConnectQueuePairs(nics.Get(i), nics.Get(0));
        qp->PostSend(RdmaWorkRequest::Write(bytes, i));
        senders.push_back(qp);
    }

    Simulator::Run();

    for (const auto& qp : senders)
    {
        for (const auto& done : qp->GetSendCompletionQueue()->Poll(1))
        {
            std::cout << "host " << done.wrId << ": " << done.byteLength << " bytes, "
                      << done.status << " after " << (done.completed - done.posted).As(Time::US)
                      << std::endl;
        }
    }
    Ptr<RoceSwitch> pipeline = tor->GetSwitch();
    std::cout << "dropped " << pipeline->GetTotalDrops(true) << ", marked "
              << pipeline->GetTotalMarked() << std::endl;
    Simulator::Destroy();
    return 0;
}
