// Tasks that come round after round are a loop: a call, and a table with a row for each round.
// RUN: soap-opt %s --soap-programs-to-llvm=outline-tasks=1 | FileCheck %s
// RUN: soap-opt %s --soap-programs-to-llvm=outline-tasks=0 | FileCheck %s --check-prefix=PLAIN

// Slots and places of five rounds.
// CHECK: llvm.mlir.global private constant @[[$ROWS:.*]](dense<[0, 0, 2, 128, 4, 512, 6, 1152, 8, 2048]> : tensor<10xi64>)

// CHECK-LABEL: llvm.func @step__0(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[ARGS:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr)
// CHECK-DAG: %[[WIDTH:.*]] = llvm.mlir.constant(2 : i64)
// CHECK-DAG: %[[ROUNDS:.*]] = llvm.mlir.constant(5 : i64)
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: %[[ROWS:.*]] = llvm.mlir.addressof @[[$ROWS]] : !llvm.ptr
// CHECK-NEXT: llvm.br ^[[LOOP:.*]](%[[ZERO]] : i64)
// CHECK-NEXT: ^[[LOOP]](%[[ROUND:.*]]: i64):
// CHECK-NEXT: %[[AT:.*]] = llvm.mul %[[ROUND]], %[[WIDTH]] : i64
// CHECK-NEXT: %[[ROW:.*]] = llvm.getelementptr %[[ROWS]][%[[AT]]] : (!llvm.ptr, i64) -> !llvm.ptr, i64
// CHECK-NEXT: llvm.call @tasks(%[[CTX]], %[[ARGS]], %[[ARENA]], %[[ROW]])
// CHECK-NEXT: %[[NEXT:.*]] = llvm.add %[[ROUND]], %[[ONE]] : i64
// CHECK-NEXT: %[[MORE:.*]] = llvm.icmp "ult" %[[NEXT]], %[[ROUNDS]] : i64
// CHECK-NEXT: llvm.cond_br %[[MORE]], ^[[LOOP]](%[[NEXT]] : i64), ^[[END:.*]]
// CHECK-NEXT: ^[[END]]:
// CHECK-NEXT: llvm.call @soap_rt_task_begin
// CHECK-NOT: @tasks
// CHECK: llvm.return
// CHECK-LABEL: llvm.func internal @tasks(
// CHECK-COUNT-2: llvm.call @copy(

// PLAIN-LABEL: llvm.func @step__0(
// PLAIN-NOT: llvm.br
// PLAIN-COUNT-11: llvm.call @copy(
// PLAIN-NOT: @tasks
module {
  func.func @step__0(%x: memref<4x4xf32>, %arena: memref<4096xi8>) attributes {soap.arena_bytes = 4096 : i64} {
    %ot0 = arith.constant 0 : index
    %t0 = memref.view %arena[%ot0][] : memref<4096xi8> to memref<4x4xf32>
    %ou0 = arith.constant 64 : index
    %u0 = memref.view %arena[%ou0][] : memref<4096xi8> to memref<4x4xf32>
    %ot1 = arith.constant 128 : index
    %t1 = memref.view %arena[%ot1][] : memref<4096xi8> to memref<4x4xf32>
    %ou1 = arith.constant 192 : index
    %u1 = memref.view %arena[%ou1][] : memref<4096xi8> to memref<4x4xf32>
    %ot2 = arith.constant 512 : index
    %t2 = memref.view %arena[%ot2][] : memref<4096xi8> to memref<4x4xf32>
    %ou2 = arith.constant 576 : index
    %u2 = memref.view %arena[%ou2][] : memref<4096xi8> to memref<4x4xf32>
    %ot3 = arith.constant 1152 : index
    %t3 = memref.view %arena[%ot3][] : memref<4096xi8> to memref<4x4xf32>
    %ou3 = arith.constant 1216 : index
    %u3 = memref.view %arena[%ou3][] : memref<4096xi8> to memref<4x4xf32>
    %ot4 = arith.constant 2048 : index
    %t4 = memref.view %arena[%ot4][] : memref<4096xi8> to memref<4x4xf32>
    %ou4 = arith.constant 2112 : index
    %u4 = memref.view %arena[%ou4][] : memref<4096xi8> to memref<4x4xf32>
    soap.kernel_call @copy ins(%x : memref<4x4xf32>) outs(%t0 : memref<4x4xf32>) {soap.slot = 0 : i64}
    soap.kernel_call @copy ins(%t0 : memref<4x4xf32>) outs(%u0 : memref<4x4xf32>) {soap.slot = 1 : i64}
    soap.send_buffer %u0 {soap.slot = 1 : i64} : memref<4x4xf32>
    soap.kernel_call @copy ins(%x : memref<4x4xf32>) outs(%t1 : memref<4x4xf32>) {soap.slot = 2 : i64}
    soap.kernel_call @copy ins(%t1 : memref<4x4xf32>) outs(%u1 : memref<4x4xf32>) {soap.slot = 3 : i64}
    soap.send_buffer %u1 {soap.slot = 3 : i64} : memref<4x4xf32>
    soap.kernel_call @copy ins(%x : memref<4x4xf32>) outs(%t2 : memref<4x4xf32>) {soap.slot = 4 : i64}
    soap.kernel_call @copy ins(%t2 : memref<4x4xf32>) outs(%u2 : memref<4x4xf32>) {soap.slot = 5 : i64}
    soap.send_buffer %u2 {soap.slot = 5 : i64} : memref<4x4xf32>
    soap.kernel_call @copy ins(%x : memref<4x4xf32>) outs(%t3 : memref<4x4xf32>) {soap.slot = 6 : i64}
    soap.kernel_call @copy ins(%t3 : memref<4x4xf32>) outs(%u3 : memref<4x4xf32>) {soap.slot = 7 : i64}
    soap.send_buffer %u3 {soap.slot = 7 : i64} : memref<4x4xf32>
    soap.kernel_call @copy ins(%x : memref<4x4xf32>) outs(%t4 : memref<4x4xf32>) {soap.slot = 8 : i64}
    soap.kernel_call @copy ins(%t4 : memref<4x4xf32>) outs(%u4 : memref<4x4xf32>) {soap.slot = 9 : i64}
    soap.send_buffer %u4 {soap.slot = 9 : i64} : memref<4x4xf32>
    soap.kernel_call @copy ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>) {soap.slot = 10 : i64}
    return
  }
  func.func private @copy(%a: memref<4x4xf32>, %b: memref<4x4xf32>) attributes {passthrough = ["noinline"]} {
    %c0 = arith.constant 0 : index
    %v = memref.load %a[%c0, %c0] : memref<4x4xf32>
    memref.store %v, %b[%c0, %c0] : memref<4x4xf32>
    return
  }
}
