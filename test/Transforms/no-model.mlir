// Passes that find no model say what they have found, and what they expect.
// RUN: soap-opt %s --split-input-file --verify-diagnostics --soap-auto-parallel=topology=cpu-2
// RUN: not soap-opt %s --split-input-file --soap-build-training-step 2>&1 | FileCheck %s

// CHECK: module has no function '@forward', expected a function of that name from data and parameters to logits: the module has '@main' (2 tensor ops)
// expected-error @below {{'@main' has no op that a strategy can distribute: found 2 tensor ops, the first is 'tensor.cast'; expected ops that implement 'IterationSpaceOpInterface', as the ops of the dialect 'soap' do ('soap-translate' imports models)}}
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tensor.cast %x : tensor<4x8xf32> to tensor<?x8xf32>
  %1 = tensor.cast %0 : tensor<?x8xf32> to tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// CHECK: module has no function '@forward', {{.*}}: the module has no function
// expected-error @below {{has no function with a body, expected '@train_step', '@evaluate' or '@forward': the module has no function}}
module {
}

// -----

// expected-error @below {{has no function with a body, expected '@train_step', '@evaluate' or '@forward': the module has '@declared' (no body)}}
module {
  func.func private @declared(tensor<4xf32>)
}

// -----

// expected-error @below {{has 6 functions with a body and none is '@train_step', '@evaluate' or '@forward', expected one of these or the option 'function=NAME': the module has '@a' (1 soap op), '@b' (no ops), '@c' (no ops), '@d' (no ops), '@e' (no ops) and 1 more}}
module {
  func.func @a(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = soap.relu %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @b() { return }
  func.func @c() { return }
  func.func @d() { return }
  func.func @e() { return }
  func.func @f() { return }
}

// -----

// CHECK: '@forward' has no op that a strategy can distribute: found 1 tensor op, the first is 'tensor.cast'
// expected-error @below {{'@forward' has no op that a strategy can distribute: found 1 tensor op, the first is 'tensor.cast'; expected}}
func.func @forward(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
