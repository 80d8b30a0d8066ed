/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_QOS_MAP_H
#define ROCE_QOS_MAP_H

#include "ns3/object.h"
#include "ns3/roce-frame.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup roce
 * @brief The one map from packet marking to traffic class, queue, scheduler and PFC.
 *
 * NICs and switches of a fabric share one map, installed by RoceHelper, so that an option can never
 * apply on one side of a link only. A traffic class is an egress queue and a PFC priority at once.
 *
 * Defaults: class = DSCP / 8 (what most NICs do), so RoCE data with DSCP 26 is in class 3, and
 * congestion notification packets with DSCP 48 are in class 6; class 3 is lossless; classes 6 and 7
 * have strict priority, the others share the rest by weight.
 */
class RoceQosMap : public Object
{
  public:
    static constexpr uint8_t N_CLASSES = 8; //!< number of traffic classes (IEEE 802.1Q)
    static constexpr uint8_t N_DSCP = 64;   //!< number of DSCP values (RFC 2474)

    /// Which field of a frame decides its class.
    enum Trust
    {
        TRUST_DSCP, //!< the DSCP of the IP header (layer 3)
        TRUST_PCP,  //!< the PCP of the VLAN tag; class 0 without a tag (layer 2)
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RoceQosMap();

    /**
     * @param frame a frame with DSCP and VLAN fields
     * @return its traffic class
     */
    uint8_t Classify(const RoceFrame& frame) const
    {
        if (m_trust == TRUST_PCP)
        {
            return frame.Has(RoceFrame::VLAN) ? m_pcpClass[frame.vlanTci >> 13] : 0;
        }
        return m_dscpClass[frame.dscp & (N_DSCP - 1)];
    }

    /**
     * @param dscp 0 to 63
     * @return the traffic class of packets with that DSCP
     */
    uint8_t GetDscpClass(uint8_t dscp) const;
    /**
     * @param dscp 0 to 63
     * @param trafficClass 0 to 7
     */
    void SetDscpClass(uint8_t dscp, uint8_t trafficClass);
    /**
     * @param pcp 0 to 7
     * @param trafficClass 0 to 7
     */
    void SetPcpClass(uint8_t pcp, uint8_t trafficClass);

    /// @return bit c is set if class c is lossless (PFC is used)
    uint8_t GetLosslessClasses() const
    {
        return m_lossless;
    }

    /// @param classes bit c is set if class c is lossless
    void SetLosslessClasses(uint8_t classes);

    /**
     * @param trafficClass 0 to 7
     * @return true if PFC protects it
     */
    bool IsLossless(uint8_t trafficClass) const
    {
        return ((m_lossless >> trafficClass) & 1) != 0;
    }

    /// @return bit c is set if class c has strict priority over all classes without
    uint8_t GetStrictClasses() const
    {
        return m_strict;
    }

    /// @param classes bit c is set if class c has strict priority
    void SetStrictClasses(uint8_t classes);

    /**
     * @param trafficClass 0 to 7
     * @return its weight among the classes without strict priority
     */
    uint32_t GetWeight(uint8_t trafficClass) const;
    /**
     * @param trafficClass 0 to 7
     * @param weight 1 to 1000
     */
    void SetWeight(uint8_t trafficClass, uint32_t weight);

  private:
    /// @param weights eight numbers separated by commas or blanks
    void SetWeights(std::string weights);
    /// @return the eight weights
    std::string GetWeights() const;

    std::array<uint8_t, N_DSCP> m_dscpClass;    //!< class of each DSCP
    std::array<uint8_t, N_CLASSES> m_pcpClass;  //!< class of each PCP
    std::array<uint32_t, N_CLASSES> m_weight{}; //!< DWRR weight of each class
    uint8_t m_lossless{0};                      //!< lossless classes
    uint8_t m_strict{0};                        //!< strict-priority classes
    Trust m_trust{TRUST_DSCP};                  //!< field that decides
};

} // namespace ns3

#endif /* ROCE_QOS_MAP_H */
