# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What soap-run reads: its flags, data sets (IDX, NPY), weights (safetensors), and IR that it can not run."""

import json
import struct

from case import Case, idx, npy, npz, safetensors
from cases_json import FORWARD

STEP = [["soap-opt", "{f.mlir}", "--soap-build-training-step=learning-rate=0.1", "-o", "{folder}/step.mlir"]]
IMAGES, LABELS = idx([16, 2, 2]), idx([16])
FLOATS = "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 4), }"
INTEGERS = "{'descr': '<i4', 'fortran_order': False, 'shape': (16,), }"
X, Y = npy(FLOATS, bytes(256)), npy(INTEGERS, bytes(64))


def run(name, flags, files, expect, status=1):
    return Case(name, ["soap-run", "train", "{folder}/step.mlir", *flags], list(expect), dict(files, **{"f.mlir": FORWARD}), status,
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


def archive(name, content, *expect):
    return run("npz: " + name, ["--data", "npz:{d.npz}", "--iterations=1"], {"d.npz": content}, ["d.npz", *expect])


# A model of sequences: four tokens, a label each.
SEQUENCES = """
func.func @forward(%x: tensor<2x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<4x40xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x10xf32> {
  %y = soap.matmul %x, %w {soap.name = "fc"} : (tensor<2x4xf32>, tensor<4x40xf32>) -> tensor<2x40xf32>
  %z = soap.reshape %y {soap.name = "flat"} : (tensor<2x40xf32>) -> tensor<8x10xf32>
  return %z : tensor<8x10xf32>
}
"""


def sequence(name, data, files, *expect):
    return Case(name, ["soap-run", "train", "{folder}/step.mlir", "--data", data, "--iterations=1"], list(expect),
                dict(files, **{"f.mlir": SEQUENCES}), setup=STEP)


# Two sequences of different lengths become one row of logits.
TRANSLATION = """
func.func @forward(%s: tensor<2x4xf32> {soap.kind = #soap.kind<data>, soap.name = "source", soap.sample_dim = 0 : i64},
                   %t: tensor<2x3xf32> {soap.kind = #soap.kind<data>, soap.name = "target", soap.sample_dim = 0 : i64},
                   %w: tensor<7x30xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<6x10xf32> {
  %x = soap.concat %s, %t {axis = 1 : i64, soap.name = "both"} : (tensor<2x4xf32>, tensor<2x3xf32>) -> tensor<2x7xf32>
  %y = soap.matmul %x, %w {soap.name = "fc"} : (tensor<2x7xf32>, tensor<7x30xf32>) -> tensor<2x30xf32>
  %z = soap.reshape %y {soap.name = "flat"} : (tensor<2x30xf32>) -> tensor<6x10xf32>
  return %z : tensor<6x10xf32>
}
"""


def translation(name, data, files, *expect):
    return Case("two data tensors: " + name, ["soap-run", "train", "{folder}/step.mlir", "--data", data, "--iterations=1"], list(expect),
                dict(files, **{"f.mlir": TRANSLATION}), setup=STEP)


def floats(*shape):
    count = 1
    for extent in shape:
        count *= extent
    return npy("{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (shape,), bytes(4 * count))


def integers(*shape):
    return floats(*shape).replace(b"<f4", b"<i4")


# The first of two numbers is a row of a table of 8, the other one of a table of 5.
TABLES = """
func.func @forward(%x: tensor<4x2xi32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %v: tensor<8x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "v"},
                   %w: tensor<5x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x3xf32> {
  %f = soap.cast %x {soap.name = "f"} : (tensor<4x2xi32>) -> tensor<4x2xf32>
  %a = soap.slice %f {offsets = array<i64: 0, 0>, sizes = array<i64: 4, 1>, strides = array<i64: 1, 1>, soap.name = "a"} : (tensor<4x2xf32>) -> tensor<4x1xf32>
  %b = soap.slice %f {offsets = array<i64: 0, 1>, sizes = array<i64: 4, 1>, strides = array<i64: 1, 1>, soap.name = "b"} : (tensor<4x2xf32>) -> tensor<4x1xf32>
  %c = soap.cast %a {soap.name = "c"} : (tensor<4x1xf32>) -> tensor<4x1xi32>
  %d = soap.cast %b {soap.name = "d"} : (tensor<4x1xf32>) -> tensor<4x1xi32>
  %i = soap.reshape %c {soap.name = "i"} : (tensor<4x1xi32>) -> tensor<4xi32>
  %j = soap.reshape %d {soap.name = "j"} : (tensor<4x1xi32>) -> tensor<4xi32>
  %p = soap.gather %v, %i {soap.name = "p"} : (tensor<8x3xf32>, tensor<4xi32>) -> tensor<4x3xf32>
  %q = soap.gather %w, %j {soap.name = "q"} : (tensor<5x3xf32>, tensor<4xi32>) -> tensor<4x3xf32>
  %y = soap.add %p, %q {soap.name = "y"} : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
"""


def rows(name, pair, *expect, arguments=("train", "{folder}/step.mlir", "--data=npy:{folder}/d", "--iterations=1"), status=1):
    """Sample 2 of 8 has this pair, the others have (7, 4)."""
    numbers = struct.pack("<16i", *[7, 4] * 2, *pair, *[7, 4] * 5)
    content = npy("{'descr': '<i4', 'fortran_order': False, 'shape': (8, 2), }", numbers)
    one = npy("{'descr': '<i4', 'fortran_order': False, 'shape': (4, 2), }", numbers[:32])
    labels = npy("{'descr': '<i4', 'fortran_order': False, 'shape': (8,), }", bytes(32))
    return Case("rows of tables: " + name, ["soap-run", *arguments], list(expect),
                {"d/x_train.npy": content, "d/y_train.npy": labels, "x.npy": content, "one.npy": one, "f.mlir": TABLES}, status,
                setup=STEP)


# Rows of a table as torch-mlir writes them.
EXTRACT = """
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @forward(%x: tensor<4xi64> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<5x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x3xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %y = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4xi64>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%i: i64, %o: f32):
    %r = arith.index_cast %i : i64 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %w[%r, %c] : tensor<5x3xf32>
    linalg.yield %v : f32
  } -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
"""


def extract(name, row, *expect, status=1):
    numbers = npy("{'descr': '<i8', 'fortran_order': False, 'shape': (4,), }", struct.pack("<4q", 0, 4, row, 1))
    return Case("rows of a tensor: " + name, ["soap-run", "entry", "{f.mlir}", "forward", "--input", "x={x.npy}"], list(expect),
                {"x.npy": numbers, "f.mlir": EXTRACT}, status)


MSE = [["soap-opt", "{f.mlir}", "--soap-build-training-step=loss=mse", "-o", "{folder}/step.mlir"]]
NAN = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (16, 3), }", struct.pack("<f", float("nan")) * 48)


def numbers(name, labels, *expect):
    """A model that is trained on numbers."""
    case = run("labels: " + name, ["--data", "npy:{folder}/d", "--iterations=1"], {"d/x_train.npy": X, "d/y_train.npy": labels},
               ["y_train.npy", *expect])
    case.setup = MSE
    return case


def predict(name, arguments, *expect):
    return Case("predict: " + name, ["soap-run", "predict", "{f.mlir}", *arguments], list(expect),
                {"f.mlir": FORWARD, "bad.npy": floats(5, 7), "good.npy": floats(5, 4)})


def text(name, options, content, *expect):
    return sequence("text: " + name, "text:{t.txt}" + options, {"t.txt": content}, *expect)


def tokens(name, options, content, *expect):
    return sequence("tokens: " + name, "tokens:{t.bin}" + options, {"t.bin": content}, *expect)


def meeting(name, secret, files, *expect):
    return Case("rendezvous: " + name, ["soap-run", "train", "{f.mlir}", "--data=synthetic", "--rendezvous=127.0.0.1:0", "--rank=0",
                                        "--ranks=2", "--rendezvous-secret=" + secret], list(expect), dict(files, **{"f.mlir": FORWARD}))


def flags(name, arguments, *expect, command="train"):
    return Case("soap-run: " + name, ["soap-run", command, *arguments], list(expect), {"f.mlir": FORWARD}, 2)


TRAINED = [["soap-run", "train", "{folder}/step.mlir", "--data=synthetic", "--seed=5", "--iterations=3",
            "--checkpoint={folder}/good.safetensors"]]


def resume(name, content, *expect):
    """`content` is a checkpoint file."""
    return run("checkpoint: " + name, ["--data=synthetic", "--iterations=5", "--resume={c.safetensors}"],
               {"c.safetensors": content}, ["c.safetensors", *expect])


def resume_good(name, arguments, *expect):
    """Resumes a good checkpoint of three iterations under seed 5."""
    case = run("checkpoint: " + name, ["--iterations=5", "--resume={folder}/good.safetensors", *arguments], {},
               ["good.safetensors", *expect])
    case.setup = STEP + TRAINED
    return case


STATE = {"version": 1, "step": 3, "epoch": 1, "position": 3, "seconds": 1, "tally": {"loss": 1, "correct": 2, "samples": 3},
         "epochs": [], "seed": 0, "batch": 8, "training_samples": 64, "data": "0", "program": "0"}


def state(**changes):
    """A checkpoint with this state."""
    metadata = {"format": "soap-checkpoint", "state": json.dumps(dict(STATE, **changes))}
    return safetensors({"__metadata__": metadata, "w": {"dtype": "F32", "shape": [4, 3], "data_offsets": [0, 48]}}, bytes(48))


GOOD = {"w": {"dtype": "F32", "shape": [4, 3], "data_offsets": [0, 48]}}

CASES = [
    flags("no file", [], "expected a file: IR"),
    flags("no such command", ["f.mlir", "--data=synthetic"], "unknown command 'trian'; did you mean 'train'?", command="trian"),
    flags("a word for a command", ["f.mlir"], "unknown command 'fly'; expected 'train', 'predict', ", command="fly"),
    flags("a function without a name", ["{f.mlir}"], "expected the name of a function", command="entry"),
    flags("a check of nothing", ["{f.mlir}", "--data=synthetic"], "expected '--compare-with OTHER' or '--check-calls WHICH'", command="check"),
    flags("an evaluation without data", ["{f.mlir}"], "expected '--data' with a test set", command="evaluate"),
    flags("two files", ["a.mlir", "b.mlir"], "'a.mlir' and 'b.mlir'"),
    flags("no batches", ["{f.mlir}", "--data=synthetic", "--accumulate=0"], "--accumulate", "integer from 1"),
    flags("an improvement without an early stop", ["{f.mlir}", "--data=synthetic", "--min-improvement=1"], "'--min-improvement' needs '--early-stop'"),
    flags("results without predicting", ["{f.mlir}", "--data=synthetic", "--out=y.npy"], "soap-run train: --out is a flag of 'soap-run predict'"),
    flags("predicting into nowhere", ["{f.mlir}", "--data=npy:x.npy"], "expected '--out Y'", command="predict"),
    flags("predicting into an archive", ["{f.mlir}", "--data=npy:x.npy", "--out=y.npz"],
          "'--out': expected a file NAME.npy or, for several results, a folder, got 'y.npz'", command="predict"),
    flags("predicting nothing", ["{f.mlir}", "--out=y.npy"], "expected '--data npy:X'", command="predict"),
    flags("predicting in epochs", ["{f.mlir}", "--data=npy:x.npy", "--out=y.npy", "--epochs=2"],
          "soap-run predict: --epochs is a flag of 'soap-run train'", command="predict"),
    flags("predicting with unknown statistics", ["{f.mlir}", "--data=npy:x.npy", "--out=y.npy", "--normalize=auto"],
          "'MEAN,DEVIATION'", "no training set", command="predict"),
    flags("two trainings with an early stop", ["{f.mlir}", "--data=synthetic", "--compare-with={f.mlir}", "--early-stop=1"],
          "soap-run check: --early-stop is a flag of 'soap-run train'", command="check"),
    predict("samples of another shape", ["--data=npy:{bad.npy}", "--out={folder}/y.npy"], "bad.npy", "samples of shape [7] do not fit data 'x'"),
    predict("a folder that is none", ["--data=npy:{missing}", "--out={folder}/y.npy"], "No such file"),
    predict("into a folder that is not there", ["--data=npy:{good.npy}", "--out={folder}/no/y.npy"], "no/y.npy", "No such file"),
    rows("both in range", (0, 0), "parameter 'v'", status=0),
    rows("beyond the first table", (8, 0), "x_train.npy: sample 2, element 0: expected 0 to 7 for data 'x', which chooses from so "
         "many rows, got 8"),
    rows("beyond the second table", (5, 5), "x_train.npy: sample 2, element 1: expected 0 to 4 for data 'x'", "got 5"),
    rows("in front of a table", (-1, 0), "x_train.npy: sample 2, element 0: expected 0 to 7 for data 'x'", "got -1"),
    rows("of a prediction", (8, 0), "x.npy: sample 2, element 0: expected 0 to 7", 
         arguments=["predict", "{folder}/step.mlir", "--data=npy:{x.npy}", "--out={folder}/y.npy"]),
    rows("of an input", (8, 0), "one.npy: tensor 'x': sample 2, element 0: expected 0 to 7", 
         arguments=["entry", "{folder}/step.mlir", "forward", "--input", "x={one.npy}"]),
    extract("beyond its end", 5, "x.npy: tensor 'x': sample 2: expected 0 to 4 for data 'x'", "got 5"),
    extract("in front of it", -1, "x.npy: tensor 'x': sample 2: expected 0 to 4 for data 'x'", "got -1"),
    numbers("of another shape", floats(16, 2), "expected shape [16, 3] for label 'label'", "got [16, 2]"),
    numbers("for fewer samples", floats(15, 3), "expected shape [16, 3]", "got [15, 3]"),
    numbers("that are no numbers", NAN, "sample 0 has the label nan, expected a finite number"),
    flags("unknown flag", ["{f.mlir}", "--epoch=1"], "unknown flag '--epoch'"),
    flags("a flag without its value", ["{f.mlir}", "--data"], "flag '--data' needs a value"),
    flags("a negative number of epochs", ["{f.mlir}", "--data=synthetic", "--epochs=-1"], "'--epochs'", "got '-1'"),
    flags("a number that is none", ["{f.mlir}", "--data=synthetic", "--epochs=5x"], "'--epochs'", "got '5x'"),
    flags("a number beyond 64 bits", ["{f.mlir}", "--data=synthetic", "--seed=99999999999999999999"], "'--seed'"),
    flags("a timeout that is no number", ["{f.mlir}", "--data=synthetic", "--timeout=nan"], "'--timeout'"),
    flags("a normalization that is none", ["{f.mlir}", "--data=synthetic", "--normalize=1,0"], "'--normalize'"),
    flags("a secret of ranks, and none to meet", ["{f.mlir}", "--data=synthetic", "--rendezvous-secret=s"],
          "flag '--rendezvous-secret' needs '--rendezvous'"),
    flags("an address to listen on, and no ranks", ["{f.mlir}", "--data=synthetic", "--listen=localhost"],
          "flag '--listen' needs '--rendezvous'"),
    flags("one run whatever its numbers are", ["{f.mlir}", "forward", "--allow-nonfinite"],
          "soap-run entry: --allow-nonfinite is a flag of 'soap-run train' or 'soap-run check'", command="entry"),
    flags("nothing to do", ["{f.mlir}"], "expected '--data'"),
    flags("flags that exclude each other", ["{f.mlir}", "--data=synthetic", "--preset=single", "--strategy=s.json"],
          "exclude each other"),
    Case("soap-run: no such file", ["soap-run", "train", "{missing}", "--data=synthetic"], ["no-such-file"]),
    Case("soap-run: an empty file", ["soap-run", "train", "{f.mlir}", "--data=synthetic"],
         ["f.mlir: expected IR, an ONNX model, or an artifact, which starts with 'SOAPX', got an empty file"], {"f.mlir": ""}),
    Case("soap-run: a folder", ["soap-run", "train", "{folder}", "--data=synthetic"], ["expected IR, an ONNX model, or an artifact", "got a directory"]),
    Case("soap-run: nothing in it", ["soap-run", "train", "{f.mlir}", "--data=synthetic"], ["f.mlir", "has no function with a body"],
         {"f.mlir": "module {}"}),
    flags("no devices", ["{f.mlir}", "--data=synthetic", "--devices=0"], "'--devices'", "from 1 to"),
    Case("soap-run: not IR", ["soap-run", "train", "{f.mlir}", "--data=synthetic"], ["f.mlir"], {"f.mlir": "hello\n"}),
    Case("soap-run: nothing to train", ["soap-run", "train", "{f.mlir}", "--data=synthetic"], ["train_step"], {"f.mlir": FORWARD}),
    run("soap-run: no such data", ["--data", "idx:{folder}/nowhere"], {}, ["nowhere", "cannot open"]),
    run("soap-run: a kind of data that does not exist", ["--data=csv:d"], {}, ["'csv:d'", "idx:DIR"]),
    Case("soap-run: no such entry", ["soap-run", "entry", "{f.mlir}", "backward"], ["backward"], {"f.mlir": FORWARD}),
    run("soap-run: no such topology", ["--data=synthetic", "--topology=warehouse"], {}, ["warehouse"]),
    run("soap-run: a report in place of a folder", ["--data=synthetic", "--iterations=1", "--report={folder}"], {},
        ["{folder}: cannot write: is a directory"]),
    run("soap-run: a report into nowhere", ["--data=synthetic", "--iterations=1", "--report={folder}/no/where.json"], {},
        ["no/where.json"]),

    meeting("a secret that is missing", "{missing}", {}, "no-such-file", "cannot open"),
    meeting("an empty secret", "{s}", {"s": b""}, "expected a secret of 16 to 4096 bytes, got 0"),
    meeting("a secret that can be guessed", "{s}", {"s": b"swordfish\n"}, "expected a secret of 16 to 4096 bytes, got 9"),
    meeting("a secret that is too long", "{s}", {"s": b"x" * 5000}, "4096 bytes"),
    meeting("a secret that never ends", "/dev/zero", {}, "/dev/zero: expected a file, got a device"),
    meeting("a secret that is a folder", "{folder}", {}, "expected a file, got a directory"),
    Case("rendezvous: an address of another host", ["soap-run", "train", "{f.mlir}", "--data=synthetic", "--rendezvous=192.0.2.1:0",
                                                    "--rank=0", "--ranks=2"],
         ["cannot listen for other ranks on 192.0.2.1", "expected an address of this host, or '--listen'"], {"f.mlir": FORWARD}),
    Case("rendezvous: nowhere to listen", ["soap-run", "train", "{f.mlir}", "--data=synthetic", "--rendezvous=127.0.0.1:0", "--rank=0",
                                           "--ranks=2", "--listen=no.such.host.invalid"],
         ["cannot listen on 'no.such.host.invalid'"], {"f.mlir": FORWARD}),

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
    labels("a label beyond the classes", idx([16], bytes(15) + b"\x07"), "label 7 of sample 15", "expected 0 to 2"),
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

    archive("not a zip archive", X, "expected a zip archive"),
    archive("an empty file", b"", "expected a zip archive"),
    archive("truncated", npz({"x_train": X, "y_train": Y})[:-30], "expected a zip archive"),
    archive("no labels", npz({"x_train": X}), "expected an array 'y_train'"),
    archive("a member that is no array", npz({"x_train": b"hello", "y_train": Y}), "x_train.npy", "expected a NumPy file"),
    archive("damaged deflated data", npz({"x_train": X, "y_train": Y}, damage=True), "'x_train.npy'", "damaged"),
    archive("a wrong checksum", npz({"x_train": X, "y_train": Y}, crc=1), "'x_train.npy'", "checksum"),
    archive("an unknown compression", npz({"x_train": X, "y_train": Y}, method=14), "compression method 14"),
    archive("a bomb", npz({"x_train": X, "y_train": Y}, size=0xfffffffe), "absurd size"),
    archive("overlapping members", npz({"x_train": X, "y_train": Y}, overlap=True), "overlap"),
    archive("samples of another shape", npz({"x_train": npy(FLOATS.replace("(16, 4)", "(8, 8)"), bytes(256)), "y_train": Y}),
            "x_train", "do not fit data 'x'"),
    run("npz: no such file", ["--data", "npz:{missing}"], {}, ["no-such-file", "cannot open"]),

    translation("one of them is missing", "npz:{d.npz}", {"d.npz": npz({"source_train": floats(8, 4), "y_train": integers(8, 3)})},
                "d.npz", "expected an array 'target_train'"),
    translation("one has other samples", "npz:{d.npz}",
                {"d.npz": npz({"source_train": floats(8, 4), "target_train": floats(7, 3), "y_train": integers(8, 3)})},
                "target_train", "expected 8 samples", "got 7"),
    translation("one has another shape", "npz:{d.npz}",
                {"d.npz": npz({"source_train": floats(8, 4), "target_train": floats(8, 4), "y_train": integers(8, 3)})},
                "target_train", "do not fit data 'target'"),
    translation("the test set lacks one", "npz:{d.npz}",
                {"d.npz": npz({"source_train": floats(8, 4), "target_train": floats(8, 3), "y_train": integers(8, 3),
                               "target_test": floats(8, 3)})}, "expected an array 'source_test'"),
    translation("images have one array", "idx:{folder}", {}, "'source' and 'target'"),
    translation("text without a target", "text:{t.txt}", {"t.txt": "a b c"}, "'target'"),
    translation("texts of different lengths", "text:{s.txt},target={t.txt}", {"s.txt": "a\nb\nc\n", "t.txt": "a\n"},
                "t.txt", "expected 3 lines", "got 1"),
    translation("no such target", "text:{s.txt},target={missing}", {"s.txt": "a\n"}, "no-such-file"),
    translation("fewer lines than a batch", "text:{s.txt},target={t.txt}", {"s.txt": "a\nb\n", "t.txt": "a\nb\n"},
                "fewer than a batch of 2"),
    text("a target for a model with one data tensor", ",target={t.txt}", "a b c", "'target'", "two data tensors"),
    text("too short", "", "one two", "fewer than a batch of 2"),
    text("empty", "", "", "fewer than a batch of 2"),
    text("not text", "", b"a\0b" * 50, "got a byte of value 0 at 1"),
    text("damaged gzip", "", b"\x1f\x8b\x08\0\0\0\0\0\0\3" + b"\xff" * 40, "gzip data is damaged"),
    text("unknown level", ",level=line", "a b c", "'level'", "'line'"),
    text("a vocabulary of one", ",vocabulary=1", "a b c", "'vocabulary'", "'1'"),
    text("a vocabulary beyond the classes", ",vocabulary=11", "a b c", "from 2 to 10"),
    text("a test set of everything", ",test=1", "a b c", "'test'", "'1'"),
    text("a test set that is no number", ",test=nan", "a b c", "'test'", "'nan'"),
    text("unknown option", ",batch=3", "a b c", "'batch=3'", "level="),
    text("an option twice", ",test=0.1,test=0.1", "a b c", "'test' is given twice"),
    sequence("text: a folder", "text:{folder}", {}, "got a directory"),
    run("text: a model without sequences", ["--data", "text:{t.txt}"], {"t.txt": "a b c"}, ["'x'", "sequences of tokens"]),
    tokens("beyond the classes", "", struct.pack("<20H", *range(20)), "t.bin", "token 10", "from 0 to 9"),
    tokens("negative", ",type=i32", struct.pack("<20i", *[-1] * 20), "token 0", "got -1"),
    tokens("half a token", "", bytes(21), "multiple of 2 bytes", "got 21"),
    tokens("unknown type", ",type=u64", bytes(20), "'type'", "'u64'"),
    tokens("fewer than a batch", "", bytes(12), "fewer than a batch of 2"),
    tokens("an array of floats", "", npy(FLOATS, bytes(256)), "expected integer tokens"),
    sequence("tokens: a folder without them", "tokens:{folder}/d", {"d/x.bin": bytes(20)}, "expected train.npy or train.bin"),

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

    flags("an interval without a checkpoint", ["{f.mlir}", "--data=synthetic", "--checkpoint-every=5"],
          "'--checkpoint-every' needs '--checkpoint'"),
    flags("a checkpoint and other weights", ["{f.mlir}", "--data=synthetic", "--resume=a", "--init=b"], "exclude each other"),
    resume("an empty file", b"", "expected a safetensors header"),
    resume("truncated", state()[:-1], "/w/data_offsets"),
    resume("only weights", safetensors(GOOD, bytes(48)), "expected a checkpoint"),
    resume("metadata that is a number", safetensors(dict(GOOD, __metadata__=5), bytes(48)), "/__metadata__"),
    resume("metadata that is not text", safetensors(dict(GOOD, __metadata__={"format": 5}), bytes(48)),
           "/__metadata__/format"),
    resume("a state that is no JSON", safetensors(
        dict(GOOD, __metadata__={"format": "soap-checkpoint", "state": "{"}), bytes(48)), "expected a JSON object"),
    resume("another version", state(version=99), "/version", "got 99"),
    resume("a negative step", state(step=-1), "/step", "got -1"),
    resume("absurd steps", state(step=2**70), "/step"),
    resume("a place after the end", state(position=4), "/position"),
    resume("no tally", state(tally=None), "/tally"),
    resume("a batch of nothing", state(batch=0), "/batch"),
    resume("another batch", state(batch=3), "a batch of 3"),
    resume("other data", state(), "use '--init'"),
    Case("checkpoint: no such file", ["soap-run", "train", "{folder}/step.mlir", "--data=synthetic", "--resume={missing}"],
         ["no-such-file", "cannot open"], {"f.mlir": FORWARD}, setup=STEP),
    resume_good("another seed", ["--data=synthetic", "--seed=6"], "seed 5, got 6"),
    resume_good("other samples", ["--data=synthetic:integers"], "data of fingerprint"),
    run("checkpoint: into nowhere", ["--data=synthetic", "--checkpoint={folder}/no/where.safetensors"], {},
        ["no/where.safetensors", "cannot write"]),
]
