/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-dcqcn.h"

#include "rdma-dcqcn-preset.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/log.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-compat.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaDcqcn");
NS_OBJECT_ENSURE_REGISTERED(RdmaDcqcn);

namespace
{

/**
 * @param rate rate at the line rate to which it refers, bit/s
 * @param per that line rate, bit/s
 * @param lineRate line rate, bit/s
 * @return the rate in proportion to the line rate
 */
DataRate
ScaleRate(uint64_t rate, uint64_t per, uint64_t lineRate)
{
    return DataRate(
        static_cast<uint64_t>(std::llround(static_cast<double>(rate) * lineRate / per)));
}

/**
 * One expiry of the alpha timer.
 * @param [in,out] alpha alpha
 * @param [in,out] cnp whether a CNP came in the period that ends
 * @param gain g
 * @return true if the next expiries will change alpha
 */
bool
StepAlpha(double& alpha, bool& cnp, double gain)
{
    const double before = alpha;
    alpha = (1 - gain) * alpha + (cnp ? gain : 0.0);
    // Without CNPs, alpha decays until the smallest numbers of the machine round to themselves.
    const bool more = cnp || alpha != before;
    cnp = false;
    return more;
}

/**
 * @param due an expiry of a free-running timer
 * @param period its period
 * @param now a time, not before due
 * @return the first expiry after now
 */
RocePs
NextExpiry(RocePs due, RocePs period, RocePs now)
{
    return due + ((now - due) / period + 1) * period;
}

} // namespace

TypeId
RdmaDcqcn::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaDcqcn")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("Roce")
            .AddConstructor<RdmaDcqcn>()
            .AddAttribute("Preset",
                          "Where constants that are not given come from: paper, hpcc or nvidia "
                          "(see the class documentation). Only at construction.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          StringValue("paper"),
                          MakeStringAccessor(&RdmaDcqcn::m_preset),
                          MakeStringChecker())
            .AddAttribute(
                "Variant",
                "The rules of the paper (PAPER) or of NIC firmware (NIC). "
                "Presets: paper PAPER, hpcc and nvidia NIC.",
                EnumValue(VARIANT_FROM_PRESET),
                MakeRoceEnumAccessor<Variant>(&RdmaDcqcn::m_variant),
                MakeEnumChecker(VARIANT_FROM_PRESET, "FROM_PRESET", PAPER, "PAPER", NIC, "NIC"))
            .AddAttribute("Gain",
                          "Weight g of a new sample in alpha, in (0, 1] (NVIDIA DCE_TCP_G: "
                          "(1024 - G) / 1024). Negative: from the preset: paper and hpcc 1/256, "
                          "nvidia 5/1024.",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&RdmaDcqcn::m_gain),
                          MakeDoubleChecker<double>(-1, 1))
            .AddAttribute("InitialAlpha",
                          "alpha at the first CNP (NVIDIA INITIAL_ALPHA_VALUE, in 1024ths). "
                          "Negative: from the preset: paper and hpcc 1, nvidia 1023/1024.",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&RdmaDcqcn::m_initialAlpha),
                          MakeDoubleChecker<double>(-1, 1))
            .AddAttribute("AlphaDivisor",
                          "A cut takes alpha divided by this off the rate; 2 in the paper (NVIDIA "
                          "RPG_GD: 2^GD / 1024, GD = 11).",
                          DoubleValue(2),
                          MakeDoubleAccessor(&RdmaDcqcn::m_alphaDivisor),
                          MakeDoubleChecker<double>(1))
            .AddAttribute("MinDecreaseFactor",
                          "One cut leaves at least this part of the rate; never reached with an "
                          "AlphaDivisor of 2 or more (NVIDIA RPG_MIN_DEC_FAC, 50 %).",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaDcqcn::m_minDecreaseFactor),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("AlphaTimer",
                          "PAPER: time without CNP after which alpha decays, K; longer than the "
                          "CNP interval. NIC: alpha update period (NVIDIA DCE_TCP_RTT). "
                          "Negative: from the preset: paper 55 us, hpcc and nvidia 1 us.",
                          TimeValue(Seconds(-1)),
                          MakeTimeAccessor(&RdmaDcqcn::m_alphaTimer),
                          MakeTimeChecker())
            .AddAttribute("RateDecreaseInterval",
                          "NIC: period of the check whether a CNP came, hence least time between "
                          "cuts (NVIDIA RATE_REDUCE_MONITOR_PERIOD). "
                          "Negative: from the preset: paper 50 us, hpcc and nvidia 4 us.",
                          TimeValue(Seconds(-1)),
                          MakeTimeAccessor(&RdmaDcqcn::m_rateDecreaseInterval),
                          MakeTimeChecker())
            .AddAttribute("RateTimer",
                          "Time between rate increases, T (NVIDIA RPG_TIME_RESET). "
                          "Negative: from the preset: paper 55 us, hpcc and nvidia 300 us.",
                          TimeValue(Seconds(-1)),
                          MakeTimeAccessor(&RdmaDcqcn::m_rateTimer),
                          MakeTimeChecker())
            .AddAttribute("ByteCounter",
                          "PAPER: wire bytes sent between rate increases, B; 0 switches the byte "
                          "counter off, and hyper increase with it (NVIDIA RPG_BYTE_RESET). "
                          "Negative: from the preset: paper 10,000,000, hpcc 0, nvidia 32767.",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&RdmaDcqcn::m_byteCounter),
                          MakeIntegerChecker<int64_t>(-1))
            .AddAttribute("F",
                          "Number of increase events of fast recovery after a cut (NVIDIA "
                          "RPG_THRESHOLD). Negative: from the preset: paper 5, hpcc and nvidia 1.",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&RdmaDcqcn::m_f),
                          MakeIntegerChecker<int64_t>(-1))
            .AddAttribute("RateAi",
                          "Additive increase step of the target rate, R_AI (NVIDIA RPG_AI_RATE). "
                          "0: from the preset: paper 40 Mb/s, hpcc 5 Mb/s per 25 Gb/s of line "
                          "rate, nvidia 5 Mb/s.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaDcqcn::m_rateAi),
                          MakeDataRateChecker())
            .AddAttribute("RateHai",
                          "Hyper increase step of the target rate, R_HAI (NVIDIA RPG_HAI_RATE). "
                          "0: from the preset: paper 200 Mb/s, hpcc 50 Mb/s per 25 Gb/s of line "
                          "rate, nvidia 50 Mb/s.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaDcqcn::m_rateHai),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "Least rate (NVIDIA RPG_MIN_RATE). "
                          "0: from the preset: paper 10 Mb/s, hpcc 1 Gb/s, nvidia 1 Mb/s.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaDcqcn::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("MaxRate",
                          "Greatest rate, if below the line rate; the queue pair starts with it "
                          "(NVIDIA RPG_MAX_RATE). 0: the line rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaDcqcn::m_maxRate),
                          MakeDataRateChecker())
            .AddAttribute("RateOnFirstCnp",
                          "NIC: rate that the first CNP of a queue pair sets (NVIDIA "
                          "RATE_TO_SET_ON_FIRST_CNP). 0, the default of NVIDIA: do not set it.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaDcqcn::m_rateOnFirstCnp),
                          MakeDataRateChecker())
            .AddAttribute("TargetRateClamp",
                          "When a cut lowers the target rate to the current rate: ALWAYS (NVIDIA "
                          "CLAMP_TGT_RATE), AFTER_INCREASE (NVIDIA CLAMP_TGT_RATE_AFTER_TIME_INC) "
                          "or AFTER_BYTE_STAGE. Presets: paper ALWAYS, hpcc and nvidia "
                          "AFTER_INCREASE.",
                          EnumValue(CLAMP_FROM_PRESET),
                          MakeRoceEnumAccessor<TargetClamp>(&RdmaDcqcn::m_targetClamp),
                          MakeEnumChecker(CLAMP_FROM_PRESET,
                                          "FROM_PRESET",
                                          ALWAYS,
                                          "ALWAYS",
                                          AFTER_INCREASE,
                                          "AFTER_INCREASE",
                                          AFTER_BYTE_STAGE,
                                          "AFTER_BYTE_STAGE"))
            .AddAttribute("ScaleHyperIncrease",
                          "PAPER: multiply R_HAI by the number of hyper stages, as QCN (IEEE "
                          "802.1Qau) does.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaDcqcn::m_scaleHyperIncrease),
                          MakeBooleanChecker())
            .AddAttribute("ReactionDelay",
                          "Time from the arrival of a CNP to its effect, to model slow firmware.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaDcqcn::m_reactionDelay),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Rate",
                            "The rate changed.",
                            MakeTraceSourceAccessor(&RdmaDcqcn::m_rateTrace),
                            "ns3::RdmaDcqcn::RateTracedCallback")
            .AddTraceSource("Alpha",
                            "Alpha changed.",
                            MakeTraceSourceAccessor(&RdmaDcqcn::m_alphaTrace),
                            "ns3::RdmaDcqcn::AlphaTracedCallback");
    return tid;
}

RdmaDcqcn::RdmaDcqcn()
    : m_min(0),
      m_max(0),
      m_ai(0),
      m_hai(0),
      m_alphaPeriod(0),
      m_cutPeriod(0),
      m_ratePeriod(0),
      m_reaction(0),
      m_byteReset(0),
      m_threshold(0),
      m_current(0),
      m_target(0),
      m_alpha(0),
      m_alphaDue(RoceClock::NEVER),
      m_cutDue(RoceClock::NEVER),
      m_rateDue(RoceClock::NEVER),
      m_bytes(0),
      m_byteStage(0),
      m_timerStage(0),
      m_cnpForAlpha(false),
      m_cnpForCut(false)
{
}

RdmaDcqcn::~RdmaDcqcn() = default;

std::string
RdmaDcqcn::GetName() const
{
    return "DCQCN";
}

double
RdmaDcqcn::GetCurrentRate() const
{
    return m_current;
}

double
RdmaDcqcn::GetTargetRate() const
{
    return m_target;
}

double
RdmaDcqcn::GetAlpha(RocePs now) const
{
    double alpha = m_alpha;
    bool cnp = m_cnpForAlpha;
    for (RocePs due = m_alphaDue; due <= now; due += m_alphaPeriod)
    {
        if (!StepAlpha(alpha, cnp, m_gain))
        {
            break;
        }
    }
    return alpha;
}

void
RdmaDcqcn::NotifyConstructionCompleted()
{
    RdmaCongestionOps::NotifyConstructionCompleted();
    const RdmaDcqcnPreset preset = RdmaDcqcnPreset::Find(m_preset);

    const auto fill = [](auto& value, bool missing, auto presetValue) {
        if (missing)
        {
            value = presetValue;
        }
    };
    fill(m_variant, m_variant == VARIANT_FROM_PRESET, preset.variant);
    fill(m_targetClamp, m_targetClamp == CLAMP_FROM_PRESET, preset.clamp);
    fill(m_gain, m_gain < 0, preset.gain);
    fill(m_initialAlpha, m_initialAlpha < 0, preset.initialAlpha);
    fill(m_alphaTimer, m_alphaTimer.IsStrictlyNegative(), MicroSeconds(preset.alphaTimerUs));
    fill(m_rateDecreaseInterval,
         m_rateDecreaseInterval.IsStrictlyNegative(),
         MicroSeconds(preset.rateDecreaseUs));
    fill(m_rateTimer, m_rateTimer.IsStrictlyNegative(), MicroSeconds(preset.rateTimerUs));
    fill(m_byteCounter, m_byteCounter < 0, preset.byteCounter);
    fill(m_f, m_f < 0, preset.f);
    fill(m_minRate, m_minRate.GetBitRate() == 0, DataRate(preset.minRate));
    if (preset.perLineRate == 0)
    {
        fill(m_rateAi, m_rateAi.GetBitRate() == 0, DataRate(preset.rateAi));
        fill(m_rateHai, m_rateHai.GetBitRate() == 0, DataRate(preset.rateHai));
    }
}

void
RdmaDcqcn::CheckConstants() const
{
    NS_ABORT_MSG_IF(m_gain <= 0 || m_gain > 1,
                    "ns3::RdmaDcqcn::Gain is " << m_gain << "; it must be above 0 and at most 1");
    NS_ABORT_MSG_IF(m_initialAlpha < 0,
                    "ns3::RdmaDcqcn::InitialAlpha is " << m_initialAlpha
                                                       << "; it must be from 0 to 1");
    NS_ABORT_MSG_IF(m_variant == VARIANT_FROM_PRESET || m_targetClamp == CLAMP_FROM_PRESET,
                    "ns3::RdmaDcqcn: FROM_PRESET can only be given at construction");
    NS_ABORT_MSG_UNLESS(m_alphaTimer.IsStrictlyPositive(),
                        "ns3::RdmaDcqcn::AlphaTimer is " << m_alphaTimer
                                                         << "; it must be positive");
    NS_ABORT_MSG_UNLESS(m_rateDecreaseInterval.IsStrictlyPositive(),
                        "ns3::RdmaDcqcn::RateDecreaseInterval is " << m_rateDecreaseInterval
                                                                   << "; it must be positive");
    NS_ABORT_MSG_UNLESS(m_rateTimer.IsStrictlyPositive(),
                        "ns3::RdmaDcqcn::RateTimer is " << m_rateTimer << "; it must be positive");
    NS_ABORT_MSG_IF(m_byteCounter < 0 || m_f < 0,
                    "ns3::RdmaDcqcn: ByteCounter is " << m_byteCounter << " and F is " << m_f
                                                      << "; neither may be negative");
    NS_ABORT_MSG_IF(
        m_rateAi.GetBitRate() == 0 || m_rateHai.GetBitRate() == 0 || m_minRate.GetBitRate() == 0,
        "ns3::RdmaDcqcn: RateAi is " << m_rateAi << ", RateHai " << m_rateHai << " and MinRate "
                                     << m_minRate << "; all must be positive");
}

void
RdmaDcqcn::DoInit(RdmaCongestionState& state, RocePs now)
{
    NS_LOG_FUNCTION(this << now << state.lineRate);
    const RdmaDcqcnPreset preset = RdmaDcqcnPreset::Find(m_preset);
    if (preset.perLineRate != 0)
    {
        if (m_rateAi.GetBitRate() == 0)
        {
            m_rateAi = ScaleRate(preset.rateAi, preset.perLineRate, state.lineRate);
        }
        if (m_rateHai.GetBitRate() == 0)
        {
            m_rateHai = ScaleRate(preset.rateHai, preset.perLineRate, state.lineRate);
        }
    }
    CheckConstants();

    const uint64_t maxRate = m_maxRate.GetBitRate();
    m_max = static_cast<double>(maxRate == 0 ? state.lineRate : std::min(maxRate, state.lineRate));
    m_min = std::min(static_cast<double>(m_minRate.GetBitRate()), m_max);
    m_ai = static_cast<double>(m_rateAi.GetBitRate());
    m_hai = static_cast<double>(m_rateHai.GetBitRate());
    m_alphaPeriod = RoceClock::FromTime(m_alphaTimer);
    m_cutPeriod = RoceClock::FromTime(m_rateDecreaseInterval);
    m_ratePeriod = RoceClock::FromTime(m_rateTimer);
    m_reaction = RoceClock::FromTime(m_reactionDelay);
    m_byteReset = m_variant == PAPER ? static_cast<uint64_t>(m_byteCounter) : 0;
    m_threshold = static_cast<uint64_t>(m_f);

    m_current = m_target = m_max;
    m_alpha = m_initialAlpha;
    m_alphaDue = m_cutDue = m_rateDue = RoceClock::NEVER;
    m_bytes = m_byteStage = m_timerStage = 0;
    m_cnpForAlpha = m_cnpForCut = false;
    m_pending.clear();
    Publish(state);
}

void
RdmaDcqcn::DoUpdate(RdmaCongestionState& state, RocePs now)
{
    Advance(state, now);
}

void
RdmaDcqcn::DoPacketSent(RdmaCongestionState& state, RocePs now, uint32_t wireBytes)
{
    if (m_byteReset == 0 || m_rateDue == RoceClock::NEVER)
    {
        return; // no byte counter, or nothing to recover
    }
    m_bytes += wireBytes;
    if (m_bytes < m_byteReset)
    {
        return;
    }
    AdvanceAlpha(now);
    while (m_bytes >= m_byteReset && m_rateDue != RoceClock::NEVER)
    {
        m_bytes -= m_byteReset;
        m_byteStage++;
        Increase(now);
    }
    Publish(state);
}

void
RdmaDcqcn::DoCnpReceived(RdmaCongestionState& state, RocePs now)
{
    NS_LOG_FUNCTION(this << now);
    m_pending.push_back(now + m_reaction);
    Advance(state, now);
}

void
RdmaDcqcn::Advance(RdmaCongestionState& state, RocePs now)
{
    for (;;)
    {
        const RocePs cnpDue = m_pending.empty() ? RoceClock::NEVER : m_pending.front();
        const RocePs cutDue = m_cnpForCut ? m_cutDue : RoceClock::NEVER;
        const RocePs due = std::min({cnpDue, cutDue, m_rateDue});
        if (due > now)
        {
            break;
        }
        AdvanceAlpha(due);
        if (due == cutDue)
        {
            m_cnpForCut = false;
            m_cutDue += m_cutPeriod;
            Cut();
            m_rateDue = due + m_ratePeriod;
            TraceRate(due);
        }
        else if (due == m_rateDue)
        {
            m_rateDue += m_ratePeriod;
            m_timerStage++;
            Increase(due);
        }
        else
        {
            m_pending.erase(m_pending.begin());
            React(due);
        }
    }
    Publish(state);
}

void
RdmaDcqcn::AdvanceAlpha(RocePs now)
{
    while (m_alphaDue <= now)
    {
        const double before = m_alpha;
        const RocePs when = m_alphaDue;
        if (StepAlpha(m_alpha, m_cnpForAlpha, m_gain))
        {
            m_alphaDue += m_alphaPeriod;
        }
        else
        {
            m_alphaDue = NextExpiry(m_alphaDue, m_alphaPeriod, now);
        }
        if (m_alpha != before)
        {
            TraceAlpha(when);
        }
    }
}

void
RdmaDcqcn::React(RocePs when)
{
    if (m_variant == PAPER)
    {
        Cut();
        m_alpha = (1 - m_gain) * m_alpha + m_gain;
        m_alphaDue = when + m_alphaPeriod;
        m_rateDue = when + m_ratePeriod;
        TraceAlpha(when);
        TraceRate(when);
        return;
    }

    if (m_alphaDue == RoceClock::NEVER) // the first CNP
    {
        m_alphaDue = when + m_alphaPeriod;
        m_cutDue = when + m_cutPeriod;
        if (m_rateOnFirstCnp.GetBitRate() != 0)
        {
            m_current = static_cast<double>(m_rateOnFirstCnp.GetBitRate());
            m_current = m_target = std::clamp(m_current, m_min, m_max);
            TraceRate(when);
        }
    }
    else if (m_cutDue <= when)
    {
        // The timer ran on, but its expiries without a CNP were not looked at.
        m_cutDue = NextExpiry(m_cutDue, m_cutPeriod, when);
    }
    m_cnpForAlpha = m_cnpForCut = true;
}

void
RdmaDcqcn::Cut()
{
    if (m_targetClamp == ALWAYS || m_byteStage != 0 ||
        (m_targetClamp == AFTER_INCREASE && m_timerStage != 0))
    {
        m_target = m_current;
    }
    const double factor = std::max(1 - m_alpha / m_alphaDivisor, m_minDecreaseFactor);
    m_current = std::max(m_min, m_current * factor);
    m_bytes = m_byteStage = m_timerStage = 0;
}

double
RdmaDcqcn::GetIncrement() const
{
    const uint64_t most = std::max(m_byteStage, m_timerStage);
    if (most <= m_threshold)
    {
        return 0; // fast recovery
    }
    if (m_variant == NIC)
    {
        return most == m_threshold + 1 ? m_ai : m_hai;
    }
    const uint64_t least = std::min(m_byteStage, m_timerStage);
    if (least <= m_threshold)
    {
        return m_ai;
    }
    return m_scaleHyperIncrease ? m_hai * static_cast<double>(least - m_threshold) : m_hai;
}

void
RdmaDcqcn::Increase(RocePs when)
{
    m_target = std::min(m_target + GetIncrement(), m_max);
    m_current = (m_current + m_target) / 2;
    if (m_current > m_max - 0.5)
    {
        // Back at the greatest rate: nothing changes until the next CNP.
        m_current = m_target = m_max;
        m_rateDue = RoceClock::NEVER;
    }
    TraceRate(when);
}

void
RdmaDcqcn::TraceRate(RocePs when) const
{
    NS_LOG_LOGIC("at " << when << " ps: Rc " << m_current << " Rt " << m_target << " alpha "
                       << m_alpha);
    if (!m_rateTrace.IsEmpty())
    {
        m_rateTrace(RoceClock::ToTime(when),
                    static_cast<uint64_t>(std::llround(m_current)),
                    static_cast<uint64_t>(std::llround(m_target)),
                    m_alpha);
    }
}

void
RdmaDcqcn::TraceAlpha(RocePs when) const
{
    if (!m_alphaTrace.IsEmpty())
    {
        m_alphaTrace(RoceClock::ToTime(when), m_alpha);
    }
}

void
RdmaDcqcn::Publish(RdmaCongestionState& state) const
{
    state.rate = static_cast<uint64_t>(std::llround(m_current));
    state.nextUpdate = std::min(m_rateDue, m_cnpForCut ? m_cutDue : RoceClock::NEVER);
    if (!m_pending.empty())
    {
        state.nextUpdate = std::min(state.nextUpdate, m_pending.front());
    }
}

} // namespace ns3
