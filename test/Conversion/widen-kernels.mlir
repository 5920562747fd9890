// Where an iteration loads, computes and stores the element of its number, it does four; LLVM joins their accesses.
// RUN: soap-opt %s --soap-widen-kernels=min-extent=64 | FileCheck %s
// RUN: soap-opt %s --soap-widen-kernels | FileCheck %s --check-prefix=FEW
// RUN: not soap-opt %s --soap-widen-kernels=min-extent=2 2>&1 | FileCheck %s --check-prefix=EXTENT
// EXTENT: error: expected min-extent of at least 4, got 2
// FEW-NOT: _by_4

// CHECK-LABEL: func.func @program
// CHECK: soap.parallel_call @scale_by_4 extent 128 grain 4(%{{.*}}, %arg1)
// The second buffer begins at 8 bytes.
// CHECK: soap.parallel_call @scale extent 512 grain 16(
// Positions of a bias are digits of the iteration's number, of which its own position consists.
// CHECK: soap.parallel_call @bias_by_4 extent 128 grain 1(
// Neighbours, other numbers of elements, and other elements of what is written are not its own.
// CHECK: soap.parallel_call @shift extent 512 grain 16(
// CHECK: soap.parallel_call @scale_part extent 66 grain 16(
// CHECK: soap.parallel_call @transpose extent 512 grain 16(
// Two launches in one, each of a multiple of four; a constant, of which all read the same, need not be aligned.
// CHECK: soap.parallel_call @two_by_4 extent 144 grain 1(
// Loops and branches that only the position decides are joined, too, and so are branches that four neighbours take alike;
// others are not, nor products that sums may take up.
// CHECK: soap.parallel_call @window_by_4 extent 128 grain 1(
// CHECK: soap.parallel_call @part_by_4 extent 128 grain 1(
// CHECK: soap.parallel_call @branch extent 512 grain 1(
// CHECK: soap.parallel_call @product extent 512 grain 1(
// What reads along one dim and writes along another has tiles.
// CHECK: soap.parallel_call @tile_by_4 extent 128 grain 4(
// One of two is not a multiple of four.
// CHECK: soap.parallel_call @odd extent 514 grain 1(
memref.global "private" constant @one : memref<f32> = dense<1.0>
func.func @program(%arena: memref<8192xi8>, %y: memref<512xf32>, %b: memref<4xf32>, %i: memref<2x4x64xf32>, %s: memref<66xf32>, %s64: memref<64xf32>, %s2: memref<2xf32>, %t: memref<2x16x16xf32>) attributes {soap.arena_bytes = 8192 : i64} {
  %c64 = arith.constant 64 : index
  %c8 = arith.constant 8 : index
  %x = memref.view %arena[%c64][] : memref<8192xi8> to memref<512xf32>
  %z = memref.view %arena[%c8][] : memref<8192xi8> to memref<512xf32>
  soap.parallel_call @scale extent 512 grain 16(%x, %y) : memref<512xf32>, memref<512xf32>
  soap.parallel_call @scale extent 512 grain 16(%z, %y) : memref<512xf32>, memref<512xf32>
  soap.parallel_call @bias extent 512 grain 1(%i, %b) : memref<2x4x64xf32>, memref<4xf32>
  soap.parallel_call @shift extent 512 grain 16(%x, %y) : memref<512xf32>, memref<512xf32>
  soap.parallel_call @scale_part extent 66 grain 16(%s) : memref<66xf32>
  soap.parallel_call @transpose extent 512 grain 16(%x, %i) : memref<512xf32>, memref<2x4x64xf32>
  %one = memref.get_global @one : memref<f32>
  soap.parallel_call @two extent 576 grain 1(%x, %y, %s64, %one) : memref<512xf32>, memref<512xf32>, memref<64xf32>, memref<f32>
  soap.parallel_call @window extent 512 grain 1(%i, %y) : memref<2x4x64xf32>, memref<512xf32>
  soap.parallel_call @part extent 512 grain 1(%i, %y) : memref<2x4x64xf32>, memref<512xf32>
  soap.parallel_call @branch extent 512 grain 1(%i, %y) : memref<2x4x64xf32>, memref<512xf32>
  soap.parallel_call @product extent 512 grain 1(%i, %b) : memref<2x4x64xf32>, memref<4xf32>
  soap.parallel_call @tile extent 512 grain 16(%x, %t) : memref<512xf32>, memref<2x16x16xf32>
  soap.parallel_call @odd extent 514 grain 1(%y, %s2) : memref<512xf32>, memref<2xf32>
  return
}

func.func private @scale(%x: memref<512xf32>, %y: memref<512xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %x[%i] : memref<512xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %y[%i] : memref<512xf32>
  }
  return
}
func.func private @bias(%x: memref<2x4x64xf32>, %b: memref<4xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %begin to %end step %c1 {
    %p = arith.remui %i, %c64 : index
    %r = arith.divui %i, %c64 : index
    %c = arith.remui %r, %c4 : index
    %n = arith.divui %r, %c4 : index
    %v = memref.load %x[%n, %c, %p] : memref<2x4x64xf32>
    %a = memref.load %b[%c] : memref<4xf32>
    %w = arith.addf %v, %a : f32
    memref.store %w, %x[%n, %c, %p] : memref<2x4x64xf32>
  }
  return
}
func.func private @shift(%x: memref<512xf32>, %y: memref<512xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %j = arith.xori %i, %c1 : index
    %v = memref.load %x[%i] : memref<512xf32>
    memref.store %v, %y[%j] : memref<512xf32>
  }
  return
}
func.func private @scale_part(%x: memref<66xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %x[%i] : memref<66xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %x[%i] : memref<66xf32>
  }
  return
}
func.func private @transpose(%x: memref<512xf32>, %y: memref<2x4x64xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %begin to %end step %c1 {
    %c = arith.remui %i, %c4 : index
    %r = arith.divui %i, %c4 : index
    %p = arith.remui %r, %c64 : index
    %n = arith.divui %r, %c64 : index
    %v = memref.load %x[%i] : memref<512xf32>
    memref.store %v, %y[%n, %c, %p] : memref<2x4x64xf32>
  }
  return
}

// CHECK-LABEL: func.func private @scale_by_4(
// CHECK-SAME: %[[X:.*]]: memref<512xf32> {llvm.align = 16 : i64}, %[[Y:.*]]: memref<512xf32> {llvm.align = 16 : i64}, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK: scf.for %[[Q:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[I0:.*]] = arith.muli %[[Q]], %{{.*}} overflow<nsw, nuw>
// CHECK: %[[I1:.*]] = arith.addi %[[I0]], %{{.*}} overflow<nsw, nuw>
// CHECK: memref.load %[[X]][%[[I0]]]
// CHECK-NEXT: memref.load %[[X]][%[[I1]]]
// CHECK-NEXT: memref.load %[[X]]
// CHECK-NEXT: memref.load %[[X]]
// CHECK-COUNT-4: arith.addf
// CHECK: memref.store %{{.*}}, %[[Y]][%[[I0]]]
// CHECK-NEXT: memref.store %{{.*}}, %[[Y]][%[[I1]]]
// CHECK-LABEL: func.func private @bias_by_4(
// Four that differ in their last digit: the others are computed once, and the bias is loaded once.
// CHECK: scf.for %[[Q:.*]] = %
// CHECK: %[[P:.*]] = arith.remui %[[Q]], %c16
// CHECK: %[[P0:.*]] = arith.muli %[[P]], %{{.*}} overflow<nsw, nuw>
// CHECK: %[[P1:.*]] = arith.addi %[[P0]], %{{.*}} overflow<nsw, nuw>
// CHECK: memref.load %{{.*}}[%[[N:.*]], %[[C:.*]], %[[P0]]] : memref<2x4x64xf32>
// CHECK-NEXT: memref.load %{{.*}}[%[[N]], %[[C]], %[[P1]]]
// CHECK-COUNT-2: memref.load %{{.*}} : memref<2x4x64xf32>
// CHECK: memref.load %{{.*}}[%[[C]]] : memref<4xf32>
// CHECK-NOT: memref<4xf32>
// CHECK-COUNT-4: arith.addf
// CHECK: memref.store %{{.*}}[%[[N]], %[[C]], %[[P0]]] : memref<2x4x64xf32>
// CHECK-NEXT: memref.store %{{.*}}[%[[N]], %[[C]], %[[P1]]]

func.func private @two(%x: memref<512xf32>, %y: memref<512xf32>, %z: memref<64xf32>, %one: memref<f32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %c512 = arith.constant 512 : index
    %first = arith.cmpi ult, %i, %c512 : index
    scf.if %first {
      %v = memref.load %x[%i] : memref<512xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %y[%i] : memref<512xf32>
    } else {
      %begin2 = arith.constant 512 : index
      %j = arith.subi %i, %begin2 : index
      %v = memref.load %z[%j] : memref<64xf32>
      %a = memref.load %one[] : memref<f32>
      %w = arith.mulf %v, %a : f32
      memref.store %w, %z[%j] : memref<64xf32>
    }
  }
  return
}
func.func private @odd(%y: memref<512xf32>, %z: memref<2xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %c512 = arith.constant 512 : index
    %first = arith.cmpi ult, %i, %c512 : index
    scf.if %first {
      %v = memref.load %y[%i] : memref<512xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %y[%i] : memref<512xf32>
    } else {
      %begin2 = arith.constant 512 : index
      %j = arith.subi %i, %begin2 : index
      %v = memref.load %z[%j] : memref<2xf32>
      %w = arith.mulf %v, %v : f32
      memref.store %w, %z[%j] : memref<2xf32>
    }
  }
  return
}
// CHECK-LABEL: func.func private @two_by_4(
// CHECK-SAME: %[[X:.*]]: memref<512xf32> {llvm.align = 16 : i64}, %[[Y:.*]]: memref<512xf32> {llvm.align = 16 : i64}, %[[Z:.*]]: memref<64xf32> {llvm.align = 16 : i64}, %[[ONE:.*]]: memref<f32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK: scf.for %[[Q:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[Q]], %c128
// CHECK: scf.if %[[FIRST]]
// CHECK: %[[I0:.*]] = arith.muli %[[Q]], %{{.*}} overflow<nsw, nuw>
// CHECK-COUNT-4: memref.load %[[X]]
// CHECK-COUNT-4: arith.addf
// CHECK-COUNT-4: memref.store %{{.*}}, %[[Y]]
// CHECK: } else {
// CHECK: %[[R:.*]] = arith.subi %[[Q]], %{{.*}} : index
// CHECK: %[[J0:.*]] = arith.muli %[[R]], %{{.*}} overflow<nsw, nuw>
// CHECK: memref.load %[[Z]][%[[J0]]]
// CHECK-COUNT-3: memref.load %[[Z]]
// CHECK-COUNT-4: memref.load %[[ONE]][]
// CHECK: memref.store %{{.*}}, %[[Z]][%[[J0]]]

func.func private @window(%x: memref<2x4x64xf32>, %y: memref<512xf32>, %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %p = arith.remui %i, %c64 : index
    %r = arith.divui %i, %c64 : index
    %c = arith.remui %r, %c4 : index
    %n = arith.divui %r, %c4 : index
    %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (f32) {
      %at = arith.addi %c, %k : index
      %inside = arith.cmpi ult, %at, %c4 : index
      %v = scf.if %inside -> (f32) {
        %e = memref.load %x[%n, %at, %p] : memref<2x4x64xf32>
        scf.yield %e : f32
      } else {
        scf.yield %zero : f32
      }
      %next = arith.addf %acc, %v : f32
      scf.yield %next : f32
    }
    %q = arith.muli %r, %c64 : index
    %place = arith.addi %q, %p : index
    memref.store %sum, %y[%place] : memref<512xf32>
  }
  return
}
// CHECK-LABEL: func.func private @window_by_4(
// CHECK-SAME: {llvm.align = 16 : i64}, %{{.*}}: memref<512xf32> {llvm.align = 16 : i64}
// CHECK: scf.for %{{.*}} = %{{.*}} iter_args(%[[A0:.*]] = %{{.*}}, %[[A1:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32, f32, f32)
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: %[[V:.*]]:4 = scf.if %[[INSIDE]] -> (f32, f32, f32, f32)
// CHECK-COUNT-4: memref.load
// CHECK: arith.addf %[[A0]], %[[V]]#0
// CHECK: arith.addf %[[A1]], %[[V]]#1
// CHECK-COUNT-4: memref.store
func.func private @part(%x: memref<2x4x64xf32>, %y: memref<512xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %p = arith.remui %i, %c64 : index
    %r = arith.divui %i, %c64 : index
    %c = arith.remui %r, %c4 : index
    %n = arith.divui %r, %c4 : index
    %at = arith.subi %p, %c32 : index
    %inside = arith.cmpi sge, %at, %c8 : index
    %v = scf.if %inside -> (f32) {
      %e = memref.load %x[%n, %c, %at] : memref<2x4x64xf32>
      scf.yield %e : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %v, %y[%i] : memref<512xf32>
  }
  return
}
// CHECK-LABEL: func.func private @part_by_4(
// CHECK: %[[FOURS:.*]] = arith.remui
// CHECK: %[[AT:.*]] = arith.subi %[[FIRST:.*]], %c32
// CHECK: %[[INSIDE:.*]] = arith.cmpi sge, %[[AT]], %c8
// CHECK-NOT: arith.cmpi
// CHECK: %[[V:.*]]:4 = scf.if %[[INSIDE]] -> (f32, f32, f32, f32)
// CHECK-COUNT-4: memref.load
// CHECK-COUNT-4: memref.store
func.func private @branch(%x: memref<2x4x64xf32>, %y: memref<512xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %p = arith.remui %i, %c64 : index
    %r = arith.divui %i, %c64 : index
    %c = arith.remui %r, %c4 : index
    %n = arith.divui %r, %c4 : index
    %inside = arith.cmpi ult, %p, %c6 : index
    %v = scf.if %inside -> (f32) {
      %e = memref.load %x[%n, %c, %p] : memref<2x4x64xf32>
      scf.yield %e : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %v, %y[%i] : memref<512xf32>
  }
  return
}
func.func private @product(%x: memref<2x4x64xf32>, %b: memref<4xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %begin to %end step %c1 {
    %p = arith.remui %i, %c64 : index
    %r = arith.divui %i, %c64 : index
    %c = arith.remui %r, %c4 : index
    %n = arith.divui %r, %c4 : index
    %a = memref.load %b[%c] : memref<4xf32>
    %square = arith.mulf %a, %a fastmath<contract> : f32
    scf.for %k = %c1 to %c4 step %c1 {
      %v = memref.load %x[%n, %c, %p] : memref<2x4x64xf32>
      %w = arith.addf %v, %square fastmath<contract> : f32
      memref.store %w, %x[%n, %c, %p] : memref<2x4x64xf32>
    }
  }
  return
}
func.func private @tile(%x: memref<512xf32>, %y: memref<2x16x16xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %begin to %end step %c1 {
    %c = arith.remui %i, %c16 : index
    %r = arith.divui %i, %c16 : index
    %p = arith.remui %r, %c16 : index
    %n = arith.divui %r, %c16 : index
    %v = memref.load %x[%i] : memref<512xf32>
    memref.store %v, %y[%n, %c, %p] : memref<2x16x16xf32>
  }
  return
}
// Eight threads along the one, four fours along the other.
// CHECK-LABEL: func.func private @tile_by_4(
// CHECK: scf.for %[[Q:.*]] = %
// CHECK: %[[T:.*]] = arith.remui %[[Q]], %c8
// CHECK: %[[REST:.*]] = arith.divui %[[Q]], %c8
// CHECK: arith.remui %[[REST]], %c4
// CHECK: %[[C:.*]] = arith.remui %[[I0:.*]], %c16
// CHECK-NOT: arith.remui %{{.*}}, %c16{{(_[0-9]+)?}} : index
// CHECK: %[[R0:.*]] = arith.divui %[[I0]], %c16
// CHECK: %[[P0:.*]] = arith.remui %[[R0]], %c16
// CHECK: memref.load %{{.*}}[%[[I0]]] : memref<512xf32>
// CHECK-COUNT-3: memref.load %{{.*}} : memref<512xf32>
// CHECK: memref.store %{{.*}}[%[[N:.*]], %[[C]], %[[P0]]]
// CHECK-COUNT-3: memref.store %{{.*}}[%[[N]], %[[C]], %
