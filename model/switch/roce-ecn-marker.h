/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_ECN_MARKER_H
#define ROCE_ECN_MARKER_H

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/roce-frame.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Congestion point: decides which frames of an egress queue are marked (RED of DCQCN).
 *
 * With q the bytes in the queue, nothing is marked for q <= Kmin, everything for q > Kmax, and
 * frames in between with probability Pmax (q - Kmin) / (Kmax - Kmin). Frames whose sender does not
 * understand ECN are never marked.
 *
 * q is the instantaneous length, or with Weight w > 0 the average avg = avg + (q - avg) / 2^w taken
 * at every decision. One object serves one queue; with Weight 0 it keeps no state between decisions
 * and queues with the same thresholds may share it.
 *
 * Thresholds that are not given come from Preset, at the rate of the port. Kmin and Kmax may be
 * given in bytes, in cells of the buffer of the switch, or as the time that the port takes to send
 * that many bytes, and so scale with its rate. RoceSwitch tells its markers about the port.
 */
class RoceEcnMarker : public Object
{
  public:
    /// When the owner of the queue asks.
    enum MarkAt
    {
        DEQUEUE, //!< when a frame leaves the queue, so that marks tell about now
        ENQUEUE, //!< when a frame enters the queue
    };

    /// Published threshold sets.
    enum Preset
    {
        HPCC, //!< HPCC and ConWeave simulators: 100 kB, 400 kB, 20 % at 25G, scaled with rate
        DCQCN_PAPER, //!< DCQCN (SIGCOMM 2015): 5 kB, 200 kB, 1 % at 40G, scaled with rate
        DCTCP, //!< HPCC simulator's step for DCTCP: everything above 30 kB at 10G, scaled with rate
        SONIC, //!< SONiC AZURE_LOSSLESS: 1 MiB, 2 MiB, 5 % at any rate
        CUMULUS, //!< NVIDIA Cumulus Linux and Onyx RoCE: 150 kB, 1500 kB, 100 % at any rate
        CISCO,   //!< Cisco Nexus 9000 AI fabrics: 150 kB, 3000 kB, 7 % at any rate
    };

    /// Unit of the attributes Kmin and Kmax.
    enum Unit
    {
        BYTES,       //!< bytes
        CELLS,       //!< cells of the buffer (attribute CellBytes of RoceSharedBuffer)
        NANOSECONDS, //!< time to send, at the rate of the port
    };

    /// The three numbers of RED.
    struct Thresholds
    {
        uint64_t kmin{0}; //!< bytes up to which nothing is marked
        uint64_t kmax{0}; //!< bytes above which everything is marked
        double pmax{0.0}; //!< probability at kmax
    };

    /// Value of Kmin and Kmax that leaves them to the preset.
    static constexpr uint64_t FROM_PRESET = UINT64_MAX;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RoceEcnMarker();
    ~RoceEcnMarker() override;

    /**
     * Thresholds of a published set for a port.
     * @param preset the set
     * @param bitsPerSecond rate of the port, bit/s
     * @return the thresholds
     */
    static Thresholds GetPreset(Preset preset, uint64_t bitsPerSecond);

    /// @param thresholds new thresholds, bytes; kmin must not exceed kmax, pmax must be in [0, 1]
    void SetThresholds(const Thresholds& thresholds);
    /// @return the thresholds in force, bytes
    Thresholds GetThresholds() const;

    /**
     * Tell what presets, cells and times depend on. Before, it is a port of 100 Gb/s whose buffer
     * counts bytes.
     * @param bitsPerSecond rate of the port, bit/s
     * @param cellBytes cell size of the buffer, bytes; 1 if it counts bytes
     */
    void SetPort(uint64_t bitsPerSecond, uint32_t cellBytes);

    /// @return when the owner of the queue must call ShouldMark()
    MarkAt GetMarkAt() const
    {
        return m_markAt;
    }

    /**
     * Decide about one frame.
     * @param ecn its ECN codepoint
     * @param queueBytes bytes of the other frames in its queue: those it found when it is enqueued,
     *        those it leaves behind when it is dequeued
     * @return true if its codepoint must be set to CE; never true for a frame that is not
     *         ECN-capable. A frame marked elsewhere (CE) is answered like any other
     */
    bool ShouldMark(RoceEcn ecn, uint64_t queueBytes);

    /// @return frames for which ShouldMark() answered true
    uint64_t GetMarked() const;

    /**
     * Assign a fixed stream to the random variable of this object.
     * @param stream first stream to use
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Signature of the Mark trace source.
     * @param queueBytes length of the queue that decided, bytes
     */
    typedef void (*MarkCallback)(uint64_t queueBytes);

  protected:
    void NotifyConstructionCompleted() override;

  private:
    /// @param preset see the Preset attribute
    void SetPreset(Preset preset);
    /// @return the Preset attribute
    Preset GetPresetAttribute() const;
    /// @param unit see the Unit attribute
    void SetUnit(Unit unit);
    /// @return the Unit attribute
    Unit GetUnit() const;
    /// @param kmin see the Kmin attribute
    void SetKmin(uint64_t kmin);
    /// @return the Kmin attribute
    uint64_t GetKmin() const;
    /// @param kmax see the Kmax attribute
    void SetKmax(uint64_t kmax);
    /// @return the Kmax attribute
    uint64_t GetKmax() const;
    /// @param pmax see the Pmax attribute
    void SetPmax(double pmax);
    /// @return the Pmax attribute
    double GetPmax() const;

    /**
     * @param length a threshold as given
     * @param preset the threshold of the preset, bytes
     * @return the threshold in force, bytes
     */
    uint64_t ToBytes(uint64_t length, uint64_t preset) const;
    /// Find the thresholds in force and refuse impossible ones; nothing before construction ends.
    void Update();

    Preset m_preset{HPCC};                //!< where numbers that are not given come from
    Unit m_unit{BYTES};                   //!< unit of the next two
    uint64_t m_givenKmin{FROM_PRESET};    //!< Kmin as given
    uint64_t m_givenKmax{FROM_PRESET};    //!< Kmax as given
    double m_givenPmax{-1.0};             //!< Pmax as given, negative: from the preset
    uint64_t m_portRate{100'000'000'000}; //!< rate of the port, bit/s
    uint32_t m_cellBytes{1};              //!< cell size of the buffer
    bool m_constructed{false};            //!< all attributes have their first value

    uint64_t m_kmin{0};                  //!< bytes up to which nothing is marked
    uint64_t m_kmax{0};                  //!< bytes above which everything is marked
    double m_pmax{0.0};                  //!< probability at m_kmax
    uint8_t m_weight{0};                 //!< averaging exponent, 0: instantaneous
    MarkAt m_markAt{DEQUEUE};            //!< when to ask
    double m_average{0.0};               //!< average queue length, bytes
    uint64_t m_marked{0};                //!< frames marked
    Ptr<UniformRandomVariable> m_random; //!< draws between the thresholds

    TracedCallback<uint64_t> m_markTrace; //!< a frame is to be marked
};

} // namespace ns3

#endif /* ROCE_ECN_MARKER_H */
