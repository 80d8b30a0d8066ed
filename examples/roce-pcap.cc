/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup roce
 * Writes one frame of every kind that the module knows into a pcap file, without simulating
 * anything.
 *
 * Every opcode appears over IPv4, over IPv4 with a VLAN tag, over IPv6 and as RoCEv1, followed by
 * acknowledgments of all kinds and PFC frames. Open the file in Wireshark to see what the module
 * puts on the wire. With --fields the program also writes the values it put in, as CSV, so that a
 * decoder can be compared with them: test/check-wire.py does so with scapy and tshark.
 *
 *     ./ns3 run "roce-pcap --output=frames.pcap"
 */

#include "ns3/abort.h"
#include "ns3/command-line.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-syndrome.h"
#include "ns3/roce-frame-codec.h"

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Writes frames into a pcap file and their fields into a CSV file.
class FrameWriter
{
  public:
    /**
     * @param pcap name of the pcap file
     * @param fields name of the CSV file, or empty for none
     */
    FrameWriter(const std::string& pcap, const std::string& fields)
        : m_pcap(CreateObject<PcapFileWrapper>())
    {
        m_pcap->Open(pcap, std::ios::out | std::ios::binary);
        NS_ABORT_MSG_IF(m_pcap->Fail(), "roce-pcap: cannot write " << pcap);
        m_pcap->Init(1); // LINKTYPE_ETHERNET
        if (!fields.empty())
        {
            m_fields.open(fields);
            NS_ABORT_MSG_UNLESS(m_fields, "roce-pcap: cannot write " << fields);
            m_fields << "kind,name,opcode,ether_type,vlan_tci,source,destination,dscp,ecn,ttl,"
                        "identification,flow_label,udp_source_port,solicited,mig_req,pad_count,"
                        "p_key,fecn,becn,dest_qp,ack_req,psn,va,r_key,dma_length,syndrome,msn,"
                        "immediate,invalidate_r_key,q_key,source_qp,swap_add,compare,original,"
                        "payload_bytes,frame_bytes,class_enable,quanta\n";
        }
    }

    /**
     * @param frame the frame to write
     */
    void Write(const RoceFrame& frame)
    {
        m_count++;
        m_pcap->Write(MicroSeconds(m_count),
                      RoceFrameCodec::ToPacket(frame,
                                               Mac48Address("02:00:00:00:00:01"),
                                               Mac48Address("02:00:00:00:00:02")));
        WriteFields(frame);
    }

    /// @return number of frames written
    uint32_t GetCount() const
    {
        return m_count;
    }

  private:
    /**
     * Write a value, or nothing if the frame has no such field.
     * @param valid true if the frame has the field
     * @param value its value
     */
    void Field(bool valid, uint64_t value)
    {
        m_fields << ',';
        if (valid)
        {
            m_fields << value;
        }
    }

    /**
     * @param frame the frame whose fields to write
     */
    void WriteFields(const RoceFrame& frame)
    {
        const uint8_t op = frame.opcode;
        const bool roce = frame.kind == RoceFrameKind::ROCE;
        const bool v4 = frame.etherType == RoceFrameCodec::ETHERTYPE_IPV4;
        const bool v1 = frame.etherType == RoceFrameCodec::ETHERTYPE_ROCE_V1;
        const bool reth = roce && RdmaOpcode::HasReth(op);
        const bool aeth = roce && RdmaOpcode::HasAeth(op);
        const bool deth = roce && RdmaOpcode::HasDeth(op);
        const bool atomic = roce && RdmaOpcode::HasAtomicEth(op);
        const bool atomicAck = roce && RdmaOpcode::HasAtomicAckEth(op);
        const bool invalidate = roce && RdmaOpcode::HasInvalidate(op);
        m_fields << (roce ? "roce" : "pfc") << ',' << (roce ? RdmaOpcode::GetName(op) : "PFC");
        Field(roce, op);
        Field(true, frame.etherType);
        Field(frame.Has(RoceFrame::VLAN), frame.vlanTci);
        m_fields << ',';
        if (roce && v4)
        {
            m_fields << RoceFrameCodec::ToIpv4(frame.source) << ','
                     << RoceFrameCodec::ToIpv4(frame.destination);
        }
        else if (roce)
        {
            m_fields << RoceFrameCodec::ToIpv6(frame.source) << ','
                     << RoceFrameCodec::ToIpv6(frame.destination);
        }
        else
        {
            m_fields << ',';
        }
        Field(roce, frame.dscp);
        Field(roce, static_cast<uint8_t>(frame.ecn));
        Field(roce, frame.ttl);
        Field(roce && v4, frame.identification);
        Field(roce && !v4, frame.GetFlowLabel());
        Field(roce && !v1, frame.udpSourcePort);
        Field(roce, frame.Has(RoceFrame::SOLICITED));
        Field(roce, frame.Has(RoceFrame::MIG_REQ));
        Field(roce, frame.GetPadCount());
        Field(roce, frame.pKey);
        Field(roce, frame.Has(RoceFrame::FECN));
        Field(roce, frame.Has(RoceFrame::BECN));
        Field(roce, frame.destQp);
        Field(roce, frame.Has(RoceFrame::ACK_REQ));
        Field(roce, frame.psn);
        Field(reth || atomic, frame.remoteAddress);
        Field(reth || atomic, frame.rKey);
        Field(reth, frame.dmaLength);
        Field(aeth, frame.ext.ack.syndrome);
        Field(aeth, frame.ext.ack.msn);
        Field(roce && RdmaOpcode::HasImmediate(op), frame.ext.ack.immediate);
        Field(invalidate, frame.rKey);
        Field(deth, frame.rKey);
        Field(deth, frame.dmaLength);
        Field(atomic, frame.ext.atomic.swapAdd);
        Field(atomic, frame.ext.atomic.compare);
        Field(atomicAck, frame.remoteAddress);
        Field(true, frame.payloadBytes);
        Field(true, RoceFrameCodec::GetFrameBytes(frame));
        Field(!roce, op);
        m_fields << ',';
        if (!roce)
        {
            for (std::size_t i = 0; i < frame.ext.pfc.quanta.size(); i++)
            {
                m_fields << (i == 0 ? "" : " ") << frame.ext.pfc.quanta[i];
            }
        }
        m_fields << '\n';
    }

    Ptr<PcapFileWrapper> m_pcap; //!< the pcap file
    std::ofstream m_fields;      //!< the CSV file
    uint32_t m_count{0};         //!< frames written
};

/**
 * Make a frame with the values that the opcode does not determine.
 * @param opcode BTH opcode
 * @param etherType EtherType
 * @param number number of the frame, which makes the values differ
 * @return the frame
 */
RoceFramePtr
MakeFrame(uint8_t opcode, uint16_t etherType, uint32_t number)
{
    RoceFramePtr frame = CreateRoceFrame();
    frame->opcode = opcode;
    frame->etherType = etherType;
    frame->dscp = 26;
    frame->ecn = RoceEcn::ECT0;
    frame->ttl = 63;
    frame->flags = RoceFrame::MIG_REQ;
    frame->destQp = 0x11 + number; // queue pairs 0 and 1 are for management packets
    frame->psn = (0xfffff0 + number) & 0xffffff;
    if (etherType == RoceFrameCodec::ETHERTYPE_IPV4)
    {
        frame->source = RoceFrameCodec::ToBytes(Ipv4Address("10.0.0.1"));
        frame->destination = RoceFrameCodec::ToBytes(Ipv4Address("10.0.0.2"));
        frame->identification = static_cast<uint16_t>(number);
    }
    else
    {
        frame->source = RoceFrameCodec::ToBytes(Ipv6Address("fd00::1"));
        frame->destination = RoceFrameCodec::ToBytes(Ipv6Address("fd00::2"));
        frame->SetFlowLabel(0xabc00 + number);
    }
    if (etherType != RoceFrameCodec::ETHERTYPE_ROCE_V1)
    {
        frame->udpSourcePort = static_cast<uint16_t>(0xc000 + number);
    }
    if (RdmaOpcode::HasReth(opcode) || RdmaOpcode::HasAtomicEth(opcode))
    {
        frame->remoteAddress = 0x00007f0010002000ULL + 8 * number;
        frame->rKey = 0x1234 + number;
    }
    if (RdmaOpcode::HasReth(opcode))
    {
        frame->dmaLength = 100000 + number;
    }
    if (RdmaOpcode::HasDeth(opcode))
    {
        frame->rKey = 0x11111111;          // queue key
        frame->dmaLength = 0x210 + number; // source queue pair
    }
    if (RdmaOpcode::HasInvalidate(opcode))
    {
        frame->rKey = 0xcafe0000 + number;
    }
    if (RdmaOpcode::HasAtomicEth(opcode))
    {
        frame->ext.atomic.swapAdd = 0x1111222233334444ULL + number;
        frame->ext.atomic.compare = 0x5555666677778888ULL + number;
    }
    if (RdmaOpcode::HasAtomicAckEth(opcode))
    {
        frame->remoteAddress = 0x9999aaaabbbbccccULL + number; // what the memory held
    }
    if (RdmaOpcode::HasAeth(opcode))
    {
        frame->ext.ack.syndrome = RdmaSyndrome::MakeAck();
        frame->ext.ack.msn = number;
    }
    if (RdmaOpcode::HasImmediate(opcode))
    {
        frame->ext.ack.immediate = 0xdeadbe00 + number;
    }
    if (RdmaOpcode::IsLast(opcode) || RdmaOpcode::IsOnly(opcode))
    {
        frame->flags |= RdmaOpcode::IsRequest(opcode) ? RoceFrame::ACK_REQ : 0;
        frame->flags |= RdmaOpcode::HasImmediate(opcode) ? RoceFrame::SOLICITED : 0;
    }
    if (opcode == RdmaOpcode::CNP)
    {
        frame->dscp = 48;
        frame->flags = RoceFrame::BECN;
        frame->psn = 0;
    }
    return frame;
}

/**
 * Fill the payload with numbers.
 * @param frame the frame
 * @param bytes length of the payload
 */
void
SetPayload(RoceFrame& frame, uint32_t bytes)
{
    std::vector<uint8_t> data(bytes);
    for (uint32_t i = 0; i < bytes; i++)
    {
        data[i] = static_cast<uint8_t>(i * 7 + 1);
    }
    frame.payloadBytes = bytes;
    frame.packet = Create<Packet>(data.data(), bytes);
}

/**
 * Write a PFC frame.
 * @param writer where to
 * @param classEnable classes that the frame addresses, bit i for class i
 * @param quanta pause time of all of them
 */
void
WritePfc(FrameWriter& writer, uint8_t classEnable, uint16_t quanta)
{
    RoceFramePtr frame = CreateRoceFrame();
    frame->kind = RoceFrameKind::MAC_CONTROL;
    frame->etherType = RoceFrameCodec::ETHERTYPE_MAC_CONTROL;
    frame->opcode = classEnable;
    frame->ext.pfc.quanta = {};
    for (uint32_t i = 0; i < frame->ext.pfc.quanta.size(); i++)
    {
        if ((classEnable >> i) & 1)
        {
            frame->ext.pfc.quanta[i] = quanta;
        }
    }
    writer.Write(*frame);
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string output = "roce-pcap.pcap";
    std::string fields;
    CommandLine cmd(__FILE__);
    cmd.AddValue("output", "Name of the pcap file", output);
    cmd.AddValue("fields", "Name of a CSV file for the field values (empty: none)", fields);
    cmd.Parse(argc, argv);

    FrameWriter writer(output, fields);
    const uint16_t layers[] = {RoceFrameCodec::ETHERTYPE_IPV4,
                               RoceFrameCodec::ETHERTYPE_IPV6,
                               RoceFrameCodec::ETHERTYPE_ROCE_V1};
    for (uint16_t etherType : layers)
    {
        for (bool tagged : {false, true})
        {
            const auto write = [&writer, tagged](RoceFrame& frame) {
                if (tagged)
                {
                    frame.flags |= RoceFrame::VLAN;
                    frame.vlanTci = (3 << 13) | 100; // priority 3, VLAN 100
                }
                writer.Write(frame);
            };
            for (uint32_t i = 0; i < 256; i++)
            {
                const auto opcode = static_cast<uint8_t>(i);
                if (!RdmaOpcode::IsKnown(opcode))
                {
                    continue;
                }
                const uint32_t number = writer.GetCount();
                RoceFramePtr frame = MakeFrame(opcode, etherType, number);
                if (RdmaOpcode::IsFirst(opcode) || RdmaOpcode::IsMiddle(opcode))
                {
                    SetPayload(*frame, 1024); // full packets at a path MTU of 1024
                }
                else if (RdmaOpcode::HasPayload(opcode))
                {
                    SetPayload(*frame, 21 + number % 4); // every pad count
                }
                write(*frame);
            }

            // Acknowledgments that are not plain ACKs.
            for (uint8_t syndrome : {RdmaSyndrome::MakeAck(5),
                                     RdmaSyndrome::MakeRnrNak(12),
                                     RdmaSyndrome::MakeNak(RdmaSyndrome::PSN_SEQUENCE_ERROR),
                                     RdmaSyndrome::MakeNak(RdmaSyndrome::INVALID_REQUEST),
                                     RdmaSyndrome::MakeNak(RdmaSyndrome::REMOTE_ACCESS_ERROR),
                                     RdmaSyndrome::MakeNak(RdmaSyndrome::REMOTE_OPERATIONAL_ERROR)})
            {
                RoceFramePtr frame =
                    MakeFrame(RdmaOpcode::RC_ACKNOWLEDGE, etherType, writer.GetCount());
                frame->ext.ack.syndrome = syndrome;
                write(*frame);
            }

            // Shorter than the Ethernet minimum, congestion marks, largest packets.
            RoceFramePtr shortest =
                MakeFrame(RdmaOpcode::RC_SEND_ONLY, etherType, writer.GetCount());
            write(*shortest);
            RoceFramePtr marked =
                MakeFrame(RdmaOpcode::RC_WRITE_MIDDLE, etherType, writer.GetCount());
            marked->ecn = RoceEcn::CE;
            marked->flags |= RoceFrame::FECN;
            SetPayload(*marked, 4096);
            write(*marked);
        }
    }
    WritePfc(writer, 1 << 3, 0xffff);          // pause class 3
    WritePfc(writer, 1 << 3, 0);               // resume class 3
    WritePfc(writer, (1 << 3) | (1 << 4), 77); // pause two classes for a short time
    WritePfc(writer, 0xff, 0x1234);            // pause everything

    std::cout << writer.GetCount() << " frames written to " << output << "\n";
    return 0;
}
