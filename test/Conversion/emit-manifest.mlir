// The manifest has all that the launcher must know, as JSON.
// RUN: soap-opt %s --soap-emit-manifest | FileCheck %s

// CHECK: soap.manifest = "{\22version\22:2,\22devices\22:2,\22topology\22:\22cpu-2\22,
// Tensors of both entries, each once; another tensor of the same name is renamed.
// CHECK-SAME: \22tensors\22:[{\22name\22:\22x\22,\22kind\22:\22data\22,\22shape\22:[4,2],\22dtype\22:\22f32\22,\22sample_dim\22:0},
// CHECK-SAME: {\22name\22:\22w\22,\22kind\22:\22parameter\22,\22shape\22:[2],\22dtype\22:\22f32\22,\22fan_in\22:4,\22init\22:\22he\22},
// CHECK-SAME: {\22name\22:\22ones\22,\22kind\22:\22state\22,\22shape\22:[3],\22dtype\22:\22f32\22,\22init\22:[1.5]},
// CHECK-SAME: {\22name\22:\22table\22,\22kind\22:\22parameter\22,\22shape\22:[2],\22dtype\22:\22f32\22,\22init\22:{\22base64\22:\22AACAPwAAAEA=\22}},
// CHECK-SAME: {\22name\22:\22loss\22,\22kind\22:\22loss\22,\22shape\22:[],\22dtype\22:\22f32\22},
// CHECK-SAME: {\22name\22:\22evaluate.x\22,\22kind\22:\22data\22,\22shape\22:[8,2],\22dtype\22:\22f32\22}],
// CHECK-SAME: \22entries\22:[{\22name\22:\22step\22,\22batch\22:4,
// CHECK-SAME: \22schedule\22:[{\22name\22:\22a[0]\22,\22kind\22:\22relu\22,\22start_ns\22:0,\22end_ns\22:10}],
// CHECK-SAME: \22ranks\22:[{\22device\22:0,\22program\22:\22step__0\22,\22arena_bytes\22:128,
// CHECK-SAME: \22args\22:[{\22tensor\22:\22x\22,\22region\22:[{{\[\[}}0,2]],{{\[\[}}0,1],[2,3]]]},{\22tensor\22:\22w\22,\22region\22:[{{\[\[}}0,2]]],\22updated\22:true}],
// CHECK-SAME: \22results\22:[{\22tensor\22:\22loss\22,\22region\22:[]}],\22tasks\22:[0],\22peers\22:[-1],\22transfers\22:[-1]},
// CHECK-SAME: {\22device\22:1,\22program\22:\22step__0\22,
// CHECK-SAME: {\22name\22:\22evaluate\22,
// CHECK-SAME: {\22tensor\22:\22evaluate.x\22,
module attributes {
  soap.topology = "{\22version\22: 1, \22name\22: \22cpu-2\22, \22devices\22: [{}, {}]}",
  soap.programs = [
    {entry = "step", batch = 4 : i64,
     tensors = [{name = "x", kind = "data", type = tensor<4x2xf32>, sample_dim = 0 : i64},
                {name = "w", kind = "parameter", type = tensor<2xf32>, init = "he", fan_in = 4 : i64},
                {name = "ones", kind = "state", type = tensor<3xf32>, init = dense<1.5> : tensor<3xf32>},
                {name = "table", kind = "parameter", type = tensor<2xf32>, init = dense<[1.0, 2.0]> : tensor<2xf32>},
                {name = "loss", kind = "loss", type = tensor<f32>}],
     schedule = {names = ["a[0]"], kinds = ["relu"], start_ns = array<i64: 0>, end_ns = array<i64: 10>},
     ranks = [{device = 0 : i64, program = @step__0, tasks = array<i64: 0>, peers = array<i64: -1>, transfers = array<i64: -1>,
               args = [{tensor = "x", region = #soap.region<[0:2], [0:1, 2:3]>, updated = false}, {tensor = "w", region = #soap.region<[0:2]>, updated = true}],
               results = [{tensor = "loss", region = #soap.region<>}]},
              {device = 1 : i64, program = @step__0, tasks = array<i64: 0>, peers = array<i64: -1>, transfers = array<i64: -1>,
               args = [], results = []}]},
    {entry = "evaluate",
     tensors = [{name = "x", kind = "data", type = tensor<8x2xf32>}, {name = "w", kind = "parameter", type = tensor<2xf32>, init = "he", fan_in = 4 : i64}],
     schedule = {names = [], kinds = [], start_ns = array<i64>, end_ns = array<i64>},
     ranks = [{device = 0 : i64, program = @step__0, tasks = array<i64>, peers = array<i64>, transfers = array<i64>,
               args = [{tensor = "x", region = #soap.region<[0:8], [0:2]>}], results = []}]}]
} {
  func.func @step__0() attributes {soap.arena_bytes = 128 : i64} {
    return
  }
}
