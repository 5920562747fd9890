#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A stand-in for a command that waits forever and leaves another one that holds its streams.
sleep 1000 &
wait
