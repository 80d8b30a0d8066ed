/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-work-completion.h"

namespace ns3
{

const char*
GetRdmaWcStatusName(RdmaWcStatus status)
{
    switch (status)
    {
    case RdmaWcStatus::SUCCESS:
        return "SUCCESS";
    case RdmaWcStatus::LOC_LEN_ERR:
        return "LOC_LEN_ERR";
    case RdmaWcStatus::LOC_QP_OP_ERR:
        return "LOC_QP_OP_ERR";
    case RdmaWcStatus::LOC_PROT_ERR:
        return "LOC_PROT_ERR";
    case RdmaWcStatus::WR_FLUSH_ERR:
        return "WR_FLUSH_ERR";
    case RdmaWcStatus::BAD_RESP_ERR:
        return "BAD_RESP_ERR";
    case RdmaWcStatus::LOC_ACCESS_ERR:
        return "LOC_ACCESS_ERR";
    case RdmaWcStatus::REM_INV_REQ_ERR:
        return "REM_INV_REQ_ERR";
    case RdmaWcStatus::REM_ACCESS_ERR:
        return "REM_ACCESS_ERR";
    case RdmaWcStatus::REM_OP_ERR:
        return "REM_OP_ERR";
    case RdmaWcStatus::RETRY_EXC_ERR:
        return "RETRY_EXC_ERR";
    case RdmaWcStatus::RNR_RETRY_EXC_ERR:
        return "RNR_RETRY_EXC_ERR";
    case RdmaWcStatus::FATAL_ERR:
        return "FATAL_ERR";
    case RdmaWcStatus::GENERAL_ERR:
        return "GENERAL_ERR";
    }
    return "UNKNOWN";
}

std::ostream&
operator<<(std::ostream& os, RdmaWcStatus status)
{
    return os << GetRdmaWcStatusName(status);
}

} // namespace ns3
