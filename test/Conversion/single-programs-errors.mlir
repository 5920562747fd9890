// RUN: soap-opt %s --soap-single-programs -split-input-file -verify-diagnostics

// expected-error @below {{argument #0 of 'f' must be a tensor of static shape, got 'f32'}}
func.func @f(%x: f32) {
  return
}

// -----

// expected-error @below {{result #0 of 'f' must be a tensor of static shape, got 'tensor<?xf32>'}}
func.func @f(%x: tensor<4xf32>) -> tensor<?xf32> {
  %y = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// expected-error @below {{has no function to make a program of}}
module {
}
