//===- CallNames.cpp - Names of library calls -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CallNames.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/CallNames.h"

#include "Soap/ABI/Runtime.h"

#include <sstream>

using namespace soap;
using namespace soap::runtime;

namespace {

const char *textOf(Precision precision) {
  switch (precision) {
  case Precision::F32:
    return "f32";
  case Precision::TF32:
    return "tf32";
  case Precision::BF16:
    return "bf16";
  }
  return "?";
}

const char *textOf(Epilogue epilogue) {
  switch (epilogue) {
  case Epilogue::None:
    return "";
  case Epilogue::Bias:
    return " bias";
  case Epilogue::Relu:
    return " relu";
  case Epilogue::BiasRelu:
    return " bias-relu";
  case Epilogue::Gelu:
    return " gelu";
  case Epilogue::BiasGelu:
    return " bias-gelu";
  case Epilogue::GeluGrad:
    return " gelu-grad";
  case Epilogue::BiasGradOfA:
    return " bias-grad-of-a";
  case Epilogue::BiasGradOfB:
    return " bias-grad-of-b";
  case Epilogue::ReluGrad:
    return " relu-grad";
  }
  return "?";
}

/// " name=1x2", nothing where it is the default.
void pair(std::ostream &os, const char *name, int64_t h, int64_t w,
          int64_t otherwise) {
  if (h != otherwise || w != otherwise)
    os << ' ' << name << '=' << h << 'x' << w;
}

std::string textOf(const ImageShape &x) {
  std::string text;
  for (int64_t extent : {x.n, x.c, x.h, x.w})
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

} // namespace

CallName runtime::nameOf(const MatmulCall &call) {
  const MatmulShape &s = call.shape;
  std::ostringstream os;
  if (s.batch != 1)
    os << "batch=" << s.batch << ' ';
  os << "m=" << s.m << " n=" << s.n << " k=" << s.k;
  if (s.transposeA)
    os << " transpose-a";
  if (s.transposeB)
    os << " transpose-b";
  os << textOf(call.epilogue);
  if (call.precision == Precision::BF16 && !call.narrowResult)
    os << " to-f32";
  if (call.workspace)
    os << " workspace=" << call.workspace;
  return {"matmul", os.str(), textOf(call.precision)};
}

CallName runtime::nameOf(const ConvCall &call) {
  const ConvShape &s = call.shape;
  std::ostringstream os;
  os << (call.kind == ConvKind::Forward     ? "forward"
         : call.kind == ConvKind::InputGrad ? "input-grad"
                                            : "weight-grad")
     << (call.channelsLast() ? " nhwc" : " nchw")
     << " x=" << textOf(ImageShape{s.n, s.g * s.c, s.h, s.w})
     << " y=" << textOf(ImageShape{s.n, s.g * s.o, s.oh, s.ow});
  if (s.g != 1)
    os << " groups=" << s.g;
  os << " window=" << s.kh << 'x' << s.kw;
  pair(os, "strides", s.sh, s.sw, 1);
  pair(os, "dilations", s.dh, s.dw, 1);
  if (s.pt || s.pl || s.pb || s.pr)
    os << " padding=" << s.pt << ',' << s.pl << ',' << s.pb << ',' << s.pr;
  os << textOf(call.epilogue);
  if (call.workspace)
    os << " workspace=" << call.workspace;
  return {"conv2d", os.str(), textOf(call.precision)};
}

CallName runtime::nameOf(const PoolCall &call) {
  std::ostringstream os;
  os << (call.kind == PoolKind::Max            ? "max"
         : call.kind == PoolKind::AverageOfAll ? "average-of-all"
                                               : "average-of-inside")
     << (call.isGradient ? "-grad" : "")
     << (call.channelsLast ? " nhwc" : " nchw") << " x=" << textOf(call.x)
     << " y=" << textOf(call.y()) << " window=" << call.kh << 'x' << call.kw;
  pair(os, "strides", call.sh, call.sw, 1);
  pair(os, "padding", call.pt, call.pl, 0);
  return {"pool2d", os.str(), "f32"};
}

CallName runtime::nameOf(const NormCall &call) {
  std::ostringstream os;
  os << (call.isGradient ? "grad" : "train")
     << (call.channelsLast ? " nhwc" : " nchw") << " x=" << textOf(call.x)
     << " epsilon=" << call.epsilon;
  if (call.workspace)
    os << " workspace=" << call.workspace;
  return {"batch_norm", os.str(), "f32"};
}

std::string runtime::boundsOf(const AttentionCall &call) {
  std::string text;
  if (call.left != AttentionCall::unbounded)
    text += " left=" + std::to_string(call.left);
  if (call.right != AttentionCall::unbounded)
    text += " right=" + std::to_string(call.right);
  return text;
}

CallName runtime::nameOf(const AttentionCall &call) {
  std::ostringstream os;
  os << (call.isBackward()      ? "backward"
         : call.hasStatistics() ? "training"
                                : "forward")
     << " batch=" << call.batch << " heads=" << call.heads;
  if (call.keyHeads != call.heads)
    os << " key-heads=" << call.keyHeads;
  os << " queries=" << call.queries << " keys=" << call.keys
     << " width=" << call.width << " values=" << call.valueWidth
     << boundsOf(call) << " scale=" << call.scale << " layouts=";
  for (HeadLayout layout : call.layouts)
    os << int64_t(layout);
  if (call.workspace)
    os << " workspace=" << call.workspace;
  return {"attention", os.str(), "bf16"};
}

CallName runtime::nameOfSum(int64_t elementType, int64_t count) {
  const char *types[] = {"bytes", "f32", "f64", "f16", "bf16"};
  bool isKnown = elementType > 0 && elementType <= SOAP_BF16;
  return {"add", "count=" + std::to_string(count),
          isKnown ? types[elementType] : "?"};
}
