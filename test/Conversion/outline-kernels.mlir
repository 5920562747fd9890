// Ops become calls: of kernels, each once, or of the library; views and constants stay what they are.
// RUN: soap-opt %s --soap-outline-kernels -split-input-file | FileCheck %s
// RUN: soap-opt %s --soap-outline-kernels='library=none fuse=false' -split-input-file | FileCheck %s --check-prefix=REFERENCE
// RUN: soap-opt %s --soap-outline-kernels=layout=nchw8c -split-input-file | FileCheck %s --check-prefix=BLOCKS

// CHECK-LABEL: func.func @conv
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2x6x3x3xf32>
// CHECK: soap.library_call "conv2d_f32" [2, 2, 2, 5, 6, 3, 3, 3, 3, 2, 2, 2, 1, 1, 1, 0, 1, 0, 0, 0] ins(%arg0, %arg1 : {{.*}}) outs(%[[E]] : tensor<2x6x3x3xf32>) {soap.slot = 0 : i64}
// REFERENCE-LABEL: func.func @conv
// REFERENCE: soap.kernel_call @kernel_0_conv2d ins(%arg0, %arg1 : {{.*}}) outs({{.*}}) {soap.slot = 0 : i64}
// Padding at the top only: rows are guarded below, columns not at all.
// REFERENCE: func.func private @kernel_0_conv2d(%{{.*}}: memref<2x4x5x6xf32> {{.*}}, %{{.*}}: memref<6x2x3x2xf32> {{.*}}, %{{.*}}: memref<2x6x3x3xf32> {{.*}}) attributes {passthrough = ["noinline"]}
// REFERENCE-COUNT-5: scf.for
// REFERENCE: scf.for {{.*}} iter_args
func.func @conv(%x: tensor<2x4x5x6xf32>, %w: tensor<6x2x3x2xf32>) -> tensor<2x6x3x3xf32> {
  %y = soap.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 0, 1, 0>, groups = 2 : i64, soap.slot = 0 : i64}
     : (tensor<2x4x5x6xf32>, tensor<6x2x3x2xf32>) -> tensor<2x6x3x3xf32>
  return %y : tensor<2x6x3x3xf32>
}

// -----

// A b shared by all batches is one product of all rows; not where a is transposed.
// CHECK-LABEL: func.func @matmul
// CHECK: soap.library_call "matmul_f32" [1, 6, 5, 4, 0, 1]
// CHECK: soap.kernel_call @kernel_0_matmul
// CHECK: soap.kernel_call @kernel_1_matmul
func.func @matmul(%a: tensor<2x3x4xf32>, %b: tensor<5x4xf32>, %t: tensor<2x4x3xf32>, %d: tensor<2x3x4xf64>, %e: tensor<5x4xf64>)
    -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf64>) {
  %0 = soap.matmul %a, %b {transpose_b} : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
  %1 = soap.matmul %t, %b {transpose_a, transpose_b} : (tensor<2x4x3xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
  %2 = soap.matmul %d, %e {transpose_b} : (tensor<2x3x4xf64>, tensor<5x4xf64>) -> tensor<2x3x5xf64>
  return %0, %1, %2 : tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf64>
}

// -----

// Ops that differ in their names only share a kernel.
// CHECK-LABEL: func.func @shared
// CHECK: soap.kernel_call @kernel_0_reduce
// CHECK: soap.kernel_call @kernel_0_reduce
// CHECK: soap.kernel_call @kernel_1_reduce
// CHECK-COUNT-2: func.func private
// CHECK-NOT: func.func private
func.func @shared(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = soap.reduce sum %x {axes = array<i64: 1>, soap.name = "a", soap.slot = 0 : i64} : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = soap.reduce sum %y {axes = array<i64: 1>, soap.name = "b", soap.slot = 1 : i64} : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = soap.reduce max %y {axes = array<i64: 1>, soap.name = "c", soap.slot = 2 : i64} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A chain is one kernel with one loop; the bias needs three.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: %[[A:.*]] = soap.kernel_call @[[FIRST:.*]] ins(%arg0, %arg1 : {{.*}}) {{.*}} {elementwise, soap.fused_slots = array<i64: 0>, soap.slot = 1 : i64}
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: soap.kernel_call @[[SECOND:.*]] ins(%[[A]], %arg2 : {{.*}}) {{.*}} {elementwise, soap.fused_slots = array<i64: 2>, soap.slot = 3 : i64}
// CHECK-NEXT: return
// CHECK: func.func private @[[FIRST]](
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: func.func private @[[SECOND]](
// CHECK-COUNT-3: scf.for
// REFERENCE-LABEL: func.func @chain
// REFERENCE-COUNT-4: soap.kernel_call
func.func @chain(%x: tensor<2x3x4x4xf32>, %y: tensor<2x3x4x4xf32>, %b: tensor<3xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) {
  %0 = soap.mul %x, %y {soap.slot = 0 : i64} : tensor<2x3x4x4xf32>
  %1 = soap.add %0, %x {soap.slot = 1 : i64} : tensor<2x3x4x4xf32>
  %2 = soap.bias_add %1, %b {axis = 1 : i64, soap.slot = 2 : i64} : (tensor<2x3x4x4xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>
  %3 = soap.relu %2 {soap.slot = 3 : i64} : tensor<2x3x4x4xf32>
  return %1, %3 : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>
}

// -----

// An op before a communication does not move behind it.
// CHECK-LABEL: func.func @order
// CHECK: soap.kernel_call @kernel_0_relu
// CHECK: soap.recv_buffer
// CHECK: soap.kernel_call @kernel_1_add
func.func @order(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = soap.relu %x {soap.slot = 0 : i64} : tensor<4xf32>
  %1 = soap.recv {soap.slot = 1 : i64} : tensor<4xf32>
  %2 = soap.add %0, %1 {soap.slot = 2 : i64} : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// An update writes over weight and velocity; the scaled gradient is part of it.
// CHECK-LABEL: func.func @update
// CHECK-NEXT: soap.kernel_call @kernel_0_fused_sgd ins(%arg1 : tensor<8xf32>) outs(%arg0, %arg2 : tensor<8xf32>, tensor<8xf32>) {elementwise, in_place
func.func @update(%w: tensor<8xf32>, %g: tensor<8xf32>, %v: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = soap.scale %g {factor = 2.0 : f64} : tensor<8xf32>
  %1, %2 = soap.sgd %w, %0, %v {learning_rate = 0.1 : f64, momentum = 0.9 : f64, weight_decay = 0.01 : f64}
         : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A part of a tile is packed; a whole tile is sent as it is.
// CHECK-LABEL: func.func @send
// CHECK-NEXT: soap.send_buffer %arg0 {soap.slot = 0 : i64} : tensor<4x6xf32>
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<2x4xf32>
// CHECK-NEXT: %[[P:.*]] = soap.kernel_call @kernel_0_pack ins(%arg0 : tensor<4x6xf32>) outs(%[[E]] : tensor<2x4xf32>) {soap.slot = 1 : i64}
// CHECK-NEXT: soap.send_buffer %[[P]] {soap.slot = 1 : i64} : tensor<2x4xf32>
func.func @send(%x: tensor<4x6xf32>) {
  soap.send %x {source = #soap.region<[0:4], [0:6]>, soap.slot = 0 : i64} : tensor<4x6xf32>
  soap.send %x {source = #soap.region<[1:3], [0:2, 4:6]>, soap.slot = 1 : i64} : tensor<4x6xf32>
  return
}

// -----

// CHECK-LABEL: func.func @views
// CHECK: tensor.collapse_shape %arg0 {{.*}} : tensor<2x3xf32> into tensor<6xf32>
// CHECK: tensor.expand_shape {{.*}} : tensor<6xf32> into tensor<3x2xf32>
// CHECK: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<2x3xf32>
// CHECK: return %{{.*}}, %[[C]]
// CHECK-NOT: func.func
func.func @views(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  %0 = soap.reshape %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = soap.constant dense<2.0> : tensor<2x3xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<2x3xf32>
}

// -----

// Between convolutions, images have channels last: one copy at each end; the bias repeats along the last dim.
// CHECK-LABEL: func.func @images
// CHECK: %[[X:.*]] = soap.kernel_call @kernel_0_to_nhwc ins(%arg0 : tensor<2x4x8x8xf32>) outs({{.*}} : tensor<2x8x8x4xf32>)
// CHECK: %[[Y:.*]] = soap.library_call "conv2d_f32" [{{.*}}, 1, 1] ins(%[[X]], %arg1 : {{.*}}) outs({{.*}} : tensor<2x8x8x6xf32>)
// CHECK: %[[Z:.*]] = soap.kernel_call @kernel_1_fused_relu ins(%[[Y]], %arg3 : tensor<2x8x8x6xf32>, tensor<6xf32>)
// CHECK: %[[P:.*]] = soap.kernel_call @kernel_2_max_pool2d ins(%[[Z]] : tensor<2x8x8x6xf32>) outs({{.*}} : tensor<2x4x4x6xf32>)
// CHECK: %[[C:.*]] = soap.library_call "conv2d_f32" [{{.*}}, 1, 1] ins(%[[P]], %arg2 : {{.*}}) outs({{.*}} : tensor<2x4x4x5xf32>)
// CHECK: %[[R:.*]] = soap.kernel_call @kernel_3_to_nchw ins(%[[C]] : {{.*}}) outs({{.*}} : tensor<2x5x4x4xf32>)
// CHECK: return %[[R]]
func.func @images(%x: tensor<2x4x8x8xf32>, %v: tensor<6x4x1x1xf32>, %w: tensor<5x6x1x1xf32>, %b: tensor<6xf32>) -> tensor<2x5x4x4xf32> {
  %0 = soap.conv2d %x, %v {strides = array<i64: 1, 1>} : (tensor<2x4x8x8xf32>, tensor<6x4x1x1xf32>) -> tensor<2x6x8x8xf32>
  %1 = soap.bias_add %0, %b {axis = 1 : i64} : (tensor<2x6x8x8xf32>, tensor<6xf32>) -> tensor<2x6x8x8xf32>
  %2 = soap.relu %1 : tensor<2x6x8x8xf32>
  %3 = soap.max_pool2d %2 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<2x6x8x8xf32>) -> tensor<2x6x4x4xf32>
  %4 = soap.conv2d %3, %w {strides = array<i64: 1, 1>} : (tensor<2x6x4x4xf32>, tensor<5x6x1x1xf32>) -> tensor<2x5x4x4xf32>
  return %4 : tensor<2x5x4x4xf32>
}

// -----

// Channels in whole blocks: images are [N, C / 8, H, W, 8]. The first convolution reads its three channels as they are; the bias repeats.
// CHECK-LABEL: func.func @blocks
// BLOCKS-LABEL: func.func @blocks
// BLOCKS: %[[Y:.*]] = soap.library_call "conv2d_f32" [{{.*}}, 0, 8] ins(%arg0, %arg1 : {{.*}}) outs({{.*}} : tensor<2x2x8x8x8xf32>)
// BLOCKS: %[[Z:.*]] = soap.kernel_call @kernel_{{.*}}_fused_relu ins(%[[Y]], %arg3 : tensor<2x2x8x8x8xf32>, tensor<16xf32>)
// BLOCKS: %[[C:.*]] = soap.library_call "conv2d_f32" [{{.*}}, 8, 8] ins(%[[Z]], %arg2 : {{.*}}) outs({{.*}} : tensor<2x1x8x8x8xf32>)
// BLOCKS: %[[R:.*]] = soap.kernel_call @kernel_{{.*}}_to_nchw ins(%[[C]] : {{.*}}) outs({{.*}} : tensor<2x8x8x8xf32>)
// BLOCKS: return %[[R]]
func.func @blocks(%x: tensor<2x3x8x8xf32>, %v: tensor<16x3x1x1xf32>, %w: tensor<8x16x1x1xf32>, %b: tensor<16xf32>) -> tensor<2x8x8x8xf32> {
  %0 = soap.conv2d %x, %v {strides = array<i64: 1, 1>} : (tensor<2x3x8x8xf32>, tensor<16x3x1x1xf32>) -> tensor<2x16x8x8xf32>
  %1 = soap.bias_add %0, %b {axis = 1 : i64} : (tensor<2x16x8x8xf32>, tensor<16xf32>) -> tensor<2x16x8x8xf32>
  %2 = soap.relu %1 : tensor<2x16x8x8xf32>
  %3 = soap.conv2d %2, %w {strides = array<i64: 1, 1>} : (tensor<2x16x8x8xf32>, tensor<8x16x1x1xf32>) -> tensor<2x8x8x8xf32>
  return %3 : tensor<2x8x8x8xf32>
}

// -----

// A sum reads its operand in the layout that holds it, and only the half that it needs; a received tile has the layout of the model.
// BLOCKS-LABEL: func.func @sum_of_blocks
// BLOCKS: %[[C:.*]] = soap.library_call "conv2d_f32" [{{.*}}, 8, 8] ins({{.*}}) outs({{.*}} : tensor<2x1x8x8x8xf32>)
// BLOCKS-NOT: to_nchw
// BLOCKS: soap.kernel_call @[[K:kernel_.*_combine]] ins(%[[C]], %arg3 : tensor<2x1x8x8x8xf32>, tensor<1x8x8x8xf32>) outs({{.*}} : tensor<1x8x8x8xf32>)
// BLOCKS: func.func private @[[K]]
// BLOCKS-COUNT-3: scf.for
// BLOCKS-NOT: scf.for
// BLOCKS: return
func.func @sum_of_blocks(%x: tensor<2x3x8x8xf32>, %v: tensor<16x3x1x1xf32>, %w: tensor<8x16x1x1xf32>, %r: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
  %0 = soap.conv2d %x, %v {strides = array<i64: 1, 1>} : (tensor<2x3x8x8xf32>, tensor<16x3x1x1xf32>) -> tensor<2x16x8x8xf32>
  %1 = soap.conv2d %0, %w {strides = array<i64: 1, 1>} : (tensor<2x16x8x8xf32>, tensor<8x16x1x1xf32>) -> tensor<2x8x8x8xf32>
  %2 = soap.combine sum %1, %r {sources = [#soap.region<[1:2], [0:8], [0:8], [0:8]>, #soap.region<[0:1], [0:8], [0:8], [0:8]>]} : (tensor<2x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  return %2 : tensor<1x8x8x8xf32>
}

// -----

// A window over many channels slides over blocks, although no convolution is near; over few channels, and what only walks over elements, it does not.
// BLOCKS-LABEL: func.func @windows
// BLOCKS: soap.kernel_call @{{.*}}_to_nchw8c ins(%arg0 : tensor<2x8x8x8xf32>) outs(%{{.*}} : tensor<2x1x8x8x8xf32>)
// BLOCKS: soap.kernel_call @{{.*}}pool2d ins(%{{.*}} : tensor<2x1x8x8x8xf32>) outs(%{{.*}} : tensor<2x1x4x4x8xf32>)
// BLOCKS: soap.kernel_call @{{.*}}pool2d ins(%arg1 : tensor<2x3x8x8xf32>) outs(%{{.*}} : tensor<2x3x4x4xf32>)
// BLOCKS: soap.kernel_call @{{.*}}_to_nchw ins(%{{.*}} : tensor<2x1x4x4x8xf32>) outs(%{{.*}} : tensor<2x8x4x4xf32>)
func.func @windows(%x: tensor<2x8x8x8xf32>, %y: tensor<2x3x8x8xf32>) -> (tensor<2x8x4x4xf32>, tensor<2x3x4x4xf32>) {
  %0 = soap.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<2x8x8x8xf32>) -> tensor<2x8x4x4xf32>
  %1 = soap.max_pool2d %y {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
  return %0, %1 : tensor<2x8x4x4xf32>, tensor<2x3x4x4xf32>
}

// -----

// A slab of the first dim is part of a row: one loop.
// CHECK-LABEL: func.func @sum_of_slabs
// CHECK: func.func private @kernel_{{.*}}_combine
// CHECK: %[[OFFSET:.*]] = arith.constant 12 : index
// CHECK: scf.for
// CHECK: arith.addi {{.*}}, %[[OFFSET]]
// CHECK: arith.addf
// CHECK-NOT: scf.for
// CHECK: return
func.func @sum_of_slabs(%x: tensor<4x3x4xf32>, %r: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = soap.combine sum %x, %r {sources = [#soap.region<[1:3], [0:3], [0:4]>, #soap.region<[0:2], [0:3], [0:4]>]} : (tensor<4x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// Columns are not; still one pass.
// CHECK-LABEL: func.func @sum_of_columns
// CHECK: func.func private @kernel_{{.*}}_combine
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @sum_of_columns(%x: tensor<4x6xf32>, %r: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = soap.combine max %x, %r {sources = [#soap.region<[0:4], [2:5]>, #soap.region<[0:4], [0:3]>]} : (tensor<4x6xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// Where a device has just what a slice takes, there is nothing to do.
// CHECK-LABEL: func.func @slices
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<1x3xf32>
// CHECK-NEXT: %[[S:.*]] = soap.kernel_call @{{.*}}_slice ins(%arg0 : {{.*}}) outs(%[[E]] : {{.*}})
// CHECK-NEXT: return %arg0, %[[S]]
// REFERENCE-LABEL: func.func @slices
// REFERENCE-COUNT-2: soap.kernel_call @{{.*}}_slice
func.func @slices(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>) {
  %0 = soap.slice %x {sizes = array<i64: 2, 3>} : tensor<2x3xf32>
  %1 = soap.slice %x {offsets = array<i64: 1, 0>, sizes = array<i64: 1, 3>} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<1x3xf32>
}

// -----

// An op of 16 bits rounds its result where it is fused, too: another device may store the same.
// CHECK-LABEL: func.func @rounds
// CHECK: soap.kernel_call @kernel_0_fused_add
// CHECK: func.func private @kernel_0_fused_add
// CHECK: %[[P:.*]] = arith.mulf
// CHECK-NEXT: %[[N:.*]] = arith.truncf %[[P]] : f32 to bf16
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[N]] : bf16 to f32
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[W]], %{{.*}} : f32
// CHECK-NEXT: arith.truncf %[[S]] : f32 to bf16
func.func @rounds(%x: tensor<8x6xbf16>, %y: tensor<8x6xbf16>, %z: tensor<8x6xbf16>) -> tensor<8x6xbf16> {
  %0 = soap.mul %x, %y {soap.slot = 0 : i64} : tensor<8x6xbf16>
  %1 = soap.add %0, %z {soap.slot = 1 : i64} : tensor<8x6xbf16>
  return %1 : tensor<8x6xbf16>
}
