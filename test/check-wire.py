#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check what the module puts on the wire with decoders that know nothing of it.

Without arguments: run the example program roce-pcap, which writes one frame of every kind and the
values it put in, and compare those values with what tshark (Wireshark) and scapy decode. The ICRC of
every frame is recomputed twice: by scapy (RoCEv2 over IPv4) and by the function in this file, which
uses zlib (IPv4, IPv6, RoCEv1, VLAN tags). tshark never checks an ICRC, so it alone proves nothing.

With --pcap FILE...: recompute the ICRC of every RoCE frame in these files and let tshark look for
malformed RoCE and PFC frames.

The program is looked for in $ROCE_BIN, then in build/bin of the repository. Run this with the Python
that has scapy: /usr/bin/python3 on Debian and Ubuntu.
"""

import argparse
import csv
import glob
import ipaddress
import logging
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

PACKAGES = "on Debian and Ubuntu: apt-get install python3-scapy tshark, then run it with /usr/bin/python3"
REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

ROCE_PORT = 4791
CNP = 0x81
EXAMPLES = 8  # failures shown per check; the rest is only counted

# Options under which tshark reports no false problem: its RPC-over-RDMA heuristic takes small SEND
# payloads for RPC. It does verify IP and UDP checksums when told so.
TSHARK_OPTIONS = ["--disable-heuristic", "rpcrdma_infiniband"]
TSHARK_CHECKSUMS = ["-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"]

# tshark field -> column of the CSV file that roce-pcap writes. Wireshark 4.0 has no field for FECN
# and BECN, which are therefore read from the bytes below.
TSHARK_FIELDS = {
    "vlan.id": None,
    "vlan.priority": None,
    "ip.dsfield.dscp": "dscp",
    "ip.dsfield.ecn": "ecn",
    "ip.ttl": "ttl",
    "ip.id": "identification",
    "ip.checksum.status": None,
    "ip.src": "source",
    "ip.dst": "destination",
    "ipv6.tclass.dscp": "dscp",
    "ipv6.tclass.ecn": "ecn",
    "ipv6.flow": "flow_label",
    "ipv6.hlim": "ttl",
    "ipv6.src": "source",
    "ipv6.dst": "destination",
    "udp.srcport": "udp_source_port",
    "udp.checksum.status": None,
    "infiniband.grh.tclass": None,
    "infiniband.grh.flowlabel": "flow_label",
    "infiniband.grh.hoplmt": "ttl",
    "infiniband.grh.sgid": "source",
    "infiniband.grh.dgid": "destination",
    "infiniband.bth.opcode": "opcode",
    "infiniband.bth.se": "solicited",
    "infiniband.bth.m": "mig_req",
    "infiniband.bth.padcnt": "pad_count",
    "infiniband.bth.tver": None,
    "infiniband.bth.p_key": "p_key",
    "infiniband.bth.destqp": "dest_qp",
    "infiniband.bth.a": "ack_req",
    "infiniband.bth.psn": "psn",
    "infiniband.reth.va": "va",  # Wireshark uses these two for the AtomicETH as well
    "infiniband.reth.r_key": "r_key",
    "infiniband.reth.dmalen": "dma_length",
    "infiniband.aeth.syndrome": "syndrome",
    "infiniband.aeth.msn": "msn",
    "infiniband.immdt": "immediate",
    "infiniband.ieth": "invalidate_r_key",
    "infiniband.deth.q_key": "q_key",
    "infiniband.deth.srcqp": "source_qp",
    "infiniband.atomiceth.swapdt": "swap_add",
    "infiniband.atomiceth.cmpdt": "compare",
    "infiniband.atomicacketh.origremdt": "original",
    "macc.opcode": None,
    "macc.cbfc.enbv": "class_enable",
}
TSHARK_FIELDS.update({"macc.cbfc.pause_time.c%d" % i: None for i in range(8)})
PROBLEM_FIELDS = ["_ws.malformed", "_ws.expert.message"]
CHECKSUM_GOOD = 1  # values of tshark's *.checksum.status
CHECKSUM_ABSENT = 3


class Results:
    """Counts checks; the failures of one check are reported together."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def report(self, what, count, problems):
        """Report one check over count items, of which those in problems failed."""
        if problems or count == 0:
            self.failed += 1
            print("FAIL  %s: %d of %d wrong" % (what, len(problems), count))
            if count == 0:
                print("        there was nothing to check")
            for problem in problems[:EXAMPLES]:
                print("        " + problem)
            if len(problems) > EXAMPLES:
                print("        ... and %d more" % (len(problems) - EXAMPLES))
        else:
            self.passed += 1
            print("ok    %s (%d)" % (what, count))


def stop(message):
    """End with a message when nothing can be checked."""
    print("check-wire: " + message)
    print("0 passed, 1 failed")
    sys.exit(1)


def read_pcap(name):
    """Return the frames of an Ethernet pcap file as (original length, bytes)."""
    with open(name, "rb") as file:
        data = file.read()
    formats = {
        b"\xd4\xc3\xb2\xa1": "<",
        b"\xa1\xb2\xc3\xd4": ">",
        b"\x4d\x3c\xb2\xa1": "<",
        b"\xa1\xb2\x3c\x4d": ">",
    }
    if len(data) < 24 or data[:4] not in formats:
        raise ValueError("%s is not a pcap file" % name)
    order = formats[data[:4]]
    link_type = struct.unpack(order + "I", data[20:24])[0]
    if link_type != 1:
        raise ValueError("%s has link type %d, not Ethernet (1)" % (name, link_type))
    frames = []
    offset = 24
    while offset < len(data):
        if offset + 16 > len(data):
            raise ValueError("%s ends within a record" % name)
        captured, original = struct.unpack(order + "8xII", data[offset : offset + 16])
        offset += 16
        if offset + captured > len(data):
            raise ValueError("%s ends within a record" % name)
        frames.append((original, data[offset : offset + captured]))
        offset += captured
    return frames


class Roce:
    """Where the parts of a RoCE frame are; None from find() for any other frame."""

    def __init__(self, ether_type, layer3, bth, end, tagged):
        self.ether_type = ether_type
        self.layer3 = layer3  # offset of the IP header or GRH
        self.bth = bth  # offset of the BTH
        self.end = end  # offset behind the ICRC
        self.tagged = tagged

    @staticmethod
    def find(frame):
        layer3 = 14
        while frame[layer3 - 2 : layer3] in (b"\x81\x00", b"\x88\xa8"):
            layer3 += 4
        ether_type = int.from_bytes(frame[layer3 - 2 : layer3], "big")
        ip = frame[layer3:]
        if ether_type == 0x0800 and len(ip) >= 28:
            header = 4 * (ip[0] & 15)
            length = int.from_bytes(ip[2:4], "big")
            protocol = ip[9] if not int.from_bytes(ip[6:8], "big") & 0x3FFF else None
        elif ether_type in (0x86DD, 0x8915) and len(ip) >= 48:
            header = 40
            length = 40 + int.from_bytes(ip[4:6], "big")
            protocol = ip[6]
        else:
            return None
        if ether_type == 0x8915:
            bth = header
        else:
            if protocol != 17 or int.from_bytes(ip[header + 2 : header + 4], "big") != ROCE_PORT:
                return None
            bth = header + 8
        return Roce(ether_type, layer3, layer3 + bth, layer3 + length, layer3 > 14)


def compute_icrc(frame, roce):
    """The ICRC as it must stand on the wire: CRC-32 over ones and the masked packet."""
    copy = bytearray(frame[roce.layer3 : roce.end - 4])
    bth = roce.bth - roce.layer3
    if roce.ether_type == 0x0800:
        for i in (1, 8, 10, 11):  # TOS, TTL, header checksum
            copy[i] = 0xFF
    else:
        copy[0] |= 0x0F  # traffic class and flow label
        for i in (1, 2, 3, 7):  # and hop limit
            copy[i] = 0xFF
    if roce.ether_type != 0x8915:
        copy[bth - 2] = copy[bth - 1] = 0xFF  # UDP checksum
    copy[bth + 4] = 0xFF  # FECN, BECN, reserved
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(copy)))


def check_icrc(results, name, frames):
    """Recompute every ICRC with the function above. Returns the RoCE frames."""
    problems = []
    found = []
    cut = 0
    for number, (original, frame) in enumerate(frames, 1):
        roce = Roce.find(frame)
        if roce is None:
            continue
        if len(frame) < original:
            cut += 1
            continue
        found.append((number, frame, roce))
        if roce.end > len(frame) or roce.end < roce.bth + 16:
            problems.append("frame %d: length fields do not fit" % number)
            continue
        icrc = frame[roce.end - 4 : roce.end]
        expected = compute_icrc(frame, roce)
        if icrc != expected:
            problems.append(
                "frame %d: ICRC %s, should be %s" % (number, icrc.hex(), expected.hex())
            )
        if any(frame[roce.end :]):
            problems.append("frame %d: Ethernet padding is not zero" % number)
    if cut:
        print("      %s: %d RoCE frames were cut short in the capture and not checked" % (name, cut))
    results.report("%s: ICRC by zlib" % name, len(found), problems)
    return found


def check_scapy_icrc(results, name, found, limit):
    """Let scapy drop the ICRC of IPv4 frames and build them anew."""
    from scapy.contrib.roce import BTH
    from scapy.layers.l2 import Ether

    problems = []
    chosen = [item for item in found if item[2].ether_type == 0x0800]
    if not chosen:
        print("      %s: no RoCEv2 over IPv4 for scapy" % name)
        return
    if len(chosen) > limit:
        print("      %s: scapy looks at %d of %d frames" % (name, limit, len(chosen)))
        step = len(chosen) / limit
        chosen = [chosen[int(i * step)] for i in range(limit)]
    for number, frame, roce in chosen:
        packet = Ether(frame[: roce.end])
        if BTH not in packet:
            problems.append("frame %d: scapy sees no BTH" % number)
            continue
        packet[BTH].icrc = None
        built = bytes(packet)
        if built != frame[: roce.end]:
            problems.append(
                "frame %d: ICRC %s, scapy builds %s"
                % (number, frame[roce.end - 4 : roce.end].hex(), built[-4:].hex())
            )
    results.report("%s: ICRC by scapy" % name, len(chosen), problems)


def run_tshark(name, fields, options):
    """Decode a file; returns one dictionary per frame."""
    command = ["tshark", "-n", "-r", name, "-T", "fields", "-E", "separator=/t", "-E", "occurrence=f"]
    for field in fields:
        command += ["-e", field]
    result = subprocess.run(
        command + options, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True
    )
    if result.returncode != 0:
        stop("tshark failed on %s: %s" % (name, result.stderr.strip()))
    return [dict(zip(fields, line.split("\t"))) for line in result.stdout.splitlines()]


def to_number(text):
    """A tshark value as a number: decimal, hexadecimal, 0/1 or an address; None if absent."""
    if text == "":
        return None
    if text in ("True", "False"):
        return int(text == "True")
    for parse in (lambda t: int(t, 0), lambda t: int(ipaddress.ip_address(t))):
        try:
            return parse(text)
        except ValueError:
            pass
    return text


def expected_values(row):
    """What tshark should show for a row of the CSV file, by tshark field."""
    number = {key: to_number(value) for key, value in row.items() if key not in ("name", "quanta")}
    ether_type = number["ether_type"]
    values = {}
    for field, column in TSHARK_FIELDS.items():
        value = number[column] if column else None
        if field.startswith(("ip.", "ipv6.", "infiniband.grh.")):
            layer = {0x0800: "ip.", 0x86DD: "ipv6.", 0x8915: "infiniband.grh."}.get(ether_type)
            if layer is None or not field.startswith(layer):
                value = None
        values[field] = value
    if number["vlan_tci"] is not None:
        values["vlan.id"] = number["vlan_tci"] & 0xFFF
        values["vlan.priority"] = number["vlan_tci"] >> 13
    if ether_type == 0x8915:
        values["infiniband.grh.tclass"] = number["dscp"] * 4 + number["ecn"]
    if ether_type == 0x0800:
        values["ip.checksum.status"] = CHECKSUM_GOOD
        values["udp.checksum.status"] = CHECKSUM_ABSENT
    if ether_type == 0x86DD:
        values["udp.checksum.status"] = CHECKSUM_GOOD
    if row["kind"] == "roce":
        values["infiniband.bth.tver"] = 0
    else:
        values["macc.opcode"] = 0x0101
        for i, quanta in enumerate(row["quanta"].split()):
            values["macc.cbfc.pause_time.c%d" % i] = int(quanta)
    return values


def check_tshark(results, name, pcap, rows):
    """Compare every field that tshark knows, and demand that it has nothing to complain about."""
    fields = list(TSHARK_FIELDS) + PROBLEM_FIELDS
    decoded = run_tshark(pcap, fields, TSHARK_OPTIONS + TSHARK_CHECKSUMS)
    counts = {}
    problems = {}
    for number, (row, values) in enumerate(zip(rows, decoded), 1):
        for field, expected in expected_values(row).items():
            text = values[field]
            if text and field in ("infiniband.immdt", "infiniband.ieth"):
                text = "0x" + text.replace(":", "")  # shown as bytes
            got = to_number(text)
            if expected is None and got is None:
                continue
            counts[field] = counts.get(field, 0) + 1
            if got != expected:
                problems.setdefault(field, []).append(
                    "frame %d (%s): %s, should be %s" % (number, row["name"], got, expected)
                )
    results.report(
        "%s: tshark sees every frame" % name,
        len(rows),
        [] if len(rows) == len(decoded) else ["%d decoded" % len(decoded)],
    )
    for field in TSHARK_FIELDS:
        results.report("tshark: " + field, counts.get(field, 0), problems.get(field, []))
    report_tshark_problems(results, name, decoded)


def report_tshark_problems(results, name, decoded):
    """Report malformed frames and expert items."""
    problems = []
    for number, values in enumerate(decoded, 1):
        for field in PROBLEM_FIELDS:
            if values[field]:
                frame = values.get("frame.number", number)
                problems.append("frame %s: %s %s" % (frame, field, values[field]))
    results.report("%s: tshark has no complaint" % name, len(decoded), problems)


def check_bytes(results, frames, rows):
    """What tshark 4.0 does not show: BTH bits, CNP, padding, frame lengths, PFC layout."""
    length = []
    bits = []
    cnp = []
    pfc = []
    counts = {"roce": 0, "cnp": 0, "pfc": 0}
    for number, ((_, frame), row) in enumerate(zip(frames, rows), 1):
        if len(frame) + 4 != int(row["frame_bytes"]) or len(frame) < 60:
            length.append("frame %d: %d bytes with FCS" % (number, len(frame) + 4))
        if row["kind"] == "pfc":
            counts["pfc"] += 1
            expected = struct.pack(
                ">HH8H", 0x0101, int(row["class_enable"]), *map(int, row["quanta"].split())
            )
            if (
                frame[:6] != bytes.fromhex("0180c2000001")
                or frame[12:14] != b"\x88\x08"
                or frame[14:34] != expected
                or frame[34:] != bytes(26)
            ):
                pfc.append("frame %d: %s" % (number, frame.hex()))
            continue
        roce = Roce.find(frame)
        if roce is None:
            bits.append("frame %d: not RoCE" % number)
            continue
        counts["roce"] += 1
        bth = frame[roce.bth : roce.bth + 12]
        expected_bits = int(row["fecn"]) << 7 | int(row["becn"]) << 6
        if bth[4] != expected_bits or bth[8] & 0x7F:
            bits.append("frame %d: bytes 4 and 8 are %02x %02x" % (number, bth[4], bth[8]))
        payload = int(row["payload_bytes"])
        pad = int(row["pad_count"])
        if (payload + pad) % 4 or pad > 3 or any(frame[roce.end - 4 - pad : roce.end - 4]):
            bits.append("frame %d: padding of %d bytes after %d" % (number, pad, payload))
        if payload:
            expected_payload = bytes((7 * i + 1) & 0xFF for i in range(payload))
            if frame[roce.end - 4 - pad - payload : roce.end - 4 - pad] != expected_payload:
                bits.append("frame %d: payload differs" % number)
        if roce.ether_type == 0x0800 and frame[roce.layer3 + 6 : roce.layer3 + 8] != b"\x40\x00":
            bits.append("frame %d: DF is not the only IPv4 flag" % number)
        udp_checksum = frame[roce.bth - 2 : roce.bth]
        if roce.ether_type == 0x0800 and udp_checksum != b"\0\0":
            bits.append("frame %d: UDP checksum over IPv4 is not 0" % number)
        if roce.ether_type == 0x86DD and udp_checksum == b"\0\0":
            bits.append("frame %d: UDP checksum over IPv6 is 0" % number)
        if bth[0] == CNP:
            counts["cnp"] += 1
            rest = frame[roce.bth + 12 : roce.end - 4]
            if bth[1] != 0 or bth[4] != 0x40 or bth[8:] != bytes(4) or rest != bytes(16):
                cnp.append("frame %d: %s" % (number, frame[roce.bth : roce.end].hex()))
    results.report("frame lengths", len(rows), length)
    results.report("FECN, BECN, reserved bits, padding, payload, UDP checksum", counts["roce"], bits)
    results.report("CNP layout", counts["cnp"], cnp)
    results.report("PFC layout", counts["pfc"], pfc)


def check_scapy_fields(results, frames, rows):
    """Compare the fields that scapy decodes (AETH only in acknowledgments)."""
    from scapy.contrib.roce import AETH, BTH
    from scapy.layers.l2 import Ether

    columns = {
        "opcode": "opcode",
        "solicited": "solicited",
        "migreq": "mig_req",
        "padcount": "pad_count",
        "pkey": "p_key",
        "fecn": "fecn",
        "becn": "becn",
        "dqpn": "dest_qp",
        "ackreq": "ack_req",
        "psn": "psn",
    }
    problems = []
    count = 0
    for number, ((_, frame), row) in enumerate(zip(frames, rows), 1):
        if row["kind"] != "roce":
            continue
        count += 1
        packet = Ether(frame)
        if BTH not in packet:
            problems.append("frame %d: scapy sees no BTH" % number)
            continue
        bth = packet[BTH]
        wrong = [key for key, column in columns.items() if getattr(bth, key) != int(row[column])]
        if AETH in packet:
            aeth = packet[AETH]
            wrong += [key for key in ("syndrome", "msn") if getattr(aeth, key) != int(row[key])]
        elif row["name"] == "RC_ACKNOWLEDGE":
            wrong.append("AETH")
        if wrong:
            problems.append("frame %d (%s): %s" % (number, row["name"], ", ".join(wrong)))
    results.report("scapy BTH and AETH fields", count, problems)


def check_own_icrc(results):
    """The function of this file against frames of real adapters, before it judges others."""
    vectors = {
        "CNP of an adapter": (
            "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b700280000"
            "8100ffff40000118000000000000000000000000000000000000000082fd002a"
        ),
        "RoCEv1 WRITE of an adapter": (
            "7cfe90753cd87cfe90753cd889156020000000281b4000000000000000000000ffff0f00000200000000"
            "000000000000ffff0f0000020a70ffff0000010a80a788bc000055d4c0726000000047b3000000050000"
            "000001000000e3d856bb"
        ),
    }
    problems = []
    for name, text in vectors.items():
        frame = bytes.fromhex(text)
        if compute_icrc(frame, Roce.find(frame)) != frame[-4:]:
            problems.append(name)
    results.report("ICRC function of this script on hardware captures", len(vectors), problems)


def find_program(name):
    """Path of an example program, or None."""
    for directory in (os.environ.get("ROCE_BIN"), os.path.join(REPOSITORY, "build", "bin")):
        if not directory:
            continue
        # Inside an ns-3 tree programs are called ns3.37-roce-pcap-debug or the like.
        patterns = (name, "ns3*-%s-*" % name, "ns3*-%s" % name)
        for pattern in patterns:
            for path in sorted(glob.glob(os.path.join(directory, pattern))):
                if os.path.isfile(path) and os.access(path, os.X_OK):
                    return path
    return None


def check_program(results):
    """Run roce-pcap and compare everything."""
    program = find_program("roce-pcap")
    if program is None:
        stop(
            "the program roce-pcap was not found in $ROCE_BIN (%s) or %s; build the module first, "
            "or set ROCE_BIN to the directory of the example programs"
            % (os.environ.get("ROCE_BIN", "not set"), os.path.join(REPOSITORY, "build", "bin"))
        )
    with tempfile.TemporaryDirectory() as directory:
        # tshark drops its privileges when run by root and must still be able to read the file.
        os.chmod(directory, 0o755)
        pcap = os.path.join(directory, "frames.pcap")
        fields = os.path.join(directory, "fields.csv")
        result = subprocess.run(
            [program, "--output=" + pcap, "--fields=" + fields],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )
        if result.returncode != 0:
            stop("%s failed (exit status %d):\n%s" % (program, result.returncode, result.stdout))
        with open(fields, newline="") as file:
            rows = list(csv.DictReader(file))
        frames = read_pcap(pcap)
        results.report(
            "frames in the file",
            len(rows),
            [] if len(rows) == len(frames) else ["%d frames" % len(frames)],
        )
        check_bytes(results, frames, rows)
        name = "roce-pcap"
        found = check_icrc(results, name, frames)
        check_scapy_icrc(results, name, found, len(frames))
        check_scapy_fields(results, frames, rows)
        check_tshark(results, name, pcap, rows)


def check_capture(results, name):
    """Check the RoCE and PFC frames of any capture."""
    try:
        frames = read_pcap(name)
    except (OSError, ValueError) as error:
        results.report(str(error), 1, ["cannot be read"])
        return
    found = check_icrc(results, name, frames)
    check_scapy_icrc(results, name, found, 2000)
    # Other traffic in the capture may have bad checksums of its own.
    options = TSHARK_OPTIONS + ["-Y", "infiniband || macc"]
    decoded = run_tshark(name, ["frame.number"] + PROBLEM_FIELDS, options)
    report_tshark_problems(results, name, decoded)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pcap", nargs="+", metavar="FILE", help="check these captures instead")
    arguments = parser.parse_args()
    logging.getLogger("scapy").setLevel(logging.ERROR)
    try:
        import scapy.contrib.roce  # noqa: F401
    except ImportError as error:
        stop("scapy with scapy.contrib.roce is missing (%s); %s" % (error, PACKAGES))
    if shutil.which("tshark") is None:
        stop("tshark is missing; " + PACKAGES)

    results = Results()
    check_own_icrc(results)
    if arguments.pcap:
        for name in arguments.pcap:
            check_capture(results, name)
    else:
        check_program(results)
    print("%d passed, %d failed" % (results.passed, results.failed))
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main())
