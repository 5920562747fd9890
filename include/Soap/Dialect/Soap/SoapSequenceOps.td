//===- SoapSequenceOps.td - Embedding and LSTM -------------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that models of sequences need: rows of a table by index, and recurrence
// over time.
//
//===----------------------------------------------------------------------===//

defvar GatherAttributes = (ins DefaultValuedAttr<I64Attr, "0">:$offset,
                               DefaultValuedAttr<I64Attr, "0">:$wrap);

def Soap_GatherOp
    : Soap_Op<"gather", [SpaceInterfaceLocal, Differentiable, InferType]> {
  let summary = "rows of a table (an embedding)";
  let description = [{
    y[i.., d..] = table[indices[i..] - offset, d..]; `wrap` is added to negative
    indices first (ONNX counts them from the end). An index outside of the table
    gives zeros. So a shard that has the rows from `offset` on gives zeros for
    the rows of others, and its result is a partial sum.

    Loops i0, i1, ... (dims of the indices, parallel), v (rows of the table,
    reduction), d0, d1, ... (other dims of the table, parallel).

    **Constraints**

    - The table has rank 1 or more.
    - `offset` and `wrap` are in [0, 2^40].

    **Example**

    ```mlir
    %y = soap.gather %table, %indices
       : (tensor<8x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
    ```
  }];
  let arguments = !con((ins Soap_Float:$table, Soap_Label:$indices),
                       GatherAttributes);
  let results = (outs Soap_Float:$y);
}

def Soap_GatherGradOp : Soap_Op<"gather_grad", [SpaceInterfaceLocal]> {
  let summary = "gradient of gather with respect to the table";
  let description = [{
    dtable[v, d..] = sum of dy[i.., d..] over all i with indices[i..] - offset =
    v. Loops as `soap.gather`, but v is parallel and the dims of the indices are
    reductions: a split of samples leaves the gradient partial.

    **Constraints**

    - As `soap.gather`; dy has the shape of its result.

    **Example**

    ```mlir
    %dtable = soap.gather_grad %dy, %indices
            : (tensor<4x6xf32>, tensor<4xi32>) -> tensor<8x6xf32>
    ```
  }];
  let arguments = !con((ins Soap_Float:$dy, Soap_Label:$indices),
                       GatherAttributes);
  let results = (outs Soap_Float:$dtable);
  let hasVerifier = 1;
}

def Soap_LstmOp
    : Soap_Op<"lstm", [SpaceInterfaceStages, Differentiable, InferType]> {
  let summary = "a chunk of time steps of an LSTM";
  let description = [{
    For t = 0, 1, ...: z[n, g, a] = x[t, n, g, a] + sum over k of h[n, k] * r[g,
    a, k]. The gates are i = sigmoid(z[:, 0]), o = sigmoid(z[:, 1]), f =
    sigmoid(z[:, 2]), c~ = tanh(z[:, 3]), the order of ONNX. Then c = f * c + i
    * c~ and h = o * tanh(c).

    `x` is what the input adds to the gates, with all biases: one matmul for all
    steps, outside of this op. Results are h of all steps, the cells, and, for
    the gradient, the gates.

    Loops t (serial), n (parallel), a (a stage loop). A split of a replaces the
    op by one `soap.lstm_step` per time step, and h is gathered from all shards
    at every step.

    **Constraints**

    - x is [T, N, 4, H], r [4, H, H], h0 and c0 [1, N, H].
    - y and the cells are [T, N, H], the gates [T, N, 4, H].

    **Example**

    ```mlir
    %y, %cells, %gates = soap.lstm %x, %r, %h0, %c0
        : (tensor<3x2x4x5xf32>, tensor<4x5x5xf32>, tensor<1x2x5xf32>,
           tensor<1x2x5xf32>)
        -> (tensor<3x2x5xf32>, tensor<3x2x5xf32>, tensor<3x2x4x5xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$r, Soap_Float:$h0,
                       Soap_Float:$c0);
  let results = (outs Soap_Float:$y, Soap_Float:$cells, Soap_Float:$gates);
}

def Soap_LstmStepOp : Soap_Op<"lstm_step", [SpaceInterfaceLocal]> {
  let summary = "time step `t` of an LSTM";
  let description = [{
    One step of `soap.lstm`, which reads x[t]. `h` is whole; the others have the
    hidden units that are computed. Loops n, a (parallel), k (serial).

    **Constraints**

    - x is [T, N, 4, A], r [4, A, K], h [1, N, K], c [1, N, A].
    - `t` is a time step of x.

    **Example**

    ```mlir
    %h1, %c1, %gates = soap.lstm_step %x, %r, %h, %c {t = 2 : i64}
        : (tensor<3x2x4x5xf32>, tensor<4x5x5xf32>, tensor<1x2x5xf32>,
           tensor<1x2x5xf32>)
        -> (tensor<1x2x5xf32>, tensor<1x2x5xf32>, tensor<1x2x4x5xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$r, Soap_Float:$h,
                       Soap_Float:$c, I64Attr:$t);
  let results = (outs Soap_Float:$new_h, Soap_Float:$new_c, Soap_Float:$gates);
  let hasVerifier = 1;
}

def Soap_LstmCellOp : Soap_Op<"lstm_cell", [SpaceInterfaceLocal]> {
  let summary = "the pointwise part of a time step";
  let description = [{
    `soap.lstm_step` with the product of h and r as an operand. The CPU lowering
    makes it of a step, so that a library computes the product.

    **Constraints**

    - x is [T, N, 4, A], the product [N, 4, A], c [1, N, A].
    - `t` is a time step of x.

    **Example**

    ```mlir
    %h1, %c1, %gates = soap.lstm_cell %x, %product, %c {t = 0 : i64}
        : (tensor<3x2x4x5xf32>, tensor<2x4x5xf32>, tensor<1x2x5xf32>)
        -> (tensor<1x2x5xf32>, tensor<1x2x5xf32>, tensor<1x2x4x5xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$product, Soap_Float:$c,
                       I64Attr:$t);
  let results = (outs Soap_Float:$new_h, Soap_Float:$new_c, Soap_Float:$gates);
  let hasVerifier = 1;
}

def Soap_LstmGradOp : Soap_Op<"lstm_grad", [SpaceInterfaceStages]> {
  let summary = "gradients of lstm with respect to x, h0 and c0";
  let description = [{
    Backwards in time. dh at step t is dy[t] + dz[t + 1] * r; dc is the sum of
    what comes from step t + 1, from h and, if given, `dcells`[t]. The gradient
    of r is a matmul of dx and the h of all steps, outside of this op. Loops as
    `soap.lstm`; its stage ops are one `soap.lstm_step_grad` per time step.

    **Constraints**

    - The gates are [T, N, 4, H]; dy, cells and dcells [T, N, H]; r [4, H, H];
      c0 [1, N, H].

    **Example**

    ```mlir
    %dx, %dh0, %dc0 = soap.lstm_grad %dy, %r, %gates, %cells, %c0
        : (tensor<3x2x5xf32>, tensor<4x5x5xf32>, tensor<3x2x4x5xf32>,
           tensor<3x2x5xf32>, tensor<1x2x5xf32>)
        -> (tensor<3x2x4x5xf32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$r, Soap_Float:$gates,
                       Soap_Float:$cells, Soap_Float:$c0,
                       Optional<Soap_Float>:$dcells);
  let results = (outs Soap_Float:$dx, Soap_Float:$dh0, Soap_Float:$dc0);
  let hasVerifier = 1;
}

def Soap_LstmStepGradOp
    : Soap_Op<"lstm_step_grad", [SpaceInterfaceLocal,
                                 AttrSizedOperandSegments]> {
  let summary = "gradients of time step `t` of an LSTM";
  let description = [{
    dz, and dc, the gradient of the cell before. `previous` holds that cell at
    `previous_t`. `next_dz` (whole) and `next_dc` come from step t + 1 and are
    absent at the last one. Loops n, a (parallel).

    **Constraints**

    - The gates are [T, N, 4, A]; r is [4, K, A]: its last dim is split with the
      hidden units.
    - `next_dz` is [1, N, 4, K], `next_dc` [1, N, A]; they come together.
    - `t` and `previous_t` are time steps of what they index.

    **Example**

    ```mlir
    %dz, %dc = soap.lstm_step_grad %dy, %r, %gates, %cells, %before, %ndz, %ndc
        {t = 0 : i64, previous_t = 0 : i64,
         operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 1>}
        : (tensor<3x2x5xf32>, tensor<4x5x5xf32>, tensor<3x2x4x5xf32>,
           tensor<3x2x5xf32>, tensor<1x2x5xf32>, tensor<1x2x4x5xf32>,
           tensor<1x2x5xf32>) -> (tensor<1x2x4x5xf32>, tensor<1x2x5xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$r, Soap_Float:$gates,
                       Soap_Float:$cells, Soap_Float:$previous,
                       Optional<Soap_Float>:$dcells,
                       Optional<Soap_Float>:$next_dz,
                       Optional<Soap_Float>:$next_dc, I64Attr:$t,
                       I64Attr:$previous_t);
  let results = (outs Soap_Float:$dz, Soap_Float:$dc);
  let hasVerifier = 1;
}

def Soap_LstmCellGradOp
    : Soap_Op<"lstm_cell_grad", [SpaceInterfaceLocal,
                                 AttrSizedOperandSegments]> {
  let summary = "the pointwise part of the gradients of a time step";
  let description = [{
    `soap.lstm_step_grad` with the product of next_dz and r as an operand, [N,
    A]. The CPU lowering makes it.

    **Constraints**

    - Shapes as in `soap.lstm_step_grad`.

    **Example**

    ```mlir
    %dz, %dc = soap.lstm_cell_grad %dy, %gates, %cells, %previous, %product
        {t = 1 : i64, previous_t = 0 : i64,
         operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 0>}
        : (tensor<3x2x5xf32>, tensor<3x2x4x5xf32>, tensor<3x2x5xf32>,
           tensor<3x2x5xf32>, tensor<2x5xf32>)
        -> (tensor<1x2x4x5xf32>, tensor<1x2x5xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$gates, Soap_Float:$cells,
                       Soap_Float:$previous, Optional<Soap_Float>:$dcells,
                       Optional<Soap_Float>:$product,
                       Optional<Soap_Float>:$next_dc, I64Attr:$t,
                       I64Attr:$previous_t);
  let results = (outs Soap_Float:$dz, Soap_Float:$dc);
  let hasVerifier = 1;
}
