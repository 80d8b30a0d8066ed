/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_IDEAL_FCT_H
#define ROCE_IDEAL_FCT_H

#include "roce-topology.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief The flow completion time of an RDMA WRITE that has its path to itself, worked out exactly.
 *
 * Flow completion time (FCT) is the time from posting the work request to the arrival of the last
 * acknowledgment at the sender. Alone, the sender sends at line rate, every hop stores and
 * forwards, switches and NICs add nothing and the receiver acknowledges every packet at once.
 *
 * A packet with payload p takes w = p + pad + 82 bytes of link time: Ethernet 14, IPv4 20, UDP 8,
 * BTH 12, ICRC 4, FCS 4, preamble 8 and gap 12; the first of a message has 16 more (RETH). An
 * acknowledgment takes 86. The gap follows the frame, so a frame of w bytes occupies link j for
 * o_j = 8 w / R_j, and its last bit is at the far end c_j = 8 (w - 12) / R_j + D_j after its first
 * bit was sent. The links there and the links back, which carry one acknowledgment per packet, are
 * a tandem of h stages. Packet k enters stage j not before it has come and not before packet k - 1
 * has left:
 *
 *     S(k, j) = max(S(k, j-1) + c_{j-1}(k), S(k-1, j) + o_j(k-1))
 *
 * so the arrival of the last acknowledgment is the longest way through a grid of packets and
 * stages. With n packets of which all but the first (F) and the last (L) are equal (M), a longest
 * way crosses stages 1..p with the first packet, p+1..q with a middle one and the rest with the
 * last:
 *
 *     max over 0 <= p <= q < h of
 *       sum_{j<=p} c_j(F) + o_{p+1}(F) + (n-3) max_{p<j<=q+1} o_j(M) + o_{q+1}(M)
 *       + sum_{p<j<=q} c_j(M) + sum_{j>q} c_j(L)
 *
 * (for n = 2 q = p and there is no M; for n = 1 it is the sum of all c_j(F)). A flow longer than
 * one message carries one RETH more per message; these bytes are added at the slowest link.
 */
class RoceIdealFct
{
  public:
    /**
     * @param mtu path MTU: payload of a full packet, bytes
     * @param messageBytes largest message; longer flows are posted as several work requests
     */
    RoceIdealFct(uint32_t mtu, uint64_t messageBytes);

    /**
     * @param path the links in the order in which they are crossed
     * @param bytes payload of the flow, bytes
     * @return ideal flow completion time, picoseconds
     */
    RocePs Compute(const std::vector<RoceTopologyLink>& path, uint64_t bytes) const;

  private:
    uint32_t m_mtu;          //!< payload of a full packet, bytes
    uint64_t m_messageBytes; //!< largest message, bytes
};

} // namespace ns3

#endif /* ROCE_IDEAL_FCT_H */
