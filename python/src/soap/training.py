# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training on arrays."""

from __future__ import annotations

import math
import os
import re
import sys
import time
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy as np

from .errors import SoapError, SoapWarning
from .logs import TrainingLog
from .model import Model, check_model
from .plan import Plan, find_strategy
from .planning.keywords import names_nearest
from .session import Session, as_array


@dataclass
class Epoch:
    """The numbers of one epoch. Losses are means over labels, accuracies fractions; None where there are none."""

    epoch: int
    loss: float
    accuracy: float | None
    validation_loss: float | None
    validation_accuracy: float | None
    seconds: float
    samples_per_second: float

    def __str__(self) -> str:
        parts = [f"epoch {self.epoch}: loss {self.loss:.4f}"]
        for name, value in (
            ("accuracy", self.accuracy),
            ("validation loss", self.validation_loss),
            ("validation accuracy", self.validation_accuracy),
        ):
            if value is not None:
                parts.append(f"{name} {value:.4f}")
        return ", ".join(parts) + f", {self.samples_per_second:.0f} samples/s, {self.seconds:.1f} s"


class History(list[Epoch]):
    """An `Epoch` for each epoch; `losses` has the loss of every step, `plan` the plan that ran."""

    def __init__(self, plan: Plan):
        super().__init__()
        self.plan = plan
        self.losses: list[float] = []

    def __str__(self) -> str:
        return "\n".join(map(str, self))


@names_nearest
def fit(
    model: Model,
    data: Any,
    topology: str | os.PathLike[str] | None = None,
    *,
    plan: Plan | None = None,
    epochs: int = 1,
    steps: int | None = None,
    validation: Any = None,
    option: str | None = None,
    optimizer: str | None = None,
    learning_rate: float | None = None,
    training: dict[str, Any] | None = None,
    search: dict[str, Any] | None = None,
    shuffle: bool = True,
    seed: int = 0,
    ignore_index: int | None = None,
    verbose: bool = False,
    log: str | os.PathLike[str] | None = None,
    on_step: Callable[[int, float], None] | None = None,
) -> History:
    """Trains a model and leaves the values of its parameters and buffers in it (`model.state_dict()`).

    `data` is a tuple of arrays with samples along their first dim, the data arguments in order and then the labels, or
    a dict of arrays by name. It may also be an iterable of batches of either form, such as a DataLoader of PyTorch,
    which is read once, before the training. An epoch is a shuffle, in whole batches: samples that do not fill the last
    one are left out. The size of a batch is the model's. `validation` has the same form; all its samples are evaluated
    after each epoch. Labels that are classes, and tokens, have to be in range; the label `ignore_index`, by default
    that of `training`, says that there is none.

    The devices are this machine's: with `topology="cpu-4"` four threads. A `plan` is run as it is; without one, a
    strategy is searched, with the options of the dict `search` (`{"time_limit": 5}`) and of `find_strategy`. A plan
    has its training step: `optimizer` and such belong to the call that made it, and are an error beside it. `steps`
    ends the training after so many iterations, whatever the epochs. `verbose` prints each epoch, and on a terminal the
    speed and the time that is left. `log`, FILE.csv or FILE.jsonl, gets a row for each iteration (`soap.read_log`). A
    loss that is infinite or not a number is an error, and the model keeps the values that it had before. Ctrl-C ends
    the training after its iteration, with the values so far."""
    check_model(model)
    if plan is None:
        if topology is None:
            raise TypeError("fit: expected a topology, such as topology='cpu-4', or a plan")
        plan = find_strategy(
            model,
            topology,
            option,
            optimizer=optimizer or "sgd",
            learning_rate=0.01 if learning_rate is None else learning_rate,
            training=training or True,
            **(search or {}),
        )
    elif topology is not None:
        raise TypeError("fit: a plan has its topology; give one of them")
    else:
        chosen = {"option": option, "optimizer": optimizer, "learning_rate": learning_rate, "training": training}
        given = [name for name, value in {**chosen, "search": search}.items() if value is not None]
        if given:
            raise TypeError(f"fit: a plan has its training step: give {', '.join(given)} to find_strategy or "
                            "apply_strategy")
    if shuffle and getattr(model, "order_matters", False):
        raise ValueError(
            "fit: the model's samples depend on their places in the batch, as the nodes of a graph do: expected "
            "shuffle=False"
        )
    if epochs < 1 or (steps is not None and steps < 1):
        raise ValueError("fit: expected at least one epoch and one step")
    session = plan.model.compile()
    if "train_step" not in session.entries:
        raise SoapError(f"{plan!r} has no @train_step: find_strategy(..., training=True) builds one")
    if ignore_index is None:
        ignore_index = (training or {}).get("ignore_index")
    leaves_out = re.search(r'soap\.training = "[^"]*ignore-index=', plan.model.ir) is not None
    if ignore_index is not None and not leaves_out:
        warnings.warn(
            "the training step was built without 'ignore_index': its loss is divided by all labels, also by the ones "
            f"with {ignore_index}",
            SoapWarning,
            stacklevel=3,  # behind names_nearest
        )
    train = _Feed(session, "train_step", data, "data", ignore_index, leaves_out)
    if train.samples < train.batch:
        raise ValueError(f"data: {train.samples} samples are less than a batch of {train.batch}")
    check = None
    if validation is not None:
        if "evaluate" not in session.entries:
            raise SoapError(f"{plan!r} has no @evaluate, which validation needs")
        check = _Feed(session, "evaluate", validation, "validation", ignore_index, leaves_out)
    tests = ("test_loss", "test_accuracy")[: 0 if check is None else 1 if check.correct is None else 2]
    rows = None if log is None else TrainingLog(log, tests)
    session.initialize(seed)
    model.restore(session)
    history = History(plan)
    try:
        _train(history, session, train, check, rows, epochs, steps, shuffle, seed, verbose, on_step)
    except KeyboardInterrupt:
        _take_values(model, session)  # the iteration has ended
        raise
    finally:
        if rows is not None:
            rows.close()
    _take_values(model, session)
    return history


def _take_values(model: Model, session: Session) -> None:
    values = {name: session[name] for name in session.saved_names()}
    for name, value in values.items():
        if not np.all(np.isfinite(value)):
            raise SoapError(f"{name!r} has numbers that are not finite after the training: the model keeps its values")
    model._values = values


def _train(
    history: History,
    session: Session,
    train: _Feed,
    check: _Feed | None,
    rows: TrainingLog | None,
    epochs: int,
    steps: int | None,
    shuffle: bool,
    seed: int,
    verbose: bool,
    on_step: Callable[[int, float], None] | None,
) -> None:
    per_epoch = train.samples // train.batch
    progress = _Progress(epochs, per_epoch, min(epochs * per_epoch, steps or epochs * per_epoch), train.batch)
    random = np.random.default_rng(seed)
    for epoch in range(1, epochs + 1):
        order = random.permutation(train.samples) if shuffle else np.arange(train.samples)
        start = time.perf_counter()
        tally = _Tally()
        for first in range(0, train.samples - train.batch + 1, train.batch):
            began = time.perf_counter()
            loss = train.run(order[first : first + train.batch], tally)
            took = time.perf_counter() - began
            history.losses.append(loss)
            if rows is not None:
                iteration = len(history.losses)
                rate = session.learning_rate(iteration)
                rows.begin({"iteration": iteration, "epoch": epoch, "loss": loss, "learning_rate": rate, "seconds": took,
                            "samples_per_second": train.batch / took if took > 0 else None})  # fmt: skip
            if verbose:
                progress.show(epoch, len(history.losses), loss, took)
            if not math.isfinite(loss):
                raise SoapError(f"the loss of step {len(history.losses)} is {loss}: the model keeps its values")
            if on_step is not None:
                on_step(len(history.losses), loss)
            if steps is not None and len(history.losses) >= steps:
                break
        seconds = time.perf_counter() - start
        checked = _Tally()
        if check is not None:
            for first in range(0, check.samples, check.batch):
                check.run(np.arange(first, min(first + check.batch, check.samples)), checked)
            if rows is not None:
                rows.set({"test_loss": checked.loss, "test_accuracy": checked.accuracy})
        history.append(
            Epoch(
                epoch,
                tally.loss,
                tally.accuracy,
                checked.loss if check is not None else None,
                checked.accuracy if check is not None else None,
                seconds,
                tally.samples / seconds if seconds > 0 else 0.0,
            )
        )
        if verbose:
            progress.clear()
            print(history[-1], flush=True)
        if steps is not None and len(history.losses) >= steps:
            break


class _Progress:
    """A line on a terminal that overwrites itself, at most ten times a second."""

    def __init__(self, epochs: int, per_epoch: int, total: int, batch: int):
        self.epochs, self.per_epoch, self.total, self.batch = epochs, per_epoch, total, batch
        self.shows = sys.stderr.isatty()
        self.last = self.seconds = 0.0

    def show(self, epoch: int, iteration: int, loss: float, seconds: float) -> None:
        self.seconds += seconds
        now = time.monotonic()
        if not self.shows or now - self.last < 0.1:
            return
        self.last = now
        left = round((self.total - iteration) * self.seconds / iteration)
        print(f"\r\033[Kepoch {epoch} of {self.epochs}  {iteration - (epoch - 1) * self.per_epoch}/{self.per_epoch}  "
              f"loss {loss:.4f}  {iteration * self.batch / self.seconds:.0f} samples/s  "
              f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02} left", end="", file=sys.stderr, flush=True)  # fmt: skip

    def clear(self) -> None:
        if self.shows:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


@dataclass
class _Tally:
    """Sums over batches."""

    loss_sum: float = 0.0
    correct: float | None = None
    labels: int = 0
    samples: int = 0

    @property
    def loss(self) -> float:
        return self.loss_sum / max(self.labels, 1)

    @property
    def accuracy(self) -> float | None:
        return None if self.correct is None else self.correct / max(self.labels, 1)


class _Feed:
    """Arrays for the data and label arguments of an entry."""

    def __init__(
        self, session: Session, entry: str, data: Any, what: str, ignore_index: int | None, leaves_out: bool
    ):
        """`leaves_out`: the loss is the mean over labels that say something; else over all, where the others add 0."""
        self.session, self.entry, self.leaves_out = session, entry, leaves_out
        arguments = session.entries[entry]["arguments"]
        kinds = {name: session.tensors[name]["kind"] for name in arguments}
        self.names = [n for n in arguments if kinds[n] == "data"] + [n for n in arguments if kinds[n] == "label"]
        self.labels = [name for name in self.names if kinds[name] == "label"]
        loss = self._result("loss")
        if loss is None:
            raise SoapError(f"entry {entry!r} has no loss")
        self.loss = loss
        self.correct = self._result("correct")
        self.arrays = self._arrays(data, what)
        self.dims = {name: session.tensors[name].get("sample_dim", 0) for name in self.names}
        for name in self.names:
            shape, array = session.tensors[name]["shape"], self.arrays[name]
            expected = shape[: self.dims[name]] + shape[self.dims[name] + 1 :]
            if list(array.shape[1:]) != expected:
                raise ValueError(
                    f"{what}: {name!r}: expected samples of shape {expected}, got {list(array.shape[1:])} "
                    f"of an array of shape {list(array.shape)}"
                )
        counts = {name: len(array) for name, array in self.arrays.items()}
        if len(set(counts.values())) != 1:
            raise ValueError(f"{what}: expected as many samples in all arrays, got {counts}")
        for name in self.names:
            self.arrays[name] = self._in_range(name, what, ignore_index)
        self.samples = next(iter(counts.values()))
        first = self.names[0]
        self.batch: int = session.tensors[first]["shape"][self.dims[first]]

    def _result(self, kind: str) -> str | None:
        results = self.session.entries[self.entry]["results"]
        return next((name for name in results if self.session.tensors[name]["kind"] == kind), None)

    def _arrays(self, data: Any, what: str) -> dict[str, np.ndarray]:
        if isinstance(data, Mapping):
            missing, unknown = sorted(set(self.names) - set(data)), sorted(set(data) - set(self.names))
            if missing or unknown:
                raise KeyError(f"{what}: expected arrays {self.names}: missing {missing}, unknown {unknown}")
            named = {name: data[name] for name in self.names}
        elif isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
            if len(data) != len(self.names):
                raise TypeError(f"{what}: expected {len(self.names)} arrays ({', '.join(self.names)}), got {len(data)}")
            named = dict(zip(self.names, data))
        elif isinstance(data, Iterable) and not isinstance(data, (str, bytes)) and not hasattr(data, "dtype"):
            return self._joined([self._arrays(batch, what) for batch in data], what)
        else:
            raise TypeError(
                f"{what}: expected a tuple of arrays ({', '.join(self.names)}), a dict of them, or an iterable of "
                f"batches, got {type(data).__name__}"
            )
        arrays = {name: as_array(value, f"{what}: {name!r}") for name, value in named.items()}
        for name, array in arrays.items():
            if array.ndim == 0:
                raise TypeError(f"{what}: {name!r}: expected an array of samples, got a number")
        return arrays

    def _in_range(self, name: str, what: str, ignore_index: int | None) -> np.ndarray:
        """The array of a tensor whose integers are classes or rows of a table, all of which are there. `ignore_index`
        becomes -1, which the loss ignores."""
        array, about = self.arrays[name], self.session.tensors[name]
        classes, is_label = about.get("classes"), name in self.labels
        if about["dtype"][0] != "i" or array.dtype.kind not in "iu" or not (classes or is_label) or not array.size:
            return array
        first = -classes if about.get("counts_from_end") else 0
        wrong = array < first
        if classes:
            wrong |= array >= classes
        ignored = np.zeros_like(wrong)
        if is_label and ignore_index is not None:
            ignored = array == ignore_index
        if (wrong & ~ignored).any():
            place = tuple(np.argwhere(wrong & ~ignored)[0])
            least = f"{first} to {classes - 1}" if classes else "at least 0"
            hint = ""
            if is_label and array[place] < 0:
                hint = f", or ignore_index={array[place]} if it says that there is none"
            raise ValueError(f"{what}: {name!r}: got {array[place]} in sample {place[0]}, expected {least}{hint}")
        return np.where(ignored, -1, array).astype(np.int64) if ignored.any() else array

    def _joined(self, parts: list[dict[str, np.ndarray]], what: str) -> dict[str, np.ndarray]:
        if not parts:
            raise ValueError(f"{what}: expected at least one batch")
        return {name: np.concatenate([part[name] for part in parts]) for name in self.names}

    def run(self, samples: np.ndarray, tally: _Tally) -> float:
        """Runs a batch. One with too few samples is filled up with copies of the first, with labels -1, which the loss
        ignores."""
        missing = self.batch - len(samples)
        if missing:
            samples = np.concatenate([samples, np.full(missing, samples[0])])
        real_labels = 0
        for name in self.names:
            array = self.arrays[name][samples]
            if name in self.labels:
                array = array.copy()
                if missing:
                    array[-missing:] = -1
                real_labels += int((array >= 0).sum()) if array.dtype.kind in "iu" else array.size
            if self.dims[name]:
                array = np.moveaxis(array, 0, self.dims[name])
            self.session[name] = array
        results = self.session.run(self.entry)
        loss = float(results[self.loss])
        every = sum(math.prod(self.session.tensors[name]["shape"]) for name in self.labels)
        tally.loss_sum += loss * (real_labels if self.leaves_out else every)
        tally.labels += real_labels
        tally.samples += self.batch - missing
        if self.correct is not None:
            tally.correct = (tally.correct or 0.0) + float(results[self.correct])
        return loss

