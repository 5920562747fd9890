//===- SoapLoweringOps.td - Ops of outlined programs -------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of a device program once `--soap-outline-kernels` has replaced its
// model ops: calls of generated kernels and of library functions, sends and
// receives. All are destination-style, on tensors before bufferization and on
// buffers after it, and have no iteration space.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAPLOWERINGOPS_TD
#define SOAP_DIALECT_SOAPLOWERINGOPS_TD

include "Soap/Dialect/Soap/SoapDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Results are the values of `outputs` after the op, tied in order; on buffers
/// there are none, and the op reads its inputs and writes its outputs.
class Soap_LoweringOp<string mnemonic, list<Trait> traits = []>
    : Op<Soap_Dialect, mnemonic,
         !listconcat([DestinationStyleOpInterface], traits)>;

class Soap_CallOp<string mnemonic, list<Trait> traits = []>
    : Soap_LoweringOp<mnemonic,
        !listconcat([AttrSizedOperandSegments,
                     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>],
                    traits)> {
  let results = (outs Variadic<AnyRankedTensor>:$values);
  code callDeclarations = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
  }];
  code callEffects = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance>
            &effects) {
      for (::mlir::OpOperand &operand : getInputsMutable())
        if (::llvm::isa<::mlir::BaseMemRefType>(operand.get().getType()))
          effects.emplace_back(::mlir::MemoryEffects::Read::get(), &operand,
                               ::mlir::SideEffects::DefaultResource::get());
      for (::mlir::OpOperand &operand : getOutputsMutable())
        if (::llvm::isa<::mlir::BaseMemRefType>(operand.get().getType())) {
          effects.emplace_back(::mlir::MemoryEffects::Read::get(), &operand,
                               ::mlir::SideEffects::DefaultResource::get());
          effects.emplace_back(::mlir::MemoryEffects::Write::get(), &operand,
                               ::mlir::SideEffects::DefaultResource::get());
        }
    }
  }];
}

def Soap_KernelCallOp : Soap_CallOp<"kernel_call", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls a generated kernel";
  let description = [{
    Calls a generated kernel: a function on memrefs, inputs first, then outputs.
    `in_place` says that outputs are read before they are written, as updates of
    weights are. `elementwise` says that element i of an output depends only on
    elements i of the inputs of the same shape, so that both may share a buffer.

    **Constraints**

    - The callee is a function with an argument for each operand.

    **Example**

    ```mlir
    %y = soap.kernel_call @relu ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
         {elementwise} -> tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyShaped>:$inputs,
                       Variadic<AnyShaped>:$outputs, UnitAttr:$in_place,
                       UnitAttr:$elementwise);
  let assemblyFormat = [{
    $callee (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` attr-dict
    (`->` type($values)^)?
  }];
  let extraClassDeclaration = callDeclarations;
  let extraClassDefinition = callEffects # [{
    ::llvm::LogicalResult $cppClass::verifySymbolUses(
        ::mlir::SymbolTableCollection &symbols) {
      ::mlir::Operation *kernel =
          symbols.lookupNearestSymbolFrom(*this, getCalleeAttr());
      auto function =
          ::llvm::dyn_cast_or_null<::mlir::FunctionOpInterface>(kernel);
      if (!function)
        return emitOpError() << "'" << getCallee()
                             << "' does not name a function";
      if (function.getNumArguments() != getNumOperands())
        return emitOpError()
               << "'" << getCallee() << "' takes " << function.getNumArguments()
               << " arguments, but there are " << getNumOperands()
               << " operands";
      return ::mlir::success();
    }
  }];
}

def Soap_ParallelCallOp : Op<Soap_Dialect, "parallel_call", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "runs a loop of a kernel on all threads of the device";
  let description = [{
    Runs a loop of a kernel on all threads of the device. The last two arguments
    of the callee are the begin and the end of a range; it is called on ranges
    that cover `[0, extent)`. Ranges have a multiple of `grain` iterations,
    except the last one. They may run in any order and at the same time.

    **Constraints**

    - The callee is a function with an argument for each buffer and two more.
    - `extent` is not negative, `grain` is at least 1.

    **Example**

    ```mlir
    soap.parallel_call @loop extent 4096 grain 16 (%x, %y)
        : memref<4096xf32>, memref<4096xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$extent,
                       ConfinedAttr<I64Attr, [IntPositive]>:$grain,
                       Variadic<AnyMemRef>:$buffers);
  let assemblyFormat = [{
    $callee `extent` $extent `grain` $grain `(` $buffers `)` attr-dict
    `:` type($buffers)
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verifySymbolUses(
        ::mlir::SymbolTableCollection &symbols) {
      auto function = ::llvm::dyn_cast_or_null<::mlir::FunctionOpInterface>(
          symbols.lookupNearestSymbolFrom(*this, getCalleeAttr()));
      if (!function)
        return emitOpError() << "'" << getCallee()
                             << "' does not name a function";
      if (function.getNumArguments() != getNumOperands() + 2)
        return emitOpError()
               << "'" << getCallee() << "' takes " << function.getNumArguments()
               << " arguments, expected " << getNumOperands()
               << " buffers and the two ends of a range";
      return ::mlir::success();
    }
  }];
}

def Soap_LibraryCallOp : Soap_CallOp<"library_call"> {
  let summary = "calls a function of the runtime's library";
  let description = [{
    Calls `soap_rt_NAME` of the runtime with the shape descriptor that
    `Soap/ABI/Runtime.h` describes, the inputs, and the outputs, which it
    overwrites.

    **Example**

    ```mlir
    %y = soap.library_call "matmul_f32" [1, 4, 3, 5, 0, 1]
         ins(%a, %b : tensor<4x5xf32>, tensor<3x5xf32>)
         outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, DenseI64ArrayAttr:$descriptor,
                       Variadic<AnyShaped>:$inputs,
                       Variadic<AnyShaped>:$outputs);
  let assemblyFormat = [{
    $name $descriptor (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` attr-dict
    (`->` type($values)^)?
  }];
  let extraClassDeclaration = callDeclarations;
  let extraClassDefinition = callEffects;
}

def Soap_SendBufferOp : Soap_LoweringOp<"send_buffer", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "sends a whole tile";
  let description = [{
    `soap.send` of a whole tile, after other ops have packed it.

    **Example**

    ```mlir
    soap.send_buffer %tile {soap.slot = 4 : i64} : memref<8xf32>
    ```
  }];
  let arguments = (ins AnyShaped:$tile);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(getOperation(), 0, 0);
    }
  }];
}

def Soap_RecvBufferOp : Soap_LoweringOp<"recv_buffer", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "receives a whole tile";
  let description = [{
    `soap.recv` into a buffer.

    **Example**

    ```mlir
    soap.recv_buffer outs(%tile : memref<8xf32>) {soap.slot = 5 : i64}
    ```
  }];
  let arguments = (ins AnyShaped:$output);
  let results = (outs Variadic<AnyRankedTensor>:$tile);
  let assemblyFormat = [{
    `outs` `(` $output `:` type($output) `)` attr-dict (`->` type($tile)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputMutable();
    }
  }];
}

//===----------------------------------------------------------------------===//
// Order of work on a device
//===----------------------------------------------------------------------===//

/// Ops of a program run on the stream that their attribute `soap.stream` says,
/// each stream in the order of the program.
class Soap_EventOp<string mnemonic> : Op<Soap_Dialect, mnemonic, [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$event,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$stream);
  let assemblyFormat = "$event `on` $stream attr-dict";
}

def Soap_RecordEventOp : Soap_EventOp<"record_event"> {
  let summary = "an event of a stream";
  let description = [{
    The event happens when the stream has done what comes before this op.

    **Constraints**

    - Event and stream are not negative.

    **Example**

    ```mlir
    soap.record_event 3 on 0
    ```
  }];
}

def Soap_WaitEventOp : Soap_EventOp<"wait_event"> {
  let summary = "makes a stream wait for an event";
  let description = [{
    What comes after this op on the stream runs after the event.

    **Constraints**

    - Event and stream are not negative.

    **Example**

    ```mlir
    soap.wait_event 3 on 1
    ```
  }];
}

def Soap_BeginTransfersOp : Op<Soap_Dialect, "begin_transfers", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "begins transfers that run together";
  let description = [{
    Sends and receives up to `soap.end_transfers` run together. None waits for
    another one: a device may send to a peer that takes the message only after
    it has sent one itself.

    **Example**

    ```mlir
    soap.begin_transfers
    soap.send_buffer %x {soap.slot = 4 : i64} : memref<8xf32>
    soap.recv_buffer outs(%y : memref<8xf32>) {soap.slot = 5 : i64}
    soap.end_transfers
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Soap_EndTransfersOp : Op<Soap_Dialect, "end_transfers", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "ends transfers that run together";
  let description = [{
    Waits for the transfers since `soap.begin_transfers`.

    **Example**

    ```mlir
    soap.begin_transfers
    soap.end_transfers
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // SOAP_DIALECT_SOAPLOWERINGOPS_TD
