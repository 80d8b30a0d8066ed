/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_MEMORY_TABLE_H
#define RDMA_MEMORY_TABLE_H

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Rights of a memory region or queue pair: the values of ibv_access_flags.
 */
enum RdmaAccess : uint8_t
{
    RDMA_LOCAL_WRITE = 1,   //!< receive buffers and results may be written
    RDMA_REMOTE_WRITE = 2,  //!< the peer may write
    RDMA_REMOTE_READ = 4,   //!< the peer may read
    RDMA_REMOTE_ATOMIC = 8, //!< the peer may do atomics
    RDMA_ALL_ACCESS = 15,   //!< everything
};

/**
 * @ingroup roce
 * @brief A registered piece of host memory (ibv_mr).
 */
struct RdmaMemoryRegion
{
    uint64_t address{0};             //!< first address
    uint64_t length{0};              //!< bytes
    uint32_t rKey{0};                //!< key that the peer must show
    uint8_t access{RDMA_ALL_ACCESS}; //!< sum of RdmaAccess
    std::vector<uint8_t> storage;    //!< the bytes; empty if only sizes matter
};

/**
 * @ingroup roce
 * @brief The memory that a NIC lets its peers reach: regions, keys, bounds, rights.
 *
 * As long as nothing is registered the memory is open: every key and address is accepted, which is
 * what simulations of traffic want. With the first region, accesses are checked as hardware does.
 */
class RdmaMemoryTable
{
  public:
    /**
     * Register memory (ibv_reg_mr).
     * @param address first address; 0 chooses one
     * @param length bytes, at least 1
     * @param access sum of RdmaAccess
     * @param withStorage true to keep the bytes
     * @return the region; its reference stays valid until it is deregistered
     */
    const RdmaMemoryRegion& Register(uint64_t address,
                                     uint64_t length,
                                     uint8_t access,
                                     bool withStorage);
    /**
     * Remove a region (ibv_dereg_mr, or SEND with invalidate).
     * @param rKey its key
     * @return false if there is no such region
     */
    bool Deregister(uint32_t rKey);
    /**
     * @param rKey a key
     * @return the region, or null
     */
    RdmaMemoryRegion* Find(uint32_t rKey);

    /**
     * May a peer do this?
     * @param rKey key that it shows
     * @param address first address
     * @param length bytes; 0 needs no valid key
     * @param access the right that is needed
     * @return true if it may
     */
    bool Allows(uint32_t rKey, uint64_t address, uint64_t length, RdmaAccess access) const;

    /**
     * @param rKey key
     * @param address first address; the access is allowed
     * @param bytes what to write; null leaves the memory as it is
     */
    void Write(uint32_t rKey, uint64_t address, Ptr<const Packet> bytes);
    /**
     * @param rKey key
     * @param address first address; the access is allowed
     * @param length bytes
     * @return the bytes, or null if the region keeps none
     */
    Ptr<Packet> Read(uint32_t rKey, uint64_t address, uint32_t length) const;
    /**
     * @param rKey key
     * @param address address of a 64-bit word; the access is allowed
     * @return the word (big-endian in storage)
     */
    uint64_t ReadWord(uint32_t rKey, uint64_t address) const;
    /**
     * @param rKey key
     * @param address address of a 64-bit word; the access is allowed
     * @param value the new word
     */
    void WriteWord(uint32_t rKey, uint64_t address, uint64_t value);

  private:
    static constexpr uint32_t FIRST_KEY = 0x1000;             //!< first key given out
    static constexpr uint64_t FIRST_ADDRESS = 0x7f0000000000; //!< first address chosen
    static constexpr uint64_t PAGE_BYTES = 4096;              //!< alignment of chosen addresses
    static constexpr uint32_t WORD_BYTES = 8;                 //!< length of an atomic operand

    /// The region keeps no bytes.
    static constexpr std::size_t NOT_KEPT = SIZE_MAX;

    /**
     * @param rKey key
     * @param address first address
     * @param length bytes
     * @return index of the first byte in the storage of the region, or NOT_KEPT
     */
    std::size_t Locate(uint32_t rKey, uint64_t address, uint64_t length) const;

    std::map<uint32_t, RdmaMemoryRegion> m_regions; //!< by key
    std::map<uint64_t, uint64_t> m_words;           //!< atomic words of memory without storage
    uint32_t m_nextKey{FIRST_KEY};                  //!< next key to give out
    uint64_t m_nextAddress{FIRST_ADDRESS};          //!< next address to choose
    bool m_checks{false};                           //!< a region has been registered
};

} // namespace ns3

#endif /* RDMA_MEMORY_TABLE_H */
