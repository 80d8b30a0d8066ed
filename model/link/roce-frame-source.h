/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_FRAME_SOURCE_H
#define ROCE_FRAME_SOURCE_H

#include "ns3/roce-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Where a port gets its frames from: the transport engine of a NIC or the queues of a
 * switch.
 *
 * The port pulls: it asks for the next frame when its line is free, and tells which classes the
 * link flow control holds. So a pause is a gate in front of the scheduler, and nothing is queued
 * behind it.
 */
class RoceFrameSource
{
  public:
    virtual ~RoceFrameSource() = default;

    /**
     * Take the next frame.
     * @param port number the source gave to the port
     * @param openClasses bit c is set if class c may send
     * @param now time of the first bit, never earlier than in the call before
     * @return the frame, or null if there is nothing to send in an open class
     */
    virtual RoceFramePtr TakeNextFrame(uint16_t port, uint8_t openClasses, RocePs now) = 0;

    /**
     * When might TakeNextFrame() have something, if nothing else happens until then?
     * @param port number the source gave to the port
     * @param openClasses bit c is set if class c may send
     * @param now time from which the line is free
     * @return that time, not before now; RoceClock::NEVER if only an input can change the answer
     */
    virtual RocePs GetNextTime(uint16_t port, uint8_t openClasses, RocePs now) = 0;

    /**
     * @param port number the source gave to the port
     * @return bit c is set if something waits in class c
     */
    virtual uint8_t GetBacklog(uint16_t port) const = 0;
};

} // namespace ns3

#endif /* ROCE_FRAME_SOURCE_H */
