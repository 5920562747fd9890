//===- InputFileTest.cpp - Files, and what is none ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever a name stands for, reading it ends soon, with its bytes or with a
// message.
//
//===----------------------------------------------------------------------===//

#include "Soap/Support/InputFile.h"
#include "Support/TemporaryFolder.h"

#include "gtest/gtest.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

using namespace soap;

namespace {

std::string errorOf(const std::string &path, int64_t limit = 1000) {
  auto text = readFile(path, limit);
  return text ? "no error" : text.error().substr(path.size());
}

/// Restores the limits of the process.
struct Limits {
  InputLimits before = inputLimits();
  ~Limits() { inputLimits() = before; }
};

TEST(InputFile, ReadsUpToItsLimit) {
  TemporaryFolder folder;
  std::string path = folder.file("f", "12345");
  auto text = readFile(path, 5);
  ASSERT_TRUE(text) << text.error();
  EXPECT_EQ(*text, "12345");
  EXPECT_EQ(errorOf(path, 4), ": expected at most 4 bytes");
  EXPECT_EQ(*readFile(folder.file("e", "")), "");
  // Files of /proc do not say how many bytes they have.
  auto status = readFile("/proc/self/status");
  ASSERT_TRUE(status) << status.error();
  EXPECT_FALSE(status->empty());
}

TEST(InputFile, RefusesWhatIsNoFile) {
  TemporaryFolder folder;
  EXPECT_EQ(errorOf(folder / "none"),
            ": cannot open: No such file or directory");
  EXPECT_EQ(errorOf(folder.path), ": expected a file, got a directory");
  for (const char *device : {"/dev/zero", "/dev/null"})
    EXPECT_EQ(errorOf(device), ": expected a file, got a device");
  ASSERT_EQ(symlink("/dev/zero", (folder / "link").c_str()), 0);
  EXPECT_EQ(errorOf(folder / "link"), ": expected a file, got a device");

  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::string path = folder / "s";
  ASSERT_LT(path.size(), sizeof(address.sun_path));
  path.copy(address.sun_path, path.size());
  Descriptor listener(socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr *>(&address),
                 sizeof(address)),
            0);
  EXPECT_EQ(errorOf(path), ": expected a file, got a socket");
}

TEST(InputFile, RefusesWhatNoMemoryHolds) {
  TemporaryFolder folder;
  std::string path = folder.file("sparse", "");
  ASSERT_EQ(truncate(path.c_str(), int64_t(1) << 42), 0);
  std::string message = errorOf(path, int64_t(1) << 62);
  EXPECT_NE(message.find("bytes, the memory of this machine"),
            std::string::npos)
      << message;
}

/// A pipe that `write` fills as another program would.
template <typename Write>
std::string readPipe(const Write &write, int64_t limit = int64_t(1) << 40) {
  TemporaryFolder folder;
  std::string path = folder / "p";
  EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    Descriptor file(open(path.c_str(), O_WRONLY));
    write(file.get());
  });
  auto text = readFile(path, limit);
  std::string result = text ? *text : text.error().substr(path.size());
  writer.join();
  return result;
}

/// Writes until no process reads any more.
void writeForever(int fd) {
  signal(SIGPIPE, SIG_IGN);
  std::string chunk(size_t(1) << 16, 'y');
  while (write(fd, chunk.data(), chunk.size()) > 0) {
  }
}

TEST(InputFile, ReadsPipesToTheirEnd) {
  EXPECT_EQ(readPipe([](int fd) {
              for (const char *part : {"one ", "two"}) {
                EXPECT_GT(write(fd, part, strlen(part)), 0);
                usleep(20000);
              }
            }),
            "one two");
  EXPECT_EQ(readPipe([](int) {}), "");
}

TEST(InputFile, EndsEndlessPipes) {
  Limits limits;
  ASSERT_FALSE(setInputLimit("1MB"));
  EXPECT_EQ(readPipe(writeForever),
            ": expected at most 1048576 bytes from a pipe (option "
            "--input-limit)");
  EXPECT_EQ(readPipe(writeForever, 1000), ": expected at most 1000 bytes");
}

TEST(InputFile, DoesNotWaitForAWriterThatNeverComes) {
  TemporaryFolder folder;
  std::string path = folder / "p";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(errorOf(path), ": expected a file, got a pipe that nothing was "
                           "written to within 3 s");
}

TEST(InputFile, KnowsKinds) {
  TemporaryFolder folder;
  EXPECT_EQ(specialKind(folder.file("f", "")), nullptr);
  EXPECT_EQ(specialKind(folder / "none"), nullptr);
  EXPECT_STREQ(specialKind(folder.path), "a directory");
  EXPECT_STREQ(specialKind("/dev/zero"), "a device");
}

TEST(InputFile, ParsesLimits) {
  for (auto [text, bytes] : {std::pair{"1", int64_t(1)},
                             {"64KB", int64_t(65536)},
                             {"3MB", int64_t(3) << 20},
                             {"4GB", int64_t(4) << 30}}) {
    auto parsed = parseByteCount(text);
    ASSERT_TRUE(parsed) << parsed.error();
    EXPECT_EQ(*parsed, bytes);
  }
  for (const char *text :
       {"", "0", "-1", "1.5GB", "1 GB", "4gb", "99999999999GB", "GB", "1TB"})
    EXPECT_FALSE(parseByteCount(text)) << text;
  InputLimits limits;
  EXPECT_EQ(limits.unpacked(1000), limits.unpackedBytes);
  EXPECT_EQ(limits.unpacked(int64_t(1) << 30), int64_t(100) << 30);
  EXPECT_GT(limits.unpacked(INT64_MAX), int64_t(1) << 60);
}

} // namespace
