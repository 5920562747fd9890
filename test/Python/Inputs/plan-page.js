// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The logic of plan.html in node: node plan-page.js LOGIC TIMELINE REPORT. Prints a line for each check: "ok NAME" or
// "wrong NAME: DETAIL".
"use strict";
const fs = require("fs");
const L = require(fs.realpathSync(process.argv[2]));
const read = (number) => JSON.parse(fs.readFileSync(process.argv[number], "utf8"));
const timeline = L.unpack(read(3)), report = read(4);

function check(name, isRight, detail = "") {
  console.log(isRight ? `ok ${name}` : `wrong ${name}: ${JSON.stringify(detail)}`);
}
const near = (a, b) => Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b)) + 1;

check("digits", L.duration(53846827500) === "53.85 s" && L.duration(83172914) === "83.2 ms" && L.duration(1124935) === "1.125 ms"
  && L.duration(663000) === "663 µs" && L.duration(-1500000) === "−1.500 ms" && L.duration(0) === "0");
check("bytes", L.bytes(57384035096) === "57.4 GB" && L.bytes(1109512) === "1.1 MB" && L.bytes(999) === "999 B");
check("ranges", L.ranges([0, 1, 2, 5, 7, 8]) === "0 to 2, 5, 7, 8");
check("signed", L.signedPercent(0.0001) === "0 %" && L.signedPercent(-0.1234) === "−12.3 %" && L.signedPercent(NaN) === "–");
check("a table as CSV", L.csv([["a,b", 'c"d'], [null, 1]]) === '"a,b","c""d"\n,1\n');

for (const lane of timeline.lanes) {
  for (let t = 1; t < lane.starts.length; ++t)
    if (lane.starts[t] < lane.ends[t - 1]) check("tasks of a lane do not overlap", false, [lane.number, t]);
}
const parts = L.partsOf(report, timeline);
check("parts add up to the iteration", near(L.sum(parts.rows.map((row) => row[1])), report.makespan_ns), parts);
check("no part is negative", parts.rows.every((row) => row[1] >= -1), parts);
check("passes are told apart", parts.rows.some((row) => row[0] === "backward passes"), parts);
const busiest = timeline.lanes[0], middle = timeline.makespan_ns / 3;
let naive = L.COLUMNS.map(() => 0);
for (let t = 0; t < busiest.starts.length; ++t)
  naive[timeline.columns[busiest.subjects[t]]] += Math.max(Math.min(busiest.ends[t], middle) - busiest.starts[t], 0);
check("busy time before a moment", naive.every((ns, c) => near(ns, L.busyBefore(busiest, c, middle))), naive);
const [first, end] = L.tasksBetween(busiest, middle, middle + timeline.makespan_ns / 10);
let counted = 0;
for (let t = 0; t < busiest.starts.length; ++t) counted += busiest.ends[t] > middle && busiest.starts[t] <= middle + timeline.makespan_ns / 10;
check("tasks between two moments", end - first === counted, [first, end, counted]);

const path = L.pathOf(timeline);
check("the critical path begins at 0 and ends at the end", path.steps[0].start === 0 && path.steps[path.steps.length - 1].end === timeline.makespan_ns);
check("without gaps", path.steps.every((step, i) => i === 0 || step.start === path.steps[i - 1].end));
check("shares of it add up", L.sum(path.shares.map((share) => share.ns)) === timeline.makespan_ns);
check("its tasks are on their lanes", path.steps.every((step) => {
  const lane = timeline.lanes[step.lane], t = L.upper(lane.starts, step.start) - 1;
  return lane.starts[t] === step.start && lane.ends[t] === step.end && lane.subjects[t] === step.subject;
}));

const same = { report, parts }, slower = { report: { ...report, makespan_ns: report.makespan_ns + 1000 }, parts: { ...parts, rows: parts.rows.map((row) => (row[0] === "waiting" ? ["waiting", row[1] + 1000] : row)) } };
const rows = L.differences(same, slower);
check("causes add up to the difference", near(L.sum(rows.slice(0, -1).map((row) => row[3])), 1000) && rows[rows.length - 1][3] === 1000, rows);
check("the cause is found", rows.find((row) => row[0] === "waiting")[3] === 1000, rows);
const plans = [{ ns: 3, bytes: 3 }, { ns: 1, bytes: 9 }, { ns: 2, bytes: 9 }, { ns: 4, bytes: 2 }, { ns: 5, bytes: 3 }];
check("the frontier", JSON.stringify(L.frontier(plans).map((plan) => plan.ns)) === "[1,3,4]", L.frontier(plans));
const names = L.findSubjects(timeline, timeline.subjects[0][0]);
check("a name is found", names.includes(0), names);
check("no name is found", L.findSubjects(timeline, "no such op at all").length === 0 && L.findSubjects(timeline, " ").length === 0);
check("devices of all lanes", L.sum(timeline.lanes.filter((lane) => !lane.isLink).map((lane) => L.devicesOf(timeline, lane).length)) === parts.devices, parts.devices);
