// RUN: soap-opt %s --soap-partition=topology=h100-1x4 | FileCheck %s
// RUN: soap-opt %s --soap-partition=topology=cpu-4 | FileCheck %s --check-prefix=CPU
// Collectives are one op on each device, and devices that do the same share one program. On CPUs they are messages.

// CPU-NOT: soap.all_reduce
// CPU: soap.send

// The sum over the rows that each device has, on all of them.
// CHECK-LABEL: func.func @sum__0
// CHECK: %[[PART:.*]] = soap.reduce
// CHECK: %[[SUM:.*]] = soap.all_reduce %[[PART]] {soap.slot = {{.*}}} : tensor<6xf32>
// CHECK: soap.relu %[[SUM]]
// CHECK-NOT: @sum__1
func.func @sum(%x: tensor<8x6xf32> {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>}) -> tensor<6xf32> {
  %0 = soap.reduce sum %x {axes = array<i64: 0>, soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>} : (tensor<8x6xf32>) -> tensor<6xf32>
  %1 = soap.relu %0 {soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>} : (tensor<6xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}
