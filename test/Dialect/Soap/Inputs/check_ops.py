# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what must exist of every op and attribute of the dialect, and prints its examples as a module for soap-opt.

    check_ops.py ROOT > examples.mlir

docs/Dialect.md says which ops there are; it is generated, and a test compares it with the TableGen files. Every op and
attribute needs an example there. Every op must be in a test of the dialect, or, if only lowering makes it, in one of
lowering. Exit status 1, with what is missing on stderr.
"""
import glob
import os
import re
import sys

ROOT = sys.argv[1]
# Callees, for the ops that check them.
CALLEES = """func.func private @relu(memref<4xf32>, memref<4xf32>)
func.func private @loop(memref<4096xf32>, memref<4096xf32>, index, index)
"""


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def sections(text):
    """(name, text) of every op (`soap.x`) and attribute (FooAttr)."""
    parts = re.split(r"^### (`soap\.\w+`|\w+Attr)(?: \(.*\))?$", text, flags=re.M)
    return [(name.strip("`"), part.split("\n# ")[0]) for name, part in zip(parts[1::2], parts[2::2])]


def split_top(text):
    """At the commas that are in no bracket."""
    parts, depth, part = [], 0, ""
    for at, char in enumerate(text):
        depth += (char in "<([{") - (char in ")]}" or (char == ">" and text[at - 1] != "-"))
        if char == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += char
    return [part.strip() for part in parts + [part] if part.strip()]


def operand_types(statement):
    """(name, type) of every operand, in the syntax of any op of the dialect."""
    body = re.sub(r"^[^=(]*? = (?=soap\.)", "", statement)
    lists = re.findall(r"\b(?:ins|outs)\(([^()]*)\)", body)
    if lists:
        return [pair for text in lists for pair in zip(*(split_top(half) for half in text.split(" : ")))]
    head, _, types = re.sub(r"\{.*?\}(?=\s*(?::|->|$))", "", body, flags=re.S).rpartition(" : ")
    types = types.strip()
    if types.startswith("("):
        types = types[1:types.index(")")]
    operands, types = re.findall(r"%\w+", head), split_top(types.split("->")[0])
    return list(zip(operands, types * len(operands) if len(types) == 1 else types))  # One type is that of all.


def function(name, statements):
    defined, arguments = set(), {}
    for statement in statements:
        for value, kind in operand_types(statement):
            if value not in defined:
                arguments[value] = kind
        defined.update(re.findall(r"%\w+", statement.split(" = ")[0]) if re.match(r"%[^=]* = soap\.", statement) else [])
    return "func.func @%s(%s) {\n  %s\n  return\n}\n" % (
        name, ", ".join("%s: %s" % pair for pair in arguments.items()), "\n  ".join(statements))


def example_module(name, block):
    """Examples of ops, of attributes (#soap...), of arguments that have them, and of modules."""
    name = name.replace(".", "_")
    statements = re.split(r"\n(?=[%#]|soap\.|module)", block.strip())
    if block.startswith("#"):
        return "".join("module attributes {example.a = %s} {}\n" % re.sub(r" //.*", "", s).strip() for s in statements)
    if block.startswith("module"):
        return block
    if re.match(r"%\w+: ", block):
        return "".join("func.func @%s_%d(%s) {\n  return\n}\n" % (name, i, s) for i, s in enumerate(statements))
    return function(name, statements)


def main():
    found = sections(read("docs/Dialect.md"))
    tests = {path: read(path) for pattern in ("test/Dialect/Soap/*.mlir", "test/Conversion/*.mlir", "test/Conversion/*.test")
             for path in glob.glob(pattern, root_dir=ROOT)}
    missing = []
    print(CALLEES)
    for name, text in found:
        blocks = re.findall(r"^```mlir\n(.*?)^```$", text, flags=re.S | re.M)
        if not blocks:
            missing.append("%s: expected an example in its description (include/Soap/Dialect/Soap/*.td)" % name)
        for block in blocks:
            print(example_module(name, block))
        if not name.startswith("soap."):
            continue
        op = name[len("soap."):]
        if not any(re.search(r"\b%s\b" % re.escape(name), test) for test in tests.values()):
            missing.append("%s: expected in test/Dialect/Soap/roundtrip.mlir or a test of test/Conversion" % name)
        if "#### Operands:" in text and "**Constraints**" not in text and "buffer" not in op and op != "library_call":
            missing.append("%s: expected **Constraints** in its description" % name)
    if len(found) < 80:
        missing.append("docs/Dialect.md: expected at least 80 ops and attributes, found %d" % len(found))
    sys.stderr.writelines("%s\n" % line for line in missing)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
