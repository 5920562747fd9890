// Ops that move elements: those that move nothing, and those that follow each other.
// RUN: soap-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @identities
func.func @identities(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
  %0 = soap.reshape %x : tensor<2x3xf32>
  %1 = soap.transpose %x {permutation = array<i64: 0, 1>} : tensor<2x3xf32>
  %2 = soap.concat %x {axis = 1 : i64} : tensor<2x3xf32>
  %3 = soap.slice %x {sizes = array<i64: 2, 3>} : tensor<2x3xf32>
  %4 = soap.pad %x {value = 1.0 : f64} : tensor<2x3xf32>
  %5 = soap.broadcast %x {axes = array<i64>} : tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// Same types, but elements move.
// CHECK-LABEL: @not_identities
func.func @not_identities(%x: tensor<3x3xf32>, %y: tensor<2xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<2xf32>) {
  // CHECK: soap.transpose
  %0 = soap.transpose %x {permutation = array<i64: 1, 0>} : tensor<3x3xf32>
  // CHECK: soap.pad
  %1 = soap.pad %x {low = array<i64: 1, 0>} : tensor<3x3xf32>
  // CHECK: soap.pad
  %2 = soap.pad %y {interior = array<i64: 1>} : tensor<2xf32>
  return %0, %1, %2 : tensor<3x3xf32>, tensor<3x3xf32>, tensor<2xf32>
}

// CHECK-LABEL: @reshapes
func.func @reshapes(%x: tensor<4x6xf32>, %y: tensor<6x4xf32>) -> (tensor<2x12xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  // CHECK: %[[MERGED:.*]] = soap.reshape %arg0 : (tensor<4x6xf32>) -> tensor<2x12xf32>
  %0 = soap.reshape %x : (tensor<4x6xf32>) -> tensor<24xf32>
  %1 = soap.reshape %0 : (tensor<24xf32>) -> tensor<2x12xf32>
  %2 = soap.reshape %0 : (tensor<24xf32>) -> tensor<4x6xf32>
  // One reshape from 6x4 to 4x6 could not be split at all; each of the two can.
  // CHECK: %[[FLAT:.*]] = soap.reshape %arg1 : (tensor<6x4xf32>) -> tensor<24xf32>
  // CHECK: %[[KEPT:.*]] = soap.reshape %[[FLAT]] : (tensor<24xf32>) -> tensor<4x6xf32>
  %3 = soap.reshape %y : (tensor<6x4xf32>) -> tensor<24xf32>
  %4 = soap.reshape %3 : (tensor<24xf32>) -> tensor<4x6xf32>
  // CHECK: return %[[MERGED]], %arg0, %[[KEPT]]
  return %1, %2, %4 : tensor<2x12xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: @transposes
func.func @transposes(%x: tensor<2x3x4xf32>) -> (tensor<4x3x2xf32>, tensor<2x3x4xf32>) {
  // Dims 0 and 2 change places, in two steps.
  // CHECK: %[[MERGED:.*]] = soap.transpose %arg0 {permutation = array<i64: 2, 1, 0>} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %0 = soap.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = soap.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  %2 = soap.transpose %0 {permutation = array<i64: 2, 0, 1>} : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  // CHECK: return %[[MERGED]], %arg0
  return %1, %2 : tensor<4x3x2xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: @concats
func.func @concats(%a: tensor<1x2xf32>, %b: tensor<3x2xf32>) -> (tensor<5x2xf32>, tensor<4x4xf32>) {
  // CHECK: %[[FLAT:.*]] = soap.concat %arg0, %arg1, %arg0 {axis = 0 : i64}
  %0 = soap.concat %a, %b {axis = 0 : i64} : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = soap.concat %0, %a {axis = 0 : i64} : (tensor<4x2xf32>, tensor<1x2xf32>) -> tensor<5x2xf32>
  // Along another dim, and read twice.
  // CHECK: %[[INNER:.*]] = soap.concat %arg0, %arg1 {axis = 0 : i64}
  // CHECK: %[[OTHER:.*]] = soap.concat %[[INNER]], %[[INNER]] {axis = 1 : i64}
  %2 = soap.concat %a, %b {axis = 0 : i64} : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %3 = soap.concat %2, %2 {axis = 1 : i64} : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  // CHECK: return %[[FLAT]], %[[OTHER]]
  return %1, %3 : tensor<5x2xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: @slices
func.func @slices(%x: tensor<20xf32>, %a: tensor<4xf32>, %b: tensor<6xf32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) {
  // Elements 2 + 3 * (1 + 2 * i): 5, 11, 17.
  // CHECK: %[[MERGED:.*]] = soap.slice %arg0 {offsets = array<i64: 5>, sizes = array<i64: 3>, strides = array<i64: 6>}
  %0 = soap.slice %x {offsets = array<i64: 2>, sizes = array<i64: 6>, strides = array<i64: 3>} : (tensor<20xf32>) -> tensor<6xf32>
  %1 = soap.slice %0 {offsets = array<i64: 1>, sizes = array<i64: 3>, strides = array<i64: 2>} : (tensor<6xf32>) -> tensor<3xf32>
  %2 = soap.concat %a, %b {axis = 0 : i64} : (tensor<4xf32>, tensor<6xf32>) -> tensor<10xf32>
  // CHECK: %[[SECOND:.*]] = soap.slice %arg2 {offsets = array<i64: 1>, sizes = array<i64: 2>, strides = array<i64: 4>}
  %3 = soap.slice %2 {offsets = array<i64: 5>, sizes = array<i64: 2>, strides = array<i64: 4>} : (tensor<10xf32>) -> tensor<2xf32>
  // CHECK: %[[BOTH:.*]] = soap.concat
  // CHECK: %[[KEPT:.*]] = soap.slice %[[BOTH]]
  %4 = soap.concat %a, %b {axis = 0 : i64} : (tensor<4xf32>, tensor<6xf32>) -> tensor<10xf32>
  %5 = soap.slice %4 {offsets = array<i64: 3>, sizes = array<i64: 2>} : (tensor<10xf32>) -> tensor<2xf32>
  // CHECK: return %[[MERGED]], %[[SECOND]], %[[KEPT]]
  return %1, %3, %5 : tensor<3xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @pads
func.func @pads(%x: tensor<4xf32>) -> (tensor<9xf32>, tensor<5xf32>, tensor<9xf32>) {
  // CHECK: %[[MERGED:.*]] = soap.pad %arg0 {low = array<i64: 3>, value = 1.000000e+00 : f64} : (tensor<4xf32>) -> tensor<9xf32>
  %0 = soap.pad %x {low = array<i64: 1>, value = 1.0 : f64} : (tensor<4xf32>) -> tensor<6xf32>
  %1 = soap.pad %0 {low = array<i64: 2>, value = 1.0 : f64} : (tensor<6xf32>) -> tensor<9xf32>
  // The elements that the first one cuts off stay off.
  // CHECK: %[[CUT:.*]] = soap.pad %arg0 {{.*}}low = array<i64: -1>
  // CHECK: %[[KEPT:.*]] = soap.pad %[[CUT]]
  %2 = soap.pad %x {low = array<i64: -1>} : (tensor<4xf32>) -> tensor<3xf32>
  %3 = soap.pad %2 {low = array<i64: 1>} : (tensor<3xf32>) -> tensor<5xf32>
  // Other values.
  // CHECK: %[[OTHER:.*]] = soap.pad %{{.*}} {{.*}}low = array<i64: 2>
  %4 = soap.pad %x {low = array<i64: 1>, value = -0.0 : f64} : (tensor<4xf32>) -> tensor<6xf32>
  %5 = soap.pad %4 {low = array<i64: 2>} : (tensor<6xf32>) -> tensor<9xf32>
  // CHECK: return %[[MERGED]], %[[KEPT]], %[[OTHER]]
  return %1, %3, %5 : tensor<9xf32>, tensor<5xf32>, tensor<9xf32>
}

// CHECK-LABEL: @broadcasts
func.func @broadcasts(%x: tensor<3xf32>) -> tensor<2x4x3x5xf32> {
  // x is dim 2 of the result.
  // CHECK: soap.broadcast %arg0 {axes = array<i64: 0, 1, 3>} : (tensor<3xf32>) -> tensor<2x4x3x5xf32>
  %0 = soap.broadcast %x {axes = array<i64: 0, 2>} : (tensor<3xf32>) -> tensor<2x3x5xf32>
  %1 = soap.broadcast %0 {axes = array<i64: 1>} : (tensor<2x3x5xf32>) -> tensor<2x4x3x5xf32>
  return %1 : tensor<2x4x3x5xf32>
}
