/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-source-port.h"

#include "ns3/roce-flow-hash.h"
#include "ns3/roce-frame-codec.h"

namespace ns3
{

uint16_t
RdmaSourcePort::FromNumbers(uint32_t local, uint32_t peer)
{
    // Spread over the 14 free bits of the RoCEv2 source port range as rdma-core's
    // rdma_flow_label_to_udp_sport() does with a flow label made from both numbers.
    uint64_t label = uint64_t{local} * (peer ? peer : 1);
    label ^= label >> 20;
    label ^= label >> 40;
    label &= 0xfffff;
    return static_cast<uint16_t>(FIRST | ((label & 0x3fff) ^ (label >> 14)));
}

uint16_t
RdmaSourcePort::FromMessage(uint32_t local, uint32_t peer, uint64_t sequence)
{
    RoceFlowHash hash;
    hash.Add(uint64_t{local} << 32 | peer);
    hash.Add(sequence);
    return static_cast<uint16_t>(FIRST | (hash.Get() & 0x3fff));
}

void
RdmaSourcePort::Spread(RoceFrame& frame, uint32_t local, uint64_t sequence)
{
    frame.udpSourcePort = FromMessage(local, frame.destQp, sequence);
    frame.flowHash = RoceFrameCodec::ComputeFlowHash(frame);
}

} // namespace ns3
