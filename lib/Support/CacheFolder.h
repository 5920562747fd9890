//===- CacheFolder.h - Where Soap keeps what it can make again --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder in which compiled code and choices of algorithms are kept between
// runs. It is the same for programs that share no library.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SUPPORT_CACHEFOLDER_H
#define SOAP_LIB_SUPPORT_CACHEFOLDER_H

#include <cstdlib>
#include <string>

namespace soap {

/// $SOAP_CACHE_DIR, else $XDG_CACHE_HOME/soap, else $HOME/.cache/soap; empty if
/// there is none of them. It need not exist.
inline std::string cacheFolder() {
  auto variable = [](const char *name) {
    const char *text = std::getenv(name);
    return std::string(text ? text : "");
  };
  if (std::string chosen = variable("SOAP_CACHE_DIR"); !chosen.empty())
    return chosen;
  // The specification of XDG says that relative paths are to be ignored.
  if (std::string base = variable("XDG_CACHE_HOME"); base.starts_with('/'))
    return base + "/soap";
  if (std::string home = variable("HOME"); !home.empty())
    return home + "/.cache/soap";
  return "";
}

} // namespace soap

#endif // SOAP_LIB_SUPPORT_CACHEFOLDER_H
