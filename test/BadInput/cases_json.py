"""Topology and strategy files."""

from case import REMOVED, Case, changed, to_json

FORWARD = """
func.func @forward(%x: tensor<8x4xf32> {soap.kind = "data", soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<4x3xf32> {soap.kind = "parameter", soap.name = "w"}) -> tensor<8x3xf32> {
  %y = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}
"""

TOPOLOGY = {
    "version": 1, "name": "two",
    "device_types": [{"name": "t", "memory_bytes": 1 << 30, "memory_bandwidth_bytes_per_s": 1e10,
                      "flops_per_s": {"f32": 1e11}}],
    "devices": [{"name": "a", "type": "t"}, {"name": "b", "type": "t"}],
    "switches": [],
    "links": [{"from": "a", "to": "b", "bandwidth_bytes_per_s": 1e9, "latency_s": 1e-6, "bidirectional": True}],
}

PROFILE = {
    "version": 1, "device": "t", "source": "nobody", "flops_per_s": {"f32": 1e11}, "memory_bandwidth_bytes_per_s": 1e10, "launch_s": 1e-6,
    "tables": [{"op": "matmul", "direction": "forward", "dtype": "f32", "loops": ["m", "n", "k"], "strides": 0, "lengths": [3, 3, 3],
                "spread": 0.3, "noise": 0.1, "entries": [[8, 4, 4, 320, 1500], [64, 4, 4, 2112, 4000], [64, 64, 4, 18432, 9000]]}],
    "curves": [{"op": "elementwise", "direction": "forward", "dtype": "f32",
                "terms": [{"resource": "launch", "ns": 500}, {"resource": "memory", "ns": 0.1, "powers": [0, 1]}]}],
    "collectives": [{"kind": "all-reduce", "devices": 2, "nodes": 1, "entries": [[1024, 5000], [4096, 9000]]}],
}

STRATEGY = {"version": 1, "ops": [{"name": "fc", "degrees": {"m": 2}, "devices": [0, 1]}]}


def topology(name, content, *expect):
    return Case("topology: " + name, ["soap-opt", "{f.mlir}", "--soap-apply-strategy=preset=data-parallel topology={t.json}"],
                ["t.json", *expect],
                {"f.mlir": FORWARD, "t.json": content if isinstance(content, (str, bytes)) else to_json(content)})


def strategy(name, content, *expect, topology="cpu-2"):
    return Case("strategy: " + name, ["soap-opt", "{f.mlir}", "--soap-apply-strategy=strategy={s.json} topology=" + topology],
                ["s.json", *expect],
                {"f.mlir": FORWARD, "s.json": content if isinstance(content, (str, bytes)) else to_json(content)})


# A model whose windows are serial loops.
POOL = """
func.func @forward(%x: tensor<2x1x4x4xf32> {soap.kind = "data", soap.name = "x", soap.sample_dim = 0 : i64}) -> tensor<2x1x2x2xf32> {
  %y = soap.max_pool2d %x {soap.name = "pool", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>,
    padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<2x1x4x4xf32>) -> tensor<2x1x2x2xf32>
  return %y : tensor<2x1x2x2xf32>
}
"""
# Devices that hold next to nothing.
SMALL = changed(TOPOLOGY, ["device_types", 0, "memory_bytes"], 100)
MEMORY = {"f.mlir": FORWARD, "t.json": to_json(SMALL), "s.json": to_json(STRATEGY)}
APPLY = "--soap-apply-strategy=strategy={s.json} topology=cpu-2"

def profile(name, content, *expect, topology="{t.json}"):
    return Case("profile: " + name,
                ["soap-opt", "{f.mlir}", "--soap-apply-strategy=preset=data-parallel topology=" + topology, "--soap-simulate=profile={p.json}"],
                ["p.json", *expect],
                {"f.mlir": FORWARD, "t.json": to_json(TOPOLOGY),
                 "p.json": content if isinstance(content, (str, bytes)) else to_json(content)})


ENTRY = ["tables", 0, "entries", 1]
CASES = [
    profile("an empty file", "", "invalid JSON"),
    profile("not JSON", "{\"version\": 1,", "invalid JSON", "line 1, column 15"),
    profile("not an object", "[]", "expected an object, got an array"),
    profile("wrong version", changed(PROFILE, ["version"], 3), "at /version", "expected version 1, got 3"),
    profile("misspelled key", changed(PROFILE, ["table"], []), 'unknown key "table"', "expected one of"),
    profile("device missing", changed(PROFILE, ["device"], REMOVED), "at /", '"device"'),
    profile("no peak for f32", changed(PROFILE, ["flops_per_s"], {"f16": 1e12}), "at /flops_per_s", '"f32"'),
    profile("bandwidth of zero", changed(PROFILE, ["memory_bandwidth_bytes_per_s"], 0), "at /memory_bandwidth_bytes_per_s", "got 0"),
    profile("bandwidth NaN", to_json(PROFILE).replace("10000000000.0", "NaN"), "invalid JSON"),
    profile("launch time negative", changed(PROFILE, ["launch_s"], -1e-6), "at /launch_s", "got -1e-06"),
    profile("op missing", changed(PROFILE, ["tables", 0, "op"], REMOVED), "at /tables/0", '"op"'),
    profile("unknown direction", changed(PROFILE, ["tables", 0, "direction"], "sideways"), "at /tables/0/direction", "expected one of forward"),
    profile("unknown element type", changed(PROFILE, ["tables", 0, "dtype"], "f12"), "at /tables/0/dtype", "expected one of f64"),
    profile("entries missing", changed(PROFILE, ["tables", 0, "entries"], REMOVED), "at /tables/0", '"entries"'),
    profile("no entries", changed(PROFILE, ["tables", 0, "entries"], []), "at /tables/0/entries", "expected 1 to 2048 entries, got 0"),
    profile("entry with too few numbers", changed(PROFILE, ENTRY, [64, 4, 4, 4000]), "at /tables/0/entries/1",
            "expected 5 numbers (loops, strides, bytes, ns), got 4"),
    profile("time of zero", changed(PROFILE, ENTRY + [4], 0), "at /tables/0/entries/1/4", "expected an integer from 1 to", "got 0"),
    profile("negative time", changed(PROFILE, ENTRY + [4], -4), "at /tables/0/entries/1/4", "got -4"),
    profile("time NaN", to_json(PROFILE).replace("4000", "NaN"), "invalid JSON"),
    profile("time as null", changed(PROFILE, ENTRY + [4], None), "at /tables/0/entries/1/4", "got null"),
    profile("extent of zero", changed(PROFILE, ENTRY + [0], 0), "at /tables/0/entries/1/0", "got 0"),
    profile("a shape twice", changed(PROFILE, ENTRY, PROFILE["tables"][0]["entries"][0]), "at /tables/0/entries/1", "duplicate shape",
            "entry 0 has it"),
    profile("times that fall", changed(PROFILE, ENTRY + [4], 100), "at /tables/0/entries/1", "not monotone",
            "1500 ns of entry 0", "got 100"),
    profile("a table twice", changed(PROFILE, ["tables"], PROFILE["tables"] * 2), "at /tables/1", "duplicate entry for op 'matmul'"),
    profile("a loop twice", changed(PROFILE, ["tables", 0, "loops"], ["m", "m", "k"]), "at /tables/0/loops/1", "duplicate loop 'm'"),
    profile("negative term", changed(PROFILE, ["curves", 0, "terms", 1, "ns"], -0.1), "at /curves/0/terms/1/ns", "got -0.1"),
    profile("term that falls", changed(PROFILE, ["curves", 0, "terms", 1, "powers"], [0, -1]), "at /curves/0/terms/1/powers/1", "got -1"),
    profile("unknown resource", changed(PROFILE, ["curves", 0, "terms", 0, "resource"], "magic"), "at /curves/0/terms/0/resource",
            "expected one of launch, memory, compute"),
    profile("unknown collective", changed(PROFILE, ["collectives", 0, "kind"], "gossip"), "at /collectives/0/kind", "expected one of all-reduce"),
    profile("collective of one device", changed(PROFILE, ["collectives", 0, "devices"], 1), "at /collectives/0/devices", "got 1"),
    profile("collective faster for more bytes", changed(PROFILE, ["collectives", 0, "entries", 1, 1], 10), "at /collectives/0/entries/1/1",
            "not monotone", "5000 ns", "got 10"),
    profile("collective with fewer bytes", changed(PROFILE, ["collectives", 0, "entries", 1, 0], 10), "at /collectives/0/entries/1/0",
            "more bytes than in the entry before"),
    Case("profile: no such file", ["soap-opt", "{f.mlir}", "--soap-apply-strategy=preset=single topology=cpu-2",
                                   "--soap-simulate=profile=nowhere.json"], ["unknown profile 'nowhere.json'", "expected a file or h200"],
         {"f.mlir": FORWARD}),
    Case("profile: named in a topology, missing",
         ["soap-opt", "{f.mlir}", "--soap-apply-strategy=preset=single topology={t.json}"],
         ["t.json: at /device_types/0/profile", "unknown profile 'nowhere.json'"],
         {"f.mlir": FORWARD, "t.json": to_json(changed(TOPOLOGY, ["device_types", 0, "profile"], "nowhere.json"))}),
    Case("profile: a directory", ["soap-opt", "{f.mlir}", "--soap-apply-strategy=preset=single topology=cpu-2",
                                  "--soap-simulate=profile={folder}"], ["{folder}: is a directory, expected a file"],
         {"f.mlir": FORWARD}),
    Case("profile: named in a topology, a directory",
         ["soap-opt", "{f.mlir}", "--soap-apply-strategy=preset=single topology={t.json}"],
         ["t.json: at /device_types/0/profile", ".: is a directory, expected a file"],
         {"f.mlir": FORWARD, "t.json": to_json(changed(TOPOLOGY, ["device_types", 0, "profile"], "."))}),
    topology("not JSON", "{\"version\": 1,", "invalid JSON", "line 1, column 15"),
    topology("bytes that are not text", b"\xff\xfe\x00\x01", "invalid JSON"),
    topology("nested too deep", "[" * 100000, "nesting deeper than 64"),
    topology("a key twice", '{"version": 1, "version": 1}', 'duplicate key "version"'),
    topology("not an object", "[]", "expected an object, got an array"),
    topology("wrong version", changed(TOPOLOGY, ["version"], 2), "at /version", "expected version 1, got 2"),
    topology("misspelled key", changed(TOPOLOGY, ["link"], []), 'unknown key "link"', "expected one of"),
    topology("no devices", changed(TOPOLOGY, ["devices"], []), "at /devices", "expected 1 to 4096 devices, got 0"),
    topology("unknown device type", changed(TOPOLOGY, ["devices", 1, "type"], "gpu"), "at /devices/1/type",
             'expected the name of a device type, got "gpu"'),
    topology("negative memory", changed(TOPOLOGY, ["device_types", 0, "memory_bytes"], -1),
             "at /device_types/0/memory_bytes", "got -1"),
    topology("memory beyond 64 bits", changed(TOPOLOGY, ["device_types", 0, "memory_bytes"], 1 << 70),
             "at /device_types/0/memory_bytes", "expected an integer"),
    topology("bandwidth of zero", changed(TOPOLOGY, ["links", 0, "bandwidth_bytes_per_s"], 0),
             "at /links/0/bandwidth_bytes_per_s", "got 0"),
    topology("bandwidth as text", changed(TOPOLOGY, ["links", 0, "bandwidth_bytes_per_s"], "1e9"),
             "at /links/0/bandwidth_bytes_per_s", "expected a number", 'got "1e9"'),
    topology("latency missing", changed(TOPOLOGY, ["links", 0, "latency_s"], REMOVED), "at /links/0", '"latency_s"'),
    topology("link to nowhere", changed(TOPOLOGY, ["links", 0, "to"], "c"), "at /links/0/to",
             'expected the name of a device or switch, got "c"'),
    topology("link to itself", changed(TOPOLOGY, ["links", 0, "to"], "a"), "at /links/0/to", "to itself"),
    topology("two devices of one name", changed(TOPOLOGY, ["devices", 1, "name"], "a"), "at /devices/1/name",
             "duplicate name 'a'"),
    topology("devices that are not connected", changed(TOPOLOGY, ["links"], []), "'a'", "'b'"),
    topology("an empty file", "", "t.json: invalid JSON"),
    topology("a million devices", '{"version":1,"name":"n","device_types":[{"name":"t","memory_bytes":1,"memory_bandwidth_bytes_per_s":1,'
             '"flops_per_s":{"f32":1},"launch_s":0}],"devices":[' +
             ",".join('{"name":"d%d","type":"t"}' % i for i in range(10**6)) + '],"links":[]}',
             "at /devices", "expected 1 to 4096 devices, got 1000000"),
    Case("topology: a million devices by name", ["soap-opt", "{f.mlir}", "--soap-apply-strategy=preset=single topology=p100-250000x4"],
         ["'p100-250000x4'", "at most 4096 devices"], {"f.mlir": FORWARD}),
    Case("topology: no such name", ["soap-opt", "{f.mlir}", "--soap-apply-strategy=preset=single topology=warehouse"],
         ["'warehouse'", "cpu-"], {"f.mlir": FORWARD}),
    Case("topology: no devices in the name", ["soap-opt", "{f.mlir}", "--soap-apply-strategy=preset=single topology=cpu-0"],
         ["'cpu-0'"], {"f.mlir": FORWARD}),
    Case("topology: a directory", ["soap-opt", "{f.mlir}", "--soap-apply-strategy=preset=single topology={folder}"],
         ["{folder}: is a directory, expected a file"], {"f.mlir": FORWARD}),
    topology("negative latency", changed(TOPOLOGY, ["links", 0, "latency_s"], -1e-6), "at /links/0/latency_s", "got -1e-06"),
    topology("negative bandwidth", changed(TOPOLOGY, ["links", 0, "bandwidth_bytes_per_s"], -1e9),
             "at /links/0/bandwidth_bytes_per_s", "got -1000000000.0"),
    topology("bandwidth NaN", to_json(TOPOLOGY).replace("1000000000.0", "NaN"), "invalid JSON", "line"),
    topology("bandwidth beyond what a number holds", to_json(TOPOLOGY).replace("1000000000.0", "1e400"), "invalid JSON", "1e400"),
    topology("a link one way only", changed(TOPOLOGY, ["links", 0, "bidirectional"], False), "at /links",
             "no route from device 'b' to device 'a'"),
    topology("a link twice", changed(TOPOLOGY, ["links"], TOPOLOGY["links"] * 2), "at /links/1", "duplicate link name 'a->b'"),
    topology("text behind it", to_json(TOPOLOGY) + " {}", "invalid JSON", "expected end of input"),

    strategy("not JSON", "ops: []", "invalid JSON"),
    strategy("wrong version", changed(STRATEGY, ["version"], "1"), "at /version", 'expected version 1, got "1"'),
    strategy("ops missing", {"version": 1}, '"ops"', "missing"),
    strategy("unknown op", changed(STRATEGY, ["ops", 0, "name"], "fc9"), "at /ops/0/name", "unknown op 'fc9'"),
    strategy("an op twice", {"version": 1, "ops": STRATEGY["ops"] * 2}, "at /ops/1/name", "duplicate op 'fc'"),
    strategy("an op missing", {"version": 1, "ops": []}, "expected a config for op 'fc'"),
    strategy("unknown loop", changed(STRATEGY, ["ops", 0, "degrees"], {"q": 2}), "at /ops/0/degrees/q",
             "unknown loop 'q' of op 'fc'", "expected one of"),
    strategy("degree of zero", changed(STRATEGY, ["ops", 0, "degrees", "m"], 0), "at /ops/0/degrees/m", "got 0"),
    strategy("absurd degree", changed(STRATEGY, ["ops", 0, "degrees", "m"], 1 << 40), "at /ops/0/degrees/m",
             "expected an integer"),
    strategy("too few devices", changed(STRATEGY, ["ops", 0, "devices"], [0]), "at /ops/0", "expected 2 devices", "got 1"),
    strategy("a device that is not there", changed(STRATEGY, ["ops", 0, "devices"], [0, 7]), "at /ops/0",
             "device 7 is not in the topology"),
    strategy("a negative device", changed(STRATEGY, ["ops", 0, "devices"], [0, -1]), "at /ops/0/devices/1", "got -1"),
    strategy("another model's", dict(STRATEGY, model_fingerprint="0123456789abcdef"), "at /model_fingerprint",
             "0123456789abcdef"),
    strategy("another topology's", dict(STRATEGY, topology_fingerprint="0123456789abcdef"), "at /topology_fingerprint",
             "0123456789abcdef"),
    Case("strategy: a serial loop cut", ["soap-opt", "{f.mlir}", APPLY], ["s.json", "at /ops/0", "'pool'", "'kh'", "serial"],
         {"f.mlir": POOL, "s.json": to_json({"version": 1, "ops": [{"name": "pool", "degrees": {"kh": 2}, "devices": [0, 1]}]})}),
    Case("strategy: more memory than devices have", ["soap-opt", "{f.mlir}",
         "--soap-apply-strategy=strategy={s.json} topology={t.json}"],
         ["error: '@forward' needs", 'bytes on device "a", which has 100; 1 more devices have less than they need'], MEMORY),
    Case("strategy: a preset that needs more memory than devices have", ["soap-opt", "{f.mlir}",
         "--soap-apply-strategy=preset=single topology={t.json}"],
         ["warning: '@forward' needs", 'bytes on device "a", which has 100'], MEMORY, status=0),
    Case("strategy: more memory than devices have, simulated", ["soap-opt", "{f.mlir}",
         "--soap-apply-strategy=preset=data-parallel topology=cpu-2", "--soap-simulate=topology={t.json}"],
         ["warning: '@forward' needs", 'bytes on device "a", which has 100'], MEMORY, status=0),
    Case("strategy: none that fits into memory", ["soap-opt", "{f.mlir}", "--soap-auto-parallel=proposals=20 topology={t.json}"],
         ["'@forward' does not fit into the memory of topology 'two'", "bytes more"], MEMORY),
    Case("strategy: a search from one of another cluster",
         ["soap-opt", "{f.mlir}", "--soap-auto-parallel=proposals=5 initial=current topology=cpu-1"],
         ['"fc" has a bad \'soap.config\'', "device 1 is not in the topology"],
         {"f.mlir": FORWARD.replace('soap.name = "fc"', 'soap.name = "fc", soap.config = #soap.config<{m = 2}, devices = [0, 1]>')}),
    Case("strategy: explain without one", ["soap-opt", "{f.mlir}", "--soap-explain=op=fc topology=cpu-2"],
         ['"fc" has no \'soap.config\''], {"f.mlir": FORWARD}),
    Case("strategy: explain an unknown op", ["soap-opt", "{f.mlir}", "--soap-explain=op=fd topology=cpu-2"],
         ["option 'op=fd': no such op in '@forward'; near are 'fc'"], {"f.mlir": FORWARD}),
    Case("strategy: explain nothing", ["soap-opt", "{f.mlir}", "--soap-explain=topology=cpu-2"],
         ["expected the option 'op=NAME'"], {"f.mlir": FORWARD}),
    Case("strategy: explain with no alternative", ["soap-opt", "{f.mlir}", "--soap-explain=op=fc most=0 topology=cpu-2"],
         ["option 'most=0': expected a number of at least 1"], {"f.mlir": FORWARD}),
    Case("strategy: explain with rows below zero", ["soap-opt", "{f.mlir}", "--soap-explain=op=fc rows=-1 topology=cpu-2"],
         ["option 'rows=-1': expected a number of at least 0"], {"f.mlir": FORWARD}),
    Case("strategy: drawing without one", ["soap-translate", "--strategy-to-svg", "--topology=cpu-2", "{f.mlir}"],
         ['"fc" has no \'soap.config\''], {"f.mlir": FORWARD}),
    Case("strategy: drawing without a topology", ["soap-translate", "--strategy-to-svg", "{f.mlir}"], ["topology"],
         {"f.mlir": FORWARD}),
    Case("strategy: drawing of no such function",
         ["soap-translate", "--strategy-to-svg", "--topology=cpu-2", "--function=backward", "{f.mlir}"],
         ["option 'function=backward' names no function with a body"], {"f.mlir": FORWARD}),
    Case("strategy: drawing of what is no IR", ["soap-translate", "--strategy-to-svg", "{s.json}"], ["s.json", "error"],
         {"s.json": to_json(STRATEGY)}),
    Case("strategy: comparison with an unknown preset",
         ["soap-opt", "{f.mlir}", "--soap-apply-strategy=preset=single topology=cpu-2", "--soap-simulate=compare=fastest"],
         ["option 'compare=fastest'", "data-parallel", "or none"], {"f.mlir": FORWARD}),
    Case("strategy: progress into nowhere",
         ["soap-opt", "{f.mlir}", "--soap-auto-parallel=proposals=5 topology=cpu-2 progress-svg={folder}/no/where.svg"],
         ["option 'progress-svg=", "cannot write"], {"f.mlir": FORWARD}),
    Case("search: a truncated checkpoint",
         ["soap-opt", "{f.mlir}", "--soap-auto-parallel=proposals=9 topology=cpu-2 checkpoint={s.ckpt}"],
         ["s.ckpt", "line 1"], {"f.mlir": FORWARD, "s.ckpt": '{"version": 1, "search": "mc'}),
    Case("search: a checkpoint of another version",
         ["soap-opt", "{f.mlir}", "--soap-auto-parallel=proposals=9 topology=cpu-2 checkpoint={s.ckpt}"],
         ["s.ckpt: at /version: expected version 1"], {"f.mlir": FORWARD, "s.ckpt": '{"version": 3}'}),
    Case("search: a checkpoint of another model",
         ["soap-opt", "{f.mlir}", "--soap-auto-parallel=proposals=9 topology=cpu-2 checkpoint={folder}/g.ckpt"],
         ["g.ckpt: at /model: expected a checkpoint of the model"], {"f.mlir": FORWARD, "g.mlir": POOL},
         setup=[["soap-opt", "{g.mlir}", "--soap-auto-parallel=proposals=9 topology=cpu-2 checkpoint={folder}/g.ckpt"]]),
    Case("search: a checkpoint for another cluster",
         ["soap-opt", "{f.mlir}", "--soap-auto-parallel=proposals=9 topology=cpu-3 checkpoint={folder}/g.ckpt"],
         ["g.ckpt: at /topology: expected"], {"f.mlir": FORWARD},
         setup=[["soap-opt", "{f.mlir}", "--soap-auto-parallel=proposals=9 topology=cpu-2 checkpoint={folder}/g.ckpt"]]),
    Case("search: a checkpoint of a search with another seed",
         ["soap-opt", "{f.mlir}", "--soap-auto-parallel=proposals=9 topology=cpu-2 seed=2 checkpoint={folder}/g.ckpt"],
         ["g.ckpt: at /options: expected", "seed 2"], {"f.mlir": FORWARD},
         setup=[["soap-opt", "{f.mlir}", "--soap-auto-parallel=proposals=9 topology=cpu-2 checkpoint={folder}/g.ckpt"]]),
    Case("strategy: no such file", ["soap-opt", "{f.mlir}", "--soap-apply-strategy=strategy={missing} topology=cpu-2"],
         ["no-such-file", "cannot read"], {"f.mlir": FORWARD}),
    Case("strategy: no such preset", ["soap-opt", "{f.mlir}", "--soap-apply-strategy=preset=fastest topology=cpu-2"],
         ["fastest", "data-parallel"], {"f.mlir": FORWARD}),
    Case("strategy: neither file nor preset", ["soap-opt", "{f.mlir}", "--soap-apply-strategy=topology=cpu-2"],
         ["expected exactly one of the options"], {"f.mlir": FORWARD}),
]
