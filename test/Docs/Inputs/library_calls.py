# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares calls of GPU libraries with the table "What the libraries demand" of docs/GPULibraries.md."""

import glob
import os
import re
import sys

# Calls that make, free or describe something, or say what is there.
PLAIN = re.compile(
    r"cuda(Get\w*|MemGetInfo|DeviceGetAttribute|DeviceCanAccessPeer|DeviceSynchronize|EventCreateWithFlags|EventDestroy|EventSynchronize|Free|FreeHost"
    r"|GraphDestroy|LibraryGetKernel|LibraryUnload|MemsetAsync|StreamCreateWithFlags|StreamDestroy)"
    r"|cublas(Destroy|LtDestroy|LtGet\w*|LtMatmulDescDestroy|LtMatmulDescSetAttribute|LtMatmulPreference\w*|LtMatrixLayout(Destroy|SetAttribute))"
    r"|cudnn(Create\w+|Destroy\w*|Get\w*|BackendCreateDescriptor|BackendDestroyDescriptor)"
    r"|cudnnSet(ActivationDescriptor|ConvolutionGroupCount|ConvolutionMathType|Filter4dDescriptor|Pooling2dDescriptor)"
    r"|nccl(GetErrorString|GetLastError|GetVersion)")
# A row has a name for all of these.
GROUPS = {
    "stream capture": ["cudaStreamBeginCapture", "cudaStreamEndCapture"],
    "collectives of NCCL": ["ncclAllGather", "ncclReduceScatter"],
}


def text_of(path):
    with open(path) as stream:
        return stream.read()


def main():
    source = sys.argv[1]
    files = [path for folder in ("CUDA", "CuDNN") for path in glob.glob(os.path.join(source, "lib/Runtime", folder, "*.[ch]*"))]
    calls = set()
    for path in files + [os.path.join(source, "lib/Runtime/Transport/NcclTransport.cpp")]:
        code = re.sub(r"//.*", "", text_of(path))
        # A function that is called, or is the argument of SOAP_CUDA or SOAP_PROPOSE.
        calls |= set(re.findall(r"\b((?:cuda|cublas|cudnn|nccl)[A-Z]\w*)\s*\(", code))
        calls |= set(re.findall(r"SOAP_(?:CUDA|PROPOSE)\(\s*((?:cuda|cublas|cudnn|nccl)[A-Z]\w*)", code))
    # Types are made like calls.
    calls = {call for call in calls if not call.endswith("_t") and call not in ("cudaPos", "cudaPitchedPtr")}
    page = text_of(os.path.join(source, "docs/GPULibraries.md"))
    table = page[page.index("## What the libraries demand"):]
    named, last = set(), ""
    for line in table.split("\n"):
        first = line.split("|")[1] if line.startswith("| ") else ""
        for name in re.findall(r"`([.\w*]+)`", first):
            # `...BackwardData` goes on where the name before begins alike.
            if name.startswith("..."):
                name = re.sub(r"Forward$", "", last) + name[3:]
            else:
                last = name
            named.add(name)
        for group, members in GROUPS.items():
            if group in first:
                named |= set(members)
    has_row = lambda call: any(re.fullmatch(name.replace("*", r"\w*"), call) for name in named)
    without = sorted(call for call in calls if not PLAIN.fullmatch(call) and not has_row(call))
    ordinary = [name for name in named if re.match(r"(cuda|cublas|cudnn|nccl)[A-Z]", name)]
    unused = sorted(name for name in ordinary if not any(re.fullmatch(name.replace("*", r"\w*"), call) for call in calls))
    # The table says why this one is not called.
    unused = [name for name in unused if name != "cudnnConvolutionBiasActivationForward"]
    for call in without:
        print("%s: no row in docs/GPULibraries.md" % call)
    for name in unused:
        print("%s: a row in docs/GPULibraries.md, and no call" % name)
    print("%d calls with a row, %d without, %d rows without a call" % (sum(has_row(call) for call in calls), len(without), len(unused)))


if __name__ == "__main__":
    main()
