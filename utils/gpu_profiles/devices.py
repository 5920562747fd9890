# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPUs that profiles are made of: figures of data sheets, by which curves are scaled (docs/Topology.md has the
sources). Rates are dense; bandwidths are in bytes/s and one direction."""

# By Soap's name: the name in the measurements, multiprocessors, rates in TFLOP/s, cache in MiB, memory in
# TB/s, a device's link in GB/s.
GPUS = {
    "a100": {"cache": 40, "name": "a100_sxm", "processors": 108, "memory": 2.039, "link": 300, "launch_us": 3,
             "rates": {"f32": 19.5, "f64": 9.7, "tf32": 156, "f16": 312, "bf16": 312}},
    "h100": {"cache": 50, "name": "h100_sxm", "processors": 132, "memory": 3.35, "link": 450, "launch_us": 2,
             "rates": {"f32": 67, "f64": 34, "tf32": 494.5, "f16": 990, "bf16": 990, "f8": 1979}},
    "h200": {"cache": 50, "name": "h200_sxm", "processors": 132, "memory": 4.8, "link": 450, "launch_us": 2,
             "rates": {"f32": 67, "f64": 34, "tf32": 494.5, "f16": 990, "bf16": 990, "f8": 1979}},
    "b200": {"cache": 126, "name": "b200_sxm", "processors": 148, "memory": 8.0, "link": 900, "launch_us": 2,
             "rates": {"f32": 75, "f64": 37, "tf32": 1100, "f16": 2250, "bf16": 2250, "f8": 4500, "f4": 9000}},
    "b300": {"cache": 126, "name": "b300_sxm", "processors": 148, "memory": 8.0, "link": 900, "launch_us": 2,
             "rates": {"f32": 75, "f64": 1.2, "tf32": 1100, "f16": 2250, "bf16": 2250, "f8": 4500, "f4": 13500}},
    "gb200": {"cache": 126, "name": "gb200", "processors": 152, "memory": 8.0, "link": 900, "launch_us": 2,
              "rates": {"f32": 80, "f64": 40, "tf32": 1250, "f16": 2500, "bf16": 2500, "f8": 5000, "f4": 10000}},
    "gb300": {"cache": 126, "name": "gb300", "processors": 152, "memory": 8.0, "link": 900, "launch_us": 2,
              "rates": {"f32": 80, "f64": 1.3, "tf32": 1250, "f16": 2500, "bf16": 2500, "f8": 5000, "f4": 15000}},
    "l40s": {"cache": 96, "name": "l40s", "processors": 142, "memory": 0.864, "link": 25, "launch_us": 3,
             "rates": {"f32": 91.6, "f64": 1.4, "tf32": 183, "f16": 362, "bf16": 362, "f8": 733}},
    "rtx-pro-6000": {"cache": 128, "name": "rtx_pro_6000_server", "processors": 188, "memory": 1.597, "link": 50, "launch_us": 2,
                     "rates": {"f32": 117, "f64": 1.8, "tf32": 250, "f16": 500, "bf16": 500, "f8": 1000, "f4": 2000}},
}


def header(device):
    """The first keys of a profile of a device."""
    gpu = GPUS[device]
    return {"version": 1, "device": device,
            "flops_per_s": {name: rate * 1e12 for name, rate in sorted(gpu["rates"].items())},
            "memory_bandwidth_bytes_per_s": gpu["memory"] * 1e12, "launch_s": gpu["launch_us"] * 1e-6,
            "link_bandwidth_bytes_per_s": gpu["link"] * 1e9}
