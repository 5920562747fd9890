// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What plan.html computes of its data: no document, so that it is tested in node, too.
"use strict";

const Logic = (() => {
  // --- Figures in words ------------------------------------------------------------------------------------------------

  /** Digits as soap-plan prints them: three behind seconds below 10 are milliseconds. */
  function duration(ns) {
    if (ns === null || ns === undefined) return "–";
    const seconds = ns * 1e-9, sign = ns < 0 ? "−" : "", size = Math.abs(seconds);
    if (size === 0) return "0";
    if (size < 1e-6) return sign + Math.round(size * 1e9) + " ns";
    if (size < 1e-3) return sign + fixed(size * 1e6, size < 1e-5 ? 1 : 0) + " µs";
    if (size < 10) return sign + grouped(size * 1e3, size < 0.01 ? 3 : 1) + " ms";
    return sign + grouped(size, 2) + " s";
  }
  function bytes(count) {
    if (count === null || count === undefined) return "–";
    const size = Math.abs(count), sign = count < 0 ? "−" : "";
    if (size >= 1e15) return sign + grouped(size / 1e15, 1) + " PB";
    if (size >= 1e12) return sign + grouped(size / 1e12, 1) + " TB";
    if (size >= 1e9) return sign + grouped(size / 1e9, 1) + " GB";
    if (size >= 1e6) return sign + grouped(size / 1e6, 1) + " MB";
    if (size >= 1e3) return sign + grouped(size / 1e3, 1) + " kB";
    return sign + size + " B";
  }
  function fixed(value, digits) {
    return value.toFixed(digits);
  }
  function grouped(value, digits = 0) {
    const [whole, part] = Math.abs(value).toFixed(digits).split(".");
    return (value < 0 ? "−" : "") + whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? "." + part : "");
  }
  function percent(share, digits = 1) {
    return Number.isFinite(share) ? (100 * share).toFixed(digits) + " %" : "–";
  }
  function signedPercent(share, digits = 1) {
    if (!Number.isFinite(share)) return "–";
    const text = Math.abs(100 * share).toFixed(digits);
    return Number(text) === 0 ? "0 %" : (share > 0 ? "+" : "−") + text + " %";
  }
  /** 0 to 3, 8, 10 to 11. */
  function ranges(numbers) {
    const parts = [];
    for (let i = 0; i < numbers.length; ) {
      let j = i;
      while (j + 1 < numbers.length && numbers[j + 1] === numbers[j] + 1) ++j;
      parts.push(j === i ? `${numbers[i]}` : j === i + 1 ? `${numbers[i]}, ${numbers[j]}` : `${numbers[i]} to ${numbers[j]}`);
      i = j + 1;
    }
    return parts.join(", ");
  }
  const words = (text) => text.replace(/_/g, " ");

  // --- The timeline file -----------------------------------------------------------------------------------------------

  const COLUMNS = ["forward", "backward", "update", "tiles", "weights", "gradients", "activations", "other"];

  /** The column of a subject [name, class, kind, detail] in sums of time. */
  function columnOf([, taskClass, , detail]) {
    if (taskClass === "movement") return 3;
    if (taskClass === "compute") return { forward: 0, backward: 1, update: 2 }[detail] ?? 0;
    return { weights: 4, weight_gradients: 5, activations: 6, activation_gradients: 6 }[detail] ?? 7;
  }

  /** (subject, start, duration) of each task, of what render.py makes of them. */
  function ungap(gaps) {
    const tasks = new Array(gaps.length);
    let subject = 0, end = 0;
    for (let i = 0; i < gaps.length; i += 3) {
      tasks[i] = subject += gaps[i];
      tasks[i + 1] = end + gaps[i + 1];
      tasks[i + 2] = gaps[i + 2];
      end = tasks[i + 1] + tasks[i + 2];
    }
    return tasks;
  }
  /** The timeline file of a page, whose numbers are differences. */
  function ungapped(timeline) {
    const width = timeline.memory_kinds.length + 1, [lanes, path] = timeline.critical_path, tasks = ungap(path);
    for (const lane of timeline.lanes) {
      lane.tasks = lane.tasks.map((group) => [group[0], group[1], ...ungap(group.slice(2))]);
      for (let i = width; lane.memory && i < lane.memory.length; ++i) lane.memory[i] += lane.memory[i - width];
    }
    return { ...timeline, critical_path: lanes.flatMap((lane, i) => [lane, tasks[3 * i], tasks[3 * i + 1], tasks[3 * i + 2]]) };
  }

  /** Lanes with their tasks as arrays, in the order of their starts; tasks of a lane do not overlap. */
  function unpack(written) {
    const timeline = written.gaps ? ungapped(written) : written;
    const columns = timeline.subjects.map(columnOf);
    const lanes = timeline.lanes.map((lane, number) => {
      let count = 0;
      for (const group of lane.tasks) count += (group.length - 2) / 3;
      const starts = new Float64Array(count), ends = new Float64Array(count);
      const subjects = new Int32Array(count), passes = new Int32Array(count);
      let at = 0;
      for (const group of lane.tasks)
        for (let i = 2; i < group.length; i += 3, ++at) {
          subjects[at] = group[i];
          starts[at] = group[1] + group[i + 1];
          ends[at] = starts[at] + group[i + 2];
          passes[at] = group[0];
        }
      // Busy time before each task, by column.
      const before = COLUMNS.map(() => new Float64Array(count + 1));
      for (let t = 0; t < count; ++t) {
        for (const sums of before) sums[t + 1] = sums[t];
        before[columns[subjects[t]]][t + 1] += ends[t] - starts[t];
      }
      const spans = [];
      for (let i = 0; lane.passes && i < lane.passes.length; i += 3)
        spans.push({ ...passOf(timeline, lane.passes[i]), start: lane.passes[i + 1], end: lane.passes[i + 1] + lane.passes[i + 2] });
      // A point is the fullest moment of a thousandth of the iteration, and holds until the next one's begins.
      const width = timeline.memory_kinds.length + 1, memory = [], interval = timeline.makespan_ns / 1000;
      for (let i = 0; lane.memory && i < lane.memory.length; i += width)
        memory.push({ time: lane.memory[i], from: Math.floor(lane.memory[i] / interval) * interval, bytes: lane.memory.slice(i + 1, i + width) });
      return {
        number, isLink: Boolean(lane.links), members: lane.links || lane.devices, bytes: lane.bytes || 0,
        starts, ends, subjects, passes, before, spans, memory, dropped: Boolean(lane.dropped),
      };
    });
    return { ...timeline, lanes, columns };
  }

  function passOf(timeline, code) {
    if (code < 0) return null;
    const whole = Math.floor(code / 2);
    return { stage: Math.floor(whole / timeline.microbatches), microbatch: whole % timeline.microbatches, backward: code % 2 === 1 };
  }
  function passInWords(pass) {
    return `${pass.backward ? "backward" : "forward"} pass of microbatch ${pass.microbatch}, stage ${pass.stage}`;
  }

  /** The first index whose value is larger. */
  function upper(values, limit) {
    let low = 0, high = values.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[middle] > limit) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  /** Tasks [first, end) of a lane that run between two times. */
  function tasksBetween(lane, from, to) {
    return [upper(lane.ends, from), upper(lane.starts, to)];
  }
  /** Busy time of a column of a lane before a time. */
  function busyBefore(lane, column, time) {
    const t = upper(lane.ends, time);
    let sum = lane.before[column][t];
    const isPart = t < lane.starts.length && lane.starts[t] < time;
    if (isPart && lane.before[column][t + 1] > sum) sum += time - lane.starts[t];
    return sum;
  }
  /** Busy time of a lane, by column. */
  function busyOf(lane) {
    return lane.before.map((sums) => sums[sums.length - 1]);
  }
  /** The fullest moment of a lane's device. */
  function peakOf(lane) {
    let most = null;
    for (const point of lane.memory) {
      const total = sum(point.bytes);
      if (!most || total > most.total) most = { time: point.time, total, bytes: point.bytes };
    }
    return most;
  }
  const sum = (values) => values.reduce((a, b) => a + b, 0);

  /** Devices that a lane of a device stands for: a folded simulation has one replica for all. */
  function standsFor(timeline, lane) {
    return lane.isLink ? lane.members.length : lane.members.length * timeline.replicas;
  }
  /** The device that was simulated for one of a folded simulation. */
  function firstOf(timeline, device) {
    if (timeline.replicas <= 1) return device;
    const group = timeline.unit * timeline.replicas;
    return device - Math.floor((device % group) / timeline.unit) * timeline.unit;
  }
  /** The devices themselves. */
  function devicesOf(timeline, lane) {
    if (timeline.replicas <= 1) return lane.members;
    const all = [];
    for (const device of lane.members)
      for (let r = 0; r < timeline.replicas; ++r) all.push(device + r * timeline.unit);
    return all.sort((a, b) => a - b);
  }

  /** A name with its first number left open, and whether it has one: ops of blocks that repeat. */
  function openName(name) {
    const found = /^((?:[^.]+\.)*?|[^.]*[^.\d])(\d+)(\..*)$/.exec(name);
    return found ? [`${found[1]}*${found[3]}`, true] : [name, false];
  }
  /** A name without the block that it is in. */
  const shortName = (name) => name.replace(/^[^.]*\d+\.(?=[^.]+\.)|^\D*?\.\d+\./, "");
  /** The critical path as steps, and its time by op or tensor, largest first; those of blocks that repeat are one, with
   * their number. */
  function pathOf(timeline) {
    const flat = timeline.critical_path, steps = [], byName = new Map();
    for (let i = 0; i < flat.length; i += 4) {
      const step = { lane: flat[i], subject: flat[i + 1], start: flat[i + 2], end: flat[i + 2] + flat[i + 3] };
      steps.push(step);
      const [name, taskClass, kind, detail] = timeline.subjects[step.subject], key = JSON.stringify([openName(name)[0], taskClass, kind, detail]);
      if (!byName.has(key)) byName.set(key, { subjects: new Set(), ns: 0 });
      const share = byName.get(key);
      share.subjects.add(step.subject);
      share.ns += flat[i + 3];
    }
    const shares = [...byName.values()].map(({ subjects, ns }) => {
      const [subject] = subjects, [name] = timeline.subjects[subject];
      return { subject, ns, count: subjects.size, name: subjects.size > 1 ? openName(name)[0] : name };
    });
    return { steps, shares: shares.sort((a, b) => b.ns - a.ns || a.subject - b.subject) };
  }
  /** Subjects whose names have all words of a query: numbers, with their time on all lanes that are written. */
  function findSubjects(timeline, query) {
    const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!wanted.length) return [];
    const found = [];
    timeline.subjects.forEach(([name, , kind], number) => {
      const text = `${name} ${kind}`.toLowerCase();
      if (wanted.every((word) => text.includes(word))) found.push(number);
    });
    return found;
  }
  /** The ops that a row of a block stands for. */
  function namesOf(block, op) {
    if (block.first < 0) return [op.name];
    return Array.from({ length: block.count }, (_, i) => `${block.prefix}${block.first + i}.${op.name}`);
  }
  /** Time by subject on one device: of all devices together, over their number. */
  function timeBySubject(timeline) {
    const times = new Float64Array(timeline.subjects.length);
    let devices = 0;
    for (const lane of timeline.lanes) {
      if (lane.isLink) continue;
      const weight = standsFor(timeline, lane);
      devices += weight;
      for (let t = 0; t < lane.starts.length; ++t) times[lane.subjects[t]] += weight * (lane.ends[t] - lane.starts[t]);
    }
    return { times, devices };
  }

  // --- Sums of reports -------------------------------------------------------------------------------------------------

  /** Parts of an iteration, as the mean of all devices: they add up to its time. */
  function partsOf(report, timeline) {
    const devices = report.devices ? report.devices.length : report.folded ? report.folded.unfolded_devices : sum((report.device_classes || []).map((row) => row.devices));
    if (!devices) return null;
    const parts = { forward: 0, backward: 0, update: 0 };
    if (timeline) {
      for (const lane of timeline.lanes)
        if (!lane.isLink && !lane.dropped) {
          const weight = standsFor(timeline, lane) / devices;
          ["forward", "backward", "update"].forEach((name, c) => (parts[name] += weight * lane.before[c][lane.starts.length]));
        }
    }
    const compute = report.compute_ns / devices, split = parts.forward + parts.backward + parts.update;
    const rows = timeline && Math.abs(split - compute) <= 1e-6 * compute + 1
      ? [["forward passes", parts.forward], ["backward passes", parts.backward], ["updates", parts.update]]
      : [["kernels", compute]];
    rows.push(["tiles", report.movement_ns / devices], ["communication that nothing hides", report.exposed_communication_ns / devices]);
    rows.push(["waiting", report.makespan_ns - sum(rows.map((row) => row[1]))]);
    return { devices, rows };
  }
  /** The difference of two plans by cause: rows [cause, a, b, b - a]; the last is the whole. */
  function differences(a, b) {
    if (!a.parts || !b.parts) return [];
    const fold = (parts) => {
      const split = parts.rows.some((row) => row[0] === "kernels");
      return { split, rows: new Map(parts.rows) };
    };
    const left = fold(a.parts), right = fold(b.parts);
    const names = left.split || right.split ? ["kernels"] : ["forward passes", "backward passes", "updates"];
    names.push("tiles", "communication that nothing hides", "waiting");
    const value = (side, name) =>
      name === "kernels" && !side.split ? sum(["forward passes", "backward passes", "updates"].map((n) => side.rows.get(n))) : side.rows.get(name);
    const rows = names.map((name) => [name, value(left, name), value(right, name)]);
    rows.push(["iteration", a.report.makespan_ns, b.report.makespan_ns]);
    return rows.map(([name, x, y]) => [name, x, y, y - x]);
  }
  /** Plans that no other one beats in both time and memory, by time. */
  function frontier(plans) {
    const sorted = [...plans].sort((a, b) => a.ns - b.ns || a.bytes - b.bytes), best = [];
    for (const plan of sorted) if (!best.length || plan.bytes < best[best.length - 1].bytes) best.push(plan);
    return best;
  }
  function csv(rows) {
    const cell = (value) => {
      const text = value === null || value === undefined ? "" : String(value);
      return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
    };
    return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
  }
  /** Round steps of an axis with about `count` of them. */
  function steps(from, to, count) {
    const raw = (to - from) / Math.max(count, 1), size = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((n) => n * size).find((n) => n >= raw) || raw, found = [];
    for (let i = Math.ceil(from / step); i * step <= to; ++i) found.push(i * step);
    return found;
  }

  return {
    duration, bytes, grouped, percent, signedPercent, ranges, words, COLUMNS, columnOf, unpack, ungapped, passOf, passInWords, upper, tasksBetween,
    busyBefore, busyOf, peakOf, sum, standsFor, firstOf, devicesOf, pathOf, shortName, findSubjects, timeBySubject, namesOf, partsOf, differences, frontier, csv, steps,
  };
})();

if (typeof module !== "undefined") module.exports = Logic;
