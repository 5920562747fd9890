# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command whose standard error is a terminal, and prints what arrives there; exits as the command does."""

import os
import pty
import subprocess
import sys

master, slave = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stderr=slave)
os.close(slave)
text = b""
while True:
    try:
        piece = os.read(master, 4096)
    except OSError:  # the other end is closed
        break
    if not piece:
        break
    text += piece
sys.stdout.write(text.decode().replace("\r", "\n"))
sys.exit(process.wait())
