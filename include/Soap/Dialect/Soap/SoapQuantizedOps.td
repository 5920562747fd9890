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
class Soap_TensorOf<list<Type> elements, string summary>
    : Type<RankedTensorOf<elements>.predicate, summary,
           "::mlir::RankedTensorType">;
def Soap_Float8 : Soap_TensorOf<[F8E4M3FN, F8E5M2], "f8E4M3FN or f8E5M2">;
/// A power of two, without a sign.
def Soap_BlockScale : Soap_TensorOf<[F8E8M0FNU], "f8E8M0FNU">;
def Soap_Amax : Soap_TensorOf<[F32], "f32">;
def Soap_Scale : Soap_TensorOf<[F32, F8E8M0FNU], "f32 or f8E8M0FNU">;
def Soap_QuantizedFloat : Soap_TensorOf<[BF16, F16, F32], "bf16, f16 or f32">;

def Soap_AmaxOp : Soap_Op<"amax", [SpaceInterface]> {
  let summary = "the largest |x| of a tensor";
  let description = [{
    The maximum of |x| over all of x, for `soap.quantize`; NaN if an element is.
    Devices combine theirs. Loops d0, d1, ... (reduction) are the dims of x.

    **Constraints**

    - The result is of rank 0.

    **Example**

    ```mlir
    %m = soap.amax %x : (tensor<8x64xbf16>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Soap_QuantizedFloat:$x);
  let results = (outs Soap_Amax:$y);
  let hasVerifier = 1;
}

def Soap_BlockScalesOp : Soap_Op<"block_scales", [SpaceInterface]> {
  let summary = "a power of two for each 32 neighbours";
  let description = [{
    For each block of 32 neighbours along the dim `axis`,
    2^(floor(log2(max |x|)) - e), at least 2^-127, where e is 8 for the `type`
    f8E4M3FN and 15 for f8E5M2 (OCP Microscaling Formats). NaN if an element is
    not finite. Loops d0, d1, ... (parallel) are the dims of the scales,
    `in_block` (serial) is inside of a block.

    **Constraints**

    - The extent of dim `axis` is a multiple of 32, of which the result has a
      32nd.

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
    Element by element, x scaled, and rounded to the nearest 8-bit float, ties
    to even. A number beyond the largest M (448 of f8E4M3FN, 57,344 of f8E5M2)
    becomes M; NaN stays.

    `scales` m of rank 0 are the `soap.amax` of the tensor: x is multiplied by
    M / m, at most the largest f32; by 1 if m is 0; by NaN if m is not finite.
    `scales` of `soap.block_scales` divide their blocks.

    Loops d0, d1, ... (parallel) are the dims of x, of blocks with `in_block`
    (serial).

    **Constraints**

    - `scales` are f32 of rank 0, or f8E8M0FNU with a 32nd of one dim of x.

    **Example**

    ```mlir
    %q = soap.quantize %x, %m
       : (tensor<8x64xbf16>, tensor<f32>) -> tensor<8x64xf8E4M3FN>
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
    `soap.matmul` of results of `soap.quantize`, with sums in f32. Scales of rank
    0 are the maxima: each sum is multiplied by the inverse of the factor of a,
    then of b. Scales of blocks multiply their elements. Loops as of
    `soap.matmul`; with blocks, k counts them, and `k_in_block` (serial) their
    elements.

    **Constraints**

    - Shapes and `k_factors` as of `soap.matmul`.
    - Scales are both f32 of rank 0, or both of blocks along the contracted dim;
      then the last of `k_factors` is a multiple of 32.

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
    The number that x is, times the scale of its block if there are scales.

    **Constraints**

    - `scales` are as of `soap.quantize`.

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
    A sum of `soap.matmul_scaled` of operands of types `a_type` and `b_type`,
    times the inverses of their factors.

    **Constraints**

    - The maxima are of rank 0.

    **Example**

    ```mlir
    %y = soap.unscale %x, %ma, %mb {a_type = f8E4M3FN, b_type = f8E5M2}
       : (tensor<8x16xf32>, tensor<f32>, tensor<f32>) -> tensor<8x16xbf16>
    ```
  }];
  let arguments = (ins Soap_QuantizedFloat:$x, Soap_Amax:$a_amax,
                       Soap_Amax:$b_amax, TypeAttr:$a_type,
                       TypeAttr:$b_type);
  let results = (outs Soap_QuantizedFloat:$y);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
