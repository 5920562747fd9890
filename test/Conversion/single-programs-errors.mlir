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

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'soap.send' op is in function 'f', which is not partitioned: expected a program of --soap-partition, which says with whom it exchanges messages}}
  soap.send %x {source = #soap.region<[0:4]>} : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'soap.all_reduce' op is in function 'f', which is not partitioned}}
  %y = soap.all_reduce %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
