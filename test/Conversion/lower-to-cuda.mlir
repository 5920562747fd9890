// A program that launches kernels: handles with host references, streams, the image in the module, a manifest.
// RUN: soap-opt %s --soap-lower-to-cuda='chip=sm_80 format=isa' | FileCheck %s --check-prefixes=CHECK,TWIN
// RUN: soap-opt %s --soap-lower-to-cuda='chip=sm_80 format=isa host-references=false' | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: soap-opt %s --soap-lower-to-cuda='chip=sm_80 format=isa library=none' | FileCheck %s --check-prefix=KERNELS
// RUN: not soap-opt %s --soap-lower-to-cuda='chip=sm_13 format=isa' 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not soap-opt %s --soap-lower-to-cuda='format=elf' 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not soap-opt %s --soap-lower-to-cuda='format=isa library=mkl' 2>&1 | FileCheck %s --check-prefix=LIBRARY
// RUN: not soap-opt %s --soap-lower-to-cuda='format=isa streams=65' 2>&1 | FileCheck %s --check-prefix=STREAMS
// CHIP: error: unknown chip 'sm_13'
// FORMAT: error: unknown format 'elf': expected isa or bin
// LIBRARY: error: unknown library 'mkl': expected onednn, cuda or none
// RUN: soap-opt %s --soap-lower-to-cuda='chip=sm_80 format=isa precision=bf16 workspace=0' | FileCheck %s --check-prefix=BF16
// BF16: llvm.mlir.global {{.*}} constant @{{.*}}(dense<[1, 4, 8, 64, 0, 0, 2, 0, 0, 0]>
// BF16: cvt.rn.bf16.f32
// STREAMS: error: expected 1 to 64 streams, got 65

// CHECK: soap.gpu_target = {chip = "sm_80", format = "isa", host_references = {{true|false}}}
// CHECK-SAME: soap.manifest = "{{.*}}\22gpu\22:{\22chip\22:\22sm_80\22,\22format\22:\22isa\22,\22host_references\22:
// TWIN-SAME: true,\22kernels\22:[{\22name\22:\22kernel_0_tanh_loop\22,\22elements\22:[\22f32\22,\22f32\22],\22counts\22:[32,32]}
// GPU-SAME: false}
// CHECK: llvm.mlir.global private constant @kernel_0_tanh_loop_name("kernel_0_tanh_loop\00")
// CHECK: llvm.mlir.global internal constant @kernel_0_tanh_loop_handle()
// CHECK: llvm.mlir.addressof @kernel_0_tanh_loop_name
// TWIN: llvm.mlir.addressof @kernel_0_tanh_loop_range
// GPU: llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.return
// CHECK-DAG: llvm.mlir.global external constant @soap_gpu_image_bytes(
// CHECK-DAG: llvm.mlir.global external constant @soap_gpu_image("{{.*}}.target sm_80{{.*}}.entry kernel_0_tanh_loop

// CHECK-LABEL: llvm.func @f(
// CHECK: llvm.call @soap_rt_task_begin
// CHECK-COUNT-4: llvm.store
// CHECK: llvm.call @soap_rt_matmul(%arg0, %{{.*}}, %[[LIST:.*]]) :
// CHECK: %[[BUFFER:.*]] = llvm.getelementptr %[[LIST]][0]
// CHECK: llvm.store %{{.*}}, %[[BUFFER]]
// CHECK: %[[HANDLE:.*]] = llvm.mlir.addressof @kernel_0_tanh_loop_handle
// CHECK: llvm.call @soap_rt_launch(%arg0, %[[HANDLE]], %[[LIST]])
// TWIN: llvm.func internal @kernel_0_tanh_loop_range(
// GPU-NOT: llvm.func internal
// KERNELS-NOT: soap_rt_matmul
// KERNELS: @kernel_0_matmul_tanh_loop_name
// KERNELS: llvm.func @f(
// The product of the kernel ends in the tanh of its elements.
// KERNELS-COUNT-1: llvm.call @soap_rt_launch(
// KERNELS-NOT: llvm.call @soap_rt_launch(
func.func @f(%x: tensor<4x64xf32> {soap.kind = #soap.kind<data>, soap.name = "x"}, %w: tensor<64x8xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"})
    -> (tensor<4x8xf32> {soap.kind = #soap.kind<output>, soap.name = "y"}) {
  %p = soap.matmul %x, %w {soap.name = "product"} : (tensor<4x64xf32>, tensor<64x8xf32>) -> tensor<4x8xf32>
  %y = soap.tanh %p {soap.name = "tanh"} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
