//===- SoapTrainingOps.td - Update ops ---------------------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizers. The config of an update op says where its parameter lives.
//
//===----------------------------------------------------------------------===//

def Soap_SgdOp : Soap_Op<"sgd", [SpaceInterface]> {
  let summary = "stochastic gradient descent with momentum and weight decay (an update op)";
  let description = [{
    g = gradient + weight_decay * weight; new_velocity = momentum * velocity + g; new_weight = weight - learning_rate * new_velocity. Functional: weights and velocities
    are function arguments, their new values results (donated). Loops d0, d1, ... are the dims of the weight. Without momentum there is no velocity.
  }];
  let arguments = (ins Soap_Float:$weight, Soap_Float:$gradient, Optional<Soap_Float>:$velocity, F64Attr:$learning_rate, F64Attr:$momentum, F64Attr:$weight_decay);
  let results = (outs Soap_Float:$new_weight, Optional<Soap_Float>:$new_velocity);
  let hasVerifier = 1;
}

def Soap_CounterOp : Soap_Op<"counter", [SpaceInterface, SameOperandsAndResultType]> {
  let summary = "counts iterations (an update op)";
  let description = [{ new_step = step + 1, rank 0. The step is a state; optimizers and dropout read the new one, which is 1 in the first iteration. No loops: it is replicated where it is read. }];
  let arguments = (ins Soap_Label:$step);
  let results = (outs Soap_Label:$new_step);
  let hasVerifier = 1;
}
def Soap_BiasCorrectionOp : Soap_Op<"bias_correction", [SpaceInterface]> {
  let summary = "1 / (1 - beta^step)";
  let description = [{ The factor by which Adam scales a moving average that began at 0. Rank 0, one for all weights. No loops. }];
  let arguments = (ins Soap_Label:$step, F64Attr:$beta);
  let results = (outs Soap_Float:$correction);
  let hasVerifier = 1;
}
def Soap_AdamOp : Soap_Op<"adam", [SpaceInterface]> {
  let summary = "Adam and AdamW (an update op)";
  let description = [{
    g = gradient + weight_decay * weight; new_m = beta1 * m + (1 - beta1) * g; new_v = beta2 * v + (1 - beta2) * g^2;
    new_weight = weight - learning_rate * (new_m * correction1) / (sqrt(new_v * correction2) + epsilon), with the corrections of `bias_correction` for beta1 and beta2. With `decoupled` (AdamW) the decay is no part of g: learning_rate * weight_decay * weight is subtracted
    from the weight. Loops d0, d1, ... are the dims of the weight.
  }];
  let arguments = (ins Soap_Float:$weight, Soap_Float:$gradient, Soap_Float:$m, Soap_Float:$v, Soap_Float:$correction1, Soap_Float:$correction2,
                   F64Attr:$learning_rate, F64Attr:$beta1, F64Attr:$beta2, F64Attr:$epsilon, F64Attr:$weight_decay, UnitAttr:$decoupled);
  let results = (outs Soap_Float:$new_weight, Soap_Float:$new_m, Soap_Float:$new_v);
  let hasVerifier = 1;
}
