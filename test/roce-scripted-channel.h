/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_SCRIPTED_CHANNEL_H
#define ROCE_SCRIPTED_CHANNEL_H

#include "ns3/nstime.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-syndrome.h"
#include "ns3/roce-channel.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-frame.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace ns3
{

/**
 * @ingroup roce-tests
 * @brief A cable with a script: it sees every frame at the moment it starts on the wire and can
 * lose, change, double or postpone it.
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
        ECHO,      //!< it arrives, and again later by what was given to SetExtraDelay()
        POSTPONE,  //!< it arrives later by what was given to SetExtraDelay(), overtaken by others
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

    /// @param delay how much later the next postponed frame arrives
    void SetExtraDelay(Time delay)
    {
        m_extraDelay = delay;
    }

    void Transmit(RoceFramePtr frame, uint8_t end) override
    {
        const Action action = m_script ? m_script(*frame, end) : PASS;
        if (action == DROP)
        {
            return;
        }
        if (action == POSTPONE)
        {
            Postpone(std::move(frame), end);
            return;
        }
        m_lastArrival[end] = std::max(m_lastArrival[end], frame->time);
        RoceFramePtr copy;
        if (action != PASS)
        {
            copy = CreateRoceFrame();
            *copy = *frame;
        }
        RoceChannel::Transmit(std::move(frame), end);
        if (action == DUPLICATE)
        {
            RoceChannel::Transmit(std::move(copy), end);
        }
        else if (action == ECHO)
        {
            Postpone(std::move(copy), end);
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

  protected:
    void DoDispose() override
    {
        m_postponed.clear();
        RoceChannel::DoDispose();
    }

  private:
    /**
     * Have a frame arrive later.
     * @param frame the frame
     * @param end where it was sent
     */
    void Postpone(RoceFramePtr frame, uint8_t end)
    {
        const Time arrival = RoceClock::ToTime(frame->time) + m_extraDelay;
        m_postponed[m_nPostponed] = std::move(frame);
        Simulator::Schedule(std::max(Time(), arrival - Simulator::Now()),
                            &RoceScriptedChannel::Release,
                            this,
                            m_nPostponed++,
                            end);
    }

    /**
     * Put a postponed frame among those that are about to arrive.
     * @param index which one
     * @param end where it was sent
     */
    void Release(uint64_t index, uint8_t end)
    {
        RoceFramePtr frame = std::move(m_postponed[index]);
        m_postponed.erase(index);
        m_lastArrival[end] = std::max(m_lastArrival[end], RoceClock::Now());
        frame->time = m_lastArrival[end];
        RoceChannel::Transmit(std::move(frame), end);
    }

    Script m_script;                              //!< decides about every frame
    Time m_extraDelay;                            //!< of the next postponed frame
    std::array<RocePs, 2> m_lastArrival{};        //!< newest arrival of frames from each end
    std::map<uint64_t, RoceFramePtr> m_postponed; //!< frames that arrive later
    uint64_t m_nPostponed{0};                     //!< number of frames postponed so far
};

} // namespace ns3

#endif /* ROCE_SCRIPTED_CHANNEL_H */
