//===- FilesTest.cpp - Readers on good and hostile files ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Round trips, and the message for every way a file can lie.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Support/FileIO.h"
#include "Soap/Support/InputFile.h"
#include "Support/TemporaryFolder.h"

#include "gtest/gtest.h"
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

using namespace soap;
using namespace soap::runtime;

namespace {

/// The message without the folder of the file.
template <typename T>
std::string messageOf(const Expected<T> &result,
                      const TemporaryFolder &folder) {
  if (result)
    return "no error";
  std::string text = result.error();
  if (text.rfind(folder.path + "/", 0) == 0)
    text = text.substr(folder.path.size() + 1);
  return text;
}

std::string bigEndian(uint32_t value) {
  return {char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
}

std::string idx(int type, const std::vector<uint32_t> &shape,
                const std::string &data) {
  std::string text("\0\0", 2);
  text += char(type);
  text += char(shape.size());
  for (uint32_t extent : shape)
    text += bigEndian(extent);
  return text + data;
}

std::string gzip(const std::string &data) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
  std::string out(data.size() + 256, '\0');
  stream.next_in = (Bytef *)data.data();
  stream.avail_in = unsigned(data.size());
  stream.next_out = (Bytef *)out.data();
  stream.avail_out = unsigned(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(Idx, ReadsPlainAndGzipped) {
  TemporaryFolder folder;
  std::string bytes = idx(8, {2, 3}, "abcdef");
  for (const std::string &content : {bytes, gzip(bytes)}) {
    auto tensor = readIdx(folder.file("f", content));
    ASSERT_TRUE(tensor) << tensor.error();
    EXPECT_EQ(tensor->shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(tensor->at(5), 'f');
  }
  auto wide = readIdx(folder.file("w", idx(12, {1}, bigEndian(70000))));
  ASSERT_TRUE(wide) << wide.error();
  EXPECT_EQ(wide->at(0), 70000);
}

TEST(Idx, Rejects) {
  TemporaryFolder folder;
  auto message = [&](const std::string &content) {
    return messageOf(readIdx(folder.file("f", content)), folder);
  };
  EXPECT_EQ(messageOf(readIdx(folder / "none"), folder),
            "none: cannot open: No such file or directory");
  EXPECT_NE(messageOf(readIdx(folder.path), folder).find("got a directory"),
            std::string::npos);
  EXPECT_EQ(message(""), "f: expected an IDX header, got the end of the file");
  EXPECT_EQ(message("\x89PNG...."),
            "f: expected an IDX file, which starts with two zero bytes");
  EXPECT_EQ(message(idx(7, {1}, "a")),
            "f: expected an element type of 8, 9, 12, 13 or 14, got 7");
  EXPECT_EQ(message(idx(8, {}, "a")), "f: expected 1 to 8 dimensions, got 0");
  EXPECT_EQ(message(std::string("\0\0\x08\x02\0\0", 6)),
            "f: expected an IDX header, got the end of the file");
  EXPECT_EQ(message(idx(8, {2, 3}, "abc")),
            "f: expected 6 bytes of elements for shape [2, 3], got 3");
  EXPECT_EQ(message(idx(8, {2}, "abc")), "f: more bytes than shape [2] has");
  EXPECT_EQ(message(idx(8, {0, 3}, "")), "f: the array is empty: shape [0]");
  EXPECT_EQ(message(idx(14, {0xffffffff, 0xffffffff}, "")),
            "f: the header claims an absurd size: shape [4294967295, "
            "4294967295]...");
  // A large claim with little behind it costs little.
  EXPECT_EQ(message(idx(8, {0xffffffff}, "abc")),
            "f: expected 4294967295 bytes of elements for shape [4294967295], "
            "got 3");
  std::mt19937 random(3);
  std::string noise(100000, 0);
  for (char &c : noise)
    c = char(random());
  std::string packed = gzip(idx(8, {100000}, noise));
  std::string damaged = packed;
  damaged[packed.size() - 6] ^= 1; // the checksum
  EXPECT_EQ(message(damaged), "f: the gzip data is damaged");
  packed.resize(packed.size() / 2);
  EXPECT_EQ(message(packed), "f: the gzip data is truncated");
}

TEST(Idx, RefusesBombs) {
  TemporaryFolder folder;
  // A hundred kilobytes that unpack to a hundred megabytes, as the header says.
  constexpr uint32_t size = 100 << 20;
  std::string packed = gzip(idx(8, {size}, std::string(size, '\0')));
  ASSERT_LT(packed.size(), size_t(200000));
  auto message = [&] {
    std::string text = messageOf(readIdx(folder.file("f", packed)), folder);
    return text.substr(0, text.find(" bytes")) +
           text.substr(text.find(" of gzip"));
  };
  std::string seen = message();
  EXPECT_NE(seen.find(" of gzip data unpack to more than 67108864 bytes "
                      "(option --input-limit)"),
            std::string::npos)
      << seen;
  inputLimits().unpackedBytes = int64_t(size) + 9;
  auto whole = readIdx(folder.file("f", packed));
  inputLimits() = InputLimits();
  ASSERT_TRUE(whole) << whole.error();
  EXPECT_EQ(whole->volume(), int64_t(size));
  // The same as text.
  auto text = readUnpacked(folder / "f", int64_t(1) << 40);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().find("unpack to more than 67108864 bytes"),
            std::string::npos)
      << text.error();
}

std::string npy(const std::string &header, const std::string &data,
                int version = 1) {
  std::string text("\x93NUMPY", 6);
  text += char(version);
  text += '\0';
  text += char(header.size() & 255);
  text += char(header.size() >> 8);
  if (version > 1)
    text += std::string(2, '\0');
  return text + header + data;
}

TEST(Npy, RoundTrips) {
  TemporaryFolder folder;
  for (ElementType type : {ElementType::F32, ElementType::F64, ElementType::I32,
                           ElementType::I64, ElementType::U8, ElementType::I8})
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{}, {5}, {2, 3, 4}, {0, 7}}) {
      HostTensor tensor(type, shape);
      for (int64_t i = 0; i < tensor.volume(); ++i)
        tensor.set(i, double(i * 3 - 7 * (type != ElementType::U8)));
      ASSERT_FALSE(writeNpy(folder / "t.npy", tensor));
      auto read = readNpy(folder / "t.npy");
      ASSERT_TRUE(read) << read.error();
      EXPECT_EQ(read->shape, shape);
      EXPECT_EQ(read->dtype, type);
      for (int64_t i = 0; i < tensor.volume(); ++i)
        EXPECT_EQ(read->at(i), tensor.at(i));
    }
  auto second = readNpy(folder.file(
      "v2",
      npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", "a", 2)));
  ASSERT_TRUE(second) << second.error();
}

TEST(Npy, Rejects) {
  TemporaryFolder folder;
  auto message = [&](const std::string &content) {
    return messageOf(readNpy(folder.file("f", content)), folder);
  };
  auto header = [&](const std::string &descr, const std::string &order,
                    const std::string &shape) {
    return "{'descr': '" + descr + "', 'fortran_order': " + order +
           ", 'shape': " + shape + ", }\n";
  };
  const std::string data(8, 'x');
  EXPECT_EQ(message("PK\x03\x04 not an array"),
            "f: expected a NumPy file, which starts with '\\x93NUMPY'");
  EXPECT_EQ(message(npy("", "", 9)), "f: expected version 1, 2 or 3, got 9");
  EXPECT_EQ(message(npy(std::string(50, ' '), "").substr(0, 30)),
            "f: the header is truncated");
  EXPECT_EQ(message(npy("hello", "")),
            "f: at the header: expected a dictionary");
  EXPECT_EQ(message(npy("{'descr': '<f4'}", "")),
            "f: at the header: expected the keys descr, fortran_order and "
            "shape");
  EXPECT_EQ(message(npy(header("<f4", "Maybe", "(2,)"), data)),
            "f: at the header: expected True or False as fortran_order");
  EXPECT_EQ(message(npy(header("<f4", "False", "(-2,)"), data)),
            "f: at the header: expected a tuple of numbers as shape");
  EXPECT_EQ(message(npy(header(">f4", "False", "(2,)"), data)),
            "f: expected an element type of <f2, <f4, <f8, <i4, <i8, <u2, <u4, "
            "|u1 "
            "or |i1, "
            "got '>f4'");
  EXPECT_EQ(message(npy(header("|O", "False", "(2,)"), data)),
            "f: expected an element type of <f2, <f4, <f8, <i4, <i8, <u2, <u4, "
            "|u1 "
            "or |i1, "
            "got '|O'");
  EXPECT_EQ(message(npy(header("<f4", "True", "(2,)"), data)),
            "f: expected C order, got Fortran order");
  EXPECT_EQ(message(npy(header("<f4", "False", "(3,)"), data)),
            "f: expected 12 bytes of elements for shape [3], got 8");
  EXPECT_EQ(
      message(npy(header("<f4", "False", "(999999999999, 999999999999)"), "")),
      "f: the header claims an absurd size: shape [999999999999, "
      "999999999999]");
}

std::string safetensors(const std::string &header, const std::string &data) {
  std::string text;
  for (int i = 0; i < 8; ++i)
    text += char(header.size() >> (8 * i) & 255);
  return text + header + data;
}

TEST(Safetensors, RoundTrips) {
  TemporaryFolder folder;
  TensorMap tensors;
  HostTensor a(ElementType::F32, {2, 3}), b(ElementType::I64, {}),
      c(ElementType::F64, {0});
  for (int64_t i = 0; i < 6; ++i)
    a.set(i, double(i) / 4);
  b.set(0, -9);
  tensors.emplace("layer \"1\".weight", a.clone());
  tensors.emplace("b", b.clone());
  tensors.emplace("c", c.clone());
  std::string path = folder / "w.safetensors";
  ASSERT_FALSE(writeSafetensors(path, tensors));
  auto read = readSafetensors(path);
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->size(), 3u);
  EXPECT_EQ(read->at("layer \"1\".weight").at(5), 1.25);
  EXPECT_EQ(read->at("b").at(0), -9);
  // Nothing is left beside it.
  size_t files = 0;
  for ([[maybe_unused]] const auto &entry :
       std::filesystem::directory_iterator(folder.path))
    ++files;
  EXPECT_EQ(files, 1u);
}

TEST(Safetensors, HasChecksums) {
  TemporaryFolder folder;
  // The digits of Python: `"%08x" % zlib.crc32(struct.pack("<2f", 1.5, -2))`.
  HostTensor w(ElementType::F32, {2});
  w.set(0, 1.5);
  w.set(1, -2);
  TensorMap tensors;
  tensors.emplace("w", w.clone());
  std::string path = folder / "w.safetensors";
  ASSERT_FALSE(writeSafetensors(path, tensors, {{"title", "t"}}));
  std::string bytes = *readFile(path);
  EXPECT_NE(bytes.find(R"({\"w\":\"ccdf2c3a\"})"), std::string::npos) << bytes;
  SafetensorsInfo info;
  ASSERT_TRUE(readSafetensors(path, &info));
  EXPECT_TRUE(info.checked);
  EXPECT_EQ(info.metadata, (Metadata{{"title", "t"}}));
  // One of the two texts is not enough.
  std::string renamed = bytes;
  renamed.replace(renamed.find("soap_tensors"), 4, "sOap");
  EXPECT_EQ(messageOf(parseSafetensors(renamed, "f"), folder),
            "f: the file is damaged: expected both 'soap_tensors_crc32' and "
            "'soap_header_crc32' in the metadata");
  std::string header = bytes;
  header.replace(header.find("\"t\""), 3, "\"u\"");
  EXPECT_EQ(messageOf(parseSafetensors(header, "f"), folder),
            "f: the file is damaged: the checksum of the header is wrong");
  bytes.back() ^= 1;
  EXPECT_EQ(messageOf(parseSafetensors(bytes, "f"), folder),
            "f: tensor 'w': the checksum is wrong: the file is damaged, or a "
            "program changed the tensor and kept the metadata");
}

TEST(Safetensors, FailedWriteKeepsTheOldFile) {
  TemporaryFolder folder;
  MaybeError error = writeSafetensors(folder / "no/such/folder", TensorMap());
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("cannot write: No such file or directory"),
            std::string::npos)
      << error->message;
}

/// A process that ended and was waited for: its number means nothing.
pid_t deadProcess() {
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

TEST(WriteFile, RemovesWhatKilledWritersLeft) {
  TemporaryFolder folder;
  std::string dead = ".tmp" + std::to_string(deadProcess());
  std::string stale = folder.file("w" + dead, "half");
  // Of a running process, of another target, and not of a writer at all.
  std::string running =
      folder.file("w.tmp" + std::to_string(getppid()), "half");
  std::string other = folder.file("x" + dead, "half");
  std::string strange = folder.file("w.tmp12a", "whole");
  // Its process is unknown here, but it holds the lock: on another host.
  std::string remote =
      folder.file("w.tmp" + std::to_string(deadProcess()), "half");
  int lock = open(remote.c_str(), O_RDONLY);
  ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);

  ASSERT_FALSE(writeFile(folder / "w", "new"));
  EXPECT_EQ(*readFile(folder / "w", 100), "new");
  EXPECT_FALSE(std::filesystem::exists(stale));
  for (const std::string &path : {running, other, strange, remote})
    EXPECT_TRUE(std::filesystem::exists(path)) << path;
  close(lock);
  ASSERT_FALSE(writeFile(folder / "w", "newer"));
  EXPECT_FALSE(std::filesystem::exists(remote));
  EXPECT_EQ(*readFile(folder / "w", 100), "newer");
}

TEST(WriteFile, KeepsLinksAndDevices) {
  TemporaryFolder folder;
  std::string target = folder.file("target", "old");
  std::filesystem::create_symlink("target", folder / "link");
  ASSERT_FALSE(writeFile(folder / "link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(*readFile(target, 100), "new");

  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  int reader = open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_FALSE(writeFile(folder / "pipe", "text"));
  char buffer[8];
  EXPECT_EQ(read(reader, buffer, sizeof(buffer)), 4);
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));

  MaybeError error = writeFile(folder.path, "text");
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("cannot write: is a directory"),
            std::string::npos)
      << error->message;
}

TEST(Safetensors, Rejects) {
  TemporaryFolder folder;
  auto message = [&](const std::string &content) {
    return messageOf(readSafetensors(folder.file("f", content)), folder);
  };
  auto one = [](const std::string &dtype, const std::string &shape,
                const std::string &offsets) {
    return R"({"t":{"dtype":")" + dtype + R"(","shape":)" + shape +
           R"(,"data_offsets":)" + offsets + "}}";
  };
  const std::string data(8, 'x');
  EXPECT_EQ(message("abc"),
            "f: expected a safetensors header, got the end of the file");
  EXPECT_EQ(message(std::string(8, '\xff') + "{}"),
            "f: expected a header of 18446744073709551615 bytes, got 2");
  EXPECT_EQ(message(safetensors("[1]", "")),
            "f: expected a JSON object as header");
  EXPECT_EQ(message(safetensors("{\"t\":", "")),
            "f: expected a JSON object as header");
  EXPECT_EQ(message(safetensors("{\"t\":3}", "")),
            "f: at /t: expected an object, got 3");
  EXPECT_EQ(message(safetensors(one("F8_E4M3", "[4]", "[0,8]"), data)),
            "f: at /t/dtype: expected one of F32, F64, I32, I64, F16, BF16, "
            "U8, I8, got "
            "\"F8_E4M3\"");
  EXPECT_EQ(message(safetensors(one("F32", "[2]", "[0,16]"), data)),
            "f: at /t/data_offsets/1: expected an integer from 0 to 8, got 16");
  EXPECT_EQ(message(safetensors(one("F32", "[2]", "[8,0]"), data)),
            "f: at /t/data_offsets/1: expected 8, got 0");
  EXPECT_EQ(message(safetensors(one("F32", "[3]", "[0,8]"), data)),
            "f: at /t/data_offsets: expected 12 bytes for shape [3], got 8");
  EXPECT_EQ(
      message(safetensors(one("F32", "[-1]", "[0,8]"), data)),
      "f: at /t/shape/0: expected an integer from 0 to 17592186044416, got "
      "-1");
  EXPECT_EQ(message(safetensors(one("F32", "[4294967296,4294967296]", "[0,8]"),
                                data)),
            "f: at /t/shape: the tensor is too large");
  EXPECT_EQ(message(safetensors(
                R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                data)),
            "f: the bytes of two tensors overlap at 4");
}

TEST(Files, RandomDamageNeverCrashes) {
  TemporaryFolder folder;
  TensorMap tensors;
  tensors.emplace("a", HostTensor(ElementType::F32, {2, 3}));
  ASSERT_FALSE(writeSafetensors(folder / "s", tensors));
  ASSERT_FALSE(writeNpy(folder / "n", tensors.at("a")));
  std::string i = idx(8, {2, 3}, "abcdef");
  std::string z = gzip(i), s = *readFile(folder / "s"),
              n = *readFile(folder / "n");
  std::mt19937 random(7);
  for (int round = 0; round < 800; ++round) {
    std::string *base[] = {&i, &z, &s, &n};
    std::string content = *base[round % 4];
    for (int flips = 0; flips <= round % 3; ++flips)
      content[random() % content.size()] = char(random());
    if (random() % 4 == 0)
      content.resize(random() % content.size());
    std::string path = folder.file("f", content);
    (void)readIdx(path);
    (void)readNpy(path);
    (void)readSafetensors(path);
  }
}

} // namespace
