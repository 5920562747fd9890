#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compares Soap with other frameworks on their own models. It needs a Python with torch, transformers, timm, onnx,
# onnxscript, onnxruntime and numpy; scripts/test.sh needs none of them.
#
#   scripts/test-peers.sh BUILD [PYTHON] [PART ..]
#
# A part is a program in scripts/peers that takes the build directory; without names, all run. The status is 0 only if
# every part passed.
set -euo pipefail
if [[ $# -lt 1 ]]; then
  echo "usage: scripts/test-peers.sh BUILD [PYTHON] [PART ..]" >&2
  exit 2
fi
peers=$(cd "$(dirname "${BASH_SOURCE[0]}")/peers" && pwd)
build=$1
python=${2:-python3}
shift $(($# < 2 ? $# : 2))
parts=("$@")
if [[ ${#parts[@]} -eq 0 ]]; then
  parts=(onnx_exports)
fi
status=0
for part in "${parts[@]}"; do
  echo "== $part"
  "$python" "$peers/$part.py" "$build" || status=1
done
exit $status
