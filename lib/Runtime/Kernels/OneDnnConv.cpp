//===- OneDnnConv.cpp - A convolution primitive for one shape -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OneDnnConv.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Kernels/OneDnnConv.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

using namespace soap::runtime;
using namespace dnnl;
using dims = memory::dims;
using tag = memory::format_tag;

namespace {

/// One spatial dimension without the rows that no window reads.
struct Cropped {
  int64_t from = 0, size = 0, before = 0, after = 0;

  Cropped(int64_t extent, int64_t outs, int64_t kernel, int64_t stride,
          int64_t dilation, int64_t padding) {
    // Windows cover [-padding, end) of the input.
    int64_t end = (outs - 1) * stride + (kernel - 1) * dilation + 1 - padding;
    from = std::max<int64_t>(0, -padding);
    before = std::max<int64_t>(0, padding);
    after = end - extent;
    // Fewer unread rows than a stride are the rest of the "floor" in the output
    // size; oneDNN takes them without cropping.
    if (after < 0 && -after < stride)
      after = 0;
    int64_t to = after < 0 ? end : extent;
    after = std::max<int64_t>(0, after);
    size = to - from;
  }
};

/// The library's name of a layout.
tag tagOf(int64_t layout) {
  switch (layout) {
  case 0:
    return tag::nchw;
  case 1:
    return tag::nhwc;
  case 8:
    return tag::nChw8c;
  case 16:
    return tag::nChw16c;
  }
  throw dnnl::error(dnnl_invalid_arguments, "unknown layout");
}

} // namespace

void soap::runtime::avoidAmx() {
  // The library takes the first call only, and none once it has looked at the
  // processor: later ones return an error, and have nothing left to do.
  if (!std::getenv("ONEDNN_MAX_CPU_ISA") && !std::getenv("DNNL_MAX_CPU_ISA"))
    set_max_cpu_isa(cpu_isa::avx512_core_bf16);
}

bool soap::runtime::multipliesBFloat16() {
  // A set of instruction sets.
  auto has = static_cast<unsigned>(get_effective_cpu_isa()),
       needed = static_cast<unsigned>(cpu_isa::avx512_core_bf16);
  return (has & needed) == needed;
}

bool soap::runtime::isFast(const char *implementation, memory::data_type type) {
  if (type == memory::data_type::bf16)
    return std::strstr(implementation, "bf16");
  return std::strncmp(implementation, "ref", 3) != 0;
}

char *Scratch::reserve(size_t bytes) {
  if (storage.size() < bytes + 64)
    storage = std::vector<char>(bytes + 64);
  auto address = reinterpret_cast<uintptr_t>(storage.data());
  return storage.data() + (64 - address % 64) % 64;
}

bool OneDnnConv::build(const engine &engine, DataLayout data, bool anyWeights) {
  const ConvShape &s = shape;
  Cropped rows(s.h, s.oh, s.kh, s.sh, s.dh, s.pt);
  Cropped cols(s.w, s.ow, s.kw, s.sw, s.dw, s.pl);
  if (rows.size <= 0 || cols.size <= 0)
    return false;
  bool cropped = rows.size != s.h || cols.size != s.w;

  dims xDims = {s.n, s.g * s.c, rows.size, cols.size};
  dims yDims = {s.n, s.g * s.o, s.oh, s.ow};
  dims wDims =
      s.g == 1 ? dims{s.o, s.c, s.kh, s.kw} : dims{s.g, s.o, s.c, s.kh, s.kw};
  auto wTag = s.g == 1 ? tag::oihw : tag::goihw;
  x.user = memory::desc({s.n, s.g * s.c, s.h, s.w}, type, tagOf(s.xLayout))
               .submemory_desc(xDims, {0, 0, rows.from, cols.from});
  y.user = memory::desc(yDims, type, tagOf(s.yLayout));
  w.user = memory::desc(wDims, type, wTag);
  auto image = [&](const dims &d, int64_t own) {
    return memory::desc(d, type,
                        data == DataLayout::Any            ? tag::any
                        : data == DataLayout::ChannelsLast ? tag::nhwc
                                                           : tagOf(own));
  };
  memory::desc xi = image(xDims, s.xLayout), yi = image(yDims, s.yLayout),
               wi = memory::desc(wDims, type, anyWeights ? tag::any : wTag);

  dims stride = {s.sh, s.sw}, dilation = {s.dh - 1, s.dw - 1},
       before = {rows.before, cols.before}, after = {rows.after, cols.after};
  primitive_attr attr;
  attr.set_scratchpad_mode(scratchpad_mode::user);
  auto direct = algorithm::convolution_direct;
  convolution_forward::primitive_desc forward(
      convolution_forward::desc(prop_kind::forward_training, direct, xi, wi, yi,
                                stride, dilation, before, after),
      attr, engine);
  auto take = [&](const auto &pd, const memory::desc &px,
                  const memory::desc &pw, const memory::desc &py, auto tagged) {
    label = pd.impl_info_str();
    x.inner = px, w.inner = pw, y.inner = py;
    scratchpad = memory(pd.scratchpad_desc(), engine, nullptr);
    if (!isFast(label.c_str(), type))
      return false;
    primitive = decltype(tagged)(pd);
    return true;
  };
  bool good = false;
  switch (kind) {
  case ConvKind::Forward:
    good = take(forward, forward.src_desc(), forward.weights_desc(),
                forward.dst_desc(), convolution_forward());
    break;
  case ConvKind::InputGrad: {
    convolution_backward_data::primitive_desc pd(
        convolution_backward_data::desc(direct, xi, wi, yi, stride, dilation,
                                        before, after),
        attr, engine, forward);
    good = take(pd, pd.diff_src_desc(), pd.weights_desc(), pd.diff_dst_desc(),
                convolution_backward_data());
    break;
  }
  case ConvKind::WeightGrad: {
    convolution_backward_weights::primitive_desc pd(
        convolution_backward_weights::desc(direct, xi, wi, yi, stride, dilation,
                                           before, after),
        attr, engine, forward);
    good = take(pd, pd.src_desc(), pd.diff_weights_desc(), pd.diff_dst_desc(),
                convolution_backward_weights());
    break;
  }
  }
  return good && finish(engine, cropped);
}

/// Lays out the scratch memory and makes the reorders.
bool OneDnnConv::finish(const engine &engine, bool cropped) {
  clearResult = cropped && kind == ConvKind::InputGrad;
  scratchBytes = 0;
  auto reserve = [&](size_t bytes) {
    size_t offset = scratchBytes;
    scratchBytes += (bytes + 63) / 64 * 64;
    return offset;
  };
  for (Operand *operand : {&x, &w, &y}) {
    operand->userMemory = memory(operand->user, engine, nullptr);
    operand->innerMemory = memory(operand->inner, engine, nullptr);
    operand->reordered = operand->user != operand->inner;
    if (!operand->reordered)
      continue;
    operand->scratchOffset = reserve(operand->inner.get_size());
    bool isResult = operand == (kind == ConvKind::Forward     ? &y
                                : kind == ConvKind::InputGrad ? &x
                                                              : &w);
    auto &from = isResult ? operand->innerMemory : operand->userMemory;
    auto &to = isResult ? operand->userMemory : operand->innerMemory;
    operand->reorder = dnnl::reorder(from, to);
    if (label.find("+reorder") == std::string::npos)
      label += "+reorder";
  }
  scratchpadOffset = reserve(scratchpad.get_desc().get_size());
  return true;
}

std::unique_ptr<OneDnnConv> OneDnnConv::create(const engine &engine,
                                               ConvKind kind,
                                               const ConvShape &shape,
                                               memory::data_type type) {
  // On plain images of windows larger than 1x1, the library unrolls windows
  // into a matrix, which takes two to eight times as long as its own kernels,
  // even with the copies of the operands. On few channels it would choose
  // blocks, most of which is padding: channels last is better there. 1x1
  // kernels on plain layouts are one matrix product already. Data that has
  // another layout than NCHW stays as it is, and only weights are copied.
  constexpr int64_t fewChannels = 3;
  bool isPlain = shape.isPlain();
  std::vector<DataLayout> choices;
  if (isPlain && shape.kh * shape.kw > 1)
    choices = std::min(shape.c, shape.o) < fewChannels
                  ? std::vector{DataLayout::ChannelsLast, DataLayout::Any,
                                DataLayout::AsIs}
                  : std::vector{DataLayout::Any, DataLayout::AsIs};
  else
    choices = {DataLayout::AsIs, DataLayout::Any};
  for (DataLayout data : choices) {
    auto conv = std::make_unique<OneDnnConv>();
    conv->kind = kind;
    conv->shape = shape;
    conv->type = type;
    try {
      if (conv->build(engine, data, data != DataLayout::AsIs || !isPlain))
        return conv;
    } catch (const dnnl::error &) {
      // No implementation for these layouts.
    }
  }
  return nullptr;
}

void OneDnnConv::run(stream &stream, Scratch &scratch, const void *a,
                     const void *b, void *result) {
  void *xData = const_cast<void *>(a), *wData = const_cast<void *>(b),
       *yData = result;
  if (kind == ConvKind::InputGrad)
    xData = result, yData = const_cast<void *>(a);
  if (kind == ConvKind::WeightGrad)
    wData = result, yData = const_cast<void *>(b);
  if (clearResult) {
    auto bytes = static_cast<size_t>(memory::data_type_size(type));
    std::memset(result, 0, static_cast<size_t>(shape.inputVolume()) * bytes);
  }

  char *base = scratch.reserve(scratchBytes);
  auto bind = [&](Operand &operand, void *data) {
    operand.userMemory.set_data_handle(data);
    operand.innerMemory.set_data_handle(
        operand.reordered ? static_cast<void *>(base + operand.scratchOffset)
                          : data);
  };
  bind(x, xData), bind(w, wData), bind(y, yData);
  scratchpad.set_data_handle(base + scratchpadOffset);

  auto copyIn = [&](Operand &operand) {
    if (operand.reordered)
      operand.reorder.execute(stream, operand.userMemory, operand.innerMemory);
  };
  auto copyOut = [&](Operand &operand) {
    if (operand.reordered)
      operand.reorder.execute(stream, operand.innerMemory, operand.userMemory);
  };
  std::unordered_map<int, memory> arguments = {
      {DNNL_ARG_SCRATCHPAD, scratchpad}};
  Operand *out = nullptr;
  switch (kind) {
  case ConvKind::Forward:
    copyIn(x), copyIn(w), out = &y;
    arguments.insert({{DNNL_ARG_SRC, x.innerMemory},
                      {DNNL_ARG_WEIGHTS, w.innerMemory},
                      {DNNL_ARG_DST, y.innerMemory}});
    break;
  case ConvKind::InputGrad:
    copyIn(y), copyIn(w), out = &x;
    arguments.insert({{DNNL_ARG_DIFF_DST, y.innerMemory},
                      {DNNL_ARG_WEIGHTS, w.innerMemory},
                      {DNNL_ARG_DIFF_SRC, x.innerMemory}});
    break;
  case ConvKind::WeightGrad:
    copyIn(x), copyIn(y), out = &w;
    arguments.insert({{DNNL_ARG_SRC, x.innerMemory},
                      {DNNL_ARG_DIFF_DST, y.innerMemory},
                      {DNNL_ARG_DIFF_WEIGHTS, w.innerMemory}});
    break;
  }
  primitive.execute(stream, arguments);
  copyOut(*out);
  stream.wait();
}
