/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PFC_FLOW_CONTROL_H
#define PFC_FLOW_CONTROL_H

#include "roce-alarm.h"
#include "roce-link-flow-control.h"

#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Priority-based flow control (IEEE 802.1Qbb) of one port, both directions.
 *
 * Receiving: each class has its own pause timer, in quanta of 512 bit times of this link. A frame
 * with a non-zero time starts or restarts the timer of the classes it enables, a zero time ends the
 * pause at once, classes not enabled are left alone. The pause takes effect ResponseTime after the
 * frame arrived; a frame that has begun is always completed.
 *
 * Sending: Hold() sends XOFF with PauseQuanta, and again each RefreshFraction of its duration for
 * as long as the hold stands, so that it cannot expire; Release() sends XON (a zero time).
 *
 * Classes outside EnabledClasses are neither obeyed nor sent.
 */
class PfcFlowControl : public RoceLinkFlowControl
{
  public:
    static constexpr uint8_t N_CLASSES = 8;       //!< number of PFC priorities
    static constexpr uint32_t QUANTUM_BITS = 512; //!< bit times in one pause quantum

    /// 64-bit counters of one class.
    struct Counters
    {
        uint64_t xoffSent{0};     //!< pause requests sent, refreshes included
        uint64_t xonSent{0};      //!< resume requests sent
        uint64_t xoffReceived{0}; //!< pause requests obeyed
        uint64_t xonReceived{0};  //!< resume requests obeyed
        RocePs pausedTime{0};     //!< time this port was not allowed to send, picoseconds
        RocePs holdTime{0};       //!< time this port held its link peer, picoseconds
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    PfcFlowControl();
    ~PfcFlowControl() override;

    void SetDevice(RoceNetDevice* device) override;
    uint8_t GetOpenClasses(RocePs now) override;
    RocePs GetNextOpening(uint8_t classes, RocePs now) const override;
    void ReceiveControlFrame(const RoceFrame& frame, RocePs now) override;
    bool HasControlFrame() const override;
    RoceFramePtr TakeControlFrame(RocePs now) override;
    void Hold(uint8_t trafficClass, RocePs now) override;
    void Release(uint8_t trafficClass, RocePs now) override;
    void Reset(RocePs now) override;

    /**
     * @param trafficClass 0 to 7
     * @return its counters, up to now
     */
    Counters GetCounters(uint8_t trafficClass) const;

    /// @return bit c is set if class c takes part in PFC
    uint8_t GetEnabledClasses() const;
    /// @param classes bit c is set if class c takes part in PFC
    void SetEnabledClasses(uint8_t classes);

    /// @return how long after a pause request has arrived this port still starts frames
    Time GetResponseTime() const;

    /// @return duration that a pause request of this port asks for, picoseconds
    RocePs GetPauseDuration() const;

    /**
     * TracedCallback signature for pause events.
     * @param when true time of the event
     * @param trafficClass class
     * @param pause true for XOFF, false for XON
     */
    typedef void (*PauseTracedCallback)(Time when, uint8_t trafficClass, bool pause);

  protected:
    void DoDispose() override;

  private:
    /// State of one class.
    struct ClassState
    {
        RocePs pauseFrom{0};  //!< may not send from then
        RocePs pauseUntil{0}; //!< to then
        RocePs heldSince{0};  //!< link peer is held since then (if in m_held)
        Counters counters;    //!< finished pauses only
    };

    /**
     * @param quanta a time in quanta
     * @return the time in picoseconds
     */
    RocePs GetQuantaTime(uint32_t quanta) const;
    /**
     * Add a pause that is over, or is being replaced, to the counters.
     * @param state the class
     * @param end end of the pause
     */
    static void AccountPause(ClassState& state, RocePs end);
    /// @param now time of the refresh
    void Refresh(RocePs now);

    std::array<ClassState, N_CLASSES> m_class; //!< state by class
    uint8_t m_paused{0};                       //!< classes with a pause that may still run
    uint8_t m_held{0};                         //!< classes in which the link peer is held
    uint8_t m_pending{0};                      //!< classes the peer has to be told about
    uint8_t m_enabled{0};                      //!< classes that take part
    uint16_t m_quanta{0};                      //!< pause time to ask for
    double m_refreshFraction{0};               //!< refresh period as part of the pause time
    Time m_responseTime;                       //!< reaction time of this port
    RoceNetDevice* m_device{nullptr};          //!< the port
    RoceAlarm<PfcFlowControl, &PfcFlowControl::Refresh> m_refresh; //!< refresh timer

    /// Traces pause requests and resumes that leave.
    TracedCallback<Time, uint8_t, bool> m_pauseTxTrace;
    /// Traces pause requests and resumes that arrive.
    TracedCallback<Time, uint8_t, bool> m_pauseRxTrace;
};

} // namespace ns3

#endif /* PFC_FLOW_CONTROL_H */
