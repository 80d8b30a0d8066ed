/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-headroom.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <array>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceHeadroom");

namespace
{

/// Value of a table at a rate.
struct TableEntry
{
    uint64_t rate;  //!< Mb/s
    uint64_t value; //!< value in bit times, or in quanta
};

/// Response times of IEEE 802.3 (clause 31B and its per-speed notes), quanta.
constexpr std::array<TableEntry, 10> RESPONSE_QUANTA{{
    {100, 1},
    {1000, 2},
    {10000, 60},
    {25000, 80},
    {40000, 118},
    {50000, 147},
    {100000, 394},
    {200000, 453},
    {400000, 905},
    {800000, 905},
}};

/// Sublayer delays of IEEE 802.3 (PHY, PCS, MAC of one end), bit times; none is listed above 100G.
constexpr std::array<TableEntry, 4> INTERFACE_BIT_TIMES{{
    {10000, 8192},
    {25000, 6144},
    {40000, 24576},
    {100000, 122880},
}};

/**
 * @param a first factor, at most 2^44
 * @param b second factor, at most 2^63
 * @return a * b / 10^12, rounded up
 */
uint64_t
MultiplyPerTera(uint64_t a, uint64_t b)
{
    constexpr uint64_t MEGA = 1'000'000;
    // (a1 M + a0) (b1 M + b0) / M^2, so that no product needs more than 64 bits.
    const uint64_t a1 = a / MEGA;
    const uint64_t a0 = a % MEGA;
    const uint64_t b1 = b / MEGA;
    const uint64_t b0 = b % MEGA;
    const uint64_t middle = a1 * b0 + a0 * b1;
    const uint64_t low = (middle % MEGA) * MEGA + a0 * b0;
    return a1 * b1 + middle / MEGA + (low + MEGA * MEGA - 1) / (MEGA * MEGA);
}

/**
 * Value at a rate by the rule in the description of RoceHeadroom.
 * @tparam N number of entries
 * @param table entries in ascending order of rate
 * @param bitsPerSecond rate
 * @return value
 */
template <size_t N>
uint64_t
Interpolate(const std::array<TableEntry, N>& table, uint64_t bitsPerSecond)
{
    constexpr uint64_t MBPS = 1'000'000;
    NS_ABORT_MSG_IF(bitsPerSecond == 0, "RoceHeadroom: the rate of a link must not be 0");
    size_t next = 0;
    while (next < N && table[next].rate * MBPS < bitsPerSecond)
    {
        next++;
    }
    if (next < N && table[next].rate * MBPS == bitsPerSecond)
    {
        return table[next].value;
    }
    if (next == 0 || next == N)
    {
        // The same time at another rate: bit times in proportion to the rate.
        const TableEntry& nearest = next == 0 ? table.front() : table.back();
        const uint64_t nearestRate = nearest.rate * MBPS;
        return nearest.value * (bitsPerSecond / nearestRate) +
               (nearest.value * (bitsPerSecond % nearestRate) + nearestRate - 1) / nearestRate;
    }
    const TableEntry& low = table[next - 1];
    const TableEntry& high = table[next];
    const uint64_t span = (high.rate - low.rate) * MBPS;
    const uint64_t above = bitsPerSecond - low.rate * MBPS;
    // Written as a weighted mean, because the value may fall as the rate grows.
    return (low.value * (span - above) + high.value * above + span - 1) / span;
}

} // namespace

uint64_t
RoceHeadroom::GetBytes(const Link& link)
{
    constexpr uint64_t QUANTUM_BITS = 512;
    constexpr uint64_t WIRE_OVERHEAD = RoceFrame::PREAMBLE_BYTES + RoceFrame::GAP_BYTES;
    NS_ABORT_MSG_IF(link.delay < 0 || link.responseTime < STANDARD_RESPONSE,
                    "RoceHeadroom: delay " << link.delay << " ps and response time "
                                           << link.responseTime << " ps must not be negative");
    const uint64_t response = link.responseTime == STANDARD_RESPONSE
                                  ? GetResponseQuanta(link.rate) * QUANTUM_BITS
                                  : MultiplyPerTera(link.rate, link.responseTime);
    const uint64_t interfaces = link.interfaceDelay ? 2 * GetInterfaceBitTimes(link.rate) : 0;
    const uint64_t frameBytes = link.localFrameBytes + WIRE_OVERHEAD + link.peerFrameBytes +
                                WIRE_OVERHEAD + RoceFrame::MIN_FRAME_BYTES + WIRE_OVERHEAD;
    const uint64_t bits =
        MultiplyPerTera(link.rate, 2 * static_cast<uint64_t>(link.delay)) + interfaces + response;
    NS_LOG_LOGIC("frames " << frameBytes << " B, cable, interfaces and response " << bits
                           << " bits");
    const uint64_t bytes = frameBytes + (bits + 7) / 8;
    const auto [numerator, denominator] = GetCellFactor(link.cellBytes);
    return bytes / denominator * numerator +
           (bytes % denominator * numerator + denominator - 1) / denominator;
}

std::pair<uint64_t, uint64_t>
RoceHeadroom::GetCellFactor(uint32_t cellBytes)
{
    NS_ABORT_MSG_IF(cellBytes == 0, "RoceHeadroom: the cell size must not be 0");
    constexpr uint64_t SMALLEST = RoceFrame::MIN_FRAME_BYTES;
    const uint64_t cell = cellBytes;
    const uint64_t smallest = (SMALLEST + cell - 1) / cell * cell;
    // The shortest frame with one byte in its last cell; longer ones waste less.
    const uint64_t full = (SMALLEST - 1 + cell - 1) / cell * cell;
    const uint64_t spilt = full + cell;
    return smallest * (full + 1) >= spilt * SMALLEST ? std::make_pair(smallest, SMALLEST)
                                                     : std::make_pair(spilt, full + 1);
}

uint64_t
RoceHeadroom::GetResponseQuanta(uint64_t bitsPerSecond)
{
    return Interpolate(RESPONSE_QUANTA, bitsPerSecond);
}

uint64_t
RoceHeadroom::GetInterfaceBitTimes(uint64_t bitsPerSecond)
{
    return Interpolate(INTERFACE_BIT_TIMES, bitsPerSecond);
}

} // namespace ns3
