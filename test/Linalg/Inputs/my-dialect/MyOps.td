// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two ops that no other dialect has.

include "Soap/Dialect/Soap/KernelOpInterface.td"
include "Soap/Dialect/Soap/SoapInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def My_Dialect : Dialect {
  let name = "my";
  let cppNamespace = "::my";
}

class My_Op<string name> : Op<My_Dialect, name, [
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<IterationSpaceOpInterface>,
    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let results = (outs RankedTensorOf<[F32, F64]>:$result);
  let assemblyFormat = "operands attr-dict `:` type($result)";
}

def My_AxpyOp : My_Op<"axpy"> {
  let summary = "a * x + y";
  let arguments = (ins F64Attr:$a, RankedTensorOf<[F32, F64]>:$x, RankedTensorOf<[F32, F64]>:$y);
}

def My_CumsumOp : My_Op<"cumsum"> {
  let summary = "sums of rows so far: result[i, j] = x[i, 0] + ... + x[i, j]";
  let arguments = (ins RankedTensorOf<[F32, F64]>:$x);
}
