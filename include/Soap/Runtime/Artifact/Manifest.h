//===- Manifest.h - Description of a lowered module -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manifest describes a lowered module to the runtime: its tensors, its
// entries (such as `train_step`), and for each entry and device the program to
// run, the tiles that it reads and writes, and the messages that it exchanges.
// Lowering passes write it as JSON (docs/Runtime.md); sessions, launchers and
// trainers know nothing else of a model.
//
// `parseManifest` checks every index and every shape, so no other code of the
// runtime checks them again.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_ARTIFACT_MANIFEST_H
#define SOAP_RUNTIME_ARTIFACT_MANIFEST_H

#include "Soap/Cost/CollectiveCost.h"
#include "Soap/Model/Region.h"
#include "Soap/Support/Error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace soap::runtime {

/// Element types of tensors that are arguments or results of a program.
enum class DType { F32, F64, I32, I64, F16, BF16 };

int64_t sizeOf(DType type);
const char *nameOf(DType type);
std::optional<DType> dtypeNamed(std::string_view name);

enum class TensorKind {
  Data,
  Label,
  Parameter,
  State,
  Loss,
  Correct,
  Output,
  /// Element i is i. A program reads from it where its tiles begin.
  Positions
};

const char *nameOf(TensorKind kind);

/// The first value of a parameter or state that no weights file gives.
struct InitRule {
  enum Kind { Default, He, Glorot, Zeros, Ones, Values, Bytes };
  Kind kind = Default;
  /// Kind `Values`: one number (a splat) or one per element.
  std::vector<double> values;
  /// Kind `Bytes`: the elements, little endian, of the tensor's type.
  std::string bytes;
};

struct TensorInfo {
  std::string name;
  TensorKind kind = TensorKind::Output;
  std::vector<int64_t> shape;
  DType dtype = DType::F32;
  /// The dimension that counts samples; -1 if none does.
  int64_t sampleDim = -1;
  /// On devices with memory of their own, its tiles are in that of the host.
  bool inHost = false;
  /// Integers of data and of labels are in `[0, classes)`: rows of the table
  /// that they choose from, or classes. 0 where unknown, or where the elements
  /// of a sample differ: then `classRuns` are numbers of elements and their
  /// classes (0: unknown), row-major without the sample dimension. Of -n,
  /// elements may count from the end: they are in `[-n, n)`.
  int64_t classes = 0;
  std::vector<std::pair<int64_t, int64_t>> classRuns = {};
  InitRule init;
  /// 0 where unknown.
  int64_t fanIn = 0, fanOut = 0;

  int64_t volume() const;
  int64_t bytes() const { return volume() * sizeOf(dtype); }
};

/// One pointer of a device program: a part of a tensor.
struct TileInfo {
  /// Index into `Manifest::tensors`.
  size_t tensor = 0;
  Region region;
  /// The program replaces the contents by the tensor's next value.
  bool updated = false;
};

/// One place in the global schedule, with simulated times.
struct ScheduledTask {
  std::string name, kind;
  int64_t startNs = 0, endNs = 0;
  std::string shape; ///< op, type and extents, as in Cost/ProfileRecord.h
};

/// The program of one device, with its row of the rank table.
struct RankInfo {
  int64_t device = 0;
  std::string program;
  int64_t arenaBytes = 0;
  std::vector<TileInfo> args, results;
  /// By slot: place in the schedule, other device (-1: none), transfer number
  /// (-1: none), number of the collective (-1: none).
  std::vector<int64_t> tasks, peers, transfers, collectives;
};

/// An operation of several devices.
struct CollectiveInfo {
  /// `AllToAll` with a root is a gather.
  CollectiveKind kind = CollectiveKind::Exchange;
  /// Index into `EntryInfo::groups`.
  int64_t group = 0;
  /// Place in the group; -1: none.
  int64_t root = -1;
};

struct EntryInfo {
  std::string name;
  int64_t batch = 0;
  std::vector<ScheduledTask> schedule;
  std::vector<RankInfo> ranks;
  /// Devices, in the order in which sums are folded; each list once.
  std::vector<std::vector<int64_t>> groups;
  std::vector<CollectiveInfo> collectives;
  /// Transfer numbers are in `[0, transferCount)`.
  int64_t transferCount = 0;
};

/// A buffer that a GPU kernel gets.
struct KernelBuffer {
  /// None: elements of another type, counted in bytes.
  std::optional<DType> dtype;
  int64_t count = 0;
};

/// The GPUs that the kernels of a module are compiled for.
struct GpuTarget {
  std::string chip;
  /// "bin" (a cubin) or "isa" (PTX).
  std::string format;
  /// The module has a host reference of each kernel: its programs also run on
  /// the CPU.
  bool hostReferences = false;
  /// The buffers of each kernel that has a host reference, by its name, in the
  /// order of a launch.
  std::map<std::string, std::vector<KernelBuffer>> kernels;
};

struct Manifest {
  int64_t devices = 0;
  std::string topology;
  /// The options of the training step, as "name=value name=value"; "" where
  /// they are not known.
  std::string training;
  /// Present in modules that --soap-lower-to-cuda lowered.
  std::optional<GpuTarget> gpu;
  std::vector<TensorInfo> tensors;
  std::vector<EntryInfo> entries;
  /// Number of bytes of the text that was parsed, and their CRC-32.
  int64_t textBytes = 0, textChecksum = 0;

  /// The entry of a name; null if there is none.
  const EntryInfo *entry(std::string_view name) const;
  std::optional<size_t> tensorNamed(std::string_view name) const;
};

/// Parses and checks a manifest. `source` names the input in messages, which
/// say where the manifest is wrong, what was expected, and what was found.
Expected<Manifest> parseManifest(std::string_view json,
                                 const std::string &source);

/// 16 hexadecimal digits that depend on the tensors, on the schedules, and on
/// the tiles and messages of each device.
std::string fingerprint(const Manifest &manifest);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_ARTIFACT_MANIFEST_H
