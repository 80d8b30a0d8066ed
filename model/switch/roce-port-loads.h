/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_PORT_LOADS_H
#define ROCE_PORT_LOADS_H

#include "ns3/roce-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief What a load balancer may know about the ports of its own switch.
 *
 * Whether a port can be used at all is not asked here: a port whose link is down is withdrawn from
 * the groups of the forwarding table.
 */
class RocePortLoads
{
  public:
    virtual ~RocePortLoads() = default;

    /**
     * @param port a port of the switch
     * @return bytes waiting in all queues of the port
     */
    virtual uint64_t GetQueuedBytes(uint16_t port) const = 0;

    /**
     * @param port a port of the switch
     * @param now current time
     * @return exponentially weighted average of the rate the port sends at in wire bits, bit/s, as
     *         RoceLoadMeter measures it
     */
    virtual double GetLoad(uint16_t port, RocePs now) const = 0;

    /**
     * @param port a port of the switch
     * @return rate of its link, bit/s
     */
    virtual uint64_t GetRate(uint16_t port) const = 0;
};

} // namespace ns3

#endif /* ROCE_PORT_LOADS_H */
