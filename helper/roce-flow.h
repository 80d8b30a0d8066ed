/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_FLOW_H
#define ROCE_FLOW_H

#include "ns3/roce-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief One transfer of an experiment: so many bytes from one host to another, posted at one time.
 */
struct RoceFlow
{
    uint64_t id{0};          //!< number of the flow, from 0 in the order of the input
    uint32_t source{0};      //!< sending host, a node number of the topology
    uint32_t destination{0}; //!< receiving host, a node number of the topology
    uint8_t trafficClass{3}; //!< traffic class (PFC priority), 0 to 7
    uint64_t bytes{0};       //!< payload to transfer, bytes
    RocePs start{0};         //!< when it is posted, picoseconds
};

} // namespace ns3

#endif /* ROCE_FLOW_H */
