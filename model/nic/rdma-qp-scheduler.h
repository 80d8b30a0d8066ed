/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QP_SCHEDULER_H
#define RDMA_QP_SCHEDULER_H

#include "ns3/roce-clock.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

class RdmaQueuePair;

/**
 * @ingroup roce
 * @brief Place of a queue pair in RdmaQpScheduler.
 */
struct RdmaQpSchedulerLink
{
    /// Where it is.
    enum Place : uint8_t
    {
        IDLE,    //!< nowhere: nothing to send, or blocked by its window
        READY,   //!< in the ring of its class
        WAITING, //!< in the heap, until waitUntil
    };

    RdmaQueuePair* next{nullptr};     //!< ring
    RdmaQueuePair* previous{nullptr}; //!< ring
    RocePs waitUntil{0};              //!< valid heap entry
    int64_t deficit{0};               //!< bytes that it may send in this round
    uint16_t weight{1};               //!< bytes per round, in units of QUANTUM_BYTES
    Place place{IDLE};                //!< where it is
    uint32_t slot{0};                 //!< index in the queue pair table of the engine
};

/**
 * @ingroup roce
 * @brief Which queue pair sends next: a ring of ready ones per class, a heap of paced ones.
 *
 * Idle queue pairs cost nothing, and every step takes O(log n) with n paced queue pairs. Ready
 * queue pairs of a class take turns packet by packet.
 */
class RdmaQpScheduler
{
  public:
    static constexpr uint8_t N_CLASSES = 8; //!< number of traffic classes
    /// Bytes that one unit of weight earns per round: less than a packet, so that turns are short.
    static constexpr uint32_t QUANTUM_BYTES = 256;

    /**
     * Put a queue pair where it belongs now.
     * @param qp the queue pair
     * @param now current time
     * @return true if it has become ready or waits for an earlier time than before
     */
    bool Update(RdmaQueuePair* qp, RocePs now);

    /**
     * Take a queue pair out.
     * @param qp the queue pair
     */
    void Remove(RdmaQueuePair* qp);

    /**
     * Move paced queue pairs whose time has come into their rings.
     * @param now current time
     */
    void Promote(RocePs now)
    {
        if (!m_waiting.empty() && m_waiting.front().when <= now)
        {
            DoPromote(now);
        }
    }

    /// @return bit c is set if a queue pair of class c is ready
    uint8_t GetReadyClasses() const
    {
        return m_readyClasses;
    }

    /**
     * @param trafficClass a class with a ready queue pair
     * @return the one whose turn it is until Charge(), which with Update() is called when its
     *         packet has been taken
     */
    RdmaQueuePair* TakeTurn(uint8_t trafficClass);
    /**
     * A packet was taken.
     * @param qp the queue pair whose turn it was
     * @param wireBytes length of the packet on the wire, bytes
     */
    void Charge(RdmaQueuePair* qp, uint32_t wireBytes);

    /// @return earliest time at which a paced queue pair may be ready, or RoceClock::NEVER
    RocePs GetNextTime() const
    {
        return m_waiting.empty() ? RoceClock::NEVER : m_waiting.front().when;
    }

  private:
    /// A paced queue pair.
    struct Entry
    {
        RocePs when;       //!< when to look at it again
        uint64_t order;    //!< breaks ties: first come, first served
        RdmaQueuePair* qp; //!< the queue pair

        /**
         * @param other another entry
         * @return true if this one comes later (for a heap with the earliest on top)
         */
        bool operator<(const Entry& other) const
        {
            return when != other.when ? when > other.when : order > other.order;
        }
    };

    /// @param now see Promote()
    void DoPromote(RocePs now);
    /// @param qp queue pair to append to the ring of its class
    void Append(RdmaQueuePair* qp);
    /// @param qp queue pair to take out of the ring of its class
    void Unlink(RdmaQueuePair* qp);

    std::array<RdmaQueuePair*, N_CLASSES> m_ring{}; //!< queue pair whose turn it is
    uint8_t m_readyClasses{0};                      //!< rings that are not empty
    std::vector<Entry> m_waiting;                   //!< heap of paced queue pairs
    uint64_t m_order{0};                            //!< entries made so far
};

} // namespace ns3

#endif /* RDMA_QP_SCHEDULER_H */
