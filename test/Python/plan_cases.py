# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of soap.plan, of pages, copies and HTML of plans, and of unknown keywords; package.py runs them with NumPy
alone.

    plan_cases.py SOURCE BUILD

The command soap-plan, and reports of passes, give the right values. The last line is "N passed, N failed"."""
import copy
import html.parser
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile

import numpy as np

import soap
from runner import raises, run, test

SOURCE, BUILD = sys.argv[1:]
LENET = os.path.join(SOURCE, "examples", "lenet.onnx")
SMALL = {"global_batch": 64, "seq_length": 128, "time_limit": 0}
GPU = "NVIDIA H100 80GB HBM3"


def tool(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def command_line(*arguments):
    """plan.json of the command soap-plan for the small problem."""
    return json.loads(tool(sys.executable, os.path.join(BUILD, "bin", "soap-plan"), "gpt2", "--global-batch", "64",
                           "--seq-length", "128", "--time-limit", "0", "--json", *arguments))  # fmt: skip


def nccl_output(folder, name, devices, machines, factor):
    """A file as nccl-tests prints it: all-reduces that take `factor` times as long as h100-2x8 is priced."""
    prices, path = os.path.join(folder, "prices.txt"), os.path.join(folder, name)
    with open(prices, "w", encoding="utf-8") as file:
        file.write(tool(os.path.join(BUILD, "bin", "soap-translate"), "--describe-topology=h100-2x8",
                        "--topology-as=collectives"))  # fmt: skip
    script = os.path.join(SOURCE, "test", "Tools", "Inputs", "nccl_output.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(tool(sys.executable, script, prices, "all_reduce", str(devices), str(machines), GPU, str(factor)))
    return path


def without_place(answer):
    """plan.json without the file of the cluster."""
    answer["cluster"].pop("name")
    return answer


NAMED = """
import soap
def planned(): return soap.from_onnx(%r)
def batch_of_four(): return soap.generate("lenet", batch=4)
def step(params, batch): pass
def alone(): return step
def function(): return step, (1, 2)
def broken(): return {}["layers"]
number = 3
"""


@test
def models_are_named_by_module_and_function():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "made.py"), "w", encoding="utf-8") as file:
            file.write(NAMED % LENET)

        def command(name, *arguments):
            return subprocess.run([sys.executable, os.path.join(BUILD, "bin", "soap-plan"), name, "--cluster", "h100-8",
                                   "--time-limit", "0", *arguments], cwd=folder, capture_output=True, text=True)  # fmt: skip

        done = command("made:planned", "--global-batch", "64", "--json")
        own = soap.plan(LENET, "h100-8", global_batch=64, time_limit=0)
        assert json.loads(done.stdout)["best"] == own.as_json()["best"], done.stderr
        done = command("made:batch_of_four", "-o", "plan")
        assert "4 samples an iteration" in done.stdout and "strategy.json" in done.stdout, done.stdout + done.stderr
        for name, text in (
            ("made:step", "takes 'params' and 'batch', whose shapes are not known; expected a function without arguments"),
            ("made:alone", "gives a function, expected a model and its example inputs: def planned(): return"),
            ("made:function", "functions of JAX are planned by soap.jax.find_strategy"),
            ("made:broken", "made.py:8: KeyError: 'layers'"),
            ("made:number", "is of type int, expected a function"),
            ("made:planed", "made has no 'planed', did you mean 'planned'?"),
            ("absent:planned", "Python finds no module 'absent'"),
        ):
            done = command(name)
            assert done.returncode == 1 and f"soap-plan: {name}: " in done.stderr, done.stderr
            assert text in done.stderr and "Traceback" not in done.stderr, done.stderr


@test
def plans_are_those_of_the_command():
    answer = soap.plan("gpt2", "h100-8", **SMALL)
    assert answer.as_json() == command_line("--cluster", "h100-8") and "8 x h100 in 1 machine" in answer.as_text()
    model = soap.from_onnx(LENET)
    own, named = (soap.plan(one, "h100-8", global_batch=64, time_limit=0) for one in (model, LENET))
    assert own.parameters == named.parameters == 61706 and own.best.seconds == named.best.seconds
    raises(soap.PlanError, "--seq-length 8: lenet is a program", lambda: soap.plan(model, "h100-8", seq_length=8))
    raises(soap.PlanError, "a list needs example_inputs=", lambda: soap.plan([], "h100-8"))


@test
def plans_of_measured_clusters():
    with tempfile.TemporaryDirectory() as folder:
        files = [nccl_output(folder, "inside.txt", 8, 1, 1.2), nccl_output(folder, "across.txt", 16, 2, 1.5)]
        measured = soap.plan("gpt2", "h100-2x8", measured=files, **SMALL)
        theirs = command_line("--cluster", "h100-2x8", "--measured", files[0], "--measured", files[1])
        assert without_place(measured.as_json()) == without_place(theirs)
        text = measured.as_text()
        assert "h100-2x8 as measured: 16 x h100 in 2 machines" in text, text
        assert "all-reduce of 8 devices, 11 sizes: measured at 1.20 to 1.20 times the price" in text, text
        # Measured as it is priced is what it was; slower all-reduces make no plan faster.
        plain = soap.plan("gpt2", "h100-2x8", **SMALL).best.seconds
        same = soap.plan("gpt2", "h100-2x8", measured=nccl_output(folder, "same.txt", 8, 1, 1), **SMALL).best.seconds
        slower = soap.plan("gpt2", "h100-2x8", measured=files[0], **SMALL).best.seconds
        assert abs(same / plain - 1) < 0.005 and plain <= slower < 1.2 * plain, (plain, same, slower)
        raises(soap.PlanError, "none.txt: no such file",
               lambda: soap.plan("gpt2", "h100-8", measured=os.path.join(folder, "none.txt"), **SMALL))  # fmt: skip
        raises(soap.PlanError, "across.txt: measured 16 devices in 2 machines, the cluster has 1 machines of 8",
               lambda: soap.plan("gpt2", "h100-8", measured=files[1], **SMALL))  # fmt: skip


@test
def plans_of_measured_jobs():
    with tempfile.TemporaryDirectory() as folder:
        before = soap.plan("gpt2", "h100-8", executor="megatron-core", **SMALL)
        job, path = os.path.join(folder, "megatron.args"), os.path.join(folder, "runs.json")
        with open(job, "w", encoding="utf-8") as file:
            file.write(before.files["megatron.args"])
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "runs": [{"name": "today", "job": job, "seq_length": 128,
                                               "seconds": 2 * before.best.seconds}]}, file)  # fmt: skip
        fitted = soap.plan("gpt2", "h100-8", measured=path, **SMALL)
        assert fitted.problem.executor.endswith("measured.executor.json"), fitted.problem.executor
        assert any("kernels of megatron-core are 0." in line for line in fitted.assumed()), fitted.assumed()
        assert before.best.seconds < fitted.best.seconds < 2.1 * before.best.seconds


def data_of(path):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


@test
def pages_of_plans():
    model = soap.from_onnx(LENET)
    searched, preset = soap.find_strategy(model, "cpu-4", proposals=50), soap.apply_strategy(model, "cpu-4", "data-parallel")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plan.html")
        searched.page(path)
        data = data_of(path)
        assert data["title"] == "lenet on cpu-4" and data["report"]["makespan_ns"] == searched.simulation["makespan_ns"]
        assert data["peak_bytes"] == searched.peak_bytes and "beside" not in data
        assert ["proposals", "50"] in data["search"]["facts"], data["search"]["facts"]
        assert data["made"]["command"] == f"soap.Plan.page({path!r})"
        preset.page(path, beside=searched)
        data = data_of(path)
        assert data["report"]["makespan_ns"] == preset.simulation["makespan_ns"] and "search" not in data
        assert data["beside"]["report"]["makespan_ns"] == searched.simulation["makespan_ns"]
        assert data["beside"]["peak_bytes"] == searched.peak_bytes
        other = soap.apply_strategy(model, "cpu-2", "data-parallel")
        raises(ValueError, "beside: expected a plan on 'cpu-4', got one on 'cpu-2'", lambda: searched.page(path, other))
        raises(FileNotFoundError, "none", lambda: searched.page(os.path.join(folder, "none", "plan.html")))


@test
def plans_and_models_are_copied():
    model = soap.from_onnx(LENET)
    plan = soap.find_strategy(model, "cpu-2", proposals=20)
    first = model.state_dict()
    images, labels = np.random.default_rng(1).standard_normal((64, 1, 28, 28)).astype(np.float32), np.arange(64) % 10
    for copied in (copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
        other, again = copied(model), copied(plan)
        assert other.ir == model.ir and other.name == "lenet" and repr(other) == repr(model)
        assert again.strategy == plan.strategy and again.report == plan.report and str(again) == str(plan)
        assert again.simulation["makespan_ns"] == plan.simulation["makespan_ns"]
        soap.fit(other, (images, labels), plan=again, learning_rate=None)
        moved = [name for name, value in other.state_dict().items() if not np.array_equal(value, first[name])]
        assert moved, "the copy is not trained"
        trained = copied(other)
        for name, value in other.state_dict().items():
            np.testing.assert_array_equal(trained.state_dict()[name], value)
    for name, value in model.state_dict().items():
        np.testing.assert_array_equal(value, first[name])


class Text(html.parser.HTMLParser):
    """The cells and paragraphs of HTML whose tags are balanced."""

    def __init__(self, text):
        super().__init__()
        self.open, self.found = [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.found.append("")

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.found[-1] += data.strip()


@test
def notebooks_show_tables():
    model = soap.from_onnx(LENET)
    model.name = "<lenet> & co"
    plan = soap.find_strategy(model, "cpu-4", proposals=20)
    found, text = Text(plan._repr_html_()).found, str(plan).splitlines()
    assert text[0] in found and text[0].startswith("<lenet> & co, @train_step on cpu-4"), found[:5]
    assert text[-1].strip() in found, text[-1]
    for line in text[1:-1]:
        label, cuts, devices = re.split(r"  +", line.strip())
        assert {label, cuts, devices.removeprefix("devices ")} <= set(found), line
    assert f"{plan.milliseconds:.3f} ms per iteration" in plan._repr_html_(), "the drawing is missing"
    answer = soap.plan("gpt2", "h100-8", **SMALL)
    found = Text(answer._repr_html_()).found
    missing = [line for line in answer.as_text().splitlines() if line and line.strip() not in found]
    table = missing.index("The best of each kind:")
    for line in missing[table + 1 :]:
        assert set(re.split(r"  +", line.strip())) <= set(found), line
    assert missing[: table + 1] == ["The best of each kind:"] and len(missing) == len(answer.kinds) + 2, missing


@test
def unknown_keywords_name_the_nearest():
    model = soap.from_onnx(LENET)
    for near, call in [
        ("has no option 'timelimit', did you mean 'time_limit'?",
         lambda: soap.find_strategy(model, "cpu-2", timelimit=1)),
        ("has no option 'optimiser', did you mean 'optimizer'?",
         lambda: soap.find_strategy(model, "cpu-2", optimiser="adamw")),
        ("has no option 'momentun', did you mean 'momentum'?",
         lambda: soap.apply_strategy(model, "cpu-2", "zero", training={"momentun": 0.9})),
        ("apply_strategy() has no argument 'optimiser', did you mean 'optimizer'?",
         lambda: soap.apply_strategy(model, "cpu-2", "zero", optimiser="adamw")),
        ("unknown option 'keep_final_soft_max' of ONNX import, expected batch, sample_dim",
         lambda: soap.from_onnx(LENET, keep_final_soft_max=True)),
        ("did you mean 'keep_final_softmax'?", lambda: soap.from_onnx(LENET, keep_final_soft_max=True)),
        ("model 'lenet' has no option 'batches', expected image or classes, did you mean 'batch'?",
         lambda: soap.generate("lenet", batches=8)),
        ("fit() has no argument 'epoch', did you mean 'epochs'?", lambda: soap.fit(model, None, "cpu-2", epoch=3)),
        ("plan() has no argument 'global_batchsize', did you mean 'global_batch'?",
         lambda: soap.plan("gpt2", "h100-8", global_batchsize=3)),
        ("compile() has no argument 'thread', did you mean 'threads'?", lambda: model.compile(thread=1)),
        ("emit() has no argument 'xyz', expected path, level, cpu",
         lambda: soap.apply_strategy(model, "cpu-2", "zero").emit("x", xyz=1)),
    ]:  # fmt: skip
        raises(TypeError, near, call)
    raises(soap.SoapError, "has no option 'no_such_option'", lambda: model.build_training_step(no_such_option=1))
    raises(soap.OptionError, "--soap-mark-arguments has no option 'dta', did you mean 'data'?",
           lambda: model.mark_arguments(dta=[0]))  # fmt: skip
    # A wrong value is no unknown option.
    for call in (lambda: soap.find_strategy(model, "cpu-2", algorithm="mcm"), lambda: soap.from_onnx(LENET, batch="x"),
                 lambda: soap.from_stablehlo("x", sample_dim="x"), lambda: soap.generate("gpt", layers="x")):  # fmt: skip
        try:
            call()
        except soap.SoapError as error:
            assert not isinstance(error, soap.OptionError) and "expected" in str(error), error
        else:
            raise AssertionError("no error of a wrong value")


if __name__ == "__main__":
    sys.exit(run())
