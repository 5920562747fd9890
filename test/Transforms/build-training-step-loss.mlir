// RUN: soap-opt %s -split-input-file -verify-diagnostics --soap-build-training-step -o /dev/null

// Softmax cross-entropy is assumed of logits alone.
// expected-error @below {{result of '@forward', 'tensor<8x3xf32>', is computed by a sigmoid (op 'D'): expected logits of softmax cross-entropy; export the model without it, or give 'loss=softmax-cross-entropy' to use this loss all the same}}
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.sigmoid %0 {soap.name = "D"} : tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}

// -----

// Behind ops that move or clamp elements, and a factor.
// expected-error @below {{result of '@forward', 'tensor<8x3xf32>', is computed by a sigmoid (op 'sigmoid_0')}}
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.sigmoid %0 : tensor<8x3xf32>
  %2 = soap.reshape %1 : (tensor<8x3xf32>) -> tensor<8x1x3xf32>
  %3 = soap.reshape %2 : (tensor<8x1x3xf32>) -> tensor<8x3xf32>
  %4 = soap.scale %3 {factor = 2.0 : f64} : tensor<8x3xf32>
  %c = soap.constant dense<1.5> : tensor<f32>
  %5 = soap.minimum %4, %c : (tensor<8x3xf32>, tensor<f32>) -> tensor<8x3xf32>
  return %5 : tensor<8x3xf32>
}

// -----

// expected-error @below {{result of '@forward', 'tensor<8x3xf32>', is computed by a tanh (op 'G')}}
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.tanh %0 {soap.name = "G"} : tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}

// -----

// Some models bound their logits: a factor in front of a tanh and one behind.
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.scale %0 {factor = 0.1 : f64} : tensor<8x3xf32>
  %2 = soap.tanh %1 : tensor<8x3xf32>
  %3 = soap.scale %2 {factor = 10.0 : f64} : tensor<8x3xf32>
  return %3 : tensor<8x3xf32>
}

// -----

// A hard sigmoid.
// expected-error @below {{result of '@forward', 'tensor<8x3xf32>', is computed by a clamp to an interval (op 'hard')}}
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.relu %0 : tensor<8x3xf32>
  %c = soap.constant dense<1.0> : tensor<f32>
  %2 = soap.minimum %1, %c {soap.name = "hard"} : (tensor<8x3xf32>, tensor<f32>) -> tensor<8x3xf32>
  return %2 : tensor<8x3xf32>
}

// -----

// A relu is none.
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.relu %0 : tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}

// -----

// The loss has a softmax.
// expected-error @below {{result of '@forward', 'tensor<8x3xf32>', is computed by a softmax (op 'p'): expected logits of softmax cross-entropy; the loss has a softmax of its own: export the model without this one, or import with --drop-final-softmax, or give 'loss=softmax-cross-entropy' to use this loss all the same}}
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.softmax %0 {axis = 1 : i64, soap.name = "p"} : tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}

// -----

// In parts.
// expected-error @below {{result of '@forward', 'tensor<8x3xf32>', is computed by a softmax (op 'p')}}
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.exp %0 : tensor<8x3xf32>
  %2 = soap.reduce sum %1 {axes = array<i64: 1>} : (tensor<8x3xf32>) -> tensor<8xf32>
  %3 = soap.broadcast %2 {axes = array<i64: 1>} : (tensor<8xf32>) -> tensor<8x3xf32>
  %4 = soap.div %1, %3 {soap.name = "p"} : tensor<8x3xf32>
  return %4 : tensor<8x3xf32>
}

// -----

// expected-error @below {{result of '@forward', 'tensor<8x3xf32>', is computed by the logarithm of a sigmoid (op 'log')}}
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.sigmoid %0 : tensor<8x3xf32>
  %2 = soap.log %1 {soap.name = "log"} : tensor<8x3xf32>
  return %2 : tensor<8x3xf32>
}

// -----

// As import writes it.
// expected-error @below {{result of '@forward', 'tensor<8x3xf32>', is computed by the logarithm of a sigmoid (op 'log')}}
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.neg %0 : tensor<8x3xf32>
  %2 = soap.softplus %1 : tensor<8x3xf32>
  %3 = soap.neg %2 {soap.name = "log"} : tensor<8x3xf32>
  return %3 : tensor<8x3xf32>
}

// -----

// Vectors of length 1.
// expected-error @below {{result of '@forward', 'tensor<8x3xf32>', is computed by a division by the length of its vectors (op 'unit'): expected logits of softmax cross-entropy; export the model without it, or give 'loss=softmax-cross-entropy' to use this loss all the same}}
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.mul %0, %0 : tensor<8x3xf32>
  %2 = soap.reduce sum %1 {axes = array<i64: 1>} : (tensor<8x3xf32>) -> tensor<8xf32>
  %3 = soap.sqrt %2 : tensor<8xf32>
  %c = soap.constant dense<1.0e-12> : tensor<f32>
  %4 = soap.maximum %3, %c : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %5 = soap.broadcast %4 {axes = array<i64: 1>} : (tensor<8xf32>) -> tensor<8x3xf32>
  %6 = soap.div %0, %5 {soap.name = "unit"} : tensor<8x3xf32>
  return %6 : tensor<8x3xf32>
}

// -----

// Rates.
// expected-error @below {{result of '@forward', 'tensor<8x3xf32>', is computed by an exponential (op 'rate'): expected logits of softmax cross-entropy; export the model without it, or give 'loss=softmax-cross-entropy' to use this loss all the same}}
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.exp %0 {soap.name = "rate"} : tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}

// -----

// expected-error @below {{result of '@forward', 'tensor<8x3xf32>', is computed by a softplus (op 'rate'): expected logits of softmax cross-entropy; export the model without it, or give 'loss=softmax-cross-entropy' to use this loss all the same}}
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.softplus %0 {soap.name = "rate"} : tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}

// -----

// The softmax of a log-softmax along the same dim is the same softmax.
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.softmax %0 {axis = 1 : i64} : tensor<8x3xf32>
  %2 = soap.log %1 : tensor<8x3xf32>
  return %2 : tensor<8x3xf32>
}

// -----

// In parts.
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.exp %0 : tensor<8x3xf32>
  %2 = soap.reduce sum %1 {axes = array<i64: 1>} : (tensor<8x3xf32>) -> tensor<8xf32>
  %3 = soap.log %2 : tensor<8xf32>
  %4 = soap.broadcast %3 {axes = array<i64: 1>} : (tensor<8xf32>) -> tensor<8x3xf32>
  %5 = soap.sub %0, %4 : tensor<8x3xf32>
  return %5 : tensor<8x3xf32>
}

// -----

// expected-error @below {{result of '@forward', 'tensor<8x3xf32>', is a log-softmax along dim 0: expected logits of softmax cross-entropy; the classes of this loss are dim 1, or give 'loss=softmax-cross-entropy' to use this loss all the same}}
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64}, %w: tensor<4x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<8x3xf32> {
  %0 = soap.matmul %x, %w {soap.name = "fc"} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = soap.softmax %0 {axis = 0 : i64} : tensor<8x3xf32>
  %2 = soap.log %1 : tensor<8x3xf32>
  return %2 : tensor<8x3xf32>
}

// -----

// One class has nothing to learn, with any loss.
// expected-error @below {{result of '@forward' is 'tensor<8x1xf32>', one class: its softmax cross-entropy is 0 whatever the weights are; expected a logit for each of two or more classes in the last dim}}
func.func @forward(%x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.sample_dim = 0 : i64}, %w: tensor<4x1xf32> {soap.kind = #soap.kind<parameter>}) -> tensor<8x1xf32> {
  %0 = soap.matmul %x, %w : (tensor<8x4xf32>, tensor<4x1xf32>) -> tensor<8x1xf32>
  return %0 : tensor<8x1xf32>
}

// -----

// Images, whose classes are not the last dim.
// expected-error @below {{result of '@forward', 'tensor<8x3x4x5xf32>', has a label for each element but of the last dim, 5 classes: expected logits of softmax cross-entropy; the classes of this loss are the last dim, where images have their columns: transpose the result to [samples, .., classes], or give 'loss=softmax-cross-entropy' to use this loss all the same}}
func.func @forward(%x: tensor<8x3x4x5xf32> {soap.kind = #soap.kind<data>, soap.sample_dim = 0 : i64}, %w: tensor<5xf32> {soap.kind = #soap.kind<parameter>}) -> tensor<8x3x4x5xf32> {
  %0 = soap.mul %x, %w : (tensor<8x3x4x5xf32>, tensor<5xf32>) -> tensor<8x3x4x5xf32>
  return %0 : tensor<8x3x4x5xf32>
}

// -----

// A result with the shape of its data is more likely compared with it.
// expected-error @below {{result of '@forward', 'tensor<8x4x5xf32>', has the type of data 'series', which a loss between the two would compare: expected logits of softmax cross-entropy; 'loss=mse' compares it with labels of its shape, or give}}
func.func @forward(%x: tensor<8x4x5xf32> {soap.kind = #soap.kind<data>, soap.name = "series", soap.sample_dim = 0 : i64}, %w: tensor<5xf32> {soap.kind = #soap.kind<parameter>}) -> tensor<8x4x5xf32> {
  %0 = soap.mul %x, %w : (tensor<8x4x5xf32>, tensor<5xf32>) -> tensor<8x4x5xf32>
  return %0 : tensor<8x4x5xf32>
}
