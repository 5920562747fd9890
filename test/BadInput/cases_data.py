"""What soap-run reads: its flags, data sets (IDX, NPY), weights (safetensors), and IR that it can not run."""

import struct

from case import Case, idx, npy, safetensors
from cases_json import FORWARD

STEP = [["soap-opt", "{f.mlir}", "--soap-build-training-step=learning-rate=0.1", "-o", "{folder}/step.mlir"]]
IMAGES, LABELS = idx([16, 2, 2]), idx([16])
FLOATS = "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 4), }"
INTEGERS = "{'descr': '<i4', 'fortran_order': False, 'shape': (16,), }"
X, Y = npy(FLOATS, bytes(256)), npy(INTEGERS, bytes(64))


def run(name, flags, files, expect, status=1):
    return Case(name, ["soap-run", "{folder}/step.mlir", *flags], list(expect), dict(files, **{"f.mlir": FORWARD}), status,
                setup=STEP)


def images(name, content, *expect):
    return run("idx: " + name, ["--data", "idx:{folder}/d", "--iterations=1"],
               {"d/train-images-idx3-ubyte": content, "d/train-labels-idx1-ubyte": LABELS}, ["train-images", *expect])


def labels(name, content, *expect):
    return run("idx: " + name, ["--data", "idx:{folder}/d", "--iterations=1"],
               {"d/train-images-idx3-ubyte": IMAGES, "d/train-labels-idx1-ubyte": content}, ["train-labels", *expect])


def array(name, content, *expect):
    return run("npy: " + name, ["--data", "npy:{folder}/d", "--iterations=1"], {"d/x_train.npy": content, "d/y_train.npy": Y},
               ["x_train.npy", *expect])


def weights(name, content, *expect):
    return run("safetensors: " + name, ["--data=synthetic", "--iterations=1", "--init={w.safetensors}"],
               {"w.safetensors": content}, ["w.safetensors", *expect])


def flags(name, arguments, *expect):
    return Case("soap-run: " + name, ["soap-run", *arguments], list(expect), {"f.mlir": FORWARD}, 2)


GOOD = {"w": {"dtype": "F32", "shape": [4, 3], "data_offsets": [0, 48]}}

CASES = [
    flags("no file", [], "expected an MLIR file"),
    flags("two files", ["a.mlir", "b.mlir"], "'a.mlir' and 'b.mlir'"),
    flags("unknown flag", ["{f.mlir}", "--epoch=1"], "unknown flag '--epoch'"),
    flags("a flag without its value", ["{f.mlir}", "--data"], "flag '--data' needs a value"),
    flags("a negative number of epochs", ["{f.mlir}", "--data=synthetic", "--epochs=-1"], "'--epochs'", "got '-1'"),
    flags("a number that is none", ["{f.mlir}", "--data=synthetic", "--epochs=5x"], "'--epochs'", "got '5x'"),
    flags("a number beyond 64 bits", ["{f.mlir}", "--data=synthetic", "--seed=99999999999999999999"], "'--seed'"),
    flags("a timeout that is no number", ["{f.mlir}", "--data=synthetic", "--timeout=nan"], "'--timeout'"),
    flags("a normalization that is none", ["{f.mlir}", "--data=synthetic", "--normalize=1,0"], "'--normalize'"),
    flags("nothing to do", ["{f.mlir}"], "expected '--data'"),
    flags("flags that exclude each other", ["{f.mlir}", "--data=synthetic", "--preset=single", "--strategy=s.json"],
          "exclude each other"),
    Case("soap-run: no such file", ["soap-run", "{missing}", "--data=synthetic"], ["no-such-file"]),
    Case("soap-run: not IR", ["soap-run", "{f.mlir}", "--data=synthetic"], ["f.mlir"], {"f.mlir": "hello\n"}),
    Case("soap-run: nothing to train", ["soap-run", "{f.mlir}", "--data=synthetic"], ["train_step"], {"f.mlir": FORWARD}),
    run("soap-run: no such data", ["--data", "idx:{folder}/nowhere"], {}, ["nowhere", "cannot open"]),
    run("soap-run: a kind of data that does not exist", ["--data=csv:d"], {}, ["'csv:d'", "idx:DIR"]),
    run("soap-run: no such entry", ["--entry=backward"], {}, ["backward"]),
    run("soap-run: no such topology", ["--data=synthetic", "--topology=warehouse"], {}, ["warehouse"]),
    run("soap-run: a report into nowhere", ["--data=synthetic", "--iterations=1", "--report={folder}/no/where.json"], {},
        ["no/where.json"]),

    images("an empty file", b"", "expected an IDX header"),
    images("truncated in the header", IMAGES[:7], "expected an IDX header"),
    images("truncated in the elements", IMAGES[:-1], "expected 64 bytes of elements", "got 63"),
    images("more bytes than the shape has", IMAGES + b"\0", "more bytes than shape"),
    images("wrong magic", idx([16, 2, 2], zeros=b"\1\0"), "two zero bytes"),
    images("unknown element type", idx([16, 2, 2], type_code=0x42), "element type", "got 66"),
    images("absurd extents", b"\0\0\x08\x03" + struct.pack(">III", 0xffffffff, 0xffffffff, 0xffffffff), "absurd size"),
    images("an extent of zero", idx([0, 2, 2]), "empty"),
    images("damaged gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\3" + b"\xff" * 40, "train-images"),
    images("images of another size", idx([16, 3, 3]), "do not fit data 'x'"),
    images("fewer images than a batch", idx([4, 2, 2]), "train-labels"),
    labels("fewer labels than images", idx([15]), "expected shape [16]", "[15]"),

    array("not NumPy", b"PK\3\4" * 10, "expected a NumPy file"),
    array("truncated header", npy(FLOATS, b"", length=60000), "header is truncated"),
    array("version 9", npy(FLOATS, bytes(256), version=(9, 0)), "got 9"),
    array("a header that is no dictionary", npy("import os", bytes(256)), "expected a dictionary"),
    array("objects", npy(FLOATS.replace("<f4", "|O"), bytes(256)), "'|O'"),
    array("Fortran order", npy(FLOATS.replace("False", "True"), bytes(256)), "Fortran order"),
    array("absurd shape", npy(FLOATS.replace("(16, 4)", "(999999999999999, 999999999999999)"), b""), "absurd size"),
    array("negative shape", npy(FLOATS.replace("(16, 4)", "(-16, 4)"), bytes(256)), "shape"),
    array("fewer bytes than the shape says", X[:-4], "expected 256 bytes", "got 252"),

    weights("an empty file", b"", "expected a safetensors header"),
    weights("a header beyond the end", safetensors(GOOD, bytes(48), length=1 << 62), "expected a header of"),
    weights("a header that is no JSON", safetensors(b"{]", bytes(48)), "expected a JSON object"),
    weights("unknown element type", safetensors({"w": dict(GOOD["w"], dtype="F8")}, bytes(48)), "/w/dtype"),
    weights("offsets beyond the end", safetensors(GOOD, bytes(40)), "/w/data_offsets"),
    weights("offsets that run backwards", safetensors({"w": dict(GOOD["w"], data_offsets=[48, 0])}, bytes(48)),
            "/w/data_offsets"),
    weights("bytes that do not match the shape", safetensors({"w": dict(GOOD["w"], shape=[4, 4])}, bytes(48)),
            "/w/data_offsets", "64 bytes"),
    weights("overlapping tensors", safetensors(dict(GOOD, v=GOOD["w"]), bytes(48)), "overlap"),
    weights("another shape than the model's", safetensors({"w": dict(GOOD["w"], shape=[3, 4])}, bytes(48)), "'w'"),
    weights("a weight missing", safetensors({}), "'w'"),
]
