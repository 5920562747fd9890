#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the wheel of scripts/wheel.sh in a fresh Debian that has Python and no LLVM, compiler or linker. By the clock
# it makes a first plan there; then it trains LeNet. Needs root, debootstrap, network, 1 GB of disk a release.
#   scripts/check-wheel.sh [WHEEL] [RELEASE...]
# The default is the wheel in build/dist, in bookworm (Python 3.11) and trixie (Python 3.13).
# SOAP_CHROOT=DIR keeps the systems in DIR/RELEASE, or goes on with those that are there. The last line is
# "check-wheel: passed".
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help) sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
fail() { echo "check-wheel: $1" >&2; exit 1; }
wheel=${1:-$(echo build/dist/*.whl)}
shift || true
[ -f "$wheel" ] || fail "no wheel '$wheel': scripts/wheel.sh makes it"
releases=("$@")
[ $# -gt 0 ] || releases=(bookworm trixie)
[ "$(id -u)" -eq 0 ] || fail "needs root, for debootstrap and chroot"
command -v debootstrap >/dev/null || fail "no debootstrap (apt-get install debootstrap)"
data=/usr/share/datasets/fashion-mnist
[ -d $data ] || fail "$data is missing (apt-get install dataset-fashion-mnist)"

folder=${SOAP_CHROOT:-$(mktemp -d)}
root=
finish() {
  if [ -n "$root" ] && mountpoint -q "$root/proc"; then umount "$root/proc"; fi
  if [ -z "${SOAP_CHROOT:-}" ]; then rm -rf --one-file-system "$folder"; fi
}
trap finish EXIT
inside() {
  chroot "$root" env -i PATH=/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 PIP_ROOT_USER_ACTION=ignore \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${PIP_CERT:+PIP_CERT=/soap/cert.pem} "$@"
}
slow=
for release in "${releases[@]}"; do
  root=$folder/$release
  if [ ! -e "$root/usr/bin/python3" ]; then
    echo "check-wheel: debootstrap of $release"
    mkdir -p "$root"
    debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates "$release" "$root" \
      http://deb.debian.org/debian >"$folder/debootstrap.log" 2>&1 || { tail -n 20 "$folder/debootstrap.log"; fail "debootstrap failed"; }
  fi
  rm -rf "$root/soap" "$root/venv"
  mkdir -p "$root/soap"
  cp "$wheel" examples/lenet.onnx "$root/soap/"
  cp -r $data "$root/soap/data"
  [ -z "${PIP_CERT:-}" ] || cp "$PIP_CERT" "$root/soap/cert.pem"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
  for absent in clang gcc cc ld ld.lld llvm-config; do
    ! inside sh -c "command -v $absent" || fail "$release has $absent"
  done
  inside python3 -m venv /venv
  begin=$(date +%s%N)
  inside pip install -q --disable-pip-version-check "/soap/$(basename "$wheel")"
  installed=$(date +%s%N)
  inside soap-plan llama-8b --cluster h100-8 -o /soap/plan >"$root/soap/plan.txt" || fail "soap-plan fails in $release"
  planned=$(date +%s%N)
  head -n 2 "$root/soap/plan.txt"
  echo "check-wheel: $release: $(inside python --version): installed after $(((installed - begin) / 1000000)) ms," \
    "first plan after $(((planned - begin) / 1000000)) ms"
  [ $(((planned - begin) / 1000000000)) -lt 60 ] || slow+=" $release"
  inside sh -euc '
    cd /soap
    for tool in soap-opt soap-translate soap-run soap-launch soap-solve soap-plan; do $tool --version; done
    soap-run train lenet.onnx --data idx:/soap/data --topology cpu-4 --iterations 100
    python -c "
import soap, numpy
model = soap.from_onnx(\"lenet.onnx\")
plan = soap.find_strategy(model, topology=\"cpu-4\", proposals=100, seed=1, learning_rate=0.05)
x = numpy.random.default_rng(1).standard_normal((128, 1, 28, 28)).astype(\"float32\")
history = soap.fit(model, (x, numpy.arange(128) % 10), plan=plan, epochs=2)
print(soap.__version__, plan.milliseconds, history.losses)
assert history.losses[-1] < history.losses[0]"'
  umount "$root/proc"
done
[ -z "$slow" ] || fail "the first plan took more than 60 s in$slow (load of this machine: $(cut -d' ' -f1 /proc/loadavg))"
echo "check-wheel: passed"
