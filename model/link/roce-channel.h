/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_CHANNEL_H
#define ROCE_CHANNEL_H

#include "roce-clock.h"

#include "ns3/channel.h"
#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>

namespace ns3
{

class RoceNetDevice;

/**
 * @ingroup roce
 * @brief A full-duplex cable between two ports.
 *
 * A cable is a pipe: frames leave it in the order in which they entered. So each direction keeps
 * its frames in a queue with their arrival times and needs one pending event, whatever is in
 * flight. PFC frames travel in a lane of their own, because the receiving MAC acts on them before
 * the switching pipeline whose latency the arrival time of the other frames contains.
 */
class RoceChannel : public Channel
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RoceChannel();
    ~RoceChannel() override;

    /**
     * Plug a port in.
     * @param device the port; exactly two can be attached
     * @return the end it sits at, 0 or 1
     */
    uint8_t Attach(Ptr<RoceNetDevice> device);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /**
     * @param end 0 or 1
     * @return the port at that end, or null
     */
    Ptr<RoceNetDevice> GetRoceDevice(uint8_t end) const;

    /// @return propagation delay, picoseconds
    RocePs GetDelay() const
    {
        return m_delayPs;
    }

    /**
     * Carry a frame to the other end; frame->time is the time at which it arrives there.
     * @param frame the frame
     * @param end end that sends, 0 or 1
     */
    virtual void Transmit(RoceFramePtr frame, uint8_t end);

    /**
     * @param end end that sends
     * @return true if nothing but PFC frames is on its way from that end
     */
    bool IsIdle(uint8_t end) const
    {
        return m_lane[end]->fifo.IsEmpty();
    }

    /// Lose everything that is on its way in both directions.
    void Flush();

  protected:
    void DoDispose() override;

  private:
    /// Frames on their way in one direction, with the event that delivers the first one.
    struct Lane : public EventImpl
    {
        void Notify() override;
        /// Schedule the event for the first frame.
        void Arm();

        RoceFrameFifo fifo;               //!< frames in flight
        RoceNetDevice* receiver{nullptr}; //!< port at the far end
        RoceNetDevice* sender{nullptr};   //!< port at the near end
        uint32_t context{0};              //!< node of the receiver
        bool armed{false};                //!< is an event pending?
        bool refills{false};              //!< ask the sender for more when empty?
    };

    /// Number of lanes: data of both directions, then PFC of both.
    static constexpr uint8_t N_LANES = 4;

    /// @param delay propagation delay
    void SetDelay(Time delay);
    /// @return propagation delay
    Time GetDelayTime() const;

    std::array<Ptr<RoceNetDevice>, 2> m_device; //!< the two ends
    uint8_t m_nDevices{0};                      //!< number of ends in use
    RocePs m_delayPs{0};                        //!< propagation delay
    std::array<Ptr<Lane>, N_LANES> m_lane;      //!< frames in flight
};

} // namespace ns3

#endif /* ROCE_CHANNEL_H */
