#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Size of the programs of a pipeline, and the time to make them, by the number of microbatches.

size.py BUILD [--microbatches 4,8,16,32,64] [--option SIZES] [--batch N] [--stages N] [--json FILE]

The network is a GPT with SGD and momentum, one stage a device; training, evaluation and forward. Each number of
microbatches has a row with the programs written out (outline-tasks=0) and one with what repeats as functions:
  ops, tables      KiB of the text that --soap-partition writes: programs, and the module's attributes (soap.programs)
  calls            of functions in it
  programs, manifest  KiB of the text that --soap-lower-to-cpu writes: programs with what they call but kernels, and
                   the manifest
  partition, lower, code  seconds of processor time: the two passes, and soap-translate --emit-artifact
  code KiB         of the artifact's shared library
"""

import argparse
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import built  # noqa: E402
from compile_bench import measure  # noqa: E402

COLUMNS = (("ops_kib", "%.0f"), ("tables_kib", "%.0f"), ("calls", "%d"), ("programs_kib", "%.0f"),
           ("manifest_kib", "%.0f"), ("partition_s", "%.2f"), ("lower_s", "%.2f"), ("code_s", "%.2f"),
           ("code_kib", "%.0f"))


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def attributes_of(text):
    """Characters of the line that opens the module."""
    return len(re.search(r"^module.*$", text, re.MULTILINE)[0])


def lowered_programs(text):
    """Characters of programs, of the tasks that they call, and of their rows."""
    functions = re.findall(r"^  llvm\.func (?:internal )?@(\w+)\([^\n]*{\n(.*?)^  }$", text, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^  llvm\.mlir\.global private constant @row.*$", text, re.MULTILINE)
    bodies = [body for name, body in functions if re.fullmatch(r"tasks(_\d+)?|\w+__\d+", name)]
    return sum(map(len, bodies + rows))


def code_bytes(artifact):
    """Of the shared library in an artifact, unpacked (docs/Artifacts.md)."""
    with open(artifact, "rb") as file:
        data = file.read()
    for i in range(struct.unpack_from("<I", data, 12)[0]):
        name, offset, size, _, encoding = struct.unpack_from("<16sQQII", data, 32 + 40 * i)
        if name.rstrip(b"\0") == b"code":
            return struct.unpack_from("<Q", data, offset)[0] if encoding else size
    sys.exit("'%s' has no code" % artifact)


def row(tools, folder, planned, outline):
    path = lambda name: os.path.join(folder, name)  # noqa: E731
    result = {}
    option = "=outline-tasks=%d" % outline
    partition = [tools["soap-opt"], planned, "--soap-partition" + option, "-o", path("q.mlir")]
    result["partition_s"] = measure(partition)[0]["cpu"]
    partitioned = text_of(path("q.mlir"))
    result["tables_kib"] = attributes_of(partitioned) / 1024
    result["ops_kib"] = len(partitioned) / 1024 - result["tables_kib"]
    result["calls"] = partitioned.count("call @tasks")
    lower = [tools["soap-opt"], path("q.mlir"), "--soap-lower-to-cpu" + option, "-o", path("l.mlir")]
    result["lower_s"] = measure(lower)[0]["cpu"]
    lowered = text_of(path("l.mlir"))
    result["manifest_kib"] = attributes_of(lowered) / 1024
    result["programs_kib"] = lowered_programs(lowered) / 1024
    compiled = [tools["soap-translate"], "--emit-artifact", path("l.mlir"), "-o", path("a.soapx")]
    result["code_s"] = measure(compiled)[0]["cpu"]
    result["code_kib"] = code_bytes(path("a.soapx")) / 1024
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--microbatches", default="4,8,16,32,64")
    parser.add_argument("--option", default="layers=4,heads=4,head-width=32,length=32,vocabulary=512")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--stages", type=int, default=4)
    parser.add_argument("--json")
    options = parser.parse_args()
    tools = dict(zip(("soap-translate", "soap-opt"), built.programs(options.build, "soap-translate", "soap-opt")))
    results = []
    titles = [name.replace("_kib", ", KiB").replace("_s", ", s") for name, _ in COLUMNS]
    print("| microbatches | programs | " + " | ".join(titles) + " |")
    print("|---" * (len(COLUMNS) + 2) + "|")
    with tempfile.TemporaryDirectory() as folder:
        step, planned = os.path.join(folder, "step.mlir"), os.path.join(folder, "p.mlir")
        generate = [tools["soap-translate"], "--generate=gpt", "--batch=%d" % options.batch,
                    "--option=" + options.option]
        model = subprocess.run(generate, check=True, stdout=subprocess.PIPE).stdout
        subprocess.run([tools["soap-opt"], "--soap-build-training-step=optimizer=sgd momentum=0.9", "-o", step],
                       check=True, input=model)
        for count in map(int, options.microbatches.split(",")):
            pipeline = "--soap-pipeline=topology=cpu-%d stages=%d microbatches=%d summary=false" % (
                options.stages, options.stages, count)
            subprocess.run([tools["soap-opt"], step, pipeline, "-o", planned], check=True)
            for name, outline in (("written out", 0), ("outlined", 16)):
                result = row(tools, folder, planned, outline)
                results.append(dict(result, microbatches=count, outline_tasks=outline))
                cells = [form % result[key] for key, form in COLUMNS]
                print("| %d | %s | %s |" % (count, name, " | ".join(cells)), flush=True)
                if options.json:
                    with open(options.json, "w", encoding="utf-8") as stream:
                        json.dump(results, stream, indent=1)


if __name__ == "__main__":
    main()
