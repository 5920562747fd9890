// GPU kernels to PTX, with no CUDA toolkit in sight.
// DEFINE: %{none} = env CUDA_ROOT= CUDA_HOME= CUDA_PATH= PATH=
// RUN: %{none} soap-opt %s --soap-kernels-to-gpu --soap-lower-gpu-kernels='chip=sm_80 format=isa image=%t.ptx' | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: FileCheck %s --check-prefix=TABLE < %t.ptx.json
// A function without a polynomial is in CUDA's libdevice only.
// RUN: not %{none} soap-opt %s --soap-kernels-to-gpu --soap-lower-gpu-kernels='format=isa approximate=false image=%t.no' 2>&1 | FileCheck %s --check-prefix=UNRESOLVED
// RUN: test ! -e %t.no
// Bad options.
// RUN: not soap-opt %s --soap-lower-gpu-kernels=chip=sm_13 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not soap-opt %s --soap-lower-gpu-kernels=chip=generic 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not soap-opt %s --soap-lower-gpu-kernels=format=elf 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not soap-opt %s --soap-kernels-to-gpu --soap-lower-gpu-kernels='toolkit=/nowhere' 2>&1 | FileCheck %s --check-prefix=TOOLKIT
// RUN: not %{none} soap-opt %s --soap-kernels-to-gpu --soap-lower-gpu-kernels 2>&1 | FileCheck %s --check-prefix=PTXAS
// RUN: not soap-opt %s --soap-kernels-to-gpu --soap-lower-gpu-kernels='format=isa image=%t.d/e' 2>&1 | FileCheck %s --check-prefix=WRITE
// RUN: not soap-opt %s --soap-lower-gpu-kernels='format=isa image=%t.no' 2>&1 | FileCheck %s --check-prefix=EMPTY

// CHIP: error: unknown chip '{{sm_13|generic}}': expected one that LLVM and ptxas know
// FORMAT: error: unknown format 'elf': expected isa or bin
// TOOLKIT: error: no CUDA toolkit in '/nowhere': expected '/nowhere/nvvm/libdevice/libdevice.10.bc'
// PTXAS: error: found no CUDA toolkit: expected toolkit=PATH with bin/ptxas, or format=isa
// WRITE: error: cannot write '{{.*}}.d/e': No such file or directory
// EMPTY: error: no GPU kernels to write to '{{.*}}.no': expected --soap-kernels-to-gpu before
// UNRESOLVED: error: the image 'soap_kernels' calls '__nv_expf', which it does not hold: expected toolkit=PATH of a CUDA toolkit

// CHECK: soap.parallel_call @loop extent 512 grain 16(%arg0, %arg1) {soap.gpu_kernel = @soap_kernels::@loop}
// CHECK: gpu.binary @soap_kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_80">
// PTX: .target sm_80
// PTX-NOT: __nv_
// PTX: .visible .entry loop(
// PTX-NEXT: .param .u64
// PTX-NEXT: .param .u64
// PTX-NEXT: )
// PTX: ld.global
// PTX: st.global
// TABLE: "format": "isa"
// TABLE: "name": "loop"
// TABLE-NEXT: "extent": 512
// TABLE: "shape": [
// TABLE-NEXT: 8,
// TABLE-NEXT: 64
// TABLE-NEXT: ],
// TABLE-NEXT: "element": "f32"

func.func private @kernel(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  soap.parallel_call @loop extent 512 grain 16(%x, %y) : memref<8x64xf32>, memref<8x64xf32>
  return
}
func.func private @loop(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %a = memref.collapse_shape %x [[0, 1]] : memref<8x64xf32> into memref<512xf32>
  %b = memref.collapse_shape %y [[0, 1]] : memref<8x64xf32> into memref<512xf32>
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %a[%i] : memref<512xf32>
    %e = math.exp %v : f32
    %l = math.log1p %e : f32
    %m = math.expm1 %l : f32
    %t = math.atan2 %m, %v : f32
    %n = math.copysign %t, %v : f32
    %w = math.floor %n : f32
    %s = math.rsqrt %w : f32
    memref.store %s, %b[%i] : memref<512xf32>
  }
  return
}
func.func @f(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  soap.kernel_call @kernel ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>) {elementwise}
  return
}
