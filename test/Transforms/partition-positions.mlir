// RUN: soap-opt %s --soap-partition=topology=h100-1x4 | FileCheck %s
// RUN: soap-opt %s --soap-partition=topology=h100-1x4 | FileCheck %s --check-prefix=TABLE
// Where a table or the classes are split, devices share a program: which row a tile begins with is an argument.

// Rows of 40 on four devices: the first returns the result, the others share a program.
// TABLE: entry = "rows"
// TABLE-SAME: region = #soap.region<[0:1]>, tensor = "soap.positions"
// TABLE-SAME: device = 0 : i64
// TABLE-SAME: region = #soap.region<[10:11]>, tensor = "soap.positions"
// TABLE-SAME: device = 1 : i64
// TABLE-SAME: region = #soap.region<[30:31]>, tensor = "soap.positions"
// TABLE-SAME: device = 3 : i64
// TABLE-SAME: {kind = #soap.kind<positions>, name = "soap.positions", type = tensor<31xi32>}
// CHECK-LABEL: func.func @rows__0
// CHECK-SAME: %[[FIRST:[a-z0-9]*]]: tensor<1xi32> {soap.kind = #soap.kind<positions>}
// CHECK: %[[LOCAL:.*]] = soap.local_index %{{.*}}, %[[FIRST]] {soap.slot = 0 : i64, wrap = 40 : i64} : tensor<3xi32>, tensor<1xi32>
// CHECK: soap.gather %{{.*}}, %[[LOCAL]] {soap.slot = 0 : i64}
// CHECK-LABEL: func.func @rows__1
// CHECK-NOT: @rows__2
func.func @rows(%table: tensor<40x5xf32> {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>}, %i: tensor<3xi32> {soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>}) -> tensor<3x5xf32> {
  %0 = soap.gather %table, %i {wrap = 40 : i64, soap.config = #soap.config<{v = 4}, devices = [0, 1, 2, 3]>} : (tensor<40x5xf32>, tensor<3xi32>) -> tensor<3x5xf32>
  %1 = soap.relu %0 {soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>} : tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}

// Classes; the gradient counts them alike, and reads the same indices.
// CHECK-LABEL: func.func @classes__0
// CHECK: %[[LABELS:.*]] = soap.local_index
// CHECK: soap.softmax_stats %{{.*}}, %[[LABELS]]
// CHECK-NOT: soap.local_index
// CHECK: soap.cross_entropy_grad %{{.*}}, %{{.*}}, %[[LABELS]], %{{.*}} {
// CHECK-LABEL: func.func @classes__1
// CHECK-NOT: @classes__2
func.func @classes(%x: tensor<6x8xf32> {soap.config = #soap.config<{d1 = 4}, devices = [0, 1, 2, 3]>}, %l: tensor<6xi32> {soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>}, %d: tensor<f32> {soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>}) -> (tensor<f32>, tensor<6x8xf32>) {
  %loss, %correct, %stats = soap.cross_entropy %x, %l {scale = 1.0 : f64, soap.config = #soap.config<{k = 4}, devices = [0, 1, 2, 3]>} : (tensor<6x8xf32>, tensor<6xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x6xf32>)
  %dx = soap.cross_entropy_grad %d, %x, %l, %stats {scale = 1.0 : f64, soap.config = #soap.config<{k = 4}, devices = [0, 1, 2, 3]>} : (tensor<f32>, tensor<6x8xf32>, tensor<6xi32>, tensor<3x6xf32>) -> tensor<6x8xf32>
  return %loss, %dx : tensor<f32>, tensor<6x8xf32>
}

// Dropout: where a shard begins in the whole tensor, which its gradient shares. Rows and columns are split.
// CHECK-LABEL: func.func @drops__0
// CHECK-SAME: %[[PLACE:[a-z0-9]*]]: tensor<1xi32> {soap.kind = #soap.kind<positions>}
// CHECK: %[[BOTH:.*]] = soap.placed_step %{{.*}}, %[[PLACE]] {soap.slot = [[SLOT:[0-9]+]] : i64} : (tensor<i32>, tensor<1xi32>) -> tensor<2xi32>
// CHECK-NEXT: soap.dropout %{{.*}}, %[[BOTH]] {extents = array<i64: 6, 8>, {{.*}}soap.slot = [[SLOT]] : i64} : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<3x4xf32>
// CHECK-NOT: soap.placed_step
// CHECK: soap.dropout %{{.*}}, %[[BOTH]]
// CHECK-LABEL: func.func @drops__1
// CHECK-NOT: @drops__2
// TABLE: entry = "drops"
// TABLE-SAME: region = #soap.region<[0:1]>, tensor = "soap.positions"
// TABLE-SAME: region = #soap.region<[4:5]>, tensor = "soap.positions"
// TABLE-SAME: region = #soap.region<[24:25]>, tensor = "soap.positions"
// TABLE-SAME: region = #soap.region<[28:29]>, tensor = "soap.positions"
func.func @drops(%x: tensor<6x8xf32> {soap.config = #soap.config<{d0 = 2, d1 = 2}, devices = [0, 1, 2, 3]>}, %s: tensor<i32> {soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>}) -> tensor<6x8xf32> {
  %0 = soap.dropout %x, %s {rate = 0.5 : f64, seed = 1 : i64, soap.config = #soap.config<{d0 = 2, d1 = 2}, devices = [0, 1, 2, 3]>} : (tensor<6x8xf32>, tensor<i32>) -> tensor<6x8xf32>
  %1 = soap.dropout %0, %s {rate = 0.5 : f64, seed = 1 : i64, soap.config = #soap.config<{d0 = 2, d1 = 2}, devices = [0, 1, 2, 3]>} : (tensor<6x8xf32>, tensor<i32>) -> tensor<6x8xf32>
  return %1 : tensor<6x8xf32>
}

// A table that is split along its width only: no positions.
// CHECK-LABEL: func.func @width__0
// CHECK-NOT: soap.local_index
// CHECK-NOT: positions
// CHECK: return
func.func @width(%table: tensor<40x8xf32> {soap.config = #soap.config<{d1 = 4}, devices = [0, 1, 2, 3]>}, %i: tensor<3xi32> {soap.config = #soap.config<{}, replicas = 4, devices = [0, 1, 2, 3]>}) -> tensor<3x8xf32> {
  %0 = soap.gather %table, %i {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>} : (tensor<40x8xf32>, tensor<3xi32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}
