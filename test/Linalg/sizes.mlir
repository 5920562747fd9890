// Every dynamic dim can be fixed, and a message names the option for the next one.
// RUN: soap-opt %s --soap-mark-arguments='sizes=0.1:6,1.0:6 batch=8' | FileCheck %s
// RUN: soap-opt %s --soap-mark-arguments='sizes=0.0:2,0.1:6,1.0:6' | FileCheck %s --check-prefix=TWO
// RUN: not soap-opt %s --soap-mark-arguments='sizes=0.1:6,1.0:6' 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not soap-opt %s --soap-mark-arguments='sizes=3.1:6' 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not soap-opt %s --soap-mark-arguments='sizes=1.1:6' 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: not soap-opt %s --soap-mark-arguments='sizes=1:6' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not soap-opt %s --soap-mark-arguments='sizes=1.0:6,1.0:7' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not soap-opt %s --soap-print-op-graph=function=main 2>&1 | FileCheck %s --check-prefix=GRAPH

// LEFT: argument 0 has type 'tensor<?x6xf32>' whose dim 0 is dynamic, expected an extent by '--soap-mark-arguments=sizes=0.0:N'
// ARGUMENT: option 'sizes': '3.1:6' names no argument of '@main', which has 2
// STATIC: option 'sizes': '1.1:6' is no dynamic dim: argument 1 has type tensor<?x3xf32>
// FORM: option 'sizes': '1:6' is not ARGUMENT.DIM:EXTENT with a positive extent, such as 0.1:128
// TWICE: option 'sizes': '1.0:7' gives a dim a second extent
// GRAPH: or run '--soap-mark-arguments' with 'batch=N' or 'sizes=ARGUMENT.DIM:N'

// CHECK: func.func @main(%{{.*}}: tensor<8x6xf32>, %{{.*}}: tensor<6x3xf32>) -> tensor<24xf32>
// CHECK: linalg.matmul {{.*}} -> tensor<8x3xf32>
// CHECK: tensor.concat {{.*}} -> tensor<8x6xf32>
// CHECK-NOT: tensor.cast
// TWO: func.func @main(%{{.*}}: tensor<2x6xf32>, %{{.*}}: tensor<6x3xf32>) -> tensor<6xf32>
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x3xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x3xf32>) outs(%f : tensor<?x3xf32>) -> tensor<?x3xf32>
  %i = tensor.concat dim(1) %y, %y : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x6xf32>
  %s = tensor.extract_slice %i[0, 0] [%n, 3] [1, 2] : tensor<?x6xf32> to tensor<?x3xf32>
  %z = tensor.collapse_shape %s [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  return %z : tensor<?xf32>
}
