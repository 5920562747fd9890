//===- InputsTest.cpp - Models with several data tensors ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source and target of a translation from arrays, from the lines of two texts
// and made up, in tensors that count samples along different dimensions; and
// what such data can get wrong.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Data/Data.h"
#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Support/InputFile.h"
#include "Support/TemporaryFolder.h"
#include "ZipWriter.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace soap;
using namespace soap::runtime;

namespace {

using Numbers = std::vector<double>;

TensorInfo tensor(const std::string &name, TensorKind kind,
                  std::vector<int64_t> shape, DType type, int64_t sampleDim) {
  TensorInfo info;
  info.name = name;
  info.kind = kind;
  info.shape = std::move(shape);
  info.dtype = type;
  info.sampleDim = sampleDim;
  return info;
}

/// Two samples: three source tokens, time first, and two target tokens with a
/// label each, samples first.
ModelInputs translation() {
  ModelInputs inputs;
  inputs.data = {tensor("source", TensorKind::Data, {3, 2}, DType::I32, 1),
                 tensor("target", TensorKind::Data, {2, 2}, DType::I32, 0)};
  inputs.label = tensor("label", TensorKind::Label, {2, 2}, DType::I32, 0);
  inputs.label.classes = 20;
  return inputs;
}

Numbers elements(const HostTensor &tensor) {
  Numbers result;
  for (int64_t i = 0; i < tensor.volume(); ++i)
    result.push_back(tensor.at(i));
  return result;
}

/// An NPY file of numbers from `first` on.
std::string npy(const TemporaryFolder &folder, std::vector<int64_t> shape,
                double first, ElementType type = ElementType::I32) {
  HostTensor array(type, std::move(shape));
  for (int64_t i = 0; i < array.volume(); ++i)
    array.set(i, first + double(i));
  EXPECT_FALSE(writeNpy(folder / "a.npy", array));
  return *readFile(folder / "a.npy");
}

struct Batch {
  std::vector<HostTensor> data;
  HostTensor label;
  int64_t real = 0;
  Batch(const ModelInputs &inputs, const DataSource &source, const Dataset &set,
        const std::vector<int64_t> &order, int64_t first = 0)
      : label(inputs.label.dtype, inputs.label.shape) {
    std::vector<HostTensor *> pointers;
    data.reserve(inputs.data.size());
    for (const TensorInfo &info : inputs.data)
      pointers.push_back(&data.emplace_back(info.dtype, info.shape));
    real = fillBatch(source, set, order, first, pointers, label);
  }
};

TEST(Inputs, ArraysHaveTheNamesOfTheTensors) {
  TemporaryFolder folder;
  ZipWriter zip;
  zip.add("source_train.npy", npy(folder, {3, 3}, 0), false);
  zip.add("target_train.npy", npy(folder, {3, 2}, 10), true);
  zip.add("y_train.npy", npy(folder, {3, 2}, 12), false);
  ModelInputs inputs = translation();
  auto source = loadData("npz:" + folder.file("f.npz", zip.finish()), inputs,
                         Normalization(), 0);
  ASSERT_TRUE(source) << source.error();
  EXPECT_FALSE(source->test);
  Batch batch(inputs, *source, source->train, {2, 0, 1});
  EXPECT_EQ(batch.real, 2);
  EXPECT_EQ(elements(batch.data[0]), (Numbers{6, 0, 7, 1, 8, 2}));
  EXPECT_EQ(elements(batch.data[1]), (Numbers{14, 15, 10, 11}));
  EXPECT_EQ(elements(batch.label), (Numbers{16, 17, 12, 13}));
  Batch rest(inputs, *source, source->train, {2, 0, 1}, 2);
  EXPECT_EQ(rest.real, 1);
  EXPECT_EQ(elements(rest.label), (Numbers{14, 15, -1, -1}));
  // An entry may not need all of them.
  HostTensor target(DType::I32, {2, 2}), label(DType::I32, {2, 2});
  EXPECT_EQ(
      fillBatch(*source, source->train, {1, 0}, 0, {nullptr, &target}, label),
      2);
  EXPECT_EQ(elements(target), (Numbers{12, 13, 10, 11}));
}

TEST(Inputs, LabelsLieAsTheTargetDoes) {
  TemporaryFolder folder;
  ModelInputs inputs = translation();
  inputs.data[1] = tensor("target", TensorKind::Data, {4, 2}, DType::I32, 1);
  inputs.label = tensor("label", TensorKind::Label, {8}, DType::I32, 0);
  std::string path = folder.path;
  for (auto [name, length] : {std::pair{"source", 3}, {"target", 4}, {"y", 4}})
    folder.file(name + std::string("_train.npy"), npy(folder, {2, length}, 0));
  auto source = loadData("npy:" + path, inputs, Normalization(), 0);
  ASSERT_TRUE(source) << source.error();
  EXPECT_EQ(source->labelRuns, 4);
  Batch batch(inputs, *source, source->train, {0, 1});
  EXPECT_EQ(elements(batch.data[1]), (Numbers{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(elements(batch.label), elements(batch.data[1]));
  // Where no data has as many elements, the label says it itself.
  inputs.data.pop_back();
  inputs.label = tensor("label", TensorKind::Label, {4, 2}, DType::I32, 1);
  folder.file("x_train.npy", npy(folder, {2, 3}, 0));
  auto alone = loadData("npy:" + path, inputs, Normalization(), 0);
  ASSERT_TRUE(alone) << alone.error();
  EXPECT_EQ(alone->labelRuns, 4);
}

TEST(Inputs, EachIsNormalizedByItself) {
  TemporaryFolder folder;
  ModelInputs inputs;
  inputs.data = {tensor("a", TensorKind::Data, {2, 1}, DType::F32, 0),
                 tensor("b", TensorKind::Data, {2, 1}, DType::F32, 0),
                 tensor("c", TensorKind::Data, {2, 1}, DType::I32, 0)};
  inputs.label = tensor("label", TensorKind::Label, {2}, DType::I32, 0);
  folder.file("a_train.npy", npy(folder, {2, 1}, 5));
  folder.file("b_train.npy", npy(folder, {2, 1}, 7, ElementType::F32));
  folder.file("c_train.npy", npy(folder, {2, 1}, 9));
  folder.file("y_train.npy", npy(folder, {2}, 0));
  auto source =
      loadData("npy:" + folder.path, inputs, *parseNormalization("auto"), 0);
  ASSERT_TRUE(source) << source.error();
  Batch batch(inputs, *source, source->train, {0, 1});
  EXPECT_EQ(elements(batch.data[0]), (Numbers{-1, 1}));
  EXPECT_EQ(elements(batch.data[1]), (Numbers{-1, 1}));
  EXPECT_EQ(elements(batch.data[2]), (Numbers{9, 10}));
}

TEST(Inputs, MadeUpForAll) {
  ModelInputs inputs = translation();
  auto source = loadData("synthetic", inputs, Normalization(), 0);
  ASSERT_TRUE(source) << source.error();
  ASSERT_EQ(source->train.samples.size(), 2u);
  EXPECT_EQ(source->train.samples[0].shape, (std::vector<int64_t>{16, 3}));
  EXPECT_EQ(source->train.samples[1].shape, (std::vector<int64_t>{16, 2}));
  EXPECT_EQ(source->train.size(), 16);
  EXPECT_EQ(source->train.labelsPerSample, 2);
}

TEST(Inputs, LinesAreTranslated) {
  TemporaryFolder folder;
  std::string from = folder.file("from", "a\nb a\nb b a a\n\nb"),
              to = folder.file("to", "x\ny\nx x x\nx y\nz\n");
  ModelInputs inputs = translation();
  std::string spec = "text:" + from + ",target=" + to + ",test=0.2";
  auto source = loadData(spec, inputs, Normalization(), 0);
  ASSERT_TRUE(source) << source.error();
  EXPECT_EQ(source->summary, "4 training lines, 1 test lines, vocabularies of "
                             "4 and 4, 40.0 % cut off");
  EXPECT_TRUE(source->tokens);
  // By frequency, then by bytes: a, the end of a line, b in sources; x, the end
  // of a line, y in targets.
  EXPECT_EQ(elements(source->train.samples[0]),
            (Numbers{1, 2, 2, 3, 1, 2, 3, 3, 1, 2, 2, 2}));
  EXPECT_EQ(elements(source->train.samples[1]),
            (Numbers{2, 1, 2, 3, 2, 1, 2, 1}));
  EXPECT_EQ(source->train.labels,
            (std::vector<int32_t>{1, 2, 3, 2, 1, 1, 1, 3}));
  // "z" is unknown.
  EXPECT_EQ(source->test->labels, (std::vector<int32_t>{0, 2}));
  // Of eight labels, four are x, two y, two ends: 1.5 bits.
  EXPECT_NEAR(source->unigramLoss, 1.5 * 0.69314718055994531, 1e-12);
  inputs.data[1].shape = {2, 6};
  inputs.label.shape = {2, 6};
  auto bytes = loadData(spec + ",level=byte", inputs, Normalization(), 0);
  ASSERT_TRUE(bytes) << bytes.error();
  // x, space, x, space, x, end of line: no label behind it.
  EXPECT_EQ(
      std::count(bytes->train.labels.begin(), bytes->train.labels.end(), -1),
      10);
}

TEST(Inputs, Rejects) {
  TemporaryFolder folder;
  ModelInputs inputs = translation();
  auto message = [&](const std::string &spec) {
    auto source = loadData(spec, inputs, Normalization(), 0);
    std::string text = source ? "no error" : source.error();
    for (size_t at; (at = text.find(folder.path)) != std::string::npos;)
      text.replace(at, folder.path.size(), "DIR");
    return text;
  };
  ZipWriter zip;
  zip.add("source_train.npy", npy(folder, {4, 3}, 0), false);
  zip.add("y_train.npy", npy(folder, {4, 2}, 0), false);
  EXPECT_EQ(message("npz:" + folder.file("f.npz", zip.finish())),
            "DIR/f.npz: expected an array 'target_train'");
  zip.add("target_train.npy", npy(folder, {5, 2}, 0), false);
  EXPECT_EQ(message("npz:" + folder.file("f.npz", zip.finish())),
            "DIR/f.npz: target_train: expected 4 samples as in DIR/f.npz: "
            "source_train, got 5");
  ZipWriter wide;
  wide.add("source_train.npy", npy(folder, {4, 3}, 0), false);
  wide.add("target_train.npy", npy(folder, {4, 3}, 0), false);
  wide.add("y_train.npy", npy(folder, {4, 2}, 0), false);
  EXPECT_EQ(message("npz:" + folder.file("f.npz", wide.finish())),
            "DIR/f.npz: target_train: samples of shape [3] do not fit data "
            "'target', which expects [2]");
  EXPECT_EQ(message("npy:" + folder.path),
            "DIR/source_train.npy: cannot open: No such file or directory");
  EXPECT_EQ(message("idx:" + folder.path),
            "'idx:DIR' holds one array of samples, but the model takes "
            "'source' and 'target': expected 'npz:FILE' or 'npy:DIR'");
  std::string from = folder.file("from", "a\nb\n");
  EXPECT_EQ(message("tokens:" + from),
            "'tokens:' are of one data tensor, but the model takes 'source' "
            "and 'target': expected 'npz:FILE' or 'npy:DIR'");
  EXPECT_EQ(message("text:" + from),
            "the model takes 'source' and 'target': expected the data option "
            "'target' with the text that the lines of DIR/from become");
  EXPECT_EQ(message("text:" + from + ",target=" + folder.file("to", "a\n")),
            "DIR/to: expected 2 lines as in DIR/from, got 1");
  EXPECT_EQ(message("text:" + from + ",target=" + (folder / "nowhere")),
            "DIR/nowhere: cannot open: No such file or directory");
  EXPECT_EQ(message("text:" + from + ",target=" + from),
            "text:DIR/from,target=DIR/from: the training set has 1 samples, "
            "fewer than a batch of 2");
  inputs.data.push_back(inputs.data[1]);
  EXPECT_EQ(message("text:" + from),
            "the model takes 'source', 'target' and 'target': expected "
            "'npz:FILE' or 'npy:DIR' as data");
  inputs.data.pop_back();
  inputs.data[0].shape = {3, 4};
  EXPECT_EQ(message("synthetic"),
            "data 'source' of shape [3, 4] and data 'target' of shape [2, 2]: "
            "expected as many samples in both, got 4 and 2");
  inputs.data.erase(inputs.data.begin());
  EXPECT_EQ(message("text:" + from + ",target=" + from),
            "data option 'target' is for models with two data tensors, a "
            "source and a target; this one takes 'target'");
}

/// Samples of two numbers; a row of two numbers and a class for each of them as
/// labels.
ModelInputs regression() {
  ModelInputs inputs;
  inputs.data = {tensor("x", TensorKind::Data, {2, 2}, DType::F32, 0)};
  inputs.targets = {tensor("label_0", TensorKind::Label, {2, 2}, DType::F32, 0),
                    tensor("label_1", TensorKind::Label, {2}, DType::I32, 0)};
  inputs.targets[1].classes = 9;
  return inputs;
}

/// Arrays of three samples.
std::string targets(const TemporaryFolder &folder, double firstClass) {
  ZipWriter zip;
  zip.add("x_train.npy", npy(folder, {3, 2}, 0, ElementType::F32), false);
  zip.add("label_0_train.npy", npy(folder, {3, 2}, 10, ElementType::F32),
          false);
  zip.add("label_1_train.npy", npy(folder, {3}, firstClass), false);
  return "npz:" + folder.file("t.npz", zip.finish());
}

TEST(Inputs, LabelsMayBeNumbersAndSeveral) {
  TemporaryFolder folder;
  ModelInputs inputs = regression();
  auto source = loadData(targets(folder, 6), inputs, Normalization(), 0);
  ASSERT_TRUE(source) << source.error();
  EXPECT_EQ(source->train.size(), 3);
  HostTensor x(DType::F32, {2, 2}), numbers(DType::F32, {2, 2}),
      classes(DType::I32, {2});
  BatchTensors batch{{&x}, {&numbers, &classes}, nullptr, 2};
  EXPECT_EQ(fillBatch(*source, source->train, {2, 0, 1}, 0, batch), 2);
  EXPECT_EQ(elements(x), (Numbers{4, 5, 0, 1}));
  EXPECT_EQ(elements(numbers), (Numbers{14, 15, 10, 11}));
  EXPECT_EQ(elements(classes), (Numbers{8, 6}));
  EXPECT_EQ(countLabels(numbers), 4);
  // Behind the last sample there is none.
  EXPECT_EQ(fillBatch(*source, source->train, {2, 0, 1}, 2, batch), 1);
  EXPECT_EQ(elements(classes), (Numbers{7, -1}));
  EXPECT_EQ(numbers.at(1), 13);
  EXPECT_TRUE(std::isnan(numbers.at(2)) && std::isnan(numbers.at(3)));
  EXPECT_EQ(countLabels(numbers), 2);
  EXPECT_EQ(countLabels(classes), 1);
}

TEST(Inputs, LabelsThatAreIgnoredBecomeNegative) {
  TemporaryFolder folder;
  ModelInputs inputs = regression();
  auto bad = loadData(targets(folder, 7), inputs, Normalization(), 0);
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().find("label 9 of sample 2: expected 0 to 8"),
            std::string::npos)
      << bad.error();
  inputs.ignoreIndex = 9;
  auto source = loadData(targets(folder, 7), inputs, Normalization(), 0);
  ASSERT_TRUE(source) << source.error();
  EXPECT_EQ(elements(source->train.targets[1]), (Numbers{7, 8, -1}));
}

TEST(Inputs, LabelsOfOtherShapesAreErrors) {
  TemporaryFolder folder;
  ModelInputs inputs = regression();
  inputs.targets[0].shape = {2, 3};
  auto source = loadData(targets(folder, 0), inputs, Normalization(), 0);
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().find("expected shape [3, 3] for label 'label_0'"),
            std::string::npos)
      << source.error();
  inputs.targets[0].shape = {3, 2};
  source = loadData(targets(folder, 0), inputs, Normalization(), 0);
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().find("expected 2 samples along dimension 0"),
            std::string::npos)
      << source.error();
}

TEST(Inputs, ModelsWithoutLabelsCountSamples) {
  ModelInputs inputs = regression();
  inputs.targets.clear();
  auto source = loadData("synthetic", inputs, Normalization(), 0);
  ASSERT_TRUE(source) << source.error();
  EXPECT_EQ(source->train.size(), 16);
  auto text = loadData("text:book.txt", inputs, Normalization(), 0);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().find("the model takes no labels"), std::string::npos)
      << text.error();
}

} // namespace
