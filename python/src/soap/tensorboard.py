# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m soap.tensorboard LOG FOLDER [--follow]

Writes the rows of a log, of `soap-run train --log` or of `soap.fit`, as events for TensorBoard. With --follow, also
rows that are still to come, until Ctrl-C."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from .logs import read_log

#: Where TensorBoard shows a column.
TAGS = {"loss": "loss/train", "learning_rate": "learning_rate", "samples_per_second": "speed/samples_per_second",
        "seconds": "speed/seconds", "epoch": "epoch"}  # fmt: skip


def tag_of(column: str) -> str:
    if column == "test_loss":
        return "loss/test"
    return TAGS.get(column) or (f"test/{column[5:]}" if column.startswith("test_") else column)


def writer_of(folder: str) -> Any:
    """The writer of PyTorch or of tensorboardX, whichever is installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        try:
            from tensorboardX import SummaryWriter
        except ImportError:
            sys.exit("soap.tensorboard: expected tensorboardX (pip install tensorboardX), or torch with tensorboard, in "
                     f"this Python, {sys.executable}")  # fmt: skip
    return SummaryWriter(folder)


def write_rows(writer: Any, rows: list[dict[str, float]]) -> None:
    for row in rows:
        for column, value in row.items():
            if column != "iteration":
                writer.add_scalar(tag_of(column), value, int(row["iteration"]))
    writer.flush()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m soap.tensorboard", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("log", metavar="LOG", help="FILE.csv or FILE.jsonl")
    parser.add_argument("folder", metavar="FOLDER", help="the folder that tensorboard --logdir has")
    parser.add_argument("--follow", action="store_true", help="write further rows as they come")
    options = parser.parse_args(arguments)
    try:
        rows = read_log(options.log)
        writer = writer_of(options.folder)
        write_rows(writer, rows)
        while options.follow:
            time.sleep(2)
            last = rows[-1]["iteration"] if rows else 0
            # Rows of a training that goes on from a checkpoint are the same numbers again.
            more = [row for row in read_log(options.log) if row["iteration"] > last]
            write_rows(writer, more)
            rows += more
    except (OSError, ValueError) as error:
        print(f"soap.tensorboard: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    writer.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
