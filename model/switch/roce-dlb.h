/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_DLB_H
#define ROCE_DLB_H

#include "roce-load-balancer.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Dynamic load balancing in the manner of switch chips (DLB, adaptive routing and
 * switching).
 *
 * A choice is stickiness x quality x pick:
 *  - stickiness (Mode): how long a choice holds: for a packet, for a flowlet (until the flow set
 * that a flow hashes to was idle for InactivityTime), or for ever;
 *  - quality: 8 bands, 7 the best, from the weighted mean of two levels. A measurement below its
 *    minimum has level 7, at or above its maximum level 0, and six equal steps lie between. One
 *    measures the average load of the port relative to its rate, the other its queued bytes;
 *  - pick (Pick): a random port of the best band present, the better of two different random ports,
 * or a random port.
 *
 * The best band of a group is found again in every SamplePeriod in which a choice is made, as of
 * the first one, so choices cost the same however many ports there are. Only IPv4 and IPv6 frames
 * are eligible; others (RoCEv1) are hashed. Ages of flowlets are evaluated when a frame comes;
 * there is no sweep.
 *
 * LetFlow is Mode=FLOWLET with Pick=RANDOM, packet spraying Mode=PER_PACKET with Pick=RANDOM.
 */
class RoceDlb : public RoceLoadBalancer
{
  public:
    /// How long a choice holds.
    enum Mode
    {
        FLOWLET,    //!< until the flow set was idle for InactivityTime
        PER_PACKET, //!< for one packet; receivers must tolerate reordering
        ASSIGNED,   //!< for ever, unless the port is withdrawn
    };

    /// Which port is chosen.
    enum Pick
    {
        BEST,        //!< a random one of the best quality band present
        TWO_CHOICES, //!< the better one of two random ports
        RANDOM,      //!< any
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RoceDlb();
    ~RoceDlb() override;

    RocePs GetSamplePeriod() const override;
    int64_t AssignStreams(int64_t stream) override;

    /**
     * Quality of a port now.
     * @param port the port
     * @param now current time
     * @param loads state of the ports
     * @return band, 0 (worst) to 7 (best)
     */
    uint8_t GetQuality(uint16_t port, RocePs now, const RocePortLoads& loads) const;

    /**
     * Signature of the Reroute trace source.
     * @param groupId group of the flow set
     * @param flowSet number of the flow set in the group
     * @param from port before
     * @param to port from now on
     * @param now time of the frame, picoseconds
     */
    typedef void (*RerouteCallback)(uint32_t groupId,
                                    uint32_t flowSet,
                                    uint16_t from,
                                    uint16_t to,
                                    int64_t now);

  protected:
    void NotifyConstructionCompleted() override;

  private:
    /// The choice that holds for the flows of one flow set.
    struct FlowSet
    {
        RocePs last{-1};     //!< time of the last frame, -1: never used
        uint32_t version{0}; //!< version of the group when port was last known to be a member
        uint16_t port{0};    //!< the choice
    };

    /// What is kept for a port group.
    struct GroupState
    {
        std::vector<FlowSet> flowSets;    //!< flow-set table, empty in mode PER_PACKET
        std::vector<uint16_t> candidates; //!< ports of the best band
        RocePs sample{-1};                //!< number of the period candidates belong to
        uint32_t version{0};              //!< version of the group candidates belong to
    };

    uint16_t DoSelect(const RocePortGroup& group,
                      const RoceFrame& frame,
                      RocePs now,
                      const RocePortLoads& loads) override;

    /**
     * Make a new choice.
     * @param state state of the group
     * @param group the ports to choose from
     * @param now current time
     * @param loads state of the ports
     * @return the port
     */
    uint16_t PickPort(GroupState& state,
                      const RocePortGroup& group,
                      RocePs now,
                      const RocePortLoads& loads);
    /**
     * @param ports ports to choose from, at least one
     * @return a random one
     */
    uint16_t PickRandom(const std::vector<uint16_t>& ports);
    /**
     * Bring the candidates of a group up to date.
     * @param state state of the group
     * @param group the ports to choose from
     * @param now current time
     * @param loads state of the ports
     */
    void UpdateCandidates(GroupState& state,
                          const RocePortGroup& group,
                          RocePs now,
                          const RocePortLoads& loads) const;

    Mode m_mode{FLOWLET};     //!< stickiness
    Pick m_pick{BEST};        //!< pick
    uint32_t m_flowSets{0};   //!< flow sets per group
    Time m_inactivity;        //!< idle time that ends a flowlet
    Time m_samplePeriod;      //!< sampling period of loads and qualities
    double m_minLoad{0.0};    //!< load of level 7 and better, as a share of the rate
    double m_maxLoad{0.0};    //!< load of level 0, as a share of the rate
    uint64_t m_minQueue{0};   //!< queue of level 7 and better at m_queueRate, bytes
    uint64_t m_maxQueue{0};   //!< queue of level 0 at m_queueRate, bytes
    DataRate m_queueRate;     //!< port rate that m_minQueue and m_maxQueue are meant for
    double m_loadWeight{0.0}; //!< weight of the load level, the rest is that of the queue level
    Ptr<UniformRandomVariable> m_random; //!< breaks ties
    std::vector<GroupState> m_groups;    //!< state of groups, by their ids

    /// A flow set changed its port.
    TracedCallback<uint32_t, uint32_t, uint16_t, uint16_t, int64_t> m_rerouteTrace;
};

} // namespace ns3

#endif /* ROCE_DLB_H */
