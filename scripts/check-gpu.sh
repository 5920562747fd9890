#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For a machine with GPUs and without LLVM: builds the runtime and runs the artifacts of a folder
# (scripts/make-gpu-artifacts.sh) on the first GPU, several devices as virtual ones. It checks one kernel, each library
# call beside the host, LeNet's accuracy, weights against the CPU, times beside PyTorch's, 200 cases against the
# unsharded reference, runs compute-sanitizer, and calibrates.
# Prints a row per check, a table, and "N passed, N failed".
#   scripts/check-gpu.sh DIR [FLAGS]     flags of utils/check-gpu.py: --json=FILE --resume --minutes=N --only=PART ...
#   SOAP_GPU_BUILD=build-gpu   where the runtime is built
#   SOAP_RUN=FILE              a soap-run that is there already: nothing is built
set -uo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
case "${1:-}" in
  -h | --help | "") sed -n '3,10s/^# \{0,1\}//p' "$0"; python3 "$source/utils/check-gpu.py" --help; exit 0 ;;
esac
directory=$1
shift
if [ -n "${SOAP_RUN:-}" ]; then
  exec python3 "$source/utils/check-gpu.py" "$SOAP_RUN" "$directory" "$@"
fi
build=${SOAP_GPU_BUILD:-$source/build-gpu}
log=$build/configure.log
mkdir -p "$build"
carried=$(cd "$directory" 2> /dev/null && pwd)/libraries
if ! { cmake -S "$source" -B "$build" -DSOAP_RUNTIME_ONLY=ON -DCMAKE_BUILD_TYPE=Release -DSOAP_FALLBACK="$carried" && cmake --build "$build" -j "$(nproc)"; } > "$log" 2>&1; then
  tail -n 20 "$log"
  echo "check-gpu: the runtime cannot be built, see $log"
  exit 1
fi
if ! grep -q "Backend cuda: yes" "$log"; then
  grep -E "Backend cuda|GPU kernels" "$log"
  echo "check-gpu: no CUDA toolkit or no cuDNN was found"
  exit 1
fi
exec python3 "$source/utils/check-gpu.py" "$build/bin/soap-run" "$directory" "$@"
