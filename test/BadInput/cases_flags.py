"""Command lines."""

from case import Case
from cases_json import FORWARD

F = {"f.mlir": FORWARD}


def build(name, options, *expect):
    return Case("flags: " + name, ["soap-opt", "{f.mlir}", "--soap-build-training-step=" + options], list(expect), F)


CASES = [
    Case("flags: soap-opt, unknown flag", ["soap-opt", "--soap-fly"], ["Unknown command line argument", "--soap-fly"],
         status=2),
    Case("flags: soap-opt, unknown pass option", ["soap-opt", "{f.mlir}", "--soap-simulate=colour=red"],
         ["no such option colour"], F, status=2),
    Case("flags: soap-opt, a pass option of the wrong type", ["soap-opt", "{f.mlir}", "--soap-auto-parallel=seed=maybe"],
         ["maybe"], F, status=2),
    Case("flags: soap-opt, no such file", ["soap-opt", "{missing}"], ["no-such-file", "No such file"]),
    Case("flags: soap-opt, output into nowhere", ["soap-opt", "{f.mlir}", "-o", "{folder}/no/where.mlir"],
         ["no/where.mlir", "No such file"], F),
    build("unknown loss", "loss=hinge", "hinge", "softmax-cross-entropy"),
    build("unknown optimizer", "optimizer=lion", "lion", "sgd"),
    build("negative learning rate", "learning-rate=-1", "learning-rate", "-1"),
    build("a learning rate that is no number", "learning-rate=nan", "learning-rate"),
    build("momentum of one", "momentum=1", "momentum"),
    Case("flags: simulate without a strategy", ["soap-opt", "{f.mlir}", "--soap-simulate=topology=cpu-2"],
         ["soap.config"], F),
    Case("flags: partition without a strategy", ["soap-opt", "{f.mlir}", "--soap-partition=topology=cpu-2"],
         ["soap.config"], F),
    Case("flags: search without a topology", ["soap-opt", "{f.mlir}", "--soap-auto-parallel"], ["topology"], F),
    Case("flags: search, unknown simulator", ["soap-opt", "{f.mlir}", "--soap-auto-parallel=topology=cpu-2 simulator=fast"],
         ["simulator=fast", "delta or full"], F),
    Case("flags: search, unknown space", ["soap-opt", "{f.mlir}", "--soap-auto-parallel=topology=cpu-2 space=tied"],
         ["space=tied", "soap, sap, sp, s or optcnn"], F),
    Case("flags: search, unknown kind of proposals",
         ["soap-opt", "{f.mlir}", "--soap-auto-parallel=topology=cpu-2 proposals-kind=best"],
         ["proposals-kind=best", "uniform or mixed"], F),
    Case("flags: search, a ladder downwards", ["soap-opt", "{f.mlir}", "--soap-auto-parallel=topology=cpu-2 tempering=0.5"],
         ["tempering=", "from 1 to 1000"], F),
    Case("flags: search, too many chains", ["soap-opt", "{f.mlir}", "--soap-auto-parallel=topology=cpu-2 chains=100000"],
         ["chains=100000", "at most 1024"], F),
    Case("flags: search, a pause without a checkpoint",
         ["soap-opt", "{f.mlir}", "--soap-auto-parallel=topology=cpu-2 proposals=9 pause-after=3"],
         ["pause-after=3", "checkpoint=FILE"], F),
    Case("flags: search, a start that is not there",
         ["soap-opt", "{f.mlir}", "--soap-auto-parallel=topology=cpu-2 proposals=9 initial={missing}.json"],
         ["initial=", "cannot read"], F),
    Case("flags: search, threads that are no number", ["soap-opt", "{f.mlir}", "--soap-auto-parallel=topology=cpu-2 threads=-1"],
         ["threads"], F, status=2),
    Case("flags: search, negative time limit", ["soap-opt", "{f.mlir}", "--soap-auto-parallel=topology=cpu-2 time-limit=-1"],
         ["time-limit"], F),
    Case("flags: soap-translate, no translation", ["soap-translate", "{f.mlir}"], ["expected a translation"], F, status=2),
    Case("flags: soap-translate, unknown flag", ["soap-translate", "--import-onxx", "{f.mlir}"], ["--import-onxx"], F,
         status=2),
    Case("flags: soap-translate, no input", ["soap-translate", "--import-onnx"], ["expected an input file"], status=2),
    Case("flags: soap-translate, batch of zero", ["soap-translate", "--import-onnx", "--batch=0", "{f.mlir}"],
         ["--batch", "'0'"], F, status=2),
    Case("flags: soap-translate, negative sample dim", ["soap-translate", "--import-onnx", "--sample-dim=-1", "{f.mlir}"],
         ["--sample-dim", "at least 0", "-1"], F, status=2),
    Case("flags: soap-translate, softmax both ways",
         ["soap-translate", "--import-onnx", "--drop-final-softmax", "--keep-final-softmax", "{f.mlir}"],
         ["--drop-final-softmax", "--keep-final-softmax"], F, status=2),
    Case("flags: soap-translate, shape that is none", ["soap-translate", "--import-onnx", "--input-shape=x:2xbig", "{f.mlir}"],
         ["--input-shape", "x:2xbig"], F, status=2),
]
