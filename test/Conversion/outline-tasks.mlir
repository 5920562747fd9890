// Tasks that repeat are a function; a row has what is not the same at every call.
// RUN: soap-opt %s --soap-programs-to-llvm=outline-tasks=1 | FileCheck %s
// RUN: soap-opt %s --soap-programs-to-llvm=outline-tasks=0 | FileCheck %s --check-prefix=PLAIN
// By default a call must save more than 16 tasks.
// RUN: soap-opt %s --soap-programs-to-llvm | FileCheck %s --check-prefix=PLAIN
// RUN: not soap-opt %s --soap-programs-to-llvm=outline-tasks=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// NEGATIVE: error: soap-programs-to-llvm: expected outline-tasks of at least 0, got -1

// First slots are 0, 2, 5, first places 0, 128, 512. Other slots and places are at the same distances from these.
// CHECK-DAG: llvm.mlir.global private constant @[[$R0:.*]](dense<0> : tensor<2xi64>)
// CHECK-DAG: llvm.mlir.global private constant @[[$R1:.*]](dense<[2, 128]> : tensor<2xi64>)
// CHECK-DAG: llvm.mlir.global private constant @[[$R2:.*]](dense<[5, 512]> : tensor<2xi64>)

// The interface does not say how the program is written: 7 slots, a buffer, 3 messages.
// CHECK-DAG: llvm.mlir.global external constant @soap_interface_step__0(dense<[15, 1024, 7, 1, 64, 0, 3, 1, 0, 64, 3, 0, 64, 6, 0, 64]>
// PLAIN: llvm.mlir.global external constant @soap_interface_step__0(dense<[15, 1024, 7, 1, 64, 0, 3, 1, 0, 64, 3, 0, 64, 6, 0, 64]>

// CHECK-LABEL: llvm.func @step__0(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[ARGS:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr)
// CHECK: %[[ROW0:.*]] = llvm.mlir.addressof @[[$R0]] : !llvm.ptr
// CHECK-NEXT: llvm.call @tasks(%[[CTX]], %[[ARGS]], %[[ARENA]], %[[ROW0]])
// CHECK-NEXT: %[[ROW1:.*]] = llvm.mlir.addressof @[[$R1]] : !llvm.ptr
// CHECK-NEXT: llvm.call @tasks(%[[CTX]], %[[ARGS]], %[[ARENA]], %[[ROW1]])
// CHECK: llvm.call @soap_rt_task_begin(%[[CTX]], %{{.*}})
// CHECK: llvm.call @copy(
// CHECK: llvm.call @soap_rt_task_end(
// CHECK: %[[ROW2:.*]] = llvm.mlir.addressof @[[$R2]] : !llvm.ptr
// CHECK-NEXT: llvm.call @tasks(%[[CTX]], %[[ARGS]], %[[ARENA]], %[[ROW2]])
// CHECK-NEXT: llvm.return

// CHECK-LABEL: llvm.func internal @tasks(
// CHECK-SAME: %[[C:.*]]: !llvm.ptr, %[[B:.*]]: !llvm.ptr, %[[A:.*]]: !llvm.ptr, %[[ROW:.*]]: !llvm.ptr) attributes {passthrough = ["noinline", "optnone"]}
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(64 : i64)
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK: %[[P0:.*]] = llvm.getelementptr %[[ROW]][0] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK: %[[SLOT:.*]] = llvm.load %[[P0]] : !llvm.ptr -> i64
// CHECK: llvm.call @soap_rt_task_begin(%[[C]], %[[SLOT]])
// CHECK: %[[PX:.*]] = llvm.getelementptr %[[B]][0]
// CHECK: %[[X:.*]] = llvm.load %[[PX]]
// CHECK: %[[P1:.*]] = llvm.getelementptr %[[ROW]][1]
// CHECK: %[[PLACE:.*]] = llvm.load %[[P1]] : !llvm.ptr -> i64
// CHECK: %[[T:.*]] = llvm.getelementptr %[[A]][%[[PLACE]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK: llvm.call @copy(%[[X]], %[[T]])
// CHECK: llvm.call @soap_rt_task_end(%[[C]], %[[SLOT]])
// CHECK: %[[NEXT:.*]] = llvm.add %[[SLOT]], %[[ONE]]
// CHECK: llvm.call @soap_rt_task_begin(%[[C]], %[[NEXT]])
// CHECK: %[[U:.*]] = llvm.getelementptr %[[T]][64] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: llvm.call @copy(%[[T]], %[[U]])
// CHECK: llvm.call @soap_rt_send(%[[C]], %[[NEXT]], %[[U]], %[[BYTES]])
// CHECK: llvm.call @soap_rt_task_end(%[[C]], %[[NEXT]])
// CHECK-NEXT: llvm.return

// PLAIN-NOT: @tasks
// PLAIN-LABEL: llvm.func @step__0(
// PLAIN-COUNT-7: llvm.call @copy(
// PLAIN-NOT: @tasks
module {
  func.func @step__0(%x: memref<4x4xf32>, %arena: memref<1024xi8>) attributes {soap.arena_bytes = 1024 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %c512 = arith.constant 512 : index
    %c576 = arith.constant 576 : index
    %t0 = memref.view %arena[%c0][] : memref<1024xi8> to memref<4x4xf32>
    %u0 = memref.view %arena[%c64][] : memref<1024xi8> to memref<4x4xf32>
    %t1 = memref.view %arena[%c128][] : memref<1024xi8> to memref<4x4xf32>
    %u1 = memref.view %arena[%c192][] : memref<1024xi8> to memref<4x4xf32>
    %t2 = memref.view %arena[%c512][] : memref<1024xi8> to memref<4x4xf32>
    %u2 = memref.view %arena[%c576][] : memref<1024xi8> to memref<4x4xf32>
    soap.kernel_call @copy ins(%x : memref<4x4xf32>) outs(%t0 : memref<4x4xf32>) {soap.slot = 0 : i64}
    soap.kernel_call @copy ins(%t0 : memref<4x4xf32>) outs(%u0 : memref<4x4xf32>) {soap.slot = 1 : i64}
    soap.send_buffer %u0 {soap.slot = 1 : i64} : memref<4x4xf32>
    soap.kernel_call @copy ins(%x : memref<4x4xf32>) outs(%t1 : memref<4x4xf32>) {soap.slot = 2 : i64}
    soap.kernel_call @copy ins(%t1 : memref<4x4xf32>) outs(%u1 : memref<4x4xf32>) {soap.slot = 3 : i64}
    soap.send_buffer %u1 {soap.slot = 3 : i64} : memref<4x4xf32>
    soap.kernel_call @copy ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>) {soap.slot = 4 : i64}
    soap.kernel_call @copy ins(%x : memref<4x4xf32>) outs(%t2 : memref<4x4xf32>) {soap.slot = 5 : i64}
    soap.kernel_call @copy ins(%t2 : memref<4x4xf32>) outs(%u2 : memref<4x4xf32>) {soap.slot = 6 : i64}
    soap.send_buffer %u2 {soap.slot = 6 : i64} : memref<4x4xf32>
    return
  }
  func.func private @copy(%a: memref<4x4xf32>, %b: memref<4x4xf32>) attributes {passthrough = ["noinline"]} {
    %c0 = arith.constant 0 : index
    %v = memref.load %a[%c0, %c0] : memref<4x4xf32>
    memref.store %v, %b[%c0, %c0] : memref<4x4xf32>
    return
  }
}
