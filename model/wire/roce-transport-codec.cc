/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-transport-codec.h"

#include "rdma-opcode.h"
#include "roce-aeth-header.h"
#include "roce-atomic-ack-eth-header.h"
#include "roce-atomic-eth-header.h"
#include "roce-bth-header.h"
#include "roce-deth-header.h"
#include "roce-ieth-header.h"
#include "roce-imm-dt-header.h"
#include "roce-reth-header.h"

#include "ns3/abort.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceTransportCodec");

namespace
{

/**
 * Remove a header without the bookkeeping of Packet::RemoveHeader, which insists on the header
 * types that the packet was built from.
 * @tparam H type of the header
 * @param packet the packet
 * @return the header
 */
template <typename H>
H
Take(Ptr<Packet> packet)
{
    H header;
    packet->RemoveAtStart(packet->PeekHeader(header));
    return header;
}

/**
 * Read the extension headers.
 * @param frame where to put the fields; its opcode is set
 * @param packet the packet from the first extension header on, afterwards from the payload on
 */
void
ReadExtensions(RoceFrame& frame, Ptr<Packet> packet)
{
    const uint8_t opcode = frame.opcode;
    if (RdmaOpcode::HasDeth(opcode))
    {
        const auto deth = Take<RoceDethHeader>(packet);
        frame.rKey = deth.GetQKey();
        frame.dmaLength = deth.GetSourceQp();
    }
    if (RdmaOpcode::HasReth(opcode))
    {
        const auto reth = Take<RoceRethHeader>(packet);
        frame.remoteAddress = reth.GetVirtualAddress();
        frame.rKey = reth.GetRKey();
        frame.dmaLength = reth.GetDmaLength();
    }
    if (RdmaOpcode::HasAtomicEth(opcode))
    {
        const auto atomic = Take<RoceAtomicEthHeader>(packet);
        frame.remoteAddress = atomic.GetVirtualAddress();
        frame.rKey = atomic.GetRKey();
        frame.ext.atomic.swapAdd = atomic.GetSwapAdd();
        frame.ext.atomic.compare = atomic.GetCompare();
    }
    if (RdmaOpcode::HasAeth(opcode))
    {
        const auto aeth = Take<RoceAethHeader>(packet);
        frame.ext.ack.syndrome = aeth.GetSyndrome();
        frame.ext.ack.msn = aeth.GetMsn();
    }
    if (RdmaOpcode::HasAtomicAckEth(opcode))
    {
        frame.remoteAddress = Take<RoceAtomicAckEthHeader>(packet).GetOriginalData();
    }
    if (RdmaOpcode::HasImmediate(opcode))
    {
        frame.ext.ack.immediate = Take<RoceImmDtHeader>(packet).GetImmediate();
    }
    if (RdmaOpcode::HasInvalidate(opcode))
    {
        frame.rKey = Take<RoceIethHeader>(packet).GetRKey();
    }
    if (opcode == RdmaOpcode::CNP)
    {
        packet->RemoveAtStart(RdmaOpcode::CNP_RESERVED_BYTES);
    }
}

} // namespace

bool
RoceTransportCodec::Read(RoceFrame& frame, Ptr<Packet> packet)
{
    NS_LOG_FUNCTION(&frame << packet);
    const auto bth = Take<RoceBthHeader>(packet);
    const uint8_t opcode = bth.GetOpcode();
    const uint32_t fixed = RdmaOpcode::GetExtensionBytes(opcode) + RdmaOpcode::ICRC_BYTES;
    if (!RdmaOpcode::IsKnown(opcode) || bth.GetVersion() != 0 ||
        packet->GetSize() < fixed + bth.GetPadCount())
    {
        return false;
    }
    const uint32_t padded = packet->GetSize() - fixed;
    if (padded % 4 != 0 || (padded > 0 && !RdmaOpcode::HasPayload(opcode)))
    {
        return false;
    }
    frame.opcode = opcode;
    frame.pKey = bth.GetPKey();
    frame.destQp = bth.GetDestQp();
    frame.psn = bth.GetPsn();
    frame.flags = static_cast<uint8_t>(frame.flags | (bth.GetAckReq() ? RoceFrame::ACK_REQ : 0) |
                                       (bth.GetSolicited() ? RoceFrame::SOLICITED : 0) |
                                       (bth.GetMigReq() ? RoceFrame::MIG_REQ : 0) |
                                       (bth.GetFecn() ? RoceFrame::FECN : 0) |
                                       (bth.GetBecn() ? RoceFrame::BECN : 0));
    frame.payloadBytes = padded - bth.GetPadCount();
    ReadExtensions(frame, packet);
    if (frame.payloadBytes > 0)
    {
        packet->RemoveAtEnd(bth.GetPadCount() + RdmaOpcode::ICRC_BYTES);
        frame.packet = packet;
    }
    return true;
}

Ptr<Packet>
RoceTransportCodec::Write(const RoceFrame& frame)
{
    NS_LOG_FUNCTION(&frame);
    const uint8_t opcode = frame.opcode;
    NS_ABORT_MSG_UNLESS(RdmaOpcode::IsKnown(opcode),
                        "RoceTransportCodec: a RoCE frame has opcode "
                            << RdmaOpcode::GetName(opcode) << ", which is not known");
    NS_ABORT_MSG_IF(frame.payloadBytes > 0 && !RdmaOpcode::HasPayload(opcode),
                    "RoceTransportCodec: a frame of opcode "
                        << RdmaOpcode::GetName(opcode) << " has " << frame.payloadBytes
                        << " bytes of payload, allowed are none");
    NS_ABORT_MSG_IF(frame.packet && frame.packet->GetSize() != frame.payloadBytes,
                    "RoceTransportCodec: payloadBytes is " << frame.payloadBytes
                                                           << ", but the payload given has "
                                                           << frame.packet->GetSize() << " bytes");
    const uint32_t bytes = opcode == RdmaOpcode::CNP ? RdmaOpcode::CNP_RESERVED_BYTES : 0;
    Ptr<Packet> packet =
        frame.packet ? frame.packet->Copy() : Create<Packet>(frame.payloadBytes + bytes);
    if (frame.GetPadCount() > 0)
    {
        // AddPaddingAtEnd would leave whatever the memory held before in the packet.
        packet->AddAtEnd(Create<Packet>(frame.GetPadCount()));
    }

    // Headers are added back to front.
    if (RdmaOpcode::HasInvalidate(opcode))
    {
        RoceIethHeader ieth;
        ieth.SetRKey(frame.rKey);
        packet->AddHeader(ieth);
    }
    if (RdmaOpcode::HasImmediate(opcode))
    {
        RoceImmDtHeader immDt;
        immDt.SetImmediate(frame.ext.ack.immediate);
        packet->AddHeader(immDt);
    }
    if (RdmaOpcode::HasAtomicAckEth(opcode))
    {
        RoceAtomicAckEthHeader atomicAck;
        atomicAck.SetOriginalData(frame.remoteAddress);
        packet->AddHeader(atomicAck);
    }
    if (RdmaOpcode::HasAeth(opcode))
    {
        RoceAethHeader aeth;
        aeth.SetSyndrome(frame.ext.ack.syndrome);
        aeth.SetMsn(frame.ext.ack.msn);
        packet->AddHeader(aeth);
    }
    if (RdmaOpcode::HasAtomicEth(opcode))
    {
        RoceAtomicEthHeader atomic;
        atomic.SetVirtualAddress(frame.remoteAddress);
        atomic.SetRKey(frame.rKey);
        atomic.SetSwapAdd(frame.ext.atomic.swapAdd);
        atomic.SetCompare(frame.ext.atomic.compare);
        packet->AddHeader(atomic);
    }
    if (RdmaOpcode::HasReth(opcode))
    {
        RoceRethHeader reth;
        reth.SetVirtualAddress(frame.remoteAddress);
        reth.SetRKey(frame.rKey);
        reth.SetDmaLength(frame.dmaLength);
        packet->AddHeader(reth);
    }
    if (RdmaOpcode::HasDeth(opcode))
    {
        RoceDethHeader deth;
        deth.SetQKey(frame.rKey);
        deth.SetSourceQp(frame.dmaLength);
        packet->AddHeader(deth);
    }

    RoceBthHeader bth;
    bth.SetOpcode(opcode);
    bth.SetSolicited(frame.Has(RoceFrame::SOLICITED));
    bth.SetMigReq(frame.Has(RoceFrame::MIG_REQ));
    bth.SetPadCount(static_cast<uint8_t>(frame.GetPadCount()));
    bth.SetPKey(frame.pKey);
    bth.SetFecn(frame.Has(RoceFrame::FECN));
    bth.SetBecn(frame.Has(RoceFrame::BECN));
    bth.SetDestQp(frame.destQp);
    bth.SetAckReq(frame.Has(RoceFrame::ACK_REQ));
    bth.SetPsn(frame.psn);
    packet->AddHeader(bth);
    return packet;
}

} // namespace ns3
