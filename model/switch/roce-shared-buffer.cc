/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-shared-buffer.h"

#include "roce-dynamic-threshold.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceSharedBuffer");

NS_OBJECT_ENSURE_REGISTERED(RoceSharedBuffer);

TypeId
RoceSharedBuffer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceSharedBuffer")
            .SetParent<Object>()
            .SetGroupName("Roce")
            .AddConstructor<RoceSharedBuffer>()
            .AddAttribute(
                "TotalBytes",
                "Memory of the switch: reserves, headroom and the shared pool. The default "
                "is that of the HPCC simulator.",
                UintegerValue(32 << 20),
                MakeUintegerAccessor(&RoceSharedBuffer::SetTotalBytes,
                                     &RoceSharedBuffer::GetTotalBytes),
                MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("CellBytes",
                          "Memory is allotted in cells of this size, so that a frame takes its "
                          "length rounded up to whole cells; 1 counts bytes. Broadcom switches "
                          "have 208, 254 or 256 byte cells. Only while the buffer is empty.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RoceSharedBuffer::SetCellBytes,
                                               &RoceSharedBuffer::GetCellBytes),
                          MakeUintegerChecker<uint32_t>(1, 16384))
            .AddAttribute(
                "Alpha",
                "Share of the free pool that a lossless class of a port may take before it "
                "is paused (SONiC dynamic_th -3 is 1/8). Setting it sets all ports.",
                DoubleValue(0.125),
                MakeDoubleAccessor(&RoceSharedBuffer::SetDefaultAlpha,
                                   &RoceSharedBuffer::GetDefaultAlpha),
                MakeDoubleChecker<double>(1e-6, 1e6))
            .AddAttribute("EgressAlpha",
                          "Share of the free pool that a lossy class of an egress port may hold "
                          "before its tail is dropped.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&RoceSharedBuffer::m_egressAlpha),
                          MakeDoubleChecker<double>(1e-6, 1e6))
            .AddAttribute(
                "Reserve",
                "Bytes set aside for every class of every port. Setting it sets all ports "
                "and is possible only while the buffer is empty.",
                UintegerValue(4096),
                MakeUintegerAccessor(&RoceSharedBuffer::SetDefaultReserve,
                                     &RoceSharedBuffer::GetDefaultReserve),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "XonOffset",
                "Bytes by which a class must fall below its dynamic threshold before it is "
                "resumed.",
                UintegerValue(3000),
                MakeUintegerAccessor(&RoceSharedBuffer::m_xonOffset),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute("LosslessClasses",
                          "Bit mask of the classes that are paused instead of dropped (bit c is "
                          "class c). The default is class 3.",
                          UintegerValue(1 << 3),
                          MakeUintegerAccessor(&RoceSharedBuffer::m_losslessClasses),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute(
                "IngressThreshold",
                "Pause thresholds of lossless classes; a RoceDynamicThreshold by default. "
                "As text, for instance ns3::RoceStaticThreshold[Xoff=100000|Xon=90000].",
                PointerValue(),
                MakePointerAccessor(&RoceSharedBuffer::m_ingressThreshold),
                MakePointerChecker<RoceBufferThreshold>())
            .AddAttribute("EgressThreshold",
                          "Drop thresholds of lossy classes; a RoceDynamicThreshold by default.",
                          PointerValue(),
                          MakePointerAccessor(&RoceSharedBuffer::m_egressThreshold),
                          MakePointerChecker<RoceBufferThreshold>())
            .AddTraceSource("Drop",
                            "A frame was refused.",
                            MakeTraceSourceAccessor(&RoceSharedBuffer::m_dropTrace),
                            "ns3::RoceSharedBuffer::DropCallback")
            .AddTraceSource("Xoff",
                            "A lossless class of an ingress port has to be paused.",
                            MakeTraceSourceAccessor(&RoceSharedBuffer::m_xoffTrace),
                            "ns3::RoceSharedBuffer::PauseCallback")
            .AddTraceSource("Xon",
                            "A paused class of an ingress port may be resumed.",
                            MakeTraceSourceAccessor(&RoceSharedBuffer::m_xonTrace),
                            "ns3::RoceSharedBuffer::PauseCallback")
            .AddTraceSource("UsedBytes",
                            "Bytes held by all ports.",
                            MakeTraceSourceAccessor(&RoceSharedBuffer::m_usedTrace),
                            "ns3::RoceSharedBuffer::UsedCallback");
    return tid;
}

RoceSharedBuffer::RoceSharedBuffer()
    : m_ingressThreshold(CreateObject<RoceDynamicThreshold>()),
      m_egressThreshold(m_ingressThreshold)
{
}

RoceSharedBuffer::~RoceSharedBuffer() = default;

void
RoceSharedBuffer::Configure(uint32_t nPorts)
{
    NS_LOG_FUNCTION(this << nPorts);
    NS_ABORT_MSG_IF(nPorts < m_nPorts || nPorts > MAX_PORTS,
                    "RoceSharedBuffer: " << nPorts << " ports; from " << m_nPorts
                                         << " (the ports it has) to " << MAX_PORTS
                                         << " are allowed");
    Ingress fresh;
    fresh.reserve = m_defaultReserve;
    fresh.alpha = m_defaultAlpha;
    const size_t added = static_cast<size_t>(nPorts - m_nPorts) * N_CLASSES;
    m_nPorts = nPorts;
    m_ingress.resize(m_ingress.size() + added, fresh);
    m_egress.resize(m_ingress.size());
    m_totalReserve += added * m_defaultReserve;
    UpdatePlan();
}

uint32_t
RoceSharedBuffer::GetNPorts() const
{
    return m_nPorts;
}

void
RoceSharedBuffer::Refuse(uint16_t port, uint8_t cls) const
{
    NS_ABORT_MSG("RoceSharedBuffer: no class " << +cls << " of port " << port
                                               << "; there are 8 classes and " << m_nPorts
                                               << " ports, numbered from 0");
}

void
RoceSharedBuffer::SetHeadroom(uint16_t port, uint8_t cls, uint64_t bytes)
{
    NS_LOG_FUNCTION(this << port << +cls << bytes);
    Ingress& in = m_ingress[GetIndex(port, cls)];
    NS_ABORT_MSG_IF(bytes && !IsLossless(cls),
                    "RoceSharedBuffer: headroom for class "
                        << +cls << " of port " << port
                        << ", which is not among the LosslessClasses (mask " << +m_losslessClasses
                        << ")");
    NS_ABORT_MSG_IF(bytes < in.headroomUsed,
                    "RoceSharedBuffer: headroom of " << bytes << " B for class " << +cls
                                                     << " of port " << port << ", which uses "
                                                     << in.headroomUsed << " B of it right now");
    m_totalHeadroom += bytes - in.headroom;
    in.headroom = bytes;
    UpdatePlan();
}

uint64_t
RoceSharedBuffer::GetHeadroom(uint16_t port, uint8_t cls) const
{
    return m_ingress[GetIndex(port, cls)].headroom;
}

void
RoceSharedBuffer::SetReserve(uint16_t port, uint8_t cls, uint64_t bytes)
{
    NS_LOG_FUNCTION(this << port << +cls << bytes);
    Ingress& in = m_ingress[GetIndex(port, cls)];
    NS_ABORT_MSG_IF(in.held,
                    "RoceSharedBuffer: the reserve of class "
                        << +cls << " of port " << port
                        << " can only change while it is empty; it holds " << in.held << " B");
    m_totalReserve += bytes - in.reserve;
    in.reserve = bytes;
    UpdatePlan();
}

uint64_t
RoceSharedBuffer::GetReserve(uint16_t port, uint8_t cls) const
{
    return m_ingress[GetIndex(port, cls)].reserve;
}

void
RoceSharedBuffer::SetAlpha(uint16_t port, uint8_t cls, double alpha)
{
    NS_LOG_FUNCTION(this << port << +cls << alpha);
    NS_ABORT_MSG_UNLESS(alpha > 0 && alpha <= 1e6,
                        "RoceSharedBuffer: alpha " << alpha << " for class " << +cls << " of port "
                                                   << port << "; it must be in (0, 1e6]");
    m_ingress[GetIndex(port, cls)].alpha = alpha;
}

double
RoceSharedBuffer::GetAlpha(uint16_t port, uint8_t cls) const
{
    return m_ingress[GetIndex(port, cls)].alpha;
}

void
RoceSharedBuffer::UpdatePlan()
{
    const uint64_t apart = m_totalReserve + m_totalHeadroom;
    m_sharedSize = m_totalBytes > apart ? m_totalBytes - apart : 0;
    if (m_validated)
    {
        Validate();
    }
}

std::string
RoceSharedBuffer::GetProblem() const
{
    // Something must be left to share: a class without reserve could not send a single byte.
    const uint64_t needed = std::max<uint64_t>(m_sharedUsed, 1);
    if (m_sharedSize >= needed)
    {
        return "";
    }
    std::ostringstream os;
    os << "RoceSharedBuffer: impossible plan. " << Describe() << "Headroom and reserves need "
       << m_totalHeadroom + m_totalReserve << " B of " << m_totalBytes << " B, but at least "
       << needed
       << " B must be left to share. Use a larger TotalBytes, a smaller Reserve, shorter links or "
          "fewer lossless classes.";
    return os.str();
}

void
RoceSharedBuffer::Validate()
{
    NS_LOG_FUNCTION(this);
    m_validated = true;
    const std::string problem = GetProblem();
    NS_ABORT_MSG_UNLESS(problem.empty(), problem);
}

std::string
RoceSharedBuffer::Describe() const
{
    std::ostringstream os;
    os << "Buffer of " << m_totalBytes << " B";
    if (m_cellBytes > 1)
    {
        os << " in cells of " << m_cellBytes << " B";
    }
    os << " for " << GetNPorts() << " ports x " << +N_CLASSES << " classes, lossless:";
    for (uint8_t cls = 0; cls < N_CLASSES; cls++)
    {
        if (IsLossless(cls))
        {
            os << " " << +cls;
        }
    }
    os << (m_losslessClasses ? "\n" : " none\n");
    os << "  reserves        " << m_totalReserve << " B\n";
    os << "  headroom        " << m_totalHeadroom << " B";
    const auto largest =
        std::max_element(m_ingress.begin(), m_ingress.end(), [](const auto& a, const auto& b) {
            return a.headroom < b.headroom;
        });
    if (m_totalHeadroom)
    {
        const auto index = std::distance(m_ingress.begin(), largest);
        os << ", at most " << largest->headroom << " B (port " << index / N_CLASSES << " class "
           << index % N_CLASSES << ")";
    }
    os << "\n  left to share   " << m_sharedSize << " B, " << m_sharedUsed << " B of it in use\n";
    for (uint8_t cls = 0; cls < N_CLASSES && !m_ingress.empty(); cls++)
    {
        if (IsLossless(cls))
        {
            os << "  class " << +cls << " of port 0 pauses at " << GetXoffBytes(0, cls)
               << " B now (" << m_ingressThreshold->GetInstanceTypeId().GetName() << ", alpha "
               << m_ingress[cls].alpha << ")\n";
        }
    }
    return os.str();
}

RoceBufferThreshold::Share
RoceSharedBuffer::GetShare(const Ingress& in) const
{
    RoceBufferThreshold::Share share;
    share.freeBytes = GetFree();
    share.reserve = in.reserve;
    share.xonOffset = m_xonOffset;
    share.alpha = in.alpha;
    return share;
}

bool
RoceSharedBuffer::IsAboveXoff(const Ingress& in) const
{
    return in.headroomUsed > 0 || in.held >= m_ingressThreshold->GetLimit(GetShare(in));
}

bool
RoceSharedBuffer::MayResume(const Ingress& in) const
{
    return in.headroomUsed == 0 && in.held <= m_ingressThreshold->GetResume(GetShare(in));
}

RoceSharedBuffer::Reason
RoceSharedBuffer::Charge(Ingress& in, uint32_t bytes, bool lossless)
{
    const uint64_t reserveLeft = in.reserve > in.held ? in.reserve - in.held : 0;
    const uint64_t fromReserve = std::min<uint64_t>(bytes, reserveLeft);
    const uint64_t rest = bytes - fromReserve;
    // Until the class is paused its frames go to the pool even above the limit, which other ports
    // may have lowered meanwhile: headroom is for what arrives after XOFF.
    if (rest <= GetFree() &&
        (!rest || !lossless || !in.paused || in.held < m_ingressThreshold->GetLimit(GetShare(in))))
    {
        in.held += bytes;
        m_sharedUsed += rest;
    }
    else if (lossless && in.headroomUsed + rest <= in.headroom)
    {
        in.held += fromReserve;
        in.headroomUsed += rest;
        in.peakHeadroom = std::max(in.peakHeadroom, in.headroomUsed);
    }
    else
    {
        return !lossless ? POOL_FULL : in.headroom ? HEADROOM_FULL : INGRESS_SHARED_FULL;
    }
    in.peak = std::max(in.peak, in.held + in.headroomUsed);
    return ADMITTED;
}

RoceSharedBuffer::Verdict
RoceSharedBuffer::Admit(uint16_t inPort, uint16_t outPort, uint8_t cls, uint32_t frameBytes)
{
    const uint32_t bytes = GetMemory(frameBytes);
    Ingress& in = m_ingress[GetIndex(inPort, cls)];
    const size_t outIndex = GetIndex(outPort, cls);
    Egress& out = m_egress[outIndex];
    const bool lossless = IsLossless(cls);

    Verdict verdict;
    if (!lossless)
    {
        RoceBufferThreshold::Share share = GetShare(m_ingress[outIndex]);
        share.alpha = m_egressAlpha;
        if (out.held + bytes > m_egressThreshold->GetLimit(share))
        {
            verdict.reason = EGRESS_LIMIT;
        }
    }
    if (verdict.IsAdmitted())
    {
        verdict.reason = Charge(in, bytes, lossless);
    }
    m_counts[verdict.reason]++;

    if (verdict.IsAdmitted())
    {
        out.held += bytes;
        out.peak = std::max(out.peak, out.held);
        SetUsed(m_used + bytes);
        m_peakUsed = std::max(m_peakUsed, m_used);
    }
    else
    {
        NS_LOG_LOGIC("refused " << frameBytes << " B from port " << inPort << " to port " << outPort
                                << " class " << +cls << ": " << verdict.reason);
        m_dropTrace(inPort, outPort, cls, frameBytes, verdict.reason);
    }
    // A refusal pauses, too. Never an empty class, though: nothing would be released to resume it.
    if (lossless && !in.paused && in.held + in.headroomUsed > 0 &&
        (!verdict.IsAdmitted() || IsAboveXoff(in)))
    {
        in.paused = true;
        verdict.sendXoff = true;
        m_xoffTrace(inPort, cls, in.held + in.headroomUsed);
    }
    return verdict;
}

bool
RoceSharedBuffer::Release(uint16_t inPort, uint16_t outPort, uint8_t cls, uint32_t frameBytes)
{
    const uint32_t bytes = GetMemory(frameBytes);
    Ingress& in = m_ingress[GetIndex(inPort, cls)];
    Egress& out = m_egress[GetIndex(outPort, cls)];
    NS_ABORT_MSG_IF(bytes > in.held + in.headroomUsed || bytes > out.held,
                    "RoceSharedBuffer: release of "
                        << bytes << " B of class " << +cls << " from port " << inPort << " (holds "
                        << in.held + in.headroomUsed << " B) to port " << outPort << " (holds "
                        << out.held << " B)");
    const uint64_t fromHeadroom = std::min<uint64_t>(bytes, in.headroomUsed);
    const uint64_t shared = in.GetShared();
    in.headroomUsed -= fromHeadroom;
    in.held -= bytes - fromHeadroom;
    m_sharedUsed -= shared - in.GetShared();
    out.held -= bytes;
    SetUsed(m_used - bytes);

    if (in.paused && MayResume(in))
    {
        in.paused = false;
        m_xonTrace(inPort, cls, in.held);
        return true;
    }
    return false;
}

bool
RoceSharedBuffer::IsPaused(uint16_t port, uint8_t cls) const
{
    return m_ingress[GetIndex(port, cls)].paused;
}

bool
RoceSharedBuffer::IsAboveXoff(uint16_t port, uint8_t cls) const
{
    return IsLossless(cls) && IsAboveXoff(m_ingress[GetIndex(port, cls)]);
}

bool
RoceSharedBuffer::MayResume(uint16_t port, uint8_t cls) const
{
    return MayResume(m_ingress[GetIndex(port, cls)]);
}

uint64_t
RoceSharedBuffer::GetXoffBytes(uint16_t port, uint8_t cls) const
{
    return m_ingressThreshold->GetLimit(GetShare(m_ingress[GetIndex(port, cls)]));
}

uint64_t
RoceSharedBuffer::GetUsedBytes() const
{
    return m_used;
}

uint64_t
RoceSharedBuffer::GetPeakUsedBytes() const
{
    return m_peakUsed;
}

uint64_t
RoceSharedBuffer::GetSharedSize() const
{
    return m_sharedSize;
}

uint64_t
RoceSharedBuffer::GetSharedUsed() const
{
    return m_sharedUsed;
}

uint64_t
RoceSharedBuffer::GetTotalHeadroom() const
{
    return m_totalHeadroom;
}

uint64_t
RoceSharedBuffer::GetTotalReserve() const
{
    return m_totalReserve;
}

uint64_t
RoceSharedBuffer::GetIngressBytes(uint16_t port, uint8_t cls) const
{
    const Ingress& in = m_ingress[GetIndex(port, cls)];
    return in.held + in.headroomUsed;
}

uint64_t
RoceSharedBuffer::GetEgressBytes(uint16_t port, uint8_t cls) const
{
    return m_egress[GetIndex(port, cls)].held;
}

uint64_t
RoceSharedBuffer::GetHeadroomUsed(uint16_t port, uint8_t cls) const
{
    return m_ingress[GetIndex(port, cls)].headroomUsed;
}

uint64_t
RoceSharedBuffer::GetPeakIngressBytes(uint16_t port, uint8_t cls) const
{
    return m_ingress[GetIndex(port, cls)].peak;
}

uint64_t
RoceSharedBuffer::GetPeakEgressBytes(uint16_t port, uint8_t cls) const
{
    return m_egress[GetIndex(port, cls)].peak;
}

uint64_t
RoceSharedBuffer::GetPeakHeadroomUsed(uint16_t port, uint8_t cls) const
{
    return m_ingress[GetIndex(port, cls)].peakHeadroom;
}

uint64_t
RoceSharedBuffer::GetCount(Reason reason) const
{
    return m_counts.at(reason);
}

void
RoceSharedBuffer::Check() const
{
    uint64_t ingress = 0;
    uint64_t egress = 0;
    uint64_t shared = 0;
    for (size_t i = 0; i < m_ingress.size(); i++)
    {
        const Ingress& in = m_ingress[i];
        NS_ABORT_MSG_IF(in.headroomUsed > in.headroom,
                        "RoceSharedBuffer: class " << i % N_CLASSES << " of port " << i / N_CLASSES
                                                   << " uses " << in.headroomUsed << " B of "
                                                   << in.headroom << " B headroom");
        ingress += in.held + in.headroomUsed;
        shared += in.GetShared();
        egress += m_egress[i].held;
    }
    NS_ABORT_MSG_IF(ingress != m_used || egress != m_used || shared != m_sharedUsed ||
                        m_sharedUsed > m_sharedSize,
                    "RoceSharedBuffer: accounts differ: ingress "
                        << ingress << " B, egress " << egress << " B, total " << m_used
                        << " B; shared by class " << shared << " B, in total " << m_sharedUsed
                        << " B of " << m_sharedSize << " B");
}

void
RoceSharedBuffer::SetTotalBytes(uint64_t bytes)
{
    m_totalBytes = bytes;
    UpdatePlan();
}

uint64_t
RoceSharedBuffer::GetTotalBytes() const
{
    return m_totalBytes;
}

void
RoceSharedBuffer::SetCellBytes(uint32_t bytes)
{
    NS_ABORT_MSG_IF(m_used,
                    "RoceSharedBuffer: CellBytes can only change while the buffer is empty");
    m_cellBytes = bytes;
}

void
RoceSharedBuffer::SetDefaultReserve(uint64_t bytes)
{
    NS_ABORT_MSG_IF(m_used, "RoceSharedBuffer: Reserve can only change while the buffer is empty");
    m_defaultReserve = bytes;
    for (Ingress& in : m_ingress)
    {
        in.reserve = bytes;
    }
    m_totalReserve = m_ingress.size() * bytes;
    UpdatePlan();
}

uint64_t
RoceSharedBuffer::GetDefaultReserve() const
{
    return m_defaultReserve;
}

void
RoceSharedBuffer::SetDefaultAlpha(double alpha)
{
    m_defaultAlpha = alpha;
    for (Ingress& in : m_ingress)
    {
        in.alpha = alpha;
    }
}

double
RoceSharedBuffer::GetDefaultAlpha() const
{
    return m_defaultAlpha;
}

std::ostream&
operator<<(std::ostream& os, RoceSharedBuffer::Reason reason)
{
    switch (reason)
    {
    case RoceSharedBuffer::ADMITTED:
        return os << "ADMITTED";
    case RoceSharedBuffer::INGRESS_SHARED_FULL:
        return os << "INGRESS_SHARED_FULL";
    case RoceSharedBuffer::HEADROOM_FULL:
        return os << "HEADROOM_FULL";
    case RoceSharedBuffer::EGRESS_LIMIT:
        return os << "EGRESS_LIMIT";
    case RoceSharedBuffer::POOL_FULL:
        return os << "POOL_FULL";
    case RoceSharedBuffer::N_REASONS:
        break;
    }
    return os << "unknown reason " << static_cast<unsigned>(reason);
}

std::ostream&
operator<<(std::ostream& os, const RoceSharedBuffer& buffer)
{
    return os << buffer.Describe();
}

} // namespace ns3
