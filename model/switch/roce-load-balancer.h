/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_LOAD_BALANCER_H
#define ROCE_LOAD_BALANCER_H

#include "roce-port-group.h"
#include "roce-port-loads.h"

#include "ns3/object.h"
#include "ns3/roce-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Chooses one of the equal-cost ports for a frame.
 *
 * The switch asks for every frame, data and control (ACK, CNP) alike, with the true time of its
 * arrival, which never runs backwards. The answer is always one of RocePortGroup::ports. A group of
 * one member is answered here; an algorithm still sees a group of which one port is left, so that
 * it can remember who uses it when the others come back.
 *
 * What all algorithms share is the hash that tells flows apart. Which fields it covers is an
 * attribute, and it is seeded per switch; equal seeds in consecutive tiers (PerSwitchSeed = false)
 * show polarization: the second tier sees only flows that agree in the hash and uses a part of its
 * ports.
 */
class RoceLoadBalancer : public Object
{
  public:
    /// Fields that the hash of a flow can cover: bits of the HashFields attribute.
    enum HashField : uint32_t
    {
        SOURCE = 1 << 0,                                     //!< source address
        DESTINATION = 1 << 1,                                //!< destination address
        UDP_SOURCE_PORT = 1 << 2,                            //!< UDP source port
        DEST_QP = 1 << 3,                                    //!< BTH destination queue pair
        OPCODE = 1 << 4,                                     //!< BTH opcode
        INGRESS_PORT = 1 << 5,                               //!< port by which the frame came in
        FIVE_TUPLE = SOURCE | DESTINATION | UDP_SOURCE_PORT, //!< what is left to vary in a 5-tuple
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ~RoceLoadBalancer() override;

    /**
     * Choose a port.
     * @param group the ports to choose from, at least one
     * @param frame the frame
     * @param now time of its arrival
     * @param loads state of the ports of this switch
     * @return an element of group.ports
     */
    uint16_t Select(const RocePortGroup& group,
                    const RoceFrame& frame,
                    RocePs now,
                    const RocePortLoads& loads);

    /**
     * Tell this balancer from those of the other switches.
     * @param id number of the switch, for instance its node id
     */
    void SetSwitchId(uint32_t id);

    /**
     * @return period with which port loads must be sampled (see RoceLoadMeter), picoseconds; 0 if
     *         the algorithm does not look at them
     */
    virtual RocePs GetSamplePeriod() const;

    /**
     * Assign fixed streams to the random variables of this object.
     * @param stream first stream to use
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream);

    /**
     * Hash of the selected fields with the seed of this switch. A flow hash stored in the frame is
     * used in place of FIVE_TUPLE; for frames that are not RoCE it is the only known identity.
     * @param frame the frame
     * @return 32 well-mixed bits
     */
    uint32_t Hash(const RoceFrame& frame) const;

    /**
     * Map a hash onto the range from 0 to size - 1 without modulo bias or division.
     * @param hash 32 well-mixed bits
     * @param size size of the range, not 0
     * @return the index
     */
    static uint32_t Reduce(uint32_t hash, uint32_t size)
    {
        return static_cast<uint32_t>((static_cast<uint64_t>(hash) * size) >> 32);
    }

    /**
     * Mix 64 bits so that every input bit flips every output bit with probability one half.
     * @param value input
     * @return output, a bijection of the input
     */
    static uint64_t Mix(uint64_t value);

  private:
    /**
     * Choose one of at least two ports.
     * @param group the ports to choose from
     * @param frame the frame
     * @param now time of its arrival
     * @param loads state of the ports of this switch
     * @return an element of group.ports
     */
    virtual uint16_t DoSelect(const RocePortGroup& group,
                              const RoceFrame& frame,
                              RocePs now,
                              const RocePortLoads& loads) = 0;

    /**
     * @param seed see the Seed attribute
     */
    void SetSeed(uint32_t seed);
    /// @return the Seed attribute
    uint32_t GetSeed() const;
    /**
     * @param perSwitch see the PerSwitchSeed attribute
     */
    void SetPerSwitchSeed(bool perSwitch);
    /// @return the PerSwitchSeed attribute
    bool GetPerSwitchSeed() const;
    /// Recompute m_effectiveSeed.
    void UpdateSeed();

    uint32_t m_seed{0};          //!< seed common to all switches
    bool m_perSwitchSeed{true};  //!< mix the number of the switch into the seed
    uint32_t m_switchId{0};      //!< number of the switch
    uint32_t m_hashFields{0};    //!< fields to hash, bits of HashField
    uint64_t m_effectiveSeed{0}; //!< seed that is mixed into hashes
};

} // namespace ns3

#endif /* ROCE_LOAD_BALANCER_H */
