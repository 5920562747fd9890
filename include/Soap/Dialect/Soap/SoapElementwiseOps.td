//===- SoapElementwiseOps.td - The elementwise family ------*- tablegen -*-===//
//
// Unary and binary ops (binary with NumPy broadcasting), bias, and the gradients that need ops of their own. Loops d0, d1, ... are the dims of the result.
//
//===----------------------------------------------------------------------===//

/// y[i] = f(x[i]).
class Soap_UnaryOp<string mnemonic, string formula, list<Trait> traits = []>
    : Soap_Op<mnemonic, !listconcat([SpaceInterface, SameOperandsAndResultType], traits)> {
  let summary = "elementwise " # formula;
  let arguments = (ins Soap_Float:$x);
  let results = (outs Soap_Float:$y);
}
def Soap_ReluOp : Soap_UnaryOp<"relu", "max(x, 0)", [Differentiable]>;
def Soap_NegOp : Soap_UnaryOp<"neg", "-x (linear)", [Differentiable]>;
def Soap_AbsOp : Soap_UnaryOp<"abs", "|x|", [Differentiable]>;
def Soap_ExpOp : Soap_UnaryOp<"exp", "e^x", [Differentiable]>;
def Soap_LogOp : Soap_UnaryOp<"log", "natural logarithm", [Differentiable]>;
def Soap_SqrtOp : Soap_UnaryOp<"sqrt", "square root", [Differentiable]>;
def Soap_TanhOp : Soap_UnaryOp<"tanh", "hyperbolic tangent", [Differentiable]>;
def Soap_SigmoidOp : Soap_UnaryOp<"sigmoid", "1 / (1 + e^-x)", [Differentiable]>;
def Soap_SignOp : Soap_UnaryOp<"sign", "-1, 0 or 1">;

def Soap_ScaleOp : Soap_Op<"scale", [SpaceInterface, Differentiable, SameOperandsAndResultType]> {
  let summary = "elementwise factor * x (linear)";
  let arguments = (ins Soap_Float:$x, F64Attr:$factor);
  let results = (outs Soap_Float:$y);
}

/// z = f(x, y) with NumPy broadcasting: shapes aligned at the last dim, dims of extent 1 repeat.
class Soap_BinaryOp<string mnemonic, string formula, list<Trait> traits = []>
    : Soap_Op<mnemonic, !listconcat([SpaceInterface, InferType], traits)> {
  let summary = "elementwise " # formula # " with broadcasting";
  let arguments = (ins Soap_Float:$x, Soap_Float:$y);
  let results = (outs Soap_Float:$z);
}
def Soap_AddOp : Soap_BinaryOp<"add", "x + y", [Differentiable]>;
def Soap_SubOp : Soap_BinaryOp<"sub", "x - y", [Differentiable]>;
def Soap_MulOp : Soap_BinaryOp<"mul", "x * y", [Differentiable]>;
def Soap_DivOp : Soap_BinaryOp<"div", "x / y", [Differentiable]>;
def Soap_MaximumOp : Soap_BinaryOp<"maximum", "max(x, y)", [Differentiable]>;
def Soap_MinimumOp : Soap_BinaryOp<"minimum", "min(x, y)", [Differentiable]>;
def Soap_GreaterEqualOp : Soap_BinaryOp<"greater_equal", "x >= y ? 1 : 0">;
def Soap_EqualOp : Soap_BinaryOp<"equal", "x == y ? 1 : 0">;

def Soap_BiasAddOp : Soap_Op<"bias_add", [SpaceInterface, Differentiable, InferType]> {
  let summary = "y[.., c, ..] = x[.., c, ..] + b[c]";
  let description = [{ `axis` is the dim of x that b runs over. Loops d0, d1, ... }];
  let arguments = (ins Soap_Float:$x, Soap_Float:$b, I64Attr:$axis);
  let results = (outs Soap_Float:$y);
}

/// dx[i] = f(dy[i], y[i]): gradients in terms of the forward result.
class Soap_UnaryGradOp<string mnemonic, string formula> : Soap_Op<mnemonic, [SpaceInterface, SameOperandsAndResultType]> {
  let summary = "elementwise " # formula;
  let arguments = (ins Soap_Float:$dy, Soap_Float:$y);
  let results = (outs Soap_Float:$dx);
}
def Soap_ReluGradOp : Soap_UnaryGradOp<"relu_grad", "y > 0 ? dy : 0">;
def Soap_TanhGradOp : Soap_UnaryGradOp<"tanh_grad", "dy * (1 - y * y)">;
def Soap_SigmoidGradOp : Soap_UnaryGradOp<"sigmoid_grad", "dy * y * (1 - y)">;
def Soap_SqrtGradOp : Soap_UnaryGradOp<"sqrt_grad", "dy / (2 * y)">;

def Soap_AccumulateOp : Soap_Op<"accumulate", [SpaceInterfaceLocal, SameOperandsAndResultType]> {
  let summary = "sum of equally shaped tensors (linear: passes partial sums on)";
  let description = [{
    Sums the gradients of a value with several uses. Linear: with replicas and partial operands it accumulates contributions locally
    and leaves a partial result, so that forty unrolled uses of a weight are synchronized once.
  }];
  let arguments = (ins Variadic<Soap_Float>:$xs);
  let results = (outs Soap_Float:$sum);
}
