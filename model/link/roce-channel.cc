/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-channel.h"

#include "roce-net-device.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceChannel");
NS_OBJECT_ENSURE_REGISTERED(RoceChannel);

TypeId
RoceChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceChannel")
            .SetParent<Channel>()
            .SetGroupName("Roce")
            .AddConstructor<RoceChannel>()
            .AddAttribute("Delay",
                          "Propagation delay of the cable (5 ns per meter of fiber).",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&RoceChannel::SetDelay, &RoceChannel::GetDelayTime),
                          MakeTimeChecker(Time()));
    return tid;
}

RoceChannel::RoceChannel()
{
    NS_LOG_FUNCTION(this);
    for (auto& lane : m_lane)
    {
        lane = Create<Lane>();
    }
    m_lane[0]->refills = m_lane[1]->refills = true;
}

RoceChannel::~RoceChannel()
{
    NS_LOG_FUNCTION(this);
}

void
RoceChannel::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (auto& lane : m_lane)
    {
        lane->fifo.Clear();
        lane->receiver = lane->sender = nullptr;
    }
    m_device = {};
    Channel::DoDispose();
}

void
RoceChannel::SetDelay(Time delay)
{
    NS_LOG_FUNCTION(this << delay);
    m_delayPs = RoceClock::FromTime(delay);
}

Time
RoceChannel::GetDelayTime() const
{
    return RoceClock::ToTime(m_delayPs);
}

uint8_t
RoceChannel::Attach(Ptr<RoceNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_IF(m_nDevices >= 2,
                    "RoceChannel: a cable has two ends; a third port was attached");
    const uint8_t end = m_nDevices++;
    m_device[end] = device;
    for (uint8_t lane = 0; lane < N_LANES; lane += 2)
    {
        m_lane[lane + end]->sender = PeekPointer(device);
        m_lane[lane + 1 - end]->receiver = PeekPointer(device);
        m_lane[lane + 1 - end]->context = device->GetNode()->GetId();
    }
    return end;
}

std::size_t
RoceChannel::GetNDevices() const
{
    return m_nDevices;
}

Ptr<NetDevice>
RoceChannel::GetDevice(std::size_t i) const
{
    NS_ABORT_MSG_IF(i >= 2, "RoceChannel: end " << i << " is not 0 or 1");
    return m_device[i];
}

Ptr<RoceNetDevice>
RoceChannel::GetRoceDevice(uint8_t end) const
{
    return m_device[end];
}

void
RoceChannel::Transmit(RoceFramePtr frame, uint8_t end)
{
    Lane* lane = PeekPointer(m_lane[frame->kind == RoceFrameKind::MAC_CONTROL ? end + 2 : end]);
    lane->fifo.Push(std::move(frame));
    if (!lane->armed)
    {
        lane->Arm();
    }
}

void
RoceChannel::Flush()
{
    NS_LOG_FUNCTION(this);
    for (auto& lane : m_lane)
    {
        lane->fifo.Clear();
    }
}

void
RoceChannel::Lane::Arm()
{
    armed = true;
    RoceClock::Schedule(context, RoceClock::ToTick(fifo.Front()->time), this);
}

void
RoceChannel::Lane::Notify()
{
    armed = false;
    if (fifo.IsEmpty())
    {
        if (refills && sender)
        {
            sender->LineDrained(RoceClock::Now()); // flushed meanwhile: the sender counts on this
        }
        return;
    }
    if (RoceClock::ToTick(fifo.Front()->time) > Simulator::Now().GetTimeStep())
    {
        Arm(); // flushed and filled again meanwhile
        return;
    }
    RoceFramePtr frame = fifo.Pop();
    const RocePs now = frame->time;
    if (!fifo.IsEmpty())
    {
        Arm();
    }
    else if (refills)
    {
        sender->LineDrained(now);
    }
    receiver->ReceiveFrame(std::move(frame), now);
}

} // namespace ns3
