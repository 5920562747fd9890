#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the documentation as a site, from docs/ and the pages of the root. A broken link or anchor is an error.
#   scripts/site.sh [BUILD]         writes BUILD/site (BUILD is build unless it is given); open BUILD/site/index.html
# Needs mkdocs from PyPI, which it installs into BUILD/.site-venv.
# Ends with status 3 where PyPI cannot be reached.
set -uo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help) sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
build=${1:-build}
venv=$build/.site-venv
works() { "$venv/bin/python" -c 'import mkdocs' 2>/dev/null; }
if ! works; then
  echo "site: installing mkdocs into $venv"
  rm -rf "$venv"
  mkdir -p "$build"
  if ! python3 -m venv "$venv" || ! timeout 300 "$venv/bin/python" -m pip install -q --disable-pip-version-check \
    --retries 2 --timeout 20 'mkdocs>=1.6,<2' || ! works; then
    rm -rf "$venv"
    echo "site: cannot install mkdocs (no network?)" >&2
    exit 3
  fi
fi
exec "$venv/bin/python" -m mkdocs build --strict --clean -d "$(realpath -m "$build")/site"

