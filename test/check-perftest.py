#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check roce-perftest from outside: its tables, values, counters, captures, what it refuses.

usage: check-perftest.py [PROGRAM]

PROGRAM is the built roce-perftest; without it, roce-perftest in the directory that the environment
variable ROCE_BIN names. Captures are checked by check-wire.py, which needs scapy and tshark.
"""

import csv
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
FOLDER = os.path.dirname(os.path.abspath(__file__))

# The columns of perftest 6 with --report_gbits.
BANDWIDTH_TITLE = "#bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]"
LATENCY_TITLE = (
    "#bytes #iterations t_min[usec] t_max[usec] t_typical[usec] t_avg[usec] t_stdev[usec] "
    "99% percentile[usec] 99.9% percentile[usec]"
)

# Bytes around the payload in a frame with FCS: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4.
HEADERS = 62
PREAMBLE = 8
GAP = 12
ACK = 66
RETH = 16
AETH = 4
ATOMIC_ETH = 28
ATOMIC_ACK_ETH = 8

# Delays of the preset "typical", microseconds.
DOORBELL = 0.150
SEND = 0.250
FETCH = 0.400
RECEIVE = 0.450

# BTH opcodes of the reliable connection service.
SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY = 0x00, 0x01, 0x02, 0x04
WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY = 0x06, 0x07, 0x08, 0x0A
READ_REQUEST, READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY = 0x0C, 0x0D, 0x0E, 0x0F, 0x10
ACKNOWLEDGE, ATOMIC_ACKNOWLEDGE, FETCH_ADD = 0x11, 0x12, 0x14


def load_wire_check():
    """check-wire.py as a module, for its reader of captures."""
    spec = importlib.util.spec_from_file_location("wire", os.path.join(FOLDER, "check-wire.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Perftest(unittest.TestCase):
    """Runs of the program in a directory of their own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        os.chmod(self.folder.name, 0o755)  # tshark drops its privileges

    def path(self, name):
        """A name in the directory of the test."""
        return os.path.join(self.folder.name, name)

    def run_program(self, *options):
        """Run, return the finished process."""
        return subprocess.run(
            [PROGRAM, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=300,
            check=False,
        )

    def measure(self, test, *options):
        """Run a test, return the rows of its table as dictionaries."""
        process = self.run_program(f"--test={test}", *options)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        self.assertEqual(process.stderr, "")
        title, *lines = process.stdout.splitlines()
        latency = test.endswith("_lat")
        self.assertEqual(" ".join(title.split()), LATENCY_TITLE if latency else BANDWIDTH_TITLE)
        names = ["bytes", "iterations"]
        names += (
            ["min", "max", "typical", "avg", "stdev", "p99", "p999"]
            if latency
            else ["peak", "average", "rate"]
        )
        rows = []
        for line in lines:
            values = [float(word) for word in line.split()]
            self.assertEqual(len(values), len(names), line)
            rows.append(dict(zip(names, values)))
        return rows

    def latency(self, test, size, rate, hops, typical, *options):
        """Compare a latency with the sum of its parts; rate in Gb/s."""
        delay, switch = 0.025, 0.35
        (row,) = self.measure(
            test,
            f"--size={size}",
            f"--rate={rate}Gbps",
            f"--hops={hops}",
            f"--delay={delay * 1000:g}ns",
            f"--switch-delay={switch * 1000:g}ns",
            "--iters=50",
            f"--preset={'typical' if typical else 'none'}",
            *options,
        )
        byte = 8e-3 / rate  # microseconds
        doorbell, send, fetch, receive = (
            (DOORBELL, SEND, FETCH, RECEIVE) if typical else (0, 0, 0, 0)
        )

        def way(frame):
            return (hops + 1) * ((frame + PREAMBLE) * byte + delay) + hops * switch + receive

        padded = (size + 3) // 4 * 4
        inline = size <= 220
        if test in ("write_lat", "send_lat"):
            start = doorbell + send + (0 if inline else fetch)
            wait = max(start, (PREAMBLE + ACK + GAP) * byte)
            frame = HEADERS + padded + (RETH if test == "write_lat" else 0)
            expected = wait + way(frame)
        elif test == "read_lat":
            expected = doorbell + send + way(HEADERS + RETH)
            expected += send + fetch + way(HEADERS + AETH + padded)
        else:
            expected = doorbell + send + way(HEADERS + ATOMIC_ETH)
            expected += send + fetch + way(HEADERS + AETH + ATOMIC_ACK_ETH)
        what = f"{test} of {size} B at {rate} Gb/s, {hops} switches, {options}"
        self.assertEqual(row["iterations"], 50, what)
        self.assertAlmostEqual(row["typical"], expected, delta=0.00051, msg=what)
        self.assertAlmostEqual(row["max"], expected, delta=0.00051, msg=what)
        self.assertLessEqual(row["min"], row["typical"], what)
        return row["typical"]

    def test_latency(self):
        """Latency is the sum of its parts to the nanosecond, for all tests, rates and distances."""
        for test, size in (
            ("write_lat", 2),
            ("write_lat", 1024),
            ("send_lat", 64),
            ("send_lat", 4096),
            ("read_lat", 2),
            ("read_lat", 1500),
            ("atomic_lat", 8),
        ):
            for rate, hops in ((10, 0), (100, 1), (400, 3)):
                for typical in (False, True):
                    self.latency(test, size, rate, hops, typical)

    def test_preset(self):
        """The preset has the latency of real NICs back to back: 0.8 to 1.1 us for 2 bytes."""
        for test, low, high in (
            ("write_lat", 0.8, 1.1),
            ("send_lat", 0.8, 1.1),
            ("read_lat", 1.6, 2.1),
            ("atomic_lat", 1.6, 2.1),
        ):
            (row,) = self.measure(test, "--size=2", "--preset=typical", "--iters=20")
            self.assertGreater(row["typical"], low, test)
            self.assertLess(row["typical"], high, test)

    def test_bandwidth(self):
        """Bandwidth is payload / (payload + 82) of the line rate within 0.1 %."""
        for mtu in (256, 512, 1024, 2048, 4096):
            for test, rate in (("write_bw", 25), ("send_bw", 100), ("read_bw", 400)):
                (row,) = self.measure(
                    test,
                    f"--mtu={mtu}",
                    f"--rate={rate}Gbps",
                    "--size=1MiB",
                    "--iters=24",
                    "--delay=1ns",
                )
                expected = rate * mtu / (mtu + 82)
                what = f"{test}, MTU {mtu}, {rate} Gb/s"
                self.assertAlmostEqual(row["average"], expected, delta=1e-3 * expected, msg=what)
                self.assertGreaterEqual(row["peak"], row["average"], what)
                self.assertLess(row["peak"], rate, what)
                self.assertEqual(row["iterations"], 24, what)
                self.assertAlmostEqual(
                    row["rate"], row["average"] * 1e3 / 8 / (1 << 20), delta=1e-4, msg=what
                )

    def test_options(self):
        """Queue pairs share the line; depth 1 waits for each acknowledgment; post lists; RoCEv1."""
        (row,) = self.measure("write_bw", "--qps=4", "--iters=1000", "--size=4096")
        self.assertEqual(row["iterations"], 4000)
        self.assertAlmostEqual(row["average"], 100 * 4096 / (4096 + 82 + RETH), delta=0.1)
        (alone,) = self.measure("write_bw", "--tx-depth=1", "--iters=100", "--delay=1us")
        self.assertLess(alone["average"], 75)  # 5.34 us of every 7.4 us or so
        (several,) = self.measure("write_bw", "--tx-depth=8", "--post-list=4", "--delay=1us")
        self.assertGreater(several["average"], 97)
        # With a GRH of 40 bytes in place of IPv4 and UDP, 28 bytes, it is 12 bytes longer.
        (old,) = self.measure("write_bw", "--roce=1", "--size=1MiB", "--iters=24", "--hops=1")
        expected = 100 * 4096 / (4096 + 94)
        self.assertAlmostEqual(old["average"], expected, delta=1e-3 * expected)
        (inline,) = self.measure("write_lat", "--size=512", "--preset=typical", "--inline=512")
        (fetched,) = self.measure("write_lat", "--size=512", "--preset=typical", "--inline=0")
        self.assertAlmostEqual(fetched["typical"] - inline["typical"], FETCH, delta=0.0011)

    def test_all(self):
        """A sweep has one row per power of two from 2 B to 8 MiB, larger ones are not slower."""
        sizes = [1 << i for i in range(1, 24)]
        for test in ("write_bw", "read_bw"):
            rows = self.measure(test, "--all", "--iters=20")
            self.assertEqual([row["bytes"] for row in rows], sizes)
            averages = [row["average"] for row in rows]
            self.assertEqual(averages, sorted(averages))
        rows = self.measure("send_lat", "--all", "--iters=5")
        self.assertEqual([row["bytes"] for row in rows], sizes)
        typical = [row["typical"] for row in rows]
        self.assertEqual(typical, sorted(typical))
        rows = self.measure("atomic_lat", "--all", "--iters=5")
        self.assertEqual([row["bytes"] for row in rows], [8])

    def test_defaults(self):
        """As many messages as perftest, but not more than 64 MiB of them."""
        self.assertEqual(self.measure("write_lat", "--size=2")[0]["iterations"], 1000)
        self.assertEqual(self.measure("write_bw", "--size=2")[0]["iterations"], 5000)
        self.assertEqual(self.measure("write_bw", "--size=4MiB")[0]["iterations"], 16)

    def test_counters(self):
        """Counters of both NICs and their queue pairs fit together."""
        self.measure(
            "write_bw", "--qps=3", "--iters=10", "--size=10000", f"--counters={self.path('c.csv')}"
        )
        with open(self.path("c.csv"), newline="", encoding="ascii") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["node"] for row in rows], ["0"] * 4 + ["1"] * 4)
        self.assertEqual([row["qp"] == "all" for row in rows], ([False] * 3 + [True]) * 2)
        for name in ("out_of_sequence", "packet_seq_err", "rnr_nak_retry_err", "np_cnp_sent",
                     "local_ack_timeout_err", "rp_cnp_handled", "np_ecn_marked_roce_packets",
                     "duplicate_request", "implied_nak_seq_err", "rx_discards"):
            self.assertEqual({row[name] for row in rows}, {"0"}, name)
        for node in (rows[:4], rows[4:]):
            for name in ("posted", "bytes_sent", "acks_received", "bytes_received", "acks_sent"):
                total = sum(int(row[name]) for row in node[:3])
                self.assertEqual(total, int(node[3][name]), name)
        self.assertEqual(rows[3]["completed"], "30")
        self.assertEqual(rows[3]["bytes_acked"], "300000")
        self.assertEqual(rows[7]["bytes_received"], "300000")
        self.assertEqual(rows[7]["messages_received"], "30")

    def test_captures(self):
        """Every packet of every operation is what scapy, tshark and the ICRC say it should be."""
        wire = load_wire_check()
        names = []
        for test, size, opcodes in (
            ("write_bw", 12000, {WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, ACKNOWLEDGE}),
            ("write_lat", 3, {WRITE_ONLY, ACKNOWLEDGE}),
            ("send_bw", 12001, {SEND_FIRST, SEND_MIDDLE, SEND_LAST, ACKNOWLEDGE}),
            ("send_lat", 66, {SEND_ONLY, ACKNOWLEDGE}),
            ("read_bw", 12002, {READ_REQUEST, READ_FIRST, READ_MIDDLE, READ_LAST}),
            ("read_lat", 5, {READ_REQUEST, READ_ONLY}),
            ("atomic_lat", 8, {FETCH_ADD, ATOMIC_ACKNOWLEDGE}),
        ):
            for version, ether_type in ((2, 0x0800), (1, 0x8915)):
                name = self.path(f"{test}-{version}.pcap")
                names.append(name)
                self.measure(
                    test,
                    f"--size={size}",
                    "--iters=5",
                    f"--roce={version}",
                    "--hops=1",
                    f"--pcap={name}",
                )
                found = set()
                for original, frame in wire.read_pcap(name):
                    self.assertEqual(len(frame), original, name)
                    roce = wire.Roce.find(frame)
                    self.assertIsNotNone(roce, name)
                    self.assertEqual(roce.ether_type, ether_type, name)
                    found.add(frame[roce.bth])
                self.assertEqual(found, opcodes, name)
        process = subprocess.run(
            [sys.executable, os.path.join(FOLDER, "check-wire.py"), "--pcap", *names],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
            timeout=300,
            check=False,
        )
        self.assertEqual(process.returncode, 0, process.stdout)

    def test_refusals(self):
        """Wrong input ends with status 2 and says what would be right."""
        for option, text in (
            ("--test=write", "write_bw, write_lat"),
            ("--size=0", "--size=0"),
            ("--size=many", "64KiB"),
            ("--mtu=100", "256 to 4096"),
            ("--qps=0", "--qps=0"),
            ("--tx-depth=0", "--tx-depth=0"),
            ("--post-list=1000", "1 to 128"),
            ("--rate=fast", "100Gbps"),
            ("--delay=5", "10ns"),
            ("--preset=fast", "none, typical"),
            ("--roce=3", "1 to 2"),
            ("--inline=4096", "1024"),
            ("stray", "stray"),
        ):
            process = self.run_program(option)
            self.assertEqual(process.returncode, 2, option + process.stdout + process.stderr)
            self.assertIn(text, process.stderr, option)
            self.assertEqual(process.stdout, "", option)
        process = self.run_program("--roce=1", "--hops=2")
        self.assertEqual(process.returncode, 2)
        self.assertIn("cannot be routed", process.stderr)


def main():
    """Find the program, run the tests."""
    global PROGRAM
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = os.path.abspath(sys.argv.pop(1))
    elif "ROCE_BIN" in os.environ:
        PROGRAM = os.path.join(os.environ["ROCE_BIN"], "roce-perftest")
    if not os.access(PROGRAM, os.X_OK):
        sys.exit(f"check-perftest.py: '{PROGRAM}' is not a program\n{__doc__}")
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
