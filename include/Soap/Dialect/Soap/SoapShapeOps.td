//===- SoapShapeOps.td - Ops that move elements ------------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshape, transpose, concat, slice, pad: all linear, they pass partial sums on. Constants, and buckets of gradients.
//
//===----------------------------------------------------------------------===//

def Soap_ReshapeOp : Soap_Op<"reshape", [SpaceInterface, Differentiable]> {
  let summary = "same elements in row-major order, other shape";
  let description = [{
    Loops are the common factors of both shapes, in row-major order, f0, f1, ...: 64x16x5x5 to 64x400 has f0=64, f1=16, f2=5, f3=5 with the second dim of the result 25*f1 + 5*f2 + f3.
    Dims that share no common refinement are merged into one serial loop over their least common block. The reshape of a shard is a reshape of its packed tile. Integers (labels) may be reshaped, too.
  }];
  let arguments = (ins Soap_Tile:$x);
  let results = (outs Soap_Tile:$y);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$x, "::llvm::ArrayRef<int64_t>":$shape)>];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}
def Soap_TransposeOp : Soap_Op<"transpose", [SpaceInterface, Differentiable, InferType]> {
  let summary = "permutes dims";
  let description = [{ Dim i of the result is dim `permutation[i]` of x. Loops d0, d1, ... are the dims of the result. }];
  let arguments = (ins Soap_Float:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs Soap_Float:$y);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Soap_ConcatOp : Soap_Op<"concat", [SpaceInterfaceLocal, Differentiable, InferType]> {
  let summary = "concatenation along a dim";
  let description = [{ Loops d0, d1, ... are the dims of the result. }];
  let arguments = (ins Variadic<Soap_Float>:$xs, I64Attr:$axis);
  let results = (outs Soap_Float:$y);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Soap_SliceOp : Soap_Op<"slice", [SpaceInterfaceLocal, Differentiable, InferType]> {
  let summary = "y[i..] = x[offsets + i * strides]";
  let description = [{ One offset, size (of the result) and positive stride per dim. Loops d0, d1, ... are the dims of the result. }];
  let arguments = (ins Soap_Float:$x, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides);
  let results = (outs Soap_Float:$y);
  let builders = [
    /// Strides are 1.
    OpBuilder<(ins "::mlir::Value":$x, "::llvm::ArrayRef<int64_t>":$offsets,
                   "::llvm::ArrayRef<int64_t>":$sizes)>];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Soap_PadOp : Soap_Op<"pad", [SpaceInterfaceLocalNeutral, Differentiable]> {
  let summary = "pads at the low end, the high end, and between elements";
  let description = [{
    y[j] = x[(j - low) / (interior + 1)] where that is exact and in range, else `value`. `low` may be negative; how much is padded at the high end follows from the result type. The gradient of slice.
    Linear if the value is 0. Loops d0, d1, ... are the dims of the result.
  }];
  let arguments = (ins Soap_Float:$x, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$interior, DefaultValuedAttr<F64Attr, "0.0">:$value);
  let results = (outs Soap_Float:$y);
  let builders = [
    /// Nothing between elements.
    OpBuilder<(ins "::mlir::Value":$x, "::llvm::ArrayRef<int64_t>":$low,
                   "::llvm::ArrayRef<int64_t>":$high,
                   CArg<"double", "0.0">:$value)>];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}
def Soap_ConstantOp : Soap_Op<"constant", [SpaceInterfaceLocal]> {
  let summary = "a tensor known at compile time, not trained";
  let description = [{ Loops d0, d1, .... Shards hold their part of the elements. }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Soap_Tile:$y);
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value)>];
  let assemblyFormat = "attr-dict $value `:` type($y)";
  let hasVerifier = 1;
}
def Soap_BucketOp : Soap_Op<"bucket", [SpaceInterface, InferType]> {
  let summary = "all elements of several tensors in one of rank 1";
  let description = [{
    The elements of each operand in row-major order, one operand after the other. Linear: replicas that each have a part of a sum put their parts together, and what is reduced across devices is one tensor instead of many.
    No loops: it is replicated where it is read. See docs/TrainingStep.md, "Buckets".
  }];
  let arguments = (ins Variadic<Soap_Float>:$xs);
  let results = (outs Soap_Float:$bucket);
}
def Soap_UnbucketOp : Soap_Op<"unbucket", [SpaceInterface]> {
  let summary = "the tensors whose elements are in a bucket";
  let description = [{
    The inverse of `bucket`; the results' shapes say where each begins. Not linear: it reads complete sums, so that a bucket is reduced before it is taken apart. No loops.
  }];
  let arguments = (ins Soap_Float:$bucket);
  let results = (outs Variadic<Soap_Float>:$ys);
  let hasVerifier = 1;
}
