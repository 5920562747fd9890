// A module that is not partitioned gets the rank table of one device.
// RUN: soap-opt %s --soap-single-programs | FileCheck %s

// CHECK: soap.programs = [{batch = 4 : i64, entry = "step"
// CHECK-SAME: args = [{region = #soap.region<[0:4], [0:2]>, tensor = "x", updated = false}, {region = #soap.region<[0:2]>, tensor = "arg1", updated = true}]
// CHECK-SAME: device = 0 : i64, peers = array<i64: -1, -1>, program = @step
// CHECK-SAME: results = [{region = #soap.region<[0:4], [0:2]>, tensor = "result0", updated = false}], tasks = array<i64: 0, 1>, transfers = array<i64: -1, -1>
// CHECK-SAME: kinds = ["add", "neg"], names = ["plus", "neg#1"]
// CHECK-SAME: tensors = [{kind = #soap.kind<data>, name = "x", sample_dim = 0 : i64, type = tensor<4x2xf32>}, {init = #soap.init<he>, kind = #soap.kind<parameter>, name = "arg1", type = tensor<2xf32>}, {kind = #soap.kind<output>, name = "result0", type = tensor<4x2xf32>}]
// CHECK: func.func @step
func.func @step(%x: tensor<4x2xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                %w: tensor<2xf32> {soap.kind = #soap.kind<parameter>, soap.init = #soap.init<he>})
    -> (tensor<4x2xf32>, tensor<2xf32> {soap.updates = 1 : i64}) {
  // CHECK: soap.add {{.*}} {soap.name = "plus", soap.slot = 0 : i64}
  %y = soap.add %x, %w {soap.name = "plus"} : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  // CHECK: soap.neg {{.*}} {soap.slot = 1 : i64}
  %v = soap.neg %w : tensor<2xf32>
  return %y, %v : tensor<4x2xf32>, tensor<2xf32>
}
