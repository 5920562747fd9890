// Loops of known trip count become their iterations; others are refused by name.
// RUN: soap-opt %s --split-input-file --soap-unroll-loops --verify-diagnostics | FileCheck %s
// RUN: not soap-opt %s --split-input-file --soap-unroll-loops=limit=2 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not soap-opt %s --split-input-file --soap-unroll-loops=limit=0 2>&1 | FileCheck %s --check-prefix=ZERO
// LIMIT: 'scf.for' has 3 iterations, expected at most 2 (option 'limit' of --soap-unroll-loops)
// ZERO: option 'limit=0': expected a positive number

// CHECK-LABEL: func.func @nested
// CHECK-COUNT-6: math.exp
// CHECK-NOT: math.exp
// CHECK: tensor.extract_slice %{{.*}}[2] [2] [1]
// CHECK-NOT: scf.for
func.func @nested(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %p = tensor.empty() : tensor<2xf32>
  %y:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %part = %p) -> (tensor<4xf32>, tensor<2xf32>) {
    %inner = scf.for %j = %c0 to %c2 step %c1 iter_args(%b = %a) -> tensor<4xf32> {
      %e = math.exp %b : tensor<4xf32>
      scf.yield %e : tensor<4xf32>
    }
    %s = tensor.extract_slice %inner[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
    scf.yield %inner, %s : tensor<4xf32>, tensor<2xf32>
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<2xf32>
}

// -----

func.func @unknown(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' has a bound or a step that is no constant, expected a known number of iterations}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %e = math.exp %a : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
