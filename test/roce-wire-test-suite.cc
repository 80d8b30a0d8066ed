/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-wire-vectors.h"

#include "ns3/pfc-header.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"
#include "ns3/rdma-syndrome.h"
#include "ns3/roce-aeth-header.h"
#include "ns3/roce-atomic-ack-eth-header.h"
#include "ns3/roce-atomic-eth-header.h"
#include "ns3/roce-bth-header.h"
#include "ns3/roce-deth-header.h"
#include "ns3/roce-grh-header.h"
#include "ns3/roce-icrc-trailer.h"
#include "ns3/roce-ieth-header.h"
#include "ns3/roce-imm-dt-header.h"
#include "ns3/roce-reth-header.h"
#include "ns3/roce-vlan-header.h"
#include "ns3/test.h"

#include <map>
#include <sstream>
#include <string>

using namespace ns3;
using rocevectors::Bytes;
using rocevectors::Hex;
using rocevectors::MakePacket;

namespace
{

/**
 * @ingroup roce-tests
 * @brief Serial arithmetic of 24-bit sequence numbers, above all around the wrap.
 */
class RdmaPsnTestCase : public TestCase
{
  public:
    RdmaPsnTestCase()
        : TestCase("PSN arithmetic over the wrap")
    {
    }

  private:
    void DoRun() override;
};

void
RdmaPsnTestCase::DoRun()
{
    // All of it works at compile time.
    static_assert((RdmaPsn(0xffffff) + 1).Get() == 0, "forward over the wrap");
    static_assert((RdmaPsn(0) - 1).Get() == 0xffffff, "backward over the wrap");
    static_assert(RdmaPsn::Distance(RdmaPsn(2), RdmaPsn(0xfffffe)) == 4, "distance over the wrap");
    static_assert(RdmaPsn::Unwrap(0xfffffe, 2) == 0x1000002, "unwrap over the wrap");

    NS_TEST_EXPECT_MSG_EQ(RdmaPsn().Get(), 0, "a PSN starts at zero");
    NS_TEST_EXPECT_MSG_EQ(RdmaPsn(0x123456789aULL).Get(), 0x56789a, "only 24 bits are kept");

    RdmaPsn psn(0xfffffe);
    NS_TEST_EXPECT_MSG_EQ((++psn).Get(), 0xffffff, "pre-increment");
    NS_TEST_EXPECT_MSG_EQ((psn++).Get(), 0xffffff, "post-increment returns the old PSN");
    NS_TEST_EXPECT_MSG_EQ(psn.Get(), 0, "post-increment wraps");
    psn += 10;
    psn -= 12;
    NS_TEST_EXPECT_MSG_EQ(psn.Get(), 0xfffffe, "+= and -= wrap");
    NS_TEST_EXPECT_MSG_EQ((psn + -3).Get(), 0xfffffb, "negative steps go back");
    NS_TEST_EXPECT_MSG_EQ((psn - -3).Get(), 1, "subtracting negative steps goes forward");
    NS_TEST_EXPECT_MSG_EQ((psn + (int64_t{5} << 24)).Get(), 0xfffffe, "whole turns change nothing");
    NS_TEST_EXPECT_MSG_EQ((RdmaPsn(7) == RdmaPsn(0x1000007)), true, "equal modulo 2^24");
    NS_TEST_EXPECT_MSG_EQ((RdmaPsn(7) != RdmaPsn(8)), true, "different");

    // Sign extension of (a - b) mod 2^24: the two ends of the range are 2^23 - 1 and -2^23.
    NS_TEST_EXPECT_MSG_EQ(RdmaPsn::Distance(RdmaPsn(5), RdmaPsn(5)), 0, "same");
    NS_TEST_EXPECT_MSG_EQ(RdmaPsn::Distance(RdmaPsn(0xfffffe), RdmaPsn(2)), -4, "back, wrapped");
    NS_TEST_EXPECT_MSG_EQ(RdmaPsn::Distance(RdmaPsn(0x7fffff), RdmaPsn(0)), 8388607, "furthest");
    NS_TEST_EXPECT_MSG_EQ(RdmaPsn::Distance(RdmaPsn(0x800000), RdmaPsn(0)), -8388608, "half");
    NS_TEST_EXPECT_MSG_EQ(RdmaPsn(3).IsAfter(RdmaPsn(0xfffff0)), true, "later");
    NS_TEST_EXPECT_MSG_EQ(RdmaPsn(0xfffff0).IsBefore(RdmaPsn(3)), true, "earlier");
    NS_TEST_EXPECT_MSG_EQ(RdmaPsn(3).IsBefore(RdmaPsn(3)), false, "not before itself");
    NS_TEST_EXPECT_MSG_EQ(RdmaPsn(3).IsAfter(RdmaPsn(3)), false, "not after itself");

    // Unwrap must find the sequence number again from anywhere less than half a turn away.
    const uint64_t sequences[] =
        {0, 1, 0xfffffe, 0xffffff, 0x1000000, 0x1000001, 0x123456789abcULL};
    const int64_t offsets[] = {0, 1, -1, 1000, -1000, 8388607, -8388607};
    for (uint64_t sequence : sequences)
    {
        for (int64_t offset : offsets)
        {
            if (offset < 0 && sequence < static_cast<uint64_t>(-offset))
            {
                continue; // no reference below zero
            }
            const uint64_t reference = sequence + static_cast<uint64_t>(offset);
            NS_TEST_EXPECT_MSG_EQ(RdmaPsn::Unwrap(reference, sequence & 0xffffff),
                                  sequence,
                                  "reference " << reference);
        }
    }
    // There is no sequence number -1: what looks like it is 2^24 - 1.
    NS_TEST_EXPECT_MSG_EQ(RdmaPsn::Unwrap(0, 0xffffff), 0xffffff, "before the start");
    NS_TEST_EXPECT_MSG_EQ(RdmaPsn::Unwrap(5, 4), 4, "near the start");
    // Exactly half a turn counts as earlier, as the sign-extended difference says.
    NS_TEST_EXPECT_MSG_EQ(RdmaPsn::Unwrap(0x800000, 0), 0, "half a turn");
}

/**
 * @ingroup roce-tests
 * @brief The opcode table of the InfiniBand architecture.
 */
class RdmaOpcodeTestCase : public TestCase
{
  public:
    RdmaOpcodeTestCase()
        : TestCase("Opcode table")
    {
    }

  private:
    void DoRun() override;
};

void
RdmaOpcodeTestCase::DoRun()
{
    // One row per operation as the opcode table of the specification has it. Position: F first,
    // M middle, L last, O only, - neither. Headers: R RETH, A AETH, D DETH, I ImmDt, V IETH,
    // X AtomicETH, Y AtomicAckETH. Kind: s SEND, w WRITE, q READ request, r READ response, k ACK,
    // y atomic response, x atomic request. UC has the first twelve operations of RC.
    struct Row
    {
        uint8_t opcode;
        const char* name;
        char position;
        std::string headers;
        char kind;
    };

    const Row rows[] = {
        {0x00, "RC_SEND_FIRST", 'F', "", 's'},
        {0x01, "RC_SEND_MIDDLE", 'M', "", 's'},
        {0x02, "RC_SEND_LAST", 'L', "", 's'},
        {0x03, "RC_SEND_LAST_IMM", 'L', "I", 's'},
        {0x04, "RC_SEND_ONLY", 'O', "", 's'},
        {0x05, "RC_SEND_ONLY_IMM", 'O', "I", 's'},
        {0x06, "RC_WRITE_FIRST", 'F', "R", 'w'},
        {0x07, "RC_WRITE_MIDDLE", 'M', "", 'w'},
        {0x08, "RC_WRITE_LAST", 'L', "", 'w'},
        {0x09, "RC_WRITE_LAST_IMM", 'L', "I", 'w'},
        {0x0a, "RC_WRITE_ONLY", 'O', "R", 'w'},
        {0x0b, "RC_WRITE_ONLY_IMM", 'O', "RI", 'w'},
        {0x0c, "RC_READ_REQUEST", '-', "R", 'q'},
        {0x0d, "RC_READ_RESPONSE_FIRST", 'F', "A", 'r'},
        {0x0e, "RC_READ_RESPONSE_MIDDLE", 'M', "", 'r'},
        {0x0f, "RC_READ_RESPONSE_LAST", 'L', "A", 'r'},
        {0x10, "RC_READ_RESPONSE_ONLY", 'O', "A", 'r'},
        {0x11, "RC_ACKNOWLEDGE", '-', "A", 'k'},
        {0x12, "RC_ATOMIC_ACKNOWLEDGE", '-', "AY", 'y'},
        {0x13, "RC_CMP_SWAP", '-', "X", 'x'},
        {0x14, "RC_FETCH_ADD", '-', "X", 'x'},
        {0x16, "RC_SEND_LAST_INV", 'L', "V", 's'},
        {0x17, "RC_SEND_ONLY_INV", 'O', "V", 's'},
        {0x20, "UC_SEND_FIRST", 'F', "", 's'},
        {0x21, "UC_SEND_MIDDLE", 'M', "", 's'},
        {0x22, "UC_SEND_LAST", 'L', "", 's'},
        {0x23, "UC_SEND_LAST_IMM", 'L', "I", 's'},
        {0x24, "UC_SEND_ONLY", 'O', "", 's'},
        {0x25, "UC_SEND_ONLY_IMM", 'O', "I", 's'},
        {0x26, "UC_WRITE_FIRST", 'F', "R", 'w'},
        {0x27, "UC_WRITE_MIDDLE", 'M', "", 'w'},
        {0x28, "UC_WRITE_LAST", 'L', "", 'w'},
        {0x29, "UC_WRITE_LAST_IMM", 'L', "I", 'w'},
        {0x2a, "UC_WRITE_ONLY", 'O', "R", 'w'},
        {0x2b, "UC_WRITE_ONLY_IMM", 'O', "RI", 'w'},
        {0x64, "UD_SEND_ONLY", 'O', "D", 's'},
        {0x65, "UD_SEND_ONLY_IMM", 'O', "DI", 's'},
        {0x81, "CNP", '-', "C", '-'},
    };
    const std::map<char, uint32_t> sizes = {
        {'R', 16},
        {'A', 4},
        {'D', 8},
        {'I', 4},
        {'V', 4},
        {'X', 28},
        {'Y', 8},
        {'C', 16}, // reserved field of a CNP
    };

    std::map<uint8_t, Row> known;
    for (const Row& row : rows)
    {
        known[row.opcode] = row;
    }
    for (uint32_t i = 0; i < 256; i++)
    {
        const auto op = static_cast<uint8_t>(i);
        const auto found = known.find(op);
        const bool isKnown = found != known.end();
        const Row row = isKnown ? found->second : Row{op, "", ' ', "", ' '};
        uint32_t bytes = 0;
        for (char header : row.headers)
        {
            bytes += sizes.at(header);
        }
        const auto has = [&row](char header) {
            return row.headers.find(header) != std::string::npos;
        };
        const bool response = row.kind == 'r' || row.kind == 'k' || row.kind == 'y';
        const bool payload = row.kind == 's' || row.kind == 'w' || row.kind == 'r';
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::IsKnown(op), isKnown, "known " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::GetService(op), i / 32, "service " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::IsFirst(op), (row.position == 'F'), "first " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::IsMiddle(op), (row.position == 'M'), "middle " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::IsLast(op), (row.position == 'L'), "last " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::IsOnly(op), (row.position == 'O'), "only " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::IsSend(op), (row.kind == 's'), "SEND " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::IsWrite(op), (row.kind == 'w'), "WRITE " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::IsReadRequest(op), (row.kind == 'q'), "READ " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::IsReadResponse(op), (row.kind == 'r'), "response " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::IsAtomicRequest(op), (row.kind == 'x'), "atomic " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::IsResponse(op), response, "response " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::IsRequest(op),
                              (isKnown && !response && row.kind != '-'),
                              "request " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::HasPayload(op), payload, "payload " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::HasReth(op), has('R'), "RETH " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::HasAeth(op), has('A'), "AETH " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::HasDeth(op), has('D'), "DETH " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::HasImmediate(op), has('I'), "ImmDt " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::HasInvalidate(op), has('V'), "IETH " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::HasAtomicEth(op), has('X'), "AtomicETH " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::HasAtomicAckEth(op), has('Y'), "AtomicAckETH " << i);
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::GetExtensionBytes(op), bytes, "extension bytes " << i);
        if (isKnown)
        {
            NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::GetName(op), row.name, "name " << i);
        }
    }
    NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::GetName(0x15), "OPCODE_0x15", "name of a reserved opcode");

    // Payload and padding together are a multiple of four, with no more than three bytes of
    // padding.
    const uint32_t pads[] = {0, 3, 2, 1, 0, 3, 2, 1};
    for (uint32_t bytes = 0; bytes < 8; bytes++)
    {
        NS_TEST_EXPECT_MSG_EQ(RdmaOpcode::GetPadCount(bytes), pads[bytes], "padding of " << bytes);
    }
}

/**
 * @ingroup roce-tests
 * @brief Syndromes of acknowledgments and the RNR timer table.
 */
class RdmaSyndromeTestCase : public TestCase
{
  public:
    RdmaSyndromeTestCase()
        : TestCase("AETH syndromes and RNR timers")
    {
    }

  private:
    void DoRun() override;
};

void
RdmaSyndromeTestCase::DoRun()
{
    // Codes 0 to 31 in microseconds as the InfiniBand architecture lists them.
    const uint32_t delays[32] = {655360, 10,    20,    30,     40,     60,     80,     120,
                                 160,    240,   320,   480,    640,    960,    1280,   1920,
                                 2560,   3840,  5120,  7680,   10240,  15360,  20480,  30720,
                                 40960,  61440, 81920, 122880, 163840, 245760, 327680, 491520};
    for (uint8_t code = 0; code < 32; code++)
    {
        NS_TEST_EXPECT_MSG_EQ(RdmaSyndrome::GetRnrDelayUs(code), delays[code], "RNR timer");
        const uint8_t syndrome = RdmaSyndrome::MakeRnrNak(code);
        NS_TEST_EXPECT_MSG_EQ(unsigned{syndrome}, 0x20u + code, "RNR NAK");
        NS_TEST_EXPECT_MSG_EQ(RdmaSyndrome::GetType(syndrome), RdmaSyndrome::RNR_NAK, "type");
        NS_TEST_EXPECT_MSG_EQ(unsigned{RdmaSyndrome::GetCode(syndrome)}, unsigned{code}, "code");
    }
    NS_TEST_EXPECT_MSG_EQ(unsigned{RdmaSyndrome::MakeAck()}, 0x1f, "ACK without credits");
    NS_TEST_EXPECT_MSG_EQ(unsigned{RdmaSyndrome::MakeAck(3)}, 3, "ACK with credits");
    NS_TEST_EXPECT_MSG_EQ(RdmaSyndrome::GetType(0x1f), RdmaSyndrome::ACK, "type of an ACK");
    NS_TEST_EXPECT_MSG_EQ(RdmaSyndrome::GetType(0x40), RdmaSyndrome::RESERVED, "reserved type");
    const RdmaSyndrome::NakCode codes[] = {RdmaSyndrome::PSN_SEQUENCE_ERROR,
                                           RdmaSyndrome::INVALID_REQUEST,
                                           RdmaSyndrome::REMOTE_ACCESS_ERROR,
                                           RdmaSyndrome::REMOTE_OPERATIONAL_ERROR,
                                           RdmaSyndrome::INVALID_RD_REQUEST};
    for (unsigned i = 0; i < 5; i++)
    {
        const uint8_t syndrome = RdmaSyndrome::MakeNak(codes[i]);
        NS_TEST_EXPECT_MSG_EQ(unsigned{syndrome}, 0x60 + i, "NAK");
        NS_TEST_EXPECT_MSG_EQ(RdmaSyndrome::GetType(syndrome), RdmaSyndrome::NAK, "type of a NAK");
    }
    NS_TEST_EXPECT_MSG_EQ(RdmaSyndrome::GetName(0x1f), "ACK", "name");
    NS_TEST_EXPECT_MSG_EQ(RdmaSyndrome::GetName(0x60), "NAK(PSN_SEQUENCE_ERROR)", "name");
    NS_TEST_EXPECT_MSG_EQ(RdmaSyndrome::GetName(0x2c), "RNR_NAK(640us)", "name");
}

/**
 * @ingroup roce-tests
 * @brief Layout of every header: known bytes out, the same values back in.
 */
class RoceHeaderTestCase : public TestCase
{
  public:
    RoceHeaderTestCase()
        : TestCase("Header layouts")
    {
    }

  private:
    void DoRun() override;

    /**
     * Check that a header gives the bytes expected, that reading them and writing again gives them
     * once more, and that it prints something.
     * @tparam H type of the header
     * @param header the header
     * @param hex the bytes expected
     * @return the header read back
     */
    template <typename H>
    H Check(const H& header, const std::string& hex)
    {
        const std::string name = H::GetTypeId().GetName();
        Ptr<Packet> packet = Create<Packet>();
        packet->AddHeader(header);
        NS_TEST_EXPECT_MSG_EQ(Hex(packet), hex, "bytes of " << name);
        NS_TEST_EXPECT_MSG_EQ(header.GetSerializedSize() * 2, hex.size(), "size of " << name);
        H copy;
        Ptr<Packet> raw = MakePacket(Bytes(hex));
        NS_TEST_EXPECT_MSG_EQ(raw->RemoveHeader(copy), hex.size() / 2, "bytes read by " << name);
        Ptr<Packet> again = Create<Packet>();
        again->AddHeader(copy);
        NS_TEST_EXPECT_MSG_EQ(Hex(again), hex, "round trip of " << name);
        std::ostringstream one;
        std::ostringstream two;
        header.Print(one);
        copy.Print(two);
        NS_TEST_EXPECT_MSG_EQ(one.str().empty(), false, "print of " << name);
        NS_TEST_EXPECT_MSG_EQ(one.str(), two.str(), "print of " << name << " after a round trip");
        NS_TEST_EXPECT_MSG_EQ(header.GetInstanceTypeId().GetName(), name, "instance type");
        return copy;
    }
};

void
RoceHeaderTestCase::DoRun()
{
    // Layouts: opcode 8 | SE M PadCnt(2) TVer(4) | P_Key 16 | F B reserved(6) | DestQP 24 | A
    // reserved(7) | PSN 24.
    RoceBthHeader bth;
    Check(bth,
          "00"
          "00"
          "ffff"
          "00"
          "000000"
          "00"
          "000000");
    bth.SetOpcode(RdmaOpcode::RC_SEND_ONLY);
    bth.SetSolicited(true);
    bth.SetMigReq(true);
    bth.SetPadCount(3);
    bth.SetPKey(0x8001);
    bth.SetFecn(true);
    bth.SetBecn(true);
    bth.SetDestQp(0x123456);
    bth.SetAckReq(true);
    bth.SetPsn(0xabcdef);
    const RoceBthHeader b = Check(bth, "04f08001c012345680abcdef");
    NS_TEST_EXPECT_MSG_EQ(unsigned{b.GetOpcode()}, 4, "opcode");
    NS_TEST_EXPECT_MSG_EQ(b.GetSolicited(), true, "SE");
    NS_TEST_EXPECT_MSG_EQ(b.GetMigReq(), true, "M");
    NS_TEST_EXPECT_MSG_EQ(unsigned{b.GetPadCount()}, 3, "PadCnt");
    NS_TEST_EXPECT_MSG_EQ(unsigned{b.GetVersion()}, 0, "TVer");
    NS_TEST_EXPECT_MSG_EQ(b.GetPKey(), 0x8001, "P_Key");
    NS_TEST_EXPECT_MSG_EQ(b.GetFecn(), true, "FECN");
    NS_TEST_EXPECT_MSG_EQ(b.GetBecn(), true, "BECN");
    NS_TEST_EXPECT_MSG_EQ(b.GetDestQp(), 0x123456, "DestQP");
    NS_TEST_EXPECT_MSG_EQ(b.GetAckReq(), true, "A");
    NS_TEST_EXPECT_MSG_EQ(b.GetPsn(), 0xabcdef, "PSN");
    // One flag at a time, so that none stands in for another.
    RoceBthHeader flags;
    flags.SetSolicited(true);
    Check(flags, "0080ffff0000000000000000");
    flags.SetSolicited(false);
    flags.SetMigReq(true);
    Check(flags, "0040ffff0000000000000000");
    flags.SetMigReq(false);
    flags.SetFecn(true);
    Check(flags, "0000ffff8000000000000000");
    flags.SetFecn(false);
    flags.SetBecn(true);
    Check(flags, "0000ffff4000000000000000");
    flags.SetBecn(false);
    flags.SetAckReq(true);
    Check(flags, "0000ffff0000000080000000");
    flags.SetAckReq(false);
    flags.SetVersion(5);
    Check(flags, "0005ffff0000000000000000");

    RoceRethHeader reth;
    reth.SetVirtualAddress(0x0123456789abcdefULL);
    reth.SetRKey(0x11223344);
    reth.SetDmaLength(0x80000000);
    const RoceRethHeader r = Check(reth, "0123456789abcdef1122334480000000");
    NS_TEST_EXPECT_MSG_EQ(r.GetVirtualAddress(), 0x0123456789abcdefULL, "VA");
    NS_TEST_EXPECT_MSG_EQ(r.GetRKey(), 0x11223344, "R_Key");
    NS_TEST_EXPECT_MSG_EQ(r.GetDmaLength(), 0x80000000, "DMALen");

    RoceAethHeader aeth;
    aeth.SetSyndrome(0x60);
    aeth.SetMsn(0xfffffe);
    const RoceAethHeader a = Check(aeth, "60fffffe");
    NS_TEST_EXPECT_MSG_EQ(unsigned{a.GetSyndrome()}, 0x60, "syndrome");
    NS_TEST_EXPECT_MSG_EQ(a.GetMsn(), 0xfffffe, "MSN");

    RoceDethHeader deth;
    deth.SetQKey(0x80010000);
    deth.SetSourceQp(0xabcdef);
    const RoceDethHeader d = Check(deth, "8001000000abcdef");
    NS_TEST_EXPECT_MSG_EQ(d.GetQKey(), 0x80010000, "Q_Key");
    NS_TEST_EXPECT_MSG_EQ(d.GetSourceQp(), 0xabcdef, "SrcQP");

    RoceImmDtHeader immDt;
    immDt.SetImmediate(0xdeadbeef);
    NS_TEST_EXPECT_MSG_EQ(Check(immDt, "deadbeef").GetImmediate(), 0xdeadbeef, "ImmDt");

    RoceIethHeader ieth;
    ieth.SetRKey(0xcafe0001);
    NS_TEST_EXPECT_MSG_EQ(Check(ieth, "cafe0001").GetRKey(), 0xcafe0001, "R_Key");

    RoceAtomicEthHeader atomic;
    atomic.SetVirtualAddress(0x0001020304050608ULL);
    atomic.SetRKey(0x11223344);
    atomic.SetSwapAdd(0x1111111122222222ULL);
    atomic.SetCompare(0x3333333344444444ULL);
    const RoceAtomicEthHeader x = Check(atomic,
                                        "0001020304050608112233441111111122222222"
                                        "3333333344444444");
    NS_TEST_EXPECT_MSG_EQ(x.GetVirtualAddress(), 0x0001020304050608ULL, "VA");
    NS_TEST_EXPECT_MSG_EQ(x.GetRKey(), 0x11223344, "R_Key");
    NS_TEST_EXPECT_MSG_EQ(x.GetSwapAdd(), 0x1111111122222222ULL, "swap or add");
    NS_TEST_EXPECT_MSG_EQ(x.GetCompare(), 0x3333333344444444ULL, "compare");

    RoceAtomicAckEthHeader atomicAck;
    atomicAck.SetOriginalData(0xfedcba9876543210ULL);
    NS_TEST_EXPECT_MSG_EQ(Check(atomicAck, "fedcba9876543210").GetOriginalData(),
                          0xfedcba9876543210ULL,
                          "original data");

    // The GRH of the hardware capture HW2, and one with every field in use.
    const Ipv6Address gid = Ipv6Address::MakeIpv4MappedAddress(Ipv4Address("15.0.0.2"));
    RoceGrhHeader grh;
    grh.SetTrafficClass(2);
    grh.SetPayloadLength(40);
    grh.SetSource(gid);
    grh.SetDestination(gid);
    Check(grh, "6020000000281b4000000000000000000000ffff0f00000200000000000000000000ffff0f000002");
    grh.SetTrafficClass(0xab);
    grh.SetFlowLabel(0xcdef0);
    grh.SetNextHeader(0x11);
    grh.SetHopLimit(1);
    grh.SetDestination(Ipv6Address("fe80::1"));
    const RoceGrhHeader g =
        Check(grh,
              "6abcdef00028110100000000000000000000ffff0f000002fe800000000000000000000000000001");
    NS_TEST_EXPECT_MSG_EQ(unsigned{g.GetTrafficClass()}, 0xab, "TClass");
    NS_TEST_EXPECT_MSG_EQ(g.GetFlowLabel(), 0xcdef0, "FlowLabel");
    NS_TEST_EXPECT_MSG_EQ(g.GetPayloadLength(), 40, "PayLen");
    NS_TEST_EXPECT_MSG_EQ(unsigned{g.GetNextHeader()}, 0x11, "NxtHdr");
    NS_TEST_EXPECT_MSG_EQ(unsigned{g.GetHopLimit()}, 1, "HopLmt");
    NS_TEST_EXPECT_MSG_EQ(g.GetSource(), gid, "SGID");
    NS_TEST_EXPECT_MSG_EQ(g.GetDestination(), Ipv6Address("fe80::1"), "DGID");

    // PCP 3, VID 100, as in vector V4.
    RoceVlanHeader vlan;
    vlan.SetTci((3 << 13) | 100);
    vlan.SetEtherType(0x86dd);
    const RoceVlanHeader v = Check(vlan, "606486dd");
    NS_TEST_EXPECT_MSG_EQ(v.GetTci(), 0x6064, "TCI");
    NS_TEST_EXPECT_MSG_EQ(v.GetEtherType(), 0x86dd, "EtherType");

    // IEEE 802.1Qbb: opcode, vector with a zero upper byte, eight timers.
    PfcHeader pfc;
    pfc.SetPause(3, 0xffff);
    pfc.SetPause(7, 0);
    pfc.SetQuanta(0, 0x1234);
    const PfcHeader p = Check(pfc, "01010088123400000000ffff0000000000000000");
    NS_TEST_EXPECT_MSG_EQ(p.GetOpcode(), 0x0101, "opcode");
    NS_TEST_EXPECT_MSG_EQ(unsigned{p.GetClassEnable()}, 0x88, "class-enable vector");
    NS_TEST_EXPECT_MSG_EQ(p.IsEnabled(3), true, "paused class");
    NS_TEST_EXPECT_MSG_EQ(p.IsEnabled(7), true, "resumed class");
    NS_TEST_EXPECT_MSG_EQ(p.IsEnabled(0), false, "class with a timer that does not count");
    NS_TEST_EXPECT_MSG_EQ(p.GetQuanta(3), 0xffff, "timer");
    NS_TEST_EXPECT_MSG_EQ(p.GetQuanta(0), 0x1234, "timer");

    // The ICRC is the only field sent least significant byte first.
    RoceIcrcTrailer trailer;
    trailer.SetIcrc(0xc057ccef);
    Ptr<Packet> packet = Create<Packet>(3);
    packet->AddTrailer(trailer);
    NS_TEST_EXPECT_MSG_EQ(Hex(packet), "000000efcc57c0", "ICRC of vector V1");
    RoceIcrcTrailer read;
    packet->RemoveTrailer(read);
    NS_TEST_EXPECT_MSG_EQ(read.GetIcrc(), 0xc057ccef, "ICRC read back");
    NS_TEST_EXPECT_MSG_EQ(packet->GetSize(), 3, "trailer removed");
}

/**
 * @ingroup roce-tests
 * @brief What stands on the cable: numbers, opcodes and headers.
 */
class RoceWireTestSuite : public TestSuite
{
  public:
    RoceWireTestSuite()
        : TestSuite("roce-wire", Type::UNIT)
    {
        AddTestCase(new RdmaPsnTestCase);
        AddTestCase(new RdmaOpcodeTestCase);
        AddTestCase(new RdmaSyndromeTestCase);
        AddTestCase(new RoceHeaderTestCase);
    }
};

/// Registers the suite.
RoceWireTestSuite g_roceWireTestSuite;

} // namespace
