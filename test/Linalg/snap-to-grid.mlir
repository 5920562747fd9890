// Configs that no grid has become the nearest ones of a grid, where that is hardly slower.
// RUN: soap-opt %s --soap-snap-to-grid=slowdown=10 2>&1 | FileCheck %s
// RUN: not soap-opt %s --soap-snap-to-grid=slowdown=-1 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: option 'slowdown=-1{{.*}}': expected a number of at least 0

// CHECK: remark: the nearest strategy of a grid has other configs for 2 of 3 ops, of which 'exp_1' is the first, and takes {{[0-9.]+}} ms an iteration instead of {{[0-9.]+}} ms (simulated on cpu-2)
// CHECK: math.exp %{{.*}} {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>}
// CHECK: math.exp %{{.*}} {soap.config = #soap.config<{}, replicas = 2, devices = [0, 1]>}
// CHECK: math.exp %{{.*}} {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>}

module attributes {soap.topology = #soap.topology<"cpu-2">} {
  func.func @some(%x: tensor<65536xf32>) -> tensor<65536xf32> {
    %a = math.exp %x {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<65536xf32>
    %b = math.exp %a {soap.config = #soap.config<{}, devices = [0]>} : tensor<65536xf32>
    %c = math.exp %b {soap.config = #soap.config<{d0 = 2}, devices = [1, 0]>} : tensor<65536xf32>
    return %c : tensor<65536xf32>
  }
}
