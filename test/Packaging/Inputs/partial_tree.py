# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""partial_tree.py BUILD FOLDER FILE...: makes FOLDER like the build folder BUILD in which only FILE... is built.

It gets the install scripts of BUILD with its own path in them, the generated files that these install, and the files
named: enough for `cmake --install FOLDER`.
"""
import os
import shutil
import sys


def main():
    build, folder, files = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
    for root, folders, names in os.walk(build):
        # Not what tests have made.
        folders[:] = [name for name in folders if name not in (".venv", "Output", "test-cache", "_CPack_Packages")]
        for name in names:
            path = os.path.join(root, name)
            place = os.path.join(folder, os.path.relpath(path, build))
            if name == "cmake_install.cmake":
                with open(path, encoding="utf-8") as file:
                    text = file.read().replace(build + "/", folder + "/")
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "w", encoding="utf-8") as file:
                    file.write(text)
            elif os.path.relpath(path, build) in files or name.startswith("libhighs"):
                os.makedirs(os.path.dirname(place), exist_ok=True)
                shutil.copy2(path, place)
    missing = [file for file in files if not os.path.exists(os.path.join(folder, file))]
    if missing:
        sys.exit(f"{build} lacks {', '.join(missing)}")


main()
