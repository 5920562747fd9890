// A launch of own elements becomes part of the one that makes what it reads.
// RUN: soap-opt %s --soap-fuse-launches --split-input-file | FileCheck %s

// A rounding behind rows that a warp shares: the row's buffer is gone.
// CHECK-LABEL: func.func @rounded(
// CHECK-NEXT: %[[Y:.*]] = memref.alloc() : memref<64x128xbf16>
// CHECK-NEXT: soap.parallel_call @kernel_0_rows_cast_loop extent 2048 grain 1(%arg0, %[[Y]]) {soap.fused_slots = array<i64: 2>, soap.slot = 1 : i64}
// CHECK-NEXT: return %[[Y]]
// CHECK: func.func private @kernel_0_rows_cast_loop(%[[X:.*]]: memref<64x128xf32>, %[[OUT:.*]]: memref<64x128xbf16>, %{{.*}}: index, %{{.*}}: index) attributes {soap.lanes}
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[OUT]]
// CHECK: scf.for
// CHECK: %[[VALUE:.*]] = arith.subf
// CHECK: %[[SCALED:.*]] = arith.muli %[[ROW:.*]], %c128{{.*}} overflow<nsw, nuw>
// CHECK: %[[AT:.*]] = arith.addi %[[SCALED]], %{{.*}} overflow<nsw, nuw>
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[VALUE]]
// CHECK: memref.store %[[ROUNDED]], %[[FLAT]][%[[AT]]] : memref<8192xbf16>
// CHECK-NOT: memref.store
func.func @rounded(%x: memref<64x128xf32>) -> memref<64x128xbf16> {
  %t = memref.alloc() : memref<64x128xf32>
  soap.parallel_call @kernel_0_rows_loop extent 2048 grain 1(%x, %t) {soap.slot = 1 : i64} : memref<64x128xf32>, memref<64x128xf32>
  %y = memref.alloc() : memref<64x128xbf16>
  soap.parallel_call @kernel_1_cast_loop extent 8192 grain 16(%t, %y) {soap.slot = 2 : i64} : memref<64x128xf32>, memref<64x128xbf16>
  return %y : memref<64x128xbf16>
}
func.func private @kernel_0_rows_loop(%x: memref<64x128xf32>, %y: memref<64x128xf32>, %begin: index, %end: index) attributes {soap.lanes} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %lane = arith.remui %i, %c32 : index
    %row = arith.divui %i, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    scf.if %first {
      %sum = scf.for %j = %c0 to %c128 step %c1 iter_args(%acc = %zero) -> (f32) {
        %a = memref.load %x[%row, %j] : memref<64x128xf32>
        %b = arith.addf %acc, %a : f32
        scf.yield %b : f32
      }
      scf.for %j = %c0 to %c128 step %c1 {
        %a = memref.load %x[%row, %j] : memref<64x128xf32>
        %b = arith.subf %a, %sum : f32
        memref.store %b, %y[%row, %j] : memref<64x128xf32>
      }
    } {soap.lanes}
  }
  return
}
func.func private @kernel_1_cast_loop(%x: memref<64x128xf32>, %y: memref<64x128xbf16>, %begin: index, %end: index) {
  %flat = memref.collapse_shape %x [[0, 1]] : memref<64x128xf32> into memref<8192xf32>
  %out = memref.collapse_shape %y [[0, 1]] : memref<64x128xbf16> into memref<8192xbf16>
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %flat[%i] : memref<8192xf32>
    %b = arith.truncf %a : f32 to bf16
    memref.store %b, %out[%i] : memref<8192xbf16>
  }
  return
}

// -----

// The sum of what the first one makes and %z, which something else reads, too: it stays, and the position is the
// iteration itself.
// CHECK-LABEL: func.func @kept(
// CHECK: soap.parallel_call @kernel_0_twice_add_loop extent 512 grain 16(%arg0, %[[T:.*]], %arg1, %[[S:.*]]) :
// CHECK-NEXT: return %[[S]], %[[T]]
// CHECK: func.func private @kernel_0_twice_add_loop(
// CHECK: scf.for %[[I:.*]] =
// CHECK: memref.load %{{.*}}[%[[I]]] : memref<512xf32>
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]]] : memref<512xf32>
// CHECK: memref.store %{{.*}} : memref<8x64xf32>
func.func @kept(%x: memref<8x64xf32>, %z: memref<512xf32>) -> (memref<512xf32>, memref<8x64xf32>) {
  %t = memref.alloc() : memref<8x64xf32>
  soap.parallel_call @kernel_0_twice_loop extent 512 grain 16(%x, %t) : memref<8x64xf32>, memref<8x64xf32>
  %s = memref.alloc() : memref<512xf32>
  %flat = memref.collapse_shape %t [[0, 1]] : memref<8x64xf32> into memref<512xf32>
  soap.parallel_call @kernel_1_add_loop extent 512 grain 16(%flat, %z, %s) : memref<512xf32>, memref<512xf32>, memref<512xf32>
  return %s, %t : memref<512xf32>, memref<8x64xf32>
}
func.func private @kernel_0_twice_loop(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %begin to %end step %c1 {
    %column = arith.remui %i, %c64 : index
    %row = arith.divui %i, %c64 : index
    %a = memref.load %x[%row, %column] : memref<8x64xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %y[%row, %column] : memref<8x64xf32>
  }
  return
}
func.func private @kernel_1_add_loop(%x: memref<512xf32>, %z: memref<512xf32>, %y: memref<512xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %x[%i] : memref<512xf32>
    %b = memref.load %z[%i] : memref<512xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %y[%i] : memref<512xf32>
  }
  return
}

// -----

// Not: an op between writes what the second one reads, and another op reads what the first one writes, too; the first
// one writes some elements only; and each element is read by the iteration of another one.
// CHECK-LABEL: func.func @apart(
// CHECK: soap.parallel_call @some extent
// CHECK: soap.parallel_call @fill extent
// CHECK: soap.parallel_call @add extent
// CHECK: soap.parallel_call @half extent
// CHECK: soap.parallel_call @same extent
// CHECK: soap.parallel_call @same extent
// CHECK: soap.parallel_call @shifted extent
func.func @apart(%x: memref<64xf32>, %z: memref<64xf32>, %u: memref<64xf32>, %v: memref<64xf32>, %w: memref<64xf32>) {
  %t = memref.alloc() : memref<64xf32>
  soap.parallel_call @some extent 64 grain 1(%x, %t) : memref<64xf32>, memref<64xf32>
  soap.parallel_call @fill extent 64 grain 1(%z) : memref<64xf32>
  soap.parallel_call @add extent 64 grain 1(%t, %z, %u) : memref<64xf32>, memref<64xf32>, memref<64xf32>
  soap.library_call "other" [] ins(%t : memref<64xf32>) outs(%u : memref<64xf32>)
  %h = memref.alloc() : memref<64xf32>
  soap.parallel_call @half extent 32 grain 1(%x, %h) : memref<64xf32>, memref<64xf32>
  soap.parallel_call @same extent 64 grain 1(%h, %v) : memref<64xf32>, memref<64xf32>
  %s = memref.alloc() : memref<64xf32>
  soap.parallel_call @same extent 64 grain 1(%x, %s) : memref<64xf32>, memref<64xf32>
  soap.parallel_call @shifted extent 63 grain 1(%s, %w) : memref<64xf32>, memref<64xf32>
  return
}
func.func private @some(%x: memref<64xf32>, %y: memref<64xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %x[%i] : memref<64xf32>
    memref.store %a, %y[%i] : memref<64xf32>
  }
  return
}
func.func private @fill(%y: memref<64xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    memref.store %zero, %y[%i] : memref<64xf32>
  }
  return
}
func.func private @add(%x: memref<64xf32>, %z: memref<64xf32>, %y: memref<64xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %x[%i] : memref<64xf32>
    %b = memref.load %z[%i] : memref<64xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %y[%i] : memref<64xf32>
  }
  return
}
func.func private @half(%x: memref<64xf32>, %y: memref<64xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %x[%i] : memref<64xf32>
    memref.store %a, %y[%i] : memref<64xf32>
  }
  return
}
func.func private @same(%x: memref<64xf32>, %y: memref<64xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %x[%i] : memref<64xf32>
    memref.store %a, %y[%i] : memref<64xf32>
  }
  return
}
func.func private @shifted(%x: memref<64xf32>, %y: memref<64xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %next = arith.addi %i, %c1 : index
    %a = memref.load %x[%next] : memref<64xf32>
    memref.store %a, %y[%i] : memref<64xf32>
  }
  return
}

// -----

// A launch that only a row reads, which a warp keeps in registers, is computed where the row is loaded, with a mask that is smaller
// than the row's buffer; and the gradient of it behind the row, with the same mask.
// CHECK-LABEL: func.func @masked(
// CHECK-NEXT: %[[Y:.*]] = memref.alloc()
// CHECK-NEXT: soap.parallel_call @kernel_0_mask_rows_scale_loop extent 2048 grain 1(%arg1, %[[Y]], %arg0, %arg1) {soap.fused_slots = array<i64: 1, 3>, soap.slot = 2 : i64}
// CHECK-NEXT: return %[[Y]]
func.func @masked(%x: memref<64x128xf32>, %m: memref<16x128xf32>) -> memref<64x128xf32> {
  %t = memref.alloc() : memref<64x128xf32>
  soap.parallel_call @kernel_0_mask_loop extent 8192 grain 16(%x, %m, %t) {soap.slot = 1 : i64} : memref<64x128xf32>, memref<16x128xf32>, memref<64x128xf32>
  %u = memref.alloc() : memref<64x128xf32>
  soap.parallel_call @kernel_1_rows_loop extent 2048 grain 1(%t, %u) {soap.slot = 2 : i64} : memref<64x128xf32>, memref<64x128xf32>
  %y = memref.alloc() : memref<64x128xf32>
  soap.parallel_call @kernel_2_scale_loop extent 8192 grain 16(%u, %m, %y) {soap.slot = 3 : i64} : memref<64x128xf32>, memref<16x128xf32>, memref<64x128xf32>
  return %y : memref<64x128xf32>
}
// Not: a library call stands between; a reader that goes over the row twice, in no warp; an exponential that it would
// compute twice.
// CHECK-LABEL: func.func @behind(
// CHECK: soap.parallel_call @kernel_0_mask_loop extent
// CHECK: soap.parallel_call @kernel_1_rows_loop extent
// CHECK: soap.parallel_call @kernel_0_mask_loop extent
// CHECK: soap.parallel_call @kernel_3_twice_loop extent
// CHECK: soap.parallel_call @kernel_4_exp_loop extent
// CHECK: soap.parallel_call @kernel_1_rows_loop extent
func.func @behind(%x: memref<64x128xf32>, %m: memref<16x128xf32>, %y: memref<64x128xf32>, %o: memref<4xf32>) {
  %t = memref.alloc() : memref<64x128xf32>
  soap.parallel_call @kernel_0_mask_loop extent 8192 grain 16(%x, %m, %t) : memref<64x128xf32>, memref<16x128xf32>, memref<64x128xf32>
  soap.library_call "other" [] outs(%o : memref<4xf32>)
  soap.parallel_call @kernel_1_rows_loop extent 2048 grain 1(%t, %y) : memref<64x128xf32>, memref<64x128xf32>
  %u = memref.alloc() : memref<64x128xf32>
  soap.parallel_call @kernel_0_mask_loop extent 8192 grain 16(%x, %m, %u) : memref<64x128xf32>, memref<16x128xf32>, memref<64x128xf32>
  soap.parallel_call @kernel_3_twice_loop extent 64 grain 1(%u, %y) : memref<64x128xf32>, memref<64x128xf32>
  %v = memref.alloc() : memref<64x128xf32>
  soap.parallel_call @kernel_4_exp_loop extent 8192 grain 16(%x, %v) : memref<64x128xf32>, memref<64x128xf32>
  soap.parallel_call @kernel_1_rows_loop extent 2048 grain 1(%v, %y) : memref<64x128xf32>, memref<64x128xf32>
  return
}
// The launches of the first function.
// CHECK: func.func private @kernel_0_mask_rows_scale_loop(%[[M2:.*]]: memref<16x128xf32>, %[[OUT:.*]]: memref<64x128xf32>, %[[X:.*]]: memref<64x128xf32>, %[[M:.*]]: memref<16x128xf32>, %{{.*}}: index, %{{.*}}: index) attributes {soap.lanes}
// CHECK-DAG: %[[FLATX:.*]] = memref.collapse_shape %[[X]]
// CHECK-DAG: %[[FLATM:.*]] = memref.collapse_shape %[[M]]
// CHECK: scf.for {{.*}} iter_args
// CHECK: %[[AT:.*]] = arith.addi %{{.*}} overflow<nsw, nuw>
// CHECK: %[[REST:.*]] = arith.remui %[[AT]], %{{.*}}
// CHECK: %[[A:.*]] = memref.load %[[FLATX]][%{{.*}}] : memref<8192xf32>
// CHECK: %[[B:.*]] = memref.load %[[FLATM]][%[[REST]]] : memref<2048xf32>
// CHECK: %[[C:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK: arith.addf %{{.*}}, %[[C]]
// CHECK: scf.for
// CHECK: memref.load %[[FLATX]]
// CHECK: arith.subf
// CHECK: memref.load %{{.*}} : memref<2048xf32>
// CHECK: memref.store %{{.*}} : memref<8192xf32>
// CHECK-NOT: memref.store
func.func private @kernel_0_mask_loop(%x: memref<64x128xf32>, %m: memref<16x128xf32>, %y: memref<64x128xf32>, %begin: index, %end: index) {
  %flat = memref.collapse_shape %x [[0, 1]] : memref<64x128xf32> into memref<8192xf32>
  %mask = memref.collapse_shape %m [[0, 1]] : memref<16x128xf32> into memref<2048xf32>
  %out = memref.collapse_shape %y [[0, 1]] : memref<64x128xf32> into memref<8192xf32>
  %c1 = arith.constant 1 : index
  %c2048 = arith.constant 2048 : index
  scf.for %i = %begin to %end step %c1 {
    %rest = arith.remui %i, %c2048 : index
    %block = arith.divui %i, %c2048 : index
    %first = arith.muli %block, %c2048 : index
    %own = arith.addi %first, %rest : index
    %a = memref.load %flat[%own] : memref<8192xf32>
    %b = memref.load %mask[%rest] : memref<2048xf32>
    %c = arith.mulf %a, %b : f32
    memref.store %c, %out[%own] : memref<8192xf32>
  }
  return
}
func.func private @kernel_2_scale_loop(%x: memref<64x128xf32>, %m: memref<16x128xf32>, %y: memref<64x128xf32>, %begin: index, %end: index) {
  %flat = memref.collapse_shape %x [[0, 1]] : memref<64x128xf32> into memref<8192xf32>
  %mask = memref.collapse_shape %m [[0, 1]] : memref<16x128xf32> into memref<2048xf32>
  %out = memref.collapse_shape %y [[0, 1]] : memref<64x128xf32> into memref<8192xf32>
  %c1 = arith.constant 1 : index
  %c2048 = arith.constant 2048 : index
  scf.for %i = %begin to %end step %c1 {
    %rest = arith.remui %i, %c2048 : index
    %a = memref.load %flat[%i] : memref<8192xf32>
    %b = memref.load %mask[%rest] : memref<2048xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %out[%i] : memref<8192xf32>
  }
  return
}
func.func private @kernel_4_exp_loop(%x: memref<64x128xf32>, %y: memref<64x128xf32>, %begin: index, %end: index) {
  %flat = memref.collapse_shape %x [[0, 1]] : memref<64x128xf32> into memref<8192xf32>
  %out = memref.collapse_shape %y [[0, 1]] : memref<64x128xf32> into memref<8192xf32>
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %flat[%i] : memref<8192xf32>
    %b = math.exp %a : f32
    memref.store %b, %out[%i] : memref<8192xf32>
  }
  return
}
func.func private @kernel_1_rows_loop(%x: memref<64x128xf32>, %y: memref<64x128xf32>, %begin: index, %end: index) attributes {soap.lanes} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %lane = arith.remui %i, %c32 : index
    %row = arith.divui %i, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    scf.if %first {
      %sum = scf.for %j = %c0 to %c128 step %c1 iter_args(%acc = %zero) -> (f32) {
        %a = memref.load %x[%row, %j] : memref<64x128xf32>
        %b = arith.addf %acc, %a : f32
        scf.yield %b : f32
      }
      scf.for %j = %c0 to %c128 step %c1 {
        %a = memref.load %x[%row, %j] : memref<64x128xf32>
        %b = arith.subf %a, %sum : f32
        memref.store %b, %y[%row, %j] : memref<64x128xf32>
      }
    } {soap.lanes}
  }
  return
}
func.func private @kernel_3_twice_loop(%x: memref<64x128xf32>, %y: memref<64x128xf32>, %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  scf.for %row = %begin to %end step %c1 {
    %sum = scf.for %j = %c0 to %c128 step %c1 iter_args(%acc = %zero) -> (f32) {
      %a = memref.load %x[%row, %j] : memref<64x128xf32>
      %b = arith.addf %acc, %a : f32
      scf.yield %b : f32
    }
    scf.for %j = %c0 to %c128 step %c1 {
      %a = memref.load %x[%row, %j] : memref<64x128xf32>
      %b = arith.subf %a, %sum : f32
      memref.store %b, %y[%row, %j] : memref<64x128xf32>
    }
  }
  return
}

// -----

// A product and the sum that reads it stay apart where both may be contracted: joined, they would be rounded once.
// CHECK-LABEL: func.func @contracted(
// CHECK-COUNT-2: soap.parallel_call
// CHECK: return
func.func @contracted(%x: memref<4096xf32>, %z: memref<4096xf32>) -> memref<4096xf32> {
  %t = memref.alloc() : memref<4096xf32>
  soap.parallel_call @kernel_0_product_loop extent 4096 grain 16(%x, %z, %t) {soap.slot = 1 : i64} : memref<4096xf32>, memref<4096xf32>, memref<4096xf32>
  %y = memref.alloc() : memref<4096xf32>
  soap.parallel_call @kernel_1_sum_loop extent 4096 grain 16(%t, %z, %y) {soap.slot = 2 : i64} : memref<4096xf32>, memref<4096xf32>, memref<4096xf32>
  return %y : memref<4096xf32>
}
// One that may not be is joined.
// CHECK-LABEL: func.func @exact(
// CHECK-COUNT-1: soap.parallel_call
// CHECK-NOT: soap.parallel_call
// CHECK: return
func.func @exact(%x: memref<4096xf32>, %z: memref<4096xf32>) -> memref<4096xf32> {
  %t = memref.alloc() : memref<4096xf32>
  soap.parallel_call @kernel_0_product_loop extent 4096 grain 16(%x, %z, %t) {soap.slot = 1 : i64} : memref<4096xf32>, memref<4096xf32>, memref<4096xf32>
  %y = memref.alloc() : memref<4096xf32>
  soap.parallel_call @kernel_2_exact_loop extent 4096 grain 16(%t, %z, %y) {soap.slot = 2 : i64} : memref<4096xf32>, memref<4096xf32>, memref<4096xf32>
  return %y : memref<4096xf32>
}
func.func private @kernel_0_product_loop(%x: memref<4096xf32>, %z: memref<4096xf32>, %y: memref<4096xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %x[%i] : memref<4096xf32>
    %b = memref.load %z[%i] : memref<4096xf32>
    %c = arith.mulf %a, %b fastmath<reassoc,contract> : f32
    memref.store %c, %y[%i] : memref<4096xf32>
  }
  return
}
func.func private @kernel_1_sum_loop(%x: memref<4096xf32>, %z: memref<4096xf32>, %y: memref<4096xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %x[%i] : memref<4096xf32>
    %b = memref.load %z[%i] : memref<4096xf32>
    %c = arith.addf %a, %b fastmath<reassoc,contract> : f32
    memref.store %c, %y[%i] : memref<4096xf32>
  }
  return
}
func.func private @kernel_2_exact_loop(%x: memref<4096xf32>, %z: memref<4096xf32>, %y: memref<4096xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %x[%i] : memref<4096xf32>
    %b = memref.load %z[%i] : memref<4096xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %y[%i] : memref<4096xf32>
  }
  return
}

// -----

// Numbers of 16 bits that launches alone read: these make them f32.
// CHECK-LABEL: func.func @narrow(
// CHECK-NOT: cast_loop
// CHECK: soap.parallel_call @kernel_1_double_loop_{{.*}} extent 64 grain 1(%arg0, %{{.*}}) {soap.fused_slots = array<i64: 1>, soap.slot = 2 : i64} : memref<8x8xbf16>, memref<8x8xf32>
// CHECK-NEXT: soap.parallel_call @kernel_1_double_loop_{{.*}} extent 64 grain 1(%arg0, %{{.*}}) {soap.slot = 3 : i64} : memref<8x8xbf16>
// What a library reads is made f32 in memory.
// CHECK-LABEL: func.func @wide(
// CHECK: soap.parallel_call @kernel_0_cast_loop extent 64
// CHECK: soap.parallel_call @kernel_1_double_loop extent 64
func.func @narrow(%x: memref<8x8xbf16>, %y: memref<8x8xf32>, %z: memref<8x8xf32>) {
  %t = memref.alloc() : memref<8x8xf32>
  soap.parallel_call @kernel_0_cast_loop extent 64 grain 1(%x, %t) {soap.slot = 1 : i64} : memref<8x8xbf16>, memref<8x8xf32>
  soap.parallel_call @kernel_1_double_loop extent 64 grain 1(%t, %y) {soap.slot = 2 : i64} : memref<8x8xf32>, memref<8x8xf32>
  soap.parallel_call @kernel_1_double_loop extent 64 grain 1(%t, %z) {soap.slot = 3 : i64} : memref<8x8xf32>, memref<8x8xf32>
  return
}
func.func @wide(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) -> memref<8x8xf32> {
  %t = memref.alloc() : memref<8x8xf32>
  soap.parallel_call @kernel_0_cast_loop extent 64 grain 1(%x, %t) : memref<8x8xbf16>, memref<8x8xf32>
  soap.parallel_call @kernel_1_double_loop extent 64 grain 1(%t, %y) : memref<8x8xf32>, memref<8x8xf32>
  return %t : memref<8x8xf32>
}
func.func private @kernel_0_cast_loop(%x: memref<8x8xbf16>, %y: memref<8x8xf32>, %begin: index, %end: index) {
  %flat = memref.collapse_shape %x [[0, 1]] : memref<8x8xbf16> into memref<64xbf16>
  %out = memref.collapse_shape %y [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %flat[%i] : memref<64xbf16>
    %b = arith.extf %a : bf16 to f32
    memref.store %b, %out[%i] : memref<64xf32>
  }
  return
}
// Neighbours, so that it is no end of another launch.
func.func private @kernel_1_double_loop(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %begin to %end step %c1 {
    %r = arith.divui %i, %c8 : index
    %c = arith.remui %i, %c8 : index
    %a = memref.load %x[%r, %c] : memref<8x8xf32>
    %t = memref.load %x[%c, %r] : memref<8x8xf32>
    %b = arith.addf %a, %t : f32
    memref.store %b, %y[%r, %c] : memref<8x8xf32>
  }
  return
}
// CHECK: func.func private @kernel_1_double_loop_{{.*}}(%[[X:.*]]: memref<8x8xbf16>, %{{.*}}: memref<8x8xf32>,
// CHECK: %[[A:.*]] = memref.load %[[X]]
// CHECK-NEXT: arith.extf %[[A]] : bf16 to f32
// CHECK-NEXT: %[[T:.*]] = memref.load %[[X]]
// CHECK-NEXT: arith.extf %[[T]] : bf16 to f32
// CHECK-NEXT: arith.addf

// -----

// Stores under conditions that say they are independent store each element once: what follows is done at each.
// CHECK-LABEL: func.func @cells(
// CHECK: soap.parallel_call @kernel_0_cells_relu_loop extent 8 grain 1(
// CHECK-NOT: soap.parallel_call
// Of others that is not known.
// CHECK-LABEL: func.func @some(
// CHECK: soap.parallel_call @kernel_0_some_loop extent 8
// CHECK: soap.parallel_call @kernel_1_relu_loop extent 15
func.func @cells(%x: memref<15xf32>, %y: memref<15xf32>) {
  %t = memref.alloc() : memref<15xf32>
  soap.parallel_call @kernel_0_cells_loop extent 8 grain 1(%x, %t) : memref<15xf32>, memref<15xf32>
  soap.parallel_call @kernel_1_relu_loop extent 15 grain 1(%t, %y) : memref<15xf32>, memref<15xf32>
  return
}
func.func @some(%x: memref<15xf32>, %y: memref<15xf32>) {
  %t = memref.alloc() : memref<15xf32>
  soap.parallel_call @kernel_0_some_loop extent 8 grain 1(%x, %t) : memref<15xf32>, memref<15xf32>
  soap.parallel_call @kernel_1_relu_loop extent 15 grain 1(%t, %y) : memref<15xf32>, memref<15xf32>
  return
}
func.func private @kernel_0_cells_loop(%x: memref<15xf32>, %y: memref<15xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c15 = arith.constant 15 : index
  scf.for %i = %begin to %end step %c1 {
    %a = arith.muli %i, %c2 : index
    %b = arith.addi %a, %c1 : index
    %v = memref.load %x[%a] : memref<15xf32>
    memref.store %v, %y[%a] {soap.independent} : memref<15xf32>
    %inside = arith.cmpi ult, %b, %c15 : index
    scf.if %inside {
      memref.store %v, %y[%b] {soap.independent} : memref<15xf32>
    }
  }
  return
}
func.func private @kernel_0_some_loop(%x: memref<15xf32>, %y: memref<15xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c15 = arith.constant 15 : index
  scf.for %i = %begin to %end step %c1 {
    %a = arith.muli %i, %c2 : index
    %b = arith.addi %a, %c1 : index
    %v = memref.load %x[%a] : memref<15xf32>
    memref.store %v, %y[%a] : memref<15xf32>
    %inside = arith.cmpi ult, %b, %c15 : index
    scf.if %inside {
      memref.store %v, %y[%b] : memref<15xf32>
    }
  }
  return
}
func.func private @kernel_1_relu_loop(%x: memref<15xf32>, %y: memref<15xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %x[%i] : memref<15xf32>
    %b = arith.maximumf %a, %zero : f32
    memref.store %b, %y[%i] : memref<15xf32>
  }
  return
}
// CHECK: func.func private @kernel_0_cells_relu_loop(
// CHECK: %[[V:.*]] = memref.load
// CHECK: %[[A:.*]] = arith.maximumf %[[V]]
// CHECK: memref.store %[[A]], %[[Y:.*]][%{{.*}}] : memref<15xf32>
// CHECK: scf.if
// CHECK: %[[B:.*]] = arith.maximumf %[[V]]
// CHECK: memref.store %[[B]], %[[Y]][%{{.*}}] : memref<15xf32>

// -----

// A sum that others read, too, is made by the reduction that reads it first, where that loads it first: a residual before a norm. The loads
// need not wait for the stores. Not where a message reads it before, nor by what is no reduction.
// CHECK-LABEL: func.func @residual(
// CHECK: %[[S:.*]] = memref.alloc() : memref<64x128xf32>
// CHECK: soap.parallel_call @kernel_0_add_rows_loop extent 2048 grain 1(%{{.*}}, %arg0, %arg1, %[[S]]) {soap.fused_slots = array<i64: 0>, soap.slot = 1 : i64}
// CHECK: soap.send_buffer %[[S]]
// CHECK-LABEL: func.func @sent(
// CHECK: soap.parallel_call @kernel_0_add_loop
// CHECK: soap.send
// CHECK: soap.parallel_call @kernel_1_rows_loop
// Where the buffer of the norm is one that the sum reads, or not all rows are read, as where two numbers have one row,
// the sum stays.
// CHECK-LABEL: func.func @over(
// CHECK: soap.parallel_call @kernel_0_add_loop
// CHECK: soap.parallel_call @kernel_1_rows_loop
// CHECK-LABEL: func.func @shared(
// CHECK: soap.parallel_call @kernel_0_add_loop
// CHECK: soap.parallel_call @kernel_2_halves_loop
func.func @residual(%x: memref<64x128xf32>, %z: memref<64x128xf32>) -> memref<64x128xf32> {
  %s = memref.alloc() : memref<64x128xf32>
  soap.parallel_call @kernel_0_add_loop extent 8192 grain 16(%x, %z, %s) {soap.slot = 0 : i64} : memref<64x128xf32>, memref<64x128xf32>, memref<64x128xf32>
  %y = memref.alloc() : memref<64x128xf32>
  soap.parallel_call @kernel_1_rows_loop extent 2048 grain 1(%s, %y) {soap.slot = 1 : i64} : memref<64x128xf32>, memref<64x128xf32>
  soap.send_buffer %s {soap.slot = 3 : i64} : memref<64x128xf32>
  return %y : memref<64x128xf32>
}
func.func @sent(%x: memref<64x128xf32>, %z: memref<64x128xf32>) -> memref<64x128xf32> {
  %s = memref.alloc() : memref<64x128xf32>
  soap.parallel_call @kernel_0_add_loop extent 8192 grain 16(%x, %z, %s) {soap.slot = 0 : i64} : memref<64x128xf32>, memref<64x128xf32>, memref<64x128xf32>
  soap.send_buffer %s {soap.slot = 3 : i64} : memref<64x128xf32>
  %y = memref.alloc() : memref<64x128xf32>
  soap.parallel_call @kernel_1_rows_loop extent 2048 grain 1(%s, %y) {soap.slot = 1 : i64} : memref<64x128xf32>, memref<64x128xf32>
  return %y : memref<64x128xf32>
}
func.func @over(%x: memref<64x128xf32>, %z: memref<64x128xf32>) {
  %s = memref.alloc() : memref<64x128xf32>
  soap.parallel_call @kernel_0_add_loop extent 8192 grain 16(%x, %z, %s) {soap.slot = 0 : i64} : memref<64x128xf32>, memref<64x128xf32>, memref<64x128xf32>
  soap.parallel_call @kernel_1_rows_loop extent 2048 grain 1(%s, %z) {soap.slot = 1 : i64} : memref<64x128xf32>, memref<64x128xf32>
  soap.send_buffer %s {soap.slot = 3 : i64} : memref<64x128xf32>
  return
}
func.func @shared(%x: memref<64x128xf32>, %z: memref<64x128xf32>) -> memref<64x128xf32> {
  %s = memref.alloc() : memref<64x128xf32>
  soap.parallel_call @kernel_0_add_loop extent 8192 grain 16(%x, %z, %s) {soap.slot = 0 : i64} : memref<64x128xf32>, memref<64x128xf32>, memref<64x128xf32>
  %y = memref.alloc() : memref<64x128xf32>
  soap.parallel_call @kernel_2_halves_loop extent 2048 grain 1(%s, %y) {soap.slot = 1 : i64} : memref<64x128xf32>, memref<64x128xf32>
  soap.send_buffer %s {soap.slot = 3 : i64} : memref<64x128xf32>
  return %y : memref<64x128xf32>
}
// CHECK: func.func private @kernel_0_add_rows_loop(%[[OUT:.*]]: memref<64x128xf32>, %[[X:.*]]: memref<64x128xf32> {llvm.noalias}, %[[Z:.*]]: memref<64x128xf32> {llvm.noalias}, %[[KEPT:.*]]: memref<64x128xf32> {llvm.noalias}, %{{.*}}: index, %{{.*}}: index) attributes {soap.lanes}
// CHECK: scf.for {{.*}} iter_args
// CHECK: memref.load %[[X]]
// CHECK: memref.load %[[Z]]
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: memref.store %[[SUM]], %[[KEPT]]
// CHECK: scf.yield
// CHECK: scf.for
// CHECK-COUNT-2: memref.load
// CHECK: %[[AGAIN:.*]] = arith.addf
// CHECK: memref.store %{{.*}}, %[[OUT]]
// CHECK-NOT: memref.store
// CHECK: return
func.func private @kernel_0_add_loop(%x: memref<64x128xf32>, %z: memref<64x128xf32>, %y: memref<64x128xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %begin to %end step %c1 {
    %row = arith.divui %i, %c128 : index
    %j = arith.remui %i, %c128 : index
    %a = memref.load %x[%row, %j] : memref<64x128xf32>
    %b = memref.load %z[%row, %j] : memref<64x128xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %y[%row, %j] : memref<64x128xf32>
  }
  return
}
func.func private @kernel_1_rows_loop(%x: memref<64x128xf32>, %y: memref<64x128xf32>, %begin: index, %end: index) attributes {soap.lanes} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %lane = arith.remui %i, %c32 : index
    %row = arith.divui %i, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    scf.if %first {
      %sum = scf.for %j = %c0 to %c128 step %c1 iter_args(%acc = %zero) -> (f32) {
        %a = memref.load %x[%row, %j] : memref<64x128xf32>
        %b = arith.addf %acc, %a : f32
        scf.yield %b : f32
      }
      scf.for %j = %c0 to %c128 step %c1 {
        %a = memref.load %x[%row, %j] : memref<64x128xf32>
        %b = arith.subf %a, %sum : f32
        memref.store %b, %y[%row, %j] : memref<64x128xf32>
      }
    } {soap.lanes}
  }
  return
}
func.func private @kernel_2_halves_loop(%x: memref<64x128xf32>, %y: memref<64x128xf32>, %begin: index, %end: index) attributes {soap.lanes} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %lane = arith.remui %i, %c32 : index
    %number = arith.divui %i, %c32 : index
    %row = arith.divui %number, %c2 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    scf.if %first {
      %sum = scf.for %j = %c0 to %c128 step %c1 iter_args(%acc = %zero) -> (f32) {
        %a = memref.load %x[%row, %j] : memref<64x128xf32>
        %b = arith.addf %acc, %a : f32
        scf.yield %b : f32
      }
      scf.for %j = %c0 to %c128 step %c1 {
        %a = memref.load %x[%row, %j] : memref<64x128xf32>
        %b = arith.subf %a, %sum : f32
        memref.store %b, %y[%number, %j] : memref<64x128xf32>
      }
    } {soap.lanes}
  }
  return
}

// -----

// A rounding of a step of a sequence, which the step's launch writes in its place.
// CHECK-LABEL: func.func @sequence(
// CHECK-DAG: %[[FIRST:.*]] = memref.view %{{.*}}[%c0{{.*}}][] : memref<1024xi8> to memref<128xf32>
// CHECK-DAG: %[[SECOND:.*]] = memref.view %{{.*}}[%c512{{.*}}][] : memref<1024xi8> to memref<128xf32>
// CHECK: soap.parallel_call @kernel_0_step_cast_loop extent 128 grain 16(%arg0, %[[FIRST]], %arg1)
// CHECK-NEXT: soap.parallel_call @kernel_0_step_cast_loop extent 128 grain 16(%arg0, %[[SECOND]], %arg2)
// CHECK-NEXT: soap.parallel_call @kernel_2_read_loop
// CHECK-NEXT: return
// The second one's bytes are a part of the other's.
// CHECK-LABEL: func.func @overlapping(
// CHECK: soap.parallel_call @kernel_0_step_loop
// CHECK: soap.parallel_call @kernel_0_step_loop
// CHECK: soap.parallel_call @kernel_1_cast_loop
func.func @sequence(%x: memref<128xf32>, %a: memref<128xbf16>, %b: memref<128xbf16>, %y: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %all = memref.alloc() : memref<1024xi8>
  %first = memref.view %all[%c0][] : memref<1024xi8> to memref<128xf32>
  %second = memref.view %all[%c512][] : memref<1024xi8> to memref<128xf32>
  %whole = memref.view %all[%c0][] : memref<1024xi8> to memref<256xf32>
  soap.parallel_call @kernel_0_step_loop extent 128 grain 16(%x, %first) : memref<128xf32>, memref<128xf32>
  soap.parallel_call @kernel_1_cast_loop extent 128 grain 16(%first, %a) : memref<128xf32>, memref<128xbf16>
  soap.parallel_call @kernel_0_step_loop extent 128 grain 16(%x, %second) : memref<128xf32>, memref<128xf32>
  soap.parallel_call @kernel_1_cast_loop extent 128 grain 16(%second, %b) : memref<128xf32>, memref<128xbf16>
  soap.parallel_call @kernel_2_read_loop extent 256 grain 16(%whole, %y) : memref<256xf32>, memref<256xf32>
  return
}
func.func @overlapping(%x: memref<128xf32>, %a: memref<128xbf16>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %all = memref.alloc() : memref<1024xi8>
  %first = memref.view %all[%c0][] : memref<1024xi8> to memref<128xf32>
  %second = memref.view %all[%c256][] : memref<1024xi8> to memref<128xf32>
  soap.parallel_call @kernel_0_step_loop extent 128 grain 16(%x, %first) : memref<128xf32>, memref<128xf32>
  soap.parallel_call @kernel_0_step_loop extent 128 grain 16(%x, %second) : memref<128xf32>, memref<128xf32>
  soap.parallel_call @kernel_1_cast_loop extent 128 grain 16(%first, %a) : memref<128xf32>, memref<128xbf16>
  return
}
func.func private @kernel_0_step_loop(%x: memref<128xf32>, %y: memref<128xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %x[%i] : memref<128xf32>
    %b = arith.negf %a : f32
    memref.store %b, %y[%i] : memref<128xf32>
  }
  return
}
func.func private @kernel_1_cast_loop(%x: memref<128xf32>, %y: memref<128xbf16>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %a = memref.load %x[%i] : memref<128xf32>
    %b = arith.truncf %a : f32 to bf16
    memref.store %b, %y[%i] : memref<128xbf16>
  }
  return
}
func.func private @kernel_2_read_loop(%x: memref<256xf32>, %y: memref<256xf32>, %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %a = scf.for %j = %c0 to %i step %c1 iter_args(%acc = %zero) -> (f32) {
      %b = memref.load %x[%j] : memref<256xf32>
      %c = arith.addf %acc, %b : f32
      scf.yield %c : f32
    }
    memref.store %a, %y[%i] : memref<256xf32>
  }
  return
}
