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

#include <algorithm>
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
            .AddAttribute("Preset",
                          "Published thresholds that hold where Kmin, Kmax or Pmax are not given: "
                          "HPCC (100 kB, 400 kB and 20 % at 25 Gb/s, scaled with the rate), "
                          "DCQCN_PAPER (5 kB, 200 kB and 1 % at 40 Gb/s, scaled), DCTCP (all above "
                          "30 kB at 10 Gb/s, scaled), and at any rate SONIC (1 MiB, 2 MiB, 5 %), "
                          "CUMULUS (150 kB, 1500 kB, 100 %) or CISCO (150 kB, 3000 kB, 7 %).",
                          EnumValue(RoceEcnMarker::HPCC),
                          MakeRoceEnumAccessor<Preset>(&RoceEcnMarker::SetPreset,
                                                       &RoceEcnMarker::GetPresetAttribute),
                          MakeEnumChecker(RoceEcnMarker::HPCC,
                                          "HPCC",
                                          RoceEcnMarker::DCQCN_PAPER,
                                          "DCQCN_PAPER",
                                          RoceEcnMarker::DCTCP,
                                          "DCTCP",
                                          RoceEcnMarker::SONIC,
                                          "SONIC",
                                          RoceEcnMarker::CUMULUS,
                                          "CUMULUS",
                                          RoceEcnMarker::CISCO,
                                          "CISCO"))
            .AddAttribute(
                "Unit",
                "Unit of Kmin and Kmax: BYTES, CELLS of the switch buffer, or NANOSECONDS "
                "that the port takes to send them.",
                EnumValue(RoceEcnMarker::BYTES),
                MakeRoceEnumAccessor<Unit>(&RoceEcnMarker::SetUnit, &RoceEcnMarker::GetUnit),
                MakeEnumChecker(RoceEcnMarker::BYTES,
                                "BYTES",
                                RoceEcnMarker::CELLS,
                                "CELLS",
                                RoceEcnMarker::NANOSECONDS,
                                "NANOSECONDS"))
            .AddAttribute("Kmin",
                          "Queue length up to which no frame is marked, in Unit; 2^64 - 1: that of "
                          "the preset.",
                          UintegerValue(FROM_PRESET),
                          MakeUintegerAccessor(&RoceEcnMarker::SetKmin, &RoceEcnMarker::GetKmin),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Kmax",
                          "Queue length above which every frame is marked, in Unit; 2^64 - 1: that "
                          "of the preset.",
                          UintegerValue(FROM_PRESET),
                          MakeUintegerAccessor(&RoceEcnMarker::SetKmax, &RoceEcnMarker::GetKmax),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Pmax",
                          "Marking probability at Kmax, 0 to 1; negative: that of the preset.",
                          DoubleValue(-1.0),
                          MakeDoubleAccessor(&RoceEcnMarker::SetPmax, &RoceEcnMarker::GetPmax),
                          MakeDoubleChecker<double>(-1.0, 1.0))
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
    m_constructed = true;
    Update();
}

uint64_t
RoceEcnMarker::ToBytes(uint64_t length, uint64_t preset) const
{
    if (length == FROM_PRESET)
    {
        return preset;
    }
    double bytesPerUnit = 1.0;
    switch (m_unit)
    {
    case BYTES:
        return length;
    case CELLS:
        bytesPerUnit = m_cellBytes;
        break;
    case NANOSECONDS:
        bytesPerUnit = static_cast<double>(m_portRate) / 8e9;
        break;
    }
    // A product beyond this is a threshold that no queue reaches; doubles up to it are exact.
    constexpr double NEVER = 9007199254740992.0; // 2^53
    return static_cast<uint64_t>(
        std::llround(std::min(static_cast<double>(length) * bytesPerUnit, NEVER)));
}

void
RoceEcnMarker::Update()
{
    if (!m_constructed)
    {
        return;
    }
    const Thresholds preset = GetPreset(m_preset, m_portRate);
    m_kmin = ToBytes(m_givenKmin, preset.kmin);
    m_kmax = ToBytes(m_givenKmax, preset.kmax);
    m_pmax = m_givenPmax < 0.0 ? preset.pmax : m_givenPmax;
    NS_ABORT_MSG_UNLESS(m_kmin <= m_kmax && m_pmax <= 1.0,
                        "RoceEcnMarker: Kmin = "
                            << m_kmin << " B, Kmax = " << m_kmax << " B, Pmax = " << m_pmax
                            << " on a port of " << m_portRate
                            << " bit/s; Kmin must not exceed Kmax and Pmax must be from 0 to 1 "
                               "(what is not given is that of the preset)");
}

void
RoceEcnMarker::SetPort(uint64_t bitsPerSecond, uint32_t cellBytes)
{
    NS_LOG_FUNCTION(this << bitsPerSecond << cellBytes);
    m_portRate = bitsPerSecond;
    m_cellBytes = cellBytes;
    Update();
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
    case DCTCP:
        return {scale(30e3 / 10), scale(30e3 / 10), 1.0};
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
    m_unit = BYTES;
    m_givenKmin = thresholds.kmin;
    m_givenKmax = thresholds.kmax;
    m_givenPmax = thresholds.pmax;
    NS_ABORT_MSG_UNLESS(m_givenPmax >= 0.0,
                        "RoceEcnMarker: Pmax = " << m_givenPmax << " must be from 0 to 1");
    Update();
}

RoceEcnMarker::Thresholds
RoceEcnMarker::GetThresholds() const
{
    return {m_kmin, m_kmax, m_pmax};
}

void
RoceEcnMarker::SetPreset(Preset preset)
{
    m_preset = preset;
    Update();
}

RoceEcnMarker::Preset
RoceEcnMarker::GetPresetAttribute() const
{
    return m_preset;
}

void
RoceEcnMarker::SetUnit(Unit unit)
{
    m_unit = unit;
    Update();
}

RoceEcnMarker::Unit
RoceEcnMarker::GetUnit() const
{
    return m_unit;
}

void
RoceEcnMarker::SetKmin(uint64_t kmin)
{
    m_givenKmin = kmin;
    Update();
}

uint64_t
RoceEcnMarker::GetKmin() const
{
    return m_givenKmin;
}

void
RoceEcnMarker::SetKmax(uint64_t kmax)
{
    m_givenKmax = kmax;
    Update();
}

uint64_t
RoceEcnMarker::GetKmax() const
{
    return m_givenKmax;
}

void
RoceEcnMarker::SetPmax(double pmax)
{
    m_givenPmax = pmax;
    Update();
}

double
RoceEcnMarker::GetPmax() const
{
    return m_givenPmax;
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
