//===- ParameterNames.h - What names of tensors tell ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parameter has the path of its module in its name; what an exporter folds
// has a name that the exporter made. Both are habits of exporters, collected in
// one file, with the patterns and lists by which users name tensors.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_ONNX_PARAMETERNAMES_H
#define SOAP_LIB_TARGET_ONNX_PARAMETERNAMES_H

#include "Soap/Support/Error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/GlobPattern.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::soap::onnx {

/// How import writes a name of the file: '/' as '.', other characters than
/// letters, digits, '_', '-', '.' as '_', at most 200.
std::string importedName(llvm::StringRef name);

/// The origin of a tensor's name.
enum class NameKind {
  Module,    // "layers.0.norm.weight": a path of modules
  Plain,     // "cls": a parameter of the outermost module, or another exporter
  Exporter,  // "val_82", "onnx::MatMul_12", "/m/Constant_output_0": a number
  ExporterOp // "triu", "_to_copy_1": the op that was folded
};
NameKind classifyName(llvm::StringRef name);

/// The name of a buffer by custom: "inv_freq", "attn_mask", "running_mean".
bool isBufferName(llvm::StringRef name);
/// Of a module that is seldom trained, by custom: "teacher.fc.weight".
bool isFrozenName(llvm::StringRef name);
/// The name of a parameter by custom: "weight", "cls_token", "pos_embed".
bool isParameterName(llvm::StringRef name);

/// "layers.0.norm" of "layers.0.norm.weight", "" of "cls".
llvm::StringRef modulePath(llvm::StringRef name);
/// "weight" of "layers.0.norm.weight", "cls" of "cls".
llvm::StringRef lastComponent(llvm::StringRef name);
/// Two paths that differ, and only in components that are numbers ("layers.0"
/// and "layers.1"), or where `inNames`, end in numbers ("lstm0" and "lstm1"):
/// the names of two layers of a stack.
bool differInNumbersOnly(llvm::StringRef a, llvm::StringRef b,
                         bool inNames = false);

/// Names and glob patterns ("*", "?", "[..]", "{a,b}") that an option has.
class NamePatterns {
public:
  /// `option` is how messages name it; an error says which pattern is wrong.
  static ::soap::Expected<NamePatterns>
  parse(llvm::StringRef option, const std::vector<std::string> &patterns);

  /// The pattern that `name` matches, as the file or import writes it, marked
  /// as used; null if none does.
  const std::string *match(llvm::StringRef name);
  /// The first pattern that nothing has matched; null if there is none.
  const std::string *unused() const;
  const std::string &option() const { return optionName; }

private:
  struct Pattern {
    std::shared_ptr<const std::string> text; // the glob refers to it
    llvm::GlobPattern glob;
    bool isUsed = false;
  };
  std::string optionName;
  std::vector<Pattern> patterns;
};

/// A line of a list of parameters: "a.weight" or "a.weight 32x12", "[]" for
/// rank 0, and "frozen" behind it for one that is not trained.
struct ListedParameter {
  std::string name;
  std::optional<std::vector<int64_t>> shape;
  bool isFrozen = false;
};
/// The lines of such a list, without spaces around them and empty lines. An
/// error where it is no regular file, or larger than 16 MiB.
::soap::Expected<std::vector<ListedParameter>>
readParameterList(const std::string &path);

} // namespace mlir::soap::onnx

#endif // SOAP_LIB_TARGET_ONNX_PARAMETERNAMES_H
