//===- SoapLinearOps.td - Convolution and matmul -----------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops that libraries compute: convolution with its two gradients, and
// matmul.
//
//===----------------------------------------------------------------------===//

defvar ConvAttributes = (ins
    DenseI64ArrayAttr:$strides,
    DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0, 0, 0}">:$padding,
    DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations,
    DefaultValuedAttr<I64Attr, "1">:$groups);

def Soap_Conv2DOp
    : Soap_Op<"conv2d", [SpaceInterfaceLocal, Differentiable, InferType]> {
  let summary = "2-D convolution (cross-correlation), NCHW by OIHW";
  let description = [{
    y[n, g*O + o, h, w] = sum over i, kh, kw of
    x[n, g*I + i, h*sh + kh*dh - pt, w*sw + kw*dw - pl] * w[g*O + o, i, kh, kw].
    Reads outside of x give 0.

    `strides = [sh, sw]`, `dilations = [dh, dw]`, and `padding = [pt, pl, pb,
    pr]`: top, left, bottom, right. Padding may be negative, which crops: shards
    need it. The height of the result is floor((H + pt + pb - (KH - 1)*dh - 1) /
    sh) + 1.

    Loops n, g, o, h, w (parallel), i, kh, kw (reduction).

    **Constraints**

    - x is [N, C, H, W], w is [O, I, KH, KW].
    - `groups` is at least 1 and divides O; I * `groups` is C.
    - `strides` and `dilations` have 2 entries in [1, 2^20], `padding` 4.
    - At least one window fits.

    **Example**

    ```mlir
    %y = soap.conv2d %x, %w {strides = array<i64: 1, 1>,
       padding = array<i64: 2, 2, 2, 2>}
       : (tensor<64x1x28x28xf32>, tensor<6x1x5x5xf32>) -> tensor<64x6x28x28xf32>
    ```
  }];
  let arguments = !con((ins Soap_Float:$x, Soap_Float:$w), ConvAttributes);
  let results = (outs Soap_Float:$y);
}

def Soap_Conv2DInputGradOp
    : Soap_Op<"conv2d_input_grad", [SpaceInterfaceLocal]> {
  let summary = "gradient of conv2d with respect to its input";
  let description = [{
    dx[n, g*I + i, h, w] = sum over o, kh, kw of
    dy[n, g*O + o, (h + pt - kh*dh) / sh, (w + pl - kw*dw) / sw] *
    w[g*O + o, i, kh, kw] where the divisions are exact and in range.

    Attributes are the forward op's. Loops n, g, i, h, w (parallel), o,
    kh, kw (reduction); h and w are rows and columns of dx.

    **Constraints**

    - As `soap.conv2d`, for images of the shape of dx.
    - dy has the shape of the result of that convolution.

    **Example**

    ```mlir
    %dx = soap.conv2d_input_grad %dy, %w {strides = array<i64: 1, 1>,
        padding = array<i64: 2, 2, 2, 2>}
        : (tensor<64x6x28x28xf32>, tensor<6x1x5x5xf32>)
        -> tensor<64x1x28x28xf32>
    ```
  }];
  let arguments = !con((ins Soap_Float:$dy, Soap_Float:$w), ConvAttributes);
  let results = (outs Soap_Float:$dx);
  let hasVerifier = 1;
}

def Soap_Conv2DWeightGradOp
    : Soap_Op<"conv2d_weight_grad", [SpaceInterfaceLocal]> {
  let summary = "gradient of conv2d with respect to its weights";
  let description = [{
    dw[g*O + o, i, kh, kw] = sum over n, h, w of
    x[n, g*I + i, h*sh + kh*dh - pt, w*sw + kw*dw - pl] * dy[n, g*O + o, h, w].

    Loops g, o, i, kh, kw (parallel), n, h, w (reduction). A split of samples
    leaves dw partial, which is data parallelism.

    **Constraints**

    - As `soap.conv2d`, for weights of the shape of dw.
    - dy has the shape of the result of that convolution.

    **Example**

    ```mlir
    %dw = soap.conv2d_weight_grad %x, %dy {strides = array<i64: 1, 1>,
        padding = array<i64: 2, 2, 2, 2>}
        : (tensor<64x1x28x28xf32>, tensor<64x6x28x28xf32>)
        -> tensor<6x1x5x5xf32>
    ```
  }];
  let arguments = !con((ins Soap_Float:$x, Soap_Float:$dy), ConvAttributes);
  let results = (outs Soap_Float:$dw);
  let hasVerifier = 1;
}

def Soap_MatmulOp
    : Soap_Op<"matmul", [SpaceInterfaceLocal, Differentiable, InferType]> {
  let summary = "batched matrix multiplication with optional transposes";
  let description = [{
    y[b.., m, n] = sum over k of a[b.., m, k] * b[b.., k, n]. `transpose_a`
    reads a as [b.., k, m], `transpose_b` reads b as [b.., n, k]. Operand b may
    have none, or the first, of the batch dims of a: batches of the others share
    it.

    Loops b0, b1, ..., m, n (parallel), k (reduction). `k_factors` says that k
    is a product of dims, outermost first: rows that were [T, N], in the
    gradient of a shared weight. Then k is as many loops k0, k1, ..., and each
    can be split.

    **Constraints**

    - Operands have rank 2 or more; the batch dims of b are the first of a's.
    - The contracted dims agree.
    - `k_factors` are positive; their product is the contracted dim.

    **Example**

    ```mlir
    %y = soap.matmul %a, %b {transpose_b}
       : (tensor<2x4x5xf32>, tensor<3x5xf32>) -> tensor<2x4x3xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$a, Soap_Float:$b, UnitAttr:$transpose_a,
                       UnitAttr:$transpose_b,
                       OptionalAttr<DenseI64ArrayAttr>:$k_factors);
  let results = (outs Soap_Float:$y);
  let builders = [
    /// Neither operand is transposed.
    OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b)>];
}

def Soap_ReduceOp
    : Soap_PureOp<"reduce", [SpaceInterface, Differentiable, InferType]> {
  let summary = "sum, maximum or minimum over dims, which are dropped";
  let description = [{
    The sum, the maximum or the minimum over the dims `axes`, which the result
    does not have. A sum is linear. Loops d0, d1, ... are the dims of x; those
    of `axes` are reductions.

    **Constraints**

    - `axes` are dims of x, sorted and without repetition.
    - The result has the other dims of x, in their order.

    **Example**

    ```mlir
    %y = soap.reduce sum %x {axes = array<i64: 0, 2>}
       : (tensor<2x5x3xf32>) -> tensor<5xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x, Soap_ReduceKindAttr:$kind,
                       DenseI64ArrayAttr:$axes);
  let results = (outs Soap_Float:$y);
  let assemblyFormat = [{
    $kind $x attr-dict `:` custom<AlikeTypes>(ref($x), type($x), type($y))
  }];
}

def Soap_BroadcastOp : Soap_Op<"broadcast", [SpaceInterface, Differentiable]> {
  let summary = "repeats x along new dims (linear)";
  let description = [{
    Repeats x along the dims `axes` of the result; the other dims are the dims
    of x, in their order. Linear; the gradient of a sum. Loops d0, d1, ... are
    the dims of the result.

    **Constraints**

    - `axes` are dims of the result, sorted and without repetition.
    - The other dims of the result have the extents of x.

    **Example**

    ```mlir
    %y = soap.broadcast %x {axes = array<i64: 0>}
       : (tensor<4x3xf32>) -> tensor<2x4x3xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x, DenseI64ArrayAttr:$axes);
  let results = (outs Soap_Float:$y);
  let builders = [
    /// To `shape`, whose dims `axes` are new.
    OpBuilder<(ins "::mlir::Value":$x, "::llvm::ArrayRef<int64_t>":$shape,
                   "::llvm::ArrayRef<int64_t>":$axes)>];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}
