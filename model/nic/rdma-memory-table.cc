/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-memory-table.h"

#include "ns3/abort.h"

namespace ns3
{

const RdmaMemoryRegion&
RdmaMemoryTable::Register(uint64_t address, uint64_t length, uint8_t access, bool withStorage)
{
    NS_ABORT_MSG_IF(length == 0, "RdmaMemoryTable: a region needs at least one byte");
    NS_ABORT_MSG_IF(access > RDMA_ALL_ACCESS,
                    "RdmaMemoryTable: access flags " << +access << " are not within 0 to 15");
    if (address == 0)
    {
        address = m_nextAddress;
        m_nextAddress += (length + 2 * PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }
    NS_ABORT_MSG_IF(address + length < address,
                    "RdmaMemoryTable: " << length << " bytes from " << address
                                        << " exceed the 64-bit address space");
    m_checks = true;
    const uint32_t key = m_nextKey++;
    RdmaMemoryRegion& region = m_regions[key];
    region.address = address;
    region.length = length;
    region.rKey = key;
    region.access = access;
    if (withStorage)
    {
        region.storage.resize(length);
    }
    return region;
}

bool
RdmaMemoryTable::Deregister(uint32_t rKey)
{
    return m_regions.erase(rKey) > 0;
}

RdmaMemoryRegion*
RdmaMemoryTable::Find(uint32_t rKey)
{
    auto found = m_regions.find(rKey);
    return found == m_regions.end() ? nullptr : &found->second;
}

bool
RdmaMemoryTable::Allows(uint32_t rKey, uint64_t address, uint64_t length, RdmaAccess access) const
{
    if (!m_checks || length == 0)
    {
        return true;
    }
    auto found = m_regions.find(rKey);
    if (found == m_regions.end())
    {
        return false;
    }
    const RdmaMemoryRegion& region = found->second;
    return (region.access & access) && address >= region.address && length <= region.length &&
           address - region.address <= region.length - length;
}

std::size_t
RdmaMemoryTable::Locate(uint32_t rKey, uint64_t address, uint64_t length) const
{
    auto found = m_regions.find(rKey);
    if (found == m_regions.end() || found->second.storage.empty())
    {
        return NOT_KEPT;
    }
    const uint64_t offset = address - found->second.address;
    NS_ABORT_MSG_IF(offset + length > found->second.storage.size(),
                    "RdmaMemoryTable: access to " << length << " bytes at " << address
                                                  << " outside of region " << rKey);
    return offset;
}

void
RdmaMemoryTable::Write(uint32_t rKey, uint64_t address, Ptr<const Packet> bytes)
{
    if (!bytes || bytes->GetSize() == 0)
    {
        return;
    }
    const std::size_t offset = Locate(rKey, address, bytes->GetSize());
    if (offset != NOT_KEPT)
    {
        bytes->CopyData(m_regions[rKey].storage.data() + offset, bytes->GetSize());
    }
}

Ptr<Packet>
RdmaMemoryTable::Read(uint32_t rKey, uint64_t address, uint32_t length) const
{
    const std::size_t offset = Locate(rKey, address, length);
    return offset == NOT_KEPT ? nullptr
                              : Create<Packet>(m_regions.at(rKey).storage.data() + offset, length);
}

uint64_t
RdmaMemoryTable::ReadWord(uint32_t rKey, uint64_t address) const
{
    const std::size_t offset = Locate(rKey, address, WORD_BYTES);
    if (offset != NOT_KEPT)
    {
        const std::vector<uint8_t>& storage = m_regions.at(rKey).storage;
        uint64_t value = 0;
        for (uint32_t i = 0; i < WORD_BYTES; i++)
        {
            value = value << 8 | storage[offset + i];
        }
        return value;
    }
    auto found = m_words.find(address);
    return found == m_words.end() ? 0 : found->second;
}

void
RdmaMemoryTable::WriteWord(uint32_t rKey, uint64_t address, uint64_t value)
{
    const std::size_t offset = Locate(rKey, address, WORD_BYTES);
    if (offset != NOT_KEPT)
    {
        std::vector<uint8_t>& storage = m_regions[rKey].storage;
        for (uint32_t i = WORD_BYTES; i-- > 0; value >>= 8)
        {
            storage[offset + i] = static_cast<uint8_t>(value);
        }
        return;
    }
    m_words[address] = value;
}

} // namespace ns3
