// The gradient of a look-up is 0 where the index is the padding row; the other look-up of the same table, too.
// RUN: soap-opt %s --soap-build-training-step='padding-rows=words=3' | FileCheck %s
// RUN: soap-opt %s --soap-build-training-step='padding-rows=words=3 precision=bf16' | FileCheck %s --check-prefix=NARROW
// RUN: soap-opt %s --soap-build-training-step='padding-rows=words=3' --soap-auto-parallel='topology=cpu-4 seed=1 proposals=50' --soap-partition -o /dev/null
// RUN: not soap-opt %s --soap-build-training-step='padding-rows=words=9' 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: not soap-opt %s --soap-build-training-step='padding-rows=head=0' 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: not soap-opt %s --soap-build-training-step='padding-rows=word=0' 2>&1 | FileCheck %s --check-prefix=NAME

// CHECK: soap.training = "loss=softmax-cross-entropy padding-rows=words=3 optimizer
// CHECK-LABEL: func.func @train_step
// CHECK: %[[SECOND:.+]] = soap.cast %[[INDICES:.+]] {soap.grad_of = "second", soap.loop_map = {{.*}}i0{{.*}}} : (tensor<8x2xi32>) -> tensor<8x2xf32>
// CHECK: %[[IS:.+]] = soap.equal %[[SECOND]], %{{.+}}
// CHECK: %[[ALONG:.+]] = soap.reshape %[[IS]] {{.*}} -> tensor<8x2x1xf32>
// CHECK: %[[DY:.+]] = soap.where %[[ALONG]], %{{.+}}, %{{.+}}soap.grad_of = "second"
// CHECK: soap.gather_grad %[[DY]], %[[INDICES]]
// CHECK: soap.where %{{.+}}soap.grad_of = "first"
// CHECK: soap.gather_grad

// NARROW: soap.cast %{{.+}} : (tensor<8x2x1xf32>) -> tensor<8x2x1xbf16>
// NARROW: soap.where

// ROW: error: padding-rows: expected the number of one of the 9 rows of parameter 'words', got 9
// TABLE: error: padding-rows: parameter 'head' is no table of a look-up, expected the weight of an embedding
// NAME: error: padding-rows: 'word' matches no parameter: there are 'words', 'head'

func.func @forward(
    %a: tensor<8x2xi32> {soap.kind = #soap.kind<data>, soap.name = "a", soap.sample_dim = 0 : i64},
    %b: tensor<8x2xi32> {soap.kind = #soap.kind<data>, soap.name = "b", soap.sample_dim = 0 : i64},
    %words: tensor<9x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "words"},
    %head: tensor<8x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "head"}) -> tensor<8x3xf32> {
  %0 = soap.gather %words, %a {soap.name = "first"} : (tensor<9x4xf32>, tensor<8x2xi32>) -> tensor<8x2x4xf32>
  %1 = soap.gather %words, %b {soap.name = "second"} : (tensor<9x4xf32>, tensor<8x2xi32>) -> tensor<8x2x4xf32>
  %2 = soap.add %0, %1 {soap.name = "sum"} : tensor<8x2x4xf32>
  %3 = soap.reshape %2 {soap.name = "flat"} : (tensor<8x2x4xf32>) -> tensor<8x8xf32>
  %4 = soap.matmul %3, %head {soap.name = "logits"} : (tensor<8x8xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
  return %4 : tensor<8x3xf32>
}
