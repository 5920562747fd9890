//===- SoapNormalizationOps.td - Norms, softmax, loss ------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops with stages (inner reductions), and their stage ops. Statistics are
// tensors: [3, C] of count, mean, M2 (combiner moments); [3, N] of max, sum of
// exponentials, logit of the label (combiner softmax).
//
//===----------------------------------------------------------------------===//

def Soap_BatchNormOp
    : Soap_Op<"batch_norm", [SpaceInterface, Differentiable,
                             AllTypesMatch<["x", "y"]>]> {
  let summary = "batch normalization with given statistics (inference)";
  let description = [{
    y = (x - mean[c]) / sqrt(var[c] + epsilon) * gamma[c] + beta[c], where c is
    dim 1 of x. Loops d0, c, d2, ... are the dims of x (parallel). It has
    gradients for x, gamma and beta.

    **Constraints**

    - x is [N, C, ...]; the result has its type.
    - The other operands have shape [C].

    **Example**

    ```mlir
    %y = soap.batch_norm %x, %gamma, %beta, %mean, %var {epsilon = 1.0e-5 : f64}
       : (tensor<4x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>,
          tensor<3xf32>) -> tensor<4x3x2x2xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$gamma, Soap_Float:$beta,
                       Soap_Float:$mean, Soap_Float:$var, F64Attr:$epsilon);
  let results = (outs Soap_Float:$y);
  let hasVerifier = 1;
}

def Soap_BatchNormTrainOp
    : Soap_Op<"batch_norm_train", [SpaceInterfaceLocalStages, Differentiable,
                                   InferType]> {
  let summary = "batch normalization with the statistics of the whole batch";
  let description = [{
    As `soap.batch_norm` with the mean and the variance of the batch. `stats`
    [3, C] are count, mean and M2, the sum of squared deviations, of each
    channel; the variance is M2 / count.

    Loops n, c, d2, ... in the order of the dims of x (n, c, h, w if the rank is
    4). They are parallel, and all but c are stage loops: a config that splits
    one replaces the op by `soap.batch_norm_stats` and `soap.batch_norm_apply`.

    With `groups` G above 1, each of G groups of N / G samples that follow each
    other is normalized with its own statistics. Loop n counts the samples of a
    group, the first loop, g, the groups: it is parallel and no stage loop, so a
    config that splits only g exchanges no statistics. `stats` are [3, G * C],
    group by group.

    **Constraints**

    - x is [N, C, ...]; y has its type.
    - gamma and beta have shape [C].
    - `groups` is at least 1 and divides N.

    **Example**

    ```mlir
    %y, %stats = soap.batch_norm_train %x, %gamma, %beta
        {epsilon = 1.0e-5 : f64}
               : (tensor<4x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>)
               -> (tensor<4x3x2x2xf32>, tensor<3x3xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$gamma, Soap_Float:$beta,
                       F64Attr:$epsilon,
                       DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs Soap_Float:$y, Soap_Float:$stats);
}

def Soap_BatchNormStatsOp
    : Soap_Op<"batch_norm_stats", [SpaceInterfaceLocal, InferType]> {
  let summary = "count, mean and M2 of each channel";
  let description = [{
    The first stage op of `soap.batch_norm_train`. Partial results fold with the
    combiner `moments`. Loops are named and ordered as there: c is parallel, the
    others are reductions.

    **Constraints**

    - x is [N, C, ...]; the result is [3, `groups` * C].
    - `groups` is at least 1 and divides N.

    **Example**

    ```mlir
    %stats = soap.batch_norm_stats %x : (tensor<4x3x2x2xf32>) -> tensor<3x3xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x,
                       DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs Soap_Float:$stats);
}

def Soap_BatchNormApplyOp
    : Soap_Op<"batch_norm_apply", [SpaceInterfaceLocal,
                                   AllTypesMatch<["x", "y"]>]> {
  let summary = "normalizes with given statistics";
  let description = [{
    The second stage op of `soap.batch_norm_train`. Loops as there, all
    parallel.

    **Constraints**

    - x is [N, C, ...]; the result has its type.
    - `stats` are [3, `groups` * C]; gamma and beta have shape [C].
    - `groups` is at least 1 and divides N.

    **Example**

    ```mlir
    %y = soap.batch_norm_apply %x, %stats, %gamma, %beta
        {epsilon = 1.0e-5 : f64}
       : (tensor<4x3x2x2xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>)
       -> tensor<4x3x2x2xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$stats, Soap_Float:$gamma,
                       Soap_Float:$beta, F64Attr:$epsilon,
                       DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs Soap_Float:$y);
  let hasVerifier = 1;
}

def Soap_BatchNormGradOp
    : Soap_Op<"batch_norm_grad", [SpaceInterfaceLocalStages]> {
  let summary = "gradients of batch_norm_train";
  let description = [{
    With xhat = (x - mean) / sqrt(var + epsilon): dbeta[c] = sum of dy,
    dgamma[c] = sum of dy * xhat, dx = gamma / sqrt(var + epsilon) * (dy - dbeta
    / count - xhat * dgamma / count). Loops as `soap.batch_norm_train`. The
    stage ops are `soap.batch_norm_grad_reduce` and
    `soap.batch_norm_grad_apply`. With `groups`, dgamma and dbeta have sums
    of each group, group by group: dx needs them apart.

    **Constraints**

    - x is [N, C, ...]; dy and dx have its type.
    - gamma has shape [C], dgamma and dbeta have shape [`groups` * C]; `stats`
      are [3, `groups` * C].
    - `groups` is at least 1 and divides N.

    **Example**

    ```mlir
    %dx, %dgamma, %dbeta = soap.batch_norm_grad %dy, %x, %stats, %gamma
        {epsilon = 1.0e-5 : f64}
        : (tensor<4x3x2x2xf32>, tensor<4x3x2x2xf32>, tensor<3x3xf32>,
           tensor<3xf32>)
        -> (tensor<4x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$x, Soap_Float:$stats,
                       Soap_Float:$gamma, F64Attr:$epsilon,
                       DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs Soap_Float:$dx, Soap_Float:$dgamma, Soap_Float:$dbeta);
  let hasVerifier = 1;
}

def Soap_BatchNormGradReduceOp
    : Soap_Op<"batch_norm_grad_reduce", [SpaceInterfaceLocal]> {
  let summary = "dgamma and dbeta of batch norm";
  let description = [{
    The first stage op of `soap.batch_norm_grad`. Loops as there; c is parallel,
    the others are reductions.

    **Constraints**

    - x is [N, C, ...]; dy has its type.
    - `stats` are [3, `groups` * C]; the results have shape [`groups` * C].
    - `groups` is at least 1 and divides N.

    **Example**

    ```mlir
    %dgamma, %dbeta = soap.batch_norm_grad_reduce %dy, %x, %stats
        {epsilon = 1.0e-5 : f64}
        : (tensor<4x3x2x2xf32>, tensor<4x3x2x2xf32>, tensor<3x3xf32>)
        -> (tensor<3xf32>, tensor<3xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$x, Soap_Float:$stats,
                       F64Attr:$epsilon,
                       DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs Soap_Float:$dgamma, Soap_Float:$dbeta);
  let hasVerifier = 1;
}

def Soap_BatchNormGradApplyOp
    : Soap_Op<"batch_norm_grad_apply", [SpaceInterfaceLocal]> {
  let summary = "dx of batch norm from its reduced gradients";
  let description = [{
    The second stage op of `soap.batch_norm_grad`. Loops as there, all parallel.

    **Constraints**

    - x is [N, C, ...]; dy and dx have its type.
    - gamma has shape [C], dgamma and dbeta have shape [`groups` * C]; `stats`
      are [3, `groups` * C].
    - `groups` is at least 1 and divides N.

    **Example**

    ```mlir
    %dx = soap.batch_norm_grad_apply %dy, %x, %stats, %gamma, %dgamma, %dbeta
        {epsilon = 1.0e-5 : f64}
        : (tensor<4x3x2x2xf32>, tensor<4x3x2x2xf32>, tensor<3x3xf32>,
           tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x2x2xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$x, Soap_Float:$stats,
                       Soap_Float:$gamma, Soap_Float:$dgamma, Soap_Float:$dbeta,
                       F64Attr:$epsilon,
                       DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs Soap_Float:$dx);
  let hasVerifier = 1;
}

def Soap_RunningStatsUpdateOp
    : Soap_Op<"running_stats_update", [SpaceInterface]> {
  let summary = "moving averages of batch norm statistics (an update op)";
  let description = [{
    new_mean = (1 - momentum) * mean + momentum * batch mean. new_var is the
    same of the unbiased variance M2 / (count - 1). An update op. Loop c.

    Of `groups` G above 1, the new averages are the mean over the groups. Loop g
    counts the groups; it is serial.

    **Constraints**

    - mean, var and the results have shape [C]; `stats` are [3, `groups` * C].
    - `groups` is at least 1.
    - `momentum` is in [0, 1].

    **Example**

    ```mlir
    %new_mean, %new_var = soap.running_stats_update %mean, %var, %stats
        {momentum = 0.1 : f64}
        : (tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>)
        -> (tensor<3xf32>, tensor<3xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$mean, Soap_Float:$var, Soap_Float:$stats,
                       F64Attr:$momentum,
                       DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs Soap_Float:$new_mean, Soap_Float:$new_var);
  let hasVerifier = 1;
}

def Soap_CrossEntropyOp
    : Soap_Op<"cross_entropy", [SpaceInterfaceStages, Differentiable,
                                InferType]> {
  let summary = "softmax cross-entropy with integer labels";
  let description = [{
    loss = scale * sum over rows n of (log sum exp(x[n, :]) - x[n, label[n]]).
    `correct` is the number of rows in which the logit of the label is the
    maximum. `stats` [3, N] are the maximum, the sum of exp(x - maximum), and
    the logit of the label. Rows with a negative label count nothing. A `scale`
    of 1/N gives the mean.

    Loops n (parallel) and k (reduction, a stage loop). A split of n leaves loss
    and correct partial sums. A split of k replaces the op by
    `soap.softmax_stats` and `soap.cross_entropy_loss`.

    If every position of a sequence has a label, rows have several dims: logits
    [T, N, K], labels [T, N], stats [3, T, N], loops n0, n1, ..., k. The same
    holds for the stage ops and the gradient.

    **Constraints**

    - Logits are [.., K] of rank 2 or more, labels have the same shape without
      K.
    - loss and correct have rank 0.

    **Example**

    ```mlir
    %loss, %correct, %stats = soap.cross_entropy %x, %labels
        {scale = 0.25 : f64}
        : (tensor<4x10xf32>, tensor<4xi32>)
        -> (tensor<f32>, tensor<f32>, tensor<3x4xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$logits, Soap_Label:$labels, F64Attr:$scale);
  let results = (outs Soap_Float:$loss, Soap_Float:$correct, Soap_Float:$stats);
}

def Soap_SoftmaxStatsOp
    : Soap_Op<"softmax_stats", [SpaceInterfaceLocal, InferType]> {
  let summary = "max, sum of exponentials and label's logit of each row";
  let description = [{
    The first stage op of `soap.cross_entropy`. Partial results fold with the
    combiner `softmax`. `class_offset` is the first class of the tile. The third
    statistic is 0 where the class of the label is in another tile. Loops n
    (parallel), k (reduction).

    **Constraints**

    - Operands as in `soap.cross_entropy`; the result is [3, N].
    - `class_offset` is not negative.

    **Example**

    ```mlir
    %stats = soap.softmax_stats %x, %labels {class_offset = 5 : i64}
           : (tensor<4x5xf32>, tensor<4xi32>) -> tensor<3x4xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$logits, Soap_Label:$labels,
                       DefaultValuedAttr<I64Attr, "0">:$class_offset);
  let results = (outs Soap_Float:$stats);
}

def Soap_CrossEntropyLossOp
    : Soap_Op<"cross_entropy_loss", [SpaceInterface, InferType]> {
  let summary = "loss and number of correct rows from statistics";
  let description = [{
    The second stage op of `soap.cross_entropy`. Loop n is a reduction for both
    results.

    **Constraints**

    - Labels have rank 1 or more; `stats` are [3, shape of the labels].

    **Example**

    ```mlir
    %loss, %correct = soap.cross_entropy_loss %stats, %labels
        {scale = 0.25 : f64}
        : (tensor<3x4xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<f32>)
    ```
  }];
  let arguments = (ins Soap_Float:$stats, Soap_Label:$labels, F64Attr:$scale);
  let results = (outs Soap_Float:$loss, Soap_Float:$correct);
}

def Soap_CrossEntropyGradOp
    : Soap_Op<"cross_entropy_grad", [SpaceInterfaceLocal]> {
  let summary = "gradient of cross_entropy with respect to the logits";
  let description = [{
    dx[n, k] = dloss * scale * (exp(x[n, k] - max[n]) / sum[n] - (k +
    class_offset == label[n])), and 0 in rows with a negative label. Loops n, k
    (parallel).

    **Constraints**

    - Logits and labels as in `soap.cross_entropy`; dx has the type of the
      logits.
    - dloss has rank 0.
    - `class_offset` is not negative.

    **Example**

    ```mlir
    %dx = soap.cross_entropy_grad %dloss, %x, %labels, %stats
        {scale = 0.25 : f64}
        : (tensor<f32>, tensor<4x10xf32>, tensor<4xi32>, tensor<3x4xf32>)
        -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$dloss, Soap_Float:$logits,
                       Soap_Label:$labels, Soap_Float:$stats, F64Attr:$scale,
                       DefaultValuedAttr<I64Attr, "0">:$class_offset);
  let results = (outs Soap_Float:$dx);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Norms and softmax along dims of a sample. Their stages are ordinary ops:
// reduce, broadcast, elementwise.
//===----------------------------------------------------------------------===//

def Soap_SoftmaxOp
    : Soap_Op<"softmax", [SpaceInterfaceStages, Differentiable,
                          SameOperandsAndResultType]> {
  let summary = "exponentials along a dim, scaled to the sum 1";
  let description = [{
    y = exp(x - max) / sum of exp(x - max), with max and sum along dim `axis`.
    Loops d0, d1, ...; that of the axis is a stage loop. A row of -inf gives
    NaN, as the formula does.

    **Constraints**

    - `axis` is a dim of x.
    - The result has the type of x.

    **Example**

    ```mlir
    %y = soap.softmax %x {axis = 1 : i64} : tensor<4x6xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x, I64Attr:$axis);
  let results = (outs Soap_Float:$y);
  let hasVerifier = 1;
}

def Soap_SoftmaxGradOp
    : Soap_Op<"softmax_grad", [SpaceInterfaceStages,
                               SameOperandsAndResultType]> {
  let summary = "gradient of softmax with respect to x";
  let description = [{
    dx = y * (dy - sum of dy * y along dim `axis`). Loops as `soap.softmax`.

    **Constraints**

    - `axis` is a dim of y.
    - Operands and result have the same type.

    **Example**

    ```mlir
    %dx = soap.softmax_grad %dy, %y {axis = 1 : i64} : tensor<4x6xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$y, I64Attr:$axis);
  let results = (outs Soap_Float:$dx);
  let hasVerifier = 1;
}

def Soap_LayerNormOp
    : Soap_Op<"layer_norm", [SpaceInterfaceStages, Differentiable, InferType]> {
  let summary = "normalization over the last dims";
  let description = [{
    y = (x - mean) * rstd * gamma + beta, with mean and rstd = 1 / sqrt(variance
    + epsilon) of each row: of the dims from `axis` on. The variance is the mean
    of squared deviations from the mean (two passes). mean and rstd are results
    because the gradient needs them. Loops d0, d1, ...; those from `axis` on are
    stage loops.

    **Constraints**

    - `axis` is a dim of x.
    - gamma and beta have the dims of x from `axis` on, mean and rstd the dims
      before.

    **Example**

    ```mlir
    %y, %mean, %rstd = soap.layer_norm %x, %gamma, %beta
        {axis = 1 : i64, epsilon = 1.0e-5 : f64}
        : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>)
        -> (tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$gamma, Soap_Float:$beta,
                       I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Soap_Float:$y, Soap_Float:$mean, Soap_Float:$rstd);
}

def Soap_LayerNormGradOp : Soap_Op<"layer_norm_grad", [SpaceInterfaceStages]> {
  let summary = "gradients of layer_norm";
  let description = [{
    With xhat = (x - mean) * rstd and g = dy * gamma: dx = rstd * (g - mean of g
    - xhat * mean of g * xhat), means along the normalized dims; dgamma = sum
    over rows of dy * xhat; dbeta = sum over rows of dy. Loops as
    `soap.layer_norm`. A split of rows leaves dgamma and dbeta partial.

    **Constraints**

    - Shapes as in `soap.layer_norm`; dy and dx have the shape of x.

    **Example**

    ```mlir
    %dx, %dgamma, %dbeta = soap.layer_norm_grad %dy, %x, %mean, %rstd, %gamma
        {axis = 1 : i64}
        : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>,
           tensor<6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$x, Soap_Float:$mean,
                       Soap_Float:$rstd, Soap_Float:$gamma, I64Attr:$axis);
  let results = (outs Soap_Float:$dx, Soap_Float:$dgamma, Soap_Float:$dbeta);
  let hasVerifier = 1;
}

def Soap_RmsNormOp
    : Soap_Op<"rms_norm", [SpaceInterfaceStages, Differentiable, InferType]> {
  let summary = "division by the root mean square of the last dims";
  let description = [{
    y = x * rstd * gamma, with rstd = 1 / sqrt(mean of x^2 + epsilon) of each
    row: of the dims from `axis` on. Loops as `soap.layer_norm`.

    **Constraints**

    - Shapes as in `soap.layer_norm`.

    **Example**

    ```mlir
    %y, %rstd = soap.rms_norm %x, %gamma
        {axis = 1 : i64, epsilon = 1.0e-5 : f64}
              : (tensor<4x6xf32>, tensor<6xf32>)
              -> (tensor<4x6xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$gamma, I64Attr:$axis,
                       F64Attr:$epsilon);
  let results = (outs Soap_Float:$y, Soap_Float:$rstd);
}

def Soap_RmsNormGradOp : Soap_Op<"rms_norm_grad", [SpaceInterfaceStages]> {
  let summary = "gradients of rms_norm";
  let description = [{
    With xhat = x * rstd and g = dy * gamma: dx = rstd * (g - xhat * mean of g *
    xhat), dgamma = sum over rows of dy * xhat. Loops as `soap.layer_norm`.

    **Constraints**

    - Shapes as in `soap.layer_norm`; dy and dx have the shape of x.

    **Example**

    ```mlir
    %dx, %dgamma = soap.rms_norm_grad %dy, %x, %rstd, %gamma {axis = 1 : i64}
        : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<6xf32>)
        -> (tensor<4x6xf32>, tensor<6xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$x, Soap_Float:$rstd,
                       Soap_Float:$gamma, I64Attr:$axis);
  let results = (outs Soap_Float:$dx, Soap_Float:$dgamma);
  let hasVerifier = 1;
}
