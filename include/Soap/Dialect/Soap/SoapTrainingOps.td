//===- SoapTrainingOps.td - Update ops ---------------------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizers. The config of an update op says where its parameter lives.
//
//===----------------------------------------------------------------------===//

def Soap_SgdOp : Soap_Op<"sgd", [SpaceInterface]> {
  let summary = "stochastic gradient descent (an update op)";
  let description = [{
    g = gradient + weight_decay * weight; new_velocity = momentum * velocity +
    g; new_weight = weight - learning_rate * new_velocity. Without momentum
    there is no velocity. An update op: weight and velocity are arguments of the
    function, their new values results. Loops d0, d1, ... are the dims of the
    weight.

    **Constraints**

    - All operands and results have one type.
    - There is a velocity as operand and result, or none; it is needed unless
      `momentum` is 0.

    **Example**

    ```mlir
    %w1, %v1 = soap.sgd %w, %gradient, %v {learning_rate = 0.1 : f64,
             momentum = 0.9 : f64, weight_decay = 0.0 : f64}
             : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
             -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$weight, Soap_Float:$gradient,
                       Optional<Soap_Float>:$velocity, F64Attr:$learning_rate,
                       F64Attr:$momentum, F64Attr:$weight_decay);
  let results = (outs Soap_Float:$new_weight,
                      Optional<Soap_Float>:$new_velocity);
  let hasVerifier = 1;
}

def Soap_CounterOp
    : Soap_Op<"counter", [SpaceInterface, SameOperandsAndResultType]> {
  let summary = "counts iterations (an update op)";
  let description = [{
    new_step = step + 1. The step is a state. Optimizers and dropout read the
    new one, which is 1 in the first iteration. It has no loops: it is
    replicated where it is read.

    **Constraints**

    - Step and result have rank 0.

    **Example**

    ```mlir
    %new_step = soap.counter %step : tensor<i32>
    ```
  }];
  let arguments = (ins Soap_Label:$step);
  let results = (outs Soap_Label:$new_step);
  let hasVerifier = 1;
}

def Soap_BiasCorrectionOp : Soap_Op<"bias_correction", [SpaceInterface]> {
  let summary = "1 / (1 - beta^step)";
  let description = [{
    1 / (1 - beta^step): the factor by which Adam scales a moving average that
    began at 0. One for all weights. It has no loops.

    **Constraints**

    - Step and result have rank 0.
    - `beta` is in [0, 1).

    **Example**

    ```mlir
    %correction = soap.bias_correction %step {beta = 0.9 : f64}
                : (tensor<i32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Soap_Label:$step, F64Attr:$beta);
  let results = (outs Soap_Float:$correction);
  let hasVerifier = 1;
}

def Soap_AdamOp : Soap_Op<"adam", [SpaceInterface]> {
  let summary = "Adam and AdamW (an update op)";
  let description = [{
    g = gradient + weight_decay * weight; new_m = beta1 * m + (1 - beta1) * g;
    new_v = beta2 * v + (1 - beta2) * g^2; new_weight = weight - learning_rate *
    (new_m * correction1) / (sqrt(new_v * correction2) + epsilon), with the
    corrections of `soap.bias_correction` for beta1 and beta2. With `decoupled`
    (AdamW) g is the gradient, and learning_rate * weight_decay * weight is
    subtracted from the weight. An update op. Loops d0, d1, ... are the dims of
    the weight.

    **Constraints**

    - Weight, gradient, moments and results have one type; corrections have rank
      0.
    - `beta1` and `beta2` are in [0, 1).

    **Example**

    ```mlir
    %w1, %m1, %v1 = soap.adam %w, %gradient, %m, %v, %c1, %c2
        {learning_rate = 0.1 : f64, beta1 = 0.9 : f64, beta2 = 0.99 : f64,
         epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, decoupled}
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
           tensor<f32>, tensor<f32>)
        -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins Soap_Float:$weight, Soap_Float:$gradient, Soap_Float:$m,
                       Soap_Float:$v, Soap_Float:$correction1,
                       Soap_Float:$correction2, F64Attr:$learning_rate,
                       F64Attr:$beta1, F64Attr:$beta2, F64Attr:$epsilon,
                       F64Attr:$weight_decay, UnitAttr:$decoupled);
  let results = (outs Soap_Float:$new_weight, Soap_Float:$new_m,
                      Soap_Float:$new_v);
  let hasVerifier = 1;
}
