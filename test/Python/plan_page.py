#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plan.html of small plans, one of each simulator: its figures are the report's, its tasks the task graph's, its logic
runs in node and its drawing in headless Chromium, where these are found. Usage: plan_page.py BUILD. Each part that is
left out prints "skipped: REASON"; the last line is "N passed, N failed"."""

import base64
import gzip
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent))
import own_planning  # noqa: E402, F401

from soap_planning.page.render import pack  # noqa: E402

SOURCE = Path(__file__).resolve().parents[2]
LOGIC = SOURCE / "python" / "src" / "soap" / "planning" / "page" / "logic.js"
passed = failed = 0


def check(name, is_right, detail=""):
    global passed, failed
    passed += bool(is_right)
    failed += not is_right
    if not is_right:
        print(f"FAILED: {name}: {str(detail)[:400]}")


class Tools:
    def __init__(self, build, folder):
        self.bin, self.folder = Path(build) / "bin", folder

    def run(self, tool, *arguments, fails=False):
        command = [sys.executable] if tool == "soap-plan" else []
        done = subprocess.run(
            [*command, str(self.bin / tool), *map(str, arguments)], capture_output=True, text=True, cwd=self.folder
        )
        if (done.returncode != 0) != fails:
            sys.exit(f"{tool} {arguments}: status {done.returncode}: {done.stderr}")
        return done.stderr if fails else done.stdout

    def module(self, name, generate, step, *passes):
        """A module with a strategy."""
        forward, path = self.folder / f"{name}-forward.mlir", self.folder / f"{name}.mlir"
        self.run("soap-translate", *generate, "-o", forward)
        self.run("soap-opt", forward, f"--soap-build-training-step={step}", *passes, "-o", path)
        return path


def data_of(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(found[1])


def inflate(text):
    return json.loads(gzip.decompress(base64.b64decode(text)))


def device_tasks(timeline, lane):
    """(start, end) of the tasks of a lane."""
    tasks = Counter()
    for group in lane["tasks"]:
        for offset, duration in zip(group[3::3], group[4::3]):
            tasks[group[1] + offset, group[1] + offset + duration] += 1
    return tasks


def members_of(timeline, lane, devices):
    """Resources that a lane stands for."""
    if "links" in lane:
        return [devices + link for link in lane["links"]]
    return [device + r * timeline["unit"] for device in lane["devices"] for r in range(timeline["replicas"])]


def check_timeline(name, timeline, graph, report):
    """The lanes are the tasks of the task graph, which another simulator has written out."""
    devices = sum(resource["kind"] == "compute" for resource in graph["resources"])
    expected = [Counter() for _ in graph["resources"]]
    for task in graph["tasks"]:
        for resource in task["resources"]:
            expected[resource][task["start"], task["end"]] += 1
    stands = {}
    for lane in timeline["lanes"]:
        for resource in members_of(timeline, lane, devices):
            stands[resource] = lane
    wrong = [resource for resource, lane in stands.items() if device_tasks(timeline, lane) != expected[resource]]
    check(f"{name}: tasks of lanes", stands and not wrong, wrong[:5])
    check(f"{name}: every device has a lane", all(device in stands for device in range(devices)), sorted(stands)[:10])
    if timeline["replicas"] == 1:
        idle = [resource for resource in range(len(expected)) if expected[resource] and resource not in stands]
        check(f"{name}: every busy link has a lane", not idle, idle[:5])
    check(f"{name}: the time", timeline["makespan_ns"] == report["makespan_ns"] == graph["makespan"])
    rows = report.get("devices") or report["device_classes"]
    peaks = {row.get("name") or row["first"]: row["peak_bytes"] for row in rows}
    width = len(timeline["memory_kinds"]) + 1
    resources = graph["resources"]
    for lane in timeline["lanes"]:
        if "devices" in lane:
            points = [lane["memory"][i : i + width] for i in range(0, len(lane["memory"]), width)]
            most = max(sum(point[1:]) for point in points)
            own = resources[lane["devices"][0]]["name"]
            check(f"{name}: the peak of {own}", own not in peaks or most == peaks[own], (most, peaks.get(own)))
            check(f"{name}: no bytes are negative", all(count >= 0 for point in points for count in point))
            check(f"{name}: points in time", [point[0] for point in points] == sorted(point[0] for point in points))
    flat = timeline["critical_path"]
    steps = list(zip(flat[::4], flat[2::4], flat[3::4]))
    check(
        f"{name}: the critical path",
        steps and steps[0][1] == 0 and sum(step[2] for step in steps) == timeline["makespan_ns"],
    )
    if "critical_path" in report and timeline["simulator"] == "task graph":
        by_name = Counter()
        for subject, duration in zip(flat[1::4], flat[3::4]):
            by_name[timeline["subjects"][subject][0]] += duration
        theirs = Counter()
        for row in report["critical_path_by_op"]:
            theirs[row["op"]] += row["ns"]
        check(f"{name}: the critical path by op", by_name == theirs)


def check_page(tools, name, module, fold, *more):
    """The page of a module. `fold`: of the simulation that is compared with the task graph."""
    report, timeline, graph = (tools.folder / f"{name}.{kind}.json" for kind in ("report", "timeline", "tasks"))
    tools.run(
        "soap-opt",
        module,
        f"--soap-simulate=fold={fold} report={report} timeline={timeline} summary=false",
        "-o",
        os.devnull,
    )
    tools.run(
        "soap-opt",
        module,
        f"--soap-simulate=fold=never compare=none task-graph={graph} summary=false",
        "-o",
        os.devnull,
    )
    check_timeline(
        name, json.loads(timeline.read_text()), json.loads(graph.read_text()), json.loads(report.read_text())
    )
    page = tools.folder / f"{name}.html"
    tools.run("soap-plan", "--page", module, "-o", page, *more)
    text = page.read_text(encoding="utf-8")
    data = data_of(text)
    packed = inflate(data["timeline"])
    theirs = json.loads(report.read_text())
    check(f"{name}: the page has the report's time", data["report"]["makespan_ns"] == theirs["makespan_ns"])
    check(
        f"{name}: the page has the lanes",
        sum("devices" in lane for lane in packed["lanes"]) > 0 and packed["makespan_ns"] == theirs["makespan_ns"],
    )
    check(f"{name}: nothing is loaded", not re.search(r"(src|href)=[\"']?https?:|@import|url\(http", text))
    check(f"{name}: bytes of the file", len(text) < 3_000_000, len(text))
    for row in data["what_if"]["rows"]:
        here = [point["ns"] for point in row["points"] if point["factor"] == 1 and "ns" in point]
        check(f"{name}: {row['what']}, as it is", not here or row["note"] or here == [theirs["makespan_ns"]], here)
    check_node(tools, name, timeline, report)
    check_chromium(tools, name, page, data)
    return data


def check_node(tools, name, timeline, report):
    node = shutil.which("node") or shutil.which("nodejs")
    if not node:
        skip("node is not found: the logic of plan.html is not run")
        return
    done = subprocess.run(
        [node, str(SOURCE / "test/Python/Inputs/plan-page.js"), str(LOGIC), str(timeline), str(report)],
        capture_output=True,
        text=True,
    )
    lines = done.stdout.splitlines()
    check(f"{name}: node", done.returncode == 0 and lines, done.stderr)
    for line in lines:
        check(f"{name}: node: {line.split(' ', 1)[1]}", line.startswith("ok "))


def check_chromium(tools, name, page, data):
    browser = next(
        (found for found in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if found), None
    )
    if not browser:
        skip("Chromium is not found: plan.html is not drawn")
        return
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [
                browser,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                f"--user-data-dir={profile}",
                "--window-size=1280,900",
                "--enable-logging=stderr",
                "--virtual-time-budget=20000",
                "--dump-dom",
                page.as_uri(),
            ],
            capture_output=True,
            text=True,
            timeout=300,
        )
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    check(f"{name}: the console", not said, said)
    check(f"{name}: it is drawn", 'data-ready="true"' in done.stdout, done.stdout[:300])
    figures = {
        html.unescape(exact): html.unescape(text)
        for exact, text in re.findall(r'data-exact="([^"]*)"[^>]*>([^<]*)<', done.stdout)
    }
    ns = str(data["report"]["makespan_ns"])
    check(f"{name}: the time is on it", ns in figures, list(figures)[:9])
    check(f"{name}: the memory is on it", str(data["peak_bytes"]) in figures)
    wrong = [(exact, text) for exact, text in figures.items() if not is_rounded(exact, text)]
    check(f"{name}: digits are the figures'", len(figures) > 5 and not wrong, wrong[:5])
    for part in ("NaN", "undefined", "[object"):
        check(f"{name}: no '{part}'", part not in re.sub(r"<script.*?</script>", "", done.stdout, flags=re.S))


def check_pack():
    """Lanes leave out their tasks, from the last one on, until the timeline is small enough."""
    random = Random(1)
    tasks = [[0, 0, *(random.randrange(1000) for _ in range(3000))] for _ in range(8)]
    lanes = [{"devices": [lane], "tasks": [tasks[lane]], "memory": [0, 1, 5, 2]} for lane in range(8)]
    timeline = {"memory_kinds": ["weights"], "lanes": lanes, "critical_path": [0, 1, 2, 3]}
    whole, dropped = pack(timeline)
    check("pack: all", dropped == 0 and all(lane["tasks"] for lane in inflate(whole)["lanes"]), dropped)
    small, dropped = pack(timeline, len(whole) // 2)
    kept = [lane for lane in inflate(small)["lanes"] if "dropped" not in lane]
    check("pack: a part", len(small) <= len(whole) // 2 and len(kept) == 8 - dropped, (len(small), len(whole)))
    check("pack: as much as fits", 2 <= len(kept) <= 4 and kept == inflate(whole)["lanes"][: len(kept)], len(kept))
    check("pack: memory stays", [lane["memory"] for lane in inflate(small)["lanes"]] == [[0, 1, 5, 1]] * 8)
    check("pack: nothing", pack(timeline, 1)[1] == 8)


def check_answer(tools):
    """The page that an answer of soap-plan has."""
    config = tools.folder / "config.json"
    config.write_text(
        json.dumps(
            {
                "model_type": "llama", "num_hidden_layers": 3, "hidden_size": 64, "num_attention_heads": 4,
                "num_key_value_heads": 2, "intermediate_size": 96, "vocab_size": 200, "max_position_embeddings": 64,
                "rope_theta": 10000, "tie_word_embeddings": False,
            }
        )
    )  # fmt: skip
    tools.run("soap-plan", config, "--cluster", "h100-4", "--global-batch", "16", "--time-limit", "20", "-o", "plan")
    answer = json.loads((tools.folder / "plan" / "plan.json").read_text())
    page = tools.folder / "plan" / "plan.html"
    data = data_of(page.read_text(encoding="utf-8"))
    check("answer: the figures of plan.json", data["answer"]["best"] == answer["best"])
    check("answer: its kinds", list(data["answer"]["best_of_kinds"]) and data["answer"]["missing"] == answer["missing"])
    best = [plan for plan in data["search"]["plans"] if plan["isBest"]]
    check("answer: the plan among all", [plan["ns"] for plan in best] == [answer["best"]["nanoseconds"]], best)
    batch = [row for row in data["what_if"]["rows"] if row["what"].startswith("samples")]
    # Half the bandwidth is never faster than all of it: no row mixes measured collectives with the links' prices.
    for row in data["what_if"]["rows"]:
        times = [point["ns"] for point in row["points"] if "ns" in point]
        if row["what"].startswith("bandwidth"):
            check(f"answer: {row['what']} never makes it slower", times == sorted(times, reverse=True), times)
    check("answer: other batches", batch and len(batch[0]["points"]) == 5, batch)
    check_chromium(tools, "answer", page, data)


UNITS = {
    "ns": 1,
    "µs": 1e3,
    "ms": 1e6,
    "s": 1e9,
    "B": 1,
    "kB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "TB": 1e12,
    "PB": 1e15,
    "%": 0.01,
}


def is_rounded(exact, text):
    """Whether a text is a figure, rounded to its digits."""
    found = re.fullmatch(r"(−?)([\d,]+)(?:\.(\d+))?(?: (\S+?)(?:/s)?)?", text)
    if not found:
        return False
    digits = len(found[3] or "")
    value = float((found[2] + "." + (found[3] or "0")).replace(",", "")) * (-1 if found[1] else 1)
    number = float(exact)
    unit = UNITS.get(found[4] or "", 1)
    if found[4] in ("µs", "ms", "s", "ns") and abs(number) < 1:  # seconds, as topologies have them
        number *= 1e9
    return abs(value - number / unit) <= 0.5000001 * 10**-digits


skipped = set()


def skip(reason):
    if reason not in skipped:
        print(f"skipped: {reason}")
    skipped.add(reason)


def main():
    with tempfile.TemporaryDirectory() as place:
        tools = Tools(sys.argv[1], Path(place))
        lenet = tools.module(
            "lenet",
            ["--generate=lenet", "--batch=64"],
            "optimizer=sgd",
            "--soap-apply-strategy=preset=data-parallel topology=cpu-4",
        )
        search = tools.folder / "search.json"
        searched = tools.folder / "searched.mlir"
        tools.run(
            "soap-opt",
            lenet,
            f"--soap-auto-parallel=topology=cpu-4 seed=1 proposals=300 report={search} summary=false",
            "-o",
            searched,
        )
        data = check_page(tools, "searched", searched, "never", "--search-report", search, "--beside", lenet)
        check("searched: the curve of the search", data["search"]["curve"] == json.loads(search.read_text())["curve"])
        check(
            "searched: two plans",
            inflate(data["beside"]["timeline"])["makespan_ns"]
            == data["beside"]["report"]["makespan_ns"]
            == data["report"]["presets_ns"]["data-parallel"],
        )
        check(
            "searched: other configs",
            data["explain"]
            and all(
                any(row["isCurrent"] and row["ns"] == data["report"]["makespan_ns"] for row in entry["rows"])
                for entry in data["explain"]
            ),
            data["explain"],
        )

        # Stages, microbatches, replicas that are folded; more layers than are drawn one by one.
        gpt = tools.module(
            "gpt",
            ["--generate=gpt", "--batch=40", "--option=layers=8,heads=4,head-width=16,length=16,vocabulary=64"],
            "optimizer=adamw",
            "--soap-plan-hybrid=topology=h100-40x2 plan=stages=4,tensor=2,samples=1 summary=false",
        )
        data = check_page(tools, "gpt", gpt, "always")
        packed = inflate(data["timeline"])
        check(
            "gpt: folded",
            packed["replicas"] == 10 and data["report"]["folded"]["unfolded_devices"] == 80,
            packed["replicas"],
        )
        check(
            "gpt: blocks",
            any(block["count"] == 7 for block in data["blocks"]),
            [(block["title"], block["count"]) for block in data["blocks"]],
        )
        names = [op[0] for op in json.loads((tools.folder / "gpt.timeline.json").read_text())["ops"]]
        stands_for = [
            op["name"] if block["first"] < 0 else f"{block['prefix']}{block['first'] + i}.{op['name']}"
            for block in data["blocks"]
            for op in block["ops"]
            for i in range(block["count"])
        ]
        check("gpt: ops of all blocks", Counter(names) == Counter(stands_for), set(names) ^ set(stands_for))
        check(
            "gpt: all passes",
            all(len(lane["passes"]) == 3 * 2 * 4 for lane in packed["lanes"] if "devices" in lane)
            and packed["microbatches"] == 4,
            packed["microbatches"],
        )

        # The compact plan of all devices.
        wide = tools.module(
            "wide",
            ["--generate=lenet", "--batch=1024"],
            "optimizer=sgd",
            "--soap-apply-strategy=preset=data-parallel topology=h100-16x8",
        )
        data = check_page(tools, "wide", wide, "auto")
        lanes = [lane for lane in inflate(data["timeline"])["lanes"] if "devices" in lane]
        check(
            "wide: devices alike are one lane",
            sum(len(lane["devices"]) for lane in lanes) == 128 > len(lanes),
            len(lanes),
        )

        late = tools.folder / "late.html"
        tools.run("soap-plan", "--page", gpt, "-o", late, "--time-limit", "0.001")
        table = data_of(late.read_text(encoding="utf-8"))["what_if"]
        check("late: what is left out", table["left_out"].count("(the time limit)") == 4, table["left_out"])
        check("late: what is no simulation", [row["what"] for row in table["rows"]] == ["memory of a device"])
        tools.run("soap-plan", "--page", searched, "-o", late, "--time-limit", "0.001")
        data = data_of(late.read_text(encoding="utf-8"))
        check("late: other configs", not data["explain"] and "(the time limit)" in data["explain_left_out"], data["explain"])
        check_pack()

        check_answer(tools)
        check(
            "no strategy",
            "has no strategy"
            in tools.run("soap-plan", "--page", tools.folder / "lenet-forward.mlir", "-o", "x.html", fails=True),
        )
        check(
            "another cluster beside",
            "expected 'cpu-4'"
            in tools.run("soap-plan", "--page", searched, "--beside", gpt, "-o", "x.html", fails=True),
        )
        check("no file", "expected -o" in tools.run("soap-plan", "--page", searched, fails=True))
        check("no page", "expected --page" in tools.run("soap-plan", "--beside", searched, fails=True))
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
