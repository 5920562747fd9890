//===- SoapLoweringOps.td - Ops of outlined programs -------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device program consists of once `--soap-outline-kernels` has replaced
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
    The callee is a function on memrefs: inputs first, then outputs. `in_place`: outputs are read before they are written (updates of weights).
    `elementwise`: element i of an output depends only on the elements i of inputs of the same shape, so that both may share a buffer.

    ```mlir
    %y = soap.kernel_call @relu ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {elementwise} -> tensor<4xf32>
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
    Calls the callee, whose last two arguments are the begin and the end of a range, on ranges that cover `[0, extent)`. Ranges are multiples of `grain`
    long, but for the last one; their order does not matter, and they may run at the same time.

    ```mlir
    soap.parallel_call @kernel_0_relu_loop extent 4096 grain 16 (%x, %y) : memref<4096xf32>, memref<4096xf32>
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
    Calls `soap_rt_NAME` with the shape descriptor that `Soap/ABI/Runtime.h` says, the inputs, and the outputs, which are overwritten.

    ```mlir
    %y = soap.library_call "matmul_f32" [1, 4, 3, 5, 0, 1] ins(%a, %b : tensor<4x5xf32>, tensor<3x5xf32>)
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
  let summary = "sends a whole tile; peer and transfer are in the rank table";
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
  let summary = "receives a whole tile; peer and transfer are in the rank table";
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
  let summary = "an event that happens when a stream has done what came before";
  let description = [{
    ```mlir
    soap.record_event 3 on 0
    soap.wait_event 3 on 1
    ```
  }];
}

def Soap_WaitEventOp : Soap_EventOp<"wait_event"> {
  let summary = "what comes behind it on a stream runs after an event";
}

def Soap_BeginTransfersOp : Op<Soap_Dialect, "begin_transfers", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "sends and receives up to `soap.end_transfers` run together";
  let description = [{
    None of them waits for another one: a device may send to its peer what the peer only takes after it has sent something itself.

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
  let summary = "ends what `soap.begin_transfers` began";
  let assemblyFormat = "attr-dict";
}

#endif // SOAP_DIALECT_SOAPLOWERINGOPS_TD
