#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the documentation as a site, from docs/ and the pages of the root. A broken link or anchor is an error.
#   scripts/site.sh [BUILD]         writes BUILD/site (BUILD is build unless it is given); open BUILD/site/index.html
# Needs mkdocs from PyPI, which it installs into BUILD/.site-venv. The reference of the C++ headers is by doxygen; where
# that is not installed, a line says so, and the page of the headers has no links.
# Ends with status 3 where PyPI cannot be reached.
set -uo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help) sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
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
site=$(realpath -m "$build")/site
if command -v doxygen >/dev/null; then export SOAP_SITE_HEADERS=1; else unset SOAP_SITE_HEADERS; fi
"$venv/bin/python" -m mkdocs build --strict --clean -d "$site" || exit 1
if [ -z "${SOAP_SITE_HEADERS:-}" ]; then
  echo "site: the reference of the C++ headers is left out: no doxygen (apt-get install doxygen)"
  exit 0
fi
version=$(sed -n 's/^project(Soap VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
mkdir -p "$site/api"
doxygen - <<END || exit 1
PROJECT_NAME = Soap
PROJECT_NUMBER = $version
INPUT = include
FILE_PATTERNS = *.h
RECURSIVE = YES
STRIP_FROM_PATH = include
STRIP_FROM_INC_PATH = include
OUTPUT_DIRECTORY = "$site/api"
HTML_OUTPUT = cpp
GENERATE_LATEX = NO
EXTRACT_ALL = YES
HIDE_UNDOC_RELATIONS = YES
JAVADOC_AUTOBRIEF = YES
AUTOLINK_SUPPORT = NO
EXCLUDE_SYMBOLS = mlir::* llvm::*
SEARCHENGINE = NO
HAVE_DOT = NO
CASE_SENSE_NAMES = YES
QUIET = YES
WARNINGS = NO
END
