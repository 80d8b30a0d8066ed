#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every source file of the module is named in both build descriptions.

CMakeLists.txt (and examples/CMakeLists.txt) serve ns-3.36 and later, wscript-compat/roce/wscript
serves the waf trees before. A file that only one of them names would go unnoticed until somebody
builds with the other. With --update the lists of both are rewritten from the files that are there,
except those of the examples.
"""

import re
import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CMAKE = ROOT / "CMakeLists.txt"
EXAMPLES = ROOT / "examples" / "CMakeLists.txt"
WSCRIPT = ROOT / "wscript-compat" / "roce" / "wscript"
PRIVATE = ["model/roce-compat.h"]


def on_disk():
    """What there is to build, by the name of the list it belongs to."""

    def below(folders, pattern):
        found = (path for folder in folders for path in (ROOT / folder).rglob(pattern))
        return sorted(path.relative_to(ROOT).as_posix() for path in found)

    return {
        "sources": below(["model", "helper"], "*.cc"),
        "headers": [h for h in below(["model", "helper"], "*.h") if h not in PRIVATE],
        "private headers": PRIVATE,
        "tests": below(["test"], "*.cc"),
        "programs": below(["examples"], "*.cc"),
    }


CMAKE_KEYWORDS = {
    "sources": "SOURCE_FILES",
    "headers": "HEADER_FILES",
    "private headers": "PRIVATE_HEADER_FILES",
    "tests": "TEST_SOURCES",
}
ANY_KEYWORD = r"[A-Z]+_[A-Z_]+"


def commands(path, name):
    """The words between the parentheses of each call of a CMake command."""
    if not path.exists():
        return []
    text = re.sub(r"#.*", "", path.read_text())
    return [call.split() for call in re.findall(name + r"\s*\(([^)]*)\)", text)]


def after(words, keyword):
    """The words that follow a keyword, up to the next one."""
    if keyword not in words:
        return []
    values = []
    for word in words[words.index(keyword) + 1 :]:
        if re.fullmatch(ANY_KEYWORD + "|NAME", word):
            break
        values.append(word)
    return values


def in_cmake():
    (library,) = commands(CMAKE, "build_lib")
    lists = {name: after(library, keyword) for name, keyword in CMAKE_KEYWORDS.items()}
    calls = commands(EXAMPLES, "build_lib_example")
    lists["programs"] = [f"examples/{file}" for call in calls for file in after(call, "SOURCE_FILES")]
    names = [after(call, "NAME")[0] for call in calls]
    return lists, sorted(names)


def in_wscript():
    variables = runpy.run_path(str(WSCRIPT))
    # waf's header task has one list; a header used by tests must be in it, private or not.
    private = [h for h in variables["headers"] if h in PRIVATE]
    programs = variables["programs"]
    lists = {
        "sources": variables["sources"],
        "headers": [h for h in variables["headers"] if h not in PRIVATE],
        "private headers": private,
        "tests": variables["tests"],
        "programs": [f"examples/{file}" for files in programs.values() for file in files],
    }
    return lists, sorted(programs)


def update(disk):
    text = CMAKE.read_text()
    for name, keyword in CMAKE_KEYWORDS.items():
        lines = "".join(f"    {file}\n" for file in disk[name])
        pattern = rf"(?m)^  {keyword}\n(    .*\n)*"
        text = re.sub(pattern, f"  {keyword}\n{lines}", text)
    CMAKE.write_text(text)

    text = WSCRIPT.read_text()
    waf = dict(disk, headers=sorted(disk["headers"] + PRIVATE))
    for name in ("sources", "headers", "tests"):
        lines = "".join(f"    '{file}',\n" for file in waf[name])
        text = re.sub(rf"(?m)^{name} = \[\n(    .*\n)*\]", f"{name} = [\n{lines}]", text)
    WSCRIPT.write_text(text)


def main():
    disk = on_disk()
    if sys.argv[1:] == ["--update"]:
        update(disk)
    elif sys.argv[1:]:
        sys.exit(f"usage: {sys.argv[0]} [--update]")

    wrong = []
    cmake, cmake_programs = in_cmake()
    wscript, wscript_programs = in_wscript()
    if cmake_programs != wscript_programs:
        wrong.append(f"programs of CMake: {cmake_programs}, of waf: {wscript_programs}")
    for where, lists in ((CMAKE, cmake), (WSCRIPT, wscript)):
        for name, files in disk.items():
            listed = lists[name]
            wrong += [f"{where}: {name} lack {file}" for file in files if file not in listed]
            wrong += [f"{where}: {name} have {file}, which is not there" for file in listed if file not in files]
            wrong += [f"{where}: {name} have {file} twice" for file in set(listed) if listed.count(file) > 1]
    # utils/test.sh asks test.py for the suites called roce-*.
    for file in disk["tests"]:
        suites = re.findall(r"[ :]TestSuite\(\s*\"([^\"]*)", (ROOT / file).read_text())
        wrong += [f"{file}: the suite {name} is not called roce-..." for name in suites if not name.startswith("roce-")]
        wrong += [] if suites else [f"{file}: no suite found"]
    names = [Path(file).name for file in disk["headers"] + disk["private headers"]]
    wrong += [f"two headers are called {name}" for name in set(names) if names.count(name) > 1]

    for line in sorted(wrong):
        print(line)
    count = sum(len(files) for files in disk.values())
    print(f"check-file-lists: {count} files, {len(wrong)} mistakes in CMakeLists.txt and wscript")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
