/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_TRANSPORT_CODEC_H
#define ROCE_TRANSPORT_CODEC_H

#include "roce-frame.h"

#include "ns3/packet.h"
#include "ns3/ptr.h"

namespace ns3
{

/**
 * @ingroup roce
 * @brief Reads and writes the InfiniBand transport part of a frame: BTH, extension headers,
 * payload.
 *
 * The part that RoCEv1 and RoCEv2 have in common. RoceFrameCodec puts everything else around it.
 */
class RoceTransportCodec
{
  public:
    /**
     * @brief Write the transport packet.
     * @param frame a frame of kind ROCE
     * @return the packet from the BTH to the padding of the payload, without ICRC
     */
    static Ptr<Packet> Write(const RoceFrame& frame);

    /**
     * @brief Read the transport packet.
     * @param frame where to put the fields
     * @param packet from the BTH to the ICRC, at least 16 bytes; used up
     * @return false if it is malformed or of an unknown opcode; the frame is then unchanged
     */
    static bool Read(RoceFrame& frame, Ptr<Packet> packet);
};

} // namespace ns3

#endif /* ROCE_TRANSPORT_CODEC_H */
