#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A stand-in for compute-sanitizer: runs the command, and finds an error with the tool that FIND names.
tool=$2
shift 6 # --tool NAME --error-exitcode 9 --target-processes all
"$@" || exit
[ "${FIND:-}" != "$tool" ] && exit 0
echo "========= ERROR SUMMARY: 1 error"
exit 9
