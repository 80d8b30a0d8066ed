/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-input-buffer.h"

#include "rdma-engine.h"

#include "ns3/log.h"
#include "ns3/roce-link-flow-control.h"
#include "ns3/roce-net-device.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaInputBuffer");
NS_OBJECT_ENSURE_REGISTERED(RdmaInputBuffer);

TypeId
RdmaInputBuffer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaInputBuffer")
            .SetParent<Object>()
            .SetGroupName("Roce")
            .AddConstructor<RdmaInputBuffer>()
            .AddAttribute(
                "Rate",
                "Frame bits that the NIC works off per second; 0 (default) means as "
                "fast as they arrive.",
                DataRateValue(DataRate(0)),
                MakeDataRateAccessor(&RdmaInputBuffer::SetRate, &RdmaInputBuffer::GetRate),
                MakeDataRateChecker())
            .AddAttribute(
                "Size",
                "Room for frames that wait, bytes (default: 1 MiB, an assumption; vendors "
                "publish no sizes).",
                UintegerValue(1 << 20),
                MakeUintegerAccessor(&RdmaInputBuffer::m_size),
                MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Xoff",
                          "A class is paused when this many bytes of it wait.",
                          UintegerValue(256 << 10),
                          MakeUintegerAccessor(&RdmaInputBuffer::m_xoff),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Xon",
                          "A paused class is resumed when at most this many bytes of it wait.",
                          UintegerValue(128 << 10),
                          MakeUintegerAccessor(&RdmaInputBuffer::m_xon),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

RdmaInputBuffer::RdmaInputBuffer()
    : m_classBytes{},
      m_alarm(this)
{
    NS_LOG_FUNCTION(this);
}

RdmaInputBuffer::~RdmaInputBuffer()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaInputBuffer::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_fifo.Clear();
    m_alarm.Disarm();
    m_engine = nullptr;
    Object::DoDispose();
}

void
RdmaInputBuffer::SetEngine(RdmaEngine* engine, uint32_t context)
{
    NS_LOG_FUNCTION(this << engine << context);
    m_engine = engine;
    m_alarm.SetContext(context);
}

void
RdmaInputBuffer::SetRate(DataRate rate)
{
    NS_LOG_FUNCTION(this << rate);
    m_bitRate = rate.GetBitRate();
    m_carry = 0;
}

DataRate
RdmaInputBuffer::GetRate() const
{
    return DataRate(m_bitRate);
}

void
RdmaInputBuffer::Push(RoceFramePtr frame, RocePs now)
{
    Drain(now); // what was due within the same tick
    m_engine->CatchUp(now);
    const uint32_t bytes = frame->frameBytes;
    if (m_bytes + bytes > m_size)
    {
        NS_LOG_LOGIC("no room for " << bytes << " bytes, " << m_bytes << " of " << m_size
                                    << " in use");
        m_drops++;
        return;
    }
    const uint8_t c = frame->trafficClass;
    m_bytes += bytes;
    m_classBytes[c] += bytes;
    m_peakBytes = std::max(m_peakBytes, m_bytes);
    const bool isFirst = m_fifo.IsEmpty();
    m_fifo.Push(std::move(frame));
    if (isFirst)
    {
        StartNext(now);
    }
    if (m_classBytes[c] >= m_xoff)
    {
        Hold(c, now);
    }
}

void
RdmaInputBuffer::Hold(uint8_t trafficClass, RocePs now)
{
    auto gate = m_engine->GetDevice()->GetFlowControl();
    if (gate && !((m_held >> trafficClass) & 1))
    {
        m_held |= 1 << trafficClass;
        gate->Hold(trafficClass, now);
    }
}

void
RdmaInputBuffer::StartNext(RocePs now)
{
    // Rate 0 after frames have waited: the rest is worked off at once.
    const uint32_t bytes = m_fifo.Front()->frameBytes;
    m_doneAt = m_bitRate ? now + RoceClock::TransmissionTime(bytes, m_bitRate, m_carry) : now;
    m_alarm.ArmAt(m_doneAt);
}

void
RdmaInputBuffer::Drain(RocePs now)
{
    while (!m_fifo.IsEmpty() && m_doneAt <= now)
    {
        Finish(m_doneAt);
    }
    if (!m_fifo.IsEmpty())
    {
        m_alarm.ArmAt(m_doneAt);
    }
}

void
RdmaInputBuffer::Finish(RocePs now)
{
    m_engine->CatchUp(now);
    RoceFramePtr frame = m_fifo.Pop();
    const uint8_t c = frame->trafficClass;
    m_bytes -= frame->frameBytes;
    m_classBytes[c] -= frame->frameBytes;
    if (!m_fifo.IsEmpty())
    {
        StartNext(now);
    }
    if (((m_held >> c) & 1) && m_classBytes[c] <= m_xon)
    {
        m_held &= ~(1 << c);
        m_engine->GetDevice()->GetFlowControl()->Release(c, now);
    }
    m_engine->Deliver(std::move(frame), now);
}

void
RdmaInputBuffer::LinkChanged(bool up, RocePs now)
{
    m_held = 0;
    for (uint8_t c = 0; up && c < N_CLASSES; c++)
    {
        if (m_classBytes[c] >= m_xoff)
        {
            Hold(c, now);
        }
    }
}

uint64_t
RdmaInputBuffer::GetBytes() const
{
    return m_bytes;
}

uint64_t
RdmaInputBuffer::GetPeakBytes() const
{
    return m_peakBytes;
}

uint64_t
RdmaInputBuffer::GetDrops() const
{
    return m_drops;
}

} // namespace ns3
