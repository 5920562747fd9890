#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the wheel of a build (scripts/wheel.sh, for one Python), installs it into an empty virtual environment, and
runs there what a user runs: import, tools, a plan, a search, training. Its tools give the same results as the build's.

    test/Packaging/wheel.py BUILD [--full] [WHEEL]

With WHEEL, that one is tested. --full also runs the tests of the Python package with it. Needs PyPI; without it the
suite is skipped. The last line is "N passed, N failed"."""
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = ("soap-opt", "soap-run", "soap-solve", "soap-translate", "soap-launch", "soap-plan")
LIMIT = 120e6
DATA = "/usr/share/datasets/fashion-mnist"
#: Libraries that every Linux has (PEP 600); all others are in the wheel.
SYSTEM = ("libc", "libm", "libdl", "librt", "libpthread", "libstdc++", "libgcc_s", "libz", "ld-linux-x86-64")
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def run(command, **options):
    options.setdefault("env", Wheel.environment)
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, **options)


def skip(reason):
    print("skipped: the wheel: " + reason)
    print("1 passed, 0 failed")
    return 0


class Wheel:
    """The wheel, where it is installed, and the build that it is compared with."""

    file = build = venv = python = folder = ""
    environment = {**os.environ}
    installed = 0.0

    @staticmethod
    def command(name, *arguments, **options):
        return run([os.path.join(Wheel.venv, "bin", name), *arguments], cwd=Wheel.folder, **options)

    @staticmethod
    def built(name, *arguments):
        return run([os.path.join(Wheel.build, "bin", name), *arguments], cwd=Wheel.folder)

    @staticmethod
    def both(out, name, *arguments):
        """Runs a tool of the wheel and one of the build that write `out`; both files are the same."""
        texts = []
        for tool in (Wheel.built, Wheel.command):
            done = tool(name, *arguments, "-o", out)
            assert done.returncode == 0, done.stderr
            with open(os.path.join(Wheel.folder, out), encoding="utf-8") as stream:
                texts.append(stream.read())
        assert texts[0] == texts[1] != "", f"{name} {' '.join(arguments)}: {out} differs from the build's"


@check
def content():
    """Its size, and the files that type checkers and commands need."""
    with zipfile.ZipFile(Wheel.file) as archive:
        names = archive.namelist()
        unpacked = sum(entry.file_size for entry in archive.infolist())
        points = next(name for name in names if name.endswith("entry_points.txt"))
        commands = re.findall(r"^(\S+) *=", archive.read(points).decode(), re.M)
    print(f"  {os.path.basename(Wheel.file)}: {os.path.getsize(Wheel.file) / 1e6:.1f} MB, unpacked {unpacked / 1e6:.1f} MB")
    assert unpacked <= LIMIT, f"{unpacked / 1e6:.1f} MB unpacked, at most {LIMIT / 1e6:g} MB"
    assert {"soap/py.typed", "soap/_core.pyi", "soap/__init__.py"} <= set(names)
    assert not any(name.endswith("tools.txt") for name in names), "a path of the machine that made it"
    assert sorted(commands) == sorted(TOOLS), commands


@check
def libraries():
    """All that a file of the wheel links is in the wheel or on every Linux; LLVM and MLIR are inside, once."""
    site = run([Wheel.python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]).stdout.strip()
    files = [os.path.join(folder, name) for part in ("soap", "soap_parallel.libs")
             for folder, _, names in os.walk(os.path.join(site, part)) for name in names]
    own = {os.path.basename(file) for file in files}
    checked = 0
    for file in files:
        with open(file, "rb") as stream:
            if stream.read(4) != b"\x7fELF":
                continue
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run(["readelf", "-d", file]).stdout)
        foreign = [name for name in needed if name not in own and name.split(".so")[0] not in SYSTEM]
        assert needed and not foreign, f"{file} needs {foreign}"
        checked += 1
    assert checked >= 10, files
    mapped = run([Wheel.python, "-c", "import soap; print(open('/proc/self/maps').read())"]).stdout
    assert "libSoapCAPI" in mapped and "libMLIR" not in mapped and "libLLVM" not in mapped, mapped


@check
def versions():
    with open(os.path.join(SOURCE, "CMakeLists.txt"), encoding="utf-8") as stream:
        expected = re.search(r"project\(Soap VERSION (\S+)", stream.read())[1]
    text = run([Wheel.python, "-c", "import soap, importlib.metadata as m; print(soap.__version__, m.version('soap-parallel'))"])
    assert text.stdout.split() == [expected, expected], text.stdout + text.stderr
    for tool in TOOLS:
        done = Wheel.command(tool, "--version")
        assert done.returncode == 0 and done.stdout.startswith(f"Soap {expected} (LLVM "), (tool, done.stdout, done.stderr)


@check
def first_plan():
    """Within 60 s of `pip install FILE`."""
    done = Wheel.command("soap-plan", "llama-8b", "--cluster", "h100-8")
    assert done.returncode == 0 and "% MFU" in done.stdout, done.stdout + done.stderr
    seconds = time.monotonic() - Wheel.installed
    print(f"  first plan {seconds:.1f} s after the start of pip install")
    # The build machine may be busy.
    assert seconds < 60 * max(1, os.getloadavg()[0] / (os.cpu_count() or 1)), seconds


@check
def same_results():
    """Model, step, plan, simulation and lowered code are the build's; training gives the same losses."""
    Wheel.both("lenet.mlir", "soap-translate", "--import-onnx", os.path.join(SOURCE, "examples", "lenet.onnx"))
    Wheel.both("step.mlir", "soap-opt", "lenet.mlir", "--soap-build-training-step=optimizer=sgd learning-rate=0.05 momentum=0.9")
    Wheel.both("planned.mlir", "soap-opt", "step.mlir", "--soap-auto-parallel=topology=cpu-4 seed=1 proposals=300")
    reports = []
    for tool in (Wheel.built, Wheel.command):
        done = tool("soap-opt", "planned.mlir", "--soap-simulate", "-o", os.devnull)
        assert done.returncode == 0 and "simulated time per iteration" in done.stderr, done.stderr
        reports.append(done.stderr)
    assert reports[0] == reports[1], reports
    Wheel.both("lowered.mlir", "soap-opt", "planned.mlir", "--soap-partition", "--soap-lower-to-cpu")
    # Lowered code is read again, and passes of MLIR run.
    Wheel.both("clean.mlir", "soap-opt", "lowered.mlir", "--canonicalize", "--cse")
    Wheel.both("gpu.mlir", "soap-opt", "planned.mlir", "--soap-partition", "--soap-lower-to-cuda=format=isa")
    if not os.path.isdir(DATA):
        print(f"skipped: training LeNet with the wheel's soap-run: {DATA} is missing (dataset-fashion-mnist)")
        return
    losses = []
    for tool in (Wheel.built, Wheel.command):
        done = tool("soap-run", "train", "planned.mlir", "--data", "idx:" + DATA, "--iterations", "40", "--no-cache")
        assert done.returncode == 0, done.stderr
        losses.append(re.search(r"loss ([0-9.]+), test loss ([0-9.]+)", done.stdout + done.stderr)[0])
    assert losses[0] == losses[1], losses


@check
def one_command():
    """soap-run with a model runs soap-translate and soap-opt of the wheel."""
    if not os.path.isdir(DATA):
        return
    done = Wheel.command("soap-run", "train", os.path.join(SOURCE, "examples", "lenet.onnx"), "--data", "idx:" + DATA,
                         "--topology", "cpu-4", "--iterations", "20")
    assert done.returncode == 0 and "20 iterations" in done.stdout + done.stderr, done.stdout + done.stderr


@check
def left_out():
    """Parts that the wheel does not have are refused by name."""
    plugin = os.path.join(Wheel.build, "lib", "SoapPlugin.so")
    for flag in ("--load-dialect-plugin=", "--load-pass-plugin="):
        done = Wheel.command("soap-opt", "step.mlir", flag + plugin, "-o", os.devnull)
        assert "loads no plugins" in done.stderr, done.stderr
    problem = os.path.join(SOURCE, "test", "Solve", "Inputs", "chain-of-four.json")
    for algorithm, lacks in (("milp", "no solver of integer programs"), ("scotch", "no Scotch")):
        done = Wheel.command("soap-solve", "placement", problem, "--algorithm=" + algorithm)
        assert done.returncode == 1 and lacks in done.stderr, done.stderr
    # Artifacts are linked by ld.lld or ld, which this machine has.
    done = Wheel.command("soap-translate", "--emit-artifact", "lowered.mlir", "-o", "lenet.soapx",
                         env={**Wheel.environment, "PATH": Wheel.folder})
    if not os.path.exists("/usr/lib/llvm-22/bin/ld.lld"):
        assert done.returncode and "expected ld.lld or ld" in done.stderr, done.stderr


@check
def package():
    """The tests of the Python package, with NumPy alone."""
    native = run([Wheel.python, "-c", "import soap_parallel; print(soap_parallel.tools().parent)"]).stdout.strip()
    done = run([Wheel.python, os.path.join(SOURCE, "test", "Python", "cases.py"), SOURCE, native])
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    print("  " + done.stdout.strip().splitlines()[-1])


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--full"]
    if len(arguments) not in (1, 2):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if "--full" not in sys.argv:
        CHECKS.remove(package)
    Wheel.build = os.path.abspath(arguments[0])
    if len(arguments) == 2:
        Wheel.file = os.path.abspath(arguments[1])
    else:
        python = os.path.realpath(sys.executable)
        header = os.path.join(sysconfig.get_path("include"), "Python.h")
        if not os.path.exists(header):
            return skip(f"{header} is missing (python3-dev)")
        begin = time.monotonic()
        made = run([os.path.join(SOURCE, "scripts", "wheel.sh"), Wheel.build], env={**os.environ, "SOAP_PYTHONS": python})
        print(made.stdout, end="")
        if made.returncode == 3:
            return skip(made.stderr.strip().splitlines()[-1])
        if made.returncode:
            print(made.stderr + "\nscripts/wheel.sh fails\n0 passed, 1 failed")
            return 1
        print(f"made in {time.monotonic() - begin:.0f} s")
        Wheel.file = next(os.path.join(Wheel.build, "dist", name) for name in os.listdir(os.path.join(Wheel.build, "dist"))
                          if name.endswith(".whl"))
    Wheel.folder = tempfile.mkdtemp(dir=Wheel.build)
    try:
        return test()
    finally:
        shutil.rmtree(Wheel.folder, ignore_errors=True)


def test():
    Wheel.venv = os.path.join(Wheel.folder, "venv")
    Wheel.python = os.path.join(Wheel.venv, "bin", "python")
    # Nothing of the build or of this source tree is found by accident.
    Wheel.environment = {name: value for name, value in os.environ.items()
                         if name not in ("PYTHONPATH", "LD_LIBRARY_PATH", "SOAP_TOOLS", "LD_PRELOAD")}
    Wheel.environment["SOAP_CACHE_DIR"] = os.path.join(Wheel.folder, "cache")
    made = run([os.path.realpath(sys.executable), "-m", "venv", Wheel.venv])
    if made.returncode:
        return skip("python3 -m venv fails: " + (made.stdout + made.stderr).strip().splitlines()[-1])
    Wheel.installed = time.monotonic()
    done = run([Wheel.python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--retries", "2", "--timeout", "20",
                Wheel.file])
    if done.returncode and re.search("numpy|connection|Temporary failure", done.stderr, re.I):
        return skip("NumPy can not be installed (no network?)")
    assert done.returncode == 0, done.stderr
    passed = failed = 0
    for one in CHECKS:
        begin = time.monotonic()
        try:
            one()
            passed += 1
            print(f"{one.__name__}: passed, {time.monotonic() - begin:.1f} s", flush=True)
        except (AssertionError, OSError, subprocess.TimeoutExpired, TypeError) as error:
            failed += 1
            print(f"{one.__name__}: FAILED: {error}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
