/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_PFC_TEST_UTIL_H
#define ROCE_PFC_TEST_UTIL_H

#include "roce-fabric-fixture.h"

#include "ns3/pfc-flow-control.h"
#include "ns3/pointer.h"
#include "ns3/roce-channel.h"
#include "ns3/roce-static-threshold.h"
#include "ns3/roce-switch.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup roce-tests
 * What tests of flow control and switches share: a log of a cable, and verbs to pause ports.
 */

namespace ns3
{

constexpr uint8_t ROCE_CLASS = 3;  //!< class of DSCP 26
constexpr uint8_t OTHER_CLASS = 4; //!< class of DSCP 34
constexpr uint8_t LOSSY_CLASS = 2; //!< class of DSCP 18
constexpr uint32_t MTU = 4096;     //!< path MTU of most tests
/// Frame of a middle packet of path MTU bytes.
constexpr uint32_t FRAME = MTU + RoceFabricFixture::MIDDLE;
constexpr uint64_t ENDLESS = uint64_t{1} << 40; //!< length of a message that never ends

/// One frame on a cable.
struct WireEntry
{
    RocePs start;         //!< its first bit leaves
    RocePs arrival;       //!< it is acted upon at the far end
    uint32_t bytes;       //!< length with FCS
    RoceFrameKind kind;   //!< what it is
    uint8_t end;          //!< end of the cable that sends
    uint8_t trafficClass; //!< class
};

/// Logs every frame of a cable, except those that the test injects.
class WireLog
{
  public:
    /**
     * @param fabric what the cable is part of
     * @param cable the cable
     */
    WireLog(const RoceFabricFixture& fabric, Ptr<RoceScriptedChannel> cable)
    {
        cable->SetScript([this, &fabric](const RoceFrame& frame, uint8_t end) {
            m_entries.push_back({frame.time - fabric.Flight(frame.frameBytes),
                                 frame.time,
                                 frame.frameBytes,
                                 frame.kind,
                                 end,
                                 frame.trafficClass});
            return RoceScriptedChannel::PASS;
        });
    }

    /**
     * @param end sending end
     * @param trafficClass class
     * @return start times of frames that are not PFC frames
     */
    std::vector<RocePs> GetStarts(uint8_t end, uint8_t trafficClass) const
    {
        std::vector<RocePs> starts;
        for (const auto& entry : m_entries)
        {
            if (entry.end == end && entry.trafficClass == trafficClass &&
                entry.kind != RoceFrameKind::MAC_CONTROL)
            {
                starts.push_back(entry.start);
            }
        }
        return starts;
    }

    /**
     * @param end sending end
     * @return the PFC frames
     */
    std::vector<WireEntry> GetPfc(uint8_t end) const
    {
        std::vector<WireEntry> frames;
        for (const auto& entry : m_entries)
        {
            if (entry.end == end && entry.kind == RoceFrameKind::MAC_CONTROL)
            {
                frames.push_back(entry);
            }
        }
        return frames;
    }

  private:
    std::vector<WireEntry> m_entries; //!< in the order of their starts
};

/**
 * Let a PFC frame of a hand-written peer arrive.
 * @param cable the cable
 * @param end end that seems to send it
 * @param when time of arrival, picoseconds; not before now
 * @param classEnable class-enable vector
 * @param quanta pause time of all classes in it
 */
inline void
InjectPfc(Ptr<RoceChannel> cable, uint8_t end, RocePs when, uint8_t classEnable, uint16_t quanta)
{
    RoceFramePtr frame = CreateRoceFrame();
    frame->kind = RoceFrameKind::MAC_CONTROL;
    frame->etherType = 0x8808;
    frame->frameBytes = RoceFrame::MIN_FRAME_BYTES;
    frame->opcode = classEnable;
    frame->ext.pfc.quanta.fill(quanta);
    frame->time = when;
    cable->RoceChannel::Transmit(std::move(frame), end);
}

/**
 * @param device a port
 * @return its flow control
 */
inline Ptr<PfcFlowControl>
GetGate(Ptr<RoceNetDevice> device)
{
    return DynamicCast<PfcFlowControl>(device->GetFlowControl());
}

/**
 * Have a port pause or resume its link peer now.
 * @param device the port
 * @param trafficClass class
 * @param pause true to pause
 */
inline void
SetHold(Ptr<RoceNetDevice> device, uint8_t trafficClass, bool pause)
{
    const RocePs now = RoceClock::Now();
    device->CatchUp(now);
    if (pause)
    {
        GetGate(device)->Hold(trafficClass, now);
    }
    else
    {
        GetGate(device)->Release(trafficClass, now);
    }
}

/**
 * @param fabric the fabric
 * @param i a host
 * @param j another host
 * @param dscp DSCP of both directions
 * @return connected queue pairs
 */
inline RoceFabricFixture::QueuePairs
ConnectWithDscp(const RoceFabricFixture& fabric, uint32_t i, uint32_t j, uint8_t dscp)
{
    fabric.GetEngine(i)->SetQueuePairAttribute("Dscp", UintegerValue(dscp));
    fabric.GetEngine(j)->SetQueuePairAttribute("Dscp", UintegerValue(dscp));
    return fabric.Connect(i, j);
}

/**
 * Give the switches of a fabric static pause thresholds.
 * @param fabric the fabric
 * @param xoff bytes held at which a class is paused
 * @param xon bytes held at which it is resumed
 */
inline void
SetThresholds(RoceFabricFixture& fabric, uint64_t xoff, uint64_t xon)
{
    fabric.roce.SetBufferAttribute(
        "IngressThreshold",
        PointerValue(CreateObjectWithAttributes<RoceStaticThreshold>("Xoff",
                                                                     UintegerValue(xoff),
                                                                     "Xon",
                                                                     UintegerValue(xon))));
}

/**
 * @param starts start times in ascending order
 * @param from a time
 * @return the first one not before it, or -1
 */
inline RocePs
FirstFrom(const std::vector<RocePs>& starts, RocePs from)
{
    auto found = std::lower_bound(starts.begin(), starts.end(), from);
    return found == starts.end() ? -1 : *found;
}

/**
 * @param starts start times in ascending order
 * @param from a time
 * @param to a later time
 * @return how many are in [from, to)
 */
inline int64_t
CountStarts(const std::vector<RocePs>& starts, RocePs from, RocePs to)
{
    return std::lower_bound(starts.begin(), starts.end(), to) -
           std::lower_bound(starts.begin(), starts.end(), from);
}

/**
 * @param sw a switch
 * @return frames that have arrived at its ports, PFC frames not included
 */
inline uint64_t
CountArrivals(Ptr<RoceSwitch> sw)
{
    uint64_t frames = 0;
    for (uint16_t p = 0; p < sw->GetNPorts(); p++)
    {
        for (uint8_t c = 0; c < RoceQosMap::N_CLASSES; c++)
        {
            frames += sw->GetPort(p)->GetRxCounters(c).frames;
        }
    }
    return frames;
}

} // namespace ns3

#endif /* ROCE_PFC_TEST_UTIL_H */
