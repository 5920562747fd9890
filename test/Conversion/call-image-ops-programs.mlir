// An op of the model that not all programs of a module run alike is left to kernels.
// RUN: soap-opt %s --soap-call-image-ops='pooling=all norms=true' | FileCheck %s

// "pool" has two shards, one of which is a kernel, as it has padding on one side: replicas would differ, so both are. "norm" is a call in both, and its gradient in neither: the second program gets the statistics from elsewhere.
// CHECK-LABEL: func.func @first
// CHECK: soap.max_pool2d
// CHECK: %[[N:.*]]:3 = soap.library_call "batch_norm"
// CHECK: %[[S:.*]] = soap.kernel_call @{{.*}}_moments ins(%[[N]]#1, %[[N]]#2
// CHECK: soap.batch_norm_grad %{{.*}}, %{{.*}}, %[[S]]
// CHECK: soap.library_call "pool2d"
// CHECK-LABEL: func.func @second
// CHECK: soap.max_pool2d
// CHECK: soap.library_call "batch_norm"
// CHECK: soap.batch_norm_grad
// CHECK: soap.library_call "pool2d"
module attributes {soap.programs = [{schedule = {names = ["pool[0]", "pool[1]", "norm[0]", "norm[1]", "norm.grad[0]", "norm.grad[1]", "other[0]", "other[1]"]}, ranks = [
    {program = @first, tasks = array<i64: 0, 2, 4, 6>}, {program = @second, tasks = array<i64: 1, 3, 5, 7>}]}]} {
  func.func @first(%x: tensor<2x3x4x4xf32>, %gamma: tensor<3xf32>, %beta: tensor<3xf32>, %d: tensor<2x3x4x4xf32>, %s: tensor<3x3xf32>)
      -> (tensor<2x3x2x2xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x2x2xf32>) {
    %a = soap.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, soap.slot = 0 : i64} : (tensor<2x3x4x4xf32>) -> tensor<2x3x2x2xf32>
    %y, %stats = soap.batch_norm_train %x, %gamma, %beta {epsilon = 1.0e-05 : f64, soap.slot = 1 : i64} : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4x4xf32>, tensor<3x3xf32>)
    %dx, %dg, %db = soap.batch_norm_grad %d, %x, %stats, %gamma {epsilon = 1.0e-05 : f64, soap.slot = 2 : i64} : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<3x3xf32>, tensor<3xf32>) -> (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>)
    %b = soap.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, soap.slot = 3 : i64} : (tensor<2x3x4x4xf32>) -> tensor<2x3x2x2xf32>
    return %a, %y, %dx, %b : tensor<2x3x2x2xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x2x2xf32>
  }
  func.func @second(%x: tensor<2x3x4x4xf32>, %gamma: tensor<3xf32>, %beta: tensor<3xf32>, %d: tensor<2x3x4x4xf32>, %s: tensor<3x3xf32>)
      -> (tensor<2x3x2x2xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x2x2xf32>) {
    %a = soap.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 4, 4>, padding = array<i64: 0, 0, 2, 2>, soap.slot = 0 : i64} : (tensor<2x3x4x4xf32>) -> tensor<2x3x2x2xf32>
    %y, %stats = soap.batch_norm_train %x, %gamma, %beta {epsilon = 1.0e-05 : f64, soap.slot = 1 : i64} : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4x4xf32>, tensor<3x3xf32>)
    %dx, %dg, %db = soap.batch_norm_grad %d, %x, %s, %gamma {epsilon = 1.0e-05 : f64, soap.slot = 2 : i64} : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<3x3xf32>, tensor<3xf32>) -> (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>)
    %b = soap.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, soap.slot = 3 : i64} : (tensor<2x3x4x4xf32>) -> tensor<2x3x2x2xf32>
    return %a, %y, %dx, %b : tensor<2x3x2x2xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x2x2xf32>
  }
}
