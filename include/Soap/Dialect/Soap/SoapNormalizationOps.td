//===- SoapNormalizationOps.td - Norms, softmax, cross-entropy -*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops with stages (inner reductions), and their stage ops. Statistics are tensors: [3, C] of count, mean, M2 (combiner moments);
// [3, N] of max, sum of exponentials, logit of the label (combiner softmax).
//
//===----------------------------------------------------------------------===//

def Soap_BatchNormOp : Soap_Op<"batch_norm", [SpaceInterface, Differentiable, AllTypesMatch<["x", "y"]>]> {
  let summary = "batch normalization with given statistics (inference)";
  let description = [{ y = (x - mean[c]) / sqrt(var[c] + epsilon) * gamma[c] + beta[c]; x has rank >= 2, c is dim 1. Loops d0, c, d2, ... are the dims of x (parallel). Differentiable in x, gamma and beta. }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$gamma, Soap_Float:$beta, Soap_Float:$mean, Soap_Float:$var, F64Attr:$epsilon);
  let results = (outs Soap_Float:$y);
  let hasVerifier = 1;
}

def Soap_BatchNormTrainOp : Soap_Op<"batch_norm_train", [SpaceInterfaceStages, Differentiable, InferType]> {
  let summary = "batch normalization with the statistics of the whole batch";
  let description = [{
    Results y and stats [3, C] = count, mean, M2 (sum of squared deviations) per channel. Variance = M2 / count. Loops n, c, d2, ... (names n, c, then h, w if rank is 4, else d2, ...); all but c are stage loops (type parallel with `stage`, for y),
    and cutting one replaces the op by `batch_norm_stats` and `batch_norm_apply`.
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$gamma, Soap_Float:$beta, F64Attr:$epsilon);
  let results = (outs Soap_Float:$y, Soap_Float:$stats);
}
def Soap_BatchNormStatsOp : Soap_Op<"batch_norm_stats", [SpaceInterface, InferType]> {
  let summary = "count, mean and M2 of each channel";
  let description = [{ stats [3, C], combiner moments. Loops n, h, w (reduction), c (parallel), named and ordered as in batch_norm_train. }];
  let arguments = (ins Soap_Float:$x);
  let results = (outs Soap_Float:$stats);
}
def Soap_BatchNormApplyOp : Soap_Op<"batch_norm_apply", [SpaceInterface, AllTypesMatch<["x", "y"]>]> {
  let summary = "normalizes with given statistics";
  let arguments = (ins Soap_Float:$x, Soap_Float:$stats, Soap_Float:$gamma, Soap_Float:$beta, F64Attr:$epsilon);
  let results = (outs Soap_Float:$y);
  let hasVerifier = 1;
}
def Soap_BatchNormGradOp : Soap_Op<"batch_norm_grad", [SpaceInterfaceStages]> {
  let summary = "gradients of batch_norm_train";
  let description = [{
    dbeta[c] = sum dy, dgamma[c] = sum dy * xhat, dx = gamma / sqrt(var + epsilon) * (dy - dbeta / count - xhat * dgamma / count). Stages: batch_norm_grad_reduce, batch_norm_grad_apply. Loops as batch_norm_train.
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$x, Soap_Float:$stats, Soap_Float:$gamma, F64Attr:$epsilon);
  let results = (outs Soap_Float:$dx, Soap_Float:$dgamma, Soap_Float:$dbeta);
  let hasVerifier = 1;
}
def Soap_BatchNormGradReduceOp : Soap_Op<"batch_norm_grad_reduce", [SpaceInterface]> {
  let summary = "dgamma and dbeta of batch norm";
  let arguments = (ins Soap_Float:$dy, Soap_Float:$x, Soap_Float:$stats, F64Attr:$epsilon);
  let results = (outs Soap_Float:$dgamma, Soap_Float:$dbeta);
  let hasVerifier = 1;
}
def Soap_BatchNormGradApplyOp : Soap_Op<"batch_norm_grad_apply", [SpaceInterface]> {
  let summary = "dx of batch norm from its reduced gradients";
  let arguments = (ins Soap_Float:$dy, Soap_Float:$x, Soap_Float:$stats, Soap_Float:$gamma, Soap_Float:$dgamma, Soap_Float:$dbeta, F64Attr:$epsilon);
  let results = (outs Soap_Float:$dx);
  let hasVerifier = 1;
}
def Soap_RunningStatsUpdateOp : Soap_Op<"running_stats_update", [SpaceInterface]> {
  let summary = "exponential moving averages of batch norm statistics (an update op)";
  let description = [{
    new_mean = (1 - momentum) * mean + momentum * batch mean; new_var likewise with the unbiased variance M2 / (count - 1). Loop c.
  }];
  let arguments = (ins Soap_Float:$mean, Soap_Float:$var, Soap_Float:$stats, F64Attr:$momentum);
  let results = (outs Soap_Float:$new_mean, Soap_Float:$new_var);
  let hasVerifier = 1;
}

def Soap_CrossEntropyOp : Soap_Op<"cross_entropy", [SpaceInterfaceStages, Differentiable, InferType]> {
  let summary = "softmax cross-entropy with integer labels";
  let description = [{
    loss = scale * sum over rows n of (log sum exp(x[n, :]) - x[n, label[n]]), correct = number of rows whose label's logit is the maximum, both rank 0; stats [3, N] = max, sum of exp(x - max),
    logit of the label. Rows with a negative label count nothing. Logits [N, K] f, labels [N] i32. `scale` is 1/N for the mean. Loops n (parallel for stats, summed into loss and correct), k (a stage loop, reduction). Cutting k
    replaces the op by softmax_stats and cross_entropy_loss. Loop n: loss and correct have no n, so cutting n leaves them partial sums. With a label for every position of a sequence, rows have several dims: logits [T, N, K],
    labels [T, N], stats [3, T, N], loops n0, n1, ..., k. So it is for the stages and the gradient.
  }];
  let arguments = (ins Soap_Float:$logits, Soap_Label:$labels, F64Attr:$scale);
  let results = (outs Soap_Float:$loss, Soap_Float:$correct, Soap_Float:$stats);
}
def Soap_SoftmaxStatsOp : Soap_Op<"softmax_stats", [SpaceInterfaceLocal, InferType]> {
  let summary = "max, sum of exponentials and label's logit of each row";
  let description = [{ stats [3, N], combiner softmax. `class_offset`: index of the first class of the tile. The third statistic is 0 where the label's class is elsewhere. Loops n (parallel), k (reduction). }];
  let arguments = (ins Soap_Float:$logits, Soap_Label:$labels, DefaultValuedAttr<I64Attr, "0">:$class_offset);
  let results = (outs Soap_Float:$stats);
}
def Soap_CrossEntropyLossOp : Soap_Op<"cross_entropy_loss", [SpaceInterface, InferType]> {
  let summary = "loss and number of correct rows from softmax statistics";
  let description = [{ Loops n (reduction for both results). }];
  let arguments = (ins Soap_Float:$stats, Soap_Label:$labels, F64Attr:$scale);
  let results = (outs Soap_Float:$loss, Soap_Float:$correct);
}
def Soap_CrossEntropyGradOp : Soap_Op<"cross_entropy_grad", [SpaceInterfaceLocal]> {
  let summary = "gradient of cross_entropy with respect to the logits";
  let description = [{
    dx[n, k] = dloss * scale * (exp(x[n, k] - max[n]) / sum[n] - (k + class_offset == label[n])), 0 for rows with a negative label. dloss is rank 0. Loops n, k (parallel).
  }];
  let arguments = (ins Soap_Float:$dloss, Soap_Float:$logits, Soap_Label:$labels, Soap_Float:$stats, F64Attr:$scale, DefaultValuedAttr<I64Attr, "0">:$class_offset);
  let results = (outs Soap_Float:$dx);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Norms and softmax along dims of a sample. Their stages are ordinary ops: reduce, broadcast, elementwise.
//===----------------------------------------------------------------------===//

def Soap_SoftmaxOp : Soap_Op<"softmax", [SpaceInterfaceStages, Differentiable, SameOperandsAndResultType]> {
  let summary = "exponentials along a dim, scaled to the sum 1";
  let description = [{
    y = e^(x - max) / sum of e^(x - max), max and sum along dim `axis`. Loops d0, d1, ...; that of the axis is a stage loop. A row of -inf alone gives NaN, as the formula does.
  }];
  let arguments = (ins Soap_Float:$x, I64Attr:$axis);
  let results = (outs Soap_Float:$y);
  let hasVerifier = 1;
}
def Soap_SoftmaxGradOp : Soap_Op<"softmax_grad", [SpaceInterfaceStages, SameOperandsAndResultType]> {
  let summary = "gradient of softmax with respect to x";
  let description = [{ dx = y * (dy - sum of dy * y along dim `axis`). Loops as softmax. }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$y, I64Attr:$axis);
  let results = (outs Soap_Float:$dx);
  let hasVerifier = 1;
}

def Soap_LayerNormOp : Soap_Op<"layer_norm", [SpaceInterfaceStages, Differentiable, InferType]> {
  let summary = "normalization over the last dims, from `axis` on";
  let description = [{
    y = (x - mean) * rstd * gamma + beta with mean and rstd = 1 / sqrt(variance + epsilon) of each row; gamma and beta have the shape of the normalized dims, mean and rstd that of the others: the gradient needs them. Loops d0, d1, ...;
    those from `axis` on are stage loops. The variance is the mean of squared deviations from the mean (two passes).
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$gamma, Soap_Float:$beta, I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Soap_Float:$y, Soap_Float:$mean, Soap_Float:$rstd);
}
def Soap_LayerNormGradOp : Soap_Op<"layer_norm_grad", [SpaceInterfaceStages]> {
  let summary = "gradients of layer_norm";
  let description = [{
    With xhat = (x - mean) * rstd and g = dy * gamma: dx = rstd * (g - mean of g - xhat * mean of g * xhat), means along the normalized dims; dgamma = sum over rows of dy * xhat, dbeta = sum over rows of dy. Loops as layer_norm:
    cutting rows leaves dgamma and dbeta partial.
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$x, Soap_Float:$mean, Soap_Float:$rstd, Soap_Float:$gamma, I64Attr:$axis);
  let results = (outs Soap_Float:$dx, Soap_Float:$dgamma, Soap_Float:$dbeta);
  let hasVerifier = 1;
}
def Soap_RmsNormOp : Soap_Op<"rms_norm", [SpaceInterfaceStages, Differentiable, InferType]> {
  let summary = "division by the root mean square of the last dims, from `axis` on";
  let description = [{ y = x * rstd * gamma with rstd = 1 / sqrt(mean of x^2 + epsilon) of each row. Loops and shapes as layer_norm. }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$gamma, I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Soap_Float:$y, Soap_Float:$rstd);
}
def Soap_RmsNormGradOp : Soap_Op<"rms_norm_grad", [SpaceInterfaceStages]> {
  let summary = "gradients of rms_norm";
  let description = [{ With xhat = x * rstd and g = dy * gamma: dx = rstd * (g - xhat * mean of g * xhat), dgamma = sum over rows of dy * xhat. Loops as layer_norm. }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$x, Soap_Float:$rstd, Soap_Float:$gamma, I64Attr:$axis);
  let results = (outs Soap_Float:$dx, Soap_Float:$dgamma);
  let hasVerifier = 1;
}
