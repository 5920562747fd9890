//===- ParameterNames.cpp - What names of tensors tell ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Habits of exporters, patterns, and files of names.
//
//===----------------------------------------------------------------------===//

#include "ParameterNames.h"

#include "Model.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <filesystem>
#include <fstream>

using namespace mlir::soap::onnx;
using llvm::StringRef;
using ::soap::Error;
using ::soap::Expected;

std::string mlir::soap::onnx::importedName(StringRef name) {
  std::string result;
  for (char c : name.take_front(200)) {
    if (c == '/')
      c = '.';
    if (c == '.' && (result.empty() || result.back() == '.'))
      continue;
    result += llvm::isAlnum(c) || c == '_' || c == '-' || c == '.' ? c : '_';
  }
  return result;
}

/// `name` without "_12" at its end, and whether it had it.
static std::pair<StringRef, bool> withoutNumber(StringRef name) {
  StringRef rest = name.rtrim("0123456789");
  if (rest.size() == name.size() || !rest.consume_back("_"))
    return {name, false};
  return {rest, true};
}

/// The ops whose results PyTorch's exporter folds into initializers and names
/// after them.
static bool isFoldedOp(StringRef name) {
  static const llvm::StringSet<> ops = {"abs",
                                        "add",
                                        "alias",
                                        "any",
                                        "arange",
                                        "bitwise_and",
                                        "bitwise_not",
                                        "bitwise_or",
                                        "bmm",
                                        "cat",
                                        "ceil",
                                        "clamp",
                                        "clone",
                                        "concat",
                                        "contiguous",
                                        "cos",
                                        "cumsum",
                                        "detach",
                                        "diag",
                                        "div",
                                        "einsum",
                                        "eq",
                                        "exp",
                                        "expand",
                                        "expand_as",
                                        "eye",
                                        "fill",
                                        "flatten",
                                        "flip",
                                        "floor",
                                        "floor_divide",
                                        "full",
                                        "full_like",
                                        "gather",
                                        "ge",
                                        "getitem",
                                        "gt",
                                        "index",
                                        "index_select",
                                        "le",
                                        "lift_fresh",
                                        "linspace",
                                        "log",
                                        "logical_and",
                                        "logical_not",
                                        "logical_or",
                                        "lt",
                                        "masked_fill",
                                        "matmul",
                                        "maximum",
                                        "meshgrid",
                                        "minimum",
                                        "mm",
                                        "mul",
                                        "ne",
                                        "neg",
                                        "new_full",
                                        "new_ones",
                                        "new_zeros",
                                        "ones",
                                        "ones_like",
                                        "outer",
                                        "permute",
                                        "pow",
                                        "reciprocal",
                                        "remainder",
                                        "repeat",
                                        "repeat_interleave",
                                        "reshape",
                                        "roll",
                                        "rsqrt",
                                        "rsub",
                                        "scalar_tensor",
                                        "select",
                                        "sin",
                                        "slice",
                                        "split",
                                        "sqrt",
                                        "squeeze",
                                        "stack",
                                        "sub",
                                        "t",
                                        "tile",
                                        "to",
                                        "to_copy",
                                        "transpose",
                                        "tril",
                                        "triu",
                                        "unsafe_view",
                                        "unsqueeze",
                                        "view",
                                        "where",
                                        "zeros",
                                        "zeros_like",
                                        "lift_fresh_copy",
                                        "convert_element_type"};
  return ops.contains(withoutNumber(name.ltrim('_')).first);
}

NameKind mlir::soap::onnx::classifyName(StringRef name) {
  auto [stem, isNumbered] = withoutNumber(name);
  if (name.starts_with("/") || name.starts_with("onnx::") ||
      llvm::all_of(name, llvm::isDigit) || name.contains("Constant_output") ||
      (isNumbered && stem == "val"))
    return NameKind::Exporter;
  // Tensors of the source text, and what tf2onnx folds.
  StringRef last = name.substr(name.find_last_of('/') + 1);
  if (stem.contains("lifted_tensor") || stem.contains("_tensor_constant") ||
      name.ltrim('_').starts_with("tensor_constant") ||
      last.starts_with("const_fold_opt_") || last.starts_with("const__") ||
      last == "Const" || last.starts_with("Const:") ||
      last.starts_with("Const_"))
    return NameKind::Exporter;
  if (name.contains('.') || name.contains('/'))
    return NameKind::Module;
  // The op of a Python number: "scalar_tensor_default_1".
  return isFoldedOp(name) || stem.ends_with("_default") ? NameKind::ExporterOp
                                                        : NameKind::Plain;
}

StringRef mlir::soap::onnx::modulePath(StringRef name) {
  size_t end = name.find_last_of("./");
  return end == StringRef::npos ? StringRef() : name.substr(0, end);
}

StringRef mlir::soap::onnx::lastComponent(StringRef name) {
  size_t end = name.find_last_of("./");
  return end == StringRef::npos ? name : name.substr(end + 1);
}

bool mlir::soap::onnx::isBufferName(StringRef name) {
  static const llvm::StringSet<> names = {"alibi",
                                          "anchors",
                                          "attention_mask",
                                          "attn_mask",
                                          "causal_mask",
                                          "cos",
                                          "cos_cache",
                                          "cos_cached",
                                          "cos_sin_cache",
                                          "freqs",
                                          "freqs_cis",
                                          "freqs_cos",
                                          "freqs_sin",
                                          "image_mean",
                                          "image_std",
                                          "inv_freq",
                                          "mask",
                                          "masked_bias",
                                          "mel_filters",
                                          "original_inv_freq",
                                          "pixel_mean",
                                          "pixel_std",
                                          "position_ids",
                                          "rotary_emb",
                                          "running_mean",
                                          "running_var",
                                          "sin",
                                          "sin_cache",
                                          "sin_cached",
                                          "tril",
                                          "triu",
                                          "weight_mask",
                                          "bias_mask"};
  std::string last = lastComponent(name).lower();
  return names.contains(last) ||
         names.contains(withoutNumber(StringRef(last)).first);
}

bool mlir::soap::onnx::isParameterName(StringRef name) {
  std::string lower = lastComponent(name).lower();
  StringRef last = withoutNumber(StringRef(lower)).first;
  for (StringRef end :
       {"weight", "bias", "kernel", "token", "embed", "embedding", "embeddings",
        "bias_table", "gamma", "beta", "gain", "temperature"})
    if (last.ends_with(end))
      return true;
  for (StringRef begin : {"gamma", "beta", "lambda", "layer_scale", "weight"})
    if (last.starts_with(begin))
      return true;
  return false;
}

bool mlir::soap::onnx::isFrozenName(StringRef name) {
  static const llvm::StringSet<> parts = {
      "ema",        "frozen",         "momentum_encoder", "ref",
      "ref_model",  "reference",      "reference_model",  "target",
      "target_net", "target_network", "teacher"};
  llvm::SmallVector<StringRef> components;
  modulePath(name).split(components, '.');
  return llvm::any_of(components,
                      [](StringRef part) { return parts.contains(part); });
}

bool mlir::soap::onnx::differInNumbersOnly(StringRef a, StringRef b,
                                           bool inNames) {
  if (a == b)
    return false;
  llvm::SmallVector<StringRef> left, right;
  a.split(left, '.');
  b.split(right, '.');
  if (left.size() != right.size())
    return false;
  for (auto [x, y] : llvm::zip(left, right)) {
    StringRef stem = x.rtrim("0123456789"), other = y.rtrim("0123456789");
    bool isNumbered = stem.size() < x.size() && other.size() < y.size();
    if (x != y && !(isNumbered && stem == other && (inNames || stem.empty())))
      return false;
  }
  return true;
}

Expected<NamePatterns>
NamePatterns::parse(StringRef option,
                    const std::vector<std::string> &patterns) {
  NamePatterns result;
  result.optionName = option.str();
  for (const std::string &pattern : patterns) {
    auto text = std::make_shared<const std::string>(pattern);
    auto glob = llvm::GlobPattern::create(*text, /*MaxSubPatterns=*/1024);
    if (!glob)
      return Error{result.optionName + ": pattern " + quote(pattern) + ": " +
                   llvm::toString(glob.takeError())};
    result.patterns.push_back({text, std::move(*glob)});
  }
  return result;
}

const std::string *NamePatterns::match(StringRef name) {
  if (patterns.empty())
    return nullptr;
  std::string imported = importedName(name);
  for (Pattern &pattern : patterns)
    if (name == *pattern.text || imported == *pattern.text ||
        pattern.glob.match(name) || pattern.glob.match(imported)) {
      pattern.isUsed = true;
      return pattern.text.get();
    }
  return nullptr;
}

const std::string *NamePatterns::unused() const {
  for (const Pattern &pattern : patterns)
    if (!pattern.isUsed)
      return pattern.text.get();
  return nullptr;
}

/// "32x12", or "[]".
static std::optional<std::vector<int64_t>> readShape(StringRef text) {
  std::vector<int64_t> shape;
  if (text == "[]")
    return shape;
  for (StringRef part : llvm::split(text, 'x'))
    if (part.getAsInteger(10, shape.emplace_back()))
      return std::nullopt;
  return shape;
}

Expected<std::vector<ListedParameter>>
mlir::soap::onnx::readParameterList(const std::string &path) {
  std::error_code status;
  if (!std::filesystem::is_regular_file(path, status))
    return Error{path + ": expected a file with a name of a parameter a line"};
  if (std::filesystem::file_size(path, status) > (uintmax_t(1) << 24))
    return Error{path + ": larger than 16 MiB, expected a file with a name of "
                        "a parameter a line"};
  std::ifstream stream(path);
  std::vector<ListedParameter> names;
  for (std::string line; std::getline(stream, line);) {
    StringRef name = StringRef(line).trim();
    if (name.empty())
      continue;
    ListedParameter each;
    if (auto [first, last] = name.rsplit(' '); last == "frozen") {
      each.isFrozen = true;
      name = first.rtrim();
    }
    if (auto [first, last] = name.rsplit(' '); !last.empty())
      if ((each.shape = readShape(last)))
        name = first.rtrim();
    each.name = name.str();
    names.push_back(std::move(each));
  }
  if (stream.bad() || names.empty())
    return Error{path + (stream.bad() ? ": can not be read"
                                      : ": no names, expected a name of a "
                                        "parameter a line")};
  return names;
}
