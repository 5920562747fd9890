// A strategy that no grid has, on a topology: a note says what the nearest one on a grid costs.
// RUN: not soap-opt %s --soap-export-shard 2>&1 | FileCheck %s
// CHECK: error: no grid has this strategy: op 'exp_1' runs on devices [0], expected each of the 2 devices of the strategy once
// CHECK: note: the nearest strategy of a grid has other configs for 1 of 3 ops, of which 'exp_1' is the first, and takes {{[0-9.]+}} ms an iteration; this one takes {{[0-9.]+}} ms (simulated on cpu-2)
module attributes {soap.topology = #soap.topology<"cpu-2">} {
  func.func @alone(%x: tensor<4096xf32>) -> tensor<4096xf32> {
    %y = math.exp %x {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<4096xf32>
    %z = math.exp %y {soap.config = #soap.config<{}, devices = [0]>} : tensor<4096xf32>
    %w = math.exp %z {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<4096xf32>
    return %w : tensor<4096xf32>
  }
}
