# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of several processes share: finding tools, making modules, starting mpirun."""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(SOURCE, "test"))
MLP = os.path.join(SOURCE, "test", "Runtime", "Inputs", "mlp.mlir")
LENET = os.path.join(SOURCE, "examples", "lenet.onnx")
NMT = ["--generate=nmt", "--batch=8", "--option=length=5,lstm-chunk=2,hidden=8,vocabulary=11"]
# Root may run it in a container, and there may be fewer cores than ranks. Open MPI leaks by itself.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   ASAN_OPTIONS="allow_user_poisoning=0",
                   LSAN_OPTIONS="print_suppressions=0:suppressions=" + os.path.join(SOURCE, "utils", "lsan.supp"))


def skip(reason):
    """A suite without what it needs says so and has nothing to count."""
    print("skipped: " + reason)
    print("0 passed, 0 failed")
    sys.exit(0)


def need_mpi(build):
    if not os.path.exists(os.path.join(build, "lib", "libSoapMPI.so")):
        skip("this build has no transport mpi")
    if not shutil.which("mpirun"):
        skip("there is no mpirun")


def tool(build, name):
    return os.path.join(build, "bin", name)


def execute(command, timeout=300):
    """Runs a command that has to succeed; returns its standard output."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
                          env=ENVIRONMENT)
    if done.returncode != 0:
        raise RuntimeError("exit status %d: %s\n%s" % (done.returncode, " ".join(command),
                                                       done.stderr.decode(errors="replace")[-4000:]))
    return done.stdout.decode(errors="replace")


def mpirun(ranks, *arguments):
    return ["mpirun", "--oversubscribe", "-np", str(ranks), *arguments]


def training_step(build, model, output):
    """The training step of a model file, or of a list of flags of soap-translate, not yet distributed."""
    forward = model
    if isinstance(model, list):
        forward = output + ".forward.mlir"
        execute([tool(build, "soap-translate"), *model, "-o", forward])
    elif model.endswith(".onnx"):
        forward = output + ".forward.mlir"
        execute([tool(build, "soap-translate"), "--import-onnx", model, "-o", forward])
    execute([tool(build, "soap-opt"), forward,
             "--soap-build-training-step=loss=softmax-cross-entropy optimizer=sgd learning-rate=0.01 momentum=0.9", "-o", output])


def lower(build, step, strategy, output):
    """`strategy` are options of --soap-apply-strategy; after 'search' of --soap-auto-parallel; after 'pipeline' of
    --soap-pipeline."""
    name, options = "soap-apply-strategy", strategy
    for word, other in (("search ", "soap-auto-parallel"), ("pipeline ", "soap-pipeline")):
        if strategy.startswith(word):
            name, options = other, strategy[len(word):].strip()
    execute([tool(build, "soap-opt"), step, "--%s=%s" % (name, options), "--soap-partition", "--soap-lower-to-cpu", "-o", output])


def same_bytes(first, second):
    with open(first, "rb") as a, open(second, "rb") as b:
        return a.read() == b.read()
