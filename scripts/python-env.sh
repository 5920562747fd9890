#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes BUILD/.venv with the Python packages that only tests use: onnx, onnxruntime, numpy.
#   scripts/python-env.sh [BUILD]
# Fails with a message, and leaves nothing half made, where there is no network.
set -uo pipefail
cd "$(dirname "$0")/.."
venv=${1:-build}/.venv

works() { "$venv/bin/python" -c 'import numpy, onnx, onnxruntime' 2>/dev/null; }
if works; then
  echo "python-env: $venv is ready"
  exit 0
fi
echo "python-env: installing numpy, onnx, onnxruntime into $venv"
rm -rf "$venv"
mkdir -p "$(dirname "$venv")"
python3 -m venv "$venv" && timeout 300 "$venv/bin/python" -m pip install -q --disable-pip-version-check \
  --retries 2 --timeout 20 'numpy>=1.26' 'onnx>=1.15' 'onnxruntime>=1.17' && works && exit 0
rm -rf "$venv"
echo "python-env: can not install the packages (no network?)" >&2
exit 1
