// Programs become calls with raw pointers, each task between its begin and end.
// RUN: soap-opt %s --soap-programs-to-llvm | FileCheck %s
// RUN: soap-opt %s --soap-programs-to-llvm=approximate=false | FileCheck %s --check-prefix=EXACT

// CHECK-DAG: llvm.func @soap_rt_send(!llvm.ptr, i64, !llvm.ptr, i64)
// CHECK-DAG: llvm.mlir.global private constant @[[$SHAPE:.*]](dense<[1, 4, 4, 4, 0, 0]> : tensor<6xi64>)
// CHECK-DAG: llvm.mlir.global private constant @table(dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>)

// CHECK-LABEL: llvm.func @step__0(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[ARGS:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr) attributes {passthrough = ["noinline", "optnone"]}
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i64)
// CHECK-DAG: %[[THREE:.*]] = llvm.mlir.constant(3 : i64)
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: llvm.call @soap_rt_task_begin(%[[CTX]], %[[ONE]])
// CHECK-DAG: %[[D:.*]] = llvm.mlir.addressof @[[$SHAPE]]
// CHECK-DAG: %[[PLACE:.*]] = llvm.getelementptr %[[ARGS]][0]
// CHECK-DAG: %[[X:.*]] = llvm.load %[[PLACE]]
// CHECK-DAG: %[[T:.*]] = llvm.getelementptr %[[ARENA]][128] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: llvm.call @soap_rt_matmul_f32(%[[CTX]], %[[D]], %[[X]], %[[X]], %[[T]])
// CHECK: llvm.call @soap_rt_task_end(%[[CTX]], %[[ONE]])
// The task that was fused into the next is over at once.
// CHECK-NEXT: llvm.call @soap_rt_task_begin(%[[CTX]], %[[TWO]])
// CHECK-NEXT: llvm.call @soap_rt_task_end(%[[CTX]], %[[TWO]])
// CHECK-NEXT: llvm.call @soap_rt_task_begin(%[[CTX]], %[[THREE]])
// CHECK-NEXT: llvm.call @kernel(%[[T]], %[[X]])
// CHECK-NEXT: llvm.call @soap_rt_task_end(%[[CTX]], %[[THREE]])
// CHECK: llvm.call @soap_rt_send(%[[CTX]], %{{.*}}, %[[X]], %[[BYTES]])
// CHECK: llvm.call @soap_rt_recv(%[[CTX]], %{{.*}}, %[[X]], %[[BYTES]])
// CHECK: %[[C:.*]] = llvm.mlir.addressof @table
// CHECK: "llvm.intr.memcpy"(%{{.*}}, %[[C]],
// CHECK: llvm.return

// A kernel has no descriptors, and calls no libm for exp.
// CHECK-LABEL: llvm.func internal @kernel(
// CHECK-SAME: %[[A:.*]]: !llvm.ptr, %[[B:.*]]: !llvm.ptr) attributes {passthrough = ["noinline"]}
// CHECK-NOT: llvm.insertvalue
// CHECK: %[[E:.*]] = llvm.getelementptr inbounds %[[A]][%{{.*}}]
// CHECK: llvm.load %[[E]]
// CHECK-NOT: llvm.intr.exp
// CHECK: llvm.store
// EXACT: llvm.intr.exp
module {
  func.func @step__0(%x: memref<4x4xf32>, %y: memref<4xf32>, %arena: memref<192xi8>) attributes {soap.arena_bytes = 192 : i64} {
    %c128 = arith.constant 128 : index
    %t = memref.view %arena[%c128][] : memref<192xi8> to memref<4x4xf32>
    soap.library_call "matmul_f32" [1, 4, 4, 4, 0, 0] ins(%x, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%t : memref<4x4xf32>) {soap.slot = 1 : i64}
    soap.kernel_call @kernel ins(%t : memref<4x4xf32>) outs(%x : memref<4x4xf32>) {soap.fused_slots = array<i64: 2>, soap.slot = 3 : i64}
    soap.send_buffer %x {soap.slot = 4 : i64} : memref<4x4xf32>
    soap.recv_buffer outs(%x : memref<4x4xf32>) {soap.slot = 5 : i64}
    %c = memref.get_global @table : memref<4xf32>
    memref.copy %c, %y : memref<4xf32> to memref<4xf32>
    return
  }
  func.func private @kernel(%a: memref<4x4xf32>, %b: memref<4x4xf32>) attributes {passthrough = ["noinline"]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %v = memref.load %a[%i, %i] : memref<4x4xf32>
      %e = math.exp %v : f32
      memref.store %e, %b[%i, %i] : memref<4x4xf32>
    }
    return
  }
  memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
}
