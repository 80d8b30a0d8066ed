#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only

# What test.py runs beside the suites: (program and arguments, run it, run it under valgrind), the
# last two as Python conditions on ns-3's configuration.
cpp_examples = [
    ("roce-first", "True", "True"),
    ("roce-first --hosts=3 --bytes=100000 --pcap=1", "True", "False"),
    ("roce-pcap", "True", "True"),
    ("roce-perftest --test=read_lat --size=2 --hops=1 --preset=typical", "True", "True"),
    ("roce-run --topology=star:3 --flows=incast:2:100000", "True", "True"),
    ("roce-run --topology=leaf-spine:2x2x4 --flows=permutation:100000 --lb=dlb", "True", "False"),
]

# The bindings of ns-3.37 to 3.41 do not load contributed modules by themselves, and test.py cannot
# tell where cppyy works; utils/test.sh runs roce-first.py.
python_examples = []
