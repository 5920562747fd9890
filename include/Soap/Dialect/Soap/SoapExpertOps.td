//===- SoapExpertOps.td - Mixtures of experts --------------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routing of tokens to experts, each of which has places for so many tokens of
// each sample (the groups of GShard, Lepikhin et al., 2020): S samples, L tokens
// of a sample, D features of a token, K choices of a token, E experts, C places
// of an expert.
//
//===----------------------------------------------------------------------===//

def Soap_TopKOp : Soap_Op<"top_k", [SpaceInterface, Differentiable, InferType]> {
  let summary = "the k largest elements of every row, and where they are";
  let description = [{
    The `k` largest elements of each row of the last dim, largest first, and
    their positions. Of equal elements the first one comes first. NaN counts as
    infinity. The gradient of the values goes to the elements that were found.

    Loops d0, d1, ... are the dims of x but the last one.

    **Constraints**

    - x has rank 1 or more, and a last dim of at most 2^31 - 1 elements.
    - `k` is in [1, extent of the last dim].
    - Values and positions have the other dims of x, and `k` as last dim.

    **Example**

    ```mlir
    %values, %indices = soap.top_k %x {k = 2 : i64}
        : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
    ```
  }];
  let arguments = (ins Soap_Float:$x, I64Attr:$k);
  let results = (outs Soap_Float:$values, Soap_Label:$indices);
}

def Soap_TopKGradOp : Soap_Op<"top_k_grad", [SpaceInterface]> {
  let summary = "gradient of the values of top_k";
  let description = [{
    dx[d.., i] is the sum of dy[d.., k] over all k with indices[d.., k] = i.
    Loops as `soap.top_k`.

    **Constraints**

    - dy and the indices have the same shape, of rank 1 or more.
    - dx has this shape except the last dim.

    **Example**

    ```mlir
    %dx = soap.top_k_grad %dy, %indices
        : (tensor<4x2xf32>, tensor<4x2xi32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Label:$indices);
  let results = (outs Soap_Float:$dx);
  let hasVerifier = 1;
}

def Soap_RouteOp : Soap_Op<"route", [SpaceInterface]> {
  let summary = "places of experts for the choices of tokens";
  let description = [{
    `indices`[s, l, k] is the expert that token l of sample s chooses as its
    k-th. In each sample, the first choices of all tokens in their order come
    first, then the second ones, and so on; an expert takes the first C of those
    that choose it. A choice that finds no place is dropped.

    - `slots`[s, l, k] is e * C + c for place c of expert e, -1 if the choice is
      dropped.
    - `tokens`[s, e, c] is k * L + l for the choice that has the place, -1 if
      none has. Places are filled in their order.
    - `load`[s, e] is the number of choices of the expert, dropped ones, too.

    A choice that is no expert, outside of [0, E), is dropped, and counts
    nowhere. Loop s (parallel).

    **Constraints**

    - The indices and slots are [S, L, K], tokens are [S, E, C], the load is
      [S, E].
    - K is at most E; E * C and K * L are less than 2^31, and K * L is at most
      2^24, which f32 counts.
    - The load is of f32 or f64.

    **Example**

    ```mlir
    %slots, %tokens, %load = soap.route %indices : (tensor<2x6x2xi32>)
        -> (tensor<2x6x2xi32>, tensor<2x4x3xi32>, tensor<2x4xf32>)
    ```
  }];
  let arguments = (ins Soap_Label:$indices);
  let results = (outs Soap_Label:$slots, Soap_Label:$tokens, Soap_Float:$load);
  let hasVerifier = 1;
}

def Soap_DispatchOp : Soap_Op<"dispatch", [SpaceInterface, Differentiable]> {
  let summary = "tokens at the places of their experts";
  let description = [{
    y[e, s, c, d] = gates[s, l, k] * x[s, l, d] for the choice (l, k) that
    has place c of expert e, as `tokens` says; 0 where the place is free.
    Without gates they are 1. So y is an operand of a matmul with a matrix for
    each expert. `slots` and `tokens` are of the same `soap.route`; the slots
    are read by the gradient only.

    Loops s, e, c, d (parallel). A split of e leaves the experts of a shard; the
    tokens of a sample are whole.

    **Constraints**

    - x is [S, L, D], slots and gates are [S, L, K], tokens are [S, E, C].
    - y is [E, S, C, D].

    **Example**

    ```mlir
    %y = soap.dispatch %x, %slots, %tokens
       : (tensor<2x6x5xf32>, tensor<2x6x2xi32>, tensor<2x4x3xi32>)
       -> tensor<4x2x3x5xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x, Soap_Label:$slots, Soap_Label:$tokens,
                       Optional<Soap_Float>:$gates);
  let results = (outs Soap_Float:$y);
  let hasVerifier = 1;
}

def Soap_CombineExpertsOp
    : Soap_Op<"combine_experts", [SpaceInterfaceLocal, Differentiable]> {
  let summary = "tokens back from the places of their experts";
  let description = [{
    z[s, l, d] is the sum over k of gates[s, l, k] * y[e, s, c, d] for the
    place c of expert e that slots[s, l, k] - `first_expert` * C names. Dropped
    choices, and choices of experts that y does not have, count 0; so a shard that
    has the experts from `first_expert` on gives a partial sum. Without gates
    they are 1. The transpose of `soap.dispatch`; the tokens are read by the
    gradient only.

    Loops s, l, d (parallel), e (reduction), c (serial).

    **Constraints**

    - y is [E, S, C, D], slots and gates are [S, L, K], tokens are [S, E, C].
    - z is [S, L, D].
    - `first_expert` is in [0, 2^31).

    **Example**

    ```mlir
    %z = soap.combine_experts %y, %slots, %tokens, %gates
       : (tensor<4x2x3x5xf32>, tensor<2x6x2xi32>, tensor<2x4x3xi32>,
          tensor<2x6x2xf32>) -> tensor<2x6x5xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$y, Soap_Label:$slots, Soap_Label:$tokens,
                       Optional<Soap_Float>:$gates,
                       DefaultValuedAttr<I64Attr, "0">:$first_expert);
  let results = (outs Soap_Float:$z);
  let hasVerifier = 1;
}

def Soap_GatesGradOp : Soap_Op<"gates_grad", [SpaceInterfaceLocal]> {
  let summary = "gradient of dispatch and combine_experts in their gates";
  let description = [{
    dgates[s, l, k] is the sum over d of x[s, l, d] * y[e, s, c, d] for the
    place c of expert e that slots[s, l, k] - `first_expert` * C names, and 0
    where it names none that y has. Of `soap.combine_experts`, x is the gradient
    of its result; of `soap.dispatch`, y is.

    Loops s, l (parallel), e, d (reductions), k, c (serial).

    **Constraints**

    - x is [S, L, D], y is [E, S, C, D], slots and dgates are [S, L, K].
    - `first_expert` is in [0, 2^31).

    **Example**

    ```mlir
    %dgates = soap.gates_grad %dz, %y, %slots
        : (tensor<2x6x5xf32>, tensor<4x2x3x5xf32>, tensor<2x6x2xi32>)
        -> tensor<2x6x2xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$y, Soap_Label:$slots,
                       DefaultValuedAttr<I64Attr, "0">:$first_expert);
  let results = (outs Soap_Float:$dgates);
  let hasVerifier = 1;
}
