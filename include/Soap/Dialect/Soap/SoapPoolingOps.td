//===- SoapPoolingOps.td - Pooling and its gradients -------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows over NCHW images. Loops n, c, h, w (parallel), kh, kw (serial: a
// window is not split; global pooling is a reduce).
//
//===----------------------------------------------------------------------===//

defvar PoolAttributes = (ins
    DenseI64ArrayAttr:$kernel,
    DenseI64ArrayAttr:$strides,
    DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0, 0, 0}">:$padding,
    DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations);

def Soap_MaxPool2DOp
    : Soap_Op<"max_pool2d", [SpaceInterfaceLocalNeutral, Differentiable,
                             InferType]> {
  let summary = "maximum over windows; padding never wins";
  let description = [{
    y[n, c, h, w] = maximum over kh, kw of x[n, c, h*sh + kh*dh - pt, w*sw +
    kw*dw - pl]. Reads outside of x give -inf, so that padding never wins.
    Attributes are as in `soap.conv2d`. Loops n, c, h, w (parallel), kh, kw
    (serial).

    **Constraints**

    - x is [N, C, H, W].
    - `kernel`, `strides` and `dilations` have 2 entries in [1, 2^20], `padding`
      4.
    - At least one window fits.

    **Example**

    ```mlir
    %y = soap.max_pool2d %x {kernel = array<i64: 3, 3>,
       strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
       : (tensor<2x3x7x7xf32>) -> tensor<2x3x4x4xf32>
    ```
  }];
  let arguments = !con((ins Soap_Float:$x), PoolAttributes);
  let results = (outs Soap_Float:$y);
}

def Soap_MaxPool2DGradOp : Soap_Op<"max_pool2d_grad", [SpaceInterfaceLocal]> {
  let summary = "gradient of max_pool2d: to the first maximum of each window";
  let description = [{
    Window o covers x[n, c, h*sh + kh*dh - pt, w*sw + kw*dw - pl], as in
    `soap.max_pool2d`. Its winner is its first element, row-major over kh, kw,
    that equals y[o]; elements outside of x never win. dx[i] is the sum of dy[o]
    over the windows whose winner is x[i + x_offset].

    In a model `x_offset` is [0, 0], and dx has the shape of x. A shard of dx
    reads the windows that touch it, and all of x that those windows read, so
    the tiles of x and dx differ. `x_offset = [h, w]` is where the tile of dx
    begins in the tile of x; it is negative if no window reads the first rows of
    dx. `padding` places the windows on the tile of x. Windows whose winner is
    not in dx add nothing.

    Loops n, c, h, w of dx (parallel), kh, kw (serial).

    **Constraints**

    - As `soap.max_pool2d`; dy and y have the shape of its result.
    - `x_offset` has 2 entries.
    - dx has the samples and channels of x.

    **Example**

    ```mlir
    %dx = soap.max_pool2d_grad %dy, %x, %y {kernel = array<i64: 3, 3>,
        strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
        : (tensor<2x3x4x4xf32>, tensor<2x3x7x7xf32>, tensor<2x3x4x4xf32>)
        -> tensor<2x3x7x7xf32>
    ```
  }];
  let arguments =
      !con((ins Soap_Float:$dy, Soap_Float:$x, Soap_Float:$y),
           PoolAttributes,
           (ins DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$x_offset));
  let results = (outs Soap_Float:$dx);
  let hasVerifier = 1;
}

def Soap_AvgPool2DOp
    : Soap_Op<"avg_pool2d", [SpaceInterfaceLocal, Differentiable, InferType]> {
  let summary = "average over windows";
  let description = [{
    The sum over a window divided by the number of its elements that count.
    Elements outside of x add 0. A window without counted elements gives 0.

    Elements of the image count; with `count_include_pad` padding counts,
    too. `count_low = [h, w]` and `count_size = [H, W]` say where the counted
    image lies, in positions of x: element (r, c) counts if `count_low <= (r, c)
    < count_low + count_size`. Then `count_include_pad` has no effect. Shards
    need this, as their tiles end within the image. Importers set it where
    windows of a rounded-up result reach beyond the padding.

    Loops n, c, h, w (parallel), kh, kw (serial).

    **Constraints**

    - As `soap.max_pool2d`.
    - `count_low` and `count_size` come together, with 2 entries each.

    **Example**

    ```mlir
    %y = soap.avg_pool2d %x {kernel = array<i64: 2, 2>,
       strides = array<i64: 2, 2>}
       : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
    ```
  }];
  let arguments =
      !con((ins Soap_Float:$x),
           PoolAttributes,
           (ins UnitAttr:$count_include_pad,
                OptionalAttr<DenseI64ArrayAttr>:$count_low,
                OptionalAttr<DenseI64ArrayAttr>:$count_size));
  let results = (outs Soap_Float:$y);
}

def Soap_AvgPool2DGradOp : Soap_Op<"avg_pool2d_grad", [SpaceInterfaceLocal]> {
  let summary = "gradient of avg_pool2d";
  let description = [{
    dx[i] = sum over the windows o that contain i of dy[o] / count(o). Window o
    covers dx[n, c, h*sh + kh*dh - pt, w*sw + kw*dw - pl]. count(o), `count_low`
    and `count_size` are as in `soap.avg_pool2d`, with dx in the place of x.
    Loops n, c, h, w of dx (parallel), kh, kw (serial).

    **Constraints**

    - As `soap.avg_pool2d`, for an image of the shape of dx.
    - dy has the shape of the result of that pooling.

    **Example**

    ```mlir
    %dx = soap.avg_pool2d_grad %dy {kernel = array<i64: 2, 2>,
        strides = array<i64: 2, 2>}
        : (tensor<2x3x4x4xf32>) -> tensor<2x3x8x8xf32>
    ```
  }];
  let arguments =
      !con((ins Soap_Float:$dy),
           PoolAttributes,
           (ins UnitAttr:$count_include_pad,
                OptionalAttr<DenseI64ArrayAttr>:$count_low,
                OptionalAttr<DenseI64ArrayAttr>:$count_size));
  let results = (outs Soap_Float:$dx);
  let hasVerifier = 1;
}
