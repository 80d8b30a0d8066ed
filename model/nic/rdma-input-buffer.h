/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_INPUT_BUFFER_H
#define RDMA_INPUT_BUFFER_H

#include "ns3/data-rate.h"
#include "ns3/object.h"
#include "ns3/roce-alarm.h"
#include "ns3/roce-frame.h"

#include <array>
#include <cstdint>

namespace ns3
{

class RdmaEngine;

/**
 * @ingroup roce
 * @brief What a NIC does with frames that arrive faster than it can work them off, because its PCIe
 * slot, its caches or the memory of the host are slow: they wait in a buffer, and a class that
 * holds too much of it is paused by PFC.
 *
 * Each RdmaEngine has one; it does nothing unless Rate is set. Frames of all kinds leave it in the
 * order of their arrival, each after frame bytes x 8 / Rate. A class is paused when Xoff bytes of
 * it wait and resumed when it is down to Xon. A frame that does not fit any more is dropped, which
 * happens to classes without PFC, and to others if Size - Xoff is less than what is under way.
 */
class RdmaInputBuffer : public Object
{
  public:
    static constexpr uint8_t N_CLASSES = 8; //!< number of traffic classes

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaInputBuffer();
    ~RdmaInputBuffer() override;

    /**
     * @param engine NIC that it belongs to
     * @param context ID of its node
     */
    void SetEngine(RdmaEngine* engine, uint32_t context);

    /// @return true if the NIC is slow
    bool IsEnabled() const
    {
        return m_bitRate > 0;
    }

    /**
     * Take a frame.
     * @param frame the frame, which is handed to RdmaEngine::Deliver() in due time
     * @param now time of its arrival
     */
    void Push(RoceFramePtr frame, RocePs now);
    /**
     * The link went up or down, so that all pauses are forgotten.
     * @param up new state
     * @param now current time
     */
    void LinkChanged(bool up, RocePs now);

    /// @return bytes that wait
    uint64_t GetBytes() const;
    /// @return most bytes that have ever waited
    uint64_t GetPeakBytes() const;
    /// @return frames dropped because they did not fit
    uint64_t GetDrops() const;

    /// @param rate frame bits that are worked off per second; 0 means as fast as they arrive
    void SetRate(DataRate rate);
    /// @return frame bits that are worked off per second; 0 means as fast as they arrive
    DataRate GetRate() const;

  protected:
    void DoDispose() override;

  private:
    /// @param now time up to which frames are worked off
    void Drain(RocePs now);
    /// @param now end of the work on the first frame
    void Finish(RocePs now);
    /**
     * Start the work on the first frame.
     * @param now current time
     */
    void StartNext(RocePs now);
    /**
     * Pause a class.
     * @param trafficClass the class
     * @param now current time
     */
    void Hold(uint8_t trafficClass, RocePs now);

    uint64_t m_bitRate{0};                        //!< rate of the work, bit/s; 0: no limit
    uint64_t m_carry{0};                          //!< remainder of the last division
    RocePs m_doneAt{0};                           //!< end of the work on the first frame
    uint64_t m_size{0};                           //!< room, bytes
    uint64_t m_xoff{0};                           //!< pause threshold, bytes
    uint64_t m_xon{0};                            //!< resume threshold, bytes
    RoceFrameFifo m_fifo;                         //!< frames that wait
    uint64_t m_bytes{0};                          //!< their bytes
    uint64_t m_peakBytes{0};                      //!< most of that so far
    uint64_t m_drops{0};                          //!< frames that did not fit
    std::array<uint64_t, N_CLASSES> m_classBytes; //!< their bytes by class
    uint8_t m_held{0};                            //!< classes that are paused
    RdmaEngine* m_engine{nullptr};                //!< the NIC
    RoceAlarm<RdmaInputBuffer, &RdmaInputBuffer::Drain> m_alarm; //!< wakes Drain()
};

} // namespace ns3

#endif /* RDMA_INPUT_BUFFER_H */
