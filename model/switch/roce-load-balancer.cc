/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-load-balancer.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceLoadBalancer");

NS_OBJECT_ENSURE_REGISTERED(RoceLoadBalancer);

namespace
{

/**
 * Add a value to a hash.
 * @param hash hash of the values before
 * @param value the value
 * @return hash of all of them
 */
uint64_t
Combine(uint64_t hash, uint64_t value)
{
    return RoceLoadBalancer::Mix(hash ^ (value + 0x9e3779b97f4a7c15ULL));
}

/**
 * Add an address to a hash.
 * @param hash hash of the values before
 * @param address the address, IPv4 ones followed by zeros
 * @return hash of all of them
 */
uint64_t
Combine(uint64_t hash, const RoceAddressBytes& address)
{
    // Bytes are put together by value: the result must not depend on the byte order of the machine.
    for (size_t i = 0; i < address.size(); i += 8)
    {
        uint64_t word = 0;
        for (size_t j = 0; j < 8; j++)
        {
            word = word << 8 | address[i + j];
        }
        hash = Combine(hash, word);
    }
    return hash;
}

/**
 * @param frame a frame
 * @param fields bits of RoceLoadBalancer::HashField
 * @return hash of the fields of FIVE_TUPLE among them
 */
uint64_t
HashFiveTuple(const RoceFrame& frame, uint32_t fields)
{
    uint64_t hash = 0;
    if (fields & RoceLoadBalancer::SOURCE)
    {
        hash = Combine(hash, frame.source);
    }
    if (fields & RoceLoadBalancer::DESTINATION)
    {
        hash = Combine(hash, frame.destination);
    }
    if (fields & RoceLoadBalancer::UDP_SOURCE_PORT)
    {
        hash = Combine(hash, frame.udpSourcePort);
    }
    return hash;
}

} // namespace

TypeId
RoceLoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceLoadBalancer")
            .SetParent<Object>()
            .SetGroupName("Roce")
            .AddAttribute(
                "Seed",
                "Seed of the hash, common to all switches. Another seed is another "
                "assignment of flows to paths.",
                UintegerValue(1),
                MakeUintegerAccessor(&RoceLoadBalancer::SetSeed, &RoceLoadBalancer::GetSeed),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "PerSwitchSeed",
                "Mix the number of the switch into the seed. False gives all switches the "
                "same hash function, so that consecutive tiers are polarized.",
                BooleanValue(true),
                MakeBooleanAccessor(&RoceLoadBalancer::SetPerSwitchSeed,
                                    &RoceLoadBalancer::GetPerSwitchSeed),
                MakeBooleanChecker())
            .AddAttribute(
                "HashFields",
                "Sum of the fields to hash: 1 source address, 2 destination address, 4 UDP "
                "source port, 8 BTH destination QP, 16 BTH opcode, 32 ingress port. The "
                "default 7 is the 5-tuple.",
                UintegerValue(FIVE_TUPLE),
                MakeUintegerAccessor(&RoceLoadBalancer::m_hashFields),
                MakeUintegerChecker<uint32_t>(1, 63));
    return tid;
}

RoceLoadBalancer::~RoceLoadBalancer() = default;

uint16_t
RoceLoadBalancer::Select(const RocePortGroup& group,
                         const RoceFrame& frame,
                         RocePs now,
                         const RocePortLoads& loads)
{
    if (group.ports.size() == 1 && group.members.size() == 1)
    {
        return group.ports.front();
    }
    NS_ABORT_MSG_IF(group.ports.empty(),
                    "RoceLoadBalancer: all ports of group " << group.id << " are withdrawn");
    return DoSelect(group, frame, now, loads);
}

RocePs
RoceLoadBalancer::GetSamplePeriod() const
{
    return 0;
}

int64_t
RoceLoadBalancer::AssignStreams(int64_t)
{
    return 0;
}

uint64_t
RoceLoadBalancer::Mix(uint64_t value)
{
    // Rounds of xor-shift and multiplication by an odd constant: both steps can be undone, so no
    // two inputs fall together; the shifts carry high bits down and the products carry low bits up.
    constexpr int ROUNDS = 2;
    for (int i = 0; i < ROUNDS; i++)
    {
        value ^= value >> 32;
        value *= 0xd6e8feb86659fd93ULL;
    }
    value ^= value >> 32;
    return value;
}

uint32_t
RoceLoadBalancer::Hash(const RoceFrame& frame) const
{
    uint64_t hash = m_effectiveSeed;
    const bool wholeTuple = (m_hashFields & FIVE_TUPLE) == FIVE_TUPLE;
    const bool roce = frame.kind == RoceFrameKind::ROCE;
    if (wholeTuple || !roce)
    {
        hash ^= frame.flowHash ? frame.flowHash : RoceFrameCodec::ComputeFlowHash(frame);
    }
    else
    {
        hash ^= HashFiveTuple(frame, m_hashFields);
    }
    if (m_hashFields & ~static_cast<uint32_t>(FIVE_TUPLE))
    {
        if (roce && (m_hashFields & DEST_QP))
        {
            hash = Combine(hash, frame.destQp);
        }
        if (roce && (m_hashFields & OPCODE))
        {
            hash = Combine(hash, frame.opcode);
        }
        if (m_hashFields & INGRESS_PORT)
        {
            hash = Combine(hash, frame.ingressPort);
        }
    }
    return static_cast<uint32_t>(Mix(hash) >> 32);
}

void
RoceLoadBalancer::SetSwitchId(uint32_t id)
{
    NS_LOG_FUNCTION(this << id);
    m_switchId = id;
    UpdateSeed();
}

void
RoceLoadBalancer::SetSeed(uint32_t seed)
{
    m_seed = seed;
    UpdateSeed();
}

uint32_t
RoceLoadBalancer::GetSeed() const
{
    return m_seed;
}

void
RoceLoadBalancer::SetPerSwitchSeed(bool perSwitch)
{
    m_perSwitchSeed = perSwitch;
    UpdateSeed();
}

bool
RoceLoadBalancer::GetPerSwitchSeed() const
{
    return m_perSwitchSeed;
}

void
RoceLoadBalancer::UpdateSeed()
{
    // Numbers of switches count from 1, so that none of them shares the seed of "not per switch".
    m_effectiveSeed = Combine(m_seed, m_perSwitchSeed ? uint64_t{m_switchId} + 1 : 0);
}

} // namespace ns3
