// RUN: soap-opt %s -split-input-file -verify-diagnostics --soap-build-training-step

// expected-error @below {{module has no function '@forward'}}
module {
}

// -----

// expected-error @below {{function '@forward' has no body}}
func.func private @forward(tensor<4x4xf32> {soap.kind = #soap.kind<data>}) -> tensor<4x4xf32>

// -----

// expected-error @below {{argument #1 of '@forward' has no 'soap.kind'}}
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = soap.matmul %x, %w : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// expected-error @below {{argument #1 of '@forward' has kind 'label', expected 'data', 'parameter' or 'state'}}
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %l: tensor<4xi32> {soap.kind = #soap.kind<label>, soap.sample_dim = 0 : i64}) -> tensor<4x4xf32> {
  return %x : tensor<4x4xf32>
}

// -----

// expected-error @below {{function '@forward' has 2 results, expected one, the logits; a model that computes a loss of its own is exported without it}}
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>}) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  return %x, %w : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// expected-error @below {{result of '@forward' is 'tensor<4xf32>', expected logits: a tensor of floats of static shape [samples, classes] or [samples, .., classes]; a model that computes a loss of its own is exported without it}}
func.func @forward(%x: tensor<4xf32> {soap.kind = #soap.kind<data>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{result of '@forward' is 'tensor<?x4xf32>', expected logits}}
func.func @forward(%x: tensor<?x4xf32> {soap.kind = #soap.kind<data>}) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

// -----

// expected-error @below {{result of '@forward' is 'tensor<4x4xi32>', expected logits}}
func.func @forward(%x: tensor<4x4xi32> {soap.kind = #soap.kind<data>}) -> tensor<4x4xi32> {
  return %x : tensor<4x4xi32>
}

// -----

// expected-error @below {{function '@forward' has several blocks, expected one}}
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}) -> tensor<4x4xf32> {
  cf.br ^end
^end:
  return %x : tensor<4x4xf32>
}

// -----

// expected-error @below {{function '@forward' has no argument of kind 'parameter' to train}}
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}) -> tensor<4x4xf32> {
  return %x : tensor<4x4xf32>
}

// -----

// expected-error @below {{no parameter of '@forward' has influence on the loss}}
// expected-remark @below {{parameter 'w' has no influence on the loss and is not trained}}
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x4xf32> {
  return %x : tensor<4x4xf32>
}

// -----

// A parameter that is not used is left alone.
// expected-remark @below {{parameter 'unused' has no influence on the loss and is not trained}}
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"},
                   %u: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "unused"}) -> tensor<4x4xf32> {
  %0 = soap.matmul %x, %w : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// expected-error @below {{parameter 'w' has type 'tensor<4x4xi32>', expected floats}}
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4x4xi32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x4xf32> {
  return %x : tensor<4x4xf32>
}

// -----

func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x4xf32> {
  // expected-error @below {{'soap.relu_grad' op is not differentiable, and the loss depends on parameters through it (op 'gate')}}
  %0 = soap.relu_grad %w, %w {soap.name = "gate"} : tensor<4x4xf32>
  %1 = soap.matmul %x, %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Nothing flows back through a sign: it has the derivative 0.
// expected-error @below {{no parameter of '@forward' has influence on the loss}}
// expected-remark @below {{parameter 'w' has no influence on the loss and is not trained}}
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x4xf32> {
  %0 = soap.sign %w {soap.name = "steps"} : tensor<4x4xf32>
  %1 = soap.matmul %x, %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// An op on no path from a parameter to the loss need not be differentiable.
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x4xf32> {
  %0 = soap.relu_grad %x, %x : tensor<4x4xf32>
  %1 = soap.matmul %0, %w : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x4xf32> {
  // expected-note @below {{the other one is here}}
  %0 = soap.matmul %x, %w {soap.name = "fc"} : tensor<4x4xf32>
  // expected-error @below {{name 'fc' is used by two ops}}
  %1 = soap.relu %0 {soap.name = "fc"} : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// expected-error @below {{name 'w' is used by two arguments of '@forward'}}
func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>, soap.name = "w"}, %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<4x4xf32> {
  %0 = soap.matmul %x, %w : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4xf32> {soap.kind = #soap.kind<parameter>}, %s: tensor<4xf32> {soap.kind = #soap.kind<state>, soap.name = "stats"}) -> tensor<4x4xf32> {
  // expected-error @below {{'soap.batch_norm' op shares its running statistics 'stats', which only one op can update}}
  // expected-note @below {{also used here}}
  %0 = soap.batch_norm %x, %w, %w, %s, %s {epsilon = 1.0e-3 : f64} : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4xf32> {soap.kind = #soap.kind<parameter>}, %s: tensor<4xf32> {soap.kind = #soap.kind<data>, soap.name = "stats"}) -> tensor<4x4xf32> {
  // expected-error @below {{'soap.batch_norm' op takes its statistics from the data argument 'stats', expected a state}}
  %0 = soap.batch_norm %x, %w, %w, %s, %s {epsilon = 1.0e-3 : f64} : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4xf32> {soap.kind = #soap.kind<parameter>}) -> tensor<4x4xf32> {
  %s = soap.exp %w : tensor<4xf32>
  // expected-error @below {{'soap.batch_norm' op has no gradient in its statistics, and 'mean' depends on a parameter}}
  %0 = soap.batch_norm %x, %w, %w, %s, %s {epsilon = 1.0e-3 : f64} : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4xf32> {soap.kind = #soap.kind<parameter>}) -> tensor<3x4xf32> {
  // expected-error @below {{'soap.batch_norm_train' op has no gradient of its statistics, and the loss depends on them}}
  %0, %1 = soap.batch_norm_train %x, %w, %w {epsilon = 1.0e-3 : f64} : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<3x4xf32>)
  return %1 : tensor<3x4xf32>
}

// -----

func.func @forward(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}, %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>}) -> tensor<4x4xf32> {
  %0 = soap.matmul %x, %w : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// expected-error @below {{'@evaluate' exists already, and is to be built}}
func.func @evaluate(%x: tensor<4x4xf32> {soap.kind = #soap.kind<data>}) -> tensor<4x4xf32> {
  return %x : tensor<4x4xf32>
}
