// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timeline: lanes of devices and links, of one or two plans on one axis, and the memory of a device below.
"use strict";

class Timeline {
  static GUTTER = 168;
  static AXIS = 24;

  /** `plans`: [{title, timeline}] with unpacked timelines; `names(kind, number)`: of a device or link. */
  constructor(root, plans, names) {
    this.plans = plans;
    this.names = names;
    this.end = Math.max(...plans.map((plan) => plan.timeline.makespan_ns));
    this.from = 0;
    this.to = this.end;
    this.showLinks = plans[0].timeline.lanes.filter((lane) => lane.isLink).length <= 12;
    this.showPath = true;
    this.found = null;
    this.chosen = null;
    this.paths = plans.map((plan) => Logic.pathOf(plan.timeline));
    this.build(root);
    this.listRows();
    this.chooseDevice(this.fullest());
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  // --- Elements ------------------------------------------------------------------------------------------------------

  build(root) {
    const button = (text, title, run, pressed) => {
      const made = element("button", { type: "button", title }, text);
      if (pressed !== undefined) made.setAttribute("aria-pressed", pressed);
      made.addEventListener("click", () => run(made));
      return made;
    };
    this.search = element("input", { type: "search", placeholder: "Search ops and tensors", "aria-label": "Search ops and tensors in the timeline", size: 26 });
    this.search.addEventListener("input", () => this.find(this.search.value));
    this.search.addEventListener("keydown", (event) => event.key === "Enter" && this.nextMatch(event.shiftKey ? -1 : 1));
    const hasLinks = this.plans.some((plan) => plan.timeline.lanes.some((lane) => lane.isLink));
    const toggle = (name) => (made) => {
      this[name] = !this[name];
      made.setAttribute("aria-pressed", this[name]);
      this.listRows();
    };
    root.append(element("div", { class: "tools" },
      button("−", "Zoom out (-)", () => this.zoom(2)), button("+", "Zoom in (+)", () => this.zoom(0.5)),
      button("Whole iteration", "Show all of it (0)", () => this.show(0, this.end)),
      this.pathButton = button("Critical path", "Mark the tasks that the time waits for (c)", toggle("showPath"), true),
      hasLinks ? button("Links", "Show lanes of links (l)", toggle("showLinks"), this.showLinks) : "",
      element("span", { class: "space" }), this.search));
    this.results = element("div", { class: "results", "aria-live": "polite" });
    root.append(this.results);
    this.canvas = element("canvas", { tabindex: 0, role: "application", "aria-roledescription": "timeline",
      "aria-label": "Timeline of devices and links. Arrow keys move, plus and minus zoom, brackets go from task to task." });
    this.spacer = element("div", { style: "width:1px" });
    this.scroller = element("div", { class: "lanes" }, this.canvas, this.spacer);
    this.memory = element("canvas", { role: "img", height: 1 });
    this.memoryBox = element("div", { class: "memory" }, this.memory);
    root.append(this.scroller, this.memoryBox);
    this.deviceSelect = element("select", { "aria-label": "Device whose memory is drawn" });
    this.deviceSelect.addEventListener("change", () => this.chooseDevice(this.deviceSelect.value.split(":").map(Number)));
    this.memoryLegend = element("ul", { class: "legend", style: "flex:1;margin:0" });
    root.append(element("div", { class: "tools" }, element("span", { class: "note" }, "Memory of"), this.deviceSelect, this.memoryLegend));
    this.detail = element("div", { class: "detail", "aria-live": "polite" });
    root.append(this.detail);
    this.tip = element("div", { class: "tip", hidden: "" });
    document.body.append(this.tip);
    this.describe(null);
    this.listen();
  }

  listen() {
    const canvas = this.canvas;
    this.scroller.addEventListener("scroll", () => this.draw());
    canvas.addEventListener("wheel", (event) => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        this.zoom(Math.exp(event.deltaY * 0.004), this.timeAt(event.offsetX));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        this.pan((event.deltaX || event.deltaY) / this.plotWidth());
      }
    }, { passive: false });
    let drag = null;
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.offsetX, from: this.from, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (drag) {
        const far = event.offsetX - drag.x;
        drag.moved ||= Math.abs(far) > 3;
        if (drag.moved) {
          const width = this.to - this.from, from = drag.from - (far / this.plotWidth()) * width;
          this.show(from, from + width);
        }
      } else this.hover(event);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (drag && !drag.moved) this.pick(event);
      drag = null;
    });
    canvas.addEventListener("pointerleave", () => this.hideTip());
    canvas.addEventListener("dblclick", (event) => this.zoom(0.25, this.timeAt(event.offsetX)));
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.memory.addEventListener("pointermove", (event) => this.showMemoryAt(this.timeAt(event.offsetX)));
    this.memory.addEventListener("pointerleave", () => this.showMemoryAt(null));
  }

  key(event) {
    const runs = {
      ArrowLeft: () => this.pan(-0.15), ArrowRight: () => this.pan(0.15),
      ArrowUp: () => (this.scroller.scrollTop -= 40), ArrowDown: () => (this.scroller.scrollTop += 40),
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), "0": () => this.show(0, this.end), Home: () => this.show(0, this.end),
      "]": () => this.step(1), "[": () => this.step(-1), n: () => this.nextMatch(1), p: () => this.nextMatch(-1),
      c: () => this.pathButton.click(), "/": () => this.search.focus(), Escape: () => this.choose(null),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !runs[event.key]) return;
    event.preventDefault();
    runs[event.key]();
  }

  // --- Rows ----------------------------------------------------------------------------------------------------------

  listRows() {
    this.rows = [];
    let y = Timeline.AXIS;
    const add = (row, height) => {
      this.rows.push({ ...row, y, height });
      y += height;
    };
    this.plans.forEach((plan, p) => {
      if (this.plans.length > 1) add({ kind: "title", plan: p, text: `${"AB"[p]}: ${plan.title}` }, 24);
      const lanes = plan.timeline.lanes;
      for (const lane of lanes.filter((one) => !one.isLink)) {
        if (lane.spans.length) add({ kind: "passes", plan: p, lane }, 22);
        add({ kind: "tasks", plan: p, lane, isSecond: lane.spans.length > 0 }, lane.spans.length ? 16 : 20);
        y += 5;
      }
      const links = lanes.filter((one) => one.isLink);
      if (this.showLinks && links.length) {
        add({ kind: "title", plan: p, text: "Links" }, 22);
        for (const lane of links) {
          add({ kind: "tasks", plan: p, lane }, 12);
          y += 3;
        }
      }
    });
    this.height = y + 4;
    const shown = Math.min(this.height, Math.max(Math.round(innerHeight * 0.62), 260));
    this.scroller.style.height = shown + 2 + "px";
    this.shown = shown;
    this.spacer.style.height = Math.max(this.height - shown, 0) + "px";
    this.deviceSelect.replaceChildren(...this.plans.flatMap((plan, p) => plan.timeline.lanes.filter((lane) => !lane.isLink && lane.memory.length).map((lane) =>
      element("option", { value: `${p}:${lane.number}` }, (this.plans.length > 1 ? "AB"[p] + ": " : "") + this.labelOf(p, lane, true)))));
    if (this.device) this.deviceSelect.value = this.device.join(":");
    this.draw();
  }

  labelOf(p, lane, isLong = false) {
    const timeline = this.plans[p].timeline, count = Logic.standsFor(timeline, lane);
    const name = this.names(lane.isLink ? "link" : "device", lane.members[0]);
    if (count === 1) return name;
    return isLong ? `${name} and ${count - 1} alike` : `${name} ×${count}`;
  }
  laneNames(p, lane) {
    const timeline = this.plans[p].timeline, all = lane.isLink ? lane.members : Logic.devicesOf(timeline, lane);
    if (all.length === 1) return this.names(lane.isLink ? "link" : "device", all[0]);
    if (lane.isLink) return `${this.names("link", all[0])} and ${all.length - 1} links alike`;
    return `${all.length} devices alike: ${Logic.ranges(all)}`;
  }
  fullest() {
    let best = null, most = -1;
    this.plans[0].timeline.lanes.forEach((lane) => {
      const peak = lane.isLink ? null : Logic.peakOf(lane);
      if (peak && peak.total > most) [best, most] = [[0, lane.number], peak.total];
    });
    return best;
  }

  // --- The axis ------------------------------------------------------------------------------------------------------

  plotWidth() { return Math.max(this.width - Timeline.GUTTER - 8, 50); }
  xOf(time) { return Timeline.GUTTER + ((time - this.from) / (this.to - this.from)) * this.plotWidth(); }
  timeAt(x) { return this.from + ((x - Timeline.GUTTER) / this.plotWidth()) * (this.to - this.from); }
  show(from, to) {
    const width = Math.min(Math.max(to - from, 20), this.end);
    this.from = Math.min(Math.max(from, 0), this.end - width);
    this.to = this.from + width;
    this.draw();
  }
  zoom(factor, around = this.chosen ? (this.chosen.start + this.chosen.end) / 2 : (this.from + this.to) / 2) {
    const at = Math.min(Math.max(around, this.from), this.to);
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }
  pan(part) {
    const far = part * (this.to - this.from);
    this.show(this.from + far, this.to + far);
  }

  // --- Drawing -------------------------------------------------------------------------------------------------------

  context(canvas, height) {
    const ratio = devicePixelRatio || 1, width = this.scroller.clientWidth;
    this.width = width;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = height + "px";
    const c = canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    c.font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";
    c.textBaseline = "middle";
    return c;
  }

  draw() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = null;
      this.drawNow();
    });
  }

  drawNow() {
    if (!this.scroller.clientWidth) return;
    const style = getComputedStyle(document.documentElement);
    this.colour = (name) => style.getPropertyValue("--" + name).trim();
    this.columnColours = ["forward", "backward", "update", "tiles", "weights", "gradients", "activations", "other"].map(this.colour);
    const c = this.context(this.canvas, this.shown), top = this.scroller.scrollTop;
    this.drawAxis(c, this.shown, true);
    c.save();
    c.beginPath();
    c.rect(0, Timeline.AXIS, this.width, this.shown);
    c.clip();
    for (const row of this.rows) {
      const y = row.y - top;
      if (y + row.height < Timeline.AXIS || y > this.shown) continue;
      this.drawRow(c, row, y);
    }
    if (this.showPath) this.drawPath(c, top);
    c.restore();
    this.drawMemory();
  }

  drawAxis(c, height, hasLabels) {
    const right = Timeline.GUTTER + this.plotWidth();
    c.strokeStyle = this.colour("grid");
    c.fillStyle = this.colour("muted");
    c.lineWidth = 1;
    c.textAlign = "center";
    const unit = this.to - this.from;
    for (const time of Logic.steps(this.from, this.to, this.plotWidth() / 110)) {
      const x = Math.round(this.xOf(time)) + 0.5;
      c.beginPath();
      c.moveTo(x, hasLabels ? Timeline.AXIS - 5 : 0);
      c.lineTo(x, height);
      c.stroke();
      if (hasLabels) c.fillText(this.axisText(time, unit), Math.min(Math.max(x, Timeline.GUTTER + 18), right - 22), 10);
    }
    this.plans.forEach((plan, p) => {
      const x = this.xOf(plan.timeline.makespan_ns);
      if (x < Timeline.GUTTER || x > right + 1) return;
      c.strokeStyle = this.colour("muted");
      c.setLineDash(p ? [2, 3] : [5, 3]);
      c.beginPath();
      c.moveTo(x, hasLabels ? Timeline.AXIS - 2 : 0);
      c.lineTo(x, height);
      c.stroke();
      c.setLineDash([]);
    });
  }
  /** Times of an axis in one unit, with the digits that its steps need. */
  axisText(time, unit) {
    const [size, name] = unit >= 5e9 ? [1e9, "s"] : unit >= 5e6 || time >= 1e9 ? [1e6, "ms"] : [1e3, "µs"];
    const step = unit / Math.max(this.plotWidth() / 110, 1) / size;
    return Logic.grouped(time / size, Math.min(Math.max(Math.ceil(-Math.log10(step)), 0), 6)) + " " + name;
  }

  drawRow(c, row, y) {
    if (row.kind === "title") {
      c.fillStyle = this.colour("text");
      c.textAlign = "left";
      c.font = "600 12px system-ui, sans-serif";
      c.fillText(this.clip(c, row.text, this.width - 20), 10, y + row.height / 2 + 1);
      c.font = "12px system-ui, sans-serif";
      return;
    }
    if (!row.isSecond) {
      c.fillStyle = this.colour(row.lane.isLink ? "muted" : "text");
      c.textAlign = "left";
      const count = Logic.standsFor(this.plans[row.plan].timeline, row.lane), more = count > 1 ? ` ×${count}` : "", name = this.names(row.lane.isLink ? "link" : "device", row.lane.members[0]);
      c.fillText(this.clip(c, name, Timeline.GUTTER - 16 - c.measureText(more).width) + more, 10, y + row.height / 2 + 0.5);
    }
    c.save();
    c.beginPath();
    c.rect(Timeline.GUTTER, y, this.plotWidth(), row.height);
    c.clip();
    if (row.kind === "passes") this.drawPasses(c, row, y);
    else this.drawTasks(c, row, y);
    c.restore();
  }

  clip(c, text, width) {
    if (c.measureText(text).width <= width) return text;
    let end = text.length;
    while (end > 1 && c.measureText(text.slice(0, end) + "…").width > width) --end;
    return end > 1 ? text.slice(0, end) + "…" : "";
  }

  drawPasses(c, row, y) {
    const forward = this.colour("forward"), backward = this.colour("backward"), bg = this.colour("bg");
    for (const span of row.lane.spans) {
      if (span.end < this.from || span.start > this.to) continue;
      const x = this.xOf(span.start), width = Math.max(this.xOf(span.end) - x, 0.6);
      c.globalAlpha = this.found ? 0.35 : 1;
      c.fillStyle = span.backward ? backward : forward;
      c.fillRect(x, y + 1, Math.max(width - (width > 4 ? 1 : 0), 0.6), row.height - 3);
      c.globalAlpha = 1;
      if (width > 16) {
        c.fillStyle = span.backward ? "#1a1200" : bg;
        c.textAlign = "center";
        const left = Math.max(x, Timeline.GUTTER), right = Math.min(x + width, Timeline.GUTTER + this.plotWidth());
        const text = right - left > 170 ? `microbatch ${span.microbatch}, ${span.backward ? "backward" : "forward"}, stage ${span.stage}` : `${span.microbatch}`;
        if (c.measureText(text).width < right - left - 2) c.fillText(text, (left + right) / 2, y + row.height / 2);
      }
    }
  }

  drawTasks(c, row, y) {
    const lane = row.lane, [first, end] = Logic.tasksBetween(lane, this.from, this.to);
    const columns = this.plans[row.plan].timeline.columns, subjects = this.plans[row.plan].timeline.subjects;
    const height = row.height - 2, top = y + 1;
    c.fillStyle = this.colour("panel");
    c.fillRect(Timeline.GUTTER, top, this.plotWidth(), height);
    if (lane.dropped) {
      c.fillStyle = this.colour("muted");
      c.textAlign = "left";
      c.fillText("tasks are left out of this file", Timeline.GUTTER + 6, y + row.height / 2);
      return;
    }
    const found = this.found && this.found[row.plan];
    if (end - first > 3 * this.plotWidth()) {
      // More tasks than pixels: of each two pixels the share of time, by column.
      const bins = Math.floor(this.plotWidth() / 2), width = (this.to - this.from) / bins;
      let before = Logic.COLUMNS.map((_, column) => Logic.busyBefore(lane, column, this.from));
      c.globalAlpha = found ? 0.3 : 1;
      for (let b = 0; b < bins; ++b) {
        const until = this.from + (b + 1) * width;
        let base = top + height;
        const now = before.map((_, column) => Logic.busyBefore(lane, column, until));
        for (let column = 0; column < now.length; ++column) {
          const part = ((now[column] - before[column]) / width) * height;
          if (part <= 0) continue;
          c.fillStyle = this.columnColours[column];
          c.fillRect(Timeline.GUTTER + 2 * b, base - part, 2, part);
          base -= part;
        }
        before = now;
      }
      c.globalAlpha = 1;
      if (found) this.drawFound(c, row, top, height, first, end, found);
      return;
    }
    for (let t = first; t < end; ++t) {
      const x = this.xOf(lane.starts[t]), width = Math.max(this.xOf(lane.ends[t]) - x, 0.5);
      c.globalAlpha = found && !found.has(lane.subjects[t]) ? 0.22 : 1;
      c.fillStyle = this.columnColours[columns[lane.subjects[t]]];
      c.fillRect(x, top, width > 3 ? width - 0.7 : width, height);
      if (width > 34 && height >= 10) {
        c.fillStyle = columns[lane.subjects[t]] === 1 || columns[lane.subjects[t]] === 4 ? "#1a1200" : this.colour("bg");
        c.textAlign = "left";
        const left = Math.max(x, Timeline.GUTTER), right = Math.min(x + width, Timeline.GUTTER + this.plotWidth());
        c.fillText(this.clip(c, Logic.shortName(subjects[lane.subjects[t]][0]), right - left - 6), left + 3, y + row.height / 2);
      }
      c.globalAlpha = 1;
      if (this.chosen && this.chosen.plan === row.plan && this.chosen.lane === lane && this.chosen.task === t) {
        c.strokeStyle = this.colour("focus");
        c.lineWidth = 2;
        c.strokeRect(x - 1, top, Math.max(width, 2) + 1, height);
      }
    }
  }
  drawFound(c, row, top, height, first, end, found) {
    let last = -9;
    for (let t = first; t < end; ++t) {
      if (!found.has(row.lane.subjects[t])) continue;
      const x = this.xOf(row.lane.starts[t]);
      if (x - last < 1) continue;
      last = x;
      c.fillStyle = this.colour("focus");
      c.fillRect(x, top, 1.2, height);
    }
  }

  /** A bar below the tasks that the time waits for, and lines from lane to lane. */
  drawPath(c, scrolled) {
    c.fillStyle = c.strokeStyle = this.colour("path");
    c.lineWidth = 1;
    this.paths.forEach((path, p) => {
      const rowOf = new Map();
      for (const row of this.rows) if (row.kind === "tasks" && row.plan === p) rowOf.set(row.lane.number, row);
      let before = null, last = -9;
      // Many lines are faint, so that what they cross can be read.
      const changes = path.steps.filter((step, i) => i && step.lane !== path.steps[i - 1].lane && step.start >= this.from && step.start <= this.to).length;
      const alpha = Math.min(Math.max(25 / changes, 0.07), 0.45);
      for (const step of path.steps) {
        if (step.end < this.from) { before = rowOf.get(step.lane) || null; continue; }
        if (step.start > this.to) break;
        const row = rowOf.get(step.lane);
        const left = Math.max(this.xOf(step.start), Timeline.GUTTER), right = Math.min(this.xOf(step.end), Timeline.GUTTER + this.plotWidth());
        if (row) {
          const y = row.y - scrolled + row.height;
          c.fillRect(left, y - 2, Math.max(right - left, 0.4), 2.5);
          if (before && before !== row && this.xOf(step.start) >= Timeline.GUTTER && left - last >= 1.5) {
            const other = before.y - scrolled + before.height;
            c.globalAlpha = alpha;
            c.fillRect(left - 0.4, Math.min(y, other), 0.8, Math.abs(y - other));
            c.globalAlpha = 1;
            last = left;
          }
          before = row;
        }
      }
    });
  }

  // --- Memory --------------------------------------------------------------------------------------------------------

  static MEMORY = { inputs: "inputs", weights: "weights", optimizer_states: "states", activations: "activations", activation_gradients: "agrads", weight_gradients: "gradients", messages_and_temporaries: "other" };

  chooseDevice(place) {
    this.device = place;
    this.memoryBox.hidden = !place;
    if (place) this.deviceSelect.value = place.join(":");
    this.deviceSelect.parentNode.hidden = !place;
    this.showMemoryAt(null);
    this.draw();
  }
  memoryLane() { return this.device && this.plans[this.device[0]].timeline.lanes[this.device[1]]; }
  capacity() { return this.device ? this.plans[this.device[0]].capacity(this.memoryLane().members[0]) : 0; }

  drawMemory() {
    const lane = this.memoryLane(), height = 130;
    if (!lane) return;
    const c = this.context(this.memory, height), peak = Logic.peakOf(lane), capacity = this.capacity();
    const most = Math.max(peak.total, capacity <= 3 * peak.total ? capacity : 0) * 1.08;
    const yOf = (count) => height - 4 - (count / most) * (height - 14);
    this.drawAxis(c, height, false);
    const kinds = this.plans[this.device[0]].timeline.memory_kinds, order = Object.keys(Timeline.MEMORY);
    const right = Timeline.GUTTER + this.plotWidth(), points = lane.memory, end = this.plans[this.device[0]].timeline.makespan_ns;
    c.save();
    c.beginPath();
    c.rect(Timeline.GUTTER, 0, this.plotWidth(), height);
    c.clip();
    points.forEach((point, i) => {
      const until = i + 1 < points.length ? points[i + 1].from : end;
      if (until < this.from || point.from > this.to) return;
      const x = this.xOf(point.from), width = Math.max(this.xOf(until) - x, 0.5) + 0.4;
      let base = 0;
      for (const kind of order) {
        const count = point.bytes[kinds.indexOf(kind)] || 0;
        if (!count) continue;
        c.fillStyle = this.colour(Timeline.MEMORY[kind]);
        c.fillRect(x, yOf(base + count), width, yOf(base) - yOf(base + count));
        base += count;
      }
    });
    c.restore();
    c.textAlign = "left";
    c.fillStyle = this.colour("text");
    c.fillText("Memory", 10, 14);
    c.fillStyle = this.colour("muted");
    c.fillText(this.clip(c, this.labelOf(this.device[0], lane), Timeline.GUTTER - 16), 10, 31);
    c.fillText("peak " + Logic.bytes(peak.total), 10, 48);
    if (capacity && capacity <= most) {
      c.strokeStyle = this.colour("bad");
      c.setLineDash([6, 4]);
      c.beginPath();
      c.moveTo(Timeline.GUTTER, yOf(capacity));
      c.lineTo(right, yOf(capacity));
      c.stroke();
      c.setLineDash([]);
    }
    if (capacity) c.fillText("of " + Logic.bytes(capacity), 10, 65);
    const x = this.xOf(peak.time);
    if (x >= Timeline.GUTTER && x <= right) {
      c.fillStyle = this.colour("path");
      c.beginPath();
      c.moveTo(x - 4, yOf(peak.total) - 7);
      c.lineTo(x + 4, yOf(peak.total) - 7);
      c.lineTo(x, yOf(peak.total) - 1);
      c.fill();
    }
    this.memory.setAttribute("aria-label", `Memory of ${this.labelOf(this.device[0], lane, true)} over the iteration: peak ${Logic.bytes(peak.total)} of ${Logic.bytes(capacity)}`);
  }
  /** The legend, with the bytes of a moment; of none those of the peak. */
  showMemoryAt(time) {
    const lane = this.memoryLane();
    if (!lane) return;
    const peak = Logic.peakOf(lane);
    let point = peak;
    if (time !== null) {
      const i = lane.memory.findIndex((one) => one.from > time);
      point = lane.memory[Math.max((i < 0 ? lane.memory.length : i) - 1, 0)];
    }
    const kinds = this.plans[this.device[0]].timeline.memory_kinds;
    const items = Object.entries(Timeline.MEMORY).filter(([kind]) => peak.bytes[kinds.indexOf(kind)] || point.bytes[kinds.indexOf(kind)]).map(([kind, colour]) =>
      element("li", {}, element("span", { class: "swatch", style: `background:var(--${colour})` }), Logic.words(kind), element("b", {}, Logic.bytes(point.bytes[kinds.indexOf(kind)]))));
    items.unshift(element("li", {}, time === null ? "at its peak:" : `at ${Logic.duration(point.time)}:`, element("b", {}, Logic.bytes(Logic.sum(point.bytes)))));
    this.memoryLegend.replaceChildren(...items);
  }

  // --- Tasks ---------------------------------------------------------------------------------------------------------

  taskAt(event) {
    const y = event.offsetY, top = this.scroller.scrollTop;
    const row = this.rows.find((one) => y + top >= one.y && y + top < one.y + one.height && one.lane);
    if (!row || y < Timeline.AXIS) return null;
    if (event.offsetX < Timeline.GUTTER) return { row, isLabel: true };
    const time = this.timeAt(event.offsetX), slack = (2 / this.plotWidth()) * (this.to - this.from);
    if (row.kind === "passes") {
      const span = row.lane.spans.find((one) => time >= one.start - slack && time <= one.end + slack);
      return span ? { row, span } : { row };
    }
    const [first, end] = Logic.tasksBetween(row.lane, time - slack, time + slack);
    let best = -1, near = Infinity;
    for (let t = first; t < Math.min(end, first + 64); ++t) {
      const far = time < row.lane.starts[t] ? row.lane.starts[t] - time : time > row.lane.ends[t] ? time - row.lane.ends[t] : 0;
      if (far < near) [best, near] = [t, far];
    }
    return best < 0 ? { row } : { row, task: best };
  }
  describeTask(p, lane, t) {
    const timeline = this.plans[p].timeline, [name, taskClass, kind, detail] = timeline.subjects[lane.subjects[t]];
    const pass = Logic.passOf(timeline, lane.passes[t]);
    const isOnPath = this.paths[p].steps.some((step) => step.lane === lane.number && step.start < lane.ends[t] && step.end > lane.starts[t]);
    return { name, what: `${kind}, ${taskClass === "compute" ? detail + " pass".repeat(detail !== "update") : taskClass === "movement" ? "tiles" : Logic.words(detail)}`, start: lane.starts[t], end: lane.ends[t],
      pass: pass ? Logic.passInWords(pass) : "", isOnPath };
  }
  hover(event) {
    const at = this.taskAt(event);
    if (!at || (!at.isLabel && at.task === undefined && !at.span)) return this.hideTip();
    const lines = [];
    if (at.isLabel) lines.push(this.laneNames(at.row.plan, at.row.lane));
    else if (at.span) lines.push(Logic.passInWords(at.span), `${Logic.duration(at.span.end - at.span.start)}, from ${Logic.duration(at.span.start)} to ${Logic.duration(at.span.end)}`);
    else {
      const task = this.describeTask(at.row.plan, at.row.lane, at.task);
      lines.push(task.name, `${task.what}: ${Logic.duration(task.end - task.start)}`, task.pass);
    }
    this.tip.replaceChildren(...lines.filter(Boolean).map((line, i) => element("div", i ? {} : { style: "font-weight:600" }, line)));
    this.tip.hidden = false;
    const box = this.tip.getBoundingClientRect();
    this.tip.style.left = Math.min(event.clientX + 14, innerWidth - box.width - 8) + "px";
    this.tip.style.top = (event.clientY + 16 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 16) + "px";
    if (!at.isLabel) this.showMemoryAt(this.timeAt(event.offsetX));
  }
  hideTip() {
    this.tip.hidden = true;
    this.showMemoryAt(null);
  }
  pick(event) {
    const at = this.taskAt(event);
    if (at && at.row && !at.row.lane.isLink && at.row.lane.memory.length) this.chooseDevice([at.row.plan, at.row.lane.number]);
    if (at && at.span) return this.show(at.span.start - 0.02 * (at.span.end - at.span.start), at.span.end + 0.02 * (at.span.end - at.span.start));
    this.choose(at && at.task !== undefined ? { plan: at.row.plan, lane: at.row.lane, task: at.task } : null);
  }
  choose(place) {
    this.chosen = place && { ...place, start: place.lane.starts[place.task], end: place.lane.ends[place.task] };
    this.describe(this.chosen);
    this.draw();
  }
  describe(place) {
    if (!place) {
      this.detail.replaceChildren(element("span", { class: "note" },
        "Drag to move, Ctrl and the wheel (or + and −) to zoom, click a pass or a task. Keys: arrows, [ and ] from task to task, c critical path, / search, n next match."));
      return;
    }
    const task = this.describeTask(place.plan, place.lane, place.task);
    this.detail.replaceChildren(element("b", {}, task.name), ` – ${task.what}`, element("br"),
      `${Logic.duration(task.end - task.start)} (${Logic.grouped(task.end - task.start)} ns), from ${Logic.grouped(task.start)} to ${Logic.grouped(task.end)} ns on ${this.laneNames(place.plan, place.lane)}`
      + (task.pass ? `; ${task.pass}` : "") + (task.isOnPath ? "; on the critical path" : ""));
  }
  /** The next or previous task of the lane that is chosen; else the first that is visible. */
  step(by) {
    if (!this.chosen) {
      const row = this.rows.find((one) => one.kind === "tasks" && one.lane.starts.length);
      if (row) this.goTo({ plan: row.plan, lane: row.lane, task: Math.min(Logic.tasksBetween(row.lane, this.from, this.to)[0], row.lane.starts.length - 1) });
      return;
    }
    const { plan, lane, task } = this.chosen, next = task + by;
    if (next >= 0 && next < lane.starts.length) this.goTo({ plan, lane, task: next });
  }
  goTo(place) {
    this.choose(place);
    const { start, end } = this.chosen, width = this.to - this.from;
    if (start < this.from || end > this.to || end - start < width / 400) {
      const wide = Math.min(Math.max((end - start) * 25, this.end / 5e4), width);
      this.show((start + end - wide) / 2, (start + end + wide) / 2);
    }
    const row = this.rows.find((one) => one.kind === "tasks" && one.lane === place.lane);
    if (row && (row.y < this.scroller.scrollTop + Timeline.AXIS || row.y > this.scroller.scrollTop + this.shown - 40)) this.scroller.scrollTop = row.y - 80;
  }

  // --- Search --------------------------------------------------------------------------------------------------------

  find(query) {
    const lists = this.plans.map((plan) => Logic.findSubjects(plan.timeline, query));
    const isEmpty = !query.trim();
    this.found = isEmpty ? null : lists.map((list) => new Set(list));
    this.match = null;
    const shown = 60, buttons = [];
    this.plans.forEach((plan, p) => {
      for (const subject of isEmpty ? [] : lists[p].slice(0, shown - buttons.length)) {
        const made = element("button", { type: "button" }, plan.timeline.subjects[subject][0]);
        made.addEventListener("click", () => this.goToSubject(p, subject));
        buttons.push(made);
      }
    });
    const count = Logic.sum(lists.map((list) => list.length));
    this.results.replaceChildren(...(isEmpty ? [] : [element("span", { class: "note" }, count === 0 ? "Nothing has this name." : `${count} found${count > shown ? `, the first ${shown}:` : ":"}`), ...buttons]));
    this.draw();
  }
  goToSubject(p, subject) {
    for (const lane of this.plans[p].timeline.lanes) {
      const task = lane.subjects.indexOf(subject);
      if (task < 0) continue;
      if (lane.isLink && !this.showLinks) {
        this.showLinks = true;
        this.listRows();
      }
      return this.goTo({ plan: p, lane, task });
    }
  }
  /** The next task on a lane that is shown whose name was searched, after the one that is chosen. */
  nextMatch(by) {
    if (!this.found) return;
    const rows = this.rows.filter((row) => row.kind === "tasks"), places = rows.length;
    const at = this.chosen ? rows.findIndex((row) => row.lane === this.chosen.lane && row.plan === this.chosen.plan) : 0;
    for (let n = 0; n <= places; ++n) {
      const row = rows[(((at + n * by) % places) + places) % places], lane = row.lane;
      let t = n === 0 && this.chosen ? this.chosen.task + by : by > 0 ? 0 : lane.starts.length - 1;
      for (; t >= 0 && t < lane.starts.length; t += by) if (this.found[row.plan].has(lane.subjects[t])) return this.goTo({ plan: row.plan, lane, task: t });
    }
  }
}
