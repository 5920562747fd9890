# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands that end in time, with all that they have started."""

import os
import signal
import subprocess
import tempfile

running = set()  # process groups


class Done:
    """How a command ended: `status` (None: it was ended after its time; negative: by that signal) and what it wrote, as
    text."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


def end(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def end_all():
    """Ends every command that runs now."""
    for group in list(running):
        end(group)


def run(command, seconds, environment=None, merged=True):
    """Runs a command in a process group of its own for at most so many seconds. With `merged`, `out` holds both
    streams. OSError if there is no such program. Streams are files, not pipes: a process that a command leaves running
    does not block."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT if merged else err,
                                   start_new_session=True, env=environment)
        running.add(process.pid)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            end(process.pid)
            process.wait()
            running.discard(process.pid)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
    return Done(status, *texts)
