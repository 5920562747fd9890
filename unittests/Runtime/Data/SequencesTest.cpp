//===- SequencesTest.cpp - Text and tokens as samples ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens, vocabularies, and how sequences and their targets lie in batches.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Data/Text.h"
#include "Soap/Runtime/Data/Data.h"
#include "Soap/Runtime/Data/TensorFiles.h"
#include "Support/TemporaryFolder.h"

#include "gtest/gtest.h"
#include <cmath>
#include <numeric>
#include <zlib.h>

using namespace soap;
using namespace soap::runtime;

namespace {

TEST(Text, TakesWordsApart) {
  std::vector<std::string_view> want = {
      "Don't", "panic", ",", "42", "\n", "na\xc3\xafve",
      "'",     "x",     "'", ".",  "\n"};
  EXPECT_EQ(
      tokenize("Don't  panic,\n42\n \n na\xc3\xafve 'x'.\n\n", TextLevel::Word),
      want);
  // A quoted word, a dash, a guillemet, a letter of the signs' block, and a
  // text that ends within a character.
  want = {"\xe2\x80\x9c", "na\xc3\xafve", "\xe2\x80\x9d", "\xe2\x80\x94",
          "\xc2\xab",     "5\xc2\xb5m",   "\xe2\x80"};
  EXPECT_EQ(tokenize("\xe2\x80\x9cna\xc3\xafve\xe2\x80\x9d\xe2\x80\x94\xc2\xab"
                     "5\xc2\xb5m \xe2\x80",
                     TextLevel::Word),
            want);
  EXPECT_EQ(tokenize("a b", TextLevel::Byte).size(), 3u);
  EXPECT_TRUE(tokenize("", TextLevel::Word).empty());
}

TEST(Text, NumbersByFrequencyThenBytes) {
  Vocabulary all("b a c a b a d", TextLevel::Word, 100);
  EXPECT_EQ(all.size(), 5);
  EXPECT_EQ(all.encode("a b c d e"), (std::vector<int32_t>{1, 2, 3, 4, 0}));
  EXPECT_EQ(all.token(3), "c");
  Vocabulary small("b a c a b a d", TextLevel::Word, 3);
  EXPECT_EQ(small.size(), 3);
  EXPECT_EQ(small.encode("a b c d"), (std::vector<int32_t>{1, 2, 0, 0}));
  Vocabulary bytes("aab", TextLevel::Byte, 256);
  EXPECT_FALSE(bytes.hasUnknown());
  EXPECT_EQ(bytes.encode("a\xff"), (std::vector<int32_t>{97, 255}));
  Vocabulary few("aab", TextLevel::Byte, 255);
  EXPECT_EQ(few.encode("abc"), (std::vector<int32_t>{1, 2, 0}));
}

TensorInfo tensor(TensorKind kind, std::vector<int64_t> shape, DType type,
                  int64_t classes = 0) {
  TensorInfo info;
  info.name = kind == TensorKind::Data ? "x" : "label";
  info.kind = kind;
  info.shape = std::move(shape);
  info.dtype = type;
  info.sampleDim = 0;
  info.classes = classes;
  return info;
}

Expected<DataSource> load(const std::string &spec, std::vector<int64_t> data,
                          std::vector<int64_t> label, int64_t classes = 100,
                          DType type = DType::I32) {
  return loadData(
      spec,
      {{tensor(TensorKind::Data, std::move(data), type)},
       tensor(TensorKind::Label, std::move(label), DType::I32, classes)},
      Normalization(), 0);
}

std::string raw(const std::vector<int> &tokens) {
  std::string bytes;
  for (int token : tokens)
    bytes += {char(token), char(token >> 8)};
  return bytes;
}

std::vector<double> elements(const HostTensor &tensor) {
  std::vector<double> result;
  for (int64_t i = 0; i < tensor.volume(); ++i)
    result.push_back(tensor.at(i));
  return result;
}

using Numbers = std::vector<double>;

TEST(Tokens, ChooseFromATable) {
  TemporaryFolder folder;
  std::vector<int> tokens(12);
  std::iota(tokens.begin(), tokens.end(), 10);
  std::string file = folder.file("t.bin", raw(tokens));
  // The loss has more classes than the table rows.
  TensorInfo data = tensor(TensorKind::Data, {1, 3}, DType::I32, 13);
  ModelInputs inputs{{data}, tensor(TensorKind::Label, {3}, DType::I32, 100)};
  auto source =
      loadData("tokens:" + file + ",test=0", inputs, Normalization(), 0);
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error(),
            "tokens:" + file +
                ",test=0: sample 1, element 0: expected 0 to 12 for data 'x', "
                "which chooses from so many rows, got 13");
}

TEST(Tokens, TargetsAreTheNextTokens) {
  TemporaryFolder folder;
  std::vector<int> tokens(12);
  std::iota(tokens.begin(), tokens.end(), 10);
  std::string path = folder.file("t.bin", raw(tokens));
  for (DType type : {DType::I32, DType::I64, DType::F32}) {
    auto source = load("tokens:" + path + ",test=0", {2, 3}, {6}, 100, type);
    ASSERT_TRUE(source) << source.error();
    EXPECT_TRUE(source->tokens);
    EXPECT_FALSE(source->test);
    EXPECT_NEAR(source->unigramLoss, std::log(9), 1e-12); // 9 labels, all other
    ASSERT_EQ(source->train.size(), 3);                   // 11 pairs
    HostTensor data(type, {2, 3}), label(DType::I32, {6});
    EXPECT_EQ(fillBatch(*source, source->train, {2, 0, 1}, 0, {&data}, label),
              2);
    EXPECT_EQ(elements(data), (Numbers{16, 17, 18, 10, 11, 12}));
    EXPECT_EQ(elements(label), (Numbers{17, 18, 19, 11, 12, 13}));
    EXPECT_EQ(fillBatch(*source, source->train, {2, 0, 1}, 2, {&data}, label),
              1);
    EXPECT_EQ(elements(label), (Numbers{14, 15, 16, -1, -1, -1}));
  }
}

TEST(Tokens, TimeMajorLiesTheOtherWay) {
  TemporaryFolder folder;
  std::string path = folder.file("t.bin", raw({0, 1, 2, 3, 4, 5, 6}));
  auto source =
      load("tokens:" + path + ",test=0,order=time-major", {3, 2}, {6});
  ASSERT_TRUE(source) << source.error();
  EXPECT_EQ(source->inputs[0].batchDim, 1);
  HostTensor data(DType::I32, {3, 2}), label(DType::I32, {6});
  EXPECT_EQ(fillBatch(*source, source->train, {0, 1}, 0, {&data}, label), 2);
  EXPECT_EQ(elements(data), (Numbers{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(elements(label), (Numbers{1, 4, 2, 5, 3, 6}));
}

TEST(Tokens, TheLastTestSequenceMayBeShort) {
  TemporaryFolder folder;
  ASSERT_EQ(raw({1}).size(), 2u);
  folder.file("train.bin", raw({1, 2, 3, 4, 5}));
  folder.file("val.bin", raw({7, 8, 9, 10, 11}));
  auto source = load("tokens:" + folder.path, {1, 3}, {1, 3});
  ASSERT_TRUE(source) << source.error();
  EXPECT_EQ(source->train.size(), 1);
  ASSERT_TRUE(source->test);
  ASSERT_EQ(source->test->size(), 2);
  EXPECT_EQ(source->test->labels, (std::vector<int32_t>{8, 9, 10, 11, -1, -1}));
}

TEST(Tokens, KnowsTheLossOfGuessingByFrequency) {
  TemporaryFolder folder;
  // The labels are 1, 2, 1, 3: entropy 1.5 bits. The data does not count.
  std::string path = folder.file("t.bin", raw({9, 1, 2, 1, 3}));
  auto source = load("tokens:" + path + ",test=0", {1, 4}, {4});
  ASSERT_TRUE(source) << source.error();
  EXPECT_NEAR(source->unigramLoss, 1.5 * std::log(2), 1e-12);
}

TEST(Tokens, ReadsArraysAndTypes) {
  TemporaryFolder folder;
  HostTensor array(ElementType::I64, {2, 4});
  for (int64_t i = 0; i < 8; ++i)
    array.set(i, double(i));
  ASSERT_FALSE(writeNpy(folder / "t.npy", array));
  auto source = load("tokens:" + (folder / "t.npy"), {2, 3}, {6});
  ASSERT_TRUE(source) << source.error();
  EXPECT_EQ(source->train.size(), 2);
  auto bytes = load("tokens:" + folder.file("t", "abcdefgh") + ",type=u8",
                    {2, 3}, {6}, 200);
  ASSERT_TRUE(bytes) << bytes.error();
  EXPECT_EQ(bytes->train.samples[0].at(0), 'a');
}

TEST(Text, TestPartIsUnseen) {
  TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 30; ++i)
    text += "the cat sat\n";
  text += "dogs dogs dogs dogs dogs dogs\n";
  std::string path = folder.file("t.txt", text);
  auto source = load("text:" + path + ",test=0.09", {2, 5}, {10}, 50);
  ASSERT_TRUE(source) << source.error();
  EXPECT_EQ(source->summary, "90 training tokens, 6 test tokens, vocabulary of "
                             "4, unknown 0.0 % and 100.0 %");
  // cat, sat, the have the same count.
  EXPECT_EQ(source->train.samples[0].at(0), 3);
  EXPECT_EQ(source->train.labels[0], 1);
  auto bytes = load("text:" + path + ",level=byte", {2, 5}, {10}, 256);
  ASSERT_TRUE(bytes) << bytes.error();
  EXPECT_EQ(bytes->train.samples[0].at(4), 'c');
  // The same, gzipped.
  gzFile file = gzopen((folder / "t.gz").c_str(), "wb");
  gzwrite(file, text.data(), unsigned(text.size()));
  gzclose(file);
  auto packed =
      load("text:" + (folder / "t.gz") + ",test=0.09", {2, 5}, {10}, 50);
  ASSERT_TRUE(packed) << packed.error();
  EXPECT_EQ(packed->train.labels, source->train.labels);
}

TEST(Sequences, Rejects) {
  TemporaryFolder folder;
  std::string path = folder.file("t.bin", raw({1, 2, 300, 4, 5, 6, 7, 8}));
  auto message = [&](const std::string &spec,
                     std::vector<int64_t> data = {2, 3},
                     std::vector<int64_t> label = {6}, int64_t classes = 100) {
    auto source = load(spec, std::move(data), std::move(label), classes);
    std::string text = source ? "no error" : source.error();
    for (size_t at; (at = text.find(folder.path)) != std::string::npos;)
      text.replace(at, folder.path.size(), "DIR");
    return text;
  };
  EXPECT_EQ(message("tokens:" + path),
            "DIR/t.bin: token 2: expected a number from 0 to 99, got 300");
  EXPECT_EQ(message("tokens:" + path + ",type=i32"),
            "DIR/t.bin: token 0: expected a number from 0 to 99, got 131073");
  EXPECT_EQ(message("tokens:" + folder.file("odd", "abc")),
            "DIR/odd: expected a multiple of 2 bytes for tokens of type u16, "
            "got 3");
  EXPECT_EQ(message("tokens:" + path + ",type=u64"),
            "data option 'type': expected u8, u16, i32 or u32, got 'u64'");
  EXPECT_EQ(message("tokens:" + path + ",test=2"),
            "data option 'test': expected a fraction from 0 to 0.9, got '2'");
  EXPECT_EQ(message("tokens:" + path + ",stride=2"),
            "data option 'stride=2': expected one of type=, test=, order=");
  EXPECT_EQ(message("tokens:" + path + ",test=0,test=0"),
            "data option 'test' is given twice");
  EXPECT_EQ(message("tokens:" + path + ",order=random"),
            "data option 'order': expected batch-major or time-major, got "
            "'random'");
  EXPECT_EQ(message("tokens:" + path, {2, 3}, {2}),
            "data 'x' of shape [2, 3] and label 'label' of shape [2]: expected "
            "sequences of tokens and a label for each token");
  EXPECT_EQ(message("tokens:" + folder.path),
            "DIR: expected train.npy or train.bin in it");
  EXPECT_EQ(message("tokens:" + folder.file("short", raw({1, 2, 3}))),
            "tokens:DIR/short: the training set has 0 samples, fewer than a "
            "batch of 2");
  std::string text = folder.file("t.txt", "one two three four five six seven");
  EXPECT_EQ(message("text:" + text + ",level=letter"),
            "data option 'level': expected word or byte, got 'letter'");
  EXPECT_EQ(message("text:" + text + ",vocabulary=101"),
            "data option 'vocabulary': expected a number from 2 to 100, the "
            "classes of the labels, got '101'");
  EXPECT_EQ(message("text:" + text, {2, 3}, {6}, 0),
            "expected the data option 'vocabulary', as the model does not say "
            "how many classes its labels have");
  EXPECT_EQ(message("text:" + path),
            "DIR/t.bin: expected text, got a byte of value 0 at 1; "
            "'level=byte' takes any file");
  EXPECT_EQ(message("text:" + folder.path),
            "DIR: expected a file, got a directory");
  std::string damaged("\x1f\x8b\x08\0\0\0\0\0\0\3", 10);
  EXPECT_EQ(message("text:" + folder.file("g", damaged + "\xff\xff\xff")),
            "DIR/g: the gzip data is damaged");
}

} // namespace
