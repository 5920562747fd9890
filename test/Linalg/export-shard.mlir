// A strategy as shardings of upstream's shard dialect, which upstream's own pass partitions.
// RUN: soap-opt %s --soap-export-shard=function=mlp -o %t.mlir
// RUN: FileCheck %s --check-prefix=SHARD --input-file=%t.mlir
// RUN: mlir-opt %t.mlir --pass-pipeline='builtin.module(func.func(shard-partition),canonicalize)' | FileCheck %s
// RUN: soap-opt %s --soap-export-shard='function=moved grid=devices' -o %t.moved.mlir
// RUN: mlir-opt %t.moved.mlir --pass-pipeline='builtin.module(func.func(shard-partition),canonicalize)' | FileCheck %s --check-prefix=MOVED
// RUN: not soap-opt %s --soap-export-shard 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not soap-opt %s --soap-export-shard=function=none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not soap-opt %s --soap-export-shard='function=mlp grid=moved' 2>&1 | FileCheck %s --check-prefix=NAME
// SEVERAL: has 2 functions with a body, expected one or the option 'function=NAME'
// NONE: has 0 functions with a body called '@none'
// NAME: option 'grid=moved': the module has a symbol of this name

// SHARD: shard.grid @grid(shape = 2x2)
// SHARD-LABEL: func.func @mlp
// SHARD-SAME: %[[X:[a-z0-9]+]]: tensor<8x12xf32>, %[[W:[a-z0-9]+]]: tensor<12x16xf32>
// SHARD-NOT: soap.
// SHARD-DAG: %[[ROWS:.*]] = shard.sharding @grid split_axes = {{\[\[}}0]] : !shard.sharding
// SHARD-DAG: %[[COLUMNS:.*]] = shard.sharding @grid split_axes = {{\[\[}}], [1]] : !shard.sharding
// SHARD-DAG: shard.shard %[[X]] to %[[ROWS]] : tensor<8x12xf32>
// SHARD-DAG: shard.shard %[[W]] to %[[COLUMNS]] : tensor<12x16xf32>
// SHARD: shard.shard {{.*}} annotate_for_users : tensor<8x12xf32>
// SHARD: linalg.matmul

// Rows by columns, then a sum of parts: one all-reduce along the second axis.
// CHECK-LABEL: func.func @mlp
// CHECK-SAME: (%{{.*}}: tensor<4x12xf32>, %{{.*}}: tensor<12x8xf32>, %{{.*}}: tensor<8x6xf32>) -> tensor<4x6xf32>
// CHECK: linalg.matmul {{.*}} -> tensor<4x8xf32>
// CHECK: linalg.generic
// CHECK: linalg.matmul {{.*}} -> tensor<4x6xf32>
// CHECK: %[[SUM:.*]] = shard.all_reduce %{{.*}} on @grid grid_axes = [1] : tensor<4x6xf32> -> tensor<4x6xf32>
// CHECK: return %[[SUM]]
func.func @mlp(%x: tensor<8x12xf32> {soap.kind = #soap.kind<data>}, %w: tensor<12x16xf32>, %v: tensor<16x6xf32>) -> tensor<8x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<8x16xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %h = linalg.matmul {soap.config = #soap.config<{m = 2, n = 2}, devices = [0, 1, 2, 3]>}
    ins(%x, %w : tensor<8x12xf32>, tensor<12x16xf32>) outs(%f0 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<8x16xf32>) outs(%e0 : tensor<8x16xf32>)
      attrs = {soap.config = #soap.config<{d0 = 2, d1 = 2}, devices = [0, 1, 2, 3]>} {
  ^bb0(%a: f32, %old: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<8x16xf32>
  %e1 = tensor.empty() : tensor<8x6xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x6xf32>) -> tensor<8x6xf32>
  %y = linalg.matmul {soap.config = #soap.config<{m = 2, k = 2}, devices = [0, 1, 2, 3]>}
    ins(%r, %v : tensor<8x16xf32>, tensor<16x6xf32>) outs(%f1 : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// Rows on all devices, then columns on the second axis: one step of upstream for each axis that leaves or enters a dim.
// Last, rows on the second axis: the one axis moves.
// MOVED: shard.grid @devices(shape = 2x2)
// MOVED-LABEL: func.func @moved(%{{.*}}: tensor<2x12xf32>) -> tensor<4x12xf32>
// MOVED: linalg.exp {{.*}} -> tensor<2x12xf32>
// MOVED: shard.all_gather %{{.*}} on @devices grid_axes = [1] gather_axis = 0 : tensor<2x12xf32> -> tensor<4x12xf32>
// MOVED: shard.all_gather %{{.*}} on @devices grid_axes = [0] gather_axis = 0 : tensor<4x12xf32> -> tensor<8x12xf32>
// MOVED: shard.all_slice %{{.*}} on @devices grid_axes = [1] slice_axis = 1 : tensor<8x12xf32> -> tensor<8x6xf32>
// MOVED: linalg.square {{.*}} -> tensor<8x6xf32>
// MOVED: shard.all_to_all %{{.*}} on @devices grid_axes = [1] split_axis = 0 concat_axis = 1 : tensor<8x6xf32> -> tensor<4x12xf32>
// MOVED: linalg.abs {{.*}} -> tensor<4x12xf32>
func.func @moved(%x: tensor<8x12xf32>) -> tensor<8x12xf32> {
  %e = tensor.empty() : tensor<8x12xf32>
  %a = linalg.exp {soap.config = #soap.config<{d0 = 4}, devices = [0, 1, 2, 3]>}
    ins(%x : tensor<8x12xf32>) outs(%e : tensor<8x12xf32>) -> tensor<8x12xf32>
  %b = linalg.square {soap.config = #soap.config<{d1 = 2}, replicas = 2, devices = [0, 1, 2, 3]>}
    ins(%a : tensor<8x12xf32>) outs(%e : tensor<8x12xf32>) -> tensor<8x12xf32>
  %c = linalg.abs {soap.config = #soap.config<{d0 = 2}, replicas = 2, devices = [0, 1, 2, 3]>}
    ins(%b : tensor<8x12xf32>) outs(%e : tensor<8x12xf32>) -> tensor<8x12xf32>
  return %c : tensor<8x12xf32>
}
