/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RATE_LIMITER_H
#define RDMA_RATE_LIMITER_H

#include "rdma-pacer.h"

#include "ns3/ptr.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/roce-clock.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Pacing and congestion control of everything that a queue pair sends as data: requests of
 * its requester and READ responses of its responder.
 *
 * Calls the congestion control with the true times of events, and has the pacer pay back its debt
 * at each rate for as long as that rate was valid.
 */
class RdmaRateLimiter
{
  public:
    /// @param congestion congestion control of the queue pair
    void SetCongestionControl(Ptr<RdmaCongestionOps> congestion)
    {
        m_congestion = congestion;
    }

    /// @return the congestion control
    Ptr<RdmaCongestionOps> GetCongestionControl() const
    {
        return m_congestion;
    }

    /**
     * The queue pair has been connected.
     * @param lineRate rate of the port, bit/s
     * @param pathMtu payload of a full packet, bytes
     * @param now current time
     */
    void Start(uint64_t lineRate, uint32_t pathMtu, RocePs now)
    {
        m_state.lineRate = lineRate;
        m_state.pathMtu = pathMtu;
        m_congestion->Init(m_state, now);
    }

    /**
     * @param now current time
     * @return earliest time at which the next packet may start, as far as pacing is concerned; it
     * must be asked again then
     */
    RocePs GetReadyTime(RocePs now)
    {
        if (m_state.rate < m_state.lineRate || now >= m_state.nextUpdate)
        {
            Advance(now);
            if (m_state.rate < m_state.lineRate)
            {
                return std::max(now,
                                std::min(m_pacer.GetReadyTime(m_state.rate), m_state.nextUpdate));
            }
        }
        return now;
    }

    /// @return true if the window allows more payload in flight
    bool IsWindowOpen() const
    {
        return m_state.bytesInFlight < m_state.window;
    }

    /**
     * A packet starts on the wire.
     * @param wireBytes its length on the wire, bytes
     * @param now time of its first bit
     */
    void PacketSent(uint32_t wireBytes, RocePs now)
    {
        if (m_state.rate < m_state.lineRate)
        {
            Advance(now);
            m_pacer.Charge(wireBytes);
        }
        m_congestion->PacketSent(m_state, now, wireBytes);
    }

    /// @param event what was acknowledged
    void AckReceived(const RdmaAckEvent& event)
    {
        if (event.time >= m_state.nextUpdate)
        {
            Advance(event.time);
        }
        const uint64_t rate = m_state.rate;
        m_congestion->AckReceived(m_state, event);
        if (m_state.rate != rate)
        {
            m_pacer.Settle(event.time, rate);
        }
    }

    /// @param now arrival of a congestion notification packet
    void CnpReceived(RocePs now)
    {
        Advance(now);
        m_congestion->CnpReceived(m_state, now);
    }

    /**
     * @param now current time
     * @param timeout true for a timeout, false for a NAK
     */
    void LossDetected(RocePs now, bool timeout)
    {
        Advance(now);
        m_congestion->LossDetected(m_state, now, timeout);
    }

    /// @param bytes payload that is sent and not acknowledged
    void SetBytesInFlight(uint64_t bytes)
    {
        m_state.bytesInFlight = bytes;
    }

    /// @return what the congestion control shares
    const RdmaCongestionState& GetState() const
    {
        return m_state;
    }

  private:
    /**
     * Bring pacing and timers up to date, in the order in which the rate changed.
     * @param now current time
     */
    void Advance(RocePs now)
    {
        while (m_state.nextUpdate <= now)
        {
            const RocePs when = m_state.nextUpdate;
            m_pacer.Settle(when, m_state.rate);
            m_congestion->Update(m_state, when);
        }
        m_pacer.Settle(now, m_state.rate);
    }

    RdmaPacer m_pacer;                   //!< spaces packets
    RdmaCongestionState m_state;         //!< shared with the congestion control
    Ptr<RdmaCongestionOps> m_congestion; //!< sets the rate
};

} // namespace ns3

#endif /* RDMA_RATE_LIMITER_H */
