/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_LINK_FLOW_CONTROL_H
#define ROCE_LINK_FLOW_CONTROL_H

#include "ns3/object.h"
#include "ns3/roce-frame.h"

#include <cstdint>

namespace ns3
{

class RoceNetDevice;

/**
 * @ingroup roce
 * @brief The gate of a port: which classes may send now, and what the link peer is told.
 *
 * PfcFlowControl (IEEE 802.1Qbb) is one; credit-based schemes fit behind the same verbs. Whenever a
 * gate may have opened, the implementation pokes its port.
 */
class RoceLinkFlowControl : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ~RoceLinkFlowControl() override;

    /// @param device the port it belongs to
    virtual void SetDevice(RoceNetDevice* device) = 0;

    /**
     * @param now a time, not earlier than that of the last call
     * @return bit c is set if class c may start a frame now
     */
    virtual uint8_t GetOpenClasses(RocePs now) = 0;

    /**
     * @param classes bit mask of classes of interest
     * @param now current time
     * @return earliest time at which one of them that is held now opens by itself, or
     *         RoceClock::NEVER
     */
    virtual RocePs GetNextOpening(uint8_t classes, RocePs now) const = 0;

    /**
     * A flow control frame came in.
     * @param frame the frame
     * @param now time of arrival
     */
    virtual void ReceiveControlFrame(const RoceFrame& frame, RocePs now) = 0;

    /// @return true if a flow control frame waits to be sent
    virtual bool HasControlFrame() const = 0;

    /**
     * @param now time of its first bit
     * @return the next flow control frame, or null
     */
    virtual RoceFramePtr TakeControlFrame(RocePs now) = 0;

    /**
     * Ask the link peer to stop sending in a class, for as long as it takes.
     * @param trafficClass the class
     * @param now current time
     */
    virtual void Hold(uint8_t trafficClass, RocePs now) = 0;

    /**
     * Let the link peer send in a class again.
     * @param trafficClass the class
     * @param now current time
     */
    virtual void Release(uint8_t trafficClass, RocePs now) = 0;

    /**
     * Forget all state: the link went down.
     * @param now current time
     */
    virtual void Reset(RocePs now) = 0;
};

} // namespace ns3

#endif /* ROCE_LINK_FLOW_CONTROL_H */
