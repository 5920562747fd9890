// The loss that is asked for is built, with a warning where the result is no logits.
// RUN: soap-opt %s -verify-diagnostics --soap-build-training-step='loss=softmax-cross-entropy' | FileCheck %s
// RUN: soap-opt %s -verify-diagnostics --soap-build-training-step='inference=true' | FileCheck %s --check-prefix=EVALUATE

// CHECK-LABEL: func.func @train_step
// CHECK: %[[P:.+]] = soap.sigmoid
// CHECK: soap.cross_entropy %[[P]],
// CHECK: soap.sgd
// EVALUATE-NOT: @train_step
// EVALUATE: func.func @evaluate
// EVALUATE: %[[P:.+]] = soap.sigmoid
// EVALUATE: soap.cross_entropy %[[P]],
// expected-warning @below {{result of '@forward', 'tensor<8x3xf32>', is computed by a sigmoid (op 'D'), and is taken for logits: the loss is softmax cross-entropy of these values}}
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.sigmoid %0 {soap.name = "D"} : tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}
