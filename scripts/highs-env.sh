#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes BUILD/.highs with HiGHS, the solver of integer programs: headers, library and CMake files of the Python package
# highsbox.
#   scripts/highs-env.sh [BUILD]
# Configuring BUILD afterwards finds it. Fails with a message, and leaves nothing half made, where there is no network.
set -uo pipefail
cd "$(dirname "$0")/.."
venv=${1:-build}/.highs

found() { compgen -G "$venv/lib/python3*/site-packages/highsbox/highs_dist/lib/cmake/highs/highs-config.cmake" >/dev/null; }
if found; then
  echo "highs-env: $venv is ready"
  exit 0
fi
echo "highs-env: installing highsbox into $venv"
rm -rf "$venv"
mkdir -p "$(dirname "$venv")"
python3 -m venv "$venv" && timeout 300 "$venv/bin/python" -m pip install -q --disable-pip-version-check \
  --retries 2 --timeout 20 'highsbox>=1.15,<2' && found && exit 0
rm -rf "$venv"
echo "highs-env: can not install the package (no network?)" >&2
exit 1
