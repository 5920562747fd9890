// Operands of products are rounded to bf16, once each; results of convolutions, too.
// RUN: soap-opt %s --soap-narrow-products | FileCheck %s
// RUN: soap-opt %s --soap-narrow-products='precision=f32 recurrences' | FileCheck %s --check-prefix=STEPS

// CHECK-LABEL: func.func @matmuls
// CHECK: %[[XB:.*]] = soap.cast %arg0 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
// CHECK: %[[X:.*]] = soap.cast %[[XB]] : (tensor<4x8xbf16>) -> tensor<4x8xf32>
// CHECK: %[[WB:.*]] = soap.cast %arg1 : (tensor<8x2xf32>) -> tensor<8x2xbf16>
// CHECK: %[[W:.*]] = soap.cast %[[WB]]
// CHECK: %[[Y:.*]] = soap.matmul %[[X]], %[[W]]
// CHECK: %[[R:.*]] = soap.relu %[[Y]]
// CHECK: %[[RB:.*]] = soap.cast %[[R]] : (tensor<4x2xf32>) -> tensor<4x2xbf16>
// The transposed operand is what was rounded before.
// CHECK: %[[X2:.*]] = soap.cast %[[XB]]
// CHECK: %[[R2:.*]] = soap.cast %[[RB]]
// CHECK: %[[G:.*]] = soap.matmul %[[X2]], %[[R2]]
// relu_grad needs the sign only.
// CHECK: %[[R3:.*]] = soap.cast %[[RB]]
// CHECK: soap.relu_grad %arg2, %[[R3]]
func.func @matmuls(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %d: tensor<4x2xf32>) -> (tensor<8x2xf32>, tensor<4x2xf32>) {
  %y = soap.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %r = soap.relu %y : tensor<4x2xf32>
  %g = soap.matmul %x, %r {transpose_a} : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %e = soap.relu_grad %d, %r : tensor<4x2xf32>
  return %g, %e : tensor<8x2xf32>, tensor<4x2xf32>
}

// The rounded value moves; the reshape that no other op reads goes.
// CHECK-LABEL: func.func @reshapes
// CHECK-NOT: soap.reshape %arg0
// CHECK: %[[B:.*]] = soap.cast %arg0 : (tensor<2x2x8xf32>) -> tensor<2x2x8xbf16>
// CHECK: soap.reshape %[[B]] : (tensor<2x2x8xbf16>) -> tensor<4x8xbf16>
func.func @reshapes(%x: tensor<2x2x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %r = soap.reshape %x : (tensor<2x2x8xf32>) -> tensor<4x8xf32>
  %y = soap.matmul %r, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @convolutions
// CHECK: %[[Y:.*]] = soap.conv2d
// CHECK: %[[YB:.*]] = soap.cast %[[Y]] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xbf16>
// CHECK: %[[YF:.*]] = soap.cast %[[YB]] : (tensor<1x2x4x4xbf16>) -> tensor<1x2x4x4xf32>
// CHECK: soap.relu %[[YF]]
func.func @convolutions(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32> {
  %y = soap.conv2d %x, %w {strides = array<i64: 1, 1>}
     : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r = soap.relu %y : tensor<1x2x4x4xf32>
  return %r : tensor<1x2x4x4xf32>
}

// f64 stays.
// CHECK-LABEL: func.func @doubles
// CHECK-NOT: soap.cast
func.func @doubles(%x: tensor<4x8xf64>, %w: tensor<8x2xf64>) -> tensor<4x2xf64> {
  %y = soap.matmul %x, %w : (tensor<4x8xf64>, tensor<8x2xf64>) -> tensor<4x2xf64>
  return %y : tensor<4x2xf64>
}

// The step of a recurrence of bf16 has a product that a library computes, between conversions, and a cell.
// CHECK-LABEL: func.func @recurrence
// STEPS-LABEL: func.func @recurrence
// STEPS: %[[P:.*]] = soap.matmul %{{.*}}, %{{.*}} {transpose_b} : (tensor<2x5xf32>, tensor<20x5xf32>) -> tensor<2x20xf32>
// STEPS: soap.cast %[[P]] : (tensor<2x20xf32>) -> tensor<2x20xbf16>
// STEPS: soap.lstm_cell
func.func @recurrence(%z: tensor<3x2x4x5xbf16>, %r: tensor<4x5x5xbf16>, %h: tensor<1x2x5xbf16>, %c: tensor<1x2x5xbf16>) -> tensor<1x2x5xbf16> {
  %s:3 = soap.lstm_step %z, %r, %h, %c {t = 2 : i64} : (tensor<3x2x4x5xbf16>, tensor<4x5x5xbf16>, tensor<1x2x5xbf16>, tensor<1x2x5xbf16>) -> (tensor<1x2x5xbf16>, tensor<1x2x5xbf16>, tensor<1x2x4x5xbf16>)
  return %s#0 : tensor<1x2x5xbf16>
}

// The operands of products of attention, and not its bias, its segments or its lse.
// CHECK-LABEL: func.func @attention
// CHECK: %[[KB:.*]] = soap.cast %arg1 : (tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xbf16>
// CHECK: %[[Q:.*]] = soap.cast %{{.*}} : (tensor<1x2x4x8xbf16>) -> tensor<1x2x4x8xf32>
// CHECK: %[[Y:.*]], %[[L:.*]] = soap.attention %{{.*}}, %{{.*}}, %{{.*}}, %arg2
// CHECK: %[[YB:.*]] = soap.cast %[[Y]] : (tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xbf16>
// CHECK: %[[Y2:.*]] = soap.cast %[[YB]]
// CHECK: soap.attention_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[Y2]], %[[L]], %arg2
// STEPS-LABEL: func.func @attention
// STEPS-NOT: soap.cast
// STEPS: return
func.func @attention(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>, %b: tensor<1x1x1x4xf32>) -> tensor<1x2x4x8xf32> {
  %y, %l = soap.attention %q, %k, %k, %b {scale = 1.0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x1x1x4xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4xf32>)
  %dq, %dk, %dv = soap.attention_grad %q, %q, %k, %k, %y, %l, %b {scale = 1.0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0>} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4xf32>, tensor<1x1x1x4xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
  return %dq : tensor<1x2x4x8xf32>
}
