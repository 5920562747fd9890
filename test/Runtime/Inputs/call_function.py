# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""call_function.py MODULE HOW NAME: a lowered module with something that its programs did not have.

HOW is call (the train step begins with a call of function NAME), declare (it is declared only), assembly (inline
assembly NAME instead), or constructor (a function NAME that runs when the code is loaded)."""
import sys

path, how, name = sys.argv[1:]
with open(path) as stream:
    lines = stream.read().splitlines()
number = next(i for i, line in enumerate(lines) if "llvm.func @train_step" in line and line.rstrip().endswith("{"))
before, inside = [], []
if how in ("call", "declare"):
    if name.endswith("f"):
        before, inside = ["llvm.func @%s(f32) -> f32" % name], ["%zero_ = llvm.mlir.constant(0.0 : f32) : f32",
                                                               "%%call_ = llvm.call @%s(%%zero_) : (f32) -> f32" % name]
    else:
        before, inside = ["llvm.func @%s() -> i32" % name], ["%%call_ = llvm.call @%s() : () -> i32" % name]
    inside = inside if how == "call" else []
elif how == "assembly":
    inside = ['llvm.inline_asm has_side_effects "%s", "" : () -> ()' % name]
else:
    before = ["llvm.func @%s() {" % name, "  llvm.return", "}",
              "llvm.mlir.global_ctors ctors = [@%s], priorities = [0 : i32], data = [#llvm.zero]" % name]
print("\n".join(lines[:number] + before + [lines[number]] + inside + lines[number + 1:]))
