// RUN: soap-opt %s --soap-partition=topology=h100-1x4 | FileCheck %s
// RUN: soap-opt %s --soap-partition=topology=h100-1x4 | FileCheck %s --check-prefix=TABLE
// RUN: soap-opt %s --soap-partition=topology=cpu-4 | FileCheck %s --check-prefix=CPU
// Collectives are one op on each device, and devices that do the same share one program. On CPUs they are messages.

// CPU-NOT: soap.all_reduce
// CPU-NOT: soap.all_gather
// CPU-NOT: soap.all_to_all
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
  %1 = soap.relu %0 {soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>} : tensor<6xf32>
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
  %1 = soap.relu %0 {soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>} : tensor<6xf32>
  return %1 : tensor<6xf32>
}

// Pieces of different sizes.
// CHECK-LABEL: func.func @gather__0
// CHECK: %[[P:.*]]:4 = soap.all_gather %{{.*}} : tensor<1x6xf32> -> tensor<1x6xf32>, tensor<2x6xf32>, tensor<1x6xf32>, tensor<2x6xf32>
// CHECK: soap.assemble
func.func @gather(%x: tensor<6x6xf32> {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>}) -> tensor<6x6xf32> {
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>} : tensor<6x6xf32>
  %1 = soap.softmax %0 {axis = 0 : i64, soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>} : tensor<6x6xf32>
  return %1 : tensor<6x6xf32>
}

// Rows become columns: an exchange in which every device has a piece for every device. No op says which piece is the device's own, so all share one program except the device that returns the result; with pieces of two sizes there is one more.
// TABLE: entry = "exchange"
// TABLE-SAME: operations = [{kind = "all-to-all", members = array<i32: 0, 1, 2, 3>, root = -1 : i64}]
// CHECK-LABEL: func.func @exchange__0
// CHECK: %[[ROWS:.*]] = soap.relu
// CHECK: %[[P:.*]]:4 = soap.all_to_all %[[ROWS]] [#soap.region<[0:2], [0:2]>, #soap.region<[0:2], [2:4]>, #soap.region<[0:2], [4:6]>, #soap.region<[0:2], [6:8]>] {{.*}} -> tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
// CHECK: soap.assemble %[[P]]#0, %[[P]]#1, %[[P]]#2, %[[P]]#3
// CHECK-SAME: targets = [#soap.region<[0:2], [0:2]>, #soap.region<[2:4], [0:2]>, #soap.region<[4:6], [0:2]>, #soap.region<[6:8], [0:2]>]
// CHECK-LABEL: func.func @exchange__1
// CHECK: soap.all_to_all
// CHECK-NOT: @exchange__2
// CHECK-LABEL: func.func @uneven__1
// CHECK: soap.all_to_all {{.*}} -> tensor<1x2xf32>, tensor<2x2xf32>, tensor<1x2xf32>, tensor<2x2xf32>
// CHECK-LABEL: func.func @uneven__2
// CHECK: soap.all_to_all {{.*}} -> tensor<1x1xf32>, tensor<2x1xf32>, tensor<1x1xf32>, tensor<2x1xf32>
// CHECK-NOT: @uneven__3
func.func @exchange(%x: tensor<8x8xf32> {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>}) -> tensor<8x8xf32> {
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>} : tensor<8x8xf32>
  %1 = soap.relu %0 {soap.config = #soap.config<{d1 = 4}, devices = [0, 1, 2, 3]>} : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
func.func @uneven(%x: tensor<6x6xf32> {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>}) -> tensor<6x6xf32> {
  %0 = soap.relu %x {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>} : tensor<6x6xf32>
  %1 = soap.relu %0 {soap.config = #soap.config<{d1 = 4}, devices = [0, 1, 2, 3]>} : tensor<6x6xf32>
  return %1 : tensor<6x6xf32>
}

// A sum of two devices that four read: reduced to the first, which broadcasts it. The other contributor and the two that only read have a program each kind.
// TABLE: entry = "spread"
// TABLE-SAME: operations = [{kind = "reduce", members = array<i32: 0, 2>, root = 0 : i64}, {kind = "broadcast", members = array<i32: 0, 2, 1, 3>, root = 0 : i64}]
// CHECK-LABEL: func.func @spread__0
// CHECK: %[[SUM:.*]] = soap.reduce_to_root %{{.*}} -> tensor<6xf32>
// CHECK: soap.broadcast_from_root %[[SUM]]
// CHECK-LABEL: func.func @spread__1
// CHECK-NOT: soap.reduce_to_root
// CHECK: soap.broadcast_from_root {{.*}}-> tensor<6xf32>
// CHECK-LABEL: func.func @spread__2
// CHECK: soap.reduce_to_root %{{.*}} : tensor<6xf32>{{$}}
// CHECK: soap.broadcast_from_root {{.*}}-> tensor<6xf32>
// CHECK-NOT: @spread__3
func.func @spread(%x: tensor<8x6xf32> {soap.config = #soap.config<{d0 = 2}, devices = [0, 2]>}) -> tensor<6xf32> {
  %0 = soap.reduce sum %x {axes = array<i64: 0>, soap.config = #soap.config<{d0 = 2}, devices = [0, 2]>} : (tensor<8x6xf32>) -> tensor<6xf32>
  %1 = soap.relu %0 {soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>} : tensor<6xf32>
  return %1 : tensor<6xf32>
}
