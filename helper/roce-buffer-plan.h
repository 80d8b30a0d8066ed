/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_BUFFER_PLAN_H
#define ROCE_BUFFER_PLAN_H

#include "ns3/roce-switch.h"

#include <ostream>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Writes how a switch shares its memory and where it pauses, marks and drops.
 *
 * The first lines are those of RoceSharedBuffer::Describe(): the memory and what of it is reserves,
 * headroom and shared. A table follows with one row per port and class that is lossless or marks:
 *
 *     port  rate  delay  class  reserve  headroom  alpha  xoff  kmin  kmax  pmax
 *
 * Rates are in Gb/s, delays those of the cable in nanoseconds, lengths in bytes. xoff is where the
 * class is paused as of now, which falls as the shared pool fills. A dash stands for what does not
 * apply: headroom, alpha and xoff of a lossy class, thresholds of a queue without marker.
 */
class RoceBufferPlan
{
  public:
    /**
     * @param pipeline a switch, with its ports
     * @param os where to write
     */
    static void Print(Ptr<const RoceSwitch> pipeline, std::ostream& os);
};

} // namespace ns3

#endif /* ROCE_BUFFER_PLAN_H */
