/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SELECTIVE_REPEAT_H
#define RDMA_SELECTIVE_REPEAT_H

#include "rdma-recovery-ops.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <set>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Selective repeat in the manner of IRN (Mittal et al., Revisiting Network Support for RDMA,
 * SIGCOMM 2018): only what is missing is sent again.
 *
 * The responder keeps packets that arrive after a gap, as many as ReorderWindow says, and reports
 * each of them by a NAK with the missing packet and the one that has arrived; when there are more,
 * the requester goes back to the missing packet. The requester sends every packet again, once, that
 * is missing below the newest one that has arrived. If that is lost as well, a timeout repairs it:
 * the oldest packet and all that are known to be missing are sent once more. Two timeouts, a short
 * one while few packets are in flight, and a limit of packets in flight (one bandwidth-delay
 * product) take the place of flow control. A lost READ response is repaired by go-back-N.
 *
 * With GapTolerance the responder waits before it reports a gap, so that packets may take different
 * paths: the more they can overtake each other, the larger it must be. Use it at both ends.
 */
class RdmaSelectiveRepeat : public RdmaRecoveryOps
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Advanced(const RdmaTransportState& state) override;
    void Reset() override;
    bool HasResend(const RdmaTransportState& state) const override;
    bool TakeResend(const RdmaTransportState& state, uint64_t& sequence) override;
    void Resent(uint64_t end) override;
    uint64_t GetMaxOutstanding() const override;
    RocePs GetTimeout(const RdmaTransportState& state, RocePs configured) const override;
    RocePs GetShortestTimeout(RocePs configured) const override;
    uint32_t GetReorderWindow() const override;
    bool ReportsGap(uint64_t missing, uint64_t received, bool reported) const override;

  private:
    void DoGapReported(RdmaTransportState& state, uint64_t received) override;
    void DoTimedOut(RdmaTransportState& state) override;
    /**
     * @param state sequence state
     * @return oldest missing packet that was not repeated yet; NONE if there is none
     */
    uint64_t FindMissing(const RdmaTransportState& state) const;

    static constexpr uint64_t NONE = UINT64_MAX; //!< no packet

    // attributes
    uint32_t m_reorderWindow{0};  //!< packets that the responder keeps
    uint32_t m_gapTolerance{0};   //!< packets after a gap before it is reported
    uint32_t m_maxOutstanding{0}; //!< most packets in flight, 0: no limit
    Time m_rtoLow;                //!< timeout while few packets are in flight
    Time m_rtoHigh;               //!< timeout otherwise
    uint32_t m_fewPackets{0};     //!< how many packets are few

    // requester
    std::set<uint64_t> m_arrived; //!< packets that arrived after a gap
    bool m_oldestAgain{false};    //!< a timeout demands the oldest packet
    uint64_t m_repeatNext{0};     //!< packets before have arrived or were repeated
};

} // namespace ns3

#endif /* RDMA_SELECTIVE_REPEAT_H */
