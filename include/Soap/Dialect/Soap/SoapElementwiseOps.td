//===- SoapElementwiseOps.td - The elementwise family ------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unary and binary ops (binary with NumPy broadcasting), bias, and the
// gradients that need ops of their own. Loops d0, d1, ... are the dims of the
// result.
//
//===----------------------------------------------------------------------===//

/// y[i] = f(x[i]).
class Soap_UnaryOp<string mnemonic, string formula, list<Trait> traits = []>
    : Soap_Op<mnemonic, !listconcat([SpaceInterface,
                                     SameOperandsAndResultType], traits)> {
  let summary = "elementwise " # formula;
  let description = "Element by element " # formula #
    ". Loops d0, d1, ... are the dims of x.\n\n"
    "**Constraints**\n\n- The result has the type of the operand.\n\n"
    "**Example**\n\n```mlir\n%y = soap." # mnemonic #
    " %x : tensor<8x4xf32>\n```\n";
  let arguments = (ins Soap_Float:$x);
  let results = (outs Soap_Float:$y);
}
def Soap_ReluOp : Soap_UnaryOp<"relu", "max(x, 0)", [Differentiable]> {
  let hasFolder = 1;
}

def Soap_NegOp : Soap_UnaryOp<"neg", "-x (linear)", [Differentiable]> {
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Soap_AbsOp : Soap_UnaryOp<"abs", "|x|", [Differentiable]> {
  let hasFolder = 1;
}

def Soap_ExpOp : Soap_UnaryOp<"exp", "e^x", [Differentiable]>;
def Soap_LogOp : Soap_UnaryOp<"log", "natural logarithm", [Differentiable]>;
def Soap_SqrtOp : Soap_UnaryOp<"sqrt", "square root", [Differentiable]>;
def Soap_TanhOp : Soap_UnaryOp<"tanh", "hyperbolic tangent", [Differentiable]>;
def Soap_SigmoidOp
    : Soap_UnaryOp<"sigmoid", "1 / (1 + e^-x)", [Differentiable]>;
def Soap_SignOp : Soap_UnaryOp<"sign", "-1, 0 or 1">;
def Soap_Log1pOp
    : Soap_UnaryOp<"log1p", "log(1 + x), exact for small x", [Differentiable]>;
def Soap_Expm1Op
    : Soap_UnaryOp<"expm1", "e^x - 1, exact for small x", [Differentiable]>;
def Soap_SoftplusOp
    : Soap_UnaryOp<"softplus", "log(1 + e^x)", [Differentiable]>;
def Soap_AsinOp : Soap_UnaryOp<"asin", "inverse sine", [Differentiable]>;
def Soap_AcosOp : Soap_UnaryOp<"acos", "inverse cosine", [Differentiable]>;
def Soap_AtanOp : Soap_UnaryOp<"atan", "inverse tangent", [Differentiable]>;
def Soap_AsinhOp
    : Soap_UnaryOp<"asinh", "inverse hyperbolic sine", [Differentiable]>;
def Soap_AcoshOp
    : Soap_UnaryOp<"acosh", "inverse hyperbolic cosine", [Differentiable]>;
def Soap_AtanhOp
    : Soap_UnaryOp<"atanh", "inverse hyperbolic tangent", [Differentiable]>;
def Soap_ErfOp : Soap_UnaryOp<"erf", "error function", [Differentiable]>;
def Soap_SinOp : Soap_UnaryOp<"sin", "sine of x, in radians", [Differentiable]>;
def Soap_CosOp : Soap_UnaryOp<"cos", "cosine of x, in radians", [Differentiable]>;
def Soap_ReciprocalOp : Soap_UnaryOp<"reciprocal", "1 / x", [Differentiable]>;

def Soap_StopGradientOp
    : Soap_Op<"stop_gradient", [SpaceInterface, SameOperandsAndResultType]> {
  let summary = "x, through which no gradient flows (linear)";
  let description = [{
    The operand itself. The result depends on no parameter as far as
    `--soap-build-training-step` is concerned: `detach` and `no_grad` of
    PyTorch, `lax.stop_gradient` of JAX. The pass removes the op once the
    gradients are built. Linear. Loops d0, d1, ... are the dims of x.

    **Constraints**

    - The result has the type of the operand.

    **Example**

    ```mlir
    %y = soap.stop_gradient %x : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x);
  let results = (outs Soap_Float:$y);
}

def Soap_RsqrtOp
    : Soap_Op<"rsqrt", [SpaceInterface, Differentiable,
                        SameOperandsAndResultType]> {
  let summary = "elementwise 1 / sqrt(x + epsilon)";
  let description = [{
    Element by element 1 / sqrt(x + epsilon). Loops d0, d1, ... are the dims of
    x.

    **Constraints**

    - The result has the type of the operand.

    **Example**

    ```mlir
    %y = soap.rsqrt %x {epsilon = 1.0e-5 : f64} : tensor<8xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x,
                       DefaultValuedAttr<F64Attr, "0.0">:$epsilon);
  let results = (outs Soap_Float:$y);
}

def Soap_GeluOp
    : Soap_Op<"gelu", [SpaceInterface, Differentiable,
                       SameOperandsAndResultType]> {
  let summary = "elementwise Gaussian error linear unit";
  let description = [{
    Element by element x * P(X <= x) for a standard normal X, which is
    x * (1 + erf(x / sqrt(2))) / 2. With `approximate` it is
    x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2.

    **Constraints**

    - The result has the type of the operand.

    **Example**

    ```mlir
    %y = soap.gelu %x {approximate} : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x, UnitAttr:$approximate);
  let results = (outs Soap_Float:$y);
}

def Soap_SwiGLUOp
    : Soap_Op<"swiglu", [SpaceInterface, Differentiable,
                         SameOperandsAndResultType]> {
  let summary = "elementwise gated swish";
  let description = [{
    Element by element gate * sigmoid(beta * gate) * up: the activation of gated
    feed-forward layers (Shazeer, 2020, arXiv 2002.05202). Its gradients read
    gate and up alone, so nothing between them is kept for the backward pass.

    **Constraints**

    - Operands and result have the same type.

    **Example**

    ```mlir
    %y = soap.swiglu %gate, %up : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$gate, Soap_Float:$up,
                       DefaultValuedAttr<F64Attr, "1.0">:$beta);
  let results = (outs Soap_Float:$y);
}

def Soap_CastOp : Soap_Op<"cast", [SpaceInterface, Differentiable]> {
  let summary = "elementwise conversion to another element type";
  let description = [{
    Element by element, from one element type to another. Floats become integers
    by rounding towards zero; a number that does not fit gives an unspecified
    value. Floats become narrower floats by rounding to nearest. It is the one
    op whose operand and result may have different floating-point types. It has
    a gradient between floats.

    **Constraints**

    - Operand and result have the same shape.
    - Integers have 8, 16, 32 or 64 bits.

    **Example**

    ```mlir
    %y = soap.cast %x : (tensor<8xf32>) -> tensor<8xbf16>
    %z = soap.cast %i : (tensor<8xi32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Soap_Tile:$x);
  let results = (outs Soap_Tile:$y);
  let builders = [
    /// Elements of `x` as `elementType`.
    OpBuilder<(ins "::mlir::Value":$x, "::mlir::Type":$elementType)>];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Soap_ScaleOp
    : Soap_Op<"scale", [SpaceInterface, Differentiable,
                        SameOperandsAndResultType]> {
  let summary = "elementwise factor * x (linear)";
  let description = [{
    Element by element factor * x. Linear.

    **Constraints**

    - The result has the type of the operand.

    **Example**

    ```mlir
    %y = soap.scale %x {factor = 0.5 : f64} : tensor<8xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x, F64Attr:$factor);
  let results = (outs Soap_Float:$y);
  let hasFolder = 1;
}

/// z = f(x, y) with NumPy broadcasting.
class Soap_BinaryOp<string mnemonic, string formula, list<Trait> traits = []>
    : Soap_Op<mnemonic, !listconcat([SpaceInterface, InferType], traits)> {
  let summary = "elementwise " # formula # " with broadcasting";
  let description = "Element by element " # formula #
    ". Loops d0, d1, ... are the dims of the result.\n\n"
    "**Constraints**\n\n- Shapes broadcast: aligned at the last dim, extents "
    "are equal, or one of them is 1 or absent.\n\n"
    "**Example**\n\n```mlir\n%z = soap." # mnemonic #
    " %x, %y : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>\n```\n";
  let arguments = (ins Soap_Float:$x, Soap_Float:$y);
  let results = (outs Soap_Float:$z);
}
def Soap_AddOp : Soap_BinaryOp<"add", "x + y", [Differentiable]> {
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Soap_SubOp : Soap_BinaryOp<"sub", "x - y", [Differentiable]> {
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Soap_MulOp : Soap_BinaryOp<"mul", "x * y", [Differentiable]> {
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Soap_DivOp : Soap_BinaryOp<"div", "x / y", [Differentiable]> {
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Soap_MaximumOp : Soap_BinaryOp<"maximum", "max(x, y)", [Differentiable]> {
  let hasFolder = 1;
}

def Soap_MinimumOp : Soap_BinaryOp<"minimum", "min(x, y)", [Differentiable]> {
  let hasFolder = 1;
}

def Soap_GreaterEqualOp : Soap_BinaryOp<"greater_equal", "x >= y ? 1 : 0">;
def Soap_GreaterOp : Soap_BinaryOp<"greater", "x > y ? 1 : 0">;
def Soap_EqualOp : Soap_BinaryOp<"equal", "x == y ? 1 : 0">;
def Soap_PowOp : Soap_BinaryOp<"pow", "x^y", [Differentiable]>;

def Soap_WhereOp
    : Soap_Op<"where", [SpaceInterface, Differentiable, InferType]> {
  let summary = "elementwise condition != 0 ? x : y with broadcasting";
  let description = [{
    Element by element x where the condition is not 0, else y. The condition is
    a mask of floats, as comparisons give it. What is not chosen has no
    influence: a masked infinity leaves no trace, neither in the result nor in
    the gradients.

    **Constraints**

    - Shapes broadcast as in `soap.add`.

    **Example**

    ```mlir
    %z = soap.where %mask, %x, %y
       : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$condition, Soap_Float:$x, Soap_Float:$y);
  let results = (outs Soap_Float:$z);
  let hasFolder = 1;
}

def Soap_BiasAddOp
    : Soap_Op<"bias_add", [SpaceInterface, Differentiable, InferType]> {
  let summary = "y[.., c, ..] = x[.., c, ..] + b[c]";
  let description = [{
    y[.., c, ..] = x[.., c, ..] + b[c], where c is dim `axis` of x. Loops d0,
    d1, ... are the dims of x.

    **Constraints**

    - `axis` is a dim of x.
    - b has rank 1 and the extent of that dim.
    - The result has the type of x.

    **Example**

    ```mlir
    %y = soap.bias_add %x, %b {axis = 1 : i64}
       : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$b, I64Attr:$axis);
  let results = (outs Soap_Float:$y);
  let hasFolder = 1;
}

/// dx[i] = f(dy[i], y[i]): gradients in terms of the forward result.
class Soap_UnaryGradOp<string mnemonic, string formula>
    : Soap_Op<mnemonic, [SpaceInterface, SameOperandsAndResultType]> {
  let summary = "elementwise " # formula;
  let description = "Element by element " # formula #
    ", where y is the result of the forward op.\n\n"
    "**Constraints**\n\n- Operands and result have the same type.\n\n"
    "**Example**\n\n```mlir\n%dx = soap." # mnemonic #
    " %dy, %y : tensor<8xf32>\n```\n";
  let arguments = (ins Soap_Float:$dy, Soap_Float:$y);
  let results = (outs Soap_Float:$dx);
}
def Soap_ReluGradOp : Soap_UnaryGradOp<"relu_grad", "y > 0 ? dy : 0">;
def Soap_TanhGradOp : Soap_UnaryGradOp<"tanh_grad", "dy * (1 - y * y)">;
def Soap_SigmoidGradOp : Soap_UnaryGradOp<"sigmoid_grad", "dy * y * (1 - y)">;
def Soap_SqrtGradOp : Soap_UnaryGradOp<"sqrt_grad", "dy / (2 * y)">;

/// dx[i] = f(dy[i], x[i]): gradients in terms of the forward operand.
def Soap_ErfGradOp
    : Soap_Op<"erf_grad", [SpaceInterface, SameOperandsAndResultType]> {
  let summary = "elementwise dy * 2 / sqrt(pi) * e^(-x^2)";
  let description = [{
    The gradient of `soap.erf` with respect to x.

    **Constraints**

    - Operands and result have the same type.

    **Example**

    ```mlir
    %dx = soap.erf_grad %dy, %x : tensor<8xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$x);
  let results = (outs Soap_Float:$dx);
}

def Soap_GeluGradOp
    : Soap_Op<"gelu_grad", [SpaceInterface, SameOperandsAndResultType]> {
  let summary = "gradient of gelu with respect to x";
  let description = [{
    dy times the derivative of `soap.gelu` at x, in the form that `approximate`
    says.

    **Constraints**

    - Operands and result have the same type.

    **Example**

    ```mlir
    %dx = soap.gelu_grad %dy, %x {approximate} : tensor<8xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$x, UnitAttr:$approximate);
  let results = (outs Soap_Float:$dx);
}

def Soap_SwiGLUGradOp
    : Soap_Op<"swiglu_grad", [SpaceInterface, SameOperandsAndResultType]> {
  let summary = "gradient of swiglu with respect to gate";
  let description = [{
    dy * up times the derivative of gate * sigmoid(beta * gate). The gradient
    with respect to up is `soap.swiglu` of gate and dy.

    **Constraints**

    - Operands and result have the same type.

    **Example**

    ```mlir
    %dgate = soap.swiglu_grad %dy, %gate, %up : tensor<8xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$dy, Soap_Float:$gate, Soap_Float:$up,
                       DefaultValuedAttr<F64Attr, "1.0">:$beta);
  let results = (outs Soap_Float:$dgate);
}

def Soap_DropoutOp : Soap_Op<"dropout", [SpaceInterfaceLocal, Differentiable]> {
  let summary = "zeroes elements at random, by a counter";
  let description = [{
    Without `step` it is the identity: inference. With it, an element is 0 with
    probability `rate`, else x / (1 - rate). Whether it is kept is a hash of
    `seed`, the step, and the element's row-major position in the whole tensor.
    So every config drops the same elements, and the gradient is the same op on
    dy.

    A shard has `offsets`, where its tile begins, and `extents`, the shape of
    the whole tensor. Both are empty in a model. In programs of devices the step
    may be the result of `soap.placed_step`, which has the position; then there
    are no offsets.

    `--soap-build-training-step` adds the step, and removes the op from
    `@evaluate`. Loops d0, d1, ... are the dims of x.

    **Constraints**

    - `rate` is in [0, 1).
    - The result has the type of x.
    - The step has rank 0, or shape [2] if it comes with a position.
    - `offsets` and `extents` have an entry for each dim, or none, and the tile
      lies within the extents.

    **Example**

    ```mlir
    %y = soap.dropout %x {rate = 0.1 : f64, seed = 7 : i64} : tensor<8x4xf32>
    %z = soap.dropout %x, %step {rate = 0.1 : f64, seed = 7 : i64,
       offsets = array<i64: 8, 0>, extents = array<i64: 16, 4>}
       : (tensor<8x4xf32>, tensor<i32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Soap_Float:$x, Optional<Soap_Label>:$step, F64Attr:$rate,
                       I64Attr:$seed,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$offsets,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$extents);
  let results = (outs Soap_Float:$y);
  let builders = [
    /// In a model, before a training step gives it a step.
    OpBuilder<(ins "::mlir::Value":$x, "double":$rate, "int64_t":$seed)>];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Soap_AccumulateOp
    : Soap_Op<"accumulate", [SpaceInterfaceLocal, SameOperandsAndResultType]> {
  let summary = "sum of equally shaped tensors (linear)";
  let description = [{
    The sum of the operands, in their order: the gradients of a value with
    several uses. Linear: on replicas whose operands are partial it adds
    contributions and gives a partial result. So forty unrolled uses of a weight
    need one synchronization.

    **Constraints**

    - Operands and result have the same type.

    **Example**

    ```mlir
    %sum = soap.accumulate %a, %b, %c : tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<Soap_Float>:$xs);
  let results = (outs Soap_Float:$sum);
  let hasFolder = 1;
}
