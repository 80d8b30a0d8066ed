/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CNP_GENERATOR_H
#define RDMA_CNP_GENERATOR_H

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/roce-frame.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_set>
#include <utility>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Notification point (receiver) of DCQCN: decides which marked packets are answered by a
 * CNP.
 *
 * The first marked packet is answered at once; afterwards there is at most one CNP per CnpInterval
 * for each queue pair, peer address or port (attribute Scope). One generator serves one NIC. It
 * remembers only what it answered within the last interval.
 */
class RdmaCnpGenerator : public Object
{
  public:
    /// What the interval is kept for.
    enum Scope
    {
        PER_QP,      //!< each receiving queue pair
        PER_ADDRESS, //!< each sender's IP address
        PER_PORT,    //!< the whole NIC port
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaCnpGenerator();
    ~RdmaCnpGenerator() override;

    /**
     * A data packet marked CE arrived.
     * @param qpn number of the queue pair that received it
     * @param peer IP address of its sender
     * @param now arrival time, not earlier than that of the call before
     * @return true if a CNP must be sent (GetProcessingDelay() later)
     */
    bool ShouldSend(uint32_t qpn, const RoceAddressBytes& peer, RocePs now);

    /// @return the DSCP of CNPs
    uint8_t GetCnpDscp() const;

    /// @return time from the arrival of a marked packet to the CNP being ready to be sent
    RocePs GetProcessingDelay() const;

    /// @return number of marked packets that were answered
    uint64_t GetSent() const;

    /// @return number of marked packets that were not answered because of CnpInterval
    uint64_t GetSuppressed() const;

    /// @return number of queue pairs (addresses, ports) remembered at the last call
    std::size_t GetRemembered() const;

  private:
    /// Hash of a key.
    struct KeyHash
    {
        /**
         * @param key the key
         * @return its hash
         */
        std::size_t operator()(const RoceAddressBytes& key) const;
    };

    /**
     * @param qpn number of the queue pair
     * @param peer IP address of the sender
     * @return what the interval is kept for
     */
    RoceAddressBytes MakeKey(uint32_t qpn, const RoceAddressBytes& peer) const;

    Time m_interval;        //!< least time between CNPs
    Scope m_scope;          //!< what the interval is kept for
    uint8_t m_cnpDscp;      //!< DSCP of CNPs
    Time m_processingDelay; //!< delay before a CNP is ready

    std::unordered_set<RoceAddressBytes, KeyHash> m_recent;   //!< answered in the last interval
    std::deque<std::pair<RocePs, RoceAddressBytes>> m_expiry; //!< when to forget them, in order
    uint64_t m_sent;                                          //!< marked packets answered
    uint64_t m_suppressed;                                    //!< marked packets not answered
};

} // namespace ns3

#endif /* RDMA_CNP_GENERATOR_H */
