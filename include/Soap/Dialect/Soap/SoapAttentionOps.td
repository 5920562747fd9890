//===- SoapAttentionOps.td - Attention ---------------------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention as one op, without scores in memory. Over parts of the keys its
// results are states [1 + E, N, H, Q]: the logarithm of the sum of exponentials
// of a query, and its E outputs; they fold with the combiner log_sum_exp.
//
//===----------------------------------------------------------------------===//

/// The weight of a key for a query, beside the product of both.
defvar Soap_AttentionMask = (ins Optional<Soap_Float>:$bias,
                             Optional<Soap_Label>:$query_segments,
                             Optional<Soap_Label>:$key_segments,
                             F64Attr:$scale,
                             DefaultValuedAttr<F64Attr, "0.0">:$softcap,
                             OptionalAttr<I64Attr>:$left,
                             OptionalAttr<I64Attr>:$right,
                             DefaultValuedAttr<I64Attr, "0">:$offset);

def Soap_AttentionOp
    : Soap_Op<"attention", [SpaceInterfaceLocalStages, Differentiable,
                            InferType, AttrSizedOperandSegments]> {
  let summary = "softmax(q k^T) v over visible keys";
  let description = [{
    For sample n, head h, query i and key j, with G heads of queries for each
    head of keys,

    s[n, h, i, j] = scale * sum over d of q[n, h, i, d] * k[n, h / G, j, d],

    or, if `softcap` c is not 0, c * tanh(s / c), plus `bias` where there is
    one. With the sums over the keys that query i sees,

    - lse[n, h, i] = log of the sum of exp(s[n, h, i, j]);
    - out[n, h, i, e] = sum of exp(s[n, h, i, j] - lse[n, h, i]) *
      v[n, h / G, j, e].

    Query i sees key j if `-left <= j - (i + offset) <= right`, where an absent
    bound is none. So `right = 0` is causal attention, `left = 4095, right = 0`
    a sliding window of 4,096 keys, and `offset` is the place among the keys at
    which the queries begin: 1,000 for queries behind 1,000 cached keys. With
    segments, query and key have the same one, too: packed sequences and
    padding. A query without visible keys has out 0 and lse -inf.

    Sinks are written with lse: out * sigmoid(lse - sink).

    Loops n, h (heads of keys), g (heads of queries of one of them), q
    (parallel), k (reduction, a stage loop). Pieces of which no query sees a key
    are left out. A split of k replaces the op by `soap.attention_partial` and
    `soap.attention_result`: with queries and keys split over the same devices
    this is ring attention. Q and key widths are whole.

    **Constraints**

    - q is [N, H, Q, D], k is [N, H / G, K, D], v is [N, H / G, K, E].
    - `bias` has rank 4, and broadcasts to [N, H, Q, K].
    - Query segments are [N, Q] and key segments [N, K], both or none.
    - `softcap` is not negative; `left` and `right` are at least -2^40, `offset`
      is in [-2^40, 2^40].
    - lse is [N, H, Q], in f32 for floats of fewer bits.

    **Example**

    ```mlir
    %out, %lse = soap.attention %q, %k, %v
        {scale = 0.5 : f64, right = 0 : i64,
         operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
        : (tensor<2x4x8x4xf32>, tensor<2x2x8x4xf32>, tensor<2x2x8x6xf32>)
        -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
    ```
  }];
  let arguments = !con((ins Soap_Float:$q, Soap_Float:$k, Soap_Float:$v),
                       Soap_AttentionMask);
  let results = (outs Soap_Float:$out, Soap_Float:$lse);
}

def Soap_AttentionPartialOp
    : Soap_Op<"attention_partial", [SpaceInterfaceLocal, InferType,
                                    AttrSizedOperandSegments]> {
  let summary = "attention over some of the keys";
  let description = [{
    The first stage op of `soap.attention`: state[0] is its lse over these keys,
    state[1 + e] its out. Partial results fold with the combiner `log_sum_exp`.
    Loops n, h, g, q (parallel), k (reduction).

    **Constraints**

    - Operands and attributes as in `soap.attention`.
    - The state is [1 + E, N, H, Q], in f32 for floats of fewer bits.

    **Example**

    ```mlir
    %state = soap.attention_partial %q, %k, %v
        {scale = 0.5 : f64, right = 0 : i64, offset = -4 : i64,
         operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
        : (tensor<2x4x8x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x6xf32>)
        -> tensor<7x2x4x8xf32>
    ```
  }];
  let arguments = !con((ins Soap_Float:$q, Soap_Float:$k, Soap_Float:$v),
                       Soap_AttentionMask);
  let results = (outs Soap_Float:$state);
}

def Soap_AttentionResultOp
    : Soap_Op<"attention_result", [SpaceInterfaceLocal]> {
  let summary = "results of attention from its state";
  let description = [{
    The second stage op of `soap.attention`: lse[n, h, q] = state[0, n, h, q],
    and out[n, h, q, e] = state[1 + e, n, h, q], rounded to the type of out.
    Loops n, h, g, q (parallel), with `groups` heads of queries for each h.

    **Constraints**

    - The state is [1 + E, N, H, Q], out is [N, H, Q, E], lse is [N, H, Q].
    - `groups` divides H.

    **Example**

    ```mlir
    %out, %lse = soap.attention_result %state {groups = 2 : i64}
        : (tensor<7x2x4x8xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$state,
                       DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs Soap_Float:$out, Soap_Float:$lse);
  let hasVerifier = 1;
}

def Soap_AttentionGradOp
    : Soap_Op<"attention_grad", [SpaceInterfaceLocal,
                                 AttrSizedOperandSegments]> {
  let summary = "gradient of attention";
  let description = [{
    With p[n, h, i, j] = exp(s[n, h, i, j] - lse[n, h, i]) for visible keys, 0
    for others, and

    ds = p * (sum over e of dout[.., i, e] * v[.., j, e] - sum over e of
    dout[.., i, e] * out[.., i, e] + dlse[n, h, i]),

    the gradient of v is the sum over the queries of p * dout, and that of the
    bias ds, summed over the dims in which it broadcasts. ds times the
    derivative of the softcap, times `scale`, gives the gradient of q, as the sum
    over the keys of it times k, and of k, as the sum over the queries of it
    times q.
    Without `dlse` it is 0. Gradients of k and v sum over the heads of queries
    that share them. No scores are in memory.

    Loops n, h, g, q, k. A split of k leaves dq partial, one of g or q the
    gradients of k and v.

    **Constraints**

    - Operands and attributes as in `soap.attention`; dout and out are [N, H, Q,
      E], lse and dlse [N, H, Q].
    - dq, dk, dv and dbias have the types of q, k, v and the bias.

    **Example**

    ```mlir
    %dq, %dk, %dv = soap.attention_grad %dout, %q, %k, %v, %out, %lse
        {scale = 0.5 : f64, right = 0 : i64,
         operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
        : (tensor<2x4x8x6xf32>, tensor<2x4x8x4xf32>, tensor<2x2x8x4xf32>,
           tensor<2x2x8x6xf32>, tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
        -> (tensor<2x4x8x4xf32>, tensor<2x2x8x4xf32>, tensor<2x2x8x6xf32>)
    ```
  }];
  let arguments = !con((ins Soap_Float:$dout, Soap_Float:$q, Soap_Float:$k,
                            Soap_Float:$v, Soap_Float:$out, Soap_Float:$lse),
                       Soap_AttentionMask,
                       (ins Optional<Soap_Float>:$dlse));
  let results = (outs Soap_Float:$dq, Soap_Float:$dk, Soap_Float:$dv,
                      Optional<Soap_Float>:$dbias);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Between the products of a tile, in programs of GPUs. Their C++ is a header of
// its own (SoapAttentionTiles.h).
//===----------------------------------------------------------------------===//

def Soap_AttentionWeightsOp
    : Soap_Op<"attention_weights", [AttrSizedOperandSegments]> {
  let summary = "weights and lse of attention from products of q and k";
  let description = [{
    `soap.attention` between its two products, for a tile of queries and the
    keys that they see. With p the products of queries and keys, s is `scale *
    p`, with softcap, bias and hidden keys as there;

    - lse[n, h, i] = log of the sum of exp(s[n, h, i, j]) over visible keys;
    - weights[n, h, i, j] = exp(s[n, h, i, j] - lse[n, h, i]), 0 for a hidden
      key.

    `--soap-expand-attention` makes it, with `offset` as the place of the first
    query among the keys of the tile.

    **Constraints**

    - The products are [N, H, Q, K]; the weights have that shape and any type of
      floats.
    - Bias, segments and attributes as in `soap.attention`.
    - lse is [N, H, Q], with the element type of the products.

    **Example**

    ```mlir
    %weights, %lse = soap.attention_weights %products
        {scale = 0.5 : f64, right = 0 : i64,
         operandSegmentSizes = array<i32: 1, 0, 0, 0>}
        : (tensor<2x4x8x8xf32>) -> (tensor<2x4x8x8xbf16>, tensor<2x4x8xf32>)
    ```
  }];
  let arguments = !con((ins Soap_Float:$products), Soap_AttentionMask);
  let results = (outs Soap_Float:$weights, Soap_Float:$lse);
  let hasVerifier = 1;
}

def Soap_AttentionWeightsGradOp
    : Soap_Op<"attention_weights_grad", [AttrSizedOperandSegments]> {
  let summary = "weights of attention again, and gradients of products";
  let description = [{
    `soap.attention_grad` between its products, for a tile of queries and the
    keys that they see. The weights are as `soap.attention_weights` gives them,
    from the lse of all keys. `dweights` are the products of dout and v, `excess` is
    what is subtracted from each element of a row: the sum of dout * out, less
    dlse. With ds = weights * (dweights - excess), `dproducts` are ds times the
    derivative of s by the products, and `dscores` are ds, which the gradient of
    a bias sums.

    **Constraints**

    - Products and `dweights` are [N, H, Q, K], of one type; the results have
      that shape and any type of floats, `dscores` that of the products.
    - Bias, segments and attributes as in `soap.attention`.
    - lse and excess are [N, H, Q], with the element type of the products.

    **Example**

    ```mlir
    %weights, %dproducts = soap.attention_weights_grad
        %products, %dweights, %lse, %excess
        {scale = 0.5 : f64, right = 0 : i64,
         operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}
        : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>, tensor<2x4x8xf32>,
           tensor<2x4x8xf32>) -> (tensor<2x4x8x8xbf16>, tensor<2x4x8x8xbf16>)
    ```
  }];
  let arguments = !con((ins Soap_Float:$products, Soap_Float:$dweights,
                            Soap_Float:$lse, Soap_Float:$excess),
                       Soap_AttentionMask);
  let results = (outs Soap_Float:$weights, Soap_Float:$dproducts,
                      Optional<Soap_Float>:$dscores);
  let hasVerifier = 1;
}
