// Devices want different parts of a constant whose elements are all the same: they take the first one, and share a program; the first device has another one, as it gets the result.
// RUN: soap-opt %s --soap-partition=topology=h100-1x4 | FileCheck %s

// CHECK-LABEL: func.func @step__0
// CHECK: %[[C:.*]] = soap.constant {{.*}}dense<2.000000e+00> : tensor<8x3xf32>
// CHECK: soap.assemble %[[C]] {{{.*}}sources = [#soap.region<[0:2], [0:3]>], targets = [#soap.region<[0:2], [0:3]>]}
// CHECK-LABEL: func.func @step__1
// CHECK-NOT: func.func @step__2
func.func @step(%x: tensor<8x3xf32> {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>}) -> tensor<8x3xf32> {
  %c = soap.constant {soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>} dense<2.0> : tensor<8x3xf32>
  %y = soap.mul %x, %c {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>} : tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}
