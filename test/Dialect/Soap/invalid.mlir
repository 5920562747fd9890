// Every message of the op verifiers and of shape inference.
// RUN: soap-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

func.func @dynamic(%x: tensor<?x3xf32>) {
  // expected-error@+1 {{'soap.relu' op 'tensor<?x3xf32>' has a dynamic dim; soap ops need static shapes: import the model with --batch=N, which fixes the dynamic dims of its inputs}}
  %0 = soap.relu %x : tensor<?x3xf32>
  return
}

// -----

func.func @zero_dim(%x: tensor<0x3xf32>) {
  // expected-error@+1 {{'tensor<0x3xf32>' has a dim of extent 0}}
  %0 = soap.relu %x : tensor<0x3xf32>
  return
}

// -----

func.func @huge(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error@+1 {{'tensor<4294967296x4294967296xf32>' has more than 2^44 elements}}
  %0 = soap.relu %x : tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @long(%x: tensor<2199023255552xf32>) {
  // expected-error@+1 {{'tensor<2199023255552xf32>' has a dim of more than 2^40}}
  %0 = soap.relu %x : tensor<2199023255552xf32>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of floating-point values, but got 'tensor<*xf32>'}}
  %0 = soap.relu %x : tensor<*xf32>
  return
}

// -----

func.func @integers(%x: tensor<2xi32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of floating-point values, but got 'tensor<2xi32>'}}
  %0 = soap.relu %x : tensor<2xi32>
  return
}

// -----

func.func @mixed(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error@+1 {{operands and results must have one floating-point type, got 'f32' and 'f64'}}
  %0 = soap.add %x, %y : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @result_type(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'soap.add' op result #0 must be 'tensor<2x3xf32>', got 'tensor<3x2xf32>'}}
  %0 = soap.add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @unary_shape(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{requires the same type for all operands and results}}
  %0 = soap.relu %x : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

func.func @broadcast(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{'soap.mul' op shapes 2x3 and 2 do not broadcast}}
  %0 = soap.mul %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @bias_axis(%x: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'soap.bias_add' op 'axis' must be in [0, 2), got 2}}
  %0 = soap.bias_add %x, %b {axis = 2 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @bias_shape(%x: tensor<2x3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'soap.bias_add' op expected a bias of shape 3, got 'tensor<4xf32>'}}
  %0 = soap.bias_add %x, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @accumulate_nothing() {
  // expected-error@+1 {{expected 1 or more operands, but found 0}}
  %0 = soap.accumulate : () -> tensor<2xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

func.func @conv_rank(%x: tensor<3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{'soap.conv2d' op expected images [N, C, H, W] and weights [O, I, KH, KW], got shapes 3x8x8 and 4x3x3x3}}
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 1>}
    : (tensor<3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_strides(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{'strides' must have 2 entries, got 1}}
  %0 = soap.conv2d %x, %w {strides = array<i64: 1>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_zero_stride(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{'strides' must be in [1, 1048576], got 0}}
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 0>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_dilations(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{'dilations' must be in [1, 1048576], got -1}}
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 1>, dilations = array<i64: -1, 1>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_padding(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{'padding' must have 4 entries, got 2}}
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_huge_padding(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{'padding' must be in [-2199023255552, 2199023255552], got 9223372036854775807}}
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 9223372036854775807, 0, 9223372036854775807, 0>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_groups(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{'groups' must be at least 1, got 0}}
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 1>, groups = 0 : i64}
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_output_channels(%x: tensor<1x9x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{4 output channels do not divide into 3 groups}}
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 1>, groups = 3 : i64}
    : (tensor<1x9x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_input_channels(%x: tensor<1x5x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{weights of 3 input channels in 2 groups do not fit 5 image channels}}
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 1>, groups = 2 : i64}
    : (tensor<1x5x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_no_window(%x: tensor<1x3x8x2xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{no window fits: width is 2 with padding 1 and 0, the kernel spans 5}}
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 1, 0, 0>, dilations = array<i64: 1, 2>}
    : (tensor<1x3x8x2xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_result(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{'soap.conv2d' op result #0 must be 'tensor<1x4x6x6xf32>', got 'tensor<1x4x8x8xf32>'}}
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 1>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @type_without_operands() {
  // expected-error@+1 {{expected a function type, because there are no operands}}
  %0 = soap.concat {axis = 0 : i64} : tensor<4xf32>
  return
}

// -----

func.func @types_of_operands(%x: tensor<4xf32>) {
  // expected-error@+1 {{number of operands and types do not match: got 2 operands and 1 types}}
  %0 = soap.add %x, %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @one_type_of_others(%x: tensor<4xf32>) {
  // expected-note@-1 {{prior use here}}
  // expected-error@+1 {{expects different type than prior uses: 'tensor<5xf32>' vs 'tensor<4xf32>'}}
  %0 = soap.relu %x : tensor<5xf32>
  return
}

// -----

func.func @conv_attribute(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{requires attribute 'strides'}}
  %0 = soap.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @input_grad(%dy: tensor<1x4x5x6xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{'soap.conv2d_input_grad' op expected a gradient of the forward result of shape 1x4x6x6, got 'tensor<1x4x5x6xf32>'}}
  %0 = soap.conv2d_input_grad %dy, %w {strides = array<i64: 1, 1>}
    : (tensor<1x4x5x6xf32>, tensor<4x3x3x3xf32>) -> tensor<1x3x8x8xf32>
  return
}

// -----

func.func @weight_grad(%x: tensor<1x3x8x8xf32>, %dy: tensor<2x4x6x6xf32>) {
  // expected-error@+1 {{'soap.conv2d_weight_grad' op expected a gradient of the forward result of shape 1x4x6x6, got 'tensor<2x4x6x6xf32>'}}
  %0 = soap.conv2d_weight_grad %x, %dy {strides = array<i64: 1, 1>}
    : (tensor<1x3x8x8xf32>, tensor<2x4x6x6xf32>) -> tensor<4x3x3x3xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Matmul, reduce, broadcast
//===----------------------------------------------------------------------===//

func.func @matmul_rank(%a: tensor<3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{'soap.matmul' op expected operands of rank 2 or more, got shapes 3 and 3x4}}
  %0 = soap.matmul %a, %b : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @matmul_batch(%a: tensor<2x3x4xf32>, %b: tensor<3x4x5xf32>) {
  // expected-error@+1 {{batch dims of shapes 2x3x4 and 3x4x5 differ}}
  %0 = soap.matmul %a, %b : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @matmul_contracted(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{contracted dims differ: 3 of shape 2x3 and 4 of shape 4x3}}
  %0 = soap.matmul %a, %b : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reduce_axes(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'axes' must be in [0, 2), got 2}}
  %0 = soap.reduce sum %x {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_order(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'axes' must be sorted and unique, got 0 after 1}}
  %0 = soap.reduce sum %x {axes = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_kind(%x: tensor<2x3xf32>) {
  // expected-error@+2 {{to be one of: sum, max, min}}
  // expected-error@+1 {{failed to parse Soap_ReduceKindAttr parameter 'value'}}
  %0 = soap.reduce mean %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @broadcast_shape(%x: tensor<2xf32>) {
  // expected-error@+1 {{'soap.broadcast' op expected an operand of shape 3, got 'tensor<2xf32>'}}
  %0 = soap.broadcast %x {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

func.func @pool_rank(%x: tensor<8x8xf32>) {
  // expected-error@+1 {{'soap.max_pool2d' op expected images [N, C, H, W], got shape 8x8}}
  %0 = soap.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>}
    : (tensor<8x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @pool_kernel(%x: tensor<1x1x8x8xf32>) {
  // expected-error@+1 {{'kernel' must be in [1, 1048576], got 0}}
  %0 = soap.max_pool2d %x {kernel = array<i64: 2, 0>, strides = array<i64: 2, 2>}
    : (tensor<1x1x8x8xf32>) -> tensor<1x1x4x4xf32>
  return
}

// -----

func.func @pool_count(%x: tensor<1x1x8x8xf32>) {
  // expected-error@+1 {{'count_low' and 'count_size' come together}}
  %0 = soap.avg_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, count_low = array<i64: 0, 0>}
    : (tensor<1x1x8x8xf32>) -> tensor<1x1x4x4xf32>
  return
}

// -----

func.func @max_pool_grad_y(%dy: tensor<1x1x4x4xf32>, %x: tensor<1x1x8x8xf32>, %y: tensor<1x1x4x3xf32>) {
  // expected-error@+1 {{expected a forward result of shape 1x1x4x4, got 'tensor<1x1x4x3xf32>'}}
  %0 = soap.max_pool2d_grad %dy, %x, %y {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>}
    : (tensor<1x1x4x4xf32>, tensor<1x1x8x8xf32>, tensor<1x1x4x3xf32>) -> tensor<1x1x8x8xf32>
  return
}

// -----

func.func @max_pool_grad_dx(%y: tensor<1x1x4x4xf32>, %x: tensor<1x1x8x8xf32>) {
  // expected-error@+1 {{result of shape 1x2x8x8 does not fit an image of shape 1x1x8x8}}
  %0 = soap.max_pool2d_grad %y, %x, %y {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>}
    : (tensor<1x1x4x4xf32>, tensor<1x1x8x8xf32>, tensor<1x1x4x4xf32>) -> tensor<1x2x8x8xf32>
  return
}

// -----

func.func @max_pool_grad_offset(%y: tensor<1x1x4x4xf32>, %x: tensor<1x1x8x8xf32>) {
  // expected-error@+1 {{'x_offset' must have 2 entries, got 1}}
  %0 = soap.max_pool2d_grad %y, %x, %y {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, x_offset = array<i64: 0>}
    : (tensor<1x1x4x4xf32>, tensor<1x1x8x8xf32>, tensor<1x1x4x4xf32>) -> tensor<1x1x8x8xf32>
  return
}

// -----

func.func @avg_pool_grad(%dy: tensor<1x1x4x3xf32>) {
  // expected-error@+1 {{expected a gradient of the forward result of shape 1x1x4x4, got 'tensor<1x1x4x3xf32>'}}
  %0 = soap.avg_pool2d_grad %dy {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>}
    : (tensor<1x1x4x3xf32>) -> tensor<1x1x8x8xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Batch norm, cross-entropy
//===----------------------------------------------------------------------===//

func.func @norm_rank(%x: tensor<3xf32>) {
  // expected-error@+1 {{expected a tensor [N, C, ...], got 'tensor<3xf32>'}}
  %0:2 = soap.batch_norm_train %x, %x, %x {epsilon = 1.0e-5 : f64} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>)
  return
}

// -----

func.func @norm_gamma(%x: tensor<4x3xf32>, %c: tensor<3xf32>, %d: tensor<4xf32>) {
  // expected-error@+1 {{expected gamma of shape 3, got 'tensor<4xf32>'}}
  %0:2 = soap.batch_norm_train %x, %d, %c {epsilon = 1.0e-5 : f64} : (tensor<4x3xf32>, tensor<4xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3x3xf32>)
  return
}

// -----

func.func @norm_stats(%x: tensor<4x3xf32>, %c: tensor<3xf32>, %s: tensor<2x3xf32>) {
  // expected-error@+1 {{expected statistics of shape 3x3, got 'tensor<2x3xf32>'}}
  %0 = soap.batch_norm_apply %x, %s, %c, %c {epsilon = 1.0e-5 : f64} : (tensor<4x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @norm_variance(%x: tensor<4x3xf32>, %c: tensor<3xf32>, %d: tensor<4xf32>) {
  // expected-error@+1 {{expected a variance of shape 3, got 'tensor<4xf32>'}}
  %0 = soap.batch_norm %x, %c, %c, %c, %d {epsilon = 1.0e-5 : f64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @norm_grad(%x: tensor<4x3xf32>, %dy: tensor<4x4xf32>, %c: tensor<3xf32>, %s: tensor<3x3xf32>) {
  // expected-error@+1 {{expected dy of shape 4x3, got 'tensor<4x4xf32>'}}
  %0:3 = soap.batch_norm_grad %dy, %x, %s, %c {epsilon = 1.0e-5 : f64}
    : (tensor<4x4xf32>, tensor<4x3xf32>, tensor<3x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @running_rank(%m: tensor<3x1xf32>, %v: tensor<3xf32>, %s: tensor<3x3xf32>) {
  // expected-error@+1 {{expected a mean of rank 1, got 'tensor<3x1xf32>'}}
  %0:2 = soap.running_stats_update %m, %v, %s {momentum = 0.1 : f64} : (tensor<3x1xf32>, tensor<3xf32>, tensor<3x3xf32>) -> (tensor<3x1xf32>, tensor<3xf32>)
  return
}

// -----

func.func @loss_rank(%x: tensor<4xf32>, %l: tensor<4xi32>) {
  // expected-error@+1 {{expected logits [N, K] of rank 2 or more, got 'tensor<4xf32>'}}
  %0:3 = soap.cross_entropy %x, %l {scale = 1.0 : f64} : (tensor<4xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x4xf32>)
  return
}

// -----

func.func @loss_labels(%x: tensor<4x10xf32>, %l: tensor<10xi32>) {
  // expected-error@+1 {{expected labels of shape 4, got 'tensor<10xi32>'}}
  %0:3 = soap.cross_entropy %x, %l {scale = 1.0 : f64} : (tensor<4x10xf32>, tensor<10xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x4xf32>)
  return
}

// -----

func.func @loss_labels_of_positions(%x: tensor<4x3x10xf32>, %l: tensor<4xi32>) {
  // expected-error@+1 {{expected labels of shape 4x3, got 'tensor<4xi32>'}}
  %0:3 = soap.cross_entropy %x, %l {scale = 1.0 : f64} : (tensor<4x3x10xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x4x3xf32>)
  return
}

// -----

func.func @loss_of_scalar(%s: tensor<3xf32>, %l: tensor<i32>) {
  // expected-error@+1 {{expected labels of rank 1 or more, got a scalar}}
  %0:2 = soap.cross_entropy_loss %s, %l {scale = 1.0 : f64} : (tensor<3xf32>, tensor<i32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @loss_label_type(%x: tensor<4x10xf32>, %l: tensor<4xi64>) {
  // expected-error@+1 {{operand #1 must be ranked tensor of 32-bit signless integer values, but got 'tensor<4xi64>'}}
  %0:3 = soap.cross_entropy %x, %l {scale = 1.0 : f64} : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<f32>, tensor<3x4xf32>)
  return
}

// -----

func.func @class_offset(%x: tensor<4x10xf32>, %l: tensor<4xi32>) {
  // expected-error@+1 {{'class_offset' must not be negative, got -1}}
  %0 = soap.softmax_stats %x, %l {class_offset = -1 : i64} : (tensor<4x10xf32>, tensor<4xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @loss_gradient(%d: tensor<1xf32>, %x: tensor<4x10xf32>, %l: tensor<4xi32>, %s: tensor<3x4xf32>) {
  // expected-error@+1 {{expected a gradient of the loss of shape scalar, got 'tensor<1xf32>'}}
  %0 = soap.cross_entropy_grad %d, %x, %l, %s {scale = 1.0 : f64} : (tensor<1xf32>, tensor<4x10xf32>, tensor<4xi32>, tensor<3x4xf32>) -> tensor<4x10xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

func.func @reshape(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{shapes 2x3 and 5 differ in their number of elements}}
  %0 = soap.reshape %x : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @transpose_count(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'permutation' must have 2 entries, got 1}}
  %0 = soap.transpose %x {permutation = array<i64: 0>} : tensor<2x3xf32>
  return
}

// -----

func.func @transpose_twice(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'permutation' has 1 twice}}
  %0 = soap.transpose %x {permutation = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @transpose_range(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'permutation' must be in [0, 1], got 2}}
  %0 = soap.transpose %x {permutation = array<i64: 2, 1>} : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @concat_none() {
  // expected-error@+1 {{'soap.concat' op needs at least one operand}}
  %0 = soap.concat {axis = 0 : i64} : () -> tensor<2xf32>
  return
}

// -----

func.func @concat_axis(%x: tensor<2xf32>) {
  // expected-error@+1 {{'axis' must be in [0, 1), got -1}}
  %0 = soap.concat %x {axis = -1 : i64} : tensor<2xf32>
  return
}

// -----

func.func @concat_shape(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{shapes 2x3 and 2x4 differ in other dims than 0}}
  %0 = soap.concat %x, %y {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @bucket_none() {
  // expected-error@+1 {{'soap.bucket' op needs at least one operand}}
  %0 = soap.bucket : () -> tensor<2xf32>
  return
}

// -----

func.func @bucket_types(%x: tensor<2x3xf32>, %y: tensor<2xf64>) {
  // expected-error@+1 {{operands and results must have one floating-point type, got 'f32' and 'f64'}}
  %0 = soap.bucket %x, %y : (tensor<2x3xf32>, tensor<2xf64>) -> tensor<8xf32>
  return
}

// -----

func.func @unbucket_elements(%x: tensor<8xf32>) {
  // expected-error@+1 {{has a bucket of 8 elements, expected the 7 of its results}}
  %0:2 = soap.unbucket %x : (tensor<8xf32>) -> (tensor<2x3xf32>, tensor<1xf32>)
  return
}

// -----

func.func @unbucket_rank(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{a bucket}}
  %0 = soap.unbucket %x : (tensor<2x4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @unbucket_types(%x: tensor<8xf32>) {
  // expected-error@+1 {{element types 'f32' and 'f64' differ}}
  %0 = soap.unbucket %x : (tensor<8xf32>) -> tensor<8xf64>
  return
}

// -----

func.func @slice_range(%x: tensor<8xf32>) {
  // expected-error@+1 {{reads index 8 of dim 0, whose extent is 8}}
  %0 = soap.slice %x {offsets = array<i64: 2>, sizes = array<i64: 3>, strides = array<i64: 3>} : (tensor<8xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice_stride(%x: tensor<8xf32>) {
  // expected-error@+1 {{'strides' must be in [1, 1048576], got 0}}
  %0 = soap.slice %x {offsets = array<i64: 2>, sizes = array<i64: 3>, strides = array<i64: 0>} : (tensor<8xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad_rank(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a result of rank 1, got 'tensor<8x1xf32>'}}
  %0 = soap.pad %x : (tensor<8xf32>) -> tensor<8x1xf32>
  return
}

// -----

func.func @pad_interior(%x: tensor<8xf32>) {
  // expected-error@+1 {{'interior' must be in [0, 1048576], got -1}}
  %0 = soap.pad %x {interior = array<i64: -1>} : tensor<8xf32>
  return
}

// -----

func.func @constant_type() {
  // expected-error@+1 {{elements of type 'tensor<2xf32>' do not fit a result of type 'tensor<3xf32>'}}
  %0 = soap.constant dense<1.0> : tensor<2xf32> : tensor<3xf32>
  return
}

// -----

func.func @constant_sparse() {
  // expected-error@+1 {{elements must be dense or a dense resource}}
  %0 = soap.constant sparse<[[0]], [1.0]> : tensor<2xf32>
  return
}

// -----

func.func @constant_resource() {
  // expected-error@+1 {{resource 'nowhere' has no data}}
  %0 = soap.constant dense_resource<nowhere> : tensor<2xf32>
  return
}

// -----

func.func @constant_resource_size() {
  // expected-error@+1 {{resource 'short' has 4 bytes, expected 8}}
  %0 = soap.constant dense_resource<short> : tensor<2xf32>
  return
}
{-#
  dialect_resources: { builtin: { short: "0x040000000000803F" } }
#-}

// -----

//===----------------------------------------------------------------------===//
// Updates, device programs
//===----------------------------------------------------------------------===//

func.func @sgd_velocity(%w: tensor<2xf32>) {
  // expected-error@+1 {{needs a velocity, as 'momentum' is not 0}}
  %0 = soap.sgd %w, %w {learning_rate = 0.1 : f64, momentum = 0.9 : f64, weight_decay = 0.0 : f64} : tensor<2xf32>
  return
}

// -----

func.func @sgd_results(%w: tensor<2xf32>) {
  // expected-error@+1 {{takes and gives a velocity, or neither}}
  %0 = soap.sgd %w, %w, %w {learning_rate = 0.1 : f64, momentum = 0.9 : f64, weight_decay = 0.0 : f64} : tensor<2xf32>
  return
}

// -----

func.func @sgd_operands(%w: tensor<2xf32>, %g: tensor<3xf32>) {
  // expected-error@+1 {{expected all operands to be 'tensor<2xf32>', got 'tensor<3xf32>'}}
  %0 = soap.sgd %w, %g {learning_rate = 0.1 : f64, momentum = 0.0 : f64, weight_decay = 0.0 : f64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @sgd_result(%w: tensor<2xf32>) {
  // expected-error@+1 {{expected all results to be 'tensor<2xf32>', got 'tensor<3xf32>'}}
  %0 = soap.sgd %w, %w {learning_rate = 0.1 : f64, momentum = 0.0 : f64, weight_decay = 0.0 : f64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @assemble_count(%x: tensor<2xf32>) {
  // expected-error@+1 {{expected a source and a target per tile, got 1 and 0 for 1 tiles}}
  %0 = soap.assemble %x {sources = [#soap.region<[0:2]>], targets = []} : tensor<2xf32>
  return
}

// -----

func.func @assemble_source(%x: tensor<2xf32>) {
  // expected-error@+1 {{source '[0:3]' does not lie within 'tensor<2xf32>'}}
  %0 = soap.assemble %x {sources = [#soap.region<[0:3]>], targets = [#soap.region<[0:3]>]} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @assemble_target(%x: tensor<2xf32>) {
  // expected-error@+1 {{target '[0:2], [0:1]' does not lie within 'tensor<2xf32>'}}
  %0 = soap.assemble %x {sources = [#soap.region<[0:2]>], targets = [#soap.region<[0:2], [0:1]>]} : tensor<2xf32>
  return
}

// -----

func.func @assemble_shapes(%x: tensor<2xf32>) {
  // expected-error@+1 {{source '[0:1]' and target '[0:2]' differ in shape}}
  %0 = soap.assemble %x {sources = [#soap.region<[0:1]>], targets = [#soap.region<[0:2]>]} : tensor<2xf32>
  return
}

// -----

func.func @assemble_cover(%x: tensor<2xf32>) {
  // expected-error@+1 {{targets cover at most 2 of 3 elements}}
  %0 = soap.assemble %x {sources = [#soap.region<[0:2]>], targets = [#soap.region<[1:3]>]} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @assemble_type(%x: tensor<2xf32>) {
  // expected-error@+1 {{tiles must have the result's element type}}
  %0 = soap.assemble %x {sources = [#soap.region<[0:2]>], targets = [#soap.region<[0:2]>]} : (tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @combine_nothing() {
  // expected-error@+1 {{needs at least one tile}}
  %0 = soap.combine sum {sources = []} : () -> tensor<2xf32>
  return
}

// -----

func.func @combine_sources(%x: tensor<2xf32>) {
  // expected-error@+1 {{expected a source per tile, got 0 for 1 tiles}}
  %0 = soap.combine sum %x {sources = []} : tensor<2xf32>
  return
}

// -----

func.func @combine_shape(%x: tensor<2xf32>) {
  // expected-error@+1 {{source '[0:1]' does not have the result's shape 2}}
  %0 = soap.combine sum %x {sources = [#soap.region<[0:1]>]} : tensor<2xf32>
  return
}

// -----

func.func @combine_statistics(%x: tensor<2xf32>) {
  // expected-error@+1 {{combiner 'moments' needs tiles [3, ...], got 'tensor<2xf32>'}}
  %0 = soap.combine moments %x {sources = [#soap.region<[0:2]>]} : tensor<2xf32>
  return
}

// -----

func.func @send(%x: tensor<2xf32>) {
  // expected-error@+1 {{source '[0:3]' does not lie within 'tensor<2xf32>'}}
  soap.send %x {source = #soap.region<[0:3]>} : tensor<2xf32>
  return
}

// -----

func.func @fill() {
  // expected-error@+1 {{'soap.fill' op 'tensor<?xf32>' has a dynamic dim}}
  %0 = soap.fill 0.0 : tensor<?xf32>
  return
}

// -----

func.func @recv() {
  // expected-error@+1 {{'soap.recv' op 'tensor<0xf32>' has a dim of extent 0}}
  %0 = soap.recv : tensor<0xf32>
  return
}

// -----

func.func @softmax_axis(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{axis}}
  %0 = soap.softmax %x {axis = 2 : i64} : tensor<4x6xf32>
  return
}

// -----

func.func @layer_norm_gamma(%x: tensor<4x6xf32>, %v: tensor<4xf32>) {
  // expected-error@+1 {{gamma}}
  %0:3 = soap.layer_norm %x, %v, %v {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @gather_scalar(%t: tensor<f32>, %i: tensor<4xi32>) {
  // expected-error@+1 {{'soap.gather' op expected a table of rank 1 or more, got a scalar}}
  %0 = soap.gather %t, %i : (tensor<f32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @gather_offset(%t: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error@+1 {{'offset' must be in [0, 1099511627776], got -1}}
  %0 = soap.gather %t, %i {offset = -1 : i64} : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @dropout_rate(%x: tensor<4xf32>) {
  // expected-error@+1 {{'rate' is 1.000000e+00, expected a number in [0, 1)}}
  %0 = soap.dropout %x {rate = 1.0 : f64, seed = 0 : i64} : tensor<4xf32>
  return
}

// -----

func.func @dropout_tile(%x: tensor<4xf32>, %s: tensor<i32>) {
  // expected-error@+1 {{a tile of extent 4 at 3 leaves dim 0 of extent 6}}
  %0 = soap.dropout %x, %s {rate = 0.5 : f64, seed = 0 : i64, offsets = array<i64: 3>, extents = array<i64: 6>} : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @cast_to_bits(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected floats or integers of 8 to 64 bits in whole bytes, got 'i1'}}
  %0 = soap.cast %x : (tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @where_shapes(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{shapes 4 and 3 do not broadcast}}
  %0 = soap.where %x, %x, %y : (tensor<4xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @lstm_gates(%x: tensor<3x2x3x5xf32>, %r: tensor<4x5x5xf32>, %h: tensor<1x2x5xf32>) {
  // expected-error@+1 {{'soap.lstm' op expected x of shape [T, N, 4, H], got 3x2x3x5}}
  %0:3 = soap.lstm %x, %r, %h, %h : (tensor<3x2x3x5xf32>, tensor<4x5x5xf32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>) -> (tensor<3x2x5xf32>, tensor<3x2x5xf32>, tensor<3x2x3x5xf32>)
  return
}

// -----

func.func @lstm_step(%x: tensor<3x2x4x5xf32>, %r: tensor<4x5x5xf32>, %h: tensor<1x2x5xf32>) {
  // expected-error@+1 {{'t' is 3, expected a time step of 3}}
  %0:3 = soap.lstm_step %x, %r, %h, %h {t = 3 : i64} : (tensor<3x2x4x5xf32>, tensor<4x5x5xf32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>) -> (tensor<1x2x5xf32>, tensor<1x2x5xf32>, tensor<1x2x4x5xf32>)
  return
}

// -----

func.func @adam_beta(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{'beta1' is 1.000000e+00, expected a number in [0, 1)}}
  %0:3 = soap.adam %x, %x, %x, %x, %c, %c {learning_rate = 0.1 : f64, beta1 = 1.0 : f64, beta2 = 0.99 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64}
    : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @counter_shape(%s: tensor<2xi32>) {
  // expected-error@+1 {{a step}}
  %0 = soap.counter %s : tensor<2xi32>
  return
}

// -----

func.func @reshape_types(%x: tensor<4xi32>) {
  // expected-error@+1 {{element types 'i32' and 'f32' differ}}
  %0 = soap.reshape %x : (tensor<4xi32>) -> tensor<4xf32>
  return
}
