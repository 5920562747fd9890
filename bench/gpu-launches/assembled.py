# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What assembled code says of kernels: registers, spills, and loads that are under way at once.

ptxas writes into each instruction which of six counters a load raises and which ones the instruction waits for. `read`
follows that along the code of a cubin: a load is under way until an instruction waits for its counter. Loops are
followed twice, so that loads for the next round count.
"""

import glob
import os
import re
import shutil
import struct
import subprocess

LINE = re.compile(r"\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)\s*([^;]*);\s*/\* 0x[0-9a-f]{16} \*/")
CONTROL = re.compile(r"\s*/\* 0x([0-9a-f]{16}) \*/\s*$")
NO_COUNTER = 7
WITH_LENGTH = 4
WITH_LENGTH_REGCOUNT = (WITH_LENGTH, 0x2F)


class Instruction:
    def __init__(self, name, operands):
        self.name, self.operands = name.split("."), operands
        self.counter, self.waits = NO_COUNTER, 0

    def control(self, word):
        """The upper half of the encoding: which counter it raises, which ones it waits for."""
        self.counter, self.waits = word >> 46 & 7, word >> 52 & 63

    def is_load(self):
        return self.name[0] == "LDG" or self.name[0] == "LD"

    def load_bytes(self):
        sizes = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}
        return next((sizes[part] for part in reversed(self.name) if part in sizes), 4)


class Kernel:
    """`in_flight`: the most bytes that loads of a thread are under way at once, and so many `loads`."""

    def __init__(self, registers):
        self.registers, self.spills, self.instructions = registers, 0, 0
        self.in_flight, self.loads, self.loops = 0, 0, []


def program(name, build):
    """The path of ptxas or nvdisasm, or None: of a CUDA toolkit, of PATH, or of packages in `build` (python-env.sh)."""
    folders = [os.path.join(os.environ[folder], "bin") for folder in ("CUDA_ROOT", "CUDA_HOME", "CUDA_PATH") if os.environ.get(folder)]
    folders += [*os.get_exec_path(), "/usr/local/cuda/bin"]
    folders += glob.glob(os.path.join(build, ".venv-cuda", "lib", "python*", "site-packages", "nvidia", "*", "bin"))
    return shutil.which(name, path=os.pathsep.join(folders))


def registers(cubin):
    """Registers of a thread, by kernel: of ELF's section .nv.info, whose attribute REGCOUNT is of a symbol."""
    with open(cubin, "rb") as stream:
        data = stream.read()
    at, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, at + i * size) for i in range(count)]
    text = lambda table, offset: data[table[4] + offset:data.index(b"\0", table[4] + offset)].decode()
    known = {text(sections[names], section[0]): section for section in sections}
    symbol = lambda number: text(known[".strtab"], struct.unpack_from("<I", data, known[".symtab"][4] + number * 24)[0])
    found, place = {}, known[".nv.info"][4]
    end = place + known[".nv.info"][5]
    while place < end:
        layout, attribute, length = struct.unpack_from("<BBH", data, place)
        if (layout, attribute) == WITH_LENGTH_REGCOUNT:
            number, value = struct.unpack_from("<II", data, place + 4)
            found[symbol(number)] = value
        place += 4 + (length if layout == WITH_LENGTH else 0)
    return found


def most_in_flight(code):
    """(bytes, loads) of loads under way at once, along the code twice."""
    under_way, best = [], (0, 0)  # (counter, bytes), in their order
    for instruction in code + code:
        if instruction.name[:2] == ["DEPBAR", "LE"]:
            # Waits until at most so many are under way.
            counter, left = (int(number, 0) for number in re.search(r"SB(\d), (\w+)", instruction.operands).groups())
            own = [load for load in under_way if load[0] == counter]
            for load in own[:max(0, len(own) - left)]:
                under_way.remove(load)
        under_way = [load for load in under_way if not instruction.waits >> load[0] & 1]
        if instruction.is_load():
            under_way.append((instruction.counter, instruction.load_bytes()))
            best = max(best, (sum(size for _, size in under_way), len(under_way)))
    return best


def kernel_of(lines, kernel):
    code, labels, jumps = [], {}, []
    for line in lines:
        if match := LINE.match(line):
            code.append(Instruction(match[1], match[2]))
            if code[-1].name[0] == "BRA" and (target := re.search(r"`\((\.L\w+)\)", match[2])):
                jumps.append((len(code), target[1]))
        elif match := CONTROL.match(line):
            code[-1].control(int(match[1], 16))
        elif match := re.match(r"(\.L\w+):", line):
            labels[match[1]] = len(code)
    kernel.instructions = len(code)
    kernel.spills = sum(instruction.name[0] in ("STL", "LDL") for instruction in code)
    loops = [(labels[target], end) for end, target in jumps if target in labels and labels[target] < end]
    # Where a loop is in another one, the inner one counts.
    inner = [(begin, end) for begin, end in loops
             if not any(other != (begin, end) and begin <= other[0] and other[1] <= end for other in loops)]
    pieces = [code[begin:end] for begin, end in inner]
    if not any(instruction.is_load() for piece in pieces for instruction in piece):
        pieces = [code]
    kernel.in_flight, kernel.loads = max(map(most_in_flight, pieces))


def read(cubin, nvdisasm):
    """Kernels of a cubin, by name."""
    done = subprocess.run([nvdisasm, "-hex", "-c", cubin], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit("%s ended with %d: %s" % (nvdisasm, done.returncode, done.stderr[-2000:]))
    kernels = {name: Kernel(number) for name, number in registers(cubin).items()}
    for section in re.split(r"^\t\.section\t", done.stdout, flags=re.M)[1:]:
        name = re.match(r"\.text\.([^,\s]+)", section)
        if name:
            kernel_of(section.splitlines(), kernels[name[1].strip('"')])
    return kernels
