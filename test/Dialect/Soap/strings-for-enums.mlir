// Strings and dictionaries that say what typed attributes say are read by the passes.
// RUN: soap-opt %s --soap-build-training-step | FileCheck %s
// RUN: soap-opt %s --soap-apply-strategy=preset=data-parallel | FileCheck %s --check-prefix=STRATEGY

// CHECK: module attributes {soap.precision = "tf32", soap.topology = "cpu-2", soap.training = "{{.*}}"}
// CHECK: @train_step(%{{.*}}: tensor<8x4xf32> {soap.kind = "data"
// CHECK-SAME: tensor<4x3xf32> {soap.init = "he", soap.kind = "parameter"
// CHECK-SAME: soap.kind = #soap.kind<label>
// CHECK: soap.sgd
// STRATEGY: soap.topology = #soap.topology<"cpu-2">
// STRATEGY: soap.matmul {{.*}}soap.config = #soap.config<{m = 2}, devices = [0, 1]>
module attributes {soap.topology = "cpu-2", soap.precision = "tf32"} {
  func.func @forward(%x: tensor<8x4xf32> {soap.kind = "data", soap.name = "x", soap.sample_dim = 0 : i64},
                     %w: tensor<4x3xf32> {soap.kind = "parameter", soap.name = "w", soap.init = "he"})
      -> (tensor<8x3xf32> {soap.kind = "output"}) {
    %y = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
    return %y : tensor<8x3xf32>
  }
}
