/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_WIRE_LOG_H
#define RDMA_WIRE_LOG_H

#include "roce-fabric-fixture.h"
#include "roce-scripted-channel.h"

#include "ns3/packet.h"
#include "ns3/rdma-opcode.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-frame.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce-tests
 * @brief Writes down what starts on a cable, lost frames included, in the order of time.
 */
class RdmaWireLog
{
  public:
    /// One frame.
    struct Line
    {
        RocePs start{0};           //!< its first bit
        uint8_t end{0};            //!< where it was sent: 0 is the host of the cable
        uint8_t opcode{0};         //!< opcode
        uint32_t psn{0};           //!< PSN
        uint8_t syndrome{0};       //!< answers: AETH syndrome
        uint32_t msn{0};           //!< answers: MSN
        uint32_t payload{0};       //!< payload, bytes
        uint64_t remoteAddress{0}; //!< RETH and AtomicETH
        uint32_t dmaLength{0};     //!< RETH; DETH source queue pair
        uint32_t frameBytes{0};    //!< frame with FCS, bytes
        bool ackReq{false};        //!< wants an acknowledgment
    };

    /**
     * @param fabric the fabric
     * @param host host whose cable is watched
     * @param script decides about frames; none: all pass
     */
    RdmaWireLog(const RoceFabricFixture& fabric,
                uint32_t host,
                RoceScriptedChannel::Script script = nullptr)
    {
        fabric.GetCable(host)->SetScript(
            [this, &fabric, script = std::move(script)](RoceFrame& frame, uint8_t end) {
                if (frame.kind == RoceFrameKind::ROCE)
                {
                    const RocePs start = frame.time - fabric.Flight(frame.frameBytes);
                    const bool answers = RdmaOpcode::IsResponse(frame.opcode);
                    lines.push_back({start,
                                     end,
                                     frame.opcode,
                                     frame.psn,
                                     answers ? frame.ext.ack.syndrome : uint8_t{0},
                                     answers ? frame.ext.ack.msn : 0,
                                     frame.payloadBytes,
                                     frame.remoteAddress,
                                     frame.dmaLength,
                                     frame.frameBytes,
                                     frame.Has(RoceFrame::ACK_REQ)});
                }
                return script ? script(frame, end) : RoceScriptedChannel::PASS;
            });
    }

    /**
     * @param picks says which lines are wanted
     * @return these lines
     */
    std::vector<Line> Find(const std::function<bool(const Line&)>& picks) const
    {
        std::vector<Line> found;
        for (const Line& line : lines)
        {
            if (picks(line))
            {
                found.push_back(line);
            }
        }
        return found;
    }

    /**
     * @param opcode an opcode
     * @return the lines with it
     */
    std::vector<Line> Find(uint8_t opcode) const
    {
        return Find([opcode](const Line& line) { return line.opcode == opcode; });
    }

    std::vector<Line> lines; //!< everything so far

    // --- bytes ---

    /**
     * @param length number of bytes
     * @param seed first of the bytes; neighbors differ and there is no short period
     * @return a packet with them
     */
    static Ptr<Packet> MakePayload(uint32_t length, uint32_t seed)
    {
        std::vector<uint8_t> bytes(length);
        uint32_t state = seed * 2654435761U + 12345U;
        for (auto& byte : bytes)
        {
            state = state * 1664525U + 1013904223U;
            byte = static_cast<uint8_t>(state >> 24);
        }
        return Create<Packet>(bytes.data(), length);
    }

    /**
     * @param packet a packet or null
     * @return its bytes
     */
    static std::vector<uint8_t> GetBytes(Ptr<const Packet> packet)
    {
        std::vector<uint8_t> bytes(packet ? packet->GetSize() : 0);
        if (packet)
        {
            packet->CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
        }
        return bytes;
    }
};

} // namespace ns3

#endif /* RDMA_WIRE_LOG_H */
