# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the package soap with NumPy alone; package.py runs them in an environment that has it.

    cases.py SOURCE BUILD

Right values come from NumPy, from formulas, or from reports of passes. The last line is "N passed, N failed"."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import warnings

import numpy as np

import soap
from soap.layout import Layout
from soap.plan import OPTIONS
from runner import raises, run, test

SOURCE, BUILD = sys.argv[1:]
LENET = os.path.join(SOURCE, "examples", "lenet.onnx")


def images(count, seed=0):
    """Images of a bright row, and the row as class."""
    labels = np.random.default_rng(seed).integers(0, 10, count)
    pixels = np.zeros((count, 1, 28, 28), np.float32)
    pixels[np.arange(count), 0, 2 * labels + 4] = 1
    return pixels, labels


def softmax_loss(logits, labels):
    shifted = logits - logits.max(1, keepdims=True)
    probability = np.exp(shifted) / np.exp(shifted).sum(1, keepdims=True)
    return -np.log(probability[np.arange(len(labels)), labels]).mean(), probability


MLP = """
func.func @forward(
    %x: tensor<12x6xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
    %w: tensor<6x8xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w", soap.fan_in = 6 : i64, soap.fan_out = 8 : i64},
    %v: tensor<8x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "v", soap.fan_in = 8 : i64, soap.fan_out = 4 : i64})
    -> tensor<12x4xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc1"} : (tensor<12x6xf32>, tensor<6x8xf32>) -> tensor<12x8xf32>
  %1 = soap.relu %0 {soap.name = "relu"} : (tensor<12x8xf32>) -> tensor<12x8xf32>
  %2 = soap.matmul %1, %v {soap.name = "fc2"} : (tensor<12x8xf32>, tensor<8x4xf32>) -> tensor<12x4xf32>
  return %2 : tensor<12x4xf32>
}
"""


@test
def training_equals_numpy():
    """Losses and weights of SGD on four devices, under several plans, equal the same steps in NumPy."""
    random = np.random.default_rng(3)
    x, labels = random.standard_normal((48, 6)).astype(np.float32), random.integers(0, 4, 48)
    rate = 0.2
    model = soap.from_mlir(MLP)
    w, v = (model.state_dict()[name].astype(np.float64) for name in ("w", "v"))
    expected = []
    for first in range(0, 48, 12):
        a, t = x[first : first + 12].astype(np.float64), labels[first : first + 12]
        hidden = a @ w
        loss, gradient = softmax_loss(np.maximum(hidden, 0) @ v, t)
        gradient[np.arange(12), t] -= 1
        gradient /= 12
        expected.append(loss)
        dv = np.maximum(hidden, 0).T @ gradient
        w = w - rate * (a.T @ ((gradient @ v.T) * (hidden > 0)))
        v = v - rate * dv
    for preset in ("single", "data-parallel", "model-parallel", "expert", "zero"):
        model = soap.from_mlir(MLP)
        plan = soap.apply_strategy(model, "cpu-4", preset, learning_rate=rate)
        history = soap.fit(model, (x, labels), plan=plan, shuffle=False)
        np.testing.assert_allclose(history.losses, expected, rtol=1e-5, err_msg=preset)
        np.testing.assert_allclose(model.state_dict()["w"], w, rtol=1e-4, atol=1e-6, err_msg=preset)
        np.testing.assert_allclose(model.state_dict()["v"], v, rtol=1e-4, atol=1e-6, err_msg=preset)
        assert abs(history[0].loss - np.mean(expected)) < 1e-5
    logits = np.maximum(x[:12] @ w, 0) @ v
    np.testing.assert_allclose(model.predict(x[:12]), logits, rtol=1e-4, atol=1e-5)


@test
def an_interrupted_training_keeps_its_values():
    random = np.random.default_rng(3)
    data = random.standard_normal((48, 6)).astype(np.float32), random.integers(0, 4, 48)
    whole, ended = soap.from_mlir(MLP), soap.from_mlir(MLP)
    soap.fit(whole, data, "cpu-2", steps=3, epochs=9, search={"proposals": 5, "seed": 1})

    def interrupt(step, loss):
        if step == 3:
            signal.raise_signal(signal.SIGINT)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.csv")
        raises(KeyboardInterrupt, "", lambda: soap.fit(ended, data, "cpu-2", epochs=9, log=path, on_step=interrupt,
                                                       search={"proposals": 5, "seed": 1}))  # fmt: skip
        assert len(soap.read_log(path)) == 3
    for name, value in whole.state_dict().items():
        np.testing.assert_array_equal(ended.state_dict()[name], value)


STUB = """
class SummaryWriter:
    def __init__(self, folder): self.file = open(folder, "w")
    def add_scalar(self, tag, value, step): print(tag, value, step, file=self.file)
    def flush(self): self.file.flush()
    close = flush
"""


@test
def trainings_have_logs():
    """Logs of soap.fit have its losses, and go to TensorBoard by the writer of another package."""
    random = np.random.default_rng(3)
    x, labels = random.standard_normal((50, 6)).astype(np.float32), random.integers(0, 4, 50)
    model = soap.from_mlir(MLP)
    plan = soap.apply_strategy(model, "cpu-2", "data-parallel", training={"schedule": "linear", "total_iterations": 10},
                               learning_rate=0.5)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for name in ("log.csv", "log.jsonl"):
            path = os.path.join(folder, name)
            history = soap.fit(model, (x, labels), plan=plan, epochs=2, validation=(x, labels), log=path)
            rows = soap.read_log(path)
            assert [row["iteration"] for row in rows] == list(range(1, 9)), rows
            assert [row["loss"] for row in rows] == history.losses and [row["epoch"] for row in rows] == [1] * 4 + [2] * 4
            np.testing.assert_allclose([row["learning_rate"] for row in rows], [0.5 - 0.05 * i for i in range(8)])
            assert [i for i, row in enumerate(rows) if "test_loss" in row] == [3, 7], rows
            assert rows[7]["test_accuracy"] == history[1].validation_accuracy and rows[0]["samples_per_second"] > 0
        command = [sys.executable, "-m", "soap.tensorboard", path, os.path.join(folder, "events")]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 1 and "expected tensorboardX (pip install tensorboardX)" in done.stderr, done.stderr
        os.mkdir(os.path.join(folder, "tensorboardX"))
        with open(os.path.join(folder, "tensorboardX", "__init__.py"), "w", encoding="utf-8") as file:
            file.write(STUB)
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": folder})
        assert done.returncode == 0, done.stderr
        with open(command[-1], encoding="utf-8") as file:
            written = [line.split() for line in file]
        assert [float(value) for tag, value, _ in written if tag == "loss/train"] == history.losses, written
        assert ["loss/test", str(history[1].validation_loss), "8"] in written, written
        with open(path, "a", encoding="utf-8") as file:
            file.write("text\n")
        raises(ValueError, "is no log of a training", lambda: soap.read_log(path))
        raises(ValueError, "expected a name that ends in .csv or .jsonl",
               lambda: soap.fit(model, (x, labels), plan=plan, log="log.txt"))  # fmt: skip


@test
def thinnest_path():
    """The lines of the documentation: ONNX, a search, a printed plan, training, evaluation of every sample."""
    model = soap.from_onnx(LENET)
    plan = soap.find_strategy(model, topology="cpu-4", proposals=100, seed=1, learning_rate=0.05)
    text = str(plan)
    assert text.startswith("lenet, @train_step on cpu-4: "), text
    assert "conv1" in text and "sample" in text, text
    assert abs(plan.milliseconds - plan.report["best_makespan_ns"] * 1e-6) < 1e-9
    assert plan.devices == 4 and plan.function == "train_step"
    before = model.state_dict()
    train, check = images(640), images(100, seed=1)
    history = soap.fit(model, train, plan=plan, epochs=3, validation=check)
    assert len(history.losses) == 30 and len(history) == 3
    assert history[-1].loss < history[0].loss - 0.5
    assert abs(history[0].loss - np.mean(history.losses[:10])) < 1e-5
    # 100 samples are a batch of 64 and one of 36, which is filled up with samples that count nothing.
    logits = np.concatenate([model.predict(check[0][:64]), model.predict(np.concatenate([check[0][64:], check[0][:28]]))[:36]])
    loss, _ = softmax_loss(logits.astype(np.float64), check[1])
    assert abs(history[-1].validation_loss - loss) < 1e-4, (history[-1], loss)
    assert abs(history[-1].validation_accuracy - (logits.argmax(1) == check[1]).mean()) < 1e-9
    after = model.state_dict()
    assert set(before) == set(after) and any((before[k] != after[k]).any() for k in before)
    # Batches of another size, from an iterable, are the same data.
    again = soap.from_onnx(LENET), soap.from_onnx(LENET)
    batches = ((train[0][first : first + 100], train[1][first : first + 100]) for first in range(0, 640, 100))
    losses = [soap.fit(m, data, plan=plan, shuffle=False).losses for m, data in zip(again, (train, batches))]
    assert losses[0] == losses[1], losses
    # Going on starts from the values that the model has.
    more = soap.fit(model, train, plan=plan, steps=1, shuffle=False)
    assert more.losses[0] < history.losses[0] and len(more.losses) == 1


@test
def values_go_in_and_out():
    model = soap.from_mlir(MLP)
    values = {name: np.full_like(value, 0.5) for name, value in model.state_dict().items()}
    model.load_state_dict(values)
    x = np.arange(72, dtype=np.float32).reshape(12, 6) / 72
    np.testing.assert_allclose(model.predict(x), np.repeat(x.sum(1, keepdims=True) * 0.5 * 8 * 0.5, 4, 1), rtol=1e-5)
    # Other number types become the tensor's where nothing is lost.
    np.testing.assert_allclose(model.predict(x=x.astype(np.float64)), model.predict(x))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "w.safetensors")
        model.save(path)
        session = soap.from_mlir(MLP).compile()
        session.initialize(rule=path)
        np.testing.assert_array_equal(session["w"], values["w"])
    raises(KeyError, "missing ['w']", lambda: model.load_state_dict({"v": values["v"]}))
    raises(ValueError, "'w': expected shape [6, 8], got [8, 6]", lambda: model.load_state_dict({**values, "w": values["w"].T}))
    raises(ValueError, "tensor 'x': expected shape [12, 6], got [6, 12]", lambda: model.predict(x.T))
    raises(TypeError, "expected an array of numbers", lambda: model.predict([["a"]]))
    raises(TypeError, "has 1 data arguments, got 2", lambda: model.predict(x, x))


@test
def labels_that_say_that_there_is_none():
    """The loss is the mean over the others, as of PyTorch's ignore_index."""
    x, y = images(64)
    ignored = np.where(np.arange(64) % 4 == 1, -100, y)
    losses = []
    for wanted in (y[np.arange(64) % 4 != 1], None):
        model = soap.from_onnx(LENET)
        if wanted is not None:
            logits = model.predict(x)[np.arange(64) % 4 != 1]
            losses.append(softmax_loss(logits.astype(np.float64), wanted)[0])
        else:
            history = soap.fit(model, (x, ignored), "cpu-2", epochs=1, shuffle=False, training={"ignore_index": -100},
                               search={"proposals": 20})
            losses += [history.losses[0], history[0].loss]
    assert abs(losses[0] - losses[1]) < 1e-4 and abs(losses[0] - losses[2]) < 1e-4, losses
    plan = soap.apply_strategy(model, "cpu-2", "data-parallel")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        soap.fit(model, (x, ignored), plan=plan, ignore_index=-100)
    assert "built without 'ignore_index'" in str(said[0].message), said
    raises(ValueError, "'label': got -100 in sample 1, expected 0 to 9, or ignore_index=-100",
           lambda: soap.fit(soap.from_onnx(LENET), (x, ignored), "cpu-2", steps=1, search={"proposals": 20}))


@test
def a_limit_of_memory():
    """`memory_limit` alone is a search for the fastest strategy that fits."""
    model = soap.from_onnx(LENET)
    plan = soap.find_strategy(model, "cpu-4", proposals=50, memory_limit="16GB")
    assert (plan.report["algorithm"], plan.report["mode"]) == ("frontier", "mini-time"), plan.report
    assert plan.report["capacity_bytes"] == 16 * 10**9 and plan.peak_bytes <= 16 * 10**9
    raises(soap.SoapError, "no strategy was found that holds at most 1000000 bytes",
           lambda: soap.find_strategy(model, "cpu-4", proposals=50, memory_limit="1MB"))


@test
def bad_data_is_refused():
    model = soap.from_onnx(LENET)
    plan = soap.apply_strategy(model, "cpu-2", "data-parallel")
    x, y = images(64)
    raises(TypeError, "expected 2 arrays (image, label), got 1", lambda: soap.fit(model, (x,), plan=plan))
    raises(KeyError, "missing ['label'], unknown ['labels']", lambda: soap.fit(model, {"image": x, "labels": y}, plan=plan))
    raises(ValueError, "expected samples of shape [1, 28, 28], got [28, 28]", lambda: soap.fit(model, (x[:, 0], y), plan=plan))
    raises(ValueError, "as many samples in all arrays", lambda: soap.fit(model, (x, y[:-1]), plan=plan))
    raises(ValueError, "10 samples are less than a batch of 64", lambda: soap.fit(model, (x[:10], y[:10]), plan=plan))
    raises(TypeError, "expected int32, got float64", lambda: soap.fit(model, (x, y.astype(float)), plan=plan))
    for label, hint in ((10, ""), (999, ""), (-1, ", or ignore_index=-1 if it says that there is none")):
        wrong = np.where(np.arange(64) == 7, label, y)
        raises(ValueError, f"'label': got {label} in sample 7, expected 0 to 9" + hint,
               lambda: soap.fit(model, (x, wrong), plan=plan))
        raises(ValueError, f"validation: 'label': got {label} in sample 7",
               lambda: soap.fit(model, (x, y), plan=plan, validation=(x, wrong)))
    raises(TypeError, "a tuple of arrays (image, label)", lambda: soap.fit(model, 5, plan=plan))
    raises(ValueError, "expected at least one batch", lambda: soap.fit(model, iter([]), plan=plan))
    raises(TypeError, "expected a topology", lambda: soap.fit(model, (x, y)))
    raises(TypeError, "a plan has its topology", lambda: soap.fit(model, (x, y), "cpu-4", plan=plan))
    raises(TypeError, "a plan has its training step: give optimizer, learning_rate to find_strategy",
           lambda: soap.fit(model, (x, y), plan=plan, optimizer="adam", learning_rate=0.1))
    raises(TypeError, "expected a soap.Model, got str", lambda: soap.fit("lenet", (x, y), "cpu-2"))
    before = model.state_dict()
    error = raises(soap.SoapError, "the loss of step 1 is nan", lambda: soap.fit(model, (np.full_like(x, np.nan), y), plan=plan))
    assert isinstance(error, RuntimeError)
    for name, value in model.state_dict().items():
        np.testing.assert_array_equal(value, before[name])


@test
def errors_have_diagnostics():
    error = raises(soap.SoapError, "no-file.onnx: ", lambda: soap.from_onnx("no-file.onnx"))
    assert error.diagnostics and error.diagnostics[0].startswith("no-file.onnx: ")
    raises(soap.SoapError, "text:1:", lambda: soap.from_mlir("func.func @f( {\n"))
    raises(soap.SoapError, "unknown option 'batches'", lambda: soap.from_onnx(LENET, batches=3))
    raises(soap.SoapError, "cpu-x", lambda: soap.find_strategy(soap.from_mlir(MLP), "cpu-x"))
    raises(soap.SoapError, "no_such_option", lambda: soap.find_strategy(soap.from_mlir(MLP), "cpu-2", no_such_option=1))
    raises(soap.SoapError, "fastest", lambda: soap.apply_strategy(soap.from_mlir(MLP), "cpu-2", "fastest"))
    raises(ValueError, "expected one of mini-time, mini-parallelism, profiling", lambda: soap.find_strategy(soap.from_mlir(MLP), "cpu-2", "fast"))
    raises(ValueError, "braces are no part of a value", lambda: soap.find_strategy(soap.from_mlir(MLP), "cpu-2} soap-partition"))
    raises(soap.SoapError, "alexnett", lambda: soap.generate("alexnett"))
    raises(soap.SoapError, "text.mlir", lambda: soap.from_stablehlo("module {", "text.mlir"))
    # A preset that needs more memory than there is warns.
    model = soap.generate("gpt", batch=4, layers=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        soap.apply_strategy(soap.generate("gpt3", batch=1), "cpu-2", "single", training=False)
    assert any(isinstance(w.message, soap.SoapWarning) and "on device" in str(w.message) for w in caught), caught
    assert not model.has_training_step and model.build_training_step("adamw", 1e-3).has_training_step


@test
def options_of_the_frontier():
    model = soap.from_mlir(MLP)
    plans = {option: soap.find_strategy(model, "cpu-2", option) for option in OPTIONS}
    fewest = {device for op in plans["mini-parallelism"].strategy["ops"] for device in op["devices"]}
    assert fewest == {0}, fewest
    assert plans["mini-time"].milliseconds <= plans["mini-parallelism"].milliseconds
    assert plans["profiling"].milliseconds == plans["mini-time"].milliseconds


@test
def plans_compare_draw_and_are_files():
    model = soap.from_onnx(LENET)
    plan = soap.find_strategy(model, "cpu-4", proposals=100, seed=2)
    table = plan.compare(["data-parallel", "single"])
    assert [row["name"] for row in table] == ["this plan", "data-parallel", "single"]
    assert table[1]["makespan_ns"] == plan.simulation["presets_ns"]["data-parallel"]
    assert table[0]["makespan_ns"] == plan.report["best_makespan_ns"]
    assert len(str(table).splitlines()) == 4
    table = plan.compare(["megatron(tp=4)", "fsdp"])
    assert "expected a transformer" in table[1]["error"] and "makespan_ns" in table[2], table
    assert "megatron(tp=4)  does not apply: no op multiplies" in str(table), str(table)
    raises(soap.SoapError, "fastest", lambda: plan.compare(["fastest"]))
    exchanges = plan.simulation["exchanges"]
    assert sum(row["bytes"] for row in plan.collectives().values()) == sum(e["bytes"] for e in exchanges)
    assert plan.explain("fc1", most=2)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plan.svg")
        assert plan.draw(path) == open(path, encoding="utf-8").read()
        assert "</svg>" in plan.draw()
        path = os.path.join(folder, "plan.json")
        plan.save(path)
        again = soap.apply_strategy(model, "cpu-4", path)
        assert again.strategy == plan.strategy and again.milliseconds == plan.milliseconds
        assert plan.compare([path])[1]["makespan_ns"] == again.simulation["makespan_ns"]
        path = os.path.join(folder, "model.mlir")
        plan.model.save_ir(path)
        assert soap.from_mlir(path).ir == plan.model.ir
        # An artifact computes the same bits.
        path = os.path.join(folder, "model.soapx")
        plan.emit(path)
        sessions = plan.model.compile(), soap.Session.load(path)
        x, _ = images(64)
        results = []
        for session in sessions:
            session.initialize(seed=5)
            results.append(next(iter(session.run("forward", {"image": x}).values())))
            assert session.last_milliseconds > 0
        np.testing.assert_array_equal(*results)
        raises(soap.SoapError, "lenet.onnx", lambda: soap.Session.load(LENET))
        raises(KeyError, "no entry 'step'", lambda: sessions[0].run("step"))
        raises(KeyError, "no tensor 'y'", lambda: sessions[0]["y"])


def read_safetensors(path):
    """Tensors of f32 by name."""
    data = open(path, "rb").read()
    begin = 8 + int.from_bytes(data[:8], "little")
    rows = {key: row for key, row in json.loads(data[8:begin]).items() if key != "__metadata__"}
    return {key: np.frombuffer(data[begin + row["data_offsets"][0] : begin + row["data_offsets"][1]], np.float32)
            .reshape(row["shape"]) for key, row in rows.items()}


@test
def tools_read_what_a_model_saves():
    """soap-opt reads MODEL.soap, soap-run the values beside it: steps at a rate of 0 leave them as they are."""
    model = soap.from_onnx(LENET)
    with tempfile.TemporaryDirectory() as folder:
        path, step, after = (os.path.join(folder, name) for name in ("m.soap", "step.mlir", "after.safetensors"))
        model.save(path)
        assert soap.from_mlir(path).ir == model.ir
        tool = lambda name, *args: subprocess.run([os.path.join(BUILD, "bin", name), *args], check=True)  # noqa: E731
        tool("soap-opt", path, "--soap-build-training-step=optimizer=sgd learning-rate=0", "-o", step)
        tool("soap-run", "train", step, "--init", os.path.join(folder, "m.safetensors"), "--data=synthetic", "--iterations=2",
             "--quiet", "--save-weights", after)
        written, values = read_safetensors(after), model.state_dict()
        assert sorted(written) == sorted(values)
        for name, value in values.items():
            np.testing.assert_array_equal(written[name], value)


@test
def pipelines_are_plans():
    """A pipeline: its stages in text, drawing and file, the prices of others, training, and refusals by name where
    there are no stages."""
    model = soap.from_onnx(LENET)
    step = model.build_training_step(learning_rate=0.05)
    with tempfile.TemporaryDirectory() as folder:
        path, again = os.path.join(folder, "pipeline.json"), os.path.join(folder, "again.json")
        step.run_passes(
            f"soap-pipeline{{topology=cpu-4 stages=2 microbatches=4 inside=data-parallel export={path}}}"
        )
        plan = soap.apply_strategy(step, "cpu-4", path)
        plan.save(again)
        copy = soap.apply_strategy(step, "cpu-4", again)
        with_clones = step.run_passes("soap-recompute{ops=relu* topology=cpu-4}")
        pipeline = "soap-pipeline{topology=cpu-4 stages=2 microbatches=4},soap-simulate"
        assert "soap.recompute_of" in with_clones.run_passes(pipeline).ir
    assert plan.pipeline["microbatches"] == 4 and plan.pipeline["schedule"] == "1f1b"
    assert [stage["devices"] for stage in plan.pipeline["stages"]] == [[0, 1], [2, 3]]
    assert copy.strategy == plan.strategy and copy.milliseconds == plan.milliseconds
    text = str(plan)
    assert "4 microbatches through 2 stages on 2 groups of devices" in text, text
    title = f"{plan.milliseconds:.3f} ms per iteration, simulated, 4 microbatches through 2 stages"
    assert title in plan.draw(), plan.draw()[:1000]
    row = plan.compare(["data-parallel"])[1]
    assert row["makespan_ns"] == soap.apply_strategy(step, "cpu-4", "data-parallel").simulation["makespan_ns"]
    assert row["makespan_ns"] == plan.simulation["presets_ns"]["data-parallel"]
    assert soap.apply_strategy(step, "cpu-4", "data-parallel").pipeline is None
    error = raises(ValueError, "2 stages on 2 groups of devices, and no mesh of all devices", plan.layout)
    assert "algorithm='mcmc'" in str(error)
    layouts = [plan.layout(stage=stage) for stage in (0, 1)]
    assert [layout.axes for layout in layouts] == [{"axis0": 2}, {"axis0": 2}] and not layouts[0].inexact, layouts
    assert {*layouts[0].tensors} & {*model.state_dict()} == {"conv1.weight", "conv1.bias"}, layouts[0]
    assert {*layouts[0].tensors, *layouts[1].tensors} >= {*model.state_dict()}, layouts
    raises(IndexError, "stage 2: the plan has 2 stages", lambda: plan.layout(stage=2))
    raises(soap.SoapError, "pipeline", lambda: plan.explain("fc1"))
    whole = soap.apply_strategy(with_clones, "cpu-4", "data-parallel")
    assert sorted(whole.recomputed) == ["relu1", "relu2", "relu3", "relu4"] and "4 ops are recomputed" in str(whole)
    data, losses = images(128), []
    for each in (plan, soap.apply_strategy(step, "cpu-4", "single")):
        losses.append(soap.fit(soap.from_onnx(LENET), data, plan=each, shuffle=False).losses)
    np.testing.assert_allclose(*losses, rtol=1e-5)


@test
def padding_rows_and_frozen_parameters_stay():
    """A row of an embedding that gets no gradient, under plans that split the table by rows and by columns; NumPy does
    the same steps."""
    text = """
    func.func @forward(
        %words: tensor<12x3xi32> {soap.kind = #soap.kind<data>, soap.name = "words", soap.sample_dim = 0 : i64},
        %e: tensor<8x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "e", soap.fan_in = 8 : i64, soap.fan_out = 4 : i64},
        %w: tensor<12x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w", soap.fan_in = 12 : i64, soap.fan_out = 4 : i64})
        -> tensor<12x4xf32> {
      %0 = soap.gather %e, %words {soap.name = "look"WRAP} : (tensor<8x4xf32>, tensor<12x3xi32>) -> tensor<12x3x4xf32>
      %1 = soap.reshape %0 {soap.name = "flat"} : (tensor<12x3x4xf32>) -> tensor<12x12xf32>
      %2 = soap.matmul %1, %w {soap.name = "head"} : (tensor<12x12xf32>, tensor<12x4xf32>) -> tensor<12x4xf32>
      return %2 : tensor<12x4xf32>
    }"""
    random = np.random.default_rng(4)
    words, labels = random.integers(0, 8, (36, 3)).astype(np.int32), random.integers(0, 4, 36)
    assert (words == 2).any()
    e, w = (soap.from_mlir(text.replace("WRAP", "")).state_dict()[name].astype(np.float64) for name in ("e", "w"))
    losses = []
    for first in range(0, 36, 12):
        index, t = words[first : first + 12], labels[first : first + 12]
        loss, gradient = softmax_loss(e[index].reshape(12, 12) @ w, t)
        gradient[np.arange(12), t] -= 1
        losses.append(loss)
        de = np.zeros_like(e)
        np.add.at(de, index, (gradient / 12 @ w.T).reshape(12, 3, 4))
        de[2] = 0
        e -= 0.5 * de
    for preset in ("single", "data-parallel", "model-parallel", "expert"):
        for wrap, data in ((", wrap = 8 : i64", np.where(words % 3 == 2, words - 8, words)), ("", words)):
            model = soap.from_mlir(text.replace("WRAP", wrap))
            training = {"padding_rows": "e=2", "freeze": "w"}
            plan = soap.apply_strategy(model, "cpu-4", preset, learning_rate=0.5, training=training)
            least = -8 if wrap else 0
            for row in (8, least - 1):
                beyond = np.where(np.arange(36)[:, None] == 5, row, words)
                raises(ValueError, f"data: 'words': got {row} in sample 5, expected {least} to 7",
                       lambda: soap.fit(model, (beyond, labels), plan=plan, shuffle=False))
            history = soap.fit(model, (data, labels), plan=plan, shuffle=False)
            np.testing.assert_allclose(history.losses, losses, rtol=1e-5, err_msg=preset)
            np.testing.assert_allclose(model.state_dict()["e"], e, rtol=1e-4, atol=1e-6, err_msg=preset)
            np.testing.assert_allclose(model.state_dict()["w"], w, rtol=1e-7, err_msg=preset)
    model = soap.from_mlir(text.replace("WRAP", ""))
    for rows, message in (("e=8", "one of the 8 rows of parameter 'e', got 8"), ("w=1", "parameter 'w' is no table"),
                          ("x=1", "'x' matches no parameter"), ("e=0.5", "one of the 8 rows of parameter 'e', got 0.5")):
        raises(soap.SoapError, message, lambda: model.build_training_step(padding_rows=rows))


@test
def linalg_is_a_model():
    """A program of another compiler: marked, searched, run; NumPy computes the same."""
    text = """
    func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> tensor<8x4xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<8x4xf32>
      %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
      %y = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%i : tensor<8x4xf32>) -> tensor<8x4xf32>
      return %y : tensor<8x4xf32>
    }"""
    model = soap.from_mlir(text).mark_arguments(data=[0], parameters=[1])
    about = model.function("main")["arguments"]
    assert [a["kind"] for a in about] == ["data", "parameter"]
    plan = soap.apply_strategy(model, "cpu-4", "data-parallel")
    random = np.random.default_rng(0)
    x, w = random.standard_normal((8, 16)).astype(np.float32), random.standard_normal((16, 4)).astype(np.float32)
    session = plan.model.compile()
    names = session.entries["main"]["arguments"]
    y = next(iter(session.run("main", dict(zip(names, (x, w)))).values()))
    np.testing.assert_allclose(y, x @ w, rtol=1e-5, atol=1e-5)
    layout = plan.layout()
    assert layout.tensors[names[0]].dims == [("axis0",), ()], layout
    searched = soap.find_strategy(model, "cpu-4", proposals=50, seed=1)
    assert searched.function == "main"


@test
def untested_versions_warn_once():
    from soap._versions import TESTED, check_version

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_version("torch", TESTED["torch"][0] + ".3+cpu")
        assert not caught, caught
        check_version("torch", "1.13.1")
        check_version("torch", "1.13.1")
    assert len(caught) == 1 and "torch 1.13.1 is not tested" in str(caught[0].message), caught


def placement(devices, regions, shape):
    """A placement of one tensor from the region of each device."""
    tiles = [{"device": d, "region": [[list(pair)] for pair in region]} for d, region in enumerate(regions)]
    return {"devices": devices, "tensors": [{"name": "t", "kind": "data", "shape": shape, "argument": 0, "tiles": tiles}]}


def region_of(layout, device):
    """The region that a layout gives a device: the definition of a layout, computed from it."""
    coordinates, rest = {}, device
    for axis, extent in reversed(list(layout.axes.items())):
        coordinates[axis], rest = rest % extent, rest // extent
    region = []
    for extent, axes in zip(layout.tensors["t"].shape, layout.tensors["t"].dims):
        index = pieces = 0
        pieces = 1
        for axis in axes:
            index, pieces = index * layout.axes[axis] + coordinates[axis], pieces * layout.axes[axis]
        region.append((extent * index // pieces, extent * (index + 1) // pieces))
    return region


@test
def layouts_are_placements():
    """Random assignments of mesh axes to dims come back as layouts that give every device its region."""
    random = np.random.default_rng(7)
    for _ in range(300):
        mesh = [int(f) for f in random.choice([2, 3], size=random.integers(1, 4))]
        devices, order = int(np.prod(mesh)), list(random.permutation(len(mesh)))
        dims, shape = [[], []], [36, 216]
        for axis in order:
            where = int(random.integers(0, 3))
            if where < 2:
                dims[where].append(int(axis))
        regions = []
        for device in range(devices):
            coordinates = np.unravel_index(device, mesh)
            region = []
            for axes, extent in zip(dims, shape):
                index, pieces = 0, 1
                for axis in axes:
                    index, pieces = index * mesh[axis] + int(coordinates[axis]), pieces * mesh[axis]
                region.append((extent * index // pieces, extent * (index + 1) // pieces))
            regions.append(region)
        layout = Layout.of(placement(devices, regions, shape))
        assert not layout.inexact, (mesh, dims, layout)
        for device in range(devices):
            assert region_of(layout, device) == regions[device], (mesh, dims, device, layout)
        # As where ops read slices of an argument: a device has its region in tiles, which may overlap.
        tiles = []
        for device, region in enumerate(regions):
            dim = int(random.integers(0, 2))
            begin, end = region[dim]
            cut, over = int(random.integers(begin + 1, end)) if end - begin > 1 else end, int(random.integers(0, 2))
            for piece in [(begin, cut), (max(cut - over, begin), end)][: 2 if cut < end else 1]:
                tile = [[list(pair)] for pair in region]
                tile[dim] = [list(piece)]
                tiles.append({"device": device, "region": tile})
        random.shuffle(tiles)
        sliced = placement(devices, regions, shape)
        sliced["tensors"][0]["tiles"] = tiles
        assert str(Layout.of(sliced)) == str(layout), (mesh, dims, tiles)


@test
def layouts_say_what_they_cannot():
    halves = [[(0, 4)], [(4, 8)]]
    assert not Layout.of(placement(2, halves, [8])).inexact
    crossed = Layout.of(placement(4, [[(2 * i, 2 * i + 2)] for i in (1, 2, 3, 0)], [8]))
    assert "lie on other devices" in crossed.inexact["t"] and crossed.tensors["t"].dims == [("axis0",)]
    some = Layout.of(placement(2, halves[:1], [8]))
    assert "only 1 of 2 devices" in some.inexact["t"] and some.tensors["t"].dims == [()]
    three = Layout.of(placement(4, [[(0, 3)], [(3, 6)], [(6, 8)], [(6, 8)]], [8]))
    assert "fit no axes" in three.inexact["t"], three
    halo = Layout.of(placement(2, [[(0, 5)], [(3, 8)]], [8]))
    assert "overlap" in halo.inexact["t"] and halo.tensors["t"].dims == [("axis0",)]
    nested = Layout.of(placement(2, [[(0, 8)], [(3, 8)]], [8]))
    assert "within pieces" in nested.inexact["t"] and nested.tensors["t"].dims == [()]
    gaps = placement(2, halves, [8])
    gaps["tensors"][0]["tiles"][0]["region"] = [[[0, 2], [6, 8]]]
    assert "gaps" in Layout.of(gaps).inexact["t"]


@test
def plans_have_layouts():
    model = soap.from_onnx(LENET)
    layout = soap.apply_strategy(model, "cpu-4", "data-parallel").layout()
    assert layout.axes == {"axis0": 4} and not [n for n in layout.inexact if layout.tensors[n].argument >= 0]
    assert layout.tensors["image"].dims == [("axis0",), (), (), ()]
    assert layout.tensors["fc1.weight"].dims == [(), ()] and layout.tensors["fc1.weight"].kind == "parameter"
    zero = soap.apply_strategy(model, "cpu-4", "zero").layout()
    assert zero.tensors["fc1.weight"].dims in ([("axis0",), ()], [(), ("axis0",)])
    assert "mesh: axis0 4" in str(zero)


@test
def the_package_is_typed_and_has_its_version():
    folder = os.path.dirname(soap.__file__)
    assert os.path.exists(os.path.join(folder, "py.typed")) and os.path.exists(os.path.join(folder, "_core.pyi"))
    text = open(os.path.join(SOURCE, "CMakeLists.txt"), encoding="utf-8").read()
    version = re.search(r"project\(Soap VERSION ([\d.]+)", text)[1]
    assert f'version = "{version}"' in open(os.path.join(SOURCE, "python", "pyproject.toml"), encoding="utf-8").read()
    assert soap.version.startswith(f"Soap {version} (LLVM "), soap.version
    stub = open(os.path.join(folder, "_core.pyi"), encoding="utf-8").read()
    for kind in (soap._core.Module, soap._core.Session):
        methods = {name for name in vars(kind) if not name.startswith("_")}
        body = stub.split(f"class {kind.__name__}:")[1].split("\nclass ")[0]
        assert methods == set(re.findall(r"def (\w+)", body)), methods
    for name in soap.__all__:
        value = getattr(soap, name)
        assert isinstance(value, str) or value.__doc__, f"{name} has no docstring"


@test
def tensors_of_sixteen_bits():
    """Tensors of bf16 are arrays of float32 with rounded numbers, tensors of f16 are float16."""
    for kind, wanted, steps in (("bf16", np.float32, 2.0**-8), ("f16", np.float16, 2.0**-11)):
        session = soap.from_mlir(MLP.replace("f32", kind)).compile()
        numbers = np.random.default_rng(1)
        x, w, v = (numbers.standard_normal(shape).astype(np.float32) for shape in ((12, 6), (6, 8), (8, 4)))
        session["w"], session["v"] = w, v
        assert session["w"].dtype == wanted, session["w"].dtype
        np.testing.assert_allclose(session["w"], w, rtol=steps)
        if kind == "bf16":
            # Ties go to the even number; what is too large for bf16 is infinite; NaN stays NaN.
            edges = np.zeros((6, 8), np.float32)
            edges[0, :5] = 1 + 2.0**-8, 1 + 3 * 2.0**-8, np.finfo(np.float32).max, -np.inf, np.nan
            session["w"] = edges
            np.testing.assert_array_equal(session["w"][0, :5], np.array([1, 1 + 2.0**-6, np.inf, -np.inf, np.nan]))
            session["w"] = w
        result = next(iter(session.run("forward", {"x": x}).values()))
        assert result.dtype == wanted
        expected = np.maximum(x @ w, 0) @ v
        np.testing.assert_allclose(result, expected, atol=8 * steps * np.abs(expected).max())


if __name__ == "__main__":
    sys.exit(run())
