#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what Soap needs from the distribution's packages, and only what is missing: Debian 12, 13, Ubuntu 24.04
# with LLVM from apt.llvm.org.
#   scripts/install-deps.sh            what building, testing and the demo need
#   scripts/install-deps.sh --demo     only what the demo needs
#   scripts/install-deps.sh --dev      also clang-format and clang-tidy (scripts/check-style.sh)
#   scripts/install-deps.sh --list     print the package names, install nothing
#   scripts/install-deps.sh --sources  print where apt finds LLVM 22 for this release, install nothing
# Run it as root or as a user with sudo. Running it again costs a fraction of a second.
set -euo pipefail

packages=(
  g++ clang-22 cmake ninja-build               # the toolchain
  libmlir-22-dev mlir-22-tools                 # MLIR: libraries, mlir-tblgen, mlir-opt
  llvm-22-dev llvm-22-tools lld-22             # LLVM: libraries, lit, FileCheck; the linker
  libdnnl-dev                                  # kernels of the CPU backend
  libonnx-dev libprotobuf-dev protobuf-compiler # ONNX import
  libjemalloc-dev                              # the allocator of searches
  libcli11-dev                                 # command lines of the tools
  nlohmann-json3-dev zlib1g-dev                # files, compressed data sets
  python3                                      # the demo's report, test runner
  dataset-fashion-mnist                        # the data of the demo
)
complete=(
  ccache
  libopenmpi-dev openmpi-bin                   # transport mpi
  libscotch-dev                                # a baseline of soap-solve placement
  libclang-rt-22-dev                           # sanitizers and libFuzzer (test-full.sh)
  libgtest-dev                                 # unit tests
  dpkg-dev                                     # cpack -G DEB
  python3-dev                                  # the extension module of the Python package
  doxygen                                      # the reference of C++ headers on the site
  python3-venv                                 # HiGHS and the ONNX Runtime comparison live in virtual environments
)
developer=(clang-format-22 clang-tidy-22)

usage() { sed -n '3,10s/^# \{0,1\}//p' "$0"; }

# Commands to type where apt has no LLVM 22.
sources() {
  local id="" codename=""
  # SOAP_OS_RELEASE: another system's file, for the test.
  eval "$(sed -n 's/^ID=/id=/p; s/^VERSION_CODENAME=/codename=/p' "${SOAP_OS_RELEASE:-/etc/os-release}" 2>/dev/null)"
  case "$id-$codename" in
    debian-bookworm | debian-trixie)
      echo "LLVM 22 is in Debian's security updates. /etc/apt/sources.list or /etc/apt/sources.list.d has to name both:"
      echo "  deb http://deb.debian.org/debian $codename main"
      echo "  deb http://deb.debian.org/debian-security $codename-security main"
      ;;
    ubuntu-noble)
      echo "LLVM 22 for Ubuntu 24.04 comes from apt.llvm.org, the other packages from 'universe'. Type:"
      echo "  sudo apt-get install -y ca-certificates wget software-properties-common"
      echo "  sudo add-apt-repository -y universe"
      echo "  wget -qO- https://apt.llvm.org/llvm-snapshot.gpg.key | sudo tee /etc/apt/trusted.gpg.d/apt.llvm.org.asc"
      echo "  echo 'deb https://apt.llvm.org/noble/ llvm-toolchain-noble-22 main' |" \
        "sudo tee /etc/apt/sources.list.d/llvm-22.list"
      ;;
    *)
      echo "This system ('$id $codename') is not one that Soap knows: Debian 12 and 13, Ubuntu 24.04."
      echo "  https://apt.llvm.org has LLVM 22 for other releases of Debian and Ubuntu, under the same package names."
      ;;
  esac
}
mode=install
wanted=("${complete[@]}")
for argument in "$@"; do
  case "$argument" in
    --demo) wanted=() ;;
    --dev) wanted+=("${developer[@]}") ;;
    --list) mode=list ;;
    --sources) sources; exit 0 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "install-deps: unknown option '$argument'" >&2; usage >&2; exit 2 ;;
  esac
done
packages+=(${wanted[@]+"${wanted[@]}"})
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
    sources
    echo "Then run this script again."
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
