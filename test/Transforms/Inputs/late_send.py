# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""late_send.py FROM TO: the first message that device 1 sends in a training step becomes its last op."""

import re
import sys

with open(sys.argv[1]) as stream:
    lines = stream.read().split("\n")
begin = next(i for i, line in enumerate(lines) if re.search(r"func\.func .*@train_step__1\b", line))
end = next(i for i in range(begin, len(lines)) if lines[i].strip().startswith("return"))
send = next(i for i in range(begin, end) if "soap.send_buffer" in lines[i])
assert any("soap.recv_buffer" in line for line in lines[send:end])
lines.insert(end, lines[send])
del lines[send]
with open(sys.argv[2], "w") as stream:
    stream.write("\n".join(lines))
