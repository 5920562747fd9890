#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes virtual environments with the Python packages that only tests use: BUILD/.venv with onnx, onnxruntime and numpy,
# BUILD/.venv-jax with JAX for the CPU, BUILD/.venv-cuda with ptxas and nvdisasm.
#   scripts/python-env.sh [BUILD]
# Fails with a message, and leaves nothing half made, where there is no network.
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
# Of another version the HLO, and so the table of collectives, may be another one.
jax=0.10.2
status=0

# make FOLDER CHECK PACKAGE...: an environment in which Python runs CHECK
make() {
  local venv=$1 check=$2
  shift 2
  if "$venv/bin/python" -c "$check" 2>/dev/null; then
    echo "python-env: $venv is ready"
    return
  fi
  echo "python-env: installing $* into $venv"
  rm -rf "$venv"
  mkdir -p "$build"
  python3 -m venv "$venv" && timeout 300 "$venv/bin/python" -m pip install -q --disable-pip-version-check \
    --retries 2 --timeout 20 --no-compile "$@" && "$venv/bin/python" -c "$check" && return
  rm -rf "$venv"
  echo "python-env: can not install the packages (no network?)" >&2
  status=1
}
make "$build/.venv" 'import numpy, onnx, onnxruntime' 'numpy>=1.26' 'onnx>=1.15' 'onnxruntime>=1.17'
make "$build/.venv-jax" "import jax; assert jax.__version__ == '$jax'" "jax==$jax"
make "$build/.venv-cuda" 'import glob, nvidia; assert glob.glob(nvidia.__path__[0] + "/cu*/bin/nvdisasm")' \
  --no-deps nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-nvdisasm
exit $status
