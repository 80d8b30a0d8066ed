# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What demo.sh and test.sh share: messages, missing packages, an ns-3 source tree. To be sourced.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
CACHE="${ROCE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/roce}"

# What a tree must have built for the module, its tests and its examples. csma is for ns-3's own tests of
# the others, which are part of the same test runner.
MODULES="roce;applications;csma;point-to-point"

# Downloaded when the distribution has no source package of ns-3.
RELEASE=3.48

# ---- Messages ------------------------------------------------------------------------------------

NOW="starting"
ADVICE=""

# step WHAT ADVICE: says what is being done; ADVICE is printed if it fails.
step() {
    NOW="$1"
    ADVICE="${2:-}"
    echo "== $NOW"
}

die() {
    trap - ERR
    echo >&2
    echo "$(basename "$0"): $1" >&2
    [[ -z "${2:-}" ]] || echo "What to do: $2" >&2
    exit 1
}

set -E
trap 'die "failed while $NOW" "$ADVICE"' ERR

# Shows a build's progress: one line on a terminal, a few lines in a file; warnings and errors in full.
progress() {
    local line count=0 clear=""
    [[ ! -t 1 ]] || clear=$'\r\e[K'
    while IFS= read -r line; do
        if [[ ! "$line" =~ ^\[\ *[0-9]+(%|/[0-9]+)\] ]]; then
            echo "$clear$line"
        elif [[ -n "$clear" ]]; then
            printf '%s' "$clear${line:0:78}"
        elif ((count++ % 50 == 0)); then
            echo "$line"
        fi
    done
    printf '%s' "$clear"
}

# ---- Packages ------------------------------------------------------------------------------------

# Debian puts Python packages where only its own interpreter looks.
python_program() {
    if [[ -x /usr/bin/python3 ]]; then
        echo /usr/bin/python3
    else
        command -v python3
    fi
}

python() {
    "$(python_program)" "$@"
}

as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "must be root to install packages, and there is no sudo" "as root, run: $*"
    fi
}

have() {
    case "$1" in
        python:*) python -c "import ${1#python:}" 2>/dev/null ;;
        /*) [[ -e "$1" ]] ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

apt_install() {
    as_root apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

# need PROBE PACKAGE ...: installs each PACKAGE whose PROBE (a command, a file, python:MODULE) is
# missing. Asks the network nothing when all are there.
need() {
    local missing=()
    while (($#)); do
        have "$1" || missing+=("$2")
        shift 2
    done
    ((${#missing[@]})) || return 0
    step "installing ${missing[*]}" \
        "check the network and the package sources, or install these packages yourself: ${missing[*]}"
    command -v apt-get >/dev/null ||
        die "missing: ${missing[*]} (Debian's names), and this system has no apt-get" \
            "install them with this system's package manager, then run the command again"
    apt_install "${missing[@]}"
}

# ---- An ns-3 source tree -------------------------------------------------------------------------

is_tree() {
    [[ -f "$1/ns3" && -d "$1/src/core" && -d "$1/contrib" ]]
}

# Source entries for all package entries of this machine, in the folder given. /etc is left alone.
write_source_entries() {
    local file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [[ -f "$file" ]] || continue
        sed -n -E 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file" >>"$1/sources.list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [[ -f "$file" ]] || continue
        sed -E 's/^Types:.*/Types: deb-src/' "$file" >"$1/$(basename "$file")"
    done
}

# Leaves the unpacked source package in the folder given. Package lists of its own, so no root needed.
get_distribution_source() (
    command -v apt-get >/dev/null || exit 1
    cd "$1" || exit
    mkdir -p entries lists/partial cache/archives/partial
    write_source_entries entries
    options=(-q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$PWD/entries"
        -o "Dir::State::lists=$PWD/lists" -o "Dir::Cache=$PWD/cache" -o APT::Sandbox::User=root)
    # Without Debian's patches, which rename the libraries: the Python bindings would not find them.
    apt-get "${options[@]}" update &&
        apt-get "${options[@]}" --download-only source ns3 &&
        dpkg-source --skip-patches -x ns3_*.dsc unpacked
)

get_release_tarball() (
    need curl curl /etc/ssl/certs/ca-certificates.crt ca-certificates bzip2 bzip2
    cd "$1" || exit
    for url in \
        "https://www.nsnam.org/releases/ns-allinone-$RELEASE.tar.bz2" \
        "https://gitlab.com/nsnam/ns-3-dev/-/archive/ns-$RELEASE/ns-3-dev-ns-$RELEASE.tar.bz2"; do
        echo "$url"
        if curl -fsSL -o release.tar.bz2 "$url"; then
            tar -xjf release.tar.bz2
            exit 0
        fi
    done
    exit 1
)

# Puts a source tree into CACHE/ns-3, once.
download_tree() {
    local temporary found
    step "getting ns-3's source" \
        "check the network, or unpack an ns-3 release yourself and set NS3_DIR to its folder"
    need dpkg-source dpkg-dev bzip2 bzip2 xz xz-utils
    mkdir -p "$CACHE"
    temporary="$(mktemp -d "$CACHE/download.XXXXXX")"
    get_distribution_source "$temporary" || {
        echo "The distribution gives no source package of ns-3; trying the release ns-$RELEASE."
        get_release_tarball "$temporary"
    }
    found="$(find "$temporary" -maxdepth 4 -name ns3 -type f | head -n 1)"
    is_tree "$(dirname "$found")" || die "no ns-3 tree in what was downloaded to $temporary" "$ADVICE"
    mv "$(dirname "$found")" "$CACHE/ns-3"
    rm -rf "$temporary"
}

# Sets NS3: NS3_DIR, else the tree whose contrib/ we sit in, else a downloaded one.
find_tree() {
    if [[ -n "${NS3_DIR:-}" ]]; then
        is_tree "$NS3_DIR" || die "NS3_DIR=$NS3_DIR is not an ns-3 source tree (3.36 or later)" \
            "set NS3_DIR to the folder that holds the program ns3 and the folder src, or unset it"
        NS3="$(cd "$NS3_DIR" && pwd)"
    elif [[ "$(basename "$(dirname "$ROOT")")" == contrib ]] && is_tree "$(dirname "$ROOT")/.."; then
        NS3="$(cd "$ROOT/../.." && pwd)"
    else
        NS3="$CACHE/ns-3"
        is_tree "$NS3" || download_tree
    fi
    echo "ns-3 tree: $NS3"
}

# Makes the module contrib/roce of the tree.
link_module() {
    local place="$NS3/contrib/roce"
    [[ ! "$place" -ef "$ROOT" ]] || return 0
    if [[ -L "$place" ]]; then
        rm "$place"
    elif [[ -e "$place" ]]; then
        die "$place exists and is another copy of the module" "run $place/utils/$(basename "$0"), or move that copy away"
    fi
    ln -s "$ROOT" "$place"
}

# As root, ns3 and test.py refuse to work where USER says so.
in_tree() (
    cd "$NS3" || exit
    unset USER
    "$@"
)

# lock NAME: a value of the tree's configuration, empty when it is not configured.
lock() {
    python - "$NS3"/.lock-ns3_*_build "$1" <<'END'
import runpy, sys
try:
    print(runpy.run_path(sys.argv[1]).get(sys.argv[2], ""))
except OSError:
    pass
END
}

is_configured() {
    [[ "$(lock NS3_ENABLED_CONTRIBUTED_MODULES)" == *"'ns3-roce'"* &&
        "$(lock ENABLE_TESTS)" == True && "$(lock ENABLE_EXAMPLES)" == True ]]
}

# Configures the tree (keeping a configuration that is there) and builds it.
build_tree() {
    local jobs="${ROCE_JOBS:-$(nproc)}" log="$NS3/build/roce-build.log"
    step "configuring ns-3 with the module" \
        "read the message above; to start afresh: (cd $NS3 && ./ns3 distclean), then run the command again"
    if [[ -z "$(lock VERSION)" ]]; then
        in_tree ./ns3 configure -d default -G Ninja --enable-tests --enable-examples \
            --enable-modules="$MODULES" --filter-module-examples-and-tests=roce
    elif ! is_configured; then
        in_tree ./ns3 configure --enable-tests --enable-examples
        is_configured || die "the tree is configured for a list of modules without roce" \
            "(cd $NS3 && ./ns3 configure --enable-modules=...), with $MODULES in the list"
    fi
    step "building ns-3 with the module, $jobs jobs (the first time some ten minutes of processor time)" \
        "the compiler's messages are above and in $log; where memory ran out, try ROCE_JOBS=1"
    # CLICOLOR as the program ns3 sets it (which would use one processor less): CMake may run again, and
    # with a different value all compiler commands differ, so that everything is compiled again.
    in_tree env CLICOLOR=1 cmake --build cmake-cache -j "$jobs" 2>&1 | tee "$log" | progress
}
