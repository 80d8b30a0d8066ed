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
 * forwards, switches and NICs add nothing and the receiver acknowledges the last packet at once.
 *
 * A packet with payload p takes w(p) = p + pad + 82 bytes of link time: Ethernet 14, IPv4 20, UDP
 * 8, BTH 12, ICRC 4, FCS 4, preamble 8 and gap 12; the first of a message has 16 more (RETH). An
 * acknowledgment takes 86. The gap follows the frame, so the last bit of a frame is at the far end
 * of link j after c_j(w) = (w - 12) * 8 / R_j + D_j. In a tandem of store-and-forward links packet
 * k leaves link j not before it came and not before packet k - 1 has left:
 *
 *     S(k, j) = max(S(k, j-1) + c_{j-1}(w_k), S(k-1, j) + 8 * w_{k-1} / R_j)
 *
 * so the arrival of the last packet is the longest way through a grid of packets and links. With
 * n packets of which all but the first (w_1) and last (w_n) are equal (w), a longest way crosses
 * links 1..p with the first packet, p+1..q with a middle one and the rest with the last:
 *
 *     max over 0 <= p <= q < h of
 *       sum_{j<=p} c_j(w_1) + 8 w_1 / R_{p+1} + (n-3) max_{p<j<=q+1} (8 w / R_j) + 8 w / R_{q+1}
 *       + sum_{p<j<=q} c_j(w) + sum_{j>q} c_j(w_n)
 *
 * (for n = 2 q = p and there is no w; for n = 1 it is the sum of all c_j(w_1)). The acknowledgment
 * adds the sum of c_j(86). A flow longer than one message carries one RETH more per message; these
 * bytes are added at the slowest link.
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
