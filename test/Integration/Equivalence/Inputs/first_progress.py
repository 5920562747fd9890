# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""first_progress.py COMMAND...: prints what a command has printed up to its first line of progress, while it runs; then
ends it."""

import os
import signal
import subprocess
import sys

process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True, start_new_session=True)
for line in process.stdout:
    print(line, end="")
    if line.startswith("programs run: "):
        print("still running: %s" % (process.poll() is None))
        break
os.killpg(process.pid, signal.SIGKILL)
process.wait()
