// Nothing behind a soap.stop_gradient gets a gradient, and the op is gone in the programs.
// RUN: soap-opt %s --soap-build-training-step 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// RUN: soap-opt %s --soap-build-training-step=precision=bf16 | FileCheck %s --check-prefix=NARROW

// REMARK: remark: parameter 'v' has no influence on the loss and is not trained

// CHECK-LABEL: func.func @forward
// CHECK: soap.stop_gradient
// CHECK: soap.stop_gradient
// CHECK-LABEL: func.func @train_step
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x4xf32>
// CHECK-NOT: soap.stop_gradient
// The copy of the weight is the weight.
// CHECK: %[[T:.+]] = soap.matmul %[[X]], %arg1 {soap.name = "target"}
// CHECK: soap.sub %{{.*}}, %[[T]] {soap.name = "difference"}
// The weight belongs to the product, not to the first op that reads it.
// CHECK: soap.sgd {{.*}}soap.update_of = "fc"
// CHECK-LABEL: func.func @evaluate
// CHECK-NOT: soap.stop_gradient

// NARROW-LABEL: func.func @train_step
// NARROW-NOT: soap.stop_gradient
// NARROW: soap.sgd {{.*}}soap.update_of = "w.bf16"
// NARROW-NOT: soap.stop_gradient
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
                   %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"},
                   %v: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "v"}) -> tensor<8x3xf32> {
  %held = soap.stop_gradient %w {soap.name = "held"} : tensor<4x3xf32>
  %0 = soap.matmul %x, %held {soap.name = "target"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %2 = soap.sub %1, %0 {soap.name = "difference"} : tensor<8x3xf32>
  %3 = soap.matmul %x, %v {soap.name = "other"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %4 = soap.stop_gradient %3 {soap.name = "detached"} : tensor<8x3xf32>
  %5 = soap.add %2, %4 {soap.name = "sum"} : tensor<8x3xf32>
  return %5 : tensor<8x3xf32>
}
