//===- SoapShapeOps.td - Ops that move elements ------------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshape, transpose, concat, slice, pad: all linear, they pass partial sums
// on. Constants, and buckets of gradients.
//
//===----------------------------------------------------------------------===//

def Soap_ReshapeOp : Soap_Op<"reshape", [SpaceInterface, Differentiable]> {
  let summary = "same elements in row-major order, other shape";
  let description = [{
    Loops f0, f1, ... are the common factors of both shapes, in row-major order:
    64x16x5x5 to 64x400 has f0=64, f1=16, f2=5, f3=5, and the second dim of the
    result is 25*f1 + 5*f2 + f3. Dims that share no common refinement become one
    serial loop over their least common block. The reshape of a shard is a
    reshape of its tile. Linear. Integers may be reshaped, too.

    **Constraints**

    - Operand and result have the same element type and number of elements.

    **Example**

    ```mlir
    %y = soap.reshape %x : (tensor<64x16x5x5xf32>) -> tensor<64x400xf32>
    ```
  }];
  let arguments = (ins Soap_Tile:$x);
  let results = (outs Soap_Tile:$y);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$x, "::llvm::ArrayRef<int64_t>":$shape)>];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Soap_TransposeOp
    : Soap_Op<"transpose", [SpaceInterface, Differentiable, InferType]> {
  let summary = "permutes dims";
  let description = [{
    Dim i of the result is dim `permutation[i]` of x. Linear. Loops d0, d1, ...
    are the dims of the result.

    **Constraints**

    - `permutation` has each dim of x once.

    **Example**

    ```mlir
    %y = soap.transpose %x {permutation = array<i64: 2, 0, 1>}
       : (tensor<2x12x3xf32>) -> tensor<3x2x12xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs Soap_Float:$y);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Soap_ConcatOp
    : Soap_Op<"concat", [SpaceInterfaceLocal, Differentiable, InferType]> {
  let summary = "concatenation along a dim";
  let description = [{
    The operands, one after the other along dim `axis`. Linear. Loops d0, d1,
    ... are the dims of the result. A shard drops operands of which it has
    nothing.

    **Constraints**

    - There is at least one operand.
    - `axis` is a dim; operands agree in the others.

    **Example**

    ```mlir
    %y = soap.concat %a, %b {axis = 0 : i64}
       : (tensor<1x12xf32>, tensor<2x12xf32>) -> tensor<3x12xf32>
    ```
  }];
  let arguments = (ins Variadic<Soap_Float>:$xs, I64Attr:$axis);
  let results = (outs Soap_Float:$y);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Soap_SliceOp
    : Soap_Op<"slice", [SpaceInterfaceLocal, Differentiable, InferType],
              [{{"offsets", 0}, {"strides", 1} }]> {
  let summary = "y[i..] = x[offsets + i * strides]";
  let description = [{
    y[i..] = x[offsets + i * strides], with `sizes` the shape of the result.
    Linear. Loops d0, d1, ... are the dims of the result.

    **Constraints**

    - The three arrays have an entry for each dim.
    - Offsets are not negative; sizes and strides are at least 1.
    - The last element that is read lies in x.

    **Example**

    ```mlir
    %y = soap.slice %x {offsets = array<i64: 0, 3>, sizes = array<i64: 2, 3>,
       strides = array<i64: 1, 4>} : (tensor<2x12xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x, DenseI64ArrayAttr:$offsets,
                       DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides);
  let results = (outs Soap_Float:$y);
  let builders = [
    /// Strides are 1.
    OpBuilder<(ins "::mlir::Value":$x, "::llvm::ArrayRef<int64_t>":$offsets,
                   "::llvm::ArrayRef<int64_t>":$sizes)>];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Soap_PadOp : Soap_Op<"pad", [SpaceInterfaceLocalNeutral, Differentiable],
                         [{{"low", 0}, {"interior", 0} }]> {
  let summary = "pads at the low end, the high end, and between elements";
  let description = [{
    y[j] = x[(j - low) / (interior + 1)] where that is exact and in range, else
    `value`. `low` may be negative, which crops; the result type says how much
    is padded at the high end. The gradient of `soap.slice`. Linear if `value`
    is 0. Loops d0, d1, ... are the dims of the result.

    **Constraints**

    - The result has the rank of x; `low` and `interior` have an entry for each
      dim.
    - `interior` is in [0, 2^20].

    **Example**

    ```mlir
    %y = soap.pad %x {low = array<i64: 0, 3>, interior = array<i64: 0, 3>,
       value = 1.0 : f64} : (tensor<2x3xf32>) -> tensor<2x12xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$interior,
                       DefaultValuedAttr<F64Attr, "0.0">:$value);
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

def Soap_ConstantOp : Soap_PureOp<"constant", [SpaceInterfaceLocal]> {
  let summary = "a tensor known at compile time, not trained";
  let description = [{
    A tensor that is known when the program is compiled and that nothing
    updates. Shards have a part of the elements. Loops d0, d1, ... are its dims.

    It is no `ConstantLike` op, because MLIR merges those: two equal constants
    may have different configs.

    **Constraints**

    - The elements are dense, or a dense resource that is in the module.
    - They have the type of the result.

    **Example**

    ```mlir
    %y = soap.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Soap_Tile:$y);
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value)>];
  let assemblyFormat = "attr-dict custom<Elements>($value, type($y))";
  let hasVerifier = 1;
}

def Soap_BucketOp : Soap_Op<"bucket", [SpaceInterface, InferType]> {
  let summary = "all elements of several tensors in one of rank 1";
  let description = [{
    The elements of each operand in row-major order, one operand after the
    other. Linear: replicas that have a contribution each put them into one
    tensor, which is then reduced across devices instead of many. It has no
    loops: it is replicated where it is read. See docs/TrainingStep.md,
    "Buckets".

    **Constraints**

    - There is at least one operand.
    - The result has rank 1 and at most 2^40 elements.

    **Example**

    ```mlir
    %bucket = soap.bucket %a, %b
        : (tensor<4x6xf32>, tensor<7xf32>) -> tensor<31xf32>
    ```
  }];
  let arguments = (ins Variadic<Soap_Float>:$xs);
  let results = (outs Soap_Float:$bucket);
}

def Soap_UnbucketOp : Soap_Op<"unbucket", [SpaceInterface]> {
  let summary = "the tensors whose elements are in a bucket";
  let description = [{
    The inverse of `soap.bucket`; the shapes of the results say where each
    begins. It is not linear: it reads complete sums, so that a bucket is
    reduced before it is taken apart. It has no loops.

    **Constraints**

    - The bucket has rank 1 and as many elements as all results together.
    - There is at least one result; results have the element type of the bucket.

    **Example**

    ```mlir
    %a, %b = soap.unbucket %bucket
           : (tensor<31xf32>) -> (tensor<4x6xf32>, tensor<7xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$bucket);
  let results = (outs Variadic<Soap_Float>:$ys);
  let hasVerifier = 1;
}
