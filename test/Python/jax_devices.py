#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans in real JAX with eight devices of the host: Peers/functions.py, Peers/jax_pipelines.py, the core of
Peers/shardings.py and Peers/jax_plans.py, and Peers/jax_processes.py on two processes.

    test/Python/jax_devices.py BUILD

JAX is in BUILD/.venv-jax, which scripts/python-env.sh makes from PyPI; where there is none the suite is skipped. The
package of python/ is installed into BUILD/.python-jax. The last line is "N passed, N failed"."""
import os
import sys

import package


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    build = os.path.abspath(sys.argv[1])
    python = os.path.join(build, ".venv-jax", "bin", "python")
    if not os.path.exists(python) or package.run([python, "-c", "import jax"]).returncode:
        print(f"skipped: plans in JAX: {os.path.dirname(os.path.dirname(python))} has no JAX, which "
              "scripts/python-env.sh installs (no network?)")
        print("0 passed, 0 failed")
        return 0
    target = os.path.join(build, ".python-jax")
    status = package.install_package(build, "--upgrade", "--target", target)
    if status is not None:
        return status
    environment = {**os.environ, "PYTHONPATH": target, "JAX_PLATFORMS": "cpu",
                   "XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    peers = os.path.join(package.SOURCE, "test", "Python", "Peers")
    return package.run_tests([[python, os.path.join(peers, "shardings.py"), "--core"],
                              [python, os.path.join(peers, "functions.py")],
                              [python, os.path.join(peers, "jax_plans.py"), "--core"],
                              [python, os.path.join(peers, "jax_pipelines.py")],
                              [python, os.path.join(peers, "jax_processes.py")]], env=environment)


if __name__ == "__main__":
    sys.exit(main())
