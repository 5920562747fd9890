// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sections of plan.html.
"use strict";

/** An element with attributes and children; text is text. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}
function drawn(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.flat());
  return made;
}
const L = Logic;

/** A figure in words, with its exact value as its title and for tests. */
function figure(text, exact, unit = "") {
  return element("span", { "data-exact": exact, title: exact === undefined ? null : L.grouped(exact, Number.isInteger(exact) ? 0 : 6) + (unit ? " " + unit : "") }, text);
}
const time = (ns) => figure(L.duration(ns), ns, "ns");
const size = (count) => figure(L.bytes(count), count, "bytes");

function table(head, rows, options = {}) {
  const isNumeric = (i) => (options.numeric || []).includes(i);
  return element("div", { class: "scroll" }, element("table", {},
    options.caption ? element("caption", { class: "note", style: "text-align:left;caption-side:bottom;padding-top:.4rem" }, options.caption) : "",
    element("thead", {}, element("tr", {}, head.map((cell, i) => element("th", { scope: "col", class: isNumeric(i) ? "n" : null }, cell)))),
    element("tbody", {}, rows.map((row) => element("tr", { class: row.class || null }, (row.cells || row).map((cell, i) =>
      cell instanceof HTMLTableCellElement ? cell : element("td", { class: isNumeric(i) ? "n" : null }, cell)))))));
}
function bar(share, colour = "forward") {
  return element("td", { class: "bars" }, element("span", { class: "bar", style: `width:${Math.max(Math.min(share, 1), 0) * 100}%;background:var(--${colour})` }));
}
function facts(rows, isWide = false) {
  return element("dl", { class: "facts" + (isWide ? " two" : "") }, rows.filter((row) => row[1] !== undefined && row[1] !== null && row[1] !== "").flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}
function download(name, kind, content) {
  const made = element("button", { type: "button" }, name);
  made.addEventListener("click", () => {
    const link = element("a", { download: name, href: URL.createObjectURL(new Blob([content()], { type: kind })) });
    document.body.append(link);
    link.click();
    URL.revokeObjectURL(link.href);
    link.remove();
  });
  return made;
}

class Page {
  constructor(data, timelines) {
    this.data = data;
    this.timeline = timelines[0];
    this.other = timelines[1];
    this.main = document.querySelector("main");
    this.nav = document.querySelector("nav > div");
    document.title = data.title;
    this.head();
    this.section("timeline", "Timeline", this.drawTimeline);
    this.section("compare", "Compare", this.compare);
    this.section("strategy", "Strategy", this.strategy);
    this.section("cluster", "Cluster", this.cluster);
    this.section("what-if", "What if", this.whatIf);
    this.section("search", "Search", this.search);
    this.section("about", "About", this.about);
    this.chrome();
  }

  section(id, title, fill) {
    const made = element("section", { id, "aria-labelledby": id + "-title" }, element("h2", { id: id + "-title" }, title));
    this.main.append(made);
    if (fill.call(this, made) === false) return made.remove();
    this.nav.append(element("a", { href: "#" + id }, title));
    return made;
  }

  chrome() {
    this.nav.append(element("span", { class: "space" }));
    const theme = element("button", { type: "button", title: "Light or dark" }, "Light / dark");
    theme.addEventListener("click", () => {
      const root = document.documentElement, isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = isDark ? "light" : "dark";
      this.widget?.draw();
    });
    const print = element("button", { type: "button" }, "Print");
    print.addEventListener("click", () => window.print());
    this.nav.append(theme, print);
    const links = [...this.nav.querySelectorAll("a")];
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) links.forEach((link) => link.setAttribute("aria-current", link.hash === "#" + entry.target.id));
    }, { rootMargin: "-30% 0px -65% 0px" });
    this.main.querySelectorAll("section").forEach((one) => seen.observe(one));
  }

  // --- Head ------------------------------------------------------------------------------------------------------------

  badge(isSimulated) {
    return element("span", { class: "badge " + (isSimulated ? "simulated" : "priced"), title: isSimulated ? "Every task of the iteration was simulated" : "A sum of prices, not simulated" }, isSimulated ? "simulated" : "priced");
  }
  card(label, value, below, badge = "", meter = null) {
    return element("div", { class: "card" }, element("div", { class: "label" }, label, badge), element("div", { class: "value" }, value),
      meter === null ? "" : element("div", { class: "meter" + (meter > 1 ? " over" : "") }, element("i", { style: `width:${Math.min(meter, 1) * 100}%` })), element("div", { class: "below" }, below));
  }

  head() {
    const { data } = this, { answer, report } = data, best = answer?.best, header = document.querySelector("header");
    const ns = best ? best.nanoseconds : report.makespan_ns, isSimulated = best ? best.simulated : true;
    const peak = best ? best.peak_bytes : data.peak_bytes, capacity = data.cluster.memory_bytes;
    const range = best?.report.makespan_range_ns;
    header.append(element("h1", {}, data.title), element("p", { class: "lead" }, data.lead));
    const cards = [this.card("Iteration", time(ns),
      [...(range ? [time(range[0]), " to ", time(range[1]), ", as published runs of this executor differ"] : [data.executor_words]), ...(report && report.makespan_ns !== ns ? ["; the timeline: ", time(report.makespan_ns)] : [])], this.badge(isSimulated))];
    if (best) {
      const rate = best.tokens_per_second !== undefined ? [best.tokens_per_second, "tokens/s"] : [best.samples_per_second, "samples/s"];
      cards.push(this.card("Throughput", figure(L.grouped(rate[0]), rate[0], rate[1]), rate[1]));
      cards.push(this.card("MFU", figure(L.percent(best.mfu), best.mfu), "of the dense bf16 peak; nothing recomputed counts"));
    }
    cards.push(this.card("Fullest device", size(peak), [best && !best.fits ? `${L.bytes(best.excess_bytes)} more than it has` : `of ${L.bytes(capacity)}`, ...(report && data.peak_bytes !== peak ? ["; the timeline: ", size(data.peak_bytes)] : [])], this.badge(isSimulated), peak / capacity));
    if (report) {
      const parts = L.partsOf(report, this.timeline);
      if (parts) {
        const waiting = parts.rows.find((row) => row[0] === "waiting")[1] / report.makespan_ns, exposed = report.exposed_communication_ns / parts.devices / report.makespan_ns;
        cards.push(this.card("Devices compute", L.percent(1 - waiting - exposed), `${L.percent(exposed)} communication that nothing hides, ${L.percent(waiting)} waiting`));
      }
    }
    header.append(element("div", { class: "cards" }, cards));
    if (best && !best.fits) header.append(element("p", { class: "worse", style: "margin-top:1rem" }, element("b", {}, "The plan does not fit. "), answer.enough ? answer.enough + "." : ""));
    if (answer?.verdict) header.append(element("p", { style: "margin-top:1rem" }, element("b", {}, "Today: "), answer.today.words, ". ", answer.verdict, "."));
    header.append(facts(data.facts, true));
    this.section("overview", "Overview", this.overview);
  }

  overview(root) {
    const { data } = this, { answer, report } = data;
    if (report) {
      const parts = L.partsOf(report, this.timeline);
      if (parts) root.append(element("h3", {}, "Where the time goes"), element("p", { class: "note" }, `Mean of all ${L.grouped(parts.devices)} devices, of ${L.duration(report.makespan_ns)}.`), ...this.stack(parts.rows, report.makespan_ns));
    }
    const memory = this.peakParts();
    if (memory) root.append(element("h3", {}, "Memory of the fullest device"), element("p", { class: "note" }, memory.note), ...this.stack(memory.rows, memory.whole, L.bytes));
    if (answer) this.kinds(root);
    else if (report) this.presets(root);
  }
  static COLOURS = { "forward passes": "forward", kernels: "forward", "backward passes": "backward", updates: "update", tiles: "tiles", "communication that nothing hides": "gradients", free: null, waiting: null,
    inputs: "inputs", weights: "weights", "optimizer states": "states", activations: "activations", "activation gradients": "agrads", "weight gradients": "gradients", "messages and temporaries": "other" };

  /** A bar of parts, and its legend. */
  stack(rows, whole, inWords = L.duration) {
    const shown = rows.filter((row) => row[1] > 0), colour = (name) => Page.COLOURS[name];
    const style = (name) => (colour(name) ? `background:var(--${colour(name)});` : "");
    const css = (name) => (colour(name) ? null : "waiting");
    return [element("div", { class: "stack", role: "img", "aria-label": shown.map(([name, value]) => `${name} ${L.percent(value / whole)}`).join(", ") },
        shown.map(([name, value]) => element("i", { class: css(name), title: `${name}: ${inWords(value)}, ${L.percent(value / whole)}`, style: `${style(name)}flex:${value / whole} 0 0` }))),
      element("ul", { class: "legend" }, shown.map(([name, value]) => element("li", {}, element("span", { class: "swatch " + (css(name) || ""), style: style(name) }), name, element("b", {}, inWords(value)), element("span", { class: "note" }, L.percent(value / whole)))))];
  }
  peakParts() {
    const capacity = this.data.cluster.memory_bytes;
    if (this.timeline) {
      let best = null, whose = null;
      for (const lane of this.timeline.lanes) {
        const peak = lane.isLink ? null : L.peakOf(lane);
        if (peak && (!best || peak.total > best.total)) [best, whose] = [peak, lane];
      }
      if (best) {
        const rows = this.timeline.memory_kinds.map((kind, i) => [L.words(kind), best.bytes[i]]);
        // Next to a capacity that is many times as much, parts would have no width.
        const isSmall = best.total < 0.03 * capacity;
        if (capacity > best.total && !isSmall) rows.push(["free", capacity - best.total]);
        return { rows, whole: isSmall ? best.total : Math.max(capacity, best.total), note: `${L.bytes(best.total)} of ${L.bytes(capacity)} on ${this.name("device", whose.members[0])} at ${L.duration(best.time)}, simulated.` };
      }
    }
    return null;
  }

  kinds(root) {
    const { answer, cluster } = this.data, rows = Object.entries(answer.best_of_kinds), best = answer.best;
    const slowest = Math.max(...rows.map(([, plan]) => plan.nanoseconds)), isSame = (plan) => plan.words === best.words && plan.nanoseconds === best.nanoseconds;
    root.append(element("h3", {}, "The best of each kind"), table(["kind", "time of an iteration", "", "times the plan's", "MFU", "memory", "", "plan"], rows.map(([kind, plan]) => ({
      class: isSame(plan) ? "chosen" : plan.fits ? null : "misfit",
      cells: [element("td", { class: "name" }, kind), time(plan.nanoseconds), bar(plan.nanoseconds / slowest, isSame(plan) ? "forward" : plan.fits ? "weights" : "inputs"), plan.nanoseconds === best.nanoseconds ? "" : L.grouped(plan.nanoseconds / best.nanoseconds, 2), L.percent(plan.mfu), size(plan.peak_bytes),
        plan.state && plan.state !== "priced" ? element("span", { class: plan.fits ? "note" : "worse" }, plan.state) : this.badge(plan.simulated), element("td", { class: "wide" }, plan.words)],
    })), { numeric: [1, 3, 4, 5], caption: `Kinds that do not fit into ${L.bytes(cluster.memory_bytes)} are no baselines. Times that are priced, not simulated, say so.` }));
    for (const [kind, why] of Object.entries(answer.missing)) root.append(element("p", { class: "note" }, `${kind}: none: ${why}`));
  }
  presets(root) {
    const { report } = this.data, rows = [{ class: "chosen", cells: ["this plan", time(report.makespan_ns), null, "", this.badge(true)], ns: report.makespan_ns }];
    for (const [name, ns] of Object.entries(report.presets_ns || {}))
      rows.push({ ns, class: report.no_speedup_over?.[name] ? "misfit" : null, cells: [name, time(ns), null, report.speedup_over?.[name] === undefined ? "" : figure(L.grouped(report.speedup_over[name], 2), report.speedup_over[name]), report.no_speedup_over?.[name] || this.badge(true)] });
    if (rows.length < 2) return;
    const slowest = Math.max(...rows.map((row) => row.ns));
    rows.forEach((row, i) => (row.cells[2] = bar(row.ns / slowest, i ? "weights" : "forward")));
    root.append(element("h3", {}, "Baselines"), table(["strategy", "time of an iteration", "", "times the plan's", ""], rows, { numeric: [1, 3] }));
  }

  name(kind, number) {
    const { devices, links } = this.data.topology;
    if (kind === "device") return devices[number][0];
    const nodes = [...devices.map((device) => device[0]), ...this.data.topology.switches];
    return `${nodes[links[number][0]]} → ${nodes[links[number][1]]}`;
  }

  // --- Timeline --------------------------------------------------------------------------------------------------------

  drawTimeline(root) {
    const { data } = this;
    if (!this.timeline) {
      if (!data.why_no_timeline) return false;
      root.append(element("p", {}, data.why_no_timeline));
      return true;
    }
    root.append(element("p", { class: "note" }, data.timeline_words), this.legend());
    const capacity = () => data.cluster.memory_bytes, names = (kind, number) => this.name(kind, number);
    const plans = [{ title: data.title, timeline: this.timeline, capacity }];
    if (this.other) plans.push({ title: data.beside.title, timeline: this.other, capacity });
    this.widget = new Timeline(root, plans, names);
    const path = L.pathOf(this.timeline);
    if (path.shares.length) {
      const whole = this.timeline.makespan_ns, byColumn = L.COLUMNS.map(() => 0);
      for (const share of path.shares) byColumn[this.timeline.columns[share.subject]] += share.ns;
      root.append(element("h3", {}, "The critical path"), element("p", { class: "note" },
        `Tasks, each of which starts when the one before ends, from 0 to ${L.duration(whole)}: what has to be shorter for a shorter iteration. `
        + L.COLUMNS.map((name, c) => [this.columnName(name), byColumn[c]]).filter((row) => row[1]).sort((a, b) => b[1] - a[1]).map(([name, ns]) => `${name} ${L.percent(ns / whole)}`).join(", ") + "."));
      const rows = path.shares.slice(0, 12), most = rows[0].ns;
      root.append(table(["op or tensor", "", "time on the path", "", "of the iteration"], rows.map(({ subject, ns, name, count }) => {
        const [, , kind, detail] = this.timeline.subjects[subject];
        const go = element("button", { type: "button", title: "Show it in the timeline" }, name);
        go.addEventListener("click", () => { this.widget.goToSubject(0, subject); document.getElementById("timeline").scrollIntoView(); });
        return [element("span", {}, go, count > 1 ? element("span", { class: "badge", style: "margin-left:.5rem", title: `${count} ops or tensors of blocks that repeat` }, `× ${count}`) : ""), element("span", { class: "note" }, `${kind}, ${L.words(detail)}`), time(ns), bar(ns / most, Page.column(this.timeline.columns[subject])), L.percent(ns / whole)];
      }), { numeric: [2, 4], caption: path.shares.length > 12 ? `The first 12 of ${L.grouped(path.shares.length)}; all are in critical-path.csv below.` : null }));
    }
    return true;
  }
  static column(number) { return ["forward", "backward", "update", "tiles", "weights", "gradients", "activations", "other"][number]; }
  columnName(name) {
    return { forward: "forward", backward: "backward", update: "updates", tiles: "tiles", weights: "moving weights", gradients: "moving weight gradients", activations: "moving activations and their gradients", other: "moving other tensors" }[name];
  }
  legend() {
    const used = new Set(this.timeline.lanes.flatMap((lane) => L.busyOf(lane).map((ns, c) => (ns ? c : -1))));
    return element("ul", { class: "legend" }, L.COLUMNS.map((name, c) => used.has(c) ? element("li", {}, element("span", { class: "swatch", style: `background:var(--${Page.column(c)})` }), this.columnName(name)) : ""),
      element("li", {}, element("span", { class: "swatch", style: "background:var(--path);height:3px;width:18px;border-radius:0" }), "critical path"));
  }

  // --- Compare ---------------------------------------------------------------------------------------------------------

  compare(root) {
    const { beside, report, title } = this.data;
    if (!beside) return false;
    const a = { report, parts: L.partsOf(report, this.timeline) }, b = { report: beside.report, parts: L.partsOf(beside.report, this.other) };
    const change = b.report.makespan_ns - a.report.makespan_ns;
    root.append(element("p", {}, element("b", {}, "A"), ` is ${title}; `, element("b", {}, "B"), ` is ${beside.title}. B takes ${L.grouped(b.report.makespan_ns / a.report.makespan_ns, 3)} times as long (${L.signedPercent(change / a.report.makespan_ns)}). Both are on one axis in the timeline above.`));
    const rows = L.differences(a, b), most = Math.max(...rows.slice(0, -1).map((row) => Math.abs(row[3])), 1);
    root.append(element("h3", {}, "The difference by cause"), table(["cause", "A", "B", "B less A", ""], rows.map(([name, x, y, d], i) => ({ class: i === rows.length - 1 ? "chosen" : null,
      cells: [name, time(x), time(y), element("span", { class: d < 0 ? "better" : d > 0 ? "worse" : "" }, (d > 0 ? "+" : "") + L.duration(d)), i === rows.length - 1 ? "" : bar(Math.abs(d) / most, d < 0 ? "update" : "gradients")] })),
      { numeric: [1, 2, 3], caption: "Means of all devices; the causes add up to the difference of the iterations." }));
    const kinds = Object.keys({ ...report.bytes_by_kind, ...beside.report.bytes_by_kind });
    const moved = kinds.map((kind) => [L.words(kind), report.bytes_by_kind?.[kind] || 0, beside.report.bytes_by_kind?.[kind] || 0]).filter((row) => row[1] || row[2]);
    moved.push(["all that is moved", report.bytes_moved, beside.report.bytes_moved], ["between machines", report.bytes_between_machines, beside.report.bytes_between_machines], ["memory of the fullest device", this.data.peak_bytes, beside.peak_bytes]);
    root.append(element("h3", {}, "Bytes"), table(["what", "A", "B", "B over A"], moved.map(([name, x, y]) => [name, size(x), size(y), x && y / x < 1000 ? L.grouped(y / x, 2) : ""]), { numeric: [1, 2, 3] }));
    return true;
  }

  // --- Strategy --------------------------------------------------------------------------------------------------------

  strategy(root) {
    const { blocks, report, answer, explain } = this.data, pipeline = report?.pipeline;
    if (!blocks && !answer) return false;
    if (answer) root.append(element("p", {}, answer.best.words + "."));
    if (pipeline) {
      root.append(element("p", { class: "note" }, `${pipeline.stages.length > 1 ? pipeline.schedule + ", " : ""}${pipeline.microbatches} microbatch${pipeline.microbatches > 1 ? "es" : ""}${pipeline.stages.length > 1 || pipeline.microbatches === 1 ? "" : " one after the other"}; devices compute ${L.percent(1 - pipeline.bubble)} of the time.`));
      const same = [];
      pipeline.stages.forEach((stage, number) => same.push({ stage, number }));
      root.append(element("div", { class: "stages" }, same.map(({ stage, number }) => element("div", { class: "stage" },
        element("h4", {}, `Stage ${number}`, element("span", { class: "note" }, `${stage.devices.length} device${stage.devices.length > 1 ? "s" : ""}`)),
        this.data.stage_blocks?.[number] ? element("div", {}, this.data.stage_blocks[number]) : "",
        element("div", { class: "note" }, stage.devices.length > 2 ? `${stage.devices[0]} … ${stage.devices[stage.devices.length - 1]}` : stage.devices.join(", ")),
        element("div", {}, "forward ", time(stage.forward_ns)), element("div", {}, "backward ", time(stage.backward_ns)),
        element("div", {}, `${stage.in_flight} in flight, `, size(stage.peak_bytes))))));
    }
    if (answer?.best.report.by_stage?.length) {
      root.append(element("details", {}, element("summary", {}, "Prices of stages ", element("span", { class: "what" }, "what the search composed; not simulated")), element("div", {}, table(
        ["stage", "segments", "recomputation", "forward", "backward", "not hidden", "update", "weights", "states", "gradients", "activations", "temporaries"],
        answer.best.report.by_stage.map((s, i) => [`${i}`, `${s.segments}`, s.recompute, time(s.forward_ns), time(s.backward_ns), time(s.exposed_ns), time(s.update_ns), size(s.parameter_bytes), size(s.state_bytes), size(s.gradient_bytes), size(s.activation_bytes), size(s.scratch_bytes)]),
        { numeric: [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11] }))));
    }
    if (!blocks) return true;
    const named = this.timeline ? this.timeByName() : null;
    root.append(element("h3", {}, "Blocks and ops"), element("p", { class: "note" }, this.data.blocks_words));
    let most = 0;
    const rows = blocks.map((block) => {
      const ns = named ? L.sum(block.ops.flatMap((op) => L.namesOf(block, op)).map((name) => named.get(name) || 0)) : 0;
      most = Math.max(most, ns);
      return { block, ns };
    });
    for (const { block, ns } of rows) {
      const body = element("div");
      const made = element("details", {}, element("summary", {}, element("b", {}, block.title), block.count > 1 ? element("span", { class: "count", title: `${block.count} blocks are split alike` }, `× ${block.count}`) : "",
        element("span", { class: "what" }, `${block.ops.length} ops${block.count > 1 ? " each" : ""}, ${block.split}`), ns ? element("span", { class: "what" }, `${L.duration(ns)} of a device`) : "", this.bar(ns / most)), body);
      made.addEventListener("toggle", () => made.open && !body.childNodes.length && body.append(this.blockOps(block, named)));
      root.append(made);
    }
    if (explain?.length) this.alternatives(root, explain);
    if (this.data.explain_left_out) root.append(element("p", { class: "note" }, this.data.explain_left_out));
    return true;
  }
  bar(share) {
    return element("span", { style: "flex:1;min-width:60px;align-self:center" }, element("span", { style: `display:block;height:6px;border-radius:2px;background:var(--weights);width:${Math.max(share * 100, 0)}%` }));
  }
  /** Mean time of a device, by name of an op. */
  timeByName() {
    const { times, devices } = L.timeBySubject(this.timeline), byName = new Map();
    this.timeline.subjects.forEach(([name, taskClass], i) => taskClass !== "transfer" && byName.set(name, (byName.get(name) || 0) + times[i] / devices));
    return byName;
  }
  blockOps(block, named) {
    const head = ["op", "kind", "pass", "loops", "copies", "devices"];
    if (named) head.push(block.count > 1 ? `time of a device, all ${block.count}` : "time of a device");
    return table(head, block.ops.map((op) => {
      const loops = op.loops.map(([name, extent, role, degree]) => element("span", { title: `${extent} points, ${role}`, style: "margin-right:.7em;white-space:nowrap" + (degree > 1 ? ";font-weight:650" : ";color:var(--muted)") }, degree > 1 ? `${name} ${L.grouped(extent)} / ${degree} ${role}` : `${name} ${L.grouped(extent)}`));
      const cells = [op.name, op.kind, op.phase, element("span", {}, loops), op.copies > 1 ? `${op.copies}` : "", op.devices];
      if (named) cells.push(time(Math.round(L.sum(L.namesOf(block, op).map((name) => named.get(name) || 0)))));
      return cells;
    }), { numeric: [4, 6] });
  }
  alternatives(root, explain) {
    root.append(element("h3", {}, "Other configs of an op"), element("p", { class: "note" }, "Each is simulated, while all other ops keep theirs."));
    for (const { op, rows, current, loops, left_out: left } of explain)
      root.append(element("details", {}, element("summary", {}, element("b", {}, op), element("span", { class: "what" }, `${loops}; ${rows.length} configs${left ? `, ${left} more were not tried` : ""}`)), element("div", {}, table(["config", "time of an iteration", "difference", "moved", ""], rows.map((row) => ({ class: row.isCurrent ? "chosen" : null, cells: [row.config, time(row.ns), row.isCurrent ? "the plan's" : L.signedPercent(row.ns / current - 1), row.moved === null ? "" : size(row.moved), row.note] })), { numeric: [1, 2, 3] }))));
  }

  // --- Cluster ---------------------------------------------------------------------------------------------------------

  cluster(root) {
    const { topology, cluster } = this.data, load = this.loads();
    root.append(element("p", {}, cluster.words + "."));
    const bytesKnown = load.links.size > 0;
    const drawing = new ClusterDrawing(this, load).draw();
    if (drawing) root.append(drawing);
    root.append(element("h3", {}, "Links"), table(["links", "how many", "bandwidth", "latency", ...(bytesKnown ? ["busy: mean", "busiest", "", "carries: mean", "most"] : [])], topology.tiers.map((tier, t) => {
      const of = [...load.links].filter(([link]) => topology.links[link][2] === t).map(([, value]) => value);
      const mean = (key) => (of.length ? L.sum(of.map((value) => value[key])) / of.length : 0), most = (key) => Math.max(0, ...of.map((value) => value[key]));
      return [tier.name, L.grouped(tier.count), figure(L.bytes(tier.bandwidth) + "/s", tier.bandwidth), figure(L.duration(tier.latency * 1e9), tier.latency), ...(bytesKnown ? [L.percent(mean("busy")), L.percent(most("busy")), bar(most("busy"), "gradients"), L.bytes(Math.round(mean("bytes"))), L.bytes(most("bytes"))] : [])];
    }), { numeric: [1, 2, 3, 4, 5, 7, 8], caption: bytesKnown ? load.words : null }));
    const between = this.data.report?.bytes_between;
    if (between && between.length > 1 && between.length <= 16) root.append(element("h3", {}, "Bytes from device to device"), this.matrix(between));
  }
  /** Share of time and bytes of links and devices. */
  loads() {
    const links = new Map(), devices = new Map();
    if (!this.timeline) return { links, devices, words: "" };
    for (const lane of this.timeline.lanes) {
      const busy = L.sum(L.busyOf(lane)) / this.timeline.makespan_ns;
      for (const member of lane.isLink ? lane.members : L.devicesOf(this.timeline, lane)) (lane.isLink ? links : devices).set(member, { busy, bytes: lane.bytes });
    }
    const words = this.timeline.replicas > 1 ? "Of links that the simulated replica uses; the links of others carry the same." : "Of links that carry something.";
    return { links, devices, words };
  }
  matrix(between) {
    const most = Math.max(...between.flat(), 1), names = this.data.topology.devices.map((device) => device[0]);
    return element("div", { class: "scroll" }, element("table", { style: "width:auto" }, element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "from \\ to"), names.map((name) => element("th", { scope: "col", class: "n" }, name)))),
      element("tbody", {}, between.map((row, from) => element("tr", {}, element("th", { scope: "row" }, names[from]), row.map((count) => element("td", { class: "n", title: `${L.grouped(count)} bytes`, style: count ? `background:color-mix(in srgb, var(--gradients) ${Math.round((count / most) * 60)}%, transparent)` : "" }, count ? L.bytes(count) : "")))))));
  }

  // --- What if ---------------------------------------------------------------------------------------------------------

  whatIf(root) {
    const { what_if: table_ } = this.data;
    if (!table_) return false;
    root.append(element("p", { class: "note" }, table_.words));
    const factors = [...new Set(table_.rows.flatMap((row) => row.points.map((point) => point.factor)))].sort((a, b) => a - b);
    root.append(element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "what changes"), element("th", { scope: "col" }, "now"), factors.map((factor) => element("th", { scope: "col", class: "n" }, `× ${factor}`)))),
      element("tbody", {}, table_.rows.map((row) => element("tr", {}, element("th", { scope: "row", style: "color:var(--text);white-space:normal" }, row.what, row.note ? element("div", { class: "note" }, row.note) : ""), element("td", { class: "note" }, row.now), factors.map((factor) => {
        const point = row.points.find((one) => one.factor === factor);
        if (!point) return element("td", { class: "n" }, "");
        if (point.why) return element("td", { class: "n note", title: point.why }, point.short || "none");
        if (point.words) return element("td", { class: "n " + (point.isBad ? "worse" : "") }, point.words);
        const share = point.share ?? point.ns / table_.base - 1;
        return element("td", { class: "n" }, time(point.ns), element("br"), element("span", { class: Math.abs(share) < 5e-4 ? "note" : share < 0 ? "better" : "worse" }, factor === 1 ? (point.ns === table_.base ? "now" : "now, by links") : L.signedPercent(share)),
          point.unit ? element("span", { class: "note" }, ` ${point.unit}`) : "", point.priced ? [" ", this.badge(false)] : "", point.fits === false ? element("div", { class: "worse" }, "does not fit") : "");
      })))))));
    root.append(element("p", { class: "note" }, "Only these points were simulated. Between them nothing is known: a link may stop being what the time waits for anywhere."));
    if (table_.left_out) root.append(element("p", { class: "note" }, table_.left_out));
    return true;
  }

  // --- Search ----------------------------------------------------------------------------------------------------------

  search(root) {
    const { search } = this.data;
    if (!search) return false;
    const tabs = [];
    if (search.plans?.length > 1) tabs.push(["Frontier", () => this.frontier(search.plans)]);
    if (search.facts?.length || search.curve?.length) tabs.push(["How it went", () => element("div", {}, facts(search.facts || []), search.curve?.length > 1 ? this.curve(search) : "")]);
    if (search.sizes?.length) tabs.push(["Sizes of the cluster", () => table(["cluster", "devices", "time", "device-seconds", ""], search.sizes.map((row) => [row.cluster, L.grouped(row.devices), L.duration(row.seconds * 1e9), L.grouped(row.device_seconds, 2), row.fits ? "" : "does not fit"]), { numeric: [1, 2, 3] })]);
    if (!tabs.length) return false;
    const list = element("div", { role: "tablist", "aria-label": "Search" }), panels = [];
    const choose = (i) => [...list.children].forEach((tab, j) => {
      tab.setAttribute("aria-selected", i === j);
      tab.tabIndex = i === j ? 0 : -1;
      panels[j].hidden = i !== j;
    });
    tabs.forEach(([name, fill], i) => {
      const tab = element("button", { type: "button", role: "tab", id: `tab-${i}`, "aria-controls": `panel-${i}` }, name);
      tab.addEventListener("click", () => choose(i));
      tab.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!by) return;
        const next = (i + by + tabs.length) % tabs.length;
        choose(next);
        list.children[next].focus();
      });
      list.append(tab);
      panels.push(element("div", { role: "tabpanel", id: `panel-${i}`, "aria-labelledby": `tab-${i}` }, fill()));
    });
    if (tabs.length > 1) root.append(list);
    root.append(...panels);
    choose(0);
    return true;
  }
  frontier(plans) {
    const width = 860, height = 360, left = 74, bottom = 44, top = 16, right = 20, capacity = this.data.cluster.memory_bytes;
    const best = new Set(L.frontier(plans.filter((plan) => plan.fits)));
    const log = (value) => Math.log10(value), xs = plans.map((plan) => plan.bytes).concat(capacity), ys = plans.map((plan) => plan.ns);
    const range = (values) => [log(Math.min(...values)) - 0.06, log(Math.max(...values)) + 0.06];
    const [x0, x1] = range(xs), [y0, y1] = range(ys);
    const x = (value) => left + ((log(value) - x0) / (x1 - x0)) * (width - left - right), y = (value) => top + ((y1 - log(value)) / (y1 - y0)) * (height - top - bottom);
    const ticks = (low, high) => {
      const found = [];
      for (let e = Math.floor(low); e <= high; ++e) for (const m of high - low > 1.4 ? [1] : high - low > 0.6 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]) if (e + log(m) >= low && e + log(m) <= high) found.push(m * 10 ** e);
      return found;
    };
    const parts = [];
    for (const tick of ticks(x0, x1)) parts.push(drawn("line", { class: "axis", x1: x(tick), x2: x(tick), y1: top, y2: height - bottom }), drawn("text", { class: "muted", x: x(tick), y: height - bottom + 18, "text-anchor": "middle" }, L.bytes(tick).replace(".0", "")));
    for (const tick of ticks(y0, y1)) parts.push(drawn("line", { class: "axis", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }), drawn("text", { class: "muted", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, tick >= 1e9 ? `${+(tick / 1e9).toPrecision(3)} s` : `${+(tick / 1e6).toPrecision(3)} ms`));
    parts.push(drawn("line", { x1: x(capacity), x2: x(capacity), y1: top, y2: height - bottom, stroke: "var(--bad)", "stroke-dasharray": "6 4" }), drawn("text", { x: x(capacity) - 6, y: top + 12, "text-anchor": "end", style: "fill:var(--bad)" }, `a device has ${L.bytes(capacity)}`));
    const line = [...best].sort((a, b) => a.bytes - b.bytes);
    if (line.length > 1) parts.push(drawn("polyline", { fill: "none", stroke: "var(--forward)", "stroke-width": 1.5, points: line.flatMap((plan, i) => (i ? [`${x(plan.bytes)},${y(line[i - 1].ns)}`] : []).concat(`${x(plan.bytes)},${y(plan.ns)}`)).join(" ") }));
    for (const plan of plans) {
      const colour = plan.isBest ? "var(--gradients)" : best.has(plan) ? "var(--forward)" : "var(--other)";
      const dot = drawn("circle", { cx: x(plan.bytes), cy: y(plan.ns), r: plan.isBest ? 7 : 5, fill: plan.simulated ? colour : "var(--bg)", stroke: colour, "stroke-width": 2 }, drawn("title", {}, `${plan.words}: ${L.duration(plan.ns)}, ${L.bytes(plan.bytes)}${plan.state ? ", " + plan.state : ""}, ${plan.simulated ? "simulated" : "priced"}`));
      parts.push(dot);
    }
    parts.push(drawn("text", { class: "muted", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, "memory of the fullest device"));
    const rows = [...plans].sort((a, b) => a.ns - b.ns), shown = 16;
    return element("div", {}, element("figure", {}, drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, role: "img", "aria-label": "Time and memory of all plans that were priced; the table has the figures" }, parts),
        element("figcaption", {}, "Time of an iteration over memory, both scales logarithmic. The large dot is the plan; full dots are simulated, open ones priced; the line joins plans that no other one beats in both.")),
      table(["plan", "time", "memory", ""], rows.slice(0, shown).map((plan) => ({ class: plan.isBest ? "chosen" : plan.fits ? null : "misfit", cells: [plan.words, time(plan.ns), size(plan.bytes), element("span", {}, this.badge(plan.simulated), plan.state ? " " + plan.state : "", best.has(plan) ? " on the frontier" : "")] })),
        { numeric: [1, 2], caption: rows.length > shown ? `The fastest ${shown} of ${rows.length}; all are in plans.csv below.` : null }));
  }
  curve({ curve, initial }) {
    const width = 860, height = 260, left = 74, bottom = 36, top = 14, right = 20;
    const last = curve[curve.length - 1].seconds || 1, starts = Object.entries(initial || {}).filter(([, ns]) => ns <= 2 * curve[curve.length - 1].best_ns);
    const ys = curve.map((point) => point.best_ns).filter((ns) => ns <= 2 * curve[curve.length - 1].best_ns).concat(starts.map((row) => row[1]));
    const y0 = Math.min(...ys) * 0.985, y1 = Math.max(...ys) * 1.015, x = (s) => left + (s / last) * (width - left - right), y = (ns) => top + ((y1 - Math.min(ns, y1)) / (y1 - y0)) * (height - top - bottom);
    const parts = [];
    for (const tick of L.steps(y0, y1, 5)) parts.push(drawn("line", { class: "axis", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }), drawn("text", { class: "muted", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, L.duration(tick)));
    for (const tick of L.steps(0, last, 7)) parts.push(drawn("text", { class: "muted", x: x(tick), y: height - bottom + 18, "text-anchor": "middle" }, L.grouped(tick, last < 7 ? 1 : 0) + " s"));
    // A name only where it has room: the table has all.
    let free = Infinity;
    for (const [name, ns] of starts.sort((a, b) => b[1] - a[1])) {
      parts.push(drawn("line", { x1: left, x2: width - right, y1: y(ns), y2: y(ns), stroke: "var(--other)", "stroke-dasharray": "5 4", "stroke-opacity": 0.7 }, drawn("title", {}, `${name} ${L.duration(ns)}`)));
      if (free !== Infinity && y(ns) - free < 15) continue;
      free = y(ns);
      parts.push(drawn("text", { class: "muted", x: width - right - 4, y: y(ns) - 4, "text-anchor": "end" }, name));
    }
    parts.push(drawn("polyline", { fill: "none", stroke: "var(--forward)", "stroke-width": 2, points: curve.flatMap((point, i) => (i ? [`${x(point.seconds)},${y(curve[i - 1].best_ns)}`] : []).concat(`${x(point.seconds)},${y(point.best_ns)}`)).join(" ") }));
    const rows = Object.entries(initial || {}).filter((row) => row[1]).sort((a, b) => a[1] - b[1]), best = curve[curve.length - 1].best_ns;
    return element("div", {}, element("figure", {}, drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, role: "img", "aria-label": "The best time over the seconds of the search" }, parts), element("figcaption", {}, "The best time over the seconds of the search; dashed lines are starts.")),
      rows.length ? table(["start", "time of an iteration", "times the result's"], rows.map(([name, ns]) => [name, time(ns), L.grouped(ns / best, 2)]), { numeric: [1, 2] }) : "");
  }

  // --- About -----------------------------------------------------------------------------------------------------------

  about(root) {
    const { data } = this, { answer, report, made } = data;
    root.append(element("h3", {}, "What is simulated, and what is priced"), element("ul", {}, data.provenance.map((line) => element("li", {}, line))));
    const list = (title, lines) => lines?.length && root.append(element("h3", {}, title), element("ul", {}, lines.map((line) => element("li", {}, line))));
    list("Assumed", answer?.assumed);
    list("Limits", answer?.limits);
    list("Notes", answer?.notes);
    if (answer && Object.keys(answer.not_written).length) list("Not written", Object.entries(answer.not_written).map(([name, why]) => `${name}: ${why}`));
    root.append(element("h3", {}, "How this was made"), element("pre", {}, element("code", {}, made.command)), facts([["version", made.version], ...Object.entries(made.fingerprints || {}).map(([name, print]) => [`fingerprint of the ${name}`, element("code", {}, print)])]));
    const exact = (value) => JSON.stringify(value, null, 1) + "\n";
    const buttons = [];
    if (answer) buttons.push(download("plan.json", "application/json", () => exact(data.answer)));
    if (report) buttons.push(download("simulation.json", "application/json", () => exact(report)));
    if (data.blocks) buttons.push(download("ops.csv", "text/csv", () => L.csv([["block", "blocks", "op", "kind", "pass", "loops", "copies", "devices"], ...data.blocks.flatMap((block) => block.ops.map((op) => [block.title, block.count, op.name, op.kind, op.phase, op.loops.map(([name, extent, role, degree]) => `${name}=${extent}/${degree} ${role}`).join(" "), op.copies, op.devices]))])));
    if (this.timeline) {
      const t = this.timeline;
      buttons.push(download("timeline.csv", "text/csv", () => {
        const rows = [["lane", "stands for", "task", "class", "kind", "detail", "stage", "microbatch", "pass", "start_ns", "end_ns"]];
        for (const lane of t.lanes) for (let i = 0; i < lane.starts.length; ++i) {
          const pass = L.passOf(t, lane.passes[i]);
          rows.push([this.name(lane.isLink ? "link" : "device", lane.members[0]), L.standsFor(t, lane), ...t.subjects[lane.subjects[i]], pass?.stage, pass?.microbatch, pass && (pass.backward ? "backward" : "forward"), lane.starts[i], lane.ends[i]]);
        }
        return L.csv(rows);
      }));
      buttons.push(download("memory.csv", "text/csv", () => L.csv([["device", "time_ns", ...t.memory_kinds], ...t.lanes.flatMap((lane) => lane.memory.map((point) => [this.name("device", lane.members[0]), point.time, ...point.bytes]))])));
      buttons.push(download("critical-path.csv", "text/csv", () => L.csv([["task", "kind", "start_ns", "end_ns"], ...L.pathOf(t).steps.map((step) => [t.subjects[step.subject][0], t.subjects[step.subject][2], step.start, step.end])])));
    }
    if (data.what_if) buttons.push(download("what-if.csv", "text/csv", () => L.csv([["what", "factor", "makespan_ns", "fits"], ...data.what_if.rows.flatMap((row) => row.points.map((point) => [row.what, point.factor, point.ns, point.fits]))])));
    if (data.search?.plans?.length) buttons.push(download("plans.csv", "text/csv", () => L.csv([["plan", "ns", "bytes", "fits", "simulated"], ...data.search.plans.map((plan) => [plan.words, plan.ns, plan.bytes, plan.fits, plan.simulated])])));
    root.append(element("h3", {}, "The data"), element("div", { class: "tools" }, buttons));
  }
}

/** Machines and links, coloured by load; machines alike are drawn once. */
class ClusterDrawing {
  constructor(page, load) {
    this.page = page;
    this.load = load;
    this.topology = page.data.topology;
  }
  heat(share) {
    return share === undefined ? "var(--grid)" : `color-mix(in srgb, var(--gradients) ${Math.round(15 + 85 * Math.min(share, 1))}%, var(--panel))`;
  }
  /** By machine: its devices, and links that touch them. */
  machines() {
    const byName = new Map();
    this.topology.devices.forEach(([, machine], d) => byName.set(machine, [...(byName.get(machine) || []), d]));
    return [...byName].map(([name, devices]) => ({ name, devices }));
  }
  draw() {
    const { devices, links } = this.topology, machines = this.machines();
    const isDirect = links.some(([a, b]) => a < devices.length && b < devices.length);
    if (devices.length <= 16 && isDirect) return this.drawDirect();
    return this.drawMachines(machines);
  }
  /** The load of a device's links, by tier: the larger of both directions. Of a folded simulation, of the device that
   * was simulated for it. */
  linksOf(of) {
    const byTier = new Map(), device = this.page.timeline ? L.firstOf(this.page.timeline, of) : of;
    this.topology.links.forEach(([a, b, tier], link) => {
      if ((a === device || b === device) && this.load.links.has(link)) byTier.set(tier, Math.max(byTier.get(tier) || 0, this.load.links.get(link).busy));
    });
    return byTier;
  }
  drawMachines(machines) {
    const { load, topology } = this, cards = [];
    const tierOf = new Map(); // tiers that touch devices
    topology.links.forEach(([a, b, tier]) => (a < topology.devices.length || b < topology.devices.length) && tierOf.set(tier, topology.tiers[tier]));
    const lookOf = ({ devices }) => devices.map((device) => [load.devices.get(device)?.busy, [...this.linksOf(device)]]);
    const groups = new Map();
    for (const machine of machines) {
      const look = lookOf(machine), key = JSON.stringify([look.map((one) => one[0]), look.map((one) => one[1])]);
      if (!groups.has(key)) groups.set(key, { look, machines: [] });
      groups.get(key).machines.push(machine);
    }
    const merged = [...groups.values()], most = 24;
    for (const { look, machines: alike } of merged.slice(0, most)) {
      const names = [...tierOf.values()].map((tier) => tier.name), cell = 34, width = 96 + look.length * cell + 4, rows = 1 + names.length, height = rows * 26 + 6;
      const parts = [];
      ["devices", ...names].forEach((name, r) => {
        parts.push(drawn("text", { x: 0, y: r * 26 + 18, class: "muted" }, name.length > 14 ? name.slice(0, 13) + "…" : name));
        look.forEach(([busy, of], d) => {
          const share = r ? new Map(of).get([...tierOf.keys()][r - 1]) : busy;
          const device = topology.devices[alike[0].devices[d]][0];
          parts.push(drawn("rect", { x: 96 + d * cell, y: r * 26 + 2, width: cell - 3, height: 22, rx: 3, fill: r ? this.heat(share) : share === undefined ? "var(--grid)" : `color-mix(in srgb, var(--forward) ${Math.round(15 + 85 * Math.min(share, 1))}%, var(--panel))` }, drawn("title", {}, `${device}${r ? ", " + name : ""}: ${share === undefined ? "idle" : L.percent(share) + " busy"}`)),
            drawn("text", { x: 96 + d * cell + (cell - 3) / 2, y: r * 26 + 17, "text-anchor": "middle", style: `font-size:10px;pointer-events:none;fill:${(share ?? 0) > 0.55 ? "var(--bg)" : "var(--text)"}` }, share === undefined ? "" : Math.round(100 * share) + ""));
        });
      });
      const name = alike.length > 1 ? `${alike[0].name || "machine"} and ${alike.length - 1} alike` : alike[0].name || "one machine";
      cards.push(element("figure", { style: "margin:0" }, element("figcaption", { style: "margin:0 0 .3rem" }, element("b", { style: "color:var(--text)" }, name), alike.length > 1 ? element("span", { class: "badge", style: "margin-left:.6rem" }, `× ${alike.length}`) : ""),
        drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${name}: how busy its devices and their links are` }, parts)));
    }
    return element("div", {}, element("h3", {}, "Load"), element("p", { class: "note" }, "How busy devices and their links are, in percent of the iteration; of the two directions of a link, the busier one."),
      element("div", { style: "display:flex;flex-wrap:wrap;gap:1.2rem 2.4rem" }, cards), merged.length > most ? element("p", { class: "note" }, `${most} of ${merged.length} kinds of machines are drawn.`) : "");
  }
  /** A few devices with links between them. */
  drawDirect() {
    const { topology, load } = this, { devices, switches, links } = topology, gap = 120, width = Math.max(devices.length * gap, 420), parts = [];
    const at = devices.map((_, d) => [gap / 2 + d * gap + (width - devices.length * gap) / 2, 170]);
    switches.forEach((_, s) => at.push([(width / (switches.length + 1)) * (s + 1), 300]));
    const pairs = new Map();
    links.forEach(([a, b], link) => {
      const key = Math.min(a, b) + ":" + Math.max(a, b), busy = load.links.get(link)?.busy;
      pairs.set(key, { a: Math.min(a, b), b: Math.max(a, b), busy: busy === undefined ? pairs.get(key)?.busy : Math.max(busy, pairs.get(key)?.busy || 0) });
    });
    for (const { a, b, busy } of pairs.values()) {
      const [x, y] = at[a], [u, v] = at[b], isArc = a < devices.length && b < devices.length, top = y - 24 - 26 * Math.abs(b - a);
      const stroke = busy === undefined ? "var(--line)" : this.heat(busy), wide = busy === undefined ? 1.2 : 1.5 + 6 * Math.min(busy, 1);
      parts.push(drawn("path", { d: isArc ? `M${x} ${y - 20} C${x} ${top}, ${u} ${top}, ${u} ${v - 20}` : `M${x} ${y + 20} L${u} ${v - 14}`, fill: "none", stroke, "stroke-width": wide }, drawn("title", {}, `${this.nodeName(a)} – ${this.nodeName(b)}: ${busy === undefined ? "carries nothing" : L.percent(busy) + " busy, the busier direction"}`)));
    }
    devices.forEach(([name], d) => {
      const busy = load.devices.get(d)?.busy;
      parts.push(drawn("rect", { x: at[d][0] - 42, y: 150, width: 84, height: 44, rx: 7, fill: busy === undefined ? "var(--grid)" : `color-mix(in srgb, var(--forward) ${Math.round(15 + 85 * Math.min(busy, 1))}%, var(--panel))` }), drawn("text", { x: at[d][0], y: 168, "text-anchor": "middle", style: `font-weight:600;fill:${(busy ?? 0) > 0.55 ? "var(--bg)" : "var(--text)"}` }, name), drawn("text", { x: at[d][0], y: 185, "text-anchor": "middle", style: `fill:${(busy ?? 0) > 0.55 ? "var(--bg)" : "var(--text)"}` }, busy === undefined ? "idle" : L.percent(busy)));
    });
    switches.forEach((name, s) => parts.push(drawn("rect", { x: at[devices.length + s][0] - 55, y: 286, width: 110, height: 28, rx: 14, fill: "var(--panel)", stroke: "var(--line)" }), drawn("text", { x: at[devices.length + s][0], y: 304, "text-anchor": "middle" }, name)));
    const low = Math.min(...[...pairs.values()].filter(({ a, b }) => a < devices.length && b < devices.length).map(({ a, b }) => 170 - 24 - 20 * Math.abs(b - a)), 140);
    return element("figure", {}, drawn("svg", { viewBox: `0 ${low} ${width} ${(switches.length ? 320 : 200) - low}`, width: Math.min(width, 1190), role: "img", "aria-label": "Devices and links, coloured by how busy they are; the table below has the figures" }, parts),
      element("figcaption", {}, "Devices by the share of the iteration in which they compute; links by the share in which they carry something, the busier direction: wider and darker is busier."));
  }
  nodeName(n) {
    const { devices, switches } = this.topology;
    return n < devices.length ? devices[n][0] : switches[n - devices.length];
  }
}

async function inflate(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return JSON.parse(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text());
}

(async () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const packed = [data.timeline, data.beside?.timeline];
  const timelines = await Promise.all(packed.map(async (text) => (text ? Logic.unpack(await inflate(text)) : null)));
  window.page = new Page(data, timelines);
  document.documentElement.dataset.ready = "true";
})().catch((error) => {
  document.querySelector("main").prepend(element("p", { class: "worse" }, "This page cannot be shown: " + error.message));
  throw error;
});
