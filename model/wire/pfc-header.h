/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PFC_HEADER_H
#define PFC_HEADER_H

#include "ns3/header.h"

#include <array>
#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup roce
 * @brief MAC control header of an IEEE 802.1Qbb priority flow control (PFC) frame.
 *
 * Each enabled class is paused for its timer, counted in quanta of 512 bit times; zero resumes it.
 * Classes that are not enabled keep their state.
 */
class PfcHeader : public Header
{
  public:
    static constexpr uint16_t OPCODE_PFC = 0x0101; //!< MAC control opcode of PFC
    static constexpr uint32_t CLASSES = 8;         //!< number of traffic classes

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @param opcode MAC control opcode, 0x0101 for PFC
    void SetOpcode(uint16_t opcode);

    /// @return MAC control opcode, 0x0101 for PFC
    uint16_t GetOpcode() const;

    /// @param classEnable enabled classes, bit i for class i
    void SetClassEnable(uint8_t classEnable);

    /// @return enabled classes, bit i for class i
    uint8_t GetClassEnable() const;

    /**
     * @brief Set the timer of a class and enable the class.
     * @param trafficClass the class, 0 to 7
     * @param quanta pause time in quanta of 512 bit times; 0 resumes
     */
    void SetPause(uint8_t trafficClass, uint16_t quanta);

    /**
     * @brief Set the timer of a class without touching the enabled classes.
     * @param trafficClass the class, 0 to 7
     * @param quanta pause time in quanta of 512 bit times
     */
    void SetQuanta(uint8_t trafficClass, uint16_t quanta);

    /**
     * @param trafficClass the class, 0 to 7
     * @return pause time in quanta of 512 bit times
     */
    uint16_t GetQuanta(uint8_t trafficClass) const;

    /**
     * @param trafficClass the class, 0 to 7
     * @return true if the timer of the class counts
     */
    bool IsEnabled(uint8_t trafficClass) const;

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint16_t m_opcode{OPCODE_PFC};            //!< MAC control opcode, 0x0101 for PFC
    uint8_t m_classEnable{0};                 //!< enabled classes, bit i for class i
    std::array<uint16_t, CLASSES> m_quanta{}; //!< timers of all classes
};

} // namespace ns3

#endif /* PFC_HEADER_H */
