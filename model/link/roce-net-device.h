/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_NET_DEVICE_H
#define ROCE_NET_DEVICE_H

#include "roce-channel.h"
#include "roce-clock.h"
#include "roce-departure-agenda.h"
#include "roce-frame-sink.h"
#include "roce-frame-source.h"
#include "roce-link-flow-control.h"

#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief One full-duplex Ethernet port, of a NIC or of a switch.
 *
 * The port pulls frames from its RoceFrameSource whenever the line is free and the link flow
 * control leaves a class open, and hands arriving frames to its RoceFrameSink. It knows its
 * channel, its flow control and these two neighbors, nothing else.
 *
 * Timing: a frame of n bytes (with FCS) occupies the line for n + 20 byte times (8 of preamble
 * before, 12 of gap after it). Its last bit has arrived n + 8 byte times and the propagation delay
 * after its start; a receiver that cuts through acts already on the first CutThroughBytes. The
 * remainders of the divisions are carried, so the long-run rate is exact.
 *
 * All times are true times in picoseconds. A transmission may be worked out after the fact (see
 * RoceDepartureAgenda), except while a transmit trace source is connected.
 */
class RoceNetDevice : public NetDevice
{
  public:
    static constexpr uint8_t N_CLASSES = 8; //!< number of traffic classes

    /// 64-bit counters of one traffic class and direction.
    struct Counters
    {
        uint64_t frames{0}; //!< frames
        uint64_t bytes{0};  //!< their bytes with FCS, without preamble
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RoceNetDevice();
    ~RoceNetDevice() override;

    // --- wiring ---

    /**
     * Plug the port into a cable.
     * @param channel the cable
     */
    void Attach(Ptr<RoceChannel> channel);

    /**
     * Make the port part of a NIC or a switch.
     * @param source where frames come from
     * @param sink where frames go to
     * @param agenda departures of all ports of that NIC or switch
     * @param port number by which both know the port
     */
    void SetOwner(RoceFrameSource* source,
                  RoceFrameSink* sink,
                  RoceDepartureAgenda* agenda,
                  uint16_t port);

    /// @return number by which its owner knows the port
    uint16_t GetPortNumber() const
    {
        return m_port;
    }

    /// @param flowControl gate of this port
    void SetFlowControl(Ptr<RoceLinkFlowControl> flowControl);
    /// @return the gate of this port, or null
    Ptr<RoceLinkFlowControl> GetFlowControl() const;

    /// @return the port at the other end of the cable, or null
    Ptr<RoceNetDevice> GetLinkPeer() const;

    /// @param errorModel decides which arriving frames are damaged and lost
    void SetReceiveErrorModel(Ptr<ErrorModel> errorModel);

    /// @param rate new line rate, not zero
    void SetDataRate(DataRate rate);
    /// @return line rate
    DataRate GetDataRate() const;

    /// @return line rate, bit/s
    uint64_t GetBitRate() const
    {
        return m_bitRate;
    }

    /// @param up true to bring the link up, false to take it down (both ends)
    void SetLinkState(bool up);

    // --- the link machine, called by channel, flow control, source and agenda ---

    /**
     * Something to send may have appeared or a gate may have opened. Departures before now must
     * have been worked off already (see Wake()).
     * @param now current time
     */
    void Poke(RocePs now)
    {
        if (!m_departing)
        {
            if (m_freeAt <= now)
            {
                Depart(now);
            }
            else if (m_nextDeparture > m_freeAt)
            {
                Reschedule(m_freeAt);
            }
        }
    }

    /**
     * Work off past departures, then Poke().
     * @param now current time
     */
    void Wake(RocePs now)
    {
        CatchUp(now);
        Poke(now);
    }

    /**
     * Work off all departures of the node up to now. Call it before changing what they depend on.
     * @param now current time
     */
    void CatchUp(RocePs now)
    {
        m_agenda->RunUntil(now);
    }

    /**
     * Start the next frame, if there is one.
     * @param now time of its first bit; the line is free
     */
    void Depart(RocePs now);

    /// @return time of the next departure that has been entered into the agenda
    RocePs GetNextDeparture() const
    {
        return m_nextDeparture;
    }

    /**
     * The last frame in flight has arrived at the far end.
     * @param now time of arrival
     */
    void LineDrained(RocePs now);

    /**
     * A frame has arrived.
     * @param frame the frame
     * @param now time of its arrival
     */
    void ReceiveFrame(RoceFramePtr frame, RocePs now);

    /**
     * When is a frame of the link peer acted upon here?
     * @param frame a frame whose first bit is sent now
     * @param lastBit time from its first bit to its last, picoseconds
     * @param bitRate rate at which it is sent, bit/s
     * @return time from the first bit's arrival until it is acted upon, picoseconds
     */
    RocePs GetReceiveLatency(const RoceFrame& frame, RocePs lastBit, uint64_t bitRate) const
    {
        if (frame.kind == RoceFrameKind::MAC_CONTROL)
        {
            return lastBit;
        }
        RocePs latency = lastBit;
        if (m_cutThroughBytes)
        {
            const RocePs head =
                (m_cutThroughBytes + RoceFrame::PREAMBLE_BYTES) * 8 * RoceClock::SECOND / bitRate;
            latency = head < lastBit ? head : lastBit;
        }
        return latency + m_pipelineDelayPs;
    }

    /**
     * Hand a frame that is not RDMA to the network stack of the node.
     * @param frame the frame
     */
    void ForwardUp(const RoceFrame& frame);

    /**
     * A frame for this port was given up before it reached the wire.
     * @param frame the frame
     */
    void DropBeforeTx(const RoceFrame& frame);

    // --- counters ---

    /**
     * @param trafficClass 0 to 7
     * @return what has been started on the wire in that class
     */
    const Counters& GetTxCounters(uint8_t trafficClass) const;
    /**
     * @param trafficClass 0 to 7
     * @return what has arrived intact in that class
     */
    const Counters& GetRxCounters(uint8_t trafficClass) const;
    /// @return flow control frames sent and received are not in the class counters, but in these
    const Counters& GetTxControlCounters() const;
    /// @return frames lost to the receive error model or a link that went down
    uint64_t GetRxDrops() const;
    /// @return frames of all kinds that have arrived intact
    uint64_t GetRxFrames() const;

    // --- NetDevice ---

    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

    /**
     * Callback that takes a packet of the node's network stack: the packet from layer 3 on and its
     * EtherType; returns false if the packet was refused.
     */
    typedef Callback<bool, Ptr<Packet>, uint16_t> StackSendCallback;

    /// @param callback taker of packets that the network stack sends; null on switch ports
    void SetStackSendCallback(StackSendCallback callback);

    /// @return MAC address of this port
    Mac48Address GetMacAddress() const
    {
        return m_address;
    }

  protected:
    void DoDispose() override;

  private:
    /**
     * Put a frame on the wire.
     * @param frame the frame
     * @param now time of its first bit
     */
    void StartTransmission(RoceFramePtr frame, RocePs now);
    /**
     * Find out when to depart next and enter it into the agenda.
     * @param now time from which the line is free
     */
    void Reschedule(RocePs now);
    /// @return true if somebody listens to transmissions
    bool HasTxListeners() const;
    /// @return true if somebody listens to arrivals
    bool HasRxListeners() const;
    /**
     * Call the transmit trace sinks.
     * @param frame the frame that starts
     */
    void TraceTx(const RoceFrame& frame);
    /// @param packet frame whose last bit has left
    void TraceTxEnd(Ptr<const Packet> packet);
    /**
     * Call the receive trace sinks.
     * @param frame the frame that has arrived
     */
    void TraceRx(const RoceFrame& frame);
    /**
     * Build the Ethernet frame as it looks on the cable.
     * @param frame the frame
     * @param outgoing true if this port sends it
     * @return its bytes
     */
    Ptr<Packet> Materialize(const RoceFrame& frame, bool outgoing) const;
    /**
     * Change the state of this end of the link.
     * @param up new state
     * @param now current time
     */
    void ChangeLinkState(bool up, RocePs now);
    /// @param delay latency of the receive pipeline
    void SetPipelineDelay(Time delay);
    /// @return latency of the receive pipeline
    Time GetPipelineDelay() const;

    // hot: the link machine
    RocePs m_freeAt{0};                       //!< end of the frame (with gap) on the wire
    RocePs m_nextDeparture{RoceClock::NEVER}; //!< entry in the agenda that is valid
    uint64_t m_bitRate{0};                    //!< line rate, bit/s
    uint64_t m_carry{0};                      //!< remainder of the last division
    RocePs m_gapTime{0};                      //!< inter-frame gap, picoseconds
    RoceFrameSource* m_source{nullptr};       //!< gives frames
    RoceFrameSink* m_sink{nullptr};           //!< takes frames
    RoceDepartureAgenda* m_agenda{nullptr};   //!< departures of the node
    RoceLinkFlowControl* m_gate{nullptr};     //!< m_flowControl without reference counting
    RoceChannel* m_cable{nullptr};            //!< m_channel without reference counting
    RoceNetDevice* m_peer{nullptr};           //!< other end of the cable
    uint16_t m_port{0};                       //!< number by which the owner knows the port
    uint8_t m_end{0};                         //!< end of the cable
    bool m_departing{false};                  //!< inside Depart()
    bool m_linkUp{false};                     //!< plugged in and up
    uint32_t m_cutThroughBytes{0};            //!< 0: store and forward
    RocePs m_pipelineDelayPs{0};              //!< receive pipeline latency, picoseconds
    std::array<Counters, N_CLASSES> m_tx;     //!< started transmissions
    std::array<Counters, N_CLASSES> m_rx;     //!< intact arrivals
    Counters m_txControl;                     //!< flow control frames sent
    uint64_t m_rxFrames{0};                   //!< intact arrivals of all kinds
    uint64_t m_rxDrops{0};                    //!< damaged arrivals
    bool m_punctual{false};                   //!< each transmission has an event of its own

    // cold
    RoceDepartureAgenda m_ownAgenda;          //!< used until an owner brings one
    Ptr<RoceLinkFlowControl> m_flowControl;   //!< gate
    Ptr<RoceChannel> m_channel;               //!< cable
    Ptr<ErrorModel> m_receiveErrorModel;      //!< decides about damage
    Ptr<Node> m_node;                         //!< node
    Mac48Address m_address;                   //!< MAC address
    uint32_t m_ifIndex{0};                    //!< interface index
    uint16_t m_mtu{0};                        //!< layer-3 MTU, bytes
    ReceiveCallback m_rxCallback;             //!< network stack
    PromiscReceiveCallback m_promiscCallback; //!< promiscuous listener
    StackSendCallback m_stackSend;            //!< taker of packets of the network stack
    TracedCallback<> m_linkChangeCallbacks;   //!< link state listeners

    TracedCallback<Ptr<const Packet>> m_macTxTrace;          //!< MacTx
    TracedCallback<Ptr<const Packet>> m_macTxDropTrace;      //!< MacTxDrop
    TracedCallback<Ptr<const Packet>> m_macPromiscRxTrace;   //!< MacPromiscRx
    TracedCallback<Ptr<const Packet>> m_macRxTrace;          //!< MacRx
    TracedCallback<Ptr<const Packet>> m_phyTxBeginTrace;     //!< PhyTxBegin
    TracedCallback<Ptr<const Packet>> m_phyTxEndTrace;       //!< PhyTxEnd
    TracedCallback<Ptr<const Packet>> m_phyRxEndTrace;       //!< PhyRxEnd
    TracedCallback<Ptr<const Packet>> m_phyRxDropTrace;      //!< PhyRxDrop
    TracedCallback<Ptr<const Packet>> m_snifferTrace;        //!< Sniffer
    TracedCallback<Ptr<const Packet>> m_promiscSnifferTrace; //!< PromiscSniffer
};

} // namespace ns3

#endif /* ROCE_NET_DEVICE_H */
