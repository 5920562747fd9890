// RUN: soap-opt %s --soap-partition=topology=h100-1x4 | FileCheck %s
// RUN: soap-opt %s --soap-partition=topology=cpu-4 | FileCheck %s --check-prefix=CPU
// Collectives are one op on each device, and devices that do the same share one program. On CPUs they are messages.

// CPU-NOT: soap.all_reduce
// CPU-NOT: soap.all_gather
// CPU: soap.send

// The sum over the rows that each device has, on all of them; the first device returns the result, and all others share a program.
// CHECK: collectives = array<i64: -1, 0, -1>, device = 3
// CHECK-SAME: program = @sum__1
// CHECK-SAME: operations = [{kind = "all-reduce", members = array<i32: 0, 1, 2, 3>, root = -1 : i64}]
// CHECK-LABEL: func.func @sum__0
// CHECK: %[[PART:.*]] = soap.reduce
// CHECK: %[[SUM:.*]] = soap.all_reduce %[[PART]] {soap.slot = {{.*}}} : tensor<6xf32>
// CHECK: soap.relu %[[SUM]]
// CHECK-LABEL: func.func @sum__1
// CHECK: soap.all_reduce
// CHECK-NOT: @sum__2
func.func @sum(%x: tensor<8x6xf32> {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>}) -> tensor<6xf32> {
  %0 = soap.reduce sum %x {axes = array<i64: 0>, soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>} : (tensor<8x6xf32>) -> tensor<6xf32>
  %1 = soap.relu %0 {soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>} : (tensor<6xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// A maximum is gathered and folded on the first device, which broadcasts it.
// CHECK-LABEL: func.func @most__0
// CHECK: %[[PARTS:.*]]:4 = soap.gather_to_root
// CHECK: %[[MOST:.*]] = soap.combine max %[[PARTS]]#0, %[[PARTS]]#1, %[[PARTS]]#2, %[[PARTS]]#3
// CHECK: soap.broadcast_from_root %[[MOST]]
// CHECK-LABEL: func.func @most__1
// CHECK: soap.gather_to_root %{{.*}} : tensor<6xf32>{{$}}
// CHECK: soap.broadcast_from_root {{.*}}-> tensor<6xf32>
// CHECK-NOT: @most__2
func.func @most(%x: tensor<8x6xf32> {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>}) -> tensor<6xf32> {
  %0 = soap.reduce max %x {axes = array<i64: 0>, soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>} : (tensor<8x6xf32>) -> tensor<6xf32>
  %1 = soap.relu %0 {soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>} : (tensor<6xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// Pieces of different sizes.
// CHECK-LABEL: func.func @gather__0
// CHECK: %[[P:.*]]:4 = soap.all_gather %{{.*}} : tensor<1x6xf32> -> tensor<1x6xf32>, tensor<2x6xf32>, tensor<1x6xf32>, tensor<2x6xf32>
// CHECK: soap.assemble
func.func @gather(%x: tensor<6x6xf32> {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>}) -> tensor<6x6xf32> {
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>} : (tensor<6x6xf32>) -> tensor<6x6xf32>
  %1 = soap.softmax %0 {axis = 0 : i64, soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>} : (tensor<6x6xf32>) -> tensor<6x6xf32>
  return %1 : tensor<6x6xf32>
}
