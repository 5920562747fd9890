#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Format and lint of C++ files, and words of all files.
#   scripts/check-style.sh              clang-format on every tracked file, and utils/check-words.py
#   scripts/check-style.sh --tidy BASE  also clang-tidy on the .cpp files changed since the commit BASE
#   scripts/check-style.sh --fix        rewrite what clang-format would change
# Needs the packages of scripts/install-deps.sh --dev; --tidy also a built build/ (SOAP_BUILD names another).
# The last line is "N passed, N failed": files.
set -uo pipefail
cd "$(dirname "$0")/.."

base=
fix=no
while [ $# -gt 0 ]; do
  case "$1" in
    --tidy) base=${2:?check-style: --tidy needs a commit}; shift ;;
    --fix) fix=yes ;;
    -h | --help) sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "check-style: unknown option '$1'" >&2; exit 2 ;;
  esac
  shift
done
format=/usr/lib/llvm-22/bin/clang-format
tidy=/usr/lib/llvm-22/bin/clang-tidy
build=${SOAP_BUILD:-build}

mapfile -t files < <(git ls-files '*.h' '*.cpp')
if [ $fix = yes ]; then
  "$format" -i "${files[@]}"
fi
passed=0
failed=0
if [ -x "$format" ]; then
  for file in "${files[@]}"; do
    if "$format" --dry-run -Werror "$file" 2>/dev/null; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "check-style: $file is not formatted: run scripts/check-style.sh --fix"
    fi
  done
else
  echo "check-style: no clang-format-22: formatting is not checked"
fi
words=$(python3 utils/check-words.py)
sed '$d' <<<"$words"
if [[ ${words##*$'\n'} =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
else
  failed=$((failed + 1))
fi
if [ -n "$base" ]; then
  mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- '*.cpp')
  for file in "${changed[@]}"; do
    # Files that this configuration does not compile (inputs of tests) have no command to check them with.
    grep -qF "$PWD/$file\"" "$build/compile_commands.json" || continue
    if "$tidy" -p "$build" --quiet "$file" 2>/dev/null; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "check-style: clang-tidy finds something in $file"
    fi
  done
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
