//===- SoapPoolingOps.td - Pooling and its gradients -------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows over NCHW images. Loops n, c, h, w (parallel), kh, kw (serial: a window is not cut; global pooling is a reduce).
//
//===----------------------------------------------------------------------===//

defvar PoolAttributes = (ins DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilations);

def Soap_MaxPool2DOp : Soap_Op<"max_pool2d", [SpaceInterfaceLocalNeutral, Differentiable, InferType]> {
  let summary = "maximum over windows; padding never wins";
  let description = [{ y[n, c, h, w] = max over kh, kw of x[n, c, h*sh + kh*dh - pt, w*sw + kw*dw - pl]; reads outside of x give -inf. `padding = [top, left, bottom, right]`, may be negative. }];
  let arguments = !con((ins Soap_Float:$x), PoolAttributes);
  let results = (outs Soap_Float:$y);
  let builders = [
    /// Without padding and dilations.
    OpBuilder<(ins "::mlir::Value":$x, "::llvm::ArrayRef<int64_t>":$kernel,
                   "::llvm::ArrayRef<int64_t>":$strides)>];
}
def Soap_MaxPool2DGradOp : Soap_Op<"max_pool2d_grad", [SpaceInterfaceLocal]> {
  let summary = "gradient of max_pool2d: to the first maximum of each window";
  let description = [{
    Window o covers x[n, c, h*sh + kh*dh - pt, w*sw + kw*dw - pl], as in max_pool2d, and its winner is its first element (row-major over kh, kw) that equals y[o]; elements
    outside of x never win. dx[i] is the sum of dy[o] over the windows whose winner is x[i + x_offset]. Loops n, c, h, w of dx (parallel), kh, kw (serial).

    Globally `x_offset` is [0, 0] and dx has the shape of x. A shard of dx reads the windows that touch it, and all of x that those windows read, so the tiles of x and dx
    differ: `x_offset = [h, w]` is where the tile of dx begins in the tile of x (negative if no window reads its first rows), `padding` places the windows on the tile of x, and windows whose winner
    is not in dx add nothing.
  }];
  let arguments = !con((ins Soap_Float:$dy, Soap_Float:$x, Soap_Float:$y), PoolAttributes, (ins DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$x_offset));
  let results = (outs Soap_Float:$dx);
  let hasVerifier = 1;
}
def Soap_AvgPool2DOp : Soap_Op<"avg_pool2d", [SpaceInterfaceLocal, Differentiable, InferType]> {
  let summary = "average over windows";
  let description = [{
    The sum over the window divided by the number of its elements that count: those inside of the padded image (`count_include_pad`) or inside of the image. Elements outside of x add 0; a window without
    counted elements gives 0.

    To make shards exact, `count_low = [h, w]` and `count_size = [H, W]` say where the counted image lies in coordinates of the tile of x: element (r, c) counts if `count_low <= (r, c) < count_low + count_size`. Without
    them the counted image is [0, extent of x), widened by the padding on all sides if `count_include_pad`; with them `count_include_pad` does not matter. Importers set them where windows of a
    rounded-up result reach beyond the padded image.
  }];
  let arguments = !con((ins Soap_Float:$x), PoolAttributes, (ins UnitAttr:$count_include_pad, OptionalAttr<DenseI64ArrayAttr>:$count_low, OptionalAttr<DenseI64ArrayAttr>:$count_size));
  let results = (outs Soap_Float:$y);
}
def Soap_AvgPool2DGradOp : Soap_Op<"avg_pool2d_grad", [SpaceInterfaceLocal]> {
  let summary = "gradient of avg_pool2d";
  let description = [{ dx[i] = sum over the windows o that contain i of dy[o] / count(o). Window o covers dx[n, c, h*sh + kh*dh - pt, w*sw + kw*dw - pl]; count(o), `count_low` and `count_size`: as in avg_pool2d, with dx in the place of x. Loops n, c, h, w of dx (parallel), kh, kw (serial). }];
  let arguments = !con((ins Soap_Float:$dy), PoolAttributes, (ins UnitAttr:$count_include_pad, OptionalAttr<DenseI64ArrayAttr>:$count_low, OptionalAttr<DenseI64ArrayAttr>:$count_size));
  let results = (outs Soap_Float:$dx);
  let hasVerifier = 1;
}
