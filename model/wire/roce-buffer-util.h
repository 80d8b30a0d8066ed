/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_BUFFER_UTIL_H
#define ROCE_BUFFER_UTIL_H

#include "ns3/buffer.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Write a 24-bit number in network order, which ns-3's buffers cannot do themselves.
 * @param i where to write; moves forward by three bytes
 * @param value the number, of which the low 24 bits are written
 */
inline void
WriteRoceU24(Buffer::Iterator& i, uint32_t value)
{
    i.WriteU8(static_cast<uint8_t>((value >> 16) & 0xff));
    i.WriteHtonU16(static_cast<uint16_t>(value & 0xffff));
}

/**
 * @ingroup roce
 * @brief Read a 24-bit number in network order.
 * @param i where to read; moves forward by three bytes
 * @return the number
 */
inline uint32_t
ReadRoceU24(Buffer::Iterator& i)
{
    const uint32_t high = i.ReadU8();
    return (high << 16) | i.ReadNtohU16();
}

/**
 * @ingroup roce
 * @brief Read a 16-bit number in network order.
 * @param bytes at least two bytes
 * @return the number
 */
inline uint16_t
ReadRoceU16(const uint8_t* bytes)
{
    return static_cast<uint16_t>((bytes[0] << 8) | bytes[1]);
}

/**
 * @ingroup roce
 * @brief Read a 32-bit number in network order.
 * @param bytes at least four bytes
 * @return the number
 */
inline uint32_t
ReadRoceU32(const uint8_t* bytes)
{
    return (uint32_t{ReadRoceU16(bytes)} << 16) | ReadRoceU16(bytes + 2);
}

/**
 * @ingroup roce
 * @brief Read a 64-bit number in network order.
 * @param bytes at least eight bytes
 * @return the number
 */
inline uint64_t
ReadRoceU64(const uint8_t* bytes)
{
    return (uint64_t{ReadRoceU32(bytes)} << 32) | ReadRoceU32(bytes + 4);
}

} // namespace ns3

#endif /* ROCE_BUFFER_UTIL_H */
