//===- OpNames.cpp - Names of ops from locations of JAX -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JAX writes into the location of an op the scopes it was traced in, and its
// primitive: `jit(step)/transpose(jvp(layer))/dot_general` is a gradient of
// `layer.dot_general`.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;
using namespace mlir::soap;
namespace shlo = mlir::soap::stablehlo_import;

/// The scopes and the primitive; empty: the location does not say them.
static StringRef scopesOf(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location one : llvm::reverse(fused.getLocations()))
      if (StringRef name = scopesOf(one); !name.empty())
        return name;
  return "";
}

/// `layer.dot_general.grad` of scopes.
static std::string nameOf(StringRef scopes) {
  SmallVector<StringRef> parts, kept;
  scopes.split(parts, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  bool isGradient = false;
  for (StringRef part : parts) {
    // Transformations around a scope: `transpose(jvp(layer))`.
    bool isCall = false;
    while (part.ends_with(")") && part.contains('(')) {
      auto [transformation, inner] = part.drop_back().split('(');
      isGradient |= transformation == "transpose";
      isCall |= transformation == "jit" || transformation == "pjit";
      part = inner;
    }
    if (!isCall && !part.empty() &&
        !llvm::is_contained({"while", "body", "cond", "closed_call",
                             "checkpoint", "rematted_computation"},
                            part))
      kept.push_back(part);
  }
  std::string name = llvm::join(kept, ".");
  for (char &c : name)
    if (!llvm::isAlnum(c) && c != '.' && c != '-')
      c = '_';
  return name.empty() || !isGradient ? name : name + ".grad";
}

void shlo::nameOps(func::FuncOp function) {
  std::set<std::string> names;
  for (Operation &op : function.getBody().front().without_terminator()) {
    std::string name = nameOf(scopesOf(op.getLoc()));
    if (name.empty() || op.hasAttr(SoapDialect::kName))
      continue;
    std::string unique = name;
    for (unsigned i = 1; !names.insert(unique).second; ++i)
      unique = name + "_" + std::to_string(i);
    op.setAttr(SoapDialect::kName,
               StringAttr::get(function.getContext(), unique));
  }
}
