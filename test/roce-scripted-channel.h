/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_SCRIPTED_CHANNEL_H
#define ROCE_SCRIPTED_CHANNEL_H

#include "ns3/rdma-opcode.h"
#include "ns3/rdma-syndrome.h"
#include "ns3/roce-channel.h"
#include "ns3/roce-frame.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <functional>
#include <set>
#include <utility>

namespace ns3
{

/**
 * @ingroup roce-tests
 * @brief A cable with a script: it sees every frame at the moment it starts on the wire and can
 * lose, change or double it.
 *
 * Unlike a ReceiveErrorModel or a trace sink it sees the frame itself, with its true arrival time
 * in picoseconds, and does not change the way in which the port works.
 */
class RoceScriptedChannel : public RoceChannel
{
  public:
    /// What happens to a frame.
    enum Action
    {
        PASS,      //!< it goes on
        DROP,      //!< it is lost
        DUPLICATE, //!< it arrives twice
    };

    /// Decides about a frame, which it may change; end 0 is the host of a host's cable.
    typedef std::function<Action(RoceFrame& frame, uint8_t end)> Script;
    /// Picks frames.
    typedef std::function<bool(const RoceFrame& frame)> Filter;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RoceScriptedChannel")
                                .SetParent<RoceChannel>()
                                .SetGroupName("Roce")
                                .AddConstructor<RoceScriptedChannel>();
        return tid;
    }

    /// @param script decides about every frame from now on
    void SetScript(Script script)
    {
        m_script = std::move(script);
    }

    void Transmit(RoceFramePtr frame, uint8_t end) override
    {
        const Action action = m_script ? m_script(*frame, end) : PASS;
        if (action == DROP)
        {
            return;
        }
        RoceFramePtr copy;
        if (action == DUPLICATE)
        {
            copy = CreateRoceFrame();
            *copy = *frame;
        }
        RoceChannel::Transmit(std::move(frame), end);
        if (copy)
        {
            RoceChannel::Transmit(std::move(copy), end);
        }
    }

    // --- filters ---

    /**
     * @param frame a frame
     * @return true for a request packet of a queue pair
     */
    static bool IsData(const RoceFrame& frame)
    {
        return frame.kind == RoceFrameKind::ROCE && frame.opcode != RdmaOpcode::RC_ACKNOWLEDGE &&
               frame.opcode != RdmaOpcode::CNP;
    }

    /**
     * @param frame a frame
     * @return true for a positive acknowledgment
     */
    static bool IsAck(const RoceFrame& frame)
    {
        return frame.kind == RoceFrameKind::ROCE && frame.opcode == RdmaOpcode::RC_ACKNOWLEDGE &&
               RdmaSyndrome::GetType(frame.ext.ack.syndrome) == RdmaSyndrome::ACK;
    }

    /**
     * @param frame a frame
     * @return true for a NAK, receiver-not-ready included
     */
    static bool IsNak(const RoceFrame& frame)
    {
        return frame.kind == RoceFrameKind::ROCE && frame.opcode == RdmaOpcode::RC_ACKNOWLEDGE &&
               !IsAck(frame);
    }

    /**
     * @param frame a frame
     * @return true for a congestion notification packet
     */
    static bool IsCnp(const RoceFrame& frame)
    {
        return frame.kind == RoceFrameKind::ROCE && frame.opcode == RdmaOpcode::CNP;
    }

    /**
     * @param frame a frame
     * @return true for a PFC frame
     */
    static bool IsPfc(const RoceFrame& frame)
    {
        return frame.kind == RoceFrameKind::MAC_CONTROL;
    }

    // --- scripts ---

    /**
     * @param filter picks the frames that count
     * @param indices which of them are lost, from 0
     * @return a script that loses just these
     */
    static Script Lose(Filter filter, std::set<uint64_t> indices)
    {
        return [filter, indices, next = uint64_t{0}](const RoceFrame& frame, uint8_t) mutable {
            return filter(frame) && indices.count(next++) ? DROP : PASS;
        };
    }

    /**
     * @param filter picks frames
     * @return a script that sets congestion experienced in all of them
     */
    static Script Mark(Filter filter)
    {
        return [filter](RoceFrame& frame, uint8_t) {
            if (filter(frame))
            {
                frame.ecn = RoceEcn::CE;
                frame.flags |= RoceFrame::MODIFIED;
            }
            return PASS;
        };
    }

  private:
    Script m_script; //!< decides about every frame
};

} // namespace ns3

#endif /* ROCE_SCRIPTED_CHANNEL_H */
