//===- CalibrationProfile.h - From measurements to files --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops that measuring a machine runs, and the topology and profile that
// are made of their times: the same for all backends.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_CALIBRATIONPROFILE_H
#define SOAP_TOOLS_SOAPRUN_CALIBRATIONPROFILE_H

#include "Soap/Profile/Profile.h"
#include "Soap/Support/Error.h"
#include "Soap/Topology/Topology.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace soap::run {

/// One op on arguments of its own.
struct CalibrationCase {
  std::string mnemonic, attributes; ///< `matmul`, `transpose_b`
  std::vector<std::vector<int64_t>> operands;
  std::vector<int64_t> result;
  // Its key in the profile.
  std::string op, direction, dtype = "f32";
  std::vector<std::string> loops; ///< empty: for a curve of bytes
  std::vector<int64_t> extents, strides;
  int64_t ns = 0;

  /// Of operands and result, in elements of the dtype.
  int64_t bytes() const;
  /// Points of the loops.
  int64_t work() const;
};

CalibrationCase matmulCase(const char *direction, int64_t m, int64_t n,
                           int64_t k);
/// Square images of `size` output positions a side, window `window`, padded by
/// half of it.
CalibrationCase conv2dCase(const char *direction, int64_t n, int64_t in,
                           int64_t out, int64_t size, int64_t window,
                           int64_t stride);
CalibrationCase elementwiseCase(const char *mnemonic, size_t operands,
                                int64_t count);

int64_t volumeOf(const std::vector<int64_t> &shape);
/// At least 1.
int64_t medianOf(std::vector<int64_t> values);

/// How far runs of the same thing are apart, over all that was measured.
class RunSpread {
public:
  /// Times of one thing, in ns.
  void add(std::vector<int64_t> ns);
  /// By how much the upper quartiles of all together exceed the lowest deciles,
  /// as a share of these. Long ops count most, as they do in iterations.
  double value() const { return fastest > 0 ? slower / fastest - 1 : 0; }

private:
  double fastest = 0, slower = 0;
};

/// How measuring ended.
enum class CalibrationEnd {
  Complete,
  Interrupted, ///< the files have the times measured so far
  NothingKept  ///< interrupted before there was enough for files
};

/// Collects measurements. Of `topology` and `profile`, names, links and
/// collectives are set by the owner.
class CalibrationProfile {
public:
  Profile profile;
  Topology topology;

  RunSpread spread;

  /// With its time.
  void add(const CalibrationCase &c);
  /// A copy of a kind that costs by its bytes (`assemble`).
  void addCopy(const std::string &kind, int64_t bytes, int64_t ns);
  /// A task that copies, by its shape (Cost/ProfileRecord.h). An error if
  /// the text is none.
  MaybeError addCopy(const std::string &shape, int64_t ns);
  /// All links of the topology are alike.
  void setLinks(int64_t latencyNs, double bytesPerSecond);

  /// All that a topology must say was measured: an elementwise op and a product
  /// or convolution in f32, and links if there are several devices.
  bool isEnough() const;
  CalibrationEnd endOf(bool isComplete) const {
    return isComplete   ? CalibrationEnd::Complete
           : isEnough() ? CalibrationEnd::Interrupted
                        : CalibrationEnd::NothingKept;
  }
  /// Once there is enough, writes NAME.profile.json and NAME.topology.json.
  /// Peaks are the best measured rates; shapes without a table have curves.
  MaybeError write(const std::string &name);

private:
  std::map<std::string, ProfileTable> tables, copies;
  /// Bytes and ns by class and direction.
  std::map<std::string, ProfileTable> classes;
  bool hasLinks = false;

  double bandwidth() const;
  std::map<std::string, double> flops() const;
  void summarize(const std::string &name);
};

/// Latency in ns, and bytes per second, of messages of these bytes and ns: the
/// smallest is all latency, the largest all bandwidth.
std::pair<int64_t, double>
fitLink(const std::vector<std::pair<int64_t, int64_t>> &points);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_CALIBRATIONPROFILE_H
