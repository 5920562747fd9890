//===- ObjectCache.cpp - Compiled code kept on disk -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ObjectCache.h. The time of an entry's last use is its modification time.
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"

#include "Support/CacheFolder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <chrono>

using namespace mlir;
using namespace mlir::soap;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// Counts changes of what makes the same module other code.
constexpr StringRef version = "soap object cache 1, LLVM " LLVM_VERSION_STRING;
constexpr StringRef ending = ".object";
constexpr StringRef unfinished = ".tmp-"; // behind an entry's name

/// Hashes what is printed, without keeping it.
class HashStream : public llvm::raw_ostream {
public:
  explicit HashStream(llvm::SHA256 &hash) : hash(hash) {}
  ~HashStream() override { flush(); }

private:
  void write_impl(const char *data, size_t size) override {
    hash.update(StringRef(data, size));
    position += size;
  }
  uint64_t current_pos() const override { return position; }

  llvm::SHA256 &hash;
  uint64_t position = 0;
};

std::string hashOf(ArrayRef<char> bytes) {
  llvm::SHA256 hash;
  hash.update(StringRef(bytes.data(), bytes.size()));
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

/// An entry: a line, the key, the hash of the object, the object.
std::string headerOf(StringRef key, ArrayRef<char> object) {
  return (version + "\n" + key + "\n" + hashOf(object) + "\n").str();
}

} // namespace

std::string ObjectCache::defaultFolder() { return ::soap::cacheFolder(); }

std::string ObjectCache::key(ModuleOp module, const CodeTarget &target,
                             int optLevel) {
  llvm::SHA256 hash;
  {
    HashStream stream(hash);
    stream << version << '\n'
           << target.triple << '\n'
           << target.cpu << '\n'
           << target.features << '\n'
           << target.tuneCpu << '\n'
           << optLevel << '\n';
    module->print(stream);
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string ObjectCache::pathOf(StringRef key) const {
  return (folder + "/" + key + ending).str();
}

FailureOr<SmallVector<char, 0>> ObjectCache::compile(ModuleOp module,
                                                     const CodeTarget &target,
                                                     int optLevel) const {
  std::string name = key(module, target, optLevel);
  if (auto file = llvm::MemoryBuffer::getFile(
          pathOf(name), /*IsText=*/false, /*RequiresNullTerminator=*/false)) {
    StringRef bytes = (*file)->getBuffer();
    size_t size = headerOf(name, {}).size();
    ArrayRef<char> object(bytes.data() + std::min(size, bytes.size()),
                          bytes.end());
    if (bytes.size() > size && bytes.starts_with(headerOf(name, object))) {
      // Used now, so it is the last to go.
      int fd = -1;
      if (!fs::openFileForReadWrite(pathOf(name), fd, fs::CD_OpenExisting,
                                    fs::OF_None)) {
        (void)fs::setLastAccessAndModificationTime(
            fd, std::chrono::system_clock::now());
        (void)llvm::sys::Process::SafelyCloseFileDescriptor(fd);
      }
      return SmallVector<char, 0>(object.begin(), object.end());
    }
  }
  FailureOr<SmallVector<char, 0>> object =
      compileToObject(module, target, optLevel);
  if (succeeded(object)) {
    store(name, *object);
    shrink();
  }
  return object;
}

void ObjectCache::store(StringRef key, ArrayRef<char> object) const {
  if (fs::create_directories(folder))
    return;
  auto file = fs::TempFile::create(pathOf(key) + unfinished + "%%%%%%");
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  {
    llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
    stream << headerOf(key, object) << StringRef(object.data(), object.size());
    stream.flush();
    if (stream.has_error()) {
      stream.clear_error();
      llvm::consumeError(file->discard());
      return;
    }
  }
  llvm::consumeError(file->keep(pathOf(key)));
}

void ObjectCache::shrink() const {
  struct Entry {
    std::string path;
    uint64_t size;
    llvm::sys::TimePoint<> used;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error)) {
    // Only what this cache wrote.
    StringRef name = it->path();
    bool isUnfinished = name.contains((ending + unfinished).str());
    if (!isUnfinished && !name.ends_with(ending))
      continue;
    fs::file_status status;
    if (fs::status(name, status))
      continue;
    // No program writes for an hour: the writer was killed.
    if (isUnfinished) {
      if (std::chrono::system_clock::now() - status.getLastModificationTime() >
          std::chrono::hours(1))
        (void)fs::remove(name);
      continue;
    }
    entries.push_back(
        {it->path(), status.getSize(), status.getLastModificationTime()});
    total += status.getSize();
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.used < b.used; });
  for (const Entry &entry : entries) {
    if (total <= uint64_t(limit))
      break;
    if (!fs::remove(entry.path))
      total -= entry.size;
  }
}
