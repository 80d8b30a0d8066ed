/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_FRAME_SINK_H
#define ROCE_FRAME_SINK_H

#include "ns3/roce-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Who takes the frames that arrive at a port: a transport engine or a switch.
 */
class RoceFrameSink
{
  public:
    virtual ~RoceFrameSink() = default;

    /**
     * A frame has arrived.
     * @param port number the sink gave to the port
     * @param frame the frame
     * @param now true time of arrival; Simulator::Now() is the first tick not before it
     */
    virtual void ReceiveFrame(uint16_t port, RoceFramePtr frame, RocePs now) = 0;

    /**
     * The link of a port went up or down.
     * @param port number the sink gave to the port
     * @param up new state
     * @param now time of the change
     */
    virtual void LinkChanged(uint16_t port, bool up, RocePs now) = 0;
};

} // namespace ns3

#endif /* ROCE_FRAME_SINK_H */
