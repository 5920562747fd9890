//===- ObjectCacheTest.cpp - Compiled code kept on disk -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which entries are found, compiled again, and removed. Whether an entry was
// used shows in its file: a hit keeps it, compiling replaces it.
//
//===----------------------------------------------------------------------===//

#include "Compiler/ObjectCache.h"
#include "Soap/Compiler/JIT.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Support/TemporaryFolder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

using namespace mlir;
using namespace mlir::soap;
namespace files = std::filesystem;

namespace {

class ObjectCacheTest : public ::testing::Test {
protected:
  void SetUp() override {
    DialectRegistry registry;
    registry.insert<SoapDialect, LLVM::LLVMDialect>();
    context.appendDialectRegistry(registry);
  }

  OwningOpRef<ModuleOp> adder(int64_t number) {
    return parseSourceString<ModuleOp>(
        "module attributes {soap.manifest = \"{}\"} {\n"
        "  llvm.func @f(%a: i64) -> i64 {\n"
        "    %n = llvm.mlir.constant(" +
            std::to_string(number) +
            " : i64) : i64\n"
            "    %r = llvm.add %a, %n : i64\n"
            "    llvm.return %r : i64\n"
            "  }\n"
            "}\n",
        &context);
  }
  /// f(40), compiled with the cache.
  int64_t run(int64_t number, int optLevel = 1,
              int64_t limit = int64_t(1) << 20) {
    ObjectCache cache(folder, limit);
    OwningOpRef<ModuleOp> module = adder(number);
    auto code = JITModule::create(*module, nullptr, optLevel, &cache);
    if (failed(code))
      return -1;
    auto *f = reinterpret_cast<int64_t (*)(int64_t)>((*code)->lookup("f"));
    return f ? f(40) : -2;
  }
  std::vector<std::string> entries() {
    std::vector<std::string> result;
    if (files::exists(folder))
      for (const auto &entry : files::directory_iterator(folder))
        result.push_back(entry.path());
    return result;
  }
  static uint64_t inode(const std::string &path) {
    struct stat info{};
    EXPECT_EQ(stat(path.c_str(), &info), 0);
    return info.st_ino;
  }
  static std::string content(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void setContent(const std::string &path, const std::string &text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  TemporaryFolder root;
  std::string folder = root / "a/cache";
};

TEST_F(ObjectCacheTest, FindsWhatItCompiled) {
  EXPECT_EQ(run(2), 42);
  ASSERT_EQ(entries().size(), 1u);
  std::string path = entries()[0];
  uint64_t before = inode(path);
  files::last_write_time(path, files::file_time_type::clock::now() -
                                   std::chrono::hours(1));
  auto old = files::last_write_time(path);
  EXPECT_EQ(run(2), 42);
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_EQ(inode(path), before);
  EXPECT_GT(files::last_write_time(path), old);
}

TEST_F(ObjectCacheTest, KeysDiffer) {
  EXPECT_EQ(run(2), 42);
  EXPECT_EQ(run(3), 43);
  EXPECT_EQ(run(2, 2), 42);
  EXPECT_EQ(entries().size(), 3u);
  OwningOpRef<ModuleOp> module = adder(2);
  CodeTarget target{"t", "c", "f", ""}, other{"t", "d", "f", ""};
  EXPECT_NE(ObjectCache::key(*module, target, 1),
            ObjectCache::key(*module, other, 1));
  EXPECT_EQ(ObjectCache::key(*module, target, 1),
            ObjectCache::key(*module, target, 1));
}

TEST_F(ObjectCacheTest, ReplacesDamage) {
  EXPECT_EQ(run(2), 42);
  std::string path = entries()[0], good = content(path);
  std::string flipped = good;
  flipped[good.size() - 20] ^= 1;
  for (const std::string &bad :
       {std::string(), std::string("x"), good.substr(0, good.size() / 2),
        good + "x", flipped}) {
    setContent(path, bad);
    EXPECT_EQ(run(2), 42);
    EXPECT_EQ(content(path), good);
  }
  // The entry of another module under this name.
  EXPECT_EQ(run(5), 45);
  for (const std::string &entry : entries())
    if (entry != path)
      setContent(path, content(entry));
  EXPECT_EQ(run(2), 42);
  EXPECT_EQ(content(path), good);
}

TEST_F(ObjectCacheTest, RemovesTheOldest) {
  EXPECT_EQ(run(1), 41);
  int64_t size = int64_t(files::file_size(entries()[0]));
  files::last_write_time(entries()[0], files::file_time_type::clock::now() -
                                           std::chrono::hours(1));
  std::string first = entries()[0];
  setContent(folder + "/mine.txt", std::string(size_t(3 * size), 'x'));
  EXPECT_EQ(run(2, 1, 2 * size + size / 2), 42);
  EXPECT_EQ(entries().size(), 3u);
  EXPECT_EQ(run(3, 1, 2 * size + size / 2), 43);
  EXPECT_EQ(entries().size(), 3u);
  EXPECT_FALSE(files::exists(first));
  // Files of others are neither counted nor removed.
  EXPECT_TRUE(files::exists(folder + "/mine.txt"));
}

TEST_F(ObjectCacheTest, RemovesWhatKilledWritersLeft) {
  files::create_directories(folder);
  std::string old = folder + "/ab.object.tmp-123456";
  std::string fresh = folder + "/ab.object.tmp-abcdef";
  setContent(old, "half");
  setContent(fresh, "half");
  files::last_write_time(old, files::file_time_type::clock::now() -
                                  std::chrono::hours(2));
  EXPECT_EQ(run(2), 42);
  EXPECT_FALSE(files::exists(old));
  EXPECT_TRUE(files::exists(fresh));
}

TEST_F(ObjectCacheTest, WorksWithoutAFolder) {
  // A file is where the folder should be.
  setContent(root / "a", "");
  EXPECT_EQ(run(2), 42);
  EXPECT_EQ(content(root / "a"), "");
}

TEST_F(ObjectCacheTest, Places) {
  setenv("HOME", "/h", 1);
  unsetenv("SOAP_CACHE_DIR");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(ObjectCache::defaultFolder(), "/h/.cache/soap");
  setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(ObjectCache::defaultFolder(), "/x/soap");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(ObjectCache::defaultFolder(), "/h/.cache/soap");
  setenv("SOAP_CACHE_DIR", "/s", 1);
  EXPECT_EQ(ObjectCache::defaultFolder(), "/s");
  unsetenv("SOAP_CACHE_DIR");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(ObjectCache::defaultFolder(), "");
}

} // namespace
