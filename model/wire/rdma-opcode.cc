/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-opcode.h"

#include <iomanip>
#include <sstream>

namespace ns3
{

namespace
{

/// Operation names; bits 4 to 0 of an opcode are the index. RC uses all of them, UC the first
/// twelve.
constexpr const char* OPERATION_NAMES[] = {
    "SEND_FIRST",
    "SEND_MIDDLE",
    "SEND_LAST",
    "SEND_LAST_IMM",
    "SEND_ONLY",
    "SEND_ONLY_IMM",
    "WRITE_FIRST",
    "WRITE_MIDDLE",
    "WRITE_LAST",
    "WRITE_LAST_IMM",
    "WRITE_ONLY",
    "WRITE_ONLY_IMM",
    "READ_REQUEST",
    "READ_RESPONSE_FIRST",
    "READ_RESPONSE_MIDDLE",
    "READ_RESPONSE_LAST",
    "READ_RESPONSE_ONLY",
    "ACKNOWLEDGE",
    "ATOMIC_ACKNOWLEDGE",
    "CMP_SWAP",
    "FETCH_ADD",
    "RESERVED",
    "SEND_LAST_INV",
    "SEND_ONLY_INV",
};

} // namespace

std::string
RdmaOpcode::GetName(uint8_t opcode)
{
    if (opcode == CNP)
    {
        return "CNP";
    }
    if (!IsKnown(opcode))
    {
        std::ostringstream os;
        os << "OPCODE_0x" << std::hex << std::setw(2) << std::setfill('0') << unsigned{opcode};
        return os.str();
    }
    const uint8_t service = GetService(opcode);
    const char* prefix = service == RC ? "RC_" : service == UC ? "UC_" : "UD_";
    return std::string(prefix) + OPERATION_NAMES[opcode & 0x1f];
}

} // namespace ns3
