/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_BUFFER_THRESHOLD_H
#define ROCE_BUFFER_THRESHOLD_H

#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief How much of a shared buffer one class of one port may hold.
 *
 * RoceSharedBuffer asks on two sides. At the ingress of a lossless class the answers are pause
 * thresholds: XOFF when the bytes held reach GetLimit(), XON when they are down to GetResume(). At
 * the egress of a lossy class GetLimit() is where the tail is dropped. Bytes held count from zero:
 * reserved and shared ones, without headroom.
 *
 * Implementations keep no state, so one object may serve any number of buffers.
 */
class RoceBufferThreshold : public Object
{
  public:
    /// What a limit may depend on.
    struct Share
    {
        uint64_t freeBytes{0}; //!< bytes of the shared pool that nobody holds
        uint64_t reserve{0};   //!< bytes that are set aside for this class of this port
        uint64_t xonOffset{0}; //!< the XonOffset of the buffer
        double alpha{0.0};     //!< the alpha configured for this class of this port
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ~RoceBufferThreshold() override;

    /**
     * @param share the state
     * @return the limit, bytes
     */
    virtual uint64_t GetLimit(const Share& share) const = 0;

    /**
     * @param share the state
     * @return number of bytes held at which a paused class is resumed
     */
    virtual uint64_t GetResume(const Share& share) const = 0;
};

} // namespace ns3

#endif /* ROCE_BUFFER_THRESHOLD_H */
