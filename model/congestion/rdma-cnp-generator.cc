/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-cnp-generator.h"

#include "ns3/log.h"
#include "ns3/roce-clock.h"
#include "ns3/roce-compat.h"
#include "ns3/uinteger.h"

#include <cstring>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaCnpGenerator");
NS_OBJECT_ENSURE_REGISTERED(RdmaCnpGenerator);

TypeId
RdmaCnpGenerator::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaCnpGenerator")
            .SetParent<Object>()
            .SetGroupName("Roce")
            .AddConstructor<RdmaCnpGenerator>()
            .AddAttribute("CnpInterval",
                          "Least time between two CNPs of one Scope, N; 0 answers every marked "
                          "packet. 50 us in the DCQCN paper; NVIDIA MIN_TIME_BETWEEN_CNPS is 0, "
                          "2 or 4 us.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaCnpGenerator::m_interval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "Scope",
                "What CnpInterval is kept for: each queue pair, each sender's IP "
                "address, or the port. The paper has one per flow; firmware differs.",
                EnumValue(PER_QP),
                MakeRoceEnumAccessor<Scope>(&RdmaCnpGenerator::m_scope),
                MakeEnumChecker(PER_QP, "PER_QP", PER_ADDRESS, "PER_ADDRESS", PER_PORT, "PER_PORT"))
            .AddAttribute("CnpDscp",
                          "DSCP of CNPs, which decides their traffic class (NVIDIA CNP_DSCP, 48).",
                          UintegerValue(48),
                          MakeUintegerAccessor(&RdmaCnpGenerator::m_cnpDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("ProcessingDelay",
                          "Time from the arrival of a marked packet to the CNP being ready to be "
                          "sent, to model slow firmware.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaCnpGenerator::m_processingDelay),
                          MakeTimeChecker(Time(0)));
    return tid;
}

RdmaCnpGenerator::RdmaCnpGenerator()
    : m_sent(0),
      m_suppressed(0)
{
}

RdmaCnpGenerator::~RdmaCnpGenerator() = default;

bool
RdmaCnpGenerator::ShouldSend(uint32_t qpn, const RoceAddressBytes& peer, RocePs now)
{
    while (!m_expiry.empty() && m_expiry.front().first <= now)
    {
        m_recent.erase(m_expiry.front().second);
        m_expiry.pop_front();
    }

    const RocePs interval = RoceClock::FromTime(m_interval);
    if (interval > 0)
    {
        const RoceAddressBytes key = MakeKey(qpn, peer);
        if (!m_recent.insert(key).second)
        {
            m_suppressed++;
            return false;
        }
        m_expiry.emplace_back(now + interval, key);
    }
    NS_LOG_LOGIC("CNP from QP " << qpn << " at " << now << " ps");
    m_sent++;
    return true;
}

uint8_t
RdmaCnpGenerator::GetCnpDscp() const
{
    return m_cnpDscp;
}

RocePs
RdmaCnpGenerator::GetProcessingDelay() const
{
    return RoceClock::FromTime(m_processingDelay);
}

uint64_t
RdmaCnpGenerator::GetSent() const
{
    return m_sent;
}

uint64_t
RdmaCnpGenerator::GetSuppressed() const
{
    return m_suppressed;
}

std::size_t
RdmaCnpGenerator::GetRemembered() const
{
    return m_recent.size();
}

RoceAddressBytes
RdmaCnpGenerator::MakeKey(uint32_t qpn, const RoceAddressBytes& peer) const
{
    RoceAddressBytes key{};
    switch (m_scope)
    {
    case PER_QP:
        std::memcpy(key.data(), &qpn, sizeof(qpn));
        break;
    case PER_ADDRESS:
        key = peer;
        break;
    case PER_PORT:
        break;
    }
    return key;
}

std::size_t
RdmaCnpGenerator::KeyHash::operator()(const RoceAddressBytes& key) const
{
    uint64_t half[2];
    static_assert(sizeof(half) == sizeof(key));
    std::memcpy(half, key.data(), sizeof(half));
    // Multiplicative hashing: the high bits depend on all lower ones, so fold them down.
    const uint64_t mixed = (half[0] ^ (half[1] * 0x9e3779b97f4a7c15)) * 0xd6e8feb86659fd93;
    return static_cast<std::size_t>(mixed ^ (mixed >> 32));
}

} // namespace ns3
