// RUN: soap-opt %s --soap-bufferize-programs -split-input-file -verify-diagnostics

// expected-error @below {{two results of 'f' replace argument #0}}
func.func @f(%w: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32> {soap.updates = 0 : i64}, tensor<8xf32> {soap.updates = 0 : i64}) {
  return %g, %w : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{op was not bufferized}}
  %y = soap.relu %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @below {{program 'f' must be straight-line code}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^end
^end:
  return %x : tensor<4xf32>
}
