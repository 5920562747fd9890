// Results lie where they belong: in the argument that they replace, or in a new one.
// RUN: soap-opt %s --soap-outline-kernels=fuse=false --soap-bufferize-programs -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @step
// CHECK-SAME: (%[[W:.*]]: memref<8xf32> {soap.updated}, %[[G:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32> {soap.result = 1 : i64})
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: soap.kernel_call @kernel_0_sgd ins(%[[G]] : memref<8xf32>) outs(%[[W]] : memref<8xf32>)
// CHECK: soap.kernel_call @kernel_1_neg ins(%[[G]] : memref<8xf32>) outs(%[[OUT]] : memref<8xf32>)
// CHECK: return
func.func @step(%w: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32> {soap.updates = 0 : i64}, tensor<8xf32>) {
  %0 = soap.sgd %w, %g {learning_rate = 0.1 : f64, momentum = 0.0 : f64, weight_decay = 0.0 : f64} : tensor<8xf32>
  %1 = soap.neg %g : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A weight that is read after its update: the new value is made elsewhere and copied at the end.
// CHECK-LABEL: func.func @read_later
// CHECK-SAME: (%[[W:.*]]: memref<8xf32> {soap.updated}, %[[G:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32> {soap.result = 1 : i64})
// CHECK: %[[NEW:.*]] = memref.alloc()
// CHECK: memref.copy %[[W]], %[[NEW]]
// CHECK: soap.kernel_call @kernel_0_sgd ins(%[[G]] : memref<8xf32>) outs(%[[NEW]] : memref<8xf32>)
// CHECK: soap.kernel_call @kernel_1_neg ins(%[[W]] : memref<8xf32>) outs(%[[OUT]] : memref<8xf32>)
// CHECK: memref.copy %[[NEW]], %[[W]]
func.func @read_later(%w: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32> {soap.updates = 0 : i64}, tensor<8xf32>) {
  %0 = soap.sgd %w, %g {learning_rate = 0.1 : f64, momentum = 0.0 : f64, weight_decay = 0.0 : f64} : tensor<8xf32>
  %1 = soap.neg %w : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Arguments that replace each other.
// CHECK-LABEL: func.func @swap
// CHECK-SAME: (%[[A:.*]]: memref<8xf32> {soap.updated}, %[[B:.*]]: memref<8xf32> {soap.updated})
// CHECK-DAG: memref.copy %[[B]], %[[OLDB:.*]] :
// CHECK-DAG: memref.copy %[[A]], %[[OLDA:.*]] :
// CHECK: memref.copy %[[OLDB]], %[[A]]
// CHECK: memref.copy %[[OLDA]], %[[B]]
func.func @swap(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32> {soap.updates = 0 : i64}, tensor<8xf32> {soap.updates = 1 : i64}) {
  %0 = soap.reshape %b : tensor<8xf32>
  return %0, %a : tensor<8xf32>, tensor<8xf32>
}

// -----

// Data is never written to, whatever reads it last.
// CHECK-LABEL: func.func @data
// CHECK-SAME: (%[[X:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32> {soap.result = 0 : i64})
// CHECK: memref.alloc
// CHECK: memref.copy %[[X]]
func.func @data(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = soap.sgd %x, %x {learning_rate = 0.1 : f64, momentum = 0.0 : f64, weight_decay = 0.0 : f64} : tensor<8xf32>
  %1 = soap.neg %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @communicate
// CHECK: %[[T:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK: soap.recv_buffer outs(%[[T]] : memref<4xf32>) {soap.slot = 0 : i64}
// CHECK: soap.send_buffer %[[T]] {soap.slot = 1 : i64} : memref<4xf32>
func.func @communicate() {
  %0 = soap.recv {soap.slot = 0 : i64} : tensor<4xf32>
  soap.send %0 {source = #soap.region<[0:4]>, soap.slot = 1 : i64} : tensor<4xf32>
  return
}

// -----

// Programs are bufferized apart, and equal constants are one afterwards.
// CHECK-DAG: memref.global "private" constant @[[$ONE:.*]] : memref<2xf32> = dense<1.000000e+00>
// CHECK-DAG: memref.global "private" constant @[[$TWO:.*]] : memref<2xf32> = dense<2.000000e+00>
// CHECK-LABEL: func.func @first
// CHECK: memref.get_global @[[$ONE]] :
// CHECK-LABEL: func.func @second
// CHECK-DAG: memref.get_global @[[$ONE]] :
// CHECK-DAG: memref.get_global @[[$TWO]] :
func.func @first() {
  %0 = soap.constant dense<1.0> : tensor<2xf32>
  soap.send %0 {source = #soap.region<[0:2]>, soap.slot = 0 : i64} : tensor<2xf32>
  return
}
func.func @second() {
  %0 = soap.constant dense<2.0> : tensor<2xf32>
  soap.send %0 {source = #soap.region<[0:2]>, soap.slot = 0 : i64} : tensor<2xf32>
  %1 = soap.constant dense<1.0> : tensor<2xf32>
  soap.send %1 {source = #soap.region<[0:2]>, soap.slot = 1 : i64} : tensor<2xf32>
  return
}
