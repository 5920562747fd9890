//===- TemporaryFolder.h - A folder for one test ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that tests write, removed at the end.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_SUPPORT_TEMPORARYFOLDER_H
#define SOAP_UNITTESTS_SUPPORT_TEMPORARYFOLDER_H

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

struct TemporaryFolder {
  std::string path;

  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "soap-XXXXXX";
    if (!mkdtemp(name.data()))
      throw std::runtime_error("cannot make a temporary folder");
    path = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  /// Writes a file and returns its path.
  std::string file(const std::string &name, const std::string &content) const {
    std::ofstream(path + "/" + name, std::ios::binary) << content;
    return path + "/" + name;
  }
  std::string operator/(const std::string &name) const {
    return path + "/" + name;
  }
};

#endif // SOAP_UNITTESTS_SUPPORT_TEMPORARYFOLDER_H
