/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-ecn-marker.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/log.h"
#include "ns3/roce-compat.h"
#include "ns3/uinteger.h"

#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceEcnMarker");

NS_OBJECT_ENSURE_REGISTERED(RoceEcnMarker);

TypeId
RoceEcnMarker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceEcnMarker")
            .SetParent<Object>()
            .SetGroupName("Roce")
            .AddConstructor<RoceEcnMarker>()
            .AddAttribute(
                "Kmin",
                "Queue length up to which no frame is marked, bytes. The default is that of "
                "the HPCC simulator at 100 Gb/s.",
                UintegerValue(400000),
                MakeUintegerAccessor(&RoceEcnMarker::m_kmin),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute("Kmax",
                          "Queue length above which every frame is marked, bytes. The default is "
                          "that of the HPCC simulator at 100 Gb/s.",
                          UintegerValue(1600000),
                          MakeUintegerAccessor(&RoceEcnMarker::m_kmax),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Pmax",
                          "Marking probability at Kmax. The default is that of the HPCC simulator.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&RoceEcnMarker::m_pmax),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("Weight",
                          "Averaging exponent w of avg = avg + (q - avg) / 2^w; 0 is the "
                          "instantaneous queue length, as RoCE configurations have it.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceEcnMarker::m_weight),
                          MakeUintegerChecker<uint8_t>(0, 15))
            .AddAttribute("MarkAt",
                          "Whether frames are judged when they leave the queue or when they enter.",
                          EnumValue(RoceEcnMarker::DEQUEUE),
                          MakeRoceEnumAccessor<MarkAt>(&RoceEcnMarker::m_markAt),
                          MakeEnumChecker(RoceEcnMarker::DEQUEUE,
                                          "DEQUEUE",
                                          RoceEcnMarker::ENQUEUE,
                                          "ENQUEUE"))
            .AddTraceSource("Mark",
                            "A frame is to be marked.",
                            MakeTraceSourceAccessor(&RoceEcnMarker::m_markTrace),
                            "ns3::RoceEcnMarker::MarkCallback");
    return tid;
}

RoceEcnMarker::RoceEcnMarker()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

RoceEcnMarker::~RoceEcnMarker() = default;

void
RoceEcnMarker::NotifyConstructionCompleted()
{
    Object::NotifyConstructionCompleted();
    Check();
}

void
RoceEcnMarker::Check() const
{
    NS_ABORT_MSG_UNLESS(m_kmin <= m_kmax && m_pmax >= 0.0 && m_pmax <= 1.0,
                        "RoceEcnMarker: Kmin = "
                            << m_kmin << " B, Kmax = " << m_kmax << " B, Pmax = " << m_pmax
                            << "; Kmin must not exceed Kmax and Pmax must be from 0 to 1");
}

RoceEcnMarker::Thresholds
RoceEcnMarker::GetPreset(Preset preset, uint64_t bitsPerSecond)
{
    const auto scale = [bitsPerSecond](double bytesPerGbps) {
        return static_cast<uint64_t>(std::llround(bytesPerGbps * (bitsPerSecond / 1e9)));
    };
    switch (preset)
    {
    case HPCC:
        return {scale(100e3 / 25), scale(400e3 / 25), 0.2};
    case DCQCN_PAPER:
        return {scale(5e3 / 40), scale(200e3 / 40), 0.01};
    case SONIC:
        return {1 << 20, 2 << 20, 0.05};
    case CUMULUS:
        return {150'000, 1'500'000, 1.0};
    case CISCO:
        return {150'000, 3'000'000, 0.07};
    }
    NS_ABORT_MSG("RoceEcnMarker: no preset " << static_cast<int>(preset));
    return {};
}

void
RoceEcnMarker::SetThresholds(const Thresholds& thresholds)
{
    NS_LOG_FUNCTION(this << thresholds.kmin << thresholds.kmax << thresholds.pmax);
    m_kmin = thresholds.kmin;
    m_kmax = thresholds.kmax;
    m_pmax = thresholds.pmax;
    Check();
}

RoceEcnMarker::Thresholds
RoceEcnMarker::GetThresholds() const
{
    return {m_kmin, m_kmax, m_pmax};
}

bool
RoceEcnMarker::ShouldMark(RoceEcn ecn, uint64_t queueBytes)
{
    uint64_t length = queueBytes;
    if (m_weight > 0)
    {
        m_average += (static_cast<double>(queueBytes) - m_average) / (1 << m_weight);
        length = static_cast<uint64_t>(m_average);
    }
    if (ecn == RoceEcn::NOT_ECT || length <= m_kmin)
    {
        return false;
    }
    if (length <= m_kmax)
    {
        const double probability =
            m_pmax * static_cast<double>(length - m_kmin) / static_cast<double>(m_kmax - m_kmin);
        if (m_random->GetValue() >= probability)
        {
            return false;
        }
    }
    NS_LOG_LOGIC("mark at " << length << " B");
    m_marked++;
    m_markTrace(length);
    return true;
}

uint64_t
RoceEcnMarker::GetMarked() const
{
    return m_marked;
}

int64_t
RoceEcnMarker::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3
