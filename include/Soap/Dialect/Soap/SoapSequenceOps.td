//===- SoapSequenceOps.td - Embedding and LSTM -------------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What models of sequences need: rows of a table by index, and recurrence over time.
//
//===----------------------------------------------------------------------===//

defvar GatherAttributes = (ins DefaultValuedAttr<I64Attr, "0">:$offset, DefaultValuedAttr<I64Attr, "0">:$wrap);

def Soap_GatherOp : Soap_Op<"gather", [SpaceInterfaceLocal, Differentiable, InferType]> {
  let summary = "rows of a table (an embedding)";
  let description = [{
    y[i.., d..] = table[indices[i..] - offset, d..]; `wrap` is added to negative indices first (ONNX counts them from the end). An index outside of the table gives zeros: a shard of a table that is cut along its rows (`offset` is its first one)
    gives zeros for the rows of others, and its result is a partial sum. Loops i0, i1, ... (dims of the indices, parallel), v (rows of the table, reduction), d0, d1, ... (other dims of the table, parallel).
  }];
  let arguments = !con((ins Soap_Float:$table, Soap_Label:$indices), GatherAttributes);
  let results = (outs Soap_Float:$y);
}
def Soap_GatherGradOp : Soap_Op<"gather_grad", [SpaceInterfaceLocal]> {
  let summary = "gradient of gather with respect to the table (scatter-add)";
  let description = [{
    dtable[v, d..] = sum of dy[i.., d..] over all i with indices[i..] - offset = v. Loops as gather; the dims of the indices are reductions: cutting samples leaves the gradient partial.
  }];
  let arguments = !con((ins Soap_Float:$dy, Soap_Label:$indices), GatherAttributes);
  let results = (outs Soap_Float:$dtable);
  let hasVerifier = 1;
}

def Soap_LstmOp : Soap_Op<"lstm", [SpaceInterfaceStages, Differentiable, InferType]> {
  let summary = "a chunk of time steps of an LSTM";
  let description = [{
    For t = 0, 1, ...: z = x[t] + h * r, that is z[n, g, a] = x[t, n, g, a] + sum over k of h[n, k] * r[g, a, k]; the gates are i = sigmoid(z[:, 0]), o = sigmoid(z[:, 1]), f = sigmoid(z[:, 2]), c~ = tanh(z[:, 3]) (the order of ONNX);
    c = f * c + i * c~ and h = o * tanh(c). `x` [T, N, 4, H] is what the input adds to the gates, with all biases: one matmul for all steps, outside of this op. h0 and c0 are [1, N, H], r is [4, H, H]. Results: y [T, N, H], the cells [T, N, H] and, for the gradient, the
    gates [T, N, 4, H]. Loops t (serial), n (parallel), a (a stage loop). Cutting the hidden dim a replaces the op by one `lstm_step` per time step: h is gathered from all shards at every step.
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$r, Soap_Float:$h0, Soap_Float:$c0);
  let results = (outs Soap_Float:$y, Soap_Float:$cells, Soap_Float:$gates);
}
def Soap_LstmStepOp : Soap_Op<"lstm_step", [SpaceInterfaceLocal]> {
  let summary = "time step `t` of an LSTM";
  let description = [{
    As one step of `lstm`, reading x[t]; `h` [1, N, K] is whole, the others hold the hidden units [1, N, A] that are computed. Loops n, a (parallel), k (reduction inside of the step: serial).
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$r, Soap_Float:$h, Soap_Float:$c, I64Attr:$t);
  let results = (outs Soap_Float:$new_h, Soap_Float:$new_c, Soap_Float:$gates);
  let hasVerifier = 1;
}
def Soap_LstmCellOp : Soap_Op<"lstm_cell", [SpaceInterfaceLocal]> {
  let summary = "the pointwise part of a time step";
  let description = [{
    As `lstm_step` with the product of h and r given: `product` [N, 4, A]. What the CPU lowering makes of a step, so that a library computes the product.
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$product, Soap_Float:$c, I64Attr:$t);
  let results = (outs Soap_Float:$new_h, Soap_Float:$new_c, Soap_Float:$gates);
  let hasVerifier = 1;
}
def Soap_LstmGradOp : Soap_Op<"lstm_grad", [SpaceInterfaceStages]> {
  let summary = "gradients of lstm with respect to x, h0 and c0";
  let description = [{
    Backwards in time; dh at step t is dy[t] plus dz[t + 1] * r, dc is what comes from step t + 1, from h and, if given, `dcells`[t]. The gradient of r is a matmul of dx and the h of all steps. Loops as lstm; stages: `lstm_step_grad` per time step.
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$r, Soap_Float:$gates, Soap_Float:$cells, Soap_Float:$c0, Optional<Soap_Float>:$dcells);
  let results = (outs Soap_Float:$dx, Soap_Float:$dh0, Soap_Float:$dc0);
  let hasVerifier = 1;
}
def Soap_LstmStepGradOp : Soap_Op<"lstm_step_grad", [SpaceInterfaceLocal, AttrSizedOperandSegments]> {
  let summary = "gradients of time step `t` of an LSTM";
  let description = [{
    dz [1, N, 4, A] and the gradient of the cell before, dc [1, N, A]. `previous` holds that cell at `previous_t`; `next_dz` [1, N, 4, K] (whole) and `next_dc` come from step t + 1 and are left out at the last one. `r` is [4, K, A]: its last dim is cut with the hidden units.
    Loops n, a (parallel).
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$r, Soap_Float:$gates, Soap_Float:$cells, Soap_Float:$previous, Optional<Soap_Float>:$dcells, Optional<Soap_Float>:$next_dz,
                   Optional<Soap_Float>:$next_dc, I64Attr:$t, I64Attr:$previous_t);
  let results = (outs Soap_Float:$dz, Soap_Float:$dc);
  let hasVerifier = 1;
}
def Soap_LstmCellGradOp : Soap_Op<"lstm_cell_grad", [SpaceInterfaceLocal, AttrSizedOperandSegments]> {
  let summary = "the pointwise part of the gradients of a time step";
  let description = [{ As `lstm_step_grad` with the product of next_dz and r given: `product` [N, A]. Made by the CPU lowering. }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$gates, Soap_Float:$cells, Soap_Float:$previous, Optional<Soap_Float>:$dcells, Optional<Soap_Float>:$product,
                   Optional<Soap_Float>:$next_dc, I64Attr:$t, I64Attr:$previous_t);
  let results = (outs Soap_Float:$dz, Soap_Float:$dc);
  let hasVerifier = 1;
}
