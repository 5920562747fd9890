// RUN: soap-opt %s --soap-finish-kernels --split-input-file --verify-diagnostics

func.func private @find(%x: memref<8xi32>, %y: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{in kernel 'find' has a result of type 'index', which another part of it uses: expected a number}}
  %at = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %c0) -> (index) {
    %v = memref.load %x[%i] : memref<8xi32>
    %n = arith.index_cast %v : i32 to index
    %b = arith.maxsi %a, %n : index
    scf.yield %b : index
  }
  soap.parallel_call @part extent 8 grain 1 (%y) : memref<8xi32>
  %v = memref.load %x[%at] : memref<8xi32>
  memref.store %v, %y[%c0] : memref<8xi32>
  return
}
func.func private @part(%y: memref<8xi32>, %begin: index, %end: index) {
  return
}
func.func @program(%x: memref<8xi32>, %y: memref<8xi32>) {
  soap.kernel_call @find ins(%x : memref<8xi32>) outs(%y : memref<8xi32>)
  return
}

// -----

// expected-error @+1 {{kernel 'far' is no function of one block}}
module {
func.func private @far(%y: memref<8xi32>)
func.func @program(%y: memref<8xi32>) {
  soap.kernel_call @far outs(%y : memref<8xi32>)
  return
}
}
