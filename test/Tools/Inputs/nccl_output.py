# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What nccl-tests prints, from a table of `soap-translate --topology-as=collectives` whose times are made longer:
nccl_output.py TABLE KIND DEVICES MACHINES GPU FACTOR"""
import sys

table, kind, devices, machines, gpu, factor = sys.argv[1:]
print(f"$ ./build/{kind}_perf -b 1K -e 1G -f 4 -g 1")
print("# nThread 1 nGpus 1 minBytes 1024 maxBytes 1073741824 step: 4(factor) warmup iters: 5 iters: 20 agg iters: 1")
print("#\n# Using devices")
for rank in range(int(devices)):
    host = rank * int(machines) // int(devices)
    print(f"#  Rank {rank:2} Group  0 Pid {4000 + rank} on     node{host} device {rank % 8:2} [0x1b] {gpu}")
print("#\n#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong")
print("#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)")
for line in open(table):
    row = line.split()
    if row[0] == kind.replace("_", "-") and row[1] == devices:
        size, time = int(row[2]), float(row[3]) * float(factor)
        cells = f"{time:8.2f} {size / time * 1e-3:7.2f} {size / time * 1e-3:7.2f}      0"
        print(f"{size:12} {size // 4:13}     float     sum      -1 {cells} {cells}")
print("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 100.0\n#")
