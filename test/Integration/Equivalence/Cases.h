//===- Cases.h - Random programs of the equivalence suite -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A case is the text of a module with one function, and what its arguments
// hold. Every op of the dialect has a generator; so have whole small graphs and
// the networks of soap-translate.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TEST_EQUIVALENCE_CASES_H
#define SOAP_TEST_EQUIVALENCE_CASES_H

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace soap::equivalence {

using Random = std::mt19937_64;
inline int64_t uniform(Random &random, int64_t lo, int64_t hi) {
  return std::uniform_int_distribution<int64_t>(lo, hi)(random);
}

/// The fill of an argument. Integers are small, so that sums are exact
/// in f32 in any order.
struct Fill {
  enum Kind { Integers, Uniform, Positive, Labels, Constant } kind = Uniform;
  int64_t classes = 0; ///< of labels, which include -1 (ignored)
  double bound = 1;    ///< of uniform numbers; the constant
};

struct Case {
  std::string name;
  std::string text;
  std::map<std::string, Fill> fills; ///< by soap.name of the argument
  /// Results must be equal bit for bit; else norm-wise within `tolerance`.
  bool exact = false;
  double tolerance = 1e-4;
  /// All of the program is f64 instead of f32.
  bool wide = false;
  /// Rounding may grow beyond any tolerance on its way through the program:
  /// it gets data for which the unsharded program in f32 is as good as in f64.
  bool amplifies = false;
  /// Options of soap-build-training-step, if the case is a training step of
  /// @forward.
  std::string training;
  /// Half a unit in the last place of 1, if the training step is in 16-bit
  /// floats, else 0. The unsharded program is then compared with the same step
  /// in f32. The tolerance follows from how far they are apart, and differences
  /// in a tile are held to the mean square of the whole tensor.
  double rounding = 0;
  /// Gradients overflow: new states are the old ones.
  bool keepsStates = false;
  /// Of an op. Programs of many ops have fewer, so that a case stays short.
  int64_t maxPieces = 16;
  /// Groups of batch norms, which microbatches do not split; 0: it has none.
  int64_t normGroups = 0;
};

struct Tensor {
  std::string name;
  std::vector<int64_t> shape;
  std::string dtype = "f32";
  std::string type() const;
};

/// Writes one function, op by op.
class FunctionText {
public:
  Tensor arg(std::vector<int64_t> shape, Fill fill,
             const std::string &kind = "data", const std::string &dtype = "f32",
             const std::string &extra = "");
  /// `prefix` is written before the operands (the kind of a reduce); `dtype`
  /// is the results', one for all or, separated by commas, one for each.
  std::vector<Tensor> op(const std::string &mnemonic,
                         const std::vector<Tensor> &operands,
                         const std::string &attributes,
                         const std::vector<std::vector<int64_t>> &resultShapes,
                         const std::string &prefix = "",
                         const std::string &dtype = "f32");
  Tensor op1(const std::string &mnemonic, const std::vector<Tensor> &operands,
             const std::string &attributes, std::vector<int64_t> shape,
             const std::string &prefix = "", const std::string &dtype = "f32") {
    return op(mnemonic, operands, attributes, {std::move(shape)}, prefix,
              dtype)[0];
  }
  Tensor constant(std::vector<int64_t> shape, double splat);
  /// `updates[i] >= 0`: result i replaces that argument.
  void finish(Case &result, const std::vector<Tensor> &results,
              const std::vector<int> &updates = {});

private:
  std::string args, body;
  int nextValue = 0, nextArg = 0;
  std::map<std::string, Fill> fills;
};

std::string array(const std::vector<int64_t> &values);

/// Generators by name; the name is what `--filter` matches.
struct Generator {
  std::string name;
  std::function<Case(Random &)> make;
};
std::vector<Generator> opGenerators();
std::vector<Generator> sequenceGenerators();
std::vector<Generator> expertGenerators();
std::vector<Generator> attentionGenerators();
/// A training step of an attention layer.
Case attentionLayer(Random &random);
/// A training step of a layer of experts.
Case expertLayer(Random &random);
std::vector<Generator> graphGenerators();
/// The networks that soap-translate generates, small.
std::vector<Generator> modelGenerators();
/// Networks, and a multilayer perceptron, with batches that are enough for some
/// microbatches: programs of pipelines.
std::vector<Generator> pipelineGenerators();
/// A training step whose layers read 8-bit floats.
Case scaledLayers(Random &random);
/// The training steps of `all`, with `precision`, bf16 or f16.
std::vector<Generator> narrowGenerators(std::vector<Generator> all,
                                        const std::string &precision);
Case narrowCase(Case c, const std::string &precision, Random &random);
/// The models without a generator here.
std::vector<std::string> modelsWithoutCase();
/// Options of soap-build-training-step.
std::string drawTraining(Random &random);

} // namespace soap::equivalence

#endif // SOAP_TEST_EQUIVALENCE_CASES_H
