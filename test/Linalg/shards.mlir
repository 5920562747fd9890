// Shards of structured ops: windows, offsets of indices, init operands under a split reduction, pads and slices.
// RUN: soap-opt %s --soap-partition='topology=cpu-2' | FileCheck %s

// An init operand that is read counts once: the first piece starts from it, the second one from 0.
// CHECK-LABEL: func.func @accumulate__0
// CHECK: %[[INIT:.*]] = linalg.matmul {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<3x5xf32>) outs(%{{.*}} : tensor<4x5xf32>)
// CHECK-LABEL: func.func @accumulate__1
// CHECK: arith.constant 0.000000e+00 : f32
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: linalg.matmul {{.*}} outs(%[[ZERO]] : tensor<4x5xf32>)
func.func @accumulate(%a: tensor<4x6xf32>, %b: tensor<6x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %y = linalg.matmul {soap.config = #soap.config<{k = 2}, devices = [0, 1]>}
    ins(%a, %b : tensor<4x6xf32>, tensor<6x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// Windows: each piece has the rows that it reads, and the map starts at its tile.
// CHECK-LABEL: func.func @window__0
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<5x3xf32>, tensor<3xf32>)
// CHECK-LABEL: func.func @window__1
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<5x3xf32>, tensor<3xf32>)
func.func @window(%x: tensor<11x3xf32>, %w: tensor<3xf32>) -> tensor<4x3xf32> {
  %e = tensor.empty() {soap.name = "e"} : tensor<4x3xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, k, c) -> (i * 2 + k + 2, c)>, affine_map<(i, k, c) -> (k)>, affine_map<(i, k, c) -> (i, c)>],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x, %w : tensor<11x3xf32>, tensor<3xf32>) outs(%f : tensor<4x3xf32>)
      attrs = {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @index__0
// CHECK: linalg.index 0
// CHECK-NOT: arith.addi
// CHECK-LABEL: func.func @index__1
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[THREE:.*]] = arith.constant 3 : index
// CHECK: arith.addi %[[I]], %[[THREE]] : index
func.func @index() -> tensor<6xi32> {
  %e = tensor.empty() : tensor<6xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<6xi32>) attrs = {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} {
  ^bb0(%old: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    linalg.yield %n : i32
  } -> tensor<6xi32>
  return %y : tensor<6xi32>
}

// Padding is at the outer ends only.
// CHECK-LABEL: func.func @pad__0
// CHECK: tensor.pad %{{.*}} low[2] high[0]
// CHECK-LABEL: func.func @pad__1
// CHECK: tensor.pad %{{.*}} low[0] high[1]
func.func @pad(%x: tensor<5xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %y = tensor.pad %x low[2] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<5xf32> to tensor<8xf32>
  return %y : tensor<8xf32>
}

// A table that the body reads is whole on every device.
// CHECK-LABEL: func.func @gather__0
// CHECK-SAME: tensor<9x4xf32>
// CHECK: tensor.extract %{{.*}}[%{{.*}}] : tensor<9x4xf32>
func.func @gather(%ids: tensor<6xi32>, %table: tensor<9x4xf32>) -> tensor<6x4xf32> {
  %e = tensor.empty() : tensor<6x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<6xi32>) outs(%e : tensor<6x4xf32>) attrs = {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} {
  ^bb0(%id: i32, %old: f32):
    %i = arith.index_cast %id : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%i, %j] : tensor<9x4xf32>
    linalg.yield %v : f32
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}
