/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_SHARED_BUFFER_H
#define ROCE_SHARED_BUFFER_H

#include "roce-buffer-threshold.h"

#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Buffer memory of a switch and the rules by which ports and classes share it (the MMU).
 *
 * It counts bytes and knows nothing about frames, except that each takes whole cells of memory if
 * CellBytes is more than 1: then all lengths, limits and thresholds are those of the cells. Every
 * byte is charged twice: to the class of the port it came in by and to the class of the port it
 * leaves by.
 *
 * **Ingress.** A class of a port first fills its reserve, then takes from the shared pool, whose
 * size is TotalBytes less all reserves and all headroom. A lossless class that takes more than its
 * threshold allows is paused (XOFF), and what arrives afterwards above the threshold is charged to
 * its own headroom. Bytes are given back in the opposite order: headroom, shared, reserve.
 *  - XOFF: headroom is in use, or reserve and shared bytes held have reached GetLimit() of the
 *    threshold. It is decided after every frame, the one that reaches the limit included. That
 * frame is charged to the pool, not to headroom, if the pool has room; so headroom holds only what
 *    arrives after the decision, which is what RoceHeadroom computes.
 *  - XON: no headroom is in use and the bytes held are down to GetResume().
 *
 * **Egress.** A lossless class has no limit. A lossy class drops a frame that would exceed
 * GetLimit() of the egress threshold.
 *
 * Identities, verified by Check(): sum of ingress = sum of egress = GetUsedBytes(); a class never
 * holds more than its reserve and headroom plus what is counted in the shared pool; the shared pool
 * never holds more than its size.
 *
 * All verbs take the same time whatever the number of ports.
 */
class RoceSharedBuffer : public Object
{
  public:
    static constexpr uint8_t N_CLASSES = 8;      //!< traffic classes of a port
    static constexpr uint32_t MAX_PORTS = 65535; //!< most ports of a switch

    /// Outcome of Admit().
    enum Reason : uint8_t
    {
        ADMITTED = 0,        //!< charged
        INGRESS_SHARED_FULL, //!< lossless class without headroom: threshold or pool exhausted
        HEADROOM_FULL,       //!< lossless class: its headroom is exhausted
        EGRESS_LIMIT,        //!< lossy class: egress threshold reached
        POOL_FULL,           //!< lossy class: the shared pool is exhausted
        N_REASONS,           //!< number of outcomes
    };

    /// What Admit() decided.
    struct Verdict
    {
        Reason reason{ADMITTED}; //!< why not, if not
        bool sendXoff{false};    //!< the class just went into XOFF: its upstream must be paused now

        /// @return true if the bytes were charged and the frame may be queued
        bool IsAdmitted() const
        {
            return reason == ADMITTED;
        }
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RoceSharedBuffer();
    ~RoceSharedBuffer() override;

    // --- plan ---

    /**
     * Set the number of ports, before traffic starts. New ports have the reserve and alpha of the
     * attributes and no headroom; ports that exist keep their settings.
     * @param nPorts number of ports, not less than before
     */
    void Configure(uint32_t nPorts);
    /// @return number of ports
    uint32_t GetNPorts() const;

    /**
     * @param port port
     * @param cls lossless class, 0 to 7
     * @param bytes headroom set aside for it, not less than what is in use
     */
    void SetHeadroom(uint16_t port, uint8_t cls, uint64_t bytes);
    /**
     * @param port port
     * @param cls class, 0 to 7
     * @return its headroom, bytes
     */
    uint64_t GetHeadroom(uint16_t port, uint8_t cls) const;
    /**
     * Only while the class holds nothing.
     * @param port port
     * @param cls class, 0 to 7
     * @param bytes bytes set aside for it at ingress
     */
    void SetReserve(uint16_t port, uint8_t cls, uint64_t bytes);
    /**
     * @param port port
     * @param cls class, 0 to 7
     * @return bytes set aside for it at ingress
     */
    uint64_t GetReserve(uint16_t port, uint8_t cls) const;
    /**
     * @param port port
     * @param cls class, 0 to 7
     * @param alpha alpha of its ingress threshold, greater than 0
     */
    void SetAlpha(uint16_t port, uint8_t cls, double alpha);
    /**
     * @param port port
     * @param cls class, 0 to 7
     * @return alpha of its ingress threshold
     */
    double GetAlpha(uint16_t port, uint8_t cls) const;

    /**
     * @return what is wrong with the plan, naming all numbers, or nothing if it fits into the
     * memory
     */
    std::string GetProblem() const;
    /// Stop the program if there is a problem with the plan, now or after any later change of it.
    void Validate();
    /// @return the plan in a few lines of text
    std::string Describe() const;

    /**
     * @param cls class, 0 to 7
     * @return true if it is lossless
     */
    bool IsLossless(uint8_t cls) const
    {
        return (m_losslessClasses >> cls) & 1;
    }

    /// @return the CellBytes attribute
    uint32_t GetCellBytes() const
    {
        return m_cellBytes;
    }

    /**
     * @param bytes length of a frame
     * @return memory it takes: the length rounded up to whole cells, bytes
     */
    uint32_t GetMemory(uint32_t bytes) const
    {
        return m_cellBytes == 1 ? bytes : (bytes + m_cellBytes - 1) / m_cellBytes * m_cellBytes;
    }

    // --- traffic ---

    /**
     * Charge a frame, or refuse it and charge nothing.
     * @param inPort port it came in by
     * @param outPort port it will leave by
     * @param cls class, 0 to 7
     * @param frameBytes its length
     * @return the decision. If sendXoff is set, which may go with a refusal, the class is in XOFF
     *         until Release() says otherwise
     */
    Verdict Admit(uint16_t inPort, uint16_t outPort, uint8_t cls, uint32_t frameBytes);

    /**
     * Give back what Admit() charged.
     * @param inPort port the frame came in by
     * @param outPort port it left by
     * @param cls class, 0 to 7
     * @param frameBytes its length
     * @return true if the class just left XOFF: the upstream of inPort must be resumed now
     */
    bool Release(uint16_t inPort, uint16_t outPort, uint8_t cls, uint32_t frameBytes);

    // --- state ---

    /**
     * @param port ingress port
     * @param cls class, 0 to 7
     * @return true if XOFF was decided and XON was not
     */
    bool IsPaused(uint16_t port, uint8_t cls) const;
    /**
     * @param port ingress port
     * @param cls class, 0 to 7
     * @return true if the condition of XOFF holds now
     */
    bool IsAboveXoff(uint16_t port, uint8_t cls) const;
    /**
     * @param port ingress port
     * @param cls class, 0 to 7
     * @return true if the condition of XON holds now
     */
    bool MayResume(uint16_t port, uint8_t cls) const;
    /**
     * @param port ingress port
     * @param cls class, 0 to 7
     * @return bytes held at which it is paused, as of now
     */
    uint64_t GetXoffBytes(uint16_t port, uint8_t cls) const;

    /// @return bytes held by all ports
    uint64_t GetUsedBytes() const;
    /// @return most bytes that were ever held by all ports
    uint64_t GetPeakUsedBytes() const;
    /// @return size of the shared pool: TotalBytes less reserves and headroom, 0 if they exceed it
    uint64_t GetSharedSize() const;
    /// @return bytes of the shared pool in use
    uint64_t GetSharedUsed() const;
    /// @return sum of all headroom
    uint64_t GetTotalHeadroom() const;
    /// @return sum of all reserves
    uint64_t GetTotalReserve() const;

    /**
     * @param port ingress port
     * @param cls class, 0 to 7
     * @return bytes held, headroom included
     */
    uint64_t GetIngressBytes(uint16_t port, uint8_t cls) const;
    /**
     * @param port egress port
     * @param cls class, 0 to 7
     * @return bytes held
     */
    uint64_t GetEgressBytes(uint16_t port, uint8_t cls) const;
    /**
     * @param port ingress port
     * @param cls class, 0 to 7
     * @return headroom in use, bytes
     */
    uint64_t GetHeadroomUsed(uint16_t port, uint8_t cls) const;
    /**
     * @param port ingress port
     * @param cls class, 0 to 7
     * @return most bytes ever held, headroom included
     */
    uint64_t GetPeakIngressBytes(uint16_t port, uint8_t cls) const;
    /**
     * @param port egress port
     * @param cls class, 0 to 7
     * @return most bytes ever held
     */
    uint64_t GetPeakEgressBytes(uint16_t port, uint8_t cls) const;
    /**
     * @param port ingress port
     * @param cls class, 0 to 7
     * @return most headroom ever used, bytes
     */
    uint64_t GetPeakHeadroomUsed(uint16_t port, uint8_t cls) const;
    /**
     * @param reason an outcome
     * @return frames for which Admit() decided so
     */
    uint64_t GetCount(Reason reason) const;

    /// Stop the program if an identity of the class comment does not hold. Visits every port.
    void Check() const;

    /**
     * Signature of the Drop trace source.
     * @param inPort ingress port
     * @param outPort egress port
     * @param cls class
     * @param bytes length of the frame
     * @param reason why
     */
    typedef void (*DropCallback)(uint16_t inPort,
                                 uint16_t outPort,
                                 uint8_t cls,
                                 uint32_t bytes,
                                 Reason reason);
    /**
     * Signature of the Xoff and Xon trace sources.
     * @param port ingress port
     * @param cls class
     * @param bytes bytes it holds, headroom included
     */
    typedef void (*PauseCallback)(uint16_t port, uint8_t cls, uint64_t bytes);
    /**
     * Signature of the UsedBytes trace source.
     * @param oldBytes bytes held by all ports before
     * @param newBytes and after
     */
    typedef void (*UsedCallback)(uint64_t oldBytes, uint64_t newBytes);

  private:
    /// One class at the port it comes in by.
    struct Ingress
    {
        uint64_t held{0};         //!< reserved and shared bytes in use
        uint64_t headroomUsed{0}; //!< headroom in use
        uint64_t reserve{0};      //!< reserve
        uint64_t headroom{0};     //!< headroom
        double alpha{0.0};        //!< alpha of the threshold
        uint64_t peak{0};         //!< most bytes ever held, headroom included
        uint64_t peakHeadroom{0}; //!< most headroom ever used
        bool paused{false};       //!< in XOFF

        /// @return bytes taken from the shared pool
        uint64_t GetShared() const
        {
            return held > reserve ? held - reserve : 0;
        }
    };

    /// One class at the port it leaves by.
    struct Egress
    {
        uint64_t held{0}; //!< bytes in use
        uint64_t peak{0}; //!< most bytes ever held
    };

    /**
     * @param port port
     * @param cls class
     * @return index into m_ingress and m_egress; stops the program if there is no such port or
     * class
     */
    size_t GetIndex(uint16_t port, uint8_t cls) const
    {
        if (port >= m_nPorts || cls >= N_CLASSES)
        {
            Refuse(port, cls);
        }
        return static_cast<size_t>(port) * N_CLASSES + cls;
    }

    /**
     * Stop the program because there is no such port or class.
     * @param port port
     * @param cls class
     */
    void Refuse(uint16_t port, uint8_t cls) const;
    /**
     * @param in a class
     * @return what its threshold depends on
     */
    RoceBufferThreshold::Share GetShare(const Ingress& in) const;
    /**
     * @param in a class
     * @return true if it must be paused
     */
    bool IsAboveXoff(const Ingress& in) const;
    /**
     * @param in a class
     * @return true if it may be resumed
     */
    bool MayResume(const Ingress& in) const;

    /// @return bytes of the shared pool that are not in use
    uint64_t GetFree() const
    {
        return m_sharedSize > m_sharedUsed ? m_sharedSize - m_sharedUsed : 0;
    }

    /**
     * Charge the ingress side, or nothing.
     * @param in the class
     * @param bytes length of the frame
     * @param lossless whether the class is lossless
     * @return the decision
     */
    Reason Charge(Ingress& in, uint32_t bytes, bool lossless);

    /**
     * Count bytes held by all ports.
     * @param used the new number
     */
    void SetUsed(uint64_t used)
    {
        if (!m_usedTrace.IsEmpty())
        {
            m_usedTrace(m_used, used);
        }
        m_used = used;
    }

    /// Recompute the size of the shared pool after a change of the plan and check it if required.
    void UpdatePlan();

    /**
     * @param bytes see the TotalBytes attribute
     */
    void SetTotalBytes(uint64_t bytes);
    /// @return the TotalBytes attribute
    uint64_t GetTotalBytes() const;
    /**
     * Set the reserve of all ports and classes.
     * @param bytes see the Reserve attribute
     */
    void SetDefaultReserve(uint64_t bytes);
    /// @return the Reserve attribute
    uint64_t GetDefaultReserve() const;
    /**
     * Set the alpha of all ports and classes.
     * @param alpha see the Alpha attribute
     */
    void SetDefaultAlpha(double alpha);
    /// @return the Alpha attribute
    double GetDefaultAlpha() const;

    /**
     * @param bytes see the CellBytes attribute
     */
    void SetCellBytes(uint32_t bytes);

    uint64_t m_totalBytes{0};                    //!< memory
    uint32_t m_cellBytes{1};                     //!< what is allotted at a time
    uint64_t m_defaultReserve{0};                //!< reserve of new ports
    double m_defaultAlpha{0.0};                  //!< alpha of new ports
    double m_egressAlpha{0.0};                   //!< alpha of the egress of lossy classes
    uint64_t m_xonOffset{0};                     //!< hysteresis of the dynamic threshold
    uint8_t m_losslessClasses{0};                //!< bit mask
    bool m_validated{false};                     //!< check every change of the plan
    Ptr<RoceBufferThreshold> m_ingressThreshold; //!< pause thresholds
    Ptr<RoceBufferThreshold> m_egressThreshold;  //!< drop thresholds

    uint32_t m_nPorts{0};                       //!< number of ports
    std::vector<Ingress> m_ingress;             //!< by port * N_CLASSES + class
    std::vector<Egress> m_egress;               //!< by port * N_CLASSES + class
    uint64_t m_totalReserve{0};                 //!< sum of reserves
    uint64_t m_totalHeadroom{0};                //!< sum of headroom
    uint64_t m_sharedSize{0};                   //!< size of the shared pool
    uint64_t m_sharedUsed{0};                   //!< bytes of the shared pool in use
    uint64_t m_used{0};                         //!< bytes held by all ports
    uint64_t m_peakUsed{0};                     //!< most bytes ever held by all ports
    std::array<uint64_t, N_REASONS> m_counts{}; //!< frames by outcome

    TracedCallback<uint16_t, uint16_t, uint8_t, uint32_t, Reason> m_dropTrace; //!< a frame refused
    TracedCallback<uint16_t, uint8_t, uint64_t> m_xoffTrace; //!< a class went into XOFF
    TracedCallback<uint16_t, uint8_t, uint64_t> m_xonTrace;  //!< a class left XOFF
    TracedCallback<uint64_t, uint64_t> m_usedTrace;          //!< bytes held by all ports
};

/**
 * @ingroup roce
 * @brief Print a reason.
 * @param os the stream
 * @param reason the reason
 * @return the stream
 */
std::ostream& operator<<(std::ostream& os, RoceSharedBuffer::Reason reason);

/**
 * @ingroup roce
 * @brief Print the plan of a buffer.
 * @param os the stream
 * @param buffer the buffer
 * @return the stream
 */
std::ostream& operator<<(std::ostream& os, const RoceSharedBuffer& buffer);

} // namespace ns3

#endif /* ROCE_SHARED_BUFFER_H */
