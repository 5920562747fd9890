# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fake_agent.py VERSION COMMAND...: says what the soap-launch of a host of another version says, and nothing more."""
import json
import sys
import time

print(json.dumps({"is": "hello", "version": sys.argv[1], "host": "other", "process": 1}), flush=True)
time.sleep(60)
