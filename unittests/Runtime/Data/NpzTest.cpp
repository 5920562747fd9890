//===- NpzTest.cpp - NumPy archives, honest and not -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Round trips of stored, deflated and zip64 members, and the message for every
// way an archive can lie.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Support/InputFile.h"
#include "Support/TemporaryFolder.h"
#include "ZipWriter.h"

#include "gtest/gtest.h"
#include <random>

using namespace soap;
using namespace soap::runtime;

namespace {

std::string array(const TemporaryFolder &folder, int64_t size) {
  HostTensor tensor(ElementType::I32, {size});
  for (int64_t i = 0; i < size; ++i)
    tensor.set(i, double(i * i));
  EXPECT_FALSE(writeNpy(folder / "a.npy", tensor));
  return *readFile(folder / "a.npy");
}

std::string messageOf(const ZipWriter &zip) {
  auto result = parseNpz(zip.finish(), "f");
  return result ? "no error" : result.error();
}

TEST(Npz, ReadsStoredDeflatedAndLarge) {
  TemporaryFolder folder;
  ZipWriter zip;
  ZipWriter::Lie large;
  large.large = true;
  zip.add("x_train.npy", array(folder, 1000), false);
  zip.add("y.npy", array(folder, 3), true);
  zip.add("big.npy", array(folder, 7), false, large);
  auto arrays = readNpz(folder.file("f", zip.finish()));
  ASSERT_TRUE(arrays) << arrays.error();
  EXPECT_EQ(arrays->size(), 3u);
  EXPECT_EQ(arrays->at("x_train").at(999), 999 * 999);
  EXPECT_EQ(arrays->at("y").shape, (std::vector<int64_t>{3}));
  EXPECT_EQ(arrays->at("big").at(6), 36);
}

TEST(Npz, Rejects) {
  TemporaryFolder folder;
  std::string bytes = array(folder, 1000);
  auto message = [&](bool deflated, auto change) {
    ZipWriter zip;
    ZipWriter::Lie lie;
    change(lie);
    zip.add("a.npy", bytes, deflated, lie);
    return messageOf(zip);
  };
  using Lie = ZipWriter::Lie;
  EXPECT_EQ(message(true, [](Lie &) {}), "no error");
  EXPECT_EQ(message(true, [](Lie &l) { l.flags = 1; }),
            "f: member 'a.npy': is encrypted");
  EXPECT_EQ(message(true, [](Lie &l) { l.method = 12; }),
            "f: member 'a.npy': expected stored or deflated bytes, got "
            "compression method 12");
  EXPECT_EQ(message(true, [](Lie &l) { l.crc = 5; }),
            "f: member 'a.npy': the checksum is wrong");
  EXPECT_EQ(message(true, [](Lie &l) { l.size = 4000; }),
            "f: member 'a.npy': expected 4000 bytes, got more");
  EXPECT_EQ(message(true, [](Lie &l) { l.size = 5000; }),
            "f: member 'a.npy': expected 5000 bytes, got 4128");
  EXPECT_EQ(message(true, [](Lie &l) { l.size = 0xfffffff0; }),
            "f: member 'a.npy': claims an absurd size of 4294967280 bytes");
  EXPECT_EQ(message(false, [](Lie &l) { l.size = 9; }),
            "f: member 'a.npy': is stored, but its two sizes differ");
  EXPECT_EQ(message(true, [](Lie &l) { l.packed = 1 << 20; }),
            "f: member 'a.npy': expected 1048576 bytes, got the end of the "
            "archive");
  EXPECT_EQ(message(true, [](Lie &l) { l.packed = 50; }),
            "f: member 'a.npy': the deflated data is damaged");
  EXPECT_EQ(message(true, [](Lie &l) { l.header = 7; }),
            "f: member 'a.npy': its header is not where it should be");
  // The second entry claims the first one's bytes.
  ZipWriter overlap;
  overlap.add("a.npy", bytes, false);
  Lie lie;
  lie.header = 0;
  overlap.add("b.npy", bytes, false, lie);
  EXPECT_EQ(messageOf(overlap), "f: the bytes of two members overlap at 0");
  ZipWriter twice;
  twice.add("a.npy", bytes, false);
  twice.add("a.npy", bytes, true);
  EXPECT_EQ(messageOf(twice), "f: two members are called 'a'");
  ZipWriter text;
  text.add("readme.txt", "hello", false);
  EXPECT_EQ(messageOf(text), "f: readme.txt: expected a NumPy file, which "
                             "starts with '\\x93NUMPY'");
  EXPECT_EQ(parseNpz("", "f").error(),
            "f: expected a zip archive of NumPy arrays");
}

TEST(Npz, RefusesBombs) {
  TemporaryFolder folder;
  // Half as much twice is too much, as it would be at once.
  std::string zeros(size_t(40) << 20, '\0');
  ZipWriter zip;
  zip.add("a.npy", zeros, true);
  zip.add("b.npy", zeros, true);
  auto arrays = readNpz(folder.file("f", zip.finish()));
  ASSERT_FALSE(arrays);
  EXPECT_NE(arrays.error().find(" bytes unpack to 83886080 bytes, expected at "
                                "most 67108864 (option --input-limit)"),
            std::string::npos)
      << arrays.error();
}

TEST(Npz, DamageNeverPasses) {
  TemporaryFolder folder;
  ZipWriter zip;
  zip.add("a.npy", array(folder, 40), true);
  zip.add("b.npy", array(folder, 40), false);
  std::string good = zip.finish();
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(parseNpz(std::string_view(good).substr(0, size), "f")) << size;
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = good;
    damaged[random() % good.size()] ^= char(1 + random() % 255);
    // It may be a byte that the reader skips; it may not crash.
    (void)parseNpz(damaged, "f");
  }
}

} // namespace
