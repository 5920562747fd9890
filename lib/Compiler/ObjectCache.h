//===- ObjectCache.h - Compiled code kept on disk ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects by a key of everything that decides their bytes: the text of the
// lowered module, the processor, the optimization level, the versions of Soap
// and LLVM. An entry is one file, written beside its place and renamed, that
// begins with its key and a checksum: an entry that is not exactly what was
// written is compiled again and replaced. Nothing about the cache is an error:
// where it cannot be used, code is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_COMPILER_OBJECTCACHE_H
#define SOAP_LIB_COMPILER_OBJECTCACHE_H

#include "ObjectCode.h"

namespace mlir::soap {

class ObjectCache {
public:
  /// Entries are in `folder`, which is made when the first one is written. When
  /// they take more than `limit` bytes, those that were not used for longest
  /// are removed.
  explicit ObjectCache(std::string folder, int64_t limit = int64_t(1) << 30)
      : folder(std::move(folder)), limit(limit) {}

  /// $SOAP_CACHE_DIR, else $XDG_CACHE_HOME/soap, else $HOME/.cache/soap; empty
  /// if none of them is set.
  static std::string defaultFolder();

  /// The object of the entry, or a new one, which becomes an entry.
  FailureOr<SmallVector<char, 0>>
  compile(ModuleOp loweredModule, const CodeTarget &target, int optLevel) const;

  /// The key of a module, 64 hexadecimal digits.
  static std::string key(ModuleOp loweredModule, const CodeTarget &target,
                         int optLevel);

private:
  std::string pathOf(StringRef key) const;
  void store(StringRef key, ArrayRef<char> object) const;
  void shrink() const;

  std::string folder;
  int64_t limit;
};

} // namespace mlir::soap

#endif // SOAP_LIB_COMPILER_OBJECTCACHE_H
