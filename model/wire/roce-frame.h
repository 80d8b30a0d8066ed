/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_FRAME_H
#define ROCE_FRAME_H

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Point in simulated time, or a duration, in picoseconds.
 *
 * The module keeps its own clock in integer picoseconds, so that the length of every frame at every
 * Ethernet speed up to 1.6 Tb/s is exact (one byte takes 5 ps there) whatever the resolution of
 * ns3::Time is. 63 bits of picoseconds last 106 days. Conversions live in RoceClock.
 */
using RocePs = int64_t;

/**
 * @ingroup roce
 * @brief What a frame is, which decides who understands it.
 */
enum class RoceFrameKind : uint8_t
{
    ROCE = 0,        //!< RoCEv1 or RoCEv2; the transport fields of RoceFrame are valid
    PACKET = 1,      //!< anything else; RoceFrame::packet holds it from the layer-3 header on
    MAC_CONTROL = 2, //!< an IEEE 802.1Qbb PFC frame; classEnable and pauseQuanta are valid
};

/**
 * @ingroup roce
 * @brief Codepoints of the two ECN bits of the IP header (RFC 3168, section 5).
 */
enum class RoceEcn : uint8_t
{
    NOT_ECT = 0, //!< sender does not understand ECN
    ECT1 = 1,    //!< ECN-capable transport, codepoint 1
    ECT0 = 2,    //!< ECN-capable transport, codepoint 0 (what RoCE NICs send)
    CE = 3,      //!< congestion experienced
};

/**
 * @ingroup roce
 * @brief An IPv4 or IPv6 address as 16 bytes in network order (IPv4 in the first four bytes).
 *
 * Whether it is IPv4 or IPv6 is known from RoceFrame::etherType.
 */
using RoceAddressBytes = std::array<uint8_t, 16>;

/**
 * @ingroup roce
 * @brief One Ethernet frame inside the module: two cache lines, owned by exactly one place.
 *
 * A frame is created by the NIC that sends it, moved through channels and queues by RoceFramePtr
 * and goes back to a free list when its last owner lets go. It holds the values of the header
 * fields, not their bytes; RoceFrameCodec turns it into a real ns3::Packet (and back) when somebody
 * wants to look. MAC addresses are not stored: every link has two ends, so a frame goes from the
 * MAC of the sending port to the MAC of its link peer.
 */
struct RoceFrame
{
    /// Bits of RoceFrame::flags.
    enum Flag : uint8_t
    {
        ACK_REQ = 1 << 0,   //!< BTH A bit: the requester wants an acknowledgment
        SOLICITED = 1 << 1, //!< BTH SE bit: solicited event
        MIG_REQ = 1 << 2,   //!< BTH M bit: path migrated (the normal state of data packets)
        FECN = 1 << 3,      //!< BTH FECN bit
        BECN = 1 << 4,      //!< BTH BECN bit, set in a CNP
        VLAN = 1 << 5,      //!< an IEEE 802.1Q tag is present; vlanTci is valid
        MODIFIED = 1 << 6,  //!< TTL or ECN differ from what the header inside packet says
    };

    // --- first cache line: what links, switches and schedulers touch ---

    RoceFrame* next{nullptr}; //!< intrusive link of the FIFO that owns the frame
    RocePs time{0};           //!< arrival time at the far end of the link it is on
    Ptr<Packet> packet;       //!< PACKET: the frame from layer 3 on; ROCE: optional payload bytes
    uint32_t frameBytes{0}; //!< Ethernet frame length with FCS and padding, without preamble, bytes
    uint32_t flowHash{0};   //!< hash of the fields that identify the flow (0: not computed yet)
    RoceFrameKind kind{RoceFrameKind::ROCE}; //!< what the frame is
    uint8_t trafficClass{0};                 //!< traffic class (queue and PFC priority), 0 to 7
    uint8_t dscp{0};                         //!< differentiated services codepoint, 0 to 63
    RoceEcn ecn{RoceEcn::NOT_ECT};           //!< ECN codepoint
    uint8_t ttl{64};                         //!< IPv4 TTL or IPv6 hop limit
    uint8_t flags{0};                        //!< bits of Flag
    uint8_t opcode{0};                       //!< BTH opcode
    uint8_t flowLabelHigh{0};                //!< upper 4 of the 20 bits of the flow label
    uint16_t etherType{0x0800};              //!< EtherType after the VLAN tag, if any
    uint16_t udpSourcePort{0};               //!< UDP source port: entropy for hashing only
    uint16_t ingressPort{0};                 //!< switch-local: port the frame came in by
    uint16_t vlanTci{0};                     //!< IEEE 802.1Q TCI (PCP, DEI, VID) when VLAN is set
    uint32_t payloadBytes{0};                //!< RDMA payload without padding, bytes
    uint32_t psn{0};                         //!< BTH PSN, 24 bits

    // --- second cache line: addresses and transport fields ---

    RoceAddressBytes source{};      //!< source IP address or GID
    RoceAddressBytes destination{}; //!< destination IP address or GID

    uint32_t destQp{0};    //!< BTH destination queue pair number, 24 bits
    uint16_t pKey{0xffff}; //!< BTH partition key
    uint16_t identification{
        0}; //!< IPv4 identification; IPv6 and GRH: low 16 bits of the flow label

    uint64_t remoteAddress{0}; //!< RETH/AtomicETH VA; AtomicAckETH: original remote data
    uint32_t rKey{0};          //!< RETH/AtomicETH R_Key, IETH R_Key, DETH Q_Key
    uint32_t dmaLength{0};     //!< RETH DMA length; DETH source QP

    /// Extension fields that never occur together.
    union Extension {
        /// AtomicETH operands.
        struct
        {
            uint64_t swapAdd; //!< AtomicETH swap (CmpSwap) or add (FetchAdd) data
            uint64_t compare; //!< AtomicETH compare data
        } atomic;             //!< valid in CmpSwap and FetchAdd

        /// AETH and ImmDt.
        struct
        {
            uint32_t msn;       //!< AETH message sequence number, 24 bits
            uint32_t immediate; //!< ImmDt
            uint8_t syndrome;   //!< AETH syndrome
        } ack;                  //!< valid in everything else

        /// IEEE 802.1Qbb.
        struct
        {
            std::array<uint16_t, 8> quanta; //!< pause time of each class in quanta of 512 bit times
        } pfc;                              //!< valid in MAC_CONTROL; enabled classes are in opcode
    } ext{};                                //!< fields of the extension headers

    /// @return flow label, 20 bits; valid with IPv6 or GRH
    uint32_t GetFlowLabel() const
    {
        return (uint32_t{flowLabelHigh} << 16) | identification;
    }

    /// @param label flow label of the IPv6 header or GRH, 20 bits
    void SetFlowLabel(uint32_t label)
    {
        flowLabelHigh = static_cast<uint8_t>((label >> 16) & 0xf);
        identification = static_cast<uint16_t>(label & 0xffff);
    }

    /// @return BTH PadCnt: zero bytes that fill the payload up to a multiple of four
    uint32_t GetPadCount() const
    {
        return (4 - payloadBytes % 4) % 4;
    }

    /// @return true if the source and destination are IPv6 addresses (or RoCEv1 GIDs)
    bool HasLongAddresses() const
    {
        return etherType != 0x0800;
    }

    /**
     * @param flag the flag to look at
     * @return true if it is set
     */
    bool Has(Flag flag) const
    {
        return (flags & flag) != 0;
    }

    /// @return length on the wire with preamble, start delimiter and minimum inter-frame gap, bytes
    uint32_t GetWireBytes() const
    {
        return frameBytes + PREAMBLE_BYTES + GAP_BYTES;
    }

    static constexpr uint32_t PREAMBLE_BYTES =
        8;                                    //!< preamble and start delimiter (IEEE 802.3, 3.1.1)
    static constexpr uint32_t GAP_BYTES = 12; //!< minimum inter-frame gap, 96 bit times (4A.4.2)
    static constexpr uint32_t MIN_FRAME_BYTES = 64; //!< minimum frame with FCS (IEEE 802.3, 4A.4.2)
};

/**
 * @ingroup roce
 * @brief Returns a frame to the free list.
 */
struct RoceFrameRecycler
{
    /// @param frame the frame, never used again by the caller
    void operator()(RoceFrame* frame) const;
};

/**
 * @ingroup roce
 * @brief The move-only handle that owns a frame.
 */
using RoceFramePtr = std::unique_ptr<RoceFrame, RoceFrameRecycler>;

/**
 * @ingroup roce
 * @brief Take a frame with default field values from the free list.
 * @return the frame
 */
RoceFramePtr CreateRoceFrame();

/**
 * @ingroup roce
 * @brief Number of frames that exist right now in this thread: a leak check for tests.
 * @return frames handed out and not yet returned
 */
uint64_t GetLiveRoceFrames();

/**
 * @ingroup roce
 * @brief Intrusive first-in first-out queue that owns its frames.
 */
class RoceFrameFifo
{
  public:
    RoceFrameFifo() = default;
    RoceFrameFifo(const RoceFrameFifo&) = delete;
    RoceFrameFifo& operator=(const RoceFrameFifo&) = delete;

    /**
     * Move constructor.
     * @param other queue to empty into this one
     */
    RoceFrameFifo(RoceFrameFifo&& other) noexcept
        : m_head(other.m_head),
          m_tail(other.m_tail),
          m_size(other.m_size)
    {
        other.m_head = other.m_tail = nullptr;
        other.m_size = 0;
    }

    ~RoceFrameFifo()
    {
        Clear();
    }

    /// @return true if there is no frame
    bool IsEmpty() const
    {
        return !m_head;
    }

    /// @return number of frames
    uint32_t GetSize() const
    {
        return m_size;
    }

    /// @return the first frame, still owned by the queue, or null
    const RoceFrame* Front() const
    {
        return m_head;
    }

    /// @param frame the frame to append
    void Push(RoceFramePtr frame)
    {
        RoceFrame* raw = frame.release();
        raw->next = nullptr;
        if (m_tail)
        {
            m_tail->next = raw;
        }
        else
        {
            m_head = raw;
        }
        m_tail = raw;
        m_size++;
    }

    /// @return the first frame, or null if there is none
    RoceFramePtr Pop()
    {
        RoceFrame* raw = m_head;
        if (raw)
        {
            m_head = raw->next;
            if (!m_head)
            {
                m_tail = nullptr;
            }
            m_size--;
        }
        return RoceFramePtr(raw);
    }

    /// Free all frames.
    void Clear()
    {
        while (m_head)
        {
            Pop();
        }
    }

  private:
    RoceFrame* m_head{nullptr}; //!< first frame
    RoceFrame* m_tail{nullptr}; //!< last frame
    uint32_t m_size{0};         //!< number of frames
};

} // namespace ns3

#endif /* ROCE_FRAME_H */
