//===- SoapQuantizedOps.td - Products of 8-bit floats ------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scaled casts to 8-bit floats, and the product of their results. The op
// classes are in SoapQuantized.h.
//
//===----------------------------------------------------------------------===//

/// E4M3 has no infinities; E5M2 is the upper half of an f16.
def Soap_Float8 : RankedTensorOf<[F8E4M3FN, F8E5M2]>;
/// A power of two, without a sign.
def Soap_BlockScale : RankedTensorOf<[F8E8M0FNU]>;
def Soap_Scale : RankedTensorOf<[F32, F8E8M0FNU]>;
def Soap_QuantizedFloat : RankedTensorOf<[BF16, F16, F32]>;

def Soap_AmaxOp : Soap_Op<"amax", [SpaceInterface]> {
  let summary = "the largest |x| of a tensor";
  let description = [{
    The maximum of |x| over all of the tensor, in f32: the scale that
    `soap.quantize` takes for a whole tensor is made of it. If an element is
    NaN, so is the result. Shards combine with the maximum, so that the result
    has the same bits under every split. Loops d0, d1, ... (reduction) are the
    dims of x.

    **Constraints**

    - The result is f32, of rank 0.

    **Example**

    ```mlir
    %m = soap.amax %x : (tensor<8x64xbf16>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Soap_QuantizedFloat:$x);
  let results = (outs RankedTensorOf<[F32]>:$y);
  let hasVerifier = 1;
}

def Soap_BlockScalesOp : Soap_Op<"block_scales", [SpaceInterface]> {
  let summary = "a power of two for each 32 neighbours";
  let description = [{
    The shared scales of the OCP Microscaling formats (MX): for each block of 32
    neighbours along the dim `axis`, 2^(floor(log2(max |x|)) - e) as E8M0, where
    e is the exponent of the largest power of two of the elements' `type`: 8 of
    f8E4M3FN, 15 of f8E5M2. The exponent is clamped to [-127, 127]. A block of
    zeros has the scale 2^-127. If an element is NaN or infinite, the scale is
    NaN.

    Loops d0, d1, ... (parallel) are the dims of the scales; loop `in_block`
    (serial) counts the elements of a block. So shards have whole blocks.

    **Constraints**

    - `axis` is a dim of x whose extent is a multiple of 32.
    - `type` is f8E4M3FN or f8E5M2.
    - The result has the shape of x, but for a 32nd of dim `axis`.

    **Example**

    ```mlir
    %s = soap.block_scales %x {axis = 1 : i64, type = f8E4M3FN}
       : (tensor<8x64xbf16>) -> tensor<8x2xf8E8M0FNU>
    ```
  }];
  let arguments = (ins Soap_QuantizedFloat:$x, I64Attr:$axis, TypeAttr:$type);
  let results = (outs Soap_BlockScale:$y);
  let hasVerifier = 1;
}

def Soap_QuantizeOp : Soap_Op<"quantize", [SpaceInterface]> {
  let summary = "scaled cast to an 8-bit float";
  let description = [{
    Element by element, x scaled in f32, then rounded to the nearest number of
    the result's type, ties to the one with an even fraction. What is beyond the
    largest number M of the type (448 of f8E4M3FN, 57,344 of f8E5M2) becomes M
    with its sign; NaN stays NaN.

    With `scales` m of rank 0, the `soap.amax` of the tensor, x is multiplied by
    M / m; by 1 if m is 0; by the largest f32 where M / m is above it. If m is
    infinite or NaN, all elements become NaN. With `scales` of
    `soap.block_scales`, each block of 32 neighbours along the dim that they
    have a 32nd of is divided by its power of two, or NaN.

    Loops d0, d1, ... (parallel) are the dims of x, but those of blocks, and
    `in_block` (serial) their elements. A product reads the result by
    `soap.matmul_scaled`; as gradient, nothing flows through the op.

    **Constraints**

    - The result has the shape of x.
    - `scales` are f32 of rank 0, or f8E8M0FNU of the shape of x, but for a 32nd
      of one dim.

    **Example**

    ```mlir
    %q = soap.quantize %x, %m
       : (tensor<8x64xbf16>, tensor<f32>) -> tensor<8x64xf8E4M3FN>
    %p = soap.quantize %x, %s
       : (tensor<8x64xbf16>, tensor<8x2xf8E8M0FNU>) -> tensor<8x64xf8E5M2>
    ```
  }];
  let arguments = (ins Soap_QuantizedFloat:$x, Soap_Scale:$scales);
  let results = (outs Soap_Float8:$y);
  let hasVerifier = 1;
}

def Soap_MatmulScaledOp
    : Soap_Op<"matmul_scaled", [SpaceInterfaceLocal]> {
  let summary = "matmul of scaled 8-bit floats";
  let description = [{
    As `soap.matmul`, of operands of `soap.quantize`. Sums are in f32, and
    rounded once to the type of the result.

    With scales of rank 0, the `soap.amax` of the tensors that were quantized,
    the sum is multiplied by the inverses, in f32, of what these were multiplied
    by: first by that of a, then by that of b. With scales of blocks, which lie
    along the contracted dim, each element is multiplied by the power of two of
    its block, which is exact.

    Loops b0, b1, ..., m, n (parallel), k (reduction), as of `soap.matmul`. With
    blocks, k counts blocks, and a loop `k_in_block` (serial) their elements; of
    `k_factors`, the last loop counts blocks.

    **Constraints**

    - Shapes and `k_factors` as of `soap.matmul`.
    - Both operands have scales of rank 0 in f32, or both of blocks: f8E8M0FNU of
      the shape of the operand, but for a 32nd of its contracted dim. Then the
      last of `k_factors` is a multiple of 32.

    **Example**

    ```mlir
    %y = soap.matmul_scaled %a, %b, %ma, %mb {transpose_b}
       : (tensor<8x64xf8E4M3FN>, tensor<16x64xf8E4M3FN>, tensor<f32>,
          tensor<f32>) -> tensor<8x16xbf16>
    ```
  }];
  let arguments = (ins Soap_Float8:$a, Soap_Float8:$b, Soap_Scale:$a_scales,
                       Soap_Scale:$b_scales, UnitAttr:$transpose_a,
                       UnitAttr:$transpose_b,
                       OptionalAttr<DenseI64ArrayAttr>:$k_factors);
  let results = (outs Soap_QuantizedFloat:$y);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Of programs
//===----------------------------------------------------------------------===//

def Soap_DequantizeOp : Soap_PureOp<"dequantize"> {
  let summary = "8-bit floats as wider ones";
  let description = [{
    Element by element, the number that x is, times the power of two of its
    block if there are scales. What programs of CPUs multiply instead of 8-bit
    floats.

    **Constraints**

    - The result has the shape of x.
    - `scales` have the shape of x, but for a 32nd of one dim.

    **Example**

    ```mlir
    %y = soap.dequantize %x : (tensor<8x64xf8E4M3FN>) -> tensor<8x64xbf16>
    ```
  }];
  let arguments = (ins Soap_Float8:$x, Optional<Soap_BlockScale>:$scales);
  let results = (outs Soap_QuantizedFloat:$y);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Soap_UnscaleOp : Soap_PureOp<"unscale"> {
  let summary = "the sums of a product of scaled floats";
  let description = [{
    Element by element, x times the inverses of the scales of the operands of a
    product, as in `soap.matmul_scaled`. `a_type` and `b_type` are their types.

    **Constraints**

    - The result has the shape of x.
    - The maxima are of rank 0.

    **Example**

    ```mlir
    %y = soap.unscale %x, %ma, %mb {a_type = f8E4M3FN, b_type = f8E5M2}
       : (tensor<8x16xf32>, tensor<f32>, tensor<f32>) -> tensor<8x16xbf16>
    ```
  }];
  let arguments = (ins Soap_QuantizedFloat:$x, RankedTensorOf<[F32]>:$a_amax,
                       RankedTensorOf<[F32]>:$b_amax, TypeAttr:$a_type,
                       TypeAttr:$b_type);
  let results = (outs Soap_QuantizedFloat:$y);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
