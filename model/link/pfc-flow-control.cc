/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pfc-flow-control.h"

#include "roce-net-device.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PfcFlowControl");
NS_OBJECT_ENSURE_REGISTERED(PfcFlowControl);

TypeId
PfcFlowControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PfcFlowControl")
            .SetParent<RoceLinkFlowControl>()
            .SetGroupName("Roce")
            .AddConstructor<PfcFlowControl>()
            .AddAttribute("EnabledClasses",
                          "Bit mask of the classes in which pauses are sent and obeyed "
                          "(RoceHelper sets it to the lossless classes of the QoS map).",
                          UintegerValue(1 << 3),
                          MakeUintegerAccessor(&PfcFlowControl::SetEnabledClasses,
                                               &PfcFlowControl::GetEnabledClasses),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("PauseQuanta",
                          "Pause time to ask for, in quanta of 512 bit times (default: the "
                          "longest, as switches do).",
                          UintegerValue(0xffff),
                          MakeUintegerAccessor(&PfcFlowControl::m_quanta),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("RefreshFraction",
                          "A standing pause is repeated each time this part of its duration has "
                          "passed.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&PfcFlowControl::m_refreshFraction),
                          MakeDoubleChecker<double>(0.01, 1.0))
            .AddAttribute("ResponseTime",
                          "Time from the arrival of a pause request until no new frame is started "
                          "(IEEE 802.3 allows 394 quanta = 2.02 us at 100 Gb/s; default: none).",
                          TimeValue(Time()),
                          MakeTimeAccessor(&PfcFlowControl::m_responseTime),
                          MakeTimeChecker(Time()))
            .AddTraceSource("PauseTx",
                            "A pause or resume request starts on the wire.",
                            MakeTraceSourceAccessor(&PfcFlowControl::m_pauseTxTrace),
                            "ns3::PfcFlowControl::PauseTracedCallback")
            .AddTraceSource("PauseRx",
                            "A pause or resume request has arrived.",
                            MakeTraceSourceAccessor(&PfcFlowControl::m_pauseRxTrace),
                            "ns3::PfcFlowControl::PauseTracedCallback");
    return tid;
}

PfcFlowControl::PfcFlowControl()
    : m_refresh(this)
{
    NS_LOG_FUNCTION(this);
}

PfcFlowControl::~PfcFlowControl()
{
    NS_LOG_FUNCTION(this);
}

void
PfcFlowControl::DoDispose()
{
    m_device = nullptr;
    m_refresh.Disarm();
    RoceLinkFlowControl::DoDispose();
}

void
PfcFlowControl::SetDevice(RoceNetDevice* device)
{
    NS_LOG_FUNCTION(this << device);
    m_device = device;
}

uint8_t
PfcFlowControl::GetOpenClasses(RocePs now)
{
    uint8_t open = 0xff;
    for (uint8_t c = 0, left = m_paused; left; c++, left >>= 1)
    {
        if (left & 1)
        {
            ClassState& state = m_class[c];
            if (now >= state.pauseUntil)
            {
                AccountPause(state, state.pauseUntil);
                m_paused &= ~(1 << c);
            }
            else if (now >= state.pauseFrom)
            {
                open &= ~(1 << c);
            }
        }
    }
    return open;
}

RocePs
PfcFlowControl::GetNextOpening(uint8_t classes, RocePs now) const
{
    RocePs next = RoceClock::NEVER;
    for (uint8_t c = 0, left = m_paused & classes; left; c++, left >>= 1)
    {
        if ((left & 1) && m_class[c].pauseUntil > now)
        {
            next = std::min(next, m_class[c].pauseUntil);
        }
    }
    return next;
}

RocePs
PfcFlowControl::GetQuantaTime(uint32_t quanta) const
{
    // In two steps, because 65535 quanta in bits times picoseconds per second exceed 64 bits.
    constexpr uint64_t MICRO = 1'000'000;
    const uint64_t rate = m_device->GetBitRate();
    const uint64_t scaled = static_cast<uint64_t>(quanta) * QUANTUM_BITS * MICRO;
    return static_cast<RocePs>(scaled / rate * MICRO + scaled % rate * MICRO / rate);
}

RocePs
PfcFlowControl::GetPauseDuration() const
{
    return GetQuantaTime(m_quanta);
}

void
PfcFlowControl::AccountPause(ClassState& state, RocePs end)
{
    if (end > state.pauseFrom)
    {
        state.counters.pausedTime += end - state.pauseFrom;
    }
    state.pauseFrom = end;
}

void
PfcFlowControl::ReceiveControlFrame(const RoceFrame& frame, RocePs now)
{
    NS_LOG_FUNCTION(this << now << +frame.opcode);
    GetOpenClasses(now); // settles pauses that have expired
    for (uint8_t c = 0; c < N_CLASSES; c++)
    {
        if (!((frame.opcode & m_enabled) >> c & 1))
        {
            continue;
        }
        ClassState& state = m_class[c];
        const uint16_t quanta = frame.ext.pfc.quanta[c];
        if (quanta > 0)
        {
            state.counters.xoffReceived++;
            if (!((m_paused >> c) & 1))
            {
                state.pauseFrom = now + RoceClock::FromTime(m_responseTime);
                m_paused |= 1 << c;
            }
            state.pauseUntil = now + GetQuantaTime(quanta);
        }
        else
        {
            state.counters.xonReceived++;
            if ((m_paused >> c) & 1)
            {
                AccountPause(state, now);
                state.pauseUntil = now;
                m_paused &= ~(1 << c);
            }
        }
        m_pauseRxTrace(RoceClock::ToTime(now), c, quanta > 0);
    }
}

bool
PfcFlowControl::HasControlFrame() const
{
    return m_pending != 0;
}

RoceFramePtr
PfcFlowControl::TakeControlFrame(RocePs now)
{
    if (!m_pending)
    {
        return nullptr;
    }
    RoceFramePtr frame = CreateRoceFrame();
    frame->kind = RoceFrameKind::MAC_CONTROL;
    frame->etherType = 0x8808;
    frame->trafficClass = N_CLASSES - 1;
    frame->frameBytes = RoceFrame::MIN_FRAME_BYTES;
    frame->opcode = m_pending;
    frame->ext.pfc.quanta.fill(0);
    for (uint8_t c = 0; c < N_CLASSES; c++)
    {
        if ((m_pending >> c) & 1)
        {
            const bool pause = (m_held >> c) & 1;
            frame->ext.pfc.quanta[c] = pause ? m_quanta : 0;
            (pause ? m_class[c].counters.xoffSent : m_class[c].counters.xonSent)++;
            m_pauseTxTrace(RoceClock::ToTime(now), c, pause);
        }
    }
    m_pending = 0;
    if (m_held)
    {
        m_refresh.SetContext(m_device->GetNode()->GetId());
        m_refresh.ArmAt(now + static_cast<RocePs>(GetPauseDuration() * m_refreshFraction));
    }
    return frame;
}

void
PfcFlowControl::Refresh(RocePs now)
{
    if (!m_device)
    {
        return;
    }
    m_device->CatchUp(now); // first: what was due before must not see the request, and may end it
    if (m_held)
    {
        NS_LOG_LOGIC("repeat pause of classes " << +m_held);
        m_pending |= m_held;
        m_device->Poke(now);
    }
}

void
PfcFlowControl::Hold(uint8_t trafficClass, RocePs now)
{
    NS_LOG_FUNCTION(this << +trafficClass << now);
    const uint8_t bit = 1 << trafficClass;
    if (!(m_enabled & bit) || (m_held & bit))
    {
        return;
    }
    m_held |= bit;
    m_pending |= bit;
    m_class[trafficClass].heldSince = now;
    m_device->Poke(now);
}

void
PfcFlowControl::Release(uint8_t trafficClass, RocePs now)
{
    NS_LOG_FUNCTION(this << +trafficClass << now);
    const uint8_t bit = 1 << trafficClass;
    if (!(m_held & bit))
    {
        return;
    }
    m_held &= ~bit;
    m_pending |= bit;
    ClassState& state = m_class[trafficClass];
    state.counters.holdTime += now - state.heldSince;
    if (!m_held)
    {
        m_refresh.Disarm();
    }
    m_device->Poke(now);
}

void
PfcFlowControl::Reset(RocePs now)
{
    NS_LOG_FUNCTION(this << now);
    GetOpenClasses(now);
    for (uint8_t c = 0; c < N_CLASSES; c++)
    {
        ClassState& state = m_class[c];
        if ((m_paused >> c) & 1)
        {
            AccountPause(state, now);
            state.pauseUntil = now;
        }
        if ((m_held >> c) & 1)
        {
            state.counters.holdTime += now - state.heldSince;
        }
    }
    m_paused = m_held = m_pending = 0;
    m_refresh.Disarm();
}

PfcFlowControl::Counters
PfcFlowControl::GetCounters(uint8_t trafficClass) const
{
    NS_ABORT_MSG_IF(trafficClass >= N_CLASSES,
                    "PfcFlowControl: class " << +trafficClass << " is not within 0 to 7");
    const ClassState& state = m_class[trafficClass];
    const RocePs now = RoceClock::Now();
    Counters counters = state.counters;
    if ((m_paused >> trafficClass) & 1)
    {
        const RocePs end = std::min(now, state.pauseUntil);
        counters.pausedTime += std::max<RocePs>(0, end - state.pauseFrom);
    }
    if ((m_held >> trafficClass) & 1)
    {
        counters.holdTime += now - state.heldSince;
    }
    return counters;
}

uint8_t
PfcFlowControl::GetEnabledClasses() const
{
    return m_enabled;
}

void
PfcFlowControl::SetEnabledClasses(uint8_t classes)
{
    NS_LOG_FUNCTION(this << +classes);
    m_enabled = classes;
}

Time
PfcFlowControl::GetResponseTime() const
{
    return m_responseTime;
}

} // namespace ns3
