/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONGESTION_OPS_H
#define RDMA_CONGESTION_OPS_H

#include "ns3/object.h"
#include "ns3/roce-frame.h"

#include <cstdint>
#include <limits>
#include <string>

namespace ns3
{

/**
 * @ingroup roce
 * @brief What a queue pair and its congestion control share (as TcpSocketState is shared).
 */
struct RdmaCongestionState
{
    uint64_t lineRate{0};       //!< rate of the NIC port, bit/s
    uint32_t pathMtu{0};        //!< RDMA payload of a full packet, bytes
    uint64_t rate{0};           //!< sending rate in wire bits, bit/s; written by the algorithm
    uint64_t window{UNLIMITED}; //!< most unacknowledged payload bytes; written by the algorithm
    RocePs nextUpdate{NEVER};   //!< time at which Update() must be called at the latest while
                                //!< data waits for the pacer; written by the algorithm
    uint64_t bytesInFlight{0};  //!< payload bytes sent and not acknowledged; written by the QP
    uint64_t signals{0};        //!< congestion signals (CNP, marked ACK, loss) the QP was given

    static constexpr uint64_t UNLIMITED = std::numeric_limits<uint64_t>::max(); //!< no window
    static constexpr RocePs NEVER = std::numeric_limits<RocePs>::max();         //!< no update due
};

/**
 * @ingroup roce
 * @brief What an acknowledgment tells a congestion control.
 */
struct RdmaAckEvent
{
    RocePs time{0};         //!< when the ACK arrived
    RocePs rtt{-1};         //!< time since the newest packet it covers was sent, -1 if unknown
    uint64_t bytesAcked{0}; //!< payload bytes newly acknowledged
    bool ecnEcho{false};    //!< the ACK itself reports a congestion mark
};

/**
 * @ingroup roce
 * @brief Congestion control of one queue pair, in the manner of TcpCongestionOps.
 *
 * One object serves one queue pair; both know each other only through RdmaCongestionState. The
 * public verbs are called by the queue pair with the true time of the event, which is never earlier
 * than the time of the call before but may be earlier than Simulator::Now(): NICs work out past
 * departures only when somebody needs them. So an implementation must use the given time, schedule
 * no event of its own, and evaluate its timers when a verb is called (lazily), in the order in
 * which they would have fired. The result must equal that of a timer-driven implementation.
 *
 * Identity, checked by tests: state.rate is valid from the time of the last call until
 * state.nextUpdate; the pacer integrates it over time.
 */
class RdmaCongestionOps : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ~RdmaCongestionOps() override;

    /// @return a short name for tables and logs
    virtual std::string GetName() const = 0;

    /**
     * The queue pair is ready to send; lineRate and pathMtu are valid. Must set state.rate.
     * @param state shared state
     * @param now current time
     */
    void Init(RdmaCongestionState& state, RocePs now);

    /**
     * Bring all timers up to date.
     * @param state shared state
     * @param now current time
     */
    void Update(RdmaCongestionState& state, RocePs now);

    /**
     * A data packet starts on the wire.
     * @param state shared state
     * @param now time of its first bit
     * @param wireBytes length on the wire, bytes
     */
    void PacketSent(RdmaCongestionState& state, RocePs now, uint32_t wireBytes);

    /**
     * New data was acknowledged.
     * @param state shared state
     * @param event what is known
     */
    void AckReceived(RdmaCongestionState& state, const RdmaAckEvent& event);

    /**
     * A congestion notification packet arrived.
     * @param state shared state
     * @param now current time
     */
    void CnpReceived(RdmaCongestionState& state, RocePs now);

    /**
     * A sequence-error NAK or a local ACK timeout says that a packet was lost.
     * @param state shared state
     * @param now current time
     * @param timeout true for a timeout
     */
    void LossDetected(RdmaCongestionState& state, RocePs now, bool timeout);

  private:
    /**
     * Set the initial rate and window.
     * @param state shared state
     * @param now current time
     */
    virtual void DoInit(RdmaCongestionState& state, RocePs now) = 0;
    /**
     * Evaluate timers that expired up to now, in order.
     * @param state shared state
     * @param now current time
     */
    virtual void DoUpdate(RdmaCongestionState& state, RocePs now);
    /**
     * See PacketSent(); timers are up to date.
     * @param state shared state
     * @param now current time
     * @param wireBytes length on the wire, bytes
     */
    virtual void DoPacketSent(RdmaCongestionState& state, RocePs now, uint32_t wireBytes);
    /**
     * See AckReceived(); timers are up to date.
     * @param state shared state
     * @param event what is known
     */
    virtual void DoAckReceived(RdmaCongestionState& state, const RdmaAckEvent& event);
    /**
     * See CnpReceived(); timers are up to date.
     * @param state shared state
     * @param now current time
     */
    virtual void DoCnpReceived(RdmaCongestionState& state, RocePs now);
    /**
     * See LossDetected(); timers are up to date.
     * @param state shared state
     * @param now current time
     * @param timeout true for a timeout
     */
    virtual void DoLossDetected(RdmaCongestionState& state, RocePs now, bool timeout);
};

} // namespace ns3

#endif /* RDMA_CONGESTION_OPS_H */
