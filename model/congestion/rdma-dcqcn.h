/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DCQCN_H
#define RDMA_DCQCN_H

#include "rdma-congestion-ops.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Reaction point (sender) of DCQCN, as in the paper or as in NICs.
 *
 * DCQCN: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015; the rules
 * and constants are those restated in "ECN or Delay" by the same authors, CoNEXT 2016. A queue pair
 * keeps the current rate Rc, the target rate Rt and an estimate alpha of the congestion. It starts
 * at line rate; nothing happens before its first CNP.
 *
 * **Variant PAPER**
 * - CNP: `Rt = Rc; Rc = Rc (1 - alpha/2); alpha = (1-g) alpha + g` (the cut uses the old alpha),
 * the stages and the byte counter start from 0, both timers are restarted.
 * - Alpha timer, no CNP for AlphaTimer: `alpha = (1-g) alpha`.
 * - Increase event, every RateTimer (timer stage + 1) and every ByteCounter bytes sent (byte stage
 * + 1). With the stages counted after that step:
 *   + max(stages) <= F: fast recovery, Rt stays;
 *   + min(stages) <= F < max(stages): additive increase, `Rt += RateAi`;
 *   + min(stages) > F: hyper increase, `Rt += RateHai` (times min(stages) - F with
 * ScaleHyperIncrease);
 *   + then `Rc = (Rt + Rc) / 2`.
 *
 * **Variant NIC** (what firmware does, timers only; "mlx" in other simulators)
 * - First CNP of the queue pair: alpha = InitialAlpha, the alpha timer and the cut timer start and
 * run for ever.
 * - Every AlphaTimer: `alpha = (1-g) alpha (+ g if a CNP came in the period)`.
 * - Every RateDecreaseInterval, if a CNP came in the period: `Rt = Rc` (see TargetRateClamp);
 *   `Rc = Rc (1 - alpha/2)`, stage = 0, the rate timer is restarted.
 * - Every RateTimer, stage + 1, and as above: stage <= F fast recovery, stage = F + 1 additive
 * increase, stage > F + 1 hyper increase.
 *
 * **Meaning of F.** Exactly F increase events after a cut are fast recovery; event F + 1 is the
 * first that may raise Rt. This is what the fixed point of the fluid model assumes. (Sources differ
 * by one: counting an event before testing `max(stages) < F` gives F - 1.)
 *
 * **Order of events at the same picosecond**: alpha timer, cut timer, rate timer, then what the
 * caller reports (packet sent, CNP). Timers are lazy: no simulator event exists.
 *
 * **Presets.** Every constant is an attribute; the attribute Preset says where a constant comes
 * from that the user did not give. Its default value (negative, or 0 for rates) means "from the
 * preset", so a value given by the user, in whatever order, through Config::SetDefault(), an
 * ObjectFactory or SetAttribute(), is never replaced. Reading an attribute back gives the value in
 * effect: after construction, or, for the two increase steps of preset hpcc, which scale with the
 * line rate, after Init(). Set attributes before Init().
 *
 * | attribute            | paper        | hpcc                   | nvidia             |
 * |----------------------|--------------|------------------------|--------------------|
 * | Variant              | PAPER        | NIC                    | NIC                |
 * | Gain                 | 1/256        | 1/256                  | 5/1024             |
 * | InitialAlpha         | 1            | 1                      | 1023/1024          |
 * | AlphaTimer           | 55 us        | 1 us                   | 1 us               |
 * | RateDecreaseInterval | 50 us (NIC)  | 4 us                   | 4 us               |
 * | RateTimer            | 55 us        | 300 us                 | 300 us             |
 * | ByteCounter          | 10 MB        | 0 (off)                | 32767 B (PAPER)    |
 * | F                    | 5            | 1                      | 1                  |
 * | RateAi               | 40 Mb/s      | 5 Mb/s per 25 Gb/s     | 5 Mb/s             |
 * | RateHai              | 200 Mb/s     | 50 Mb/s per 25 Gb/s    | 50 Mb/s            |
 * | MinRate              | 10 Mb/s      | 1 Gb/s                 | 1 Mb/s             |
 * | TargetRateClamp      | ALWAYS       | AFTER_INCREASE         | AFTER_INCREASE     |
 *
 * Sources: paper, the deployed values of the paper (the papers give no RateHai: the value is that
 * of the authors' simulator configuration; nor a MinRate: their simulator has 100 Mb/s, which
 * already matters at 400 flows on 40 Gb/s, so 10 Mb/s is used); hpcc, the "dcqcn" configuration of
 * the simulator published with HPCC (SIGCOMM 2019); nvidia, firmware defaults as documented by
 * NVIDIA and printed by mlxconfig. A constant marked with a variant is used by that variant only.
 *
 * **Deviations from other implementations**: Rt never exceeds the line rate; hyper increase halves
 * neither the timer nor the byte counter; no rule ever divides Rt; Rc within half a bit/s of the
 * line rate is the line rate. A loss does not change the rate.
 */
class RdmaDcqcn : public RdmaCongestionOps
{
  public:
    /// Which set of rules is followed.
    enum Variant
    {
        VARIANT_FROM_PRESET, //!< what the preset says
        PAPER,               //!< byte counter and timers of the paper
        NIC,                 //!< timers only, as in NIC firmware
    };

    /// When a cut also lowers the target rate to the current rate.
    enum TargetClamp
    {
        CLAMP_FROM_PRESET, //!< what the preset says
        ALWAYS,            //!< at every cut (paper; NVIDIA CLAMP_TGT_RATE = 1)
        AFTER_INCREASE,    //!< if the rate was raised since the cut before
                           //!< (NVIDIA CLAMP_TGT_RATE_AFTER_TIME_INC = 1)
        AFTER_BYTE_STAGE,  //!< if the byte counter fired since the cut before (both parameters 0)
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaDcqcn();
    ~RdmaDcqcn() override;

    std::string GetName() const override;

    /// @return Rc without rounding, bit/s, at the time of the last call
    double GetCurrentRate() const;

    /// @return Rt without rounding, bit/s, at the time of the last call
    double GetTargetRate() const;

    /**
     * @param now a time that is not earlier than that of the last call
     * @return alpha at that time, provided that no CNP takes effect before
     */
    double GetAlpha(RocePs now) const;

    /**
     * Signature of the trace source Rate. The time is that of the change, which may be earlier than
     * Simulator::Now() because timers are lazy.
     * @param [in] when time of the change
     * @param [in] current Rc, bit/s
     * @param [in] target Rt, bit/s
     * @param [in] alpha alpha
     */
    typedef void (*RateTracedCallback)(Time when, uint64_t current, uint64_t target, double alpha);

    /**
     * Signature of the trace source Alpha. The time is that of the change, which may be earlier
     * than Simulator::Now() because timers are lazy.
     * @param [in] when time of the change
     * @param [in] alpha the new value
     */
    typedef void (*AlphaTracedCallback)(Time when, double alpha);

  protected:
    void NotifyConstructionCompleted() override;

  private:
    void DoInit(RdmaCongestionState& state, RocePs now) override;
    void DoUpdate(RdmaCongestionState& state, RocePs now) override;
    void DoPacketSent(RdmaCongestionState& state, RocePs now, uint32_t wireBytes) override;
    void DoCnpReceived(RdmaCongestionState& state, RocePs now) override;

    /// Abort if a constant is outside its range.
    void CheckConstants() const;

    /**
     * Let everything happen that is due.
     * @param state shared state
     * @param now current time
     */
    void Advance(RdmaCongestionState& state, RocePs now);

    /**
     * Let the alpha timer expire.
     * @param now current time
     */
    void AdvanceAlpha(RocePs now);

    /**
     * A CNP takes effect.
     * @param when time
     */
    void React(RocePs when);

    /// Lower the rate, and the target rate if TargetRateClamp says so; begin a new recovery.
    void Cut();

    /**
     * Raise the rate after a timer or byte stage.
     * @param when time
     */
    void Increase(RocePs when);

    /// @return the amount that is added to Rt in the present stages, bit/s
    double GetIncrement() const;

    /**
     * Report the rate to the trace source.
     * @param when time of the change
     */
    void TraceRate(RocePs when) const;

    /**
     * Report alpha to the trace source.
     * @param when time of the change
     */
    void TraceAlpha(RocePs when) const;

    /**
     * Write rate and nextUpdate.
     * @param state shared state
     */
    void Publish(RdmaCongestionState& state) const;

    // Attributes; a value that means "from the preset" is replaced when construction is complete.
    std::string m_preset;        //!< name of the preset
    Variant m_variant;           //!< set of rules
    TargetClamp m_targetClamp;   //!< when a cut lowers the target rate
    double m_gain;               //!< g
    double m_initialAlpha;       //!< alpha at the first CNP
    double m_alphaDivisor;       //!< a cut is alpha divided by this
    double m_minDecreaseFactor;  //!< smallest factor of one cut
    Time m_alphaTimer;           //!< alpha update period
    Time m_rateDecreaseInterval; //!< NIC: period of the cut timer
    Time m_rateTimer;            //!< period of rate increases
    Time m_reactionDelay;        //!< time from the arrival of a CNP to its effect
    int64_t m_byteCounter;       //!< bytes between rate increases, 0 for none
    int64_t m_f;                 //!< stages of fast recovery
    DataRate m_rateAi;           //!< additive increase step
    DataRate m_rateHai;          //!< hyper increase step
    DataRate m_minRate;          //!< least rate
    DataRate m_maxRate;          //!< greatest rate, 0 for the line rate
    DataRate m_rateOnFirstCnp;   //!< NIC: rate set at the first CNP, 0 to keep it
    bool m_scaleHyperIncrease;   //!< PAPER: multiply the hyper step by the number of hyper stages

    // What Init() makes of the attributes.
    double m_min;         //!< least rate, bit/s
    double m_max;         //!< greatest rate, bit/s
    double m_ai;          //!< additive increase step, bit/s
    double m_hai;         //!< hyper increase step, bit/s
    RocePs m_alphaPeriod; //!< alpha update period
    RocePs m_cutPeriod;   //!< period of the cut timer
    RocePs m_ratePeriod;  //!< period of rate increases
    RocePs m_reaction;    //!< time from the arrival of a CNP to its effect
    uint64_t m_byteReset; //!< bytes between rate increases, 0 for none
    uint64_t m_threshold; //!< stages of fast recovery

    // State. A timer that does not run is due NEVER.
    double m_current;              //!< Rc, bit/s
    double m_target;               //!< Rt, bit/s
    double m_alpha;                //!< alpha
    RocePs m_alphaDue;             //!< next expiry of the alpha timer
    RocePs m_cutDue;               //!< next expiry of the cut timer
    RocePs m_rateDue;              //!< next expiry of the rate timer; NEVER at the greatest rate
    uint64_t m_bytes;              //!< bytes sent since the byte counter fired
    uint64_t m_byteStage;          //!< times the byte counter fired since the last cut
    uint64_t m_timerStage;         //!< times the rate timer expired since the last cut
    bool m_cnpForAlpha;            //!< a CNP came since the alpha timer expired
    bool m_cnpForCut;              //!< a CNP came since the cut timer expired
    std::vector<RocePs> m_pending; //!< when CNPs that arrived will take effect, in order

    /// Rate or target rate changed.
    TracedCallback<Time, uint64_t, uint64_t, double> m_rateTrace;
    /// Alpha changed.
    TracedCallback<Time, double> m_alphaTrace;
};

} // namespace ns3

#endif /* RDMA_DCQCN_H */
