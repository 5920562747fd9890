#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what Soap needs from the distribution's packages (Debian 12), and only what is missing.
#   scripts/install-deps.sh          what building, testing and the demo need
#   scripts/install-deps.sh --dev    also clang-format and clang-tidy (scripts/check-style.sh)
#   scripts/install-deps.sh --list   print the package names, install nothing
# Run it as root or as a user with sudo. Running it again costs a fraction of a second.
set -euo pipefail

packages=(
  g++ clang-22 cmake ninja-build ccache        # the toolchain
  libmlir-22-dev mlir-22-tools                 # MLIR: libraries, mlir-tblgen, mlir-opt
  llvm-22-dev llvm-22-tools lld-22             # LLVM: libraries, lit, FileCheck; the linker
  libdnnl-dev                                  # kernels of the CPU backend
  libopenmpi-dev openmpi-bin                   # transport mpi
  libonnx-dev libprotobuf-dev protobuf-compiler # ONNX import
  libscotch-dev                                # a baseline of soap-solve placement
  libjemalloc-dev                              # the allocator of searches
  libclang-rt-22-dev                           # sanitizers and libFuzzer (test-full.sh)
  libcli11-dev                                 # command lines of the tools
  nlohmann-json3-dev zlib1g-dev libgtest-dev   # files, compressed data sets, unit tests
  python3 python3-venv                         # test runner; the ONNX Runtime comparison lives in a virtual environment
  dataset-fashion-mnist                        # the data of the demo
)
developer=(clang-format-22 clang-tidy-22)

usage() { sed -n '3,7s/^# \{0,1\}//p' "$0"; }
mode=install
for argument in "$@"; do
  case "$argument" in
    --dev) packages+=("${developer[@]}") ;;
    --list) mode=list ;;
    -h | --help) usage; exit 0 ;;
    *) echo "install-deps: unknown option '$argument'" >&2; usage >&2; exit 2 ;;
  esac
done
if [ "$mode" = list ]; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-deps: this is not a Debian system (no dpkg, no apt-get); install the equivalents of:" >&2
  printf '  %s\n' "${packages[@]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "install-deps: all ${#packages[@]} packages are installed"
  exit 0
fi
echo "install-deps: missing: ${missing[*]}"

root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install-deps: not root and no sudo; run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  root=(sudo)
fi
apt() { "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"; }

# The packages that apt can not install with the lists it has.
without_candidate() {
  local package policy
  for package in "${missing[@]}"; do
    policy=$(LC_ALL=C apt-cache policy "$package" 2>/dev/null || true)
    grep -q '^  Candidate: [^(]' <<<"$policy" || echo "$package"
  done
}

# Fresh machines have no package lists, and old lists name files that the mirrors have dropped.
# So update once: at once when a candidate is missing, else only if the installation fails.
updated=no
if [ -n "$(without_candidate)" ]; then
  echo "install-deps: updating the package lists"
  apt update -q || true
  updated=yes
fi
absent=$(without_candidate)
if [ -n "$absent" ]; then
  {
    echo "install-deps: apt has no candidate for:" $absent
    echo "  Soap builds with the LLVM 22 packages of Debian 12. Check that /etc/apt/sources.list or"
    echo "  /etc/apt/sources.list.d names both of these, then run this script again:"
    echo "    deb http://deb.debian.org/debian bookworm main"
    echo "    deb http://deb.debian.org/debian-security bookworm-security main"
    echo "  On other releases https://apt.llvm.org has packages of the same names."
  } >&2
  exit 1
fi
echo "install-deps: installing ${#missing[@]} packages"
if ! apt install -y -q --no-install-recommends "${missing[@]}"; then
  [ "$updated" = no ] || exit 1
  echo "install-deps: trying again with fresh package lists"
  apt update -q
  apt install -y -q --no-install-recommends "${missing[@]}"
fi
echo "install-deps: done"
