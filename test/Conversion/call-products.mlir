// A product and the ops that follow it are one call; products of values that were bf16 read bf16.
// RUN: soap-opt %s --soap-call-products | FileCheck %s
// RUN: soap-opt %s --soap-call-products='precision=tf32 workspace=32' | FileCheck %s --check-prefix=TF32
// RUN: soap-opt %s --soap-call-products=conv-epilogues=false | FileCheck %s --check-prefix=SINGLE
// RUN: not soap-opt %s --soap-call-products=precision=fp8 2>&1 | FileCheck %s --check-prefix=PRECISION
// RUN: not soap-opt %s --soap-call-products=workspace=-1 2>&1 | FileCheck %s --check-prefix=WORKSPACE
// PRECISION: error: unknown precision 'fp8': expected f32, tf32 or bf16
// WORKSPACE: error: expected a workspace of 0 to 1048576 MiB, got -1

// CHECK-LABEL: func.func @bias_relu
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK: %[[Y:.*]] = soap.library_call "matmul" [1, 4, 8, 16, 0, 1, 0, 0, 3, 0] ins(%arg0, %arg1, %arg2 : {{.*}}) outs(%[[E]] : tensor<4x8xf32>) {soap.fused_slots = array<i64: 1, 2>, soap.slot = 0 : i64}
// CHECK: return %[[Y]]
// TF32-LABEL: func.func @bias_relu
// TF32: soap.library_call "matmul" [1, 4, 8, 16, 0, 1, 1, 0, 3, 65536] ins({{.*}}) outs(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<65536xi8>)
func.func @bias_relu(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %p = soap.matmul %x, %w {transpose_b, soap.slot = 0 : i64} : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
  %q = soap.bias_add %p, %b {axis = 1 : i64, soap.slot = 1 : i64} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %y = soap.relu %q {soap.slot = 2 : i64} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The operand of gelu stays, for its gradient, which is one with the product before it. Rows of two batches are one matrix.
// CHECK-LABEL: func.func @gelu
// CHECK: %[[Y:.*]]:2 = soap.library_call "matmul" [1, 4, 8, 16, 0, 1, 0, 0, 5, 0] ins(%arg0, %arg1, %arg2 : {{.*}}) outs({{.*}} : tensor<2x2x8xf32>, tensor<2x2x8xf32>)
// CHECK: %[[D:.*]] = soap.library_call "matmul" [1, 4, 8, 16, 0, 1, 0, 0, 6, 0] ins(%arg3, %arg1, %[[Y]]#1 : {{.*}})
// CHECK: return %[[Y]]#0, %[[D]]
func.func @gelu(%x: tensor<2x2x16xf32>, %w: tensor<8x16xf32>, %b: tensor<8xf32>, %d: tensor<2x2x16xf32>) -> (tensor<2x2x8xf32>, tensor<2x2x8xf32>) {
  %p = soap.matmul %x, %w {transpose_b} : (tensor<2x2x16xf32>, tensor<8x16xf32>) -> tensor<2x2x8xf32>
  %q = soap.bias_add %p, %b {axis = 2 : i64} : (tensor<2x2x8xf32>, tensor<8xf32>) -> tensor<2x2x8xf32>
  %y = soap.gelu %q {approximate} : tensor<2x2x8xf32>
  %e = soap.matmul %d, %w {transpose_b} : (tensor<2x2x16xf32>, tensor<8x16xf32>) -> tensor<2x2x8xf32>
  %f = soap.gelu_grad %e, %q {approximate} : tensor<2x2x8xf32>
  return %y, %f : tensor<2x2x8xf32>, tensor<2x2x8xf32>
}

// The exact gelu, rows that are no multiple of 8, and a bias along the rows are not in the library.
// CHECK-LABEL: func.func @others
// CHECK: soap.matmul
// CHECK: soap.gelu
// CHECK: soap.library_call "matmul" [1, 4, 6, 16, 0, 1, 0, 0, 1, 0]
// CHECK: soap.gelu
// CHECK: soap.matmul
// CHECK: soap.bias_add
func.func @others(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<6x16xf32>, %b: tensor<6xf32>, %r: tensor<4xf32>)
    -> (tensor<4x8xf32>, tensor<4x6xf32>, tensor<4x8xf32>) {
  %p = soap.matmul %x, %w {transpose_b} : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
  %y = soap.gelu %p : tensor<4x8xf32>
  %q = soap.matmul %x, %v {transpose_b} : (tensor<4x16xf32>, tensor<6x16xf32>) -> tensor<4x6xf32>
  %s = soap.bias_add %q, %b {axis = 1 : i64} : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  %z = soap.gelu %s {approximate} : tensor<4x6xf32>
  %t = soap.matmul %x, %w {transpose_b} : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
  %u = soap.bias_add %t, %r {axis = 0 : i64} : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %y, %z, %u : tensor<4x8xf32>, tensor<4x6xf32>, tensor<4x8xf32>
}

// The gradient of a bias is the sum of the gradient's rows, which the gradient of the weights reads: as its first operand or its second.
// CHECK-LABEL: func.func @bias_grad
// CHECK: %[[W:.*]]:2 = soap.library_call "matmul" [1, 8, 16, 4, 1, 0, 0, 0, 7, 0] ins(%arg0, %arg1 : {{.*}}) outs({{.*}} : tensor<8x16xf32>, tensor<8xf32>)
// CHECK: %[[V:.*]]:2 = soap.library_call "matmul" [1, 16, 8, 4, 1, 0, 0, 0, 8, 0] ins(%arg1, %arg2 : {{.*}}) outs({{.*}} : tensor<16x8xf32>, tensor<8xf32>)
// CHECK: return %[[W]]#0, %[[W]]#1, %[[V]]#0, %[[V]]#1
func.func @bias_grad(%d: tensor<4x8xf32>, %x: tensor<4x16xf32>, %e: tensor<4x8xf32>) -> (tensor<8x16xf32>, tensor<8xf32>, tensor<16x8xf32>, tensor<8xf32>) {
  %w = soap.matmul %d, %x {transpose_a} : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %b = soap.reduce sum %d {axes = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<8xf32>
  %v = soap.matmul %x, %e {transpose_a} : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %c = soap.reduce sum %e {axes = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<8xf32>
  return %w, %b, %v, %c : tensor<8x16xf32>, tensor<8xf32>, tensor<16x8xf32>, tensor<8xf32>
}

// Where the update of the bias stands before the product, the call stands where the sum was; where the product cannot stand there, the sum stays.
// CHECK-LABEL: func.func @bias_grad_before
// CHECK: %[[W:.*]]:2 = soap.library_call "matmul" [1, 8, 16, 4, 1, 0, 0, 0, 7, 0] ins(%arg0, %arg1 : {{.*}}) outs({{.*}} : tensor<8x16xf32>, tensor<8xf32>) {soap.fused_slots = array<i64: 2>, soap.slot = 0 : i64}
// CHECK: %[[B:.*]] = soap.sub %arg2, %[[W]]#1
// CHECK: %[[S:.*]] = soap.reduce sum %arg3
// CHECK: %[[C:.*]] = soap.sub %arg2, %[[S]]
// CHECK: %[[E:.*]] = soap.gelu
// CHECK: %[[V:.*]] = soap.matmul %arg3, %[[E]]
// CHECK: return %[[W]]#0, %[[B]], %[[V]], %[[C]]
func.func @bias_grad_before(%d: tensor<4x8xf32>, %x: tensor<4x16xf32>, %b: tensor<8xf32>, %f: tensor<4x8xf32>) -> (tensor<8x16xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<8xf32>) {
  %s = soap.reduce sum %d {axes = array<i64: 0>, soap.slot = 0 : i64} : (tensor<4x8xf32>) -> tensor<8xf32>
  %u = soap.sub %b, %s {soap.slot = 1 : i64} : tensor<8xf32>
  %w = soap.matmul %d, %x {transpose_a, soap.slot = 2 : i64} : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %t = soap.reduce sum %f {axes = array<i64: 0>, soap.slot = 3 : i64} : (tensor<4x8xf32>) -> tensor<8xf32>
  %c = soap.sub %b, %t {soap.slot = 4 : i64} : tensor<8xf32>
  %e = soap.gelu %x {soap.slot = 5 : i64} : tensor<4x16xf32>
  %v = soap.matmul %f, %e {transpose_a, soap.slot = 6 : i64} : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return %w, %u, %v, %c : tensor<8x16xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<8xf32>
}

// A product of bf16 writes bf16 if only roundings read it, and then its bias is bf16, too.
// CHECK-LABEL: func.func @narrow
// CHECK-DAG: %[[X:.*]] = soap.cast %arg0 : (tensor<4x16xf32>) -> tensor<4x16xbf16>
// CHECK-DAG: %[[W:.*]] = soap.cast %arg1 : (tensor<8x16xf32>) -> tensor<8x16xbf16>
// CHECK: %[[B:.*]] = soap.cast %arg2 : (tensor<8xf32>) -> tensor<8xbf16>
// CHECK: %[[Y:.*]] = soap.library_call "matmul" [1, 4, 8, 16, 0, 1, 2, 1, 3, 0] ins(%[[X]], %[[W]], %[[B]] : {{.*}}) outs({{.*}} : tensor<4x8xbf16>)
// CHECK: %[[Z:.*]] = soap.library_call "matmul" [1, 4, 4, 8, 0, 1, 2, 0, 0, 0] ins(%[[Y]], %[[Y]] : {{.*}}) outs({{.*}} : tensor<4x4xf32>)
// CHECK: return %[[Z]]
func.func @narrow(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %b: tensor<8xf32>) -> tensor<4x4xf32> {
  %xb = soap.cast %x : (tensor<4x16xf32>) -> tensor<4x16xbf16>
  %xf = soap.cast %xb : (tensor<4x16xbf16>) -> tensor<4x16xf32>
  %wb = soap.cast %w : (tensor<8x16xf32>) -> tensor<8x16xbf16>
  %wf = soap.cast %wb : (tensor<8x16xbf16>) -> tensor<8x16xf32>
  %p = soap.matmul %xf, %wf {transpose_b} : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
  %q = soap.bias_add %p, %b {axis = 1 : i64} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %y = soap.relu %q : tensor<4x8xf32>
  %yb = soap.cast %y : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %yf = soap.cast %yb : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %z = soap.matmul %yf, %yf {transpose_b} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// The sum of what it writes, the gradient of a bias, comes with the product that reads it: it writes bf16, too. With another sum it writes f32.
// CHECK-LABEL: func.func @narrow_summed
// CHECK: %[[P:.*]]:2 = soap.library_call "matmul" [1, 4, 8, 16, 0, 1, 2, 1, 4, 0] {{.*}} outs({{.*}} : tensor<4x8xbf16>, tensor<4x8xbf16>)
// CHECK: %[[F:.*]] = soap.library_call "matmul" [1, 4, 8, 16, 0, 1, 2, 1, 6, 0] ins(%{{.*}}, %{{.*}}, %[[P]]#1 : {{.*}}, tensor<4x8xbf16>) outs({{.*}} : tensor<4x8xbf16>)
// CHECK: %[[W:.*]]:2 = soap.library_call "matmul" [1, 8, 8, 4, 1, 0, 2, 0, 7, 0] ins(%[[F]], %[[P]]#0 : {{.*}}) outs({{.*}} : tensor<8x8xf32>, tensor<8xf32>)
// CHECK: %[[G:.*]] = soap.library_call "matmul" [1, 4, 8, 16, 0, 1, 2, 0, 0, 0] {{.*}} outs({{.*}} : tensor<4x8xf32>)
// CHECK: %[[S:.*]] = soap.reduce sum %[[G]] {axes = array<i64: 1>}
// CHECK: return %[[W]]#0, %[[W]]#1, %{{.*}}, %[[S]]
func.func @narrow_summed(%x: tensor<4x16xbf16>, %w: tensor<8x16xbf16>) -> (tensor<8x8xf32>, tensor<8xf32>, tensor<4x8xbf16>, tensor<4xf32>) {
  %xf = soap.cast %x : (tensor<4x16xbf16>) -> tensor<4x16xf32>
  %wf = soap.cast %w : (tensor<8x16xbf16>) -> tensor<8x16xf32>
  %p = soap.matmul %xf, %wf {transpose_b} : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
  %y = soap.gelu %p {approximate} : tensor<4x8xf32>
  %yb = soap.cast %y : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %yf = soap.cast %yb : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %q = soap.matmul %xf, %wf {transpose_b} : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
  %f = soap.gelu_grad %q, %p {approximate} : tensor<4x8xf32>
  %fb = soap.cast %f : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %ff = soap.cast %fb : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %d = soap.matmul %ff, %yf {transpose_a} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %b = soap.reduce sum %f {axes = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<8xf32>
  %g = soap.matmul %xf, %wf {transpose_b} : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
  %gb = soap.cast %g : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %s = soap.reduce sum %g {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %d, %b, %gb, %s : tensor<8x8xf32>, tensor<8xf32>, tensor<4x8xbf16>, tensor<4xf32>
}

// CHECK-LABEL: func.func @convolution
// CHECK: %[[Y:.*]] = soap.library_call "conv2d" [1, 1, 2, 4, 4, 2, 4, 4, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0] ins(%arg0, %arg1 : {{.*}}) outs({{.*}} : tensor<1x2x4x4xbf16>)
// CHECK: return %[[Y]]
func.func @convolution(%x: tensor<1x2x4x4xbf16>, %w: tensor<2x2x1x1xbf16>) -> tensor<1x2x4x4xbf16> {
  %xf = soap.cast %x : (tensor<1x2x4x4xbf16>) -> tensor<1x2x4x4xf32>
  %wf = soap.cast %w : (tensor<2x2x1x1xbf16>) -> tensor<2x2x1x1xf32>
  %y = soap.conv2d %xf, %wf {strides = array<i64: 1, 1>}
     : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %yb = soap.cast %y : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xbf16>
  return %yb : tensor<1x2x4x4xbf16>
}

// A bias per channel, and relu.
// CHECK-LABEL: func.func @conv_bias_relu
// CHECK: %[[E:.*]] = tensor.empty() : tensor<1x3x4x4xf32>
// CHECK: %[[Y:.*]] = soap.library_call "conv2d" [1, 1, 2, 4, 4, 3, 4, 4, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 3] ins(%arg0, %arg1, %arg2 : {{.*}}) outs(%[[E]] : tensor<1x3x4x4xf32>) {soap.fused_slots = array<i64: 1, 2>, soap.slot = 0 : i64}
// CHECK: return %[[Y]]
// TF32-LABEL: func.func @conv_bias_relu
// TF32: soap.library_call "conv2d" [{{.*}}, 0, 0, 0, 1, 65536, 3] ins(%arg0, %arg1, %arg2 : {{.*}}) outs(%{{.*}}, %{{.*}} : tensor<1x3x4x4xf32>, tensor<65536xi8>)
// SINGLE-LABEL: func.func @bias_relu
// SINGLE: soap.library_call "matmul" [1, 4, 8, 16, 0, 1, 0, 0, 3, 0]
// SINGLE-LABEL: func.func @conv_bias_relu
// SINGLE: soap.conv2d
// SINGLE: soap.bias_add
// SINGLE: soap.relu
func.func @conv_bias_relu(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>, %b: tensor<3xf32>) -> tensor<1x3x4x4xf32> {
  %p = soap.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, soap.slot = 0 : i64}
     : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  %q = soap.bias_add %p, %b {axis = 1 : i64, soap.slot = 1 : i64} : (tensor<1x3x4x4xf32>, tensor<3xf32>) -> tensor<1x3x4x4xf32>
  %y = soap.relu %q {soap.slot = 2 : i64} : tensor<1x3x4x4xf32>
  return %y : tensor<1x3x4x4xf32>
}

// A sum that others read stays by itself, a bias along the rows, too. Padding may differ between sides; a relu behind it is part of the call.
// CHECK-LABEL: func.func @conv_others
// CHECK: soap.library_call "conv2d" [{{.*}}, 0, 0, 0, 1] ins(%arg0, %arg1, %arg2 :
// CHECK: soap.relu
// CHECK: soap.conv2d
// CHECK: soap.bias_add
// CHECK: soap.library_call "conv2d" [1, 1, 2, 4, 4, 3, 4, 4, 2, 2, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2] ins(%arg0, %arg4 :
// CHECK-NOT: soap.relu
// CHECK: return
func.func @conv_others(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x1x1xf32>, %b: tensor<3xf32>, %r: tensor<4xf32>, %v: tensor<3x2x2x2xf32>)
    -> (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) {
  %p = soap.conv2d %x, %w {strides = array<i64: 1, 1>}
     : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %q = soap.bias_add %p, %b {axis = 1 : i64} : (tensor<1x3x4x4xf32>, tensor<3xf32>) -> tensor<1x3x4x4xf32>
  %y = soap.relu %q : tensor<1x3x4x4xf32>
  %s = soap.conv2d %x, %w {strides = array<i64: 1, 1>}
     : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %t = soap.bias_add %s, %r {axis = 2 : i64} : (tensor<1x3x4x4xf32>, tensor<4xf32>) -> tensor<1x3x4x4xf32>
  %o = soap.conv2d %x, %v {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 0, 0>}
     : (tensor<1x2x4x4xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x4x4xf32>
  %z = soap.relu %o : tensor<1x3x4x4xf32>
  return %q, %y, %t, %z : tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>
}

// In bf16 the result is rounded behind the epilogue, if nothing reads it as f32. Channels are inside: the image that the gradient of relu asks lies as the result does.
// CHECK-LABEL: func.func @conv_narrow
// CHECK: %[[B:.*]] = soap.cast %arg2 : (tensor<2xf32>) -> tensor<2xbf16>
// CHECK: %[[Y:.*]] = soap.library_call "conv2d" [1, 1, 2, 4, 4, 2, 4, 4, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 2, 0, 3] ins(%arg0, %arg1, %[[B]] : {{.*}}) outs({{.*}} : tensor<1x2x4x4xbf16>) {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nchw>, #soap.layout<nhwc>, #soap.layout<nhwc>]}
// CHECK: %[[D:.*]] = soap.library_call "conv2d" [1, 1, 2, 4, 4, 2, 4, 4, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 2, 0, 9] ins(%[[Y]], %arg1, %[[Y]] : {{.*}}) outs({{.*}} : tensor<1x2x4x4xbf16>) {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]}
// CHECK: return %[[D]]
func.func @conv_narrow(%x: tensor<1x2x4x4xbf16>, %w: tensor<2x2x1x1xbf16>, %b: tensor<2xf32>) -> tensor<1x2x4x4xbf16> {
  %xf = soap.cast %x {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>]} : (tensor<1x2x4x4xbf16>) -> tensor<1x2x4x4xf32>
  %wf = soap.cast %w {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>]} : (tensor<2x2x1x1xbf16>) -> tensor<2x2x1x1xf32>
  %p = soap.conv2d %xf, %wf {strides = array<i64: 1, 1>, soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]}
     : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %pb = soap.cast %p {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xbf16>
  %pf = soap.cast %pb {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>]} : (tensor<1x2x4x4xbf16>) -> tensor<1x2x4x4xf32>
  %q = soap.bias_add %pf, %b {axis = 1 : i64, soap.layouts = [#soap.layout<nhwc>, #soap.layout<nchw>, #soap.layout<nhwc>]} : (tensor<1x2x4x4xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %y = soap.relu %q {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>]} : tensor<1x2x4x4xf32>
  %yb = soap.cast %y {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xbf16>
  %yf = soap.cast %yb {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>]} : (tensor<1x2x4x4xbf16>) -> tensor<1x2x4x4xf32>
  %e = soap.conv2d_input_grad %yf, %wf {strides = array<i64: 1, 1>, soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]}
     : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %eb = soap.cast %e {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xbf16>
  %ef = soap.cast %eb {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>]} : (tensor<1x2x4x4xbf16>) -> tensor<1x2x4x4xf32>
  %g = soap.relu_grad %ef, %yf {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]} : tensor<1x2x4x4xf32>
  %gb = soap.cast %g {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xbf16>
  return %gb : tensor<1x2x4x4xbf16>
}

// CHECK-LABEL: func.func @conv_read_wide
// CHECK: soap.library_call "conv2d" [{{.*}}, 2, 0, 0] ins(%arg0, %arg1 : {{.*}}) outs({{.*}} : tensor<1x2x4x4xbf16>)
// CHECK: soap.relu
func.func @conv_read_wide(%x: tensor<1x2x4x4xbf16>, %w: tensor<2x2x1x1xbf16>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xbf16>) {
  %xf = soap.cast %x : (tensor<1x2x4x4xbf16>) -> tensor<1x2x4x4xf32>
  %wf = soap.cast %w : (tensor<2x2x1x1xbf16>) -> tensor<2x2x1x1xf32>
  %p = soap.conv2d %xf, %wf {strides = array<i64: 1, 1>}
     : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %pb = soap.cast %p : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xbf16>
  %pf = soap.cast %pb : (tensor<1x2x4x4xbf16>) -> tensor<1x2x4x4xf32>
  %y = soap.relu %pf : tensor<1x2x4x4xf32>
  %yb = soap.cast %y : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xbf16>
  return %y, %yb : tensor<1x2x4x4xf32>, tensor<1x2x4x4xbf16>
}

// An image in another layout is not that of the library.
// CHECK-LABEL: func.func @conv_layouts
// CHECK: soap.conv2d
// CHECK: soap.relu
func.func @conv_layouts(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32> {
  %p = soap.conv2d %x, %w {strides = array<i64: 1, 1>, soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]}
     : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %y = soap.relu %p {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nchw>]} : tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}

// Nothing moves across a message.
// CHECK-LABEL: func.func @messages
// CHECK: soap.matmul
// CHECK: soap.send
// CHECK: soap.relu
func.func @messages(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>) -> tensor<4x8xf32> {
  %p = soap.matmul %x, %w {transpose_b} : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
  soap.send %x {source = #soap.region<[0:4], [0:16]>} : tensor<4x16xf32>
  %y = soap.relu %p : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// In a step whose tensors are bf16, what follows a product reads its rounding. The library rounds behind the epilogue.
// CHECK-LABEL: func.func @typed(
// CHECK: %[[Y:.*]]:2 = soap.library_call "matmul" [1, 4, 8, 16, 0, 1, 2, 1, 5, 0] ins(%arg0, %arg1, %arg2 : tensor<2x2x16xbf16>, tensor<8x16xbf16>, tensor<8xbf16>) outs({{.*}} : tensor<2x2x8xbf16>, tensor<2x2x8xbf16>)
// CHECK: %[[D:.*]] = soap.library_call "matmul" [1, 4, 8, 16, 0, 1, 2, 1, 6, 0] ins(%arg3, %arg1, %[[Y]]#1 : {{.*}}) outs({{.*}} : tensor<2x2x8xbf16>)
// CHECK-NOT: soap.cast
// CHECK: return %[[Y]]#0, %[[D]]
func.func @typed(%x: tensor<2x2x16xbf16>, %w: tensor<8x16xbf16>, %b: tensor<8xbf16>, %d: tensor<2x2x16xbf16>) -> (tensor<2x2x8xbf16>, tensor<2x2x8xbf16>) {
  %xf = soap.cast %x : (tensor<2x2x16xbf16>) -> tensor<2x2x16xf32>
  %wf = soap.cast %w : (tensor<8x16xbf16>) -> tensor<8x16xf32>
  %p = soap.matmul %xf, %wf {transpose_b} : (tensor<2x2x16xf32>, tensor<8x16xf32>) -> tensor<2x2x8xf32>
  %pb = soap.cast %p : (tensor<2x2x8xf32>) -> tensor<2x2x8xbf16>
  %q = soap.bias_add %pb, %b {axis = 2 : i64} : (tensor<2x2x8xbf16>, tensor<8xbf16>) -> tensor<2x2x8xbf16>
  %y = soap.gelu %q {approximate} : tensor<2x2x8xbf16>
  %df = soap.cast %d : (tensor<2x2x16xbf16>) -> tensor<2x2x16xf32>
  %e = soap.matmul %df, %wf {transpose_b} : (tensor<2x2x16xf32>, tensor<8x16xf32>) -> tensor<2x2x8xf32>
  %eb = soap.cast %e : (tensor<2x2x8xf32>) -> tensor<2x2x8xbf16>
  %f = soap.gelu_grad %eb, %q {approximate} : tensor<2x2x8xbf16>
  return %y, %f : tensor<2x2x8xbf16>, tensor<2x2x8xbf16>
}

// A sum of rows in bf16 has the type of the product that reads them. Where the product stays f32, it is apart.
// CHECK-LABEL: func.func @typed_bias_grad(
// CHECK: %[[W:.*]]:2 = soap.library_call "matmul" [1, 8, 16, 4, 1, 0, 2, 1, 7, 0] ins(%arg0, %arg1 : tensor<4x8xbf16>, tensor<4x16xbf16>) outs({{.*}} : tensor<8x16xbf16>, tensor<8xbf16>)
// CHECK: %[[V:.*]] = soap.library_call "matmul" [1, 8, 8, 4, 1, 0, 2, 0, 0, 0] ins(%arg2, %arg2 : {{.*}}) outs({{.*}} : tensor<8x8xf32>)
// CHECK: %[[S:.*]] = soap.reduce
// CHECK: return %[[W]]#0, %[[W]]#1, %[[V]], %[[S]]
func.func @typed_bias_grad(%d: tensor<4x8xbf16>, %x: tensor<4x16xbf16>, %e: tensor<4x8xbf16>) -> (tensor<8x16xbf16>, tensor<8xbf16>, tensor<8x8xf32>, tensor<8xbf16>) {
  %df = soap.cast %d : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %xf = soap.cast %x : (tensor<4x16xbf16>) -> tensor<4x16xf32>
  %w = soap.matmul %df, %xf {transpose_a} : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %wb = soap.cast %w : (tensor<8x16xf32>) -> tensor<8x16xbf16>
  %s = soap.reduce sum %d {axes = array<i64: 0>} : (tensor<4x8xbf16>) -> tensor<8xbf16>
  %ef = soap.cast %e : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %v = soap.matmul %ef, %ef {transpose_a} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %t = soap.reduce sum %e {axes = array<i64: 0>} : (tensor<4x8xbf16>) -> tensor<8xbf16>
  return %wb, %s, %v, %t : tensor<8x16xbf16>, tensor<8xbf16>, tensor<8x8xf32>, tensor<8xbf16>
}
