// Types that are alike are printed once, defaults not at all. Long configs and
// large types have names at the top of the module.
// RUN: soap-opt %s | FileCheck %s
// RUN: soap-opt %s | soap-opt | FileCheck %s
// RUN: soap-opt %s > %t.mlir
// RUN: soap-opt %s --mlir-print-op-generic --mlir-print-local-scope | soap-opt | diff - %t.mlir

// CHECK: !t = tensor<64x65536xf32>
// CHECK-NEXT: #config = #soap.config<{d0 = 33}, devices = [0 to 32]>
// CHECK-NEXT: #config1 = #soap.config<{d1 = 3}, replicas = 11, devices = [0 to 64 step 2]>

// CHECK-LABEL: func.func @names
// CHECK-SAME: %[[X:.*]]: !t,
func.func @names(%x: tensor<64x65536xf32>, %y: tensor<64x65535xf32>) -> tensor<64x65536xf32> {
  // CHECK: %[[A:.*]] = soap.relu %[[X]] {soap.config = #config} : !t
  %a = soap.relu %x {soap.config = #soap.config<{d0 = 33}, devices = [0 to 32]>} : tensor<64x65536xf32>
  // CHECK: soap.tanh %[[A]] {soap.config = #config1} : !t
  %b = soap.tanh %a {soap.config = #soap.config<{d1 = 3}, replicas = 11, devices = [0 to 64 step 2]>} : tensor<64x65536xf32>
  // CHECK: soap.exp %{{.*}} {soap.config = #config} : !t
  %c = soap.exp %b {soap.config = #soap.config<{d0 = 33}, devices = [0 to 32]>} : tensor<64x65536xf32>
  // Thirty-two devices are no reason for a name, nor are fewer elements.
  // CHECK: soap.neg %{{.*}} {soap.config = #soap.config<{d0 = 32}, devices = [0 to 31]>} : tensor<64x65535xf32>
  %d = soap.neg %y {soap.config = #soap.config<{d0 = 32}, devices = [0 to 31]>} : tensor<64x65535xf32>
  return %c : tensor<64x65536xf32>
}

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // Sixty-four elements, or as many that are alike, have no name.
  // CHECK: soap.constant dense<[0, 1, {{.*}}, 7]> : tensor<64xi8>
  %0 = soap.constant dense<"0x00010203040506070001020304050607000102030405060700010203040506070001020304050607000102030405060700010203040506070001020304050607"> : tensor<64xi8>
  // CHECK: soap.constant dense<7> : tensor<65xi8>
  %1 = soap.constant dense<7> : tensor<65xi8>
  // CHECK: soap.constant #elements{{$}}
  %2 = soap.constant dense<"0x0001020304050607000102030405060700010203040506070001020304050607000102030405060700010203040506070001020304050607000102030405060708"> : tensor<65xi8>
  // CHECK: soap.constant {soap.name = "c"} #elements{{$}}
  %3 = soap.constant {soap.name = "c"} dense<"0x0001020304050607000102030405060700010203040506070001020304050607000102030405060700010203040506070001020304050607000102030405060708"> : tensor<65xi8>
  return
}

// CHECK-LABEL: func.func @alike
func.func @alike(%x: tensor<2x2xf32>, %r: tensor<2xf32>) {
  // CHECK: soap.add %{{.*}}, %{{.*}} : tensor<2x2xf32>
  %0 = soap.add %x, %x : tensor<2x2xf32>
  // CHECK: soap.add %{{.*}}, %{{.*}} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %1 = soap.add %x, %r : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  // CHECK: soap.matmul %{{.*}}, %{{.*}} : tensor<2x2xf32>
  %2 = soap.matmul %x, %x : tensor<2x2xf32>
  // CHECK: soap.combine sum %{{.*}}, %{{.*}} {sources = [{{.*}}]} : tensor<2x2xf32>
  %3 = soap.combine sum %0, %1 {sources = [#soap.region<[0:2], [0:2]>, #soap.region<[0:2], [0:2]>]} : tensor<2x2xf32>
  // CHECK: soap.constant {soap.name = "c"} dense<1.000000e+00> : tensor<2xf32>{{$}}
  %4 = soap.constant {soap.name = "c"} dense<1.0> : tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @defaults
func.func @defaults(%x: tensor<8x8xf32>, %i: tensor<1x2x8x8xf32>, %w: tensor<2x2x3x3xf32>) {
  // CHECK: soap.slice %{{.*}} {sizes = array<i64: 4, 4>}
  %0 = soap.slice %x {sizes = array<i64: 4, 4>} : (tensor<8x8xf32>) -> tensor<4x4xf32>
  // CHECK: soap.slice %{{.*}} {offsets = array<i64: 0, 1>, sizes = array<i64: 4, 4>}
  %1 = soap.slice %x {offsets = array<i64: 0, 1>, sizes = array<i64: 4, 4>} : (tensor<8x8xf32>) -> tensor<4x4xf32>
  // CHECK: soap.slice %{{.*}} {sizes = array<i64: 4, 4>, strides = array<i64: 2, 1>}
  %2 = soap.slice %x {sizes = array<i64: 4, 4>, strides = array<i64: 2, 1>} : (tensor<8x8xf32>) -> tensor<4x4xf32>
  // CHECK: soap.pad %{{.*}} : (tensor<8x8xf32>) -> tensor<9x8xf32>
  %3 = soap.pad %x : (tensor<8x8xf32>) -> tensor<9x8xf32>
  // CHECK: soap.pad %{{.*}} {interior = array<i64: 1, 0>, low = array<i64: 1, 0>, value = 1.000000e+00 : f64}
  %4 = soap.pad %x {interior = array<i64: 1, 0>, low = array<i64: 1, 0>, value = 1.0 : f64} : (tensor<8x8xf32>) -> tensor<16x8xf32>
  // CHECK: soap.conv2d %{{.*}}, %{{.*}} {strides = array<i64: 1, 1>}
  %5 = soap.conv2d %i, %w {strides = array<i64: 1, 1>} : (tensor<1x2x8x8xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x6x6xf32>
  // CHECK: soap.conv2d %{{.*}}, %{{.*}} {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (
  %6 = soap.conv2d %i, %w {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x2x8x8xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x8x8xf32>
  // CHECK: soap.max_pool2d %{{.*}} {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>}
  %7 = soap.max_pool2d %i {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32>
  return
}
