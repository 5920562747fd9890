#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests against other frameworks from PyPI: PyTorch and JAX. scripts/test.sh runs a few of the JAX tests.
#   scripts/test-peers.sh [BUILD]        the last line is "N passed, N failed"
# Makes BUILD/.peers, a virtual environment of several GB; SOAP_PEERS names one that has the packages already, to which
# nothing is added; PYTHONPATH is kept, so torch-mlir can lie elsewhere. Soap's package goes into BUILD/.peers-soap.
set -uo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help) sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
build=$(realpath -m "${1:-build}")
peers=${SOAP_PEERS:-$build/.peers}
packages=(numpy torch onnx jax optax transformers timm onnxscript onnxruntime nanobind scikit-build-core ninja)
give_up() {
  echo "test-peers: $1" >&2
  echo "0 passed, 1 failed"
  exit 1
}

[ -e "$build/lib/libSoapCAPI.so" ] || give_up "$build has no libSoapCAPI.so: build the target SoapCAPI"
works() { "$peers/bin/python" -c 'import numpy, torch, onnx, jax, optax, nanobind, scikit_build_core' 2>/dev/null; }
if ! works; then
  [ -z "${SOAP_PEERS:-}" ] || give_up "SOAP_PEERS=$SOAP_PEERS lacks one of: ${packages[*]}"
  echo "test-peers: installing ${packages[*]} into $peers"
  python3 -m venv --clear "$peers" && "$peers/bin/python" -m pip install -q --disable-pip-version-check \
    --retries 2 --timeout 60 --extra-index-url https://download.pytorch.org/whl/cpu "${packages[@]}" && works ||
    give_up "the packages cannot be installed (no network?)"
  "$peers/bin/python" -m pip install -q --disable-pip-version-check torch-mlir ||
    echo "test-peers: torch-mlir has no wheel for this Python; training steps by it are left out"
fi
target=$build/.peers-soap
Soap_DIR=$build/lib/cmake/Soap "$peers/bin/python" -m pip install -q --disable-pip-version-check --no-build-isolation \
  --no-deps --upgrade --target "$target" -C "build-dir=$build/python-peers" ./python || give_up "pip install ./python fails"
export PYTHONPATH=$target${PYTHONPATH:+:$PYTHONPATH} XLA_FLAGS=--xla_force_host_platform_device_count=8 JAX_PLATFORMS=cpu

passed=0
failed=0
# run NAME COMMAND...: a test whose last line is "N passed, N failed"
run() {
  local name=$1 output last
  shift
  echo "== $name"
  output=$(timeout 3600 "$peers/bin/python" "$@" 2>&1)
  echo "$output"
  last=${output##*$'\n'}
  if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
  else
    failed=$((failed + 1))
  fi
}
run "notebooks of ONNX and PyTorch" test/Python/pages.py docs/Python.ipynb docs/tutorials/PyTorch.ipynb
run "plans as DTensor placements" test/Python/Peers/dtensor.py
export SOAP_TOOLS=$build/bin
run "plans on PyTorch's engine" test/Python/Peers/engine.py
run "collectives of PyTorch's engine" test/Python/Peers/engine_collectives.py
run "modules of PyTorch" test/Python/Peers/modules.py
run "corners by from_torch" test/Python/Peers/corners.py
run "models of today by from_torch" test/Python/Peers/zoo_training.py
run "programs of from_torch, recorded anew" test/Python/Peers/record_programs.py --check
run "notebook of JAX" test/Python/pages.py docs/tutorials/JAX.ipynb
run "plans as shardings of JAX" test/Python/Peers/shardings.py
run "functions of JAX" test/Python/Peers/functions.py
run "programs of JAX under plans" test/Python/Peers/jax_plans.py --page docs/JaxPrograms.md
run "pipelines of JAX" test/Python/Peers/jax_pipelines.py
run "plans of JAX on two processes" test/Python/Peers/jax_processes.py
# Files of frameworks that need no GPU to read them; without dependencies, which would bring other versions of torch.
if [ -z "${SOAP_PEERS:-}" ]; then
  "$peers/bin/python" -m pip install -q --disable-pip-version-check accelerate tyro py-cpuinfo hjson pydantic msgpack
  "$peers/bin/python" -m pip install -q --disable-pip-version-check --no-deps megatron-core 'torchtitan<0.3' deepspeed
fi
run "files of soap-plan" test/Python/Peers/planning.py
run "exports of PyTorch" scripts/peers/onnx_exports.py "$build"
run "training of PyTorch, recorded anew" test/Integration/Models/record.py --check "$build"
run "programs of JAX, made anew" test/Target/StableHLO/Inputs/make_programs.py --check
run "strategies as Shardy" test/Target/StableHLO/shardy.py "$build"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
