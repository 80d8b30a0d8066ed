/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-syndrome.h"

namespace ns3
{

std::string
RdmaSyndrome::GetName(uint8_t syndrome)
{
    const uint8_t code = GetCode(syndrome);
    switch (GetType(syndrome))
    {
    case ACK:
        return code == NO_CREDITS ? "ACK" : "ACK(credits=" + std::to_string(code) + ")";
    case RNR_NAK:
        return "RNR_NAK(" + std::to_string(GetRnrDelayUs(code)) + "us)";
    case NAK:
        switch (code)
        {
        case PSN_SEQUENCE_ERROR:
            return "NAK(PSN_SEQUENCE_ERROR)";
        case INVALID_REQUEST:
            return "NAK(INVALID_REQUEST)";
        case REMOTE_ACCESS_ERROR:
            return "NAK(REMOTE_ACCESS_ERROR)";
        case REMOTE_OPERATIONAL_ERROR:
            return "NAK(REMOTE_OPERATIONAL_ERROR)";
        case INVALID_RD_REQUEST:
            return "NAK(INVALID_RD_REQUEST)";
        default:
            return "NAK(" + std::to_string(code) + ")";
        }
    default:
        return "RESERVED(" + std::to_string(code) + ")";
    }
}

} // namespace ns3
