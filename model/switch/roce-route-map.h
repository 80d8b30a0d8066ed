/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_ROUTE_MAP_H
#define ROCE_ROUTE_MAP_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Hash table from address prefixes of one length to numbers (open addressing, linear
 * probing).
 *
 * A look-up that hits touches one cache line in the common case. At most half of the slots are
 * used.
 *
 * @tparam Key an unsigned integer, or a type with == and uint64_t Fold() const
 */
template <typename Key>
class RoceRouteMap
{
  public:
    static constexpr uint32_t NONE = 0xffffffff; //!< no such key; never stored

    /**
     * @param key a key
     * @return its value, or NONE
     */
    uint32_t Find(const Key& key) const
    {
        if (m_slots.empty())
        {
            return NONE;
        }
        for (size_t i = Home(key);; i = (i + 1) & m_mask)
        {
            const Slot& slot = m_slots[i];
            if (slot.value == NONE || slot.key == key)
            {
                return slot.value;
            }
        }
    }

    /**
     * Insert a key or change its value.
     * @param key the key
     * @param value its value, not NONE
     */
    void Set(const Key& key, uint32_t value)
    {
        if (2 * (m_size + 1) > m_slots.size())
        {
            Grow();
        }
        Slot& slot = m_slots[Locate(key)];
        m_size += slot.value == NONE;
        slot = {key, value};
    }

    /**
     * @param key the key
     * @return true if it was there
     */
    bool Erase(const Key& key)
    {
        if (Find(key) == NONE)
        {
            return false;
        }
        size_t hole = Locate(key);
        // Close the gap: move back every later key of the run whose home is not after the hole.
        for (size_t i = (hole + 1) & m_mask; m_slots[i].value != NONE; i = (i + 1) & m_mask)
        {
            if (((i - Home(m_slots[i].key)) & m_mask) >= ((i - hole) & m_mask))
            {
                m_slots[hole] = m_slots[i];
                hole = i;
            }
        }
        m_slots[hole].value = NONE;
        m_size--;
        return true;
    }

    /// @return number of keys
    size_t GetSize() const
    {
        return m_size;
    }

    /// @return all keys and values, in no particular order
    std::vector<std::pair<Key, uint32_t>> GetAll() const
    {
        std::vector<std::pair<Key, uint32_t>> all;
        for (const Slot& slot : m_slots)
        {
            if (slot.value != NONE)
            {
                all.emplace_back(slot.key, slot.value);
            }
        }
        return all;
    }

  private:
    /// A key and its value.
    struct Slot
    {
        Key key{};            //!< the key
        uint32_t value{NONE}; //!< its value, NONE in a free slot
    };

    /**
     * @param value an integer key
     * @return 64 bits that tell it apart
     */
    static uint64_t Fold(uint32_t value)
    {
        return value;
    }

    /**
     * @tparam T a key type with a Fold() of its own
     * @param key the key
     * @return 64 bits that tell it apart as far as possible
     */
    template <typename T>
    static uint64_t Fold(const T& key)
    {
        return key.Fold();
    }

    /**
     * @param key a key
     * @return the slot where its search starts
     */
    size_t Home(const Key& key) const
    {
        return static_cast<size_t>((Fold(key) * 0x9e3779b97f4a7c15ULL) >> m_shift);
    }

    /**
     * @param key a key
     * @return the slot that holds it or would hold it
     */
    size_t Locate(const Key& key) const
    {
        size_t i = Home(key);
        while (m_slots[i].value != NONE && !(m_slots[i].key == key))
        {
            i = (i + 1) & m_mask;
        }
        return i;
    }

    /// Double the number of slots.
    void Grow()
    {
        std::vector<Slot> old(m_slots.empty() ? 8 : 2 * m_slots.size());
        old.swap(m_slots);
        m_mask = m_slots.size() - 1;
        m_shift = 64;
        for (size_t slots = m_slots.size(); slots > 1; slots /= 2)
        {
            m_shift--;
        }
        for (const Slot& slot : old)
        {
            if (slot.value != NONE)
            {
                m_slots[Locate(slot.key)] = slot;
            }
        }
    }

    std::vector<Slot> m_slots; //!< slots, a power of two of them or none
    size_t m_mask{0};          //!< number of slots less one
    size_t m_size{0};          //!< number of keys
    uint32_t m_shift{64};      //!< 64 less the binary logarithm of the number of slots
};

} // namespace ns3

#endif /* ROCE_ROUTE_MAP_H */
