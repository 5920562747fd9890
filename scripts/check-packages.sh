#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the Debian packages of a complete build, installs them in a fresh Debian 12 (debootstrap), and there searches a
# strategy for LeNet, trains it, builds a program against libsoap-dev, and purges the packages. Needs root, debootstrap,
# dpkg-dev and network, 3 GB of disk and a few minutes; what apt prints goes to BUILD/packages.log.
#   scripts/check-packages.sh [BUILD]      (default: build); packages are in BUILD/packages afterwards
# SOAP_CHROOT=DIR keeps the system in DIR, or goes on with the one that is there. The last line is
# "check-packages: passed".
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help) sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
build=${1:-build}
suite=bookworm
fail() { echo "check-packages: $1" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || fail "needs root, for debootstrap and chroot"
for program in debootstrap dpkg-shlibdeps cpack; do
  command -v $program >/dev/null || fail "no $program (apt-get install debootstrap dpkg-dev cmake)"
done
[ -f "$build/CPackConfig.cmake" ] || fail "$build is no configured build folder"
log=$build/packages.log

echo "check-packages: packaging $build"
rm -f "$build"/packages/*.deb
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$PWD/$build/packages" >"$log" 2>&1 || {
  cat "$log"
  fail "cpack failed"
}

root=${SOAP_CHROOT:-}
kept=yes
if [ -z "$root" ]; then
  root=$(mktemp -d)
  kept=no
fi
finish() {
  if mountpoint -q "$root/proc"; then umount "$root/proc"; fi
  if [ $kept = no ]; then rm -rf --one-file-system "$root"; fi
}
trap finish EXIT
if [ ! -e "$root/etc/debian_version" ]; then
  echo "check-packages: debootstrap of $suite"
  debootstrap --variant=minbase $suite "$root" http://deb.debian.org/debian >"$build/debootstrap.log" 2>&1 || {
    tail -n 20 "$build/debootstrap.log"
    fail "debootstrap failed"
  }
fi
# LLVM 22 is in the security updates.
printf 'deb http://deb.debian.org/debian%s main\n' " $suite" "-security $suite-security" >"$root/etc/apt/sources.list"
inside() {
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"
}
# apt-get in there: its output is of use only where it fails. The fresh system has no terminals for dpkg.
packages() {
  inside apt-get -q -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1 || {
    cat "$log"
    fail "apt-get $1 failed"
  }
}
mkdir -p "$root/soap"
rm -rf "$root/soap/"*
cp "$build"/packages/*.deb examples/lenet.onnx test/Packaging/Inputs/model.mlir "$root/soap/"
cp -r test/Packaging/Inputs/consumer "$root/soap/"
# The loader finds $ORIGIN by /proc.
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
# Names of hosts are resolved as on this machine.
cp /etc/resolv.conf "$root/etc/resolv.conf"
packages update

echo "check-packages: soap-tools and libsoap-runtime"
version=$(dpkg-deb --field "$(echo "$root"/soap/soap-tools_*.deb)" Version)
architecture=$(dpkg --print-architecture)
package() { echo "/soap/$1_${version}_$architecture.deb"; }
packages install -y --no-install-recommends "$(package soap-tools)" "$(package libsoap-runtime)" dataset-fashion-mnist
inside sh -euxc '
  cd /soap
  for tool in soap-opt soap-translate soap-run soap-launch soap-solve; do $tool --version; done
  soap-translate --import-onnx lenet.onnx -o lenet.mlir
  soap-opt lenet.mlir --soap-build-training-step="optimizer=sgd learning-rate=0.05 momentum=0.9" -o step.mlir
  soap-opt step.mlir --soap-auto-parallel="topology=cpu-4 seed=1 proposals=500" -o searched.mlir
  soap-run train searched.mlir --data idx:/usr/share/datasets/fashion-mnist --iterations 100'

echo "check-packages: libsoap-dev"
packages install -y --no-install-recommends "$(package libsoap-dev)" cmake ninja-build
inside sh -euxc '
  cd /soap
  cmake -G Ninja -S consumer -B consumer-build
  cmake --build consumer-build
  consumer-build/consumer model.mlir "builtin.module(soap-build-training-step)" | grep soap.sgd
  consumer-build/runner model.mlir | grep "forward__0: code"'

# Nothing stays behind.
packages purge -y soap-tools libsoap-runtime libsoap-dev
for left in usr/bin/soap-opt usr/lib/libSoapCompiler.so usr/lib/soap usr/include/Soap usr/lib/cmake/Soap; do
  [ ! -e "$root/$left" ] || fail "purging the packages left /$left"
done
echo "check-packages: passed"
