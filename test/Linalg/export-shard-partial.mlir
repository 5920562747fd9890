// With 'partial', ops that no grid of the devices has are left without shardings; a warning counts them and says why.
// RUN: soap-opt %s --split-input-file --soap-export-shard=partial=true 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t

// SAID: warning: 2 of 4 ops of the strategy are on no grid of the 2 devices and have no sharding; op 'exp_1' runs on devices [0], expected each of the 2 devices of the strategy once; op 'exp_2' has its pieces on devices [1, 0], which are no axes of one grid with the other ops
// CHECK: shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @some
// CHECK: %[[CUT:.*]] = shard.sharding @grid split_axes = {{\[\[}}0]] : !shard.sharding
// CHECK: %[[FIRST:.*]] = math.exp
// CHECK-NEXT: %[[HELD:.*]] = shard.shard %[[FIRST]] to %[[CUT]] : tensor<4xf32>
// CHECK-NEXT: %[[ALONE:.*]] = math.exp %[[HELD]] : tensor<4xf32>
// CHECK-NEXT: %[[REVERSED:.*]] = math.exp %[[ALONE]] : tensor<4xf32>
// CHECK-NEXT: %[[READ:.*]] = shard.shard %[[REVERSED]] to %[[CUT]] annotate_for_users : tensor<4xf32>
// CHECK-NEXT: %[[LAST:.*]] = math.exp %[[READ]] : tensor<4xf32>
// CHECK-NEXT: shard.shard %[[LAST]] to %[[CUT]] : tensor<4xf32>
module attributes {soap.topology = #soap.topology<"cpu-2">} {
  func.func @some(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = math.exp %x {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<4xf32>
    %b = math.exp %a {soap.config = #soap.config<{}, devices = [0]>} : tensor<4xf32>
    %c = math.exp %b {soap.config = #soap.config<{d0 = 2}, devices = [1, 0]>} : tensor<4xf32>
    %d = math.exp %c {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<4xf32>
    return %d : tensor<4xf32>
  }
}

// -----

// A window's operand overlaps; its result is cut into blocks, and has a sharding.
// CHECK-NOT: warning
// CHECK-LABEL: func.func @halo
// CHECK: tensor.extract_slice %{{.*}}[1] [8] [1]
// CHECK-NEXT: shard.shard %{{.*}} to %{{.*}} : tensor<8xf32>
func.func @halo(%x: tensor<10xf32>) -> tensor<8xf32> {
  %y = tensor.extract_slice %x[1] [8] [1] {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<10xf32> to tensor<8xf32>
  return %y : tensor<8xf32>
}
