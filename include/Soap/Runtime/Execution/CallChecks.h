//===- CallChecks.h - Calls of a device beside the host ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `soap-run check --check-calls`: in the first iteration of an entry on a
// backend, which runs op by op, the host computes each launch and each library
// call once more, on copies of its operands, and the results are compared. So a
// call that computes something wrong is named where it does, with the op of the
// model.
//
// A call is compared on the operands that the device has: a difference is its
// own, not one of a call before.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_EXECUTION_CALLCHECKS_H
#define SOAP_RUNTIME_EXECUTION_CALLCHECKS_H

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace soap::runtime {

struct CallCheckOptions {
  /// Every call, not only the first one of its function and shape.
  bool all = false;
  /// Multiply-adds that the host does for a product, a convolution or an
  /// attention: of more, it computes a part of the results.
  int64_t work = int64_t(1) << 28;
  /// Bytes that the copies of a call may have.
  int64_t bytes = int64_t(8) << 30;
};

/// A call by what identifies it.
struct CallName {
  /// "launch", "matmul", "conv2d", "pool2d", "batch_norm", "attention", "add".
  std::string function;
  /// The name of the kernel, or the shape, layout and epilogue.
  std::string shape;
  /// Of operands: "tf32"; of the buffers of a launch, if the manifest has them:
  /// "f32, bf16".
  std::string type;

  auto operator<=>(const CallName &) const = default;
};

/// All calls of one name.
struct CheckedCall {
  CallName name;
  /// "device 0, op 'conv1' (conv2d)": the first one, or the first one that
  /// differs.
  std::string place;
  int64_t calls = 0, compared = 0;
  bool differs = false;
  /// The largest error over its tolerance: of which tensor, at which element.
  /// Both are relative to the tensor's largest number, or to the size of what
  /// is summed if that is larger.
  std::string tensor;
  int64_t element = -1;
  double error = 0, tolerance = 0;
  /// The part of the results that was compared, "" for all: "2 of 64 samples".
  std::string part;
  /// Why it was not compared; "" if it was.
  std::string why;
};

/// The calls of the devices of a session. Thread-safe.
class CallChecks {
public:
  explicit CallChecks(const CallCheckOptions &options) : options(options) {}

  const CallCheckOptions &limits() const { return options; }
  /// In the order in which they came.
  std::vector<CheckedCall> rows() const;

  /// Counts a call. Whether it is to be compared.
  bool begin(const CallName &name, const std::string &place);
  /// The outcome of a call that was to be compared; its `calls` are not read.
  void end(const CheckedCall &call);

  /// Held while a call is compared, so that its copies alone are in memory.
  std::mutex &turn() { return turns; }

private:
  CallCheckOptions options;
  mutable std::mutex mutex;
  std::mutex turns;
  std::vector<CheckedCall> calls;
  std::map<CallName, size_t> index;
};

} // namespace soap::runtime

#endif // SOAP_RUNTIME_EXECUTION_CALLCHECKS_H
