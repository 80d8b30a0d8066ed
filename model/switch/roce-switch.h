/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_SWITCH_H
#define ROCE_SWITCH_H

#include "roce-ecn-marker.h"
#include "roce-forwarding-table.h"
#include "roce-load-balancer.h"
#include "roce-load-meter.h"
#include "roce-port-loads.h"
#include "roce-shared-buffer.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/roce-class-queues.h"
#include "ns3/roce-departure-agenda.h"
#include "ns3/roce-frame-sink.h"
#include "ns3/roce-frame-source.h"
#include "ns3/roce-qos-map.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class Node;
class RoceNetDevice;

/**
 * @ingroup roce
 * @brief The switching pipeline: classify, route, choose a port, admit, mark, queue, pause.
 *
 * An Object that can be aggregated to any Node (RoceSwitchNode is born with one). It forwards by
 * longest prefix of the destination IP address, decrements the TTL, and knows nothing of MAC
 * addresses, because every cable has one other end. Pipeline latency and cut-through are part of
 * the arrival time (see RoceNetDevice), so they cost no event.
 *
 * Identity, checked by tests: every frame that arrives is forwarded or counted as dropped with one
 * reason, and the buffer holds exactly the bytes of the queues.
 */
class RoceSwitch : public Object, public RoceFrameSource, public RoceFrameSink, public RocePortLoads
{
  public:
    static constexpr uint8_t N_CLASSES = RoceQosMap::N_CLASSES; //!< number of traffic classes

    /// Why a frame was dropped.
    enum DropReason : uint8_t
    {
        NO_ROUTE = 0,        //!< no route to its destination, or all ports of the route are down
        TTL_EXPIRED = 1,     //!< TTL or hop limit reached zero
        NOT_IP = 2,          //!< neither IPv4 nor IPv6
        LINK_DOWN = 3,       //!< was queued at a port whose link went down
        BUFFER_INGRESS = 4,  //!< lossless class without headroom: threshold or pool exhausted
        BUFFER_HEADROOM = 5, //!< lossless class: its headroom is exhausted
        BUFFER_EGRESS = 6,   //!< lossy class: egress threshold reached
        BUFFER_POOL = 7,     //!< lossy class: the shared pool is exhausted
        N_DROP_REASONS = 8,  //!< number of reasons
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RoceSwitch();
    ~RoceSwitch() override;

    // --- wiring ---

    /**
     * Make a device of the node a port of the switch.
     * @param device the device, added to the node already
     * @return its port number
     */
    uint16_t AddPort(Ptr<RoceNetDevice> device);
    /// @return number of ports
    uint32_t GetNPorts() const;
    /**
     * @param port a port
     * @return its device
     */
    Ptr<RoceNetDevice> GetPort(uint16_t port) const;
    /// @return the forwarding table
    Ptr<RoceForwardingTable> GetForwardingTable() const;
    /// @return the packet buffer
    Ptr<RoceSharedBuffer> GetBuffer() const;
    /// @param buffer the packet buffer, before ports are added
    void SetBuffer(Ptr<RoceSharedBuffer> buffer);
    /// @return the load balancer
    Ptr<RoceLoadBalancer> GetLoadBalancer() const;
    /// @param balancer chooses among the ports of a route, before ports are added
    void SetLoadBalancer(Ptr<RoceLoadBalancer> balancer);
    /// @return map from marking to class
    Ptr<RoceQosMap> GetQosMap() const;
    /// @param map map from marking to class, shared by the fabric, before ports are added
    void SetQosMap(Ptr<RoceQosMap> map);
    /**
     * @param port a port
     * @param trafficClass a class
     * @param marker marks the frames of that queue; null for none
     */
    void SetMarker(uint16_t port, uint8_t trafficClass, Ptr<RoceEcnMarker> marker);
    /**
     * @param port a port
     * @param trafficClass a class
     * @return the marker of that queue, or null
     */
    Ptr<RoceEcnMarker> GetMarker(uint16_t port, uint8_t trafficClass) const;
    /// @param id number of this switch, that of its node: seeds the hash, context of its events
    void SetSwitchId(uint32_t id);
    /**
     * Assign fixed streams to all random variables of the switch.
     * @param stream first stream to use
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    // --- counters ---

    /**
     * @param port egress port
     * @param trafficClass class
     * @return bytes in that queue now
     */
    uint64_t GetQueueBytes(uint16_t port, uint8_t trafficClass) const;
    /**
     * @param port egress port
     * @param trafficClass class
     * @return most bytes that have ever been in that queue
     */
    uint64_t GetMaxQueueBytes(uint16_t port, uint8_t trafficClass) const;
    /**
     * @param reason why
     * @param lossless count lossless classes (true) or the others (false)
     * @return frames dropped for that reason
     */
    uint64_t GetDrops(DropReason reason, bool lossless) const;
    /**
     * @param lossless count lossless classes (true) or the others (false)
     * @return frames dropped for any reason
     */
    uint64_t GetTotalDrops(bool lossless) const;
    /**
     * @param port egress port
     * @param trafficClass class
     * @return frames that got a congestion mark there
     */
    uint64_t GetMarked(uint16_t port, uint8_t trafficClass) const;
    /// @return frames that got a congestion mark anywhere in this switch
    uint64_t GetTotalMarked() const;
    /// @return frames that have been queued
    uint64_t GetForwarded() const;
    /**
     * @param reason a drop reason
     * @return its name
     */
    static std::string GetReasonName(DropReason reason);

    // --- called by ports ---

    void ReceiveFrame(uint16_t port, RoceFramePtr frame, RocePs now) override;
    void LinkChanged(uint16_t port, bool up, RocePs now) override;
    RoceFramePtr TakeNextFrame(uint16_t port, uint8_t openClasses, RocePs now) override;
    RocePs GetNextTime(uint16_t port, uint8_t openClasses, RocePs now) override;
    uint8_t GetBacklog(uint16_t port) const override;

    // --- called by the load balancer ---

    uint64_t GetQueuedBytes(uint16_t port) const override;
    double GetLoad(uint16_t port, RocePs now) const override;
    uint64_t GetRate(uint16_t port) const override;

    /**
     * TracedCallback signature for queue lengths.
     * @param port egress port
     * @param trafficClass class
     * @param bytes bytes in the queue after the change
     * @param when true time of the change
     */
    typedef void (*QueueTracedCallback)(uint16_t port,
                                        uint8_t trafficClass,
                                        uint64_t bytes,
                                        Time when);
    /**
     * TracedCallback signature for drops.
     * @param inPort port the frame came in by
     * @param trafficClass class
     * @param bytes its length
     * @param reason why
     * @param when true time of the drop
     */
    typedef void (*DropTracedCallback)(uint16_t inPort,
                                       uint8_t trafficClass,
                                       uint32_t bytes,
                                       uint8_t reason,
                                       Time when);

  protected:
    void DoDispose() override;
    void NotifyNewAggregate() override;

  private:
    /// One port.
    struct Port
    {
        Ptr<RoceNetDevice> device;                        //!< the device
        RoceNetDevice* fast{nullptr};                     //!< the same without counting
        RoceClassQueues queues;                           //!< egress queues
        std::array<Ptr<RoceEcnMarker>, N_CLASSES> marker; //!< marker of each queue
        std::array<uint64_t, N_CLASSES> maxBytes{};       //!< longest each queue has been
        std::array<uint64_t, N_CLASSES> marked{};         //!< marks set by each queue
        std::unique_ptr<RoceLoadMeter> meter;             //!< load, if the balancer asks for it
    };

    /**
     * Drop a frame.
     * @param frame the frame
     * @param reason why
     * @param now current time
     */
    void Drop(RoceFramePtr frame, DropReason reason, RocePs now);
    /**
     * Mark a frame if its queue says so.
     * @param port egress port
     * @param frame the frame
     * @param when whether it is being enqueued or dequeued
     */
    void Mark(Port& port, RoceFrame& frame, RoceEcnMarker::MarkAt when);
    /**
     * Give back the buffer of a frame that leaves, and resume its upstream if that is due.
     * @param port egress port
     * @param frame the frame
     * @param now current time
     */
    void ReleaseBuffer(uint16_t port, const RoceFrame& frame, RocePs now);
    /// @param port a port number, checked
    void CheckPort(uint16_t port) const;
    /// Work off departures up to the current time, before state is shown.
    void Settle() const;

    std::deque<Port> m_ports;             //!< ports by number; they never move
    mutable RoceDepartureAgenda m_agenda; //!< departures of all ports
    Ptr<RoceForwardingTable> m_table;     //!< routes
    Ptr<RoceSharedBuffer> m_buffer;       //!< packet buffer
    Ptr<RoceLoadBalancer> m_balancer;     //!< chooses among the ports of a route
    Ptr<RoceQosMap> m_map;                //!< marking to class
    uint32_t m_id{0};                     //!< number of this switch
    uint32_t m_paused{0};                 //!< (port, class) whose upstream is held
    uint64_t m_forwarded{0};              //!< frames queued
    bool m_checkBuffer{false};            //!< check the identities of the buffer all the time
    std::array<std::array<uint64_t, 2>, N_DROP_REASONS> m_drops{}; //!< by reason, lossless or not

    TracedCallback<uint16_t, uint8_t, uint64_t, Time> m_queueTrace;         //!< QueueBytes
    TracedCallback<uint16_t, uint8_t, uint32_t, uint8_t, Time> m_dropTrace; //!< Drop
};

} // namespace ns3

#endif /* ROCE_SWITCH_H */
