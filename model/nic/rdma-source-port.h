/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SOURCE_PORT_H
#define RDMA_SOURCE_PORT_H

#include "ns3/roce-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief How a queue pair chooses the UDP source port of its packets, which is what switches tell
 * flows apart by: there is no other use of it.
 */
class RdmaSourcePort
{
  public:
    /// The ways to choose.
    enum Policy
    {
        HASH,        //!< a hash of the two queue pair numbers: one path per queue pair
        FIXED,       //!< FIRST for all queue pairs: one path per pair of addresses
        PER_MESSAGE, //!< a hash that differs from message to message: messages take different paths
        USER,        //!< what the attribute SourcePort says
    };

    static constexpr uint16_t FIRST = 0xc000; //!< first of the 2^14 ports that RoCEv2 hashes to

    /**
     * @param local number of the queue pair
     * @param peer number of the queue pair at the other end
     * @return source port of all packets
     */
    static uint16_t FromNumbers(uint32_t local, uint32_t peer);
    /**
     * @param local number of the queue pair
     * @param peer number of the queue pair at the other end
     * @param sequence sequence number of the first packet of a message
     * @return source port of the packets of that message, also when they are sent again
     */
    static uint16_t FromMessage(uint32_t local, uint32_t peer, uint64_t sequence);
    /**
     * Give a packet the source port of its message.
     * @param frame the packet, with addresses and destination queue pair
     * @param local number of the queue pair that sends it
     * @param sequence sequence number of the first packet of its message
     */
    static void Spread(RoceFrame& frame, uint32_t local, uint64_t sequence);
};

} // namespace ns3

#endif /* RDMA_SOURCE_PORT_H */
