// Enums, pipelines and topologies as attributes, printed and read back.
// RUN: soap-opt %s | soap-opt | FileCheck %s
// RUN: soap-opt %s --emit-bytecode | soap-opt | FileCheck %s

// CHECK: soap.pipeline = #soap.pipeline<microbatches = 8, schedule = "gpipe", replicas = [2, 1]>
// CHECK-SAME: soap.precision = #soap.precision<bf16>
// CHECK-SAME: soap.topology = #soap.topology<"h100-1x8">
module attributes {
  soap.topology = #soap.topology<"h100-1x8">,
  soap.precision = #soap.precision<bf16>,
  soap.pipeline = #soap.pipeline<microbatches = 8, schedule = gpipe, replicas = [2, 1]>
} {
  // CHECK: @f(%{{.*}}: tensor<4x4xf32> {soap.keep = #soap.keep<before>, soap.kind = #soap.kind<data>}
  // CHECK-SAME: {soap.init = #soap.init<default>, soap.kind = #soap.kind<state>}
  // CHECK-SAME: {soap.kind = #soap.kind<output>}
  func.func @f(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>, soap.keep = #soap.keep<before>},
               %s: tensor<4x4xf32> {soap.kind = #soap.kind<state>, soap.init = #soap.init<default>})
      -> (tensor<4x4xf32> {soap.kind = #soap.kind<output>}) {
    // CHECK: soap.keep = #soap.keep<both>
    %y = soap.add %x, %s {soap.keep = #soap.keep<both>} : tensor<4x4xf32>
    return %y : tensor<4x4xf32>
  }
}

// The keys of a topology file in their order; numbers that are whole have no point, others the fewest digits.
// CHECK: soap.topology = #soap.topology<{version = 1, name = "pair", device_types = [{name = "gpu", flops_per_s = {f32 = 19000000000000},
// CHECK-SAME: launch_s = 4.5e-06, memory_bandwidth_bytes_per_s = 2000000000000, memory_bytes = 80000000000, profile = "not-here.json"}],
// CHECK-SAME: devices = [{name = "a", type = "gpu"}, {name = "b", type = "gpu"}],
// CHECK-SAME: links = [{from = "a", to = "b", bandwidth_bytes_per_s = 300000000000, bidirectional = true, latency_s = 1.0e-06}]}>
module attributes {
  soap.topology = #soap.topology<{
    name = "pair", version = 1,
    device_types = [{name = "gpu", memory_bytes = 80000000000, memory_bandwidth_bytes_per_s = 2.0e+12,
                     flops_per_s = {f32 = 1.9e+13}, launch_s = 4.5e-6, profile = "not-here.json"}],
    devices = [{name = "a", type = "gpu"}, {name = "b", type = "gpu"}],
    links = [{from = "a", to = "b", bandwidth_bytes_per_s = 3.0e+11, latency_s = 1.0e-6, bidirectional = true}]}>
} {
}
