# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command soap-plan."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
import textwrap
from pathlib import Path

from .answer import MFU, Answer
from .api import make_answer, problem_of
from .catalogue import ALIASES, CATALOGUE
from .check import check
from .errors import PlanError
from .executors import EXECUTORS
from .families import READERS
from .fitted import fit_measurements
from .measured import Fitted
from .meta import program_of_config
from .objects import named_or_written
from .page import page_of_module
from .planner import Progress
from .tools import Tools


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 110, subsequent_indent="    ", break_on_hyphens=False)


EPILOG = f"""\
MODEL is
{_wrapped("  a config.json of Hugging Face, or its folder; families: " + ", ".join(sorted(READERS)))}
  model.onnx, or a forward function or training step of Soap (step.mlir)
  PACKAGE.MODULE:FUNCTION, which returns a module of PyTorch and example inputs, or a model of soap.from_*
{_wrapped("  a name: " + ", ".join([*CATALOGUE, *ALIASES]))}

{
    _wrapped(
        "CLUSTER is a topology file, or a topology by name: h100-16x8 is 16 machines of 8 H100; a100, h100, h200, b200, "
        "gb200, mi300x, ... (docs/Topology.md)."
    )
}

{_wrapped(f"MFU is {MFU}.")}

examples:
  soap-plan llama-8b --cluster h100-8
  soap-plan config.json --cluster h100-16x8 --global-batch 1024 --seq-length 8192 -o plan/
  soap-plan llama-70b --cluster b200-8x8 --executor torchtitan
  soap-plan --check "torchrun --nproc-per-node 8 --nnodes 16 pretrain_gpt.py --tensor-model-parallel-size 8 ..." \\
      llama-70b --cluster h100-16x8
  soap-plan --page searched.mlir --search-report search.json -o plan.html

exit status: 0 a plan that fits, 1 bad input or nothing fits, 2 bad flags; docs/SoapPlan.md has the whole story
"""


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="soap-plan", description="Says how to train a model on a cluster: what is fastest and fits, and what it costs.",
        epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)  # fmt: skip
    parser.add_argument("--version", action="store_true", help="print the version of the tools, and exit")
    parser.add_argument("model", metavar="MODEL", nargs="?", help="see below")
    parser.add_argument("--cluster", metavar="CLUSTER", help="the machines; see below")
    parser.add_argument(
        "--global-batch",
        type=_count,
        metavar="N",
        help="samples of an iteration (default: 4 Mi tokens, a multiple of the devices)",
    )
    parser.add_argument(
        "--seq-length", type=_count, metavar="N", help="positions of a sequence (default: the model's most, up to 8192)"
    )
    parser.add_argument(
        "--precision",
        default="bf16",
        metavar="TYPE",
        help="of products: bf16 (default), f16 or f32, as --soap-build-training-step takes it",
    )
    parser.add_argument(
        "--check",
        metavar="JOB",
        help="price a job of today, and say what is better: arguments of Megatron in quotes or in a file, "
        "a TOML of torchtitan, a YAML of accelerate or MaxText, a JSON of DeepSpeed",
    )
    parser.add_argument(
        "--executor",
        metavar="NAME",
        default="",
        help=f"plan what this executor runs, and write its files: soap, {', '.join(EXECUTORS)} "
        "(default: any plan, and files of all that can say it)",
    )
    parser.add_argument(
        "--measured",
        metavar="FILE",
        action="append",
        default=[],
        help="what was measured on the cluster: output of nccl-tests or of nvidia-smi topo -m, or JSON of iterations of "
        "jobs; several times for several files (docs/SoapPlan.md)",
    )
    parser.add_argument(
        "--objective",
        choices=("time", "cost"),
        default="time",
        help="time of an iteration (default), or device-seconds over clusters of 1, 2, 4, ... machines",
    )
    parser.add_argument(
        "--max-devices", type=_count, metavar="N", default=0, help="use at most N devices of the cluster"
    )
    parser.add_argument("--simulate-all", action="store_true", help="simulate the best of each kind, too")
    parser.add_argument(
        "--time-limit",
        type=_seconds,
        default=30.0,
        metavar="SECONDS",
        help="of the search (default: 30); 0: none, with the same plan on any machine",
    )
    parser.add_argument(
        "--page",
        metavar="MODULE",
        help="write the page of a module that has a strategy, as --soap-auto-parallel and other passes write it, to the "
        "file that -o names",
    )
    parser.add_argument("--search-report", metavar="FILE", help="of --page: the report of the search, a part of the page")
    parser.add_argument("--beside", metavar="MODULE", help="of --page: a second strategy, on the same axis and compared")
    parser.add_argument(
        "-o", "--output", metavar="FOLDER",
        help="write plan.html, plan.json, the strategy and files of executors; of --page: the file")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print plan.json instead of text")
    return parser


def _count(text: str) -> int:
    if not text.isdigit() or not 0 < int(text) <= 1 << 24:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {1 << 24}, got '{text}'")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= 1e9:
        raise argparse.ArgumentTypeError(f"expected seconds from 0 to 1e9, got '{text}'")
    return value


def main(arguments: list[str] | None = None) -> int:
    parser = make_parser()
    given = parser.parse_args(arguments)
    if given.version:
        print(Tools().run("soap-opt", "--version").splitlines()[0])
        return 0
    if given.page is not None:
        return main_page(parser, given, ["soap-plan", *(sys.argv[1:] if arguments is None else arguments)])
    for flag, value in (("--search-report", given.search_report), ("--beside", given.beside)):
        if value is not None:
            parser.error(f"{flag}: expected --page, too")
    if given.model is None and given.check is None:
        parser.error("expected MODEL; see soap-plan --help")
    if given.check is not None:
        for flag, value in (("--executor", given.executor), ("--global-batch", given.global_batch),
                            ("--max-devices", given.max_devices), ("--simulate-all", given.simulate_all),
                            ("--objective cost", given.objective == "cost")):  # fmt: skip
            if value:
                parser.error(f"{flag} contradicts --check, which takes it from the job")
    if given.objective == "cost" and given.executor:
        parser.error("--executor contradicts --objective cost, which compares clusters by the best of all plans")
    if given.cluster is None:
        parser.error("expected --cluster, for example --cluster h100-16x8; see soap-plan --help")

    command = shlex.join(["soap-plan", *(sys.argv[1:] if arguments is None else arguments)])
    try:
        tools = Tools()
        folder = Path(given.output) if given.output else None
        with tempfile.TemporaryDirectory(prefix="soap-plan-") as place:
            fitted = None
            if given.measured:
                fitted = fit_measurements(tools, given.measured, given.model, given.cluster, given.executor, given.precision,
                                          folder or Path(place), progress)  # fmt: skip
            if given.check is not None:
                answer = check(tools, given.check, given.model, given.cluster, given.seq_length, given.time_limit,
                               given.precision, folder, progress, fitted, command)  # fmt: skip
            else:
                answer = plan_of(tools, given, folder, progress, fitted, command)
    except (PlanError, KeyboardInterrupt) as error:
        return complain(error)
    clear()
    sys.stdout.write(answer.json_text() if given.json else answer.as_text())
    return 0 if answer.best.fits else 1


def main_page(parser: argparse.ArgumentParser, given: argparse.Namespace, command: list[str]) -> int:
    """The page of a module."""
    for flag, value in (("MODEL", given.model), ("--check", given.check), ("--cluster", given.cluster),
                        ("--executor", given.executor), ("--global-batch", given.global_batch),
                        ("--seq-length", given.seq_length), ("--max-devices", given.max_devices),
                        ("--simulate-all", given.simulate_all), ("--json", given.json)):  # fmt: skip
        if value:
            parser.error(f"{flag} contradicts --page, which takes all from the module")
    if given.output is None:
        parser.error("--page: expected -o FILE, for example -o plan.html")
    try:
        page = page_of_module(Tools(), Path(given.page), _path(given.search_report), _path(given.beside), shlex.join(command),
                              progress, given.time_limit)  # fmt: skip
        try:
            Path(given.output).write_text(page, encoding="utf-8")
        except OSError as error:
            raise PlanError(f"-o {given.output}: {error.strerror}") from None
    except (PlanError, KeyboardInterrupt) as error:
        return complain(error)
    clear()
    return 0


def _path(name: str | None) -> Path | None:
    return None if name is None else Path(name)


def complain(error: BaseException) -> int:
    """The exit status of an error, which is printed."""
    clear()
    if isinstance(error, PlanError):
        print(f"soap-plan: {error}", file=sys.stderr)
        return 1
    print("soap-plan: interrupted", file=sys.stderr)
    return 130


def progress(line: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{line} ...", end="", file=sys.stderr, flush=True)


def plan_of(tools: Tools, given: argparse.Namespace, folder: Path | None, progress: Progress,
            fitted: Fitted | None, command: str) -> Answer:  # fmt: skip
    cluster, executor = (fitted.cluster, fitted.executor) if fitted else (given.cluster, given.executor)
    with tempfile.TemporaryDirectory(prefix="soap-plan-") as place:
        model = named_or_written(given.model, None, Path(place) / "model.mlir")
        program = program_of_config(model, given.global_batch, given.seq_length, Path(place)) if isinstance(model, str) else None
        problem = problem_of(tools, program or model, cluster, given.global_batch,
                             None if program else given.seq_length, given.precision, given.time_limit, executor,
                             given.max_devices)  # fmt: skip
        if fitted:
            problem = fitted.apply(problem)
        return make_answer(tools, problem, folder, progress, executor, given.simulate_all, given.objective,
                           given.max_devices, command)  # fmt: skip


def clear() -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
