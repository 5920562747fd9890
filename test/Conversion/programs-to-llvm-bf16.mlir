// Arithmetic in bf16 is computed in f32 and rounded after each op: no call of compiler-rt where the processor has none.
// RUN: soap-opt %s --soap-programs-to-llvm | FileCheck %s --implicit-check-not="sitofp{{.*}}bf16" --implicit-check-not="fptrunc" --implicit-check-not="{{(fadd|fmul|sqrt|exp|fpext).*}} bf16"
// RUN: soap-opt %s --soap-programs-to-llvm=approximate=false | FileCheck %s --check-prefix=EXACT

// CHECK-LABEL: llvm.func internal @kernel
// CHECK: llvm.fmul %{{.*}} : f32
// CHECK: llvm.lshr
// CHECK: llvm.shl
// CHECK: llvm.intr.sqrt(%{{.*}}) : (f32) -> f32
// CHECK: llvm.sitofp %{{.*}} : i32 to f32
// CHECK: llvm.shl
// CHECK: llvm.fadd %{{.*}} : f32
// CHECK: llvm.select %{{.*}} : i1, bf16
// CHECK: llvm.store %{{.*}} : i16
// EXACT: llvm.intr.exp(%{{.*}}) : (f32) -> f32
func.func private @kernel(%x: memref<4xbf16>, %n: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %number = memref.load %n[%c0] : memref<1xi32>
  scf.for %i = %c0 to %c4 step %c1 {
    %value = memref.load %x[%i] : memref<4xbf16>
    %square = arith.mulf %value, %value : bf16
    %root = math.sqrt %square : bf16
    %float = arith.sitofp %number : i32 to bf16
    %sum = arith.addf %root, %float : bf16
    %power = math.exp %sum : bf16
    %larger = arith.cmpf ogt, %power, %value : bf16
    %result = arith.select %larger, %power, %value : bf16
    memref.store %result, %x[%i] : memref<4xbf16>
  }
  return
}
