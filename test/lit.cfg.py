# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Configuration of the lit suite: which files are tests, which tools they call, which features they may require.
#
# `lit --param roundtrip=1` makes every soap-opt call print what it has parsed, parse that again and compare.

import os
import shutil
import subprocess
import sys

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "Soap"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "data", "CMakeLists.txt", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.soap_build, "test")

bin_directory = os.path.join(config.soap_build, "bin")
llvm_config.with_environment("PATH", bin_directory, append_path=True)
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input-filter=all"
# LLVM's allocators poison memory in a way that the sanitizer mistakes for a use after free.
config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0"
# Threads of loops that wait for others leave the core to the test beside them.
config.environment["OMP_WAIT_POLICY"] = "passive"
# Not the user's cache of compiled code.
config.environment["SOAP_CACHE_DIR"] = os.path.join(config.soap_build, "test-cache")

# The virtual environment of scripts/python-env.sh where there is one.
python = os.path.join(config.soap_build, ".venv", "bin", "python")
if not os.path.exists(python):
    python = sys.executable


def has_module(name):
    return subprocess.run([python, "-c", "import " + name], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


for module in ["numpy", "onnx", "onnxruntime"]:
    if has_module(module):
        config.available_features.add(module)
fashion_mnist = "/usr/share/datasets/fashion-mnist"
if os.path.exists(os.path.join(fashion_mnist, "train-images-idx3-ubyte.gz")):
    config.available_features.add("fashion-mnist")
if os.path.exists(os.path.join(config.soap_build, "lib", "libSoapMPI.so")) and shutil.which("mpirun"):
    config.available_features.add("mpi")
if shutil.which("mpicc") and shutil.which("mpirun") and "Open MPI" in subprocess.run(
        ["mpirun", "--version"], capture_output=True, text=True).stdout:
    config.available_features.add("open-mpi")
if shutil.which("dpkg-shlibdeps"):
    config.available_features.add("debian-packages")
# A CUDA toolkit, where the compiler of GPU kernels would find one, or where installers put it.
cuda_folders = [os.environ.get(name) for name in ["CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"]] + ["/usr/local/cuda"]
if shutil.which("ptxas"):
    cuda_folders.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("ptxas")))))
cuda = next((folder for folder in cuda_folders if folder and os.access(os.path.join(folder, "bin", "ptxas"), os.X_OK)
             and os.path.exists(os.path.join(folder, "nvvm", "libdevice", "libdevice.10.bc"))), "")
if cuda:
    config.available_features.add("ptxas")
if os.path.exists(os.path.join(bin_directory, "soap-gpu-check")):
    config.available_features.add("cuda-runtime")
if os.path.exists(os.path.join(config.soap_build, "lib", "libSoapCudaBackend.so")):
    config.available_features.add("cuda-backend")
# Programs for GPUs run as their host references, also where there is one.
config.environment["CUDA_VISIBLE_DEVICES"] = ""
# Root may run it in a container.
for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"]:
    config.environment[name] = "1"
if config.soap_sanitizers:
    config.available_features.add("sanitizers")
else:
    config.available_features.add("no-sanitizers")

soap_opt = ["--verify-roundtrip"] if lit_config.params.get("roundtrip", "0") not in ("0", "") else []
tools = [
    ToolSubst("soap-opt", extra_args=soap_opt, unresolved="ignore"),
    ToolSubst("soap-translate", unresolved="ignore"),
    ToolSubst("soap-launch", unresolved="ignore"),
    ToolSubst("soap-run", unresolved="ignore"),
    ToolSubst("soap-solve", unresolved="ignore"),
    ToolSubst("soap-gpu-check", unresolved="ignore"),
    "mlir-opt",
    "mlir-tblgen",
]
llvm_config.use_default_substitutions()
llvm_config.add_tool_substitutions(tools, [bin_directory, config.llvm_tools_dir])
# Before the default one, which is the Python that runs lit.
config.substitutions.insert(0, ("%python", python))
config.substitutions.append(("%mpirun", "mpirun --oversubscribe"))
config.substitutions.append(("%cuda", cuda))
config.substitutions.append(("%source", config.soap_source))
config.substitutions.append(("%build", config.soap_build))
config.substitutions.append(("%cmake", config.soap_cmake))
config.substitutions.append(("%cpack", os.path.join(os.path.dirname(config.soap_cmake), "cpack")))
config.substitutions.append(("%fashion_mnist", fashion_mnist))
