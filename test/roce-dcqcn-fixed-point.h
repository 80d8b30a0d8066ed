/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_DCQCN_FIXED_POINT_H
#define ROCE_DCQCN_FIXED_POINT_H

#include <cmath>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup roce-tests
 * @brief Fixed point of the fluid model of DCQCN for equal flows on one link.
 *
 * Model and notation of Zhu, Ghobadi, Misra, Padhye, "ECN or Delay: Lessons Learnt from Analysis of
 * DCQCN and TIMELY", CoNEXT 2016, section 3. All flows have the rate C/N; the marking probability p
 * solves
 * ```
 * a^2 alpha / ((b + d) (c + e)) = tau^2 R_AI C/N          (in packets)
 * a     = 1 - (1-p)^(tau C/N)          a CNP in a CNP interval tau
 * alpha = 1 - (1-p)^(tau' C/N)         a CNP in an alpha period tau'
 * b     = p / ((1-p)^-B - 1)           c = b (1-p)^(F B)
 * d     = p / ((1-p)^-(T C/N) - 1)     e = d (1-p)^(F T C/N)
 * ```
 * The left side grows with p, so bisection finds the only solution. The cube-root approximation of
 * the paper overestimates p by 15 to 57 % and must not be used for tests.
 */
struct RoceDcqcnFixedPoint
{
    double packetBytes{1000};  //!< length of all packets on the wire, bytes
    double rateAi{40e6};       //!< additive increase step R_AI, bit/s
    double byteCounter{10e6};  //!< byte counter B, bytes
    double rateTimer{55e-6};   //!< rate timer T, s
    double f{5};               //!< stages of fast recovery
    double cnpInterval{50e-6}; //!< CNP interval tau, s
    double alphaTimer{55e-6};  //!< alpha timer tau', s
    double kMin{5e3};          //!< queue where marking begins, bytes
    double kMax{200e3};        //!< queue where the marking probability is pMax, bytes
    double pMax{0.01};         //!< marking probability at kMax

    double p{0};     //!< result: marking probability
    double q{0};     //!< result: queue, bytes; meaningless above kMax, where all packets are marked
    double alpha{0}; //!< result: alpha

    /**
     * Compute p, q and alpha.
     * @param capacity rate of the link, bit/s
     * @param flows number of flows
     */
    void Solve(double capacity, uint32_t flows)
    {
        const double rate = capacity / (8 * packetBytes) / flows; // of one flow, packets/s
        double low = 1e-9;
        double high = 0.9;
        for (int i = 0; i < 200; i++)
        {
            p = std::sqrt(low * high); // p spans many orders of magnitude
            (GetImbalance(p, rate) > 0 ? high : low) = p;
        }
        q = kMin + p / pMax * (kMax - kMin);
        alpha = GetMarked(p, alphaTimer * rate);
    }

  private:
    /**
     * @param prob marking probability of one packet
     * @param packets number of packets
     * @return probability that at least one is marked
     */
    static double GetMarked(double prob, double packets)
    {
        return -std::expm1(packets * std::log1p(-prob));
    }

    /**
     * @param prob marking probability of one packet
     * @param packets packets between two increase events without a mark
     * @return increase events per packet
     */
    static double GetIncreases(double prob, double packets)
    {
        const double exponent = -packets * std::log1p(-prob);
        return exponent < 700 ? prob / std::expm1(exponent) : 0; // exp(709) is the greatest double
    }

    /**
     * @param prob marking probability of one packet
     * @param rate rate of one flow, packets/s
     * @return decrease minus increase; 0 at the fixed point
     */
    double GetImbalance(double prob, double rate) const
    {
        const double a = GetMarked(prob, cnpInterval * rate);
        const double alphaValue = GetMarked(prob, alphaTimer * rate);
        const double bytePackets = byteCounter / packetBytes;
        const double timerPackets = rateTimer * rate;
        const double b = GetIncreases(prob, bytePackets);
        const double d = GetIncreases(prob, timerPackets);
        const double c = b * std::pow(1 - prob, f * bytePackets);
        const double e = d * std::pow(1 - prob, f * timerPackets);
        const double step = rateAi / (8 * packetBytes); // packets/s
        return a * a * alphaValue - (b + d) * (c + e) * cnpInterval * cnpInterval * step * rate;
    }
};

} // namespace ns3

#endif /* ROCE_DCQCN_FIXED_POINT_H */
