//===- Harness.cpp - Runs ops through their kernels -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Harness.h.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "Soap/ABI/Runtime.h"
#include "Soap/Compiler/JIT.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/StringSwitch.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir;

namespace soap::test {

Array::Array(std::vector<int64_t> extents, double value)
    : shape(std::move(extents)) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  values.assign(count, value);
}

static int64_t position(const Array &array, const std::vector<int64_t> &index) {
  int64_t result = 0;
  for (size_t d = 0; d < array.shape.size(); ++d)
    result = result * array.shape[d] + index[d];
  return result;
}

double &Array::operator()(std::vector<int64_t> index) {
  return values.at(position(*this, index));
}
double Array::operator()(std::vector<int64_t> index) const {
  return values.at(position(*this, index));
}

double Array::get(std::vector<int64_t> index, double outside) const {
  for (size_t d = 0; d < shape.size(); ++d)
    if (index[d] < 0 || index[d] >= shape[d])
      return outside;
  return (*this)(index);
}

void Array::forEach(
    const std::function<void(std::vector<int64_t>)> &body) const {
  for (size_t i = 0; i < values.size(); ++i) {
    std::vector<int64_t> index(shape.size());
    int64_t rest = static_cast<int64_t>(i);
    for (size_t d = shape.size(); d-- > 0;) {
      index[d] = rest % shape[d];
      rest /= shape[d];
    }
    body(index);
  }
}

Array random(std::vector<int64_t> shape, unsigned seed) {
  Array array(std::move(shape));
  std::mt19937 engine(seed + 1);
  for (double &value : array.values)
    // Multiples of 2^-12: the same number in every type of 32 bits or more.
    value = static_cast<double>(engine() % 8192) / 4096 - 1;
  return array;
}

Array integers(std::vector<int64_t> shape, unsigned seed) {
  Array array(std::move(shape));
  std::mt19937 engine(seed + 1);
  for (double &value : array.values)
    value = static_cast<double>(engine() % 7) - 3;
  return array;
}

namespace {

/// Elements of an array as bytes of an element type, and back.
std::vector<char> toBytes(const Array &array, Type element) {
  size_t size = element.getIntOrFloatBitWidth() / 8;
  std::vector<char> bytes(array.values.size() * size + 64);
  for (size_t i = 0; i < array.values.size(); ++i) {
    APInt bits(64, 0);
    if (auto type = dyn_cast<FloatType>(element)) {
      APFloat value(array.values[i]);
      bool loses = false;
      value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &loses);
      bits = value.bitcastToAPInt();
    } else {
      // Results that the kernel has to write are NaN before.
      double integer = std::isnan(array.values[i]) ? 0 : array.values[i];
      bits = APInt(64, static_cast<uint64_t>(static_cast<int64_t>(integer)));
    }
    uint64_t word = bits.getZExtValue();
    std::memcpy(bytes.data() + i * size, &word, size);
  }
  return bytes;
}

Array fromBytes(const std::vector<char> &bytes, RankedTensorType type) {
  Array array({type.getShape().begin(), type.getShape().end()});
  Type element = type.getElementType();
  unsigned width = element.getIntOrFloatBitWidth();
  for (size_t i = 0; i < array.values.size(); ++i) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i * (width / 8), width / 8);
    APInt bits(width, word);
    if (auto floating = dyn_cast<FloatType>(element)) {
      APFloat value(floating.getFloatSemantics(), bits);
      bool loses = false;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &loses);
      array.values[i] = value.convertToDouble();
    } else {
      array.values[i] = static_cast<double>(bits.getSExtValue());
    }
  }
  return array;
}

void task(void *, int64_t) {}

/// All memory of the running program.
std::vector<std::vector<char> *> memory;

/// Every range on what was there before the loop: ranges that read what others
/// write compute something else, and no two may change the same byte.
void parallel(void (*body)(void *const *, int64_t, int64_t),
              void *const *arguments, int64_t extent, int64_t grain) {
  // Blocks of iterations read what others wrote, whatever the order.
  constexpr int64_t grainOfVectors = 16;
  if (grain > grainOfVectors) {
    for (int64_t end = extent; end > 0; end -= grain)
      body(arguments, end - grain, end);
    return;
  }
  std::vector<std::vector<char>> before, after;
  std::vector<std::vector<bool>> changed;
  for (std::vector<char> *piece : memory) {
    before.push_back(*piece);
    changed.emplace_back(piece->size());
  }
  after = before;
  int64_t pieces = (extent + grain - 1) / grain, parts = std::min(pieces, 3l);
  for (int64_t part = 0; part < parts; ++part) {
    body(arguments, pieces * part / parts * grain,
         std::min(pieces * (part + 1) / parts * grain, extent));
    for (size_t m = 0; m < memory.size(); ++m) {
      for (size_t i = 0; i < before[m].size(); ++i) {
        char now = (*memory[m])[i];
        if (now == before[m][i])
          continue;
        EXPECT_FALSE(changed[m][i]) << "two ranges write one element";
        changed[m][i] = true;
        after[m][i] = now;
      }
      std::copy(before[m].begin(), before[m].end(), memory[m]->begin());
    }
  }
  for (size_t m = 0; m < memory.size(); ++m)
    std::copy(after[m].begin(), after[m].end(), memory[m]->begin());
}

// The runtime of programs for GPUs, in the order of the host.
void launch(void *, const SoapKernel *kernel, void *const *buffers) {
  parallel(kernel->hostReference, buffers, kernel->extent, kernel->grain);
}
void copy(void *, void *to, const void *from, int64_t bytes) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
}
const void *constant(void *, const void *data, int64_t) { return data; }
void event(void *, int64_t, int64_t) {}

void *resolve(const char *name) {
  return StringSwitch<void *>(name)
      .Cases({"soap_rt_task_begin", "soap_rt_task_end", "soap_rt_use_stream"},
             reinterpret_cast<void *>(&task))
      .Case("soap_rt_parallel", reinterpret_cast<void *>(&parallel))
      .Case("soap_rt_launch", reinterpret_cast<void *>(&launch))
      .Case("soap_rt_copy", reinterpret_cast<void *>(&copy))
      .Case("soap_rt_constant", reinterpret_cast<void *>(&constant))
      .Cases({"soap_rt_record_event", "soap_rt_wait_event"},
             reinterpret_cast<void *>(&event))
      .Default(nullptr);
}

MLIRContext &sharedContext() {
  static DialectRegistry *registry = [] {
    auto *result = new DialectRegistry;
    result->insert<mlir::soap::SoapDialect, func::FuncDialect>();
    mlir::soap::registerSoapConversionPasses();
    return result;
  }();
  static auto *context =
      new MLIRContext(*registry, MLIRContext::Threading::DISABLED);
  return *context;
}

std::string withElementType(std::string text, const std::string &type) {
  for (size_t at = 0; (at = text.find('T', at)) != std::string::npos;)
    text.replace(at, 1, type);
  return text;
}

} // namespace

Prepared::Prepared(const std::string &text, const std::string &type,
                   const std::string &lowering,
                   const std::vector<Array> &inputs) {
  MLIRContext &context = sharedContext();
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
  });
  std::string source = withElementType(text, type);
  auto parsed = parseSourceString<ModuleOp>(source, &context);
  if (!parsed) {
    ADD_FAILURE() << messages << source;
    return;
  }
  auto function = parsed->lookupSymbol<func::FuncOp>("f");
  signature = function.getFunctionType();
  for (unsigned i = 0; i < signature.getNumResults(); ++i) {
    auto updates = function.getResultAttrOfType<IntegerAttr>(
        i, mlir::soap::SoapDialect::kUpdates);
    places.push_back(updates ? updates.getInt() : -1);
  }
  PassManager manager(&context, "builtin.module");
  if (failed(parsePassPipeline(lowering, manager)) ||
      failed(manager.run(*parsed))) {
    ADD_FAILURE() << messages << source;
    return;
  }
  module = std::move(parsed);
  for (size_t i = 0; i < inputs.size(); ++i)
    buffers.push_back(toBytes(
        inputs[i],
        cast<RankedTensorType>(signature.getInput(i)).getElementType()));
  for (unsigned i = 0; i < signature.getNumResults(); ++i)
    if (places[i] < 0) {
      places[i] = static_cast<int64_t>(buffers.size());
      auto result = cast<RankedTensorType>(signature.getResult(i));
      // Results begin as NaN, so that a value that is never written shows.
      buffers.push_back(
          toBytes(Array({result.getShape().begin(), result.getShape().end()},
                        std::nan("")),
                  result.getElementType()));
    }
}

std::vector<Array> Prepared::results() const {
  std::vector<Array> results;
  for (unsigned i = 0; i < signature.getNumResults(); ++i)
    results.push_back(fromBytes(
        buffers[places[i]], cast<RankedTensorType>(signature.getResult(i))));
  return results;
}

std::vector<Array> run(const std::string &text, const std::string &type,
                       const std::string &lowering,
                       const std::vector<Array> &inputs) {
  Prepared prepared(text, type, lowering, inputs);
  if (!prepared.module)
    return {};
  auto code = mlir::soap::JITModule::create(*prepared.module, resolve, 1);
  if (failed(code)) {
    ADD_FAILURE() << "no code of\n" << text;
    return {};
  }
  std::vector<void *> pointers;
  for (std::vector<char> &buffer : prepared.buffers)
    pointers.push_back(buffer.data());
  std::vector<char> arena(1 << 18, static_cast<char>(0xff));
  auto program =
      reinterpret_cast<void (*)(void *, void **, void *)>((*code)->lookup("f"));
  if (!program) {
    ADD_FAILURE() << "no program @f";
    return {};
  }
  memory = {&arena};
  for (std::vector<char> &buffer : prepared.buffers)
    memory.push_back(&buffer);
  program(nullptr, pointers.data(), arena.data());
  return prepared.results();
}

static void checkBy(const std::vector<std::string> &lowerings,
                    const std::string &text, const std::vector<Array> &inputs,
                    const std::vector<Array> &expected,
                    const std::vector<std::string> &types) {
  for (const std::string &type : types)
    for (const std::string &lowering : lowerings) {
      SCOPED_TRACE(type + " " + lowering);
      std::vector<Array> results = run(text, type, lowering, inputs);
      ASSERT_EQ(results.size(), expected.size());
      double tolerance = type == "f64" ? 1e-12 : 2e-5;
      for (size_t r = 0; r < expected.size(); ++r) {
        ASSERT_EQ(results[r].shape, expected[r].shape) << "result " << r;
        for (size_t i = 0; i < expected[r].values.size(); ++i) {
          double want = expected[r].values[i], got = results[r].values[i];
          if (want == got || (std::isnan(want) && std::isnan(got)))
            continue;
          ASSERT_LE(std::fabs(want - got),
                    tolerance * std::max(1.0, std::fabs(want)))
              << "result " << r << ", element " << i << "\n"
              << text;
        }
      }
    }
}

void check(const std::string &text, const std::vector<Array> &inputs,
           const std::vector<Array> &expected,
           const std::vector<std::string> &types) {
  checkBy({"soap-lower-to-cpu{library=none fuse=false}",
           "soap-lower-to-cpu{library=none fuse=true min-work=0}"},
          text, inputs, expected, types);
}

void checkEverywhere(const std::string &text, const std::vector<Array> &inputs,
                     const std::vector<Array> &expected) {
  check(text, inputs, expected);
  checkBy({"soap-lower-to-cuda{format=isa library-norms=false}"}, text, inputs,
          expected, {"f32", "f64"});
}

std::string loweringOfLarge(bool untilLaunches) {
  std::string launches =
      "soap-single-programs,soap-outline-kernels{library=cuda},"
      "soap-split-sums,"
      "soap-parallelize-kernels{min-work=0 flatten=true},"
      "soap-finish-kernels,soap-bufferize-programs,soap-inline-kernels,"
      "soap-fuse-launches,soap-plan-memory,soap-widen-kernels{min-extent=4},"
      "soap-order-streams";
  if (untilLaunches)
    return launches;
  return launches + ",soap-kernels-to-gpu{kernels=launches},"
                    "soap-lower-gpu-kernels{format=isa},soap-embed-image,"
                    "soap-emit-manifest,soap-programs-to-llvm";
}

std::string tensor(const std::vector<int64_t> &shape,
                   const std::string &element) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element + ">";
}

std::string function(const std::string &op, const std::string &attributes,
                     const std::vector<Array> &inputs,
                     const std::vector<Array> &results) {
  std::string parameters, operands, operandTypes, names, types;
  auto add = [](std::string &list, const std::string &item) {
    list += (list.empty() ? "" : ", ") + item;
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string name = "%x" + std::to_string(i), type = tensor(inputs[i].shape);
    add(parameters, name + ": " + type);
    add(operands, name);
    add(operandTypes, type);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    add(names, "%y" + std::to_string(i));
    add(types, tensor(results[i].shape));
  }
  return "func.func @f(" + parameters + ") -> (" + types + ") {\n  " + names +
         " = " + op + " " + operands +
         (attributes.empty() ? "" : " {" + attributes + "}") + " : (" +
         operandTypes + ") -> (" + types + ")\n  return " + names + " : " +
         types + "\n}\n";
}

std::string narrowFunction(const std::string &op, const std::string &attributes,
                           const std::vector<Array> &inputs,
                           const Array &result) {
  std::string parameters, casts, operands, operandTypes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string number = std::to_string(i), comma = i ? ", " : "",
                type = tensor(inputs[i].shape),
                wide = tensor(inputs[i].shape, "f32");
    parameters += comma + "%x" + number + ": " + wide;
    casts += "  %n" + number + " = soap.cast %x" + number + " : (" + wide +
             ") -> " + type + "\n";
    operands += comma + "%n" + number;
    operandTypes += comma + type;
  }
  std::string type = tensor(result.shape), wide = tensor(result.shape, "f32");
  return "func.func @f(" + parameters + ") -> " + wide + " {\n" + casts +
         "  %y = " + op + " " + operands +
         (attributes.empty() ? "" : " {" + attributes + "}") + " : (" +
         operandTypes + ") -> " + type + "\n  %z = soap.cast %y : (" + type +
         ") -> " + wide + "\n  return %z : " + wide + "\n}\n";
}

} // namespace soap::test
