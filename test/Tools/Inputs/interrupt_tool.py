# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""interrupt_tool.py INT|TERM FOLDER COMMAND...: sends the signal to soap-run, and to nothing else, once it runs a
search of soap-opt. FOLDER, which is made, gets temporary files. Prints messages, the exit status and what is left."""
import os
import signal
import subprocess
import sys
import time

LIMIT_S = 600
kind, folder, command = getattr(signal, "SIG" + sys.argv[1]), sys.argv[2], sys.argv[3:]
os.makedirs(folder, exist_ok=True)


def searches(parent):
    """Children of a process that search."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid) as stream:
                fields = stream.read().rsplit(")", 1)[1].split()
            with open("/proc/%s/cmdline" % pid, "rb") as stream:
                words = stream.read()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z" and b"time-limit" in words:
            found.append(int(pid))
    return found


process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           env=dict(os.environ, TMPDIR=folder))
deadline = time.monotonic() + LIMIT_S
tools = []
while not tools and process.poll() is None and time.monotonic() < deadline:
    time.sleep(0.05)
    tools = searches(process.pid)
process.send_signal(kind)
try:
    output, _ = process.communicate(timeout=LIMIT_S)
except subprocess.TimeoutExpired:
    process.kill()
    output, _ = process.communicate()
left = [pid for pid in tools if os.path.exists("/proc/%d" % pid)]
for pid in left:
    os.kill(pid, signal.SIGKILL)
sys.stdout.write(output)
print("exit status %d, files left: %d, tools left: %d" % (process.returncode, len(os.listdir(folder)), len(left)))
