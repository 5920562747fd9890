//===- ShardingText.h - Shardings as text -----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of Shardy, which are text in a program in generic form, and
// shardings of GSPMD, which are strings, as configs over the dims of a tensor.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_STABLEHLO_SHARDINGTEXT_H
#define SOAP_LIB_TARGET_STABLEHLO_SHARDINGTEXT_H

#include "Importer.h"

#include "Soap/Model/Config.h"

namespace mlir::soap::stablehlo_import {

struct Sharding {
  /// Pieces of the dims, each on its devices; replicas elsewhere.
  ::soap::Config config;
  /// Some dim may be cut further: `{?}` of Shardy.
  bool isOpen = false;
};

/// Reads the sharding of a tensor of `shape`.
class ShardingReader {
public:
  /// `module` has the meshes of Shardy, and the number of devices.
  ShardingReader(ModuleOp module, ArrayRef<int64_t> shape)
      : module(module), shape(shape) {}

  /// `attribute` is `#sdy.sharding<...>`, `#sdy.sharding_per_value<...>`, of
  /// which number `result` of `results` is read, or a string of GSPMD. None,
  /// with `why`, if it is no sharding that a config can be.
  std::optional<Sharding> read(Attribute attribute, unsigned result,
                               unsigned results);
  /// The reason of a failure: the expected form, or a limit of configs.
  StringRef why() const { return reason; }

private:
  ModuleOp module;
  ArrayRef<int64_t> shape;
  std::string reason;

  std::nullopt_t fail(const Twine &text) {
    reason = text.str();
    return std::nullopt;
  }
  std::optional<Sharding> readShardy(StringRef text);
  std::optional<Sharding> readGspmd(StringRef text);
  std::optional<SmallVector<int>> readDevices(StringRef &text, int64_t count);
  std::optional<Sharding> replicated();
};

} // namespace mlir::soap::stablehlo_import

#endif // SOAP_LIB_TARGET_STABLEHLO_SHARDINGTEXT_H
