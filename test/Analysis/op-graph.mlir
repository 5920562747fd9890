// RUN: soap-opt %S/../Transforms/Inputs/conv-net.mlir --soap-build-training-step --soap-print-op-graph -o /dev/null | FileCheck %s --check-prefix=TRAIN
// RUN: soap-opt %s --split-input-file --soap-print-op-graph -o /dev/null | FileCheck %s
// Building the graph writes stages into the IR and erases them again.
// RUN: soap-opt %s --split-input-file -o %t.before
// RUN: soap-opt %s --split-input-file --soap-print-op-graph -o %t.after | FileCheck %s
// RUN: diff %t.before %t.after

// A training step: updated parameters are inputs of their update; gradients, updates and elementwise ops are in the group of their
// forward op, with the loops that correspond.
// TRAIN:      input x
// TRAIN-NEXT: input conv.weight updated by conv.weight.sgd, operand 0, result 0
// TRAIN-NEXT: input conv.bias updated by conv.bias.sgd, operand 0, result 0
// TRAIN-NEXT: input fc.weight updated by fc.weight.sgd, operand 0, result 0
// TRAIN-NEXT: input label
// TRAIN-NEXT: group conv
// TRAIN-NEXT:   conv: conv2d (x, conv.weight) -> (conv.out), forward
// TRAIN-NEXT:     n=8 sample, g=1 parameter, o=4 parameter, h=8 attribute, w=8 attribute, i=1 parameter, kh=3 parameter, kw=3 parameter
// TRAIN-NEXT:   bias: bias_add (conv.out, conv.bias) -> (bias.out), forward
// TRAIN-NEXT:     d0=8 sample as n, d1=4 parameter as o, d2=8 attribute as h, d3=8 attribute as w
// TRAIN-NEXT:   relu: relu (bias.out) -> (relu.out), forward
// TRAIN-NEXT:     d0=8 sample as n, d1=4 attribute as o, d2=8 attribute as h, d3=8 attribute as w
// TRAIN-NEXT:   relu.input_grad: relu_grad (pool.input_grad.out, relu.out) -> (relu.input_grad.out), backward
// TRAIN-NEXT:     d0=8 sample as n, d1=4 attribute as o, d2=8 attribute as h, d3=8 attribute as w
// TRAIN-NEXT:   bias.bias_grad: reduce (relu.input_grad.out) -> (bias.bias_grad.out), backward
// TRAIN-NEXT:     d0=8 sample as n, d1=4 parameter as o, d2=8 reduction as h, d3=8 reduction as w
// TRAIN-NEXT:   conv.weight_grad: conv2d_weight_grad (x, relu.input_grad.out) -> (conv.weight_grad.out), backward
// TRAIN-NEXT:     g=1 parameter as g, o=4 parameter as o, i=1 parameter as i, kh=3 parameter as kh, kw=3 parameter as kw, n=8 sample as n, h=8 reduction as h, w=8 reduction as w
// TRAIN-NEXT:   conv.weight.sgd: sgd (conv.weight, conv.weight_grad.out) -> (conv.weight.sgd.out), update
// TRAIN-NEXT:     d0=4 parameter as o, d1=1 parameter as i, d2=3 parameter as kh, d3=3 parameter as kw
// TRAIN-NEXT:   conv.bias.sgd: sgd (conv.bias, bias.bias_grad.out) -> (conv.bias.sgd.out), update
// TRAIN-NEXT:     d0=4 parameter as o
// Loops over the positions of a pooling window may not be split.
// TRAIN-NEXT: group pool
// TRAIN-NEXT:   pool: max_pool2d (relu.out) -> (pool.out), forward
// TRAIN-NEXT:     n=8 sample, c=4 attribute, h=4 attribute, w=4 attribute, kh=2 serial, kw=2 serial{{$}}
// TRAIN:        flatten: reshape (pool.out) -> (flatten.out), forward
// TRAIN-NEXT:     f0=8 sample as n, f1=4 attribute as c, f2=4 attribute as h, f3=4 attribute as w
// TRAIN:        pool.input_grad: max_pool2d_grad (flatten.input_grad.out, relu.out, pool.out) -> (pool.input_grad.out), backward
// TRAIN-NEXT:     n=8 sample as n, c=4 attribute as c, h=8 attribute as h, w=8 attribute as w, kh=2 serial, kw=2 serial{{$}}
// TRAIN:      group fc
// TRAIN:        fc.input_grad: matmul (loss.input_grad.out, fc.weight) -> (fc.input_grad.out), backward
// TRAIN-NEXT:     m=8 sample as m, n=64 parameter as k, k=10 parameter as n
// TRAIN-NEXT:   fc.weight_grad: matmul (flatten.out, loss.input_grad.out) -> (fc.weight_grad.out), backward
// TRAIN-NEXT:     m=64 parameter as k, n=10 parameter as n, k=8 sample as m
// TRAIN:      group loss
// TRAIN-NEXT:   loss: cross_entropy (fc.out, label) -> (loss.out0, loss.out1, loss.out2), forward
// TRAIN-NEXT:     n=8 sample, k=10 reduction
// TRAIN-NEXT:     stage loss/softmax_stats: softmax_stats (fc.out, label) -> (loss.out2), forward
// TRAIN-NEXT:     stage loss/cross_entropy_loss: cross_entropy_loss (loss.out2, label) -> (loss.out0, loss.out1), forward
// TRAIN-NEXT:   loss.seed: constant () -> (loss.seed.out), backward
// TRAIN:      output loss = loss.out0
// TRAIN-NEXT: output correct = loss.out1
// TRAIN-NOT:  output

// Groups of a convolution: the weight's first dim is g * O + o. Stages of batch norm, which follows the convolution. A sum follows the operand that is computed.
// CHECK-LABEL: group conv2d_0
// CHECK-NEXT:    conv2d_0: conv2d (arg0, w) -> (conv2d_0.out), forward
// CHECK-NEXT:      n=4 sample, g=2 parameter, o=4 parameter, h=6 attribute
// CHECK-NEXT:    bn: batch_norm_train (conv2d_0.out, arg2, arg3) -> (bn.out0, bn.out1), forward
// CHECK-NEXT:      n=4 sample as n, c=8 parameter as g, h=6 attribute as h, w=6 attribute as w
// CHECK-NEXT:      stage bn/batch_norm_stats: batch_norm_stats (conv2d_0.out) -> (bn.out1), forward
// CHECK-NEXT:      stage bn/batch_norm_apply: batch_norm_apply (conv2d_0.out, bn.out1, arg2, arg3) -> (bn.out0), forward
// CHECK-NEXT:    sum: add (arg0, bn.out0) -> (sum.out), forward
// CHECK-NEXT:      d0=4 sample as n, d1=8 attribute as g, d2=6 attribute as h, d3=6 attribute as w
// CHECK-NEXT:    w.sgd: sgd (w, w_grad) -> (w.sgd.out), update
// CHECK-NEXT:      d0=8 parameter as g, d1=4 parameter as i, d2=3 parameter as kh, d3=3 parameter as kw
// CHECK-NEXT:  output result0 = sum.out
func.func @residual(%x: tensor<4x8x6x6xf32> {soap.sample_dim = 0 : i64}, %w: tensor<8x4x3x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"},
                    %gamma: tensor<8xf32> {soap.kind = #soap.kind<parameter>}, %beta: tensor<8xf32> {soap.kind = #soap.kind<parameter>},
                    %grad: tensor<8x4x3x3xf32> {soap.name = "w_grad"}) -> (tensor<4x8x6x6xf32>, tensor<8x4x3x3xf32> {soap.updates = 1 : i64}) {
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, groups = 2 : i64}
     : (tensor<4x8x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<4x8x6x6xf32>
  %1, %stats = soap.batch_norm_train %0, %gamma, %beta {soap.name = "bn", epsilon = 1.0e-5 : f64}
     : (tensor<4x8x6x6xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8x6x6xf32>, tensor<3x8xf32>)
  %2 = soap.add %x, %1 {soap.name = "sum"} : tensor<4x8x6x6xf32>
  %3 = soap.sgd %w, %grad {soap.name = "w.sgd", soap.update_of = "conv2d_0", learning_rate = 0.1 : f64, momentum = 0.0 : f64, weight_decay = 0.0 : f64}
     : tensor<8x4x3x3xf32>
  return %2, %3 : tensor<4x8x6x6xf32>, tensor<8x4x3x3xf32>
}

// -----

// Samples merged with another dim are found again. A view of a weight follows its consumer.
// CHECK-LABEL: group rows
// CHECK-NEXT:    rows: reshape (x) -> (rows.out), forward
// CHECK-NEXT:      f0=4 sample, f1=3 attribute, f2=5 attribute
// CHECK-NEXT:  group fc
// CHECK-NEXT:    wt: transpose (w) -> (wt.out), forward
// CHECK-NEXT:      d0=5 parameter as k, d1=7 parameter as n
// CHECK-NEXT:    fc: matmul (rows.out, wt.out) -> (fc.out), forward
// CHECK-NEXT:      m=12 sample, n=7 parameter, k=5 parameter
// CHECK-NEXT:    back: reshape (fc.out) -> (back.out), forward
// CHECK-NEXT:      f0=4 sample as m, f1=3 attribute uncut, f2=7 attribute as n
// CHECK-NEXT:    relu: relu (back.out) -> (relu.out), forward
// CHECK-NEXT:      d0=4 sample as m, d1=3 attribute uncut, d2=7 attribute as n
func.func @merged(%x: tensor<4x3x5xf32> {soap.sample_dim = 0 : i64, soap.name = "x"}, %w: tensor<7x5xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x3x7xf32> {
  %0 = soap.reshape %x {soap.name = "rows"} : (tensor<4x3x5xf32>) -> tensor<12x5xf32>
  %1 = soap.transpose %w {soap.name = "wt", permutation = array<i64: 1, 0>} : (tensor<7x5xf32>) -> tensor<5x7xf32>
  %2 = soap.matmul %0, %1 {soap.name = "fc"} : (tensor<12x5xf32>, tensor<5x7xf32>) -> tensor<12x7xf32>
  %3 = soap.reshape %2 {soap.name = "back"} : (tensor<12x7xf32>) -> tensor<4x3x7xf32>
  %4 = soap.relu %3 {soap.name = "relu"} : tensor<4x3x7xf32>
  return %4 : tensor<4x3x7xf32>
}

// -----

// Names are generated around given ones; argument and value names stay apart.
// CHECK-LABEL: input relu_1.out
// CHECK-NEXT:  group relu_1
// CHECK-NEXT:    relu_1: abs (relu_1.out) -> (relu_1.out'1), forward
// CHECK:         relu_2: relu (relu_1.out'1) -> (relu_2.out), forward
func.func @names(%x: tensor<4xf32> {soap.name = "relu_1.out"}) -> tensor<4xf32> {
  %0 = soap.abs %x {soap.name = "relu_1"} : tensor<4xf32>
  %1 = soap.relu %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A factor for all elements says nothing of how to split: its broadcast follows the first that reads it, and a product its other operand.
// CHECK-LABEL: group factor
// CHECK:       group fa
// CHECK-NEXT:    factors: broadcast (factor.out) -> (factors.out), forward
// CHECK-NEXT:      d0=8 attribute as m, d1=8 attribute as n
// CHECK-NEXT:    fa: matmul (x, w) -> (fa.out), forward
// CHECK-NEXT:      m=8 sample, n=8 parameter, k=8 parameter
// CHECK-NEXT:    a: mul (factors.out, fa.out) -> (a.out), forward
// CHECK-NEXT:      d0=8 sample as m, d1=8 attribute as n
// CHECK-NEXT:  group fb
// CHECK-NEXT:    fb: matmul (a.out, w) -> (fb.out), forward
// CHECK-NEXT:      m=8 sample, n=8 parameter, k=8 parameter
// CHECK-NEXT:    b: mul (factors.out, fb.out) -> (b.out), forward
// CHECK-NEXT:      d0=8 sample as m, d1=8 attribute as n
func.func @factor(%x: tensor<8x8xf32> {soap.sample_dim = 0 : i64, soap.name = "x"}, %w: tensor<8x8xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x8xf32> {
  %0 = soap.reduce sum %x {soap.name = "factor", axes = array<i64: 0, 1>} : (tensor<8x8xf32>) -> tensor<f32>
  %1 = soap.broadcast %0 {soap.name = "factors", axes = array<i64: 0, 1>} : (tensor<f32>) -> tensor<8x8xf32>
  %2 = soap.matmul %x, %w {soap.name = "fa"} : tensor<8x8xf32>
  %3 = soap.mul %1, %2 {soap.name = "a"} : tensor<8x8xf32>
  %4 = soap.matmul %3, %w {soap.name = "fb"} : tensor<8x8xf32>
  %5 = soap.mul %1, %4 {soap.name = "b"} : tensor<8x8xf32>
  return %5 : tensor<8x8xf32>
}
