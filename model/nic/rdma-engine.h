/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ENGINE_H
#define RDMA_ENGINE_H

#include "rdma-input-buffer.h"
#include "rdma-qp-context.h"
#include "rdma-qp-scheduler.h"

#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/rdma-cnp-generator.h"
#include "ns3/roce-alarm.h"
#include "ns3/roce-class-scheduler.h"
#include "ns3/roce-departure-agenda.h"
#include "ns3/roce-frame-sink.h"
#include "ns3/roce-frame-source.h"
#include "ns3/roce-qos-map.h"
#include "ns3/traced-callback.h"
#include "ns3/type-id.h"

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{

class NetDeviceQueueInterface;
class QueueItem;
class RdmaQueuePair;
class RoceNetDevice;

/**
 * @ingroup roce
 * @brief The transport hardware of a NIC port: queue pairs, their scheduler, and the way around
 * them for the network stack of the host.
 *
 * It is aggregated to the RoceNetDevice it serves, so GetObject works in both directions. Nothing
 * is queued in the NIC beyond the wire: a packet is cut from its work request at the moment its
 * first bit leaves. Order of service: control packets (CNP, ACK, NAK) first, then the class
 * scheduler over the packets of the network stack and the ready queue pairs. Classes that the link
 * flow control holds are passed over, so a pause of one class never delays another.
 */
class RdmaEngine : public Object, public RoceFrameSource, public RoceFrameSink
{
  public:
    static constexpr uint32_t FIRST_NUMBER = 0x11; //!< 0 and 1 are for management, up to 0x10 spare
    static constexpr uint8_t N_CLASSES = 8;        //!< number of traffic classes

    /// Version of RoCE.
    enum RoceVersion
    {
        V1 = 1, //!< EtherType 0x8915 and GRH: within one Ethernet segment, that is one switch
        V2 = 2, //!< UDP over IPv4 or IPv6
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaEngine();
    ~RdmaEngine() override;

    // --- wiring ---

    /**
     * Become the transport hardware of a port. The port must have been added to its node.
     * @param device the port
     */
    void SetDevice(Ptr<RoceNetDevice> device);
    /// @return the port
    Ptr<RoceNetDevice> GetDevice() const;

    /// @param map map from marking to class, shared by the fabric
    void SetQosMap(Ptr<RoceQosMap> map);
    /// @return map from marking to class
    Ptr<RoceQosMap> GetQosMap() const;

    /**
     * Let queue discs of the host's traffic control layer know when there is room.
     * @param queueInterface interface with one queue per class, aggregated to the port
     */
    void SetQueueInterface(Ptr<NetDeviceQueueInterface> queueInterface);

    /**
     * @param address IPv4 address of the port (default: what the node's Ipv4 has assigned to it, or
     *        else the first global address that its Ipv6 has)
     */
    void SetAddress(Ipv4Address address);
    /// @param address IPv6 address of the port; RoCEv2 over IPv6 is used from now on
    void SetAddress(Ipv6Address address);
    /**
     * Stops the program if the port has no address.
     * @param [out] address IP address of the port, or its GID if the version is V1
     * @param [out] etherType EtherType that says what kind it is
     */
    void GetAddress(RoceAddressBytes& address, uint16_t& etherType);
    /**
     * @param [out] address IP address of the port (V1: GID), if it has one
     * @param [out] etherType EtherType that says what kind it is
     * @return true if it has one
     */
    bool FindAddress(RoceAddressBytes& address, uint16_t& etherType);

    // --- verbs ---

    /**
     * Create a queue pair with completion queues of its own; attribute values come from
     * SetQueuePairAttribute().
     * @param service transport service
     * @return the queue pair, in state RESET
     */
    Ptr<RdmaQueuePair> CreateQueuePair(RdmaService service = RdmaService::RC);
    /**
     * Destroy a queue pair: its work is flushed, late packets for it are counted and dropped. Its
     * number rests for a second before it is used again.
     * @param qp the queue pair
     */
    void DestroyQueuePair(Ptr<RdmaQueuePair> qp);
    /**
     * @param number queue pair number
     * @return the queue pair, or null
     */
    Ptr<RdmaQueuePair> FindQueuePair(uint32_t number) const;
    /// @return number of queue pairs that exist
    uint32_t GetNQueuePairs() const;
    /**
     * @param name attribute of RdmaQueuePair
     * @param value its value in queue pairs created from now on
     */
    void SetQueuePairAttribute(std::string name, const AttributeValue& value);
    /// @param factory makes the congestion control of queue pairs created from now on
    void SetCongestionControl(const ObjectFactory& factory);
    /// @param factory makes the loss recovery of queue pairs created from now on
    void SetRecovery(const ObjectFactory& factory);
    /// @return memory that peers may reach: regions are registered here (ibv_reg_mr)
    RdmaMemoryTable& GetMemory();
    /// @return where frames wait if the NIC is slow
    Ptr<RdmaInputBuffer> GetInputBuffer() const;
    /// @return the generator of congestion notification packets
    Ptr<RdmaCnpGenerator> GetCnpGenerator() const;

    /// @return counters of all queue pairs, destroyed ones included
    RdmaCounters GetCounters() const;
    /// @return packets that came for a queue pair that does not exist
    uint64_t GetLatePackets() const;

    // --- called by queue pairs ---

    /**
     * Send a packet ahead of all data.
     * @param frame an ACK, NAK or CNP
     * @param now current time
     */
    void SendControl(RoceFramePtr frame, RocePs now);
    /**
     * Work was posted to a queue pair.
     * @param qp the queue pair
     * @param now current time
     */
    void NotifyWork(RdmaQueuePair* qp, RocePs now);
    /**
     * A READ response is ready to be sent.
     * @param number queue pair number
     * @param now current time
     */
    void NotifyResponse(uint32_t number, RocePs now);
    /// @return time from the post of a work request to its first packet, picoseconds
    RocePs GetSendDelay() const;
    /// @return time that this takes longer if the payload has to be fetched, picoseconds
    RocePs GetFetchDelay() const;
    /// @return time from the arrival of a READ or atomic to the response, picoseconds
    RocePs GetResponseDelay() const;
    /**
     * A queue pair is about to lose its work.
     * @param qp the queue pair
     */
    void NotifyIdle(RdmaQueuePair* qp);
    /**
     * A queue pair has entered the error state.
     * @param number its number
     * @param id its ID
     * @param now current time
     */
    void NotifyError(uint32_t number, uint64_t id, RocePs now);
    /**
     * A packet with a congestion mark arrived at a queue pair.
     * @param context of the queue pair
     * @param marked the packet
     * @param now current time
     */
    void NotifyMarkedPacket(RdmaQpContext& context, const RoceFrame& marked, RocePs now);
    /// @param frame a frame whose class (and VLAN tag) is set from its DSCP
    void Classify(RoceFrame& frame) const;
    /**
     * Work on a frame that has arrived.
     * @param frame the frame
     * @param now current time
     */
    void Deliver(RoceFramePtr frame, RocePs now);
    /// @param now time up to which departures are worked off
    void CatchUp(RocePs now);
    /// @return layer-3 MTU of the port, bytes
    uint16_t GetMtu() const;
    /// @return line rate of the port, bit/s
    uint64_t GetBitRate() const;

    // --- called by the port ---

    RoceFramePtr TakeNextFrame(uint16_t port, uint8_t openClasses, RocePs now) override;
    RocePs GetNextTime(uint16_t port, uint8_t openClasses, RocePs now) override;
    uint8_t GetBacklog(uint16_t port) const override;
    void ReceiveFrame(uint16_t port, RoceFramePtr frame, RocePs now) override;
    void LinkChanged(uint16_t port, bool up, RocePs now) override;

  protected:
    void DoDispose() override;

  private:
    /// A queue pair whose local ACK timeout has to be looked at.
    struct TimerEntry
    {
        RocePs when;   //!< when to look
        uint32_t slot; //!< index in m_table
        uint64_t id;   //!< ID of the queue pair, in case the slot has been used again

        /**
         * @param other another entry
         * @return true if this one comes later (for a heap with the earliest on top)
         */
        bool operator<(const TimerEntry& other) const
        {
            return when != other.when ? when > other.when : id > other.id;
        }
    };

    /// An entry of m_table that is free.
    struct FreeSlot
    {
        uint32_t slot; //!< index in m_table
        RocePs since;  //!< when its queue pair was destroyed
    };

    /**
     * Packets of one class that the network stack of the host sends.
     */
    struct StackQueue
    {
        RoceFrameFifo fifo;  //!< the packets
        bool isTurn{false};  //!< served before queue pairs next time
        bool stopped{false}; //!< the traffic control layer has been told to wait
    };

    /**
     * Take a packet of the network stack.
     * @param packet the packet from layer 3 on
     * @param etherType its EtherType
     * @return false if there is no room
     */
    bool SendFromStack(Ptr<Packet> packet, uint16_t etherType);
    /**
     * @param item a packet that waits in a queue disc
     * @return device queue that it belongs to: its traffic class
     */
    std::size_t SelectStackQueue(Ptr<QueueItem> item) const;
    /// @return true if the address of the port is known
    bool ResolveAddress();
    /**
     * @param address IP address of the port
     * @param etherType EtherType that says what kind it is
     */
    void SetIpAddress(const RoceAddressBytes& address, uint16_t etherType);
    /// @param version version of RoCE, before the address is set
    void SetVersion(RoceVersion version);
    /// @return version of RoCE
    RoceVersion GetVersion() const;
    /**
     * Take the next packet of the network stack.
     * @param trafficClass a class in which one waits
     * @return the packet
     */
    RoceFramePtr TakeStackFrame(uint8_t trafficClass);
    /**
     * Hand a packet for this port to its queue pair.
     * @param frame the packet
     * @param now current time
     */
    void Demultiplex(const RoceFrame& frame, RocePs now);
    /**
     * Enter the local ACK timeout of a queue pair, if one is running and not entered.
     * @param qp the queue pair
     * @param now current time
     */
    void WatchTimeout(RdmaQueuePair* qp, RocePs now);
    /// Give departures events of their own while something hears of them.
    void UpdatePunctual();
    /// @param now time asked for
    void CheckTimeouts(RocePs now);
    /// @param now time asked for
    void ReleaseCnps(RocePs now);
    /**
     * @param total counters to add to
     * @param counters what to add
     */
    static void Add(RdmaCounters& total, const RdmaCounters& counters);

    // hot
    RoceNetDevice* m_port{nullptr};                 //!< the port
    RoceAddressBytes m_address{};                   //!< its IP address or GID
    uint16_t m_etherType{0};                        //!< kind of address, 0: not known yet
    uint8_t m_controlClasses{0};                    //!< classes with control packets
    uint8_t m_stackClasses{0};                      //!< classes with stack packets
    std::array<RoceFrameFifo, N_CLASSES> m_control; //!< CNP, ACK and NAK packets
    RdmaQpScheduler m_scheduler;                    //!< ready and paced queue pairs
    RoceClassScheduler m_classScheduler;            //!< order of the classes
    std::vector<Ptr<RdmaQueuePair>> m_table;        //!< queue pairs by number
    RoceDepartureAgenda m_agenda;                   //!< departures of the port
    std::array<StackQueue, N_CLASSES> m_stack;      //!< packets of the network stack

    // cold
    std::deque<FreeSlot> m_freeSlots;                               //!< oldest first
    uint64_t m_lastId{0};                                           //!< newest queue pair ID
    std::vector<TimerEntry> m_timers;                               //!< heap of local ACK timeouts
    RoceAlarm<RdmaEngine, &RdmaEngine::CheckTimeouts> m_timerAlarm; //!< wakes CheckTimeouts()
    RoceAlarm<RdmaEngine, &RdmaEngine::ReleaseCnps> m_cnpAlarm;     //!< wakes ReleaseCnps()
    std::deque<RoceFramePtr> m_delayedCnps;                         //!< CNPs in the making, by time
    Ptr<RoceQosMap> m_map;                                          //!< marking to class
    Ptr<RdmaCnpGenerator> m_cnpGenerator;                           //!< decides about CNPs
    Ptr<RdmaInputBuffer> m_inputBuffer;                 //!< where frames wait if the NIC is slow
    RoceVersion m_version{V2};                          //!< version of RoCE
    ObjectFactory m_queuePairFactory;                   //!< makes queue pairs
    ObjectFactory m_congestionFactory;                  //!< makes congestion controls
    ObjectFactory m_recoveryFactory;                    //!< makes loss recoveries
    NetDeviceQueueInterface* m_queueInterface{nullptr}; //!< interface to queue discs
    uint32_t m_stackLimit{0};                           //!< packets per class
    uint16_t m_vlanId{0};                               //!< VLAN ID of RoCE frames, 0: untagged
    RdmaMemoryTable m_memory;                           //!< memory that peers may reach
    Time m_doorbellDelay;                               //!< from the post until the NIC hears of it
    Time m_sendDelay;                                   //!< from then to the first packet
    Time m_fetchDelay;                                  //!< for data in the memory of the host
    uint32_t m_nUnreliable{0};                          //!< queue pairs of the unreliable services
    uint64_t m_latePackets{0};                          //!< for queue pairs that do not exist
    RdmaCounters m_destroyedCounters;                   //!< of destroyed queue pairs
};

} // namespace ns3

#endif /* RDMA_ENGINE_H */
