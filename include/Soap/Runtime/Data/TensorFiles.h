//===- TensorFiles.h - IDX, NPY, NPZ and safetensors ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers and writers of files of tensors. Readers trust nothing: a file may be
// truncated, claim absurd sizes, or lie about its types. Messages begin with
// the name of the file. Writers write beside the target and rename, so a crash
// leaves the old file.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_DATA_TENSORFILES_H
#define SOAP_RUNTIME_DATA_TENSORFILES_H

#include "Soap/Runtime/Data/HostTensor.h"
#include "Soap/Support/Error.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace soap::runtime {

/// The MNIST family's format, gzipped or not. Element types: u8, i8, i32, f32,
/// f64.
Expected<HostTensor> readIdx(const std::string &path);

/// NumPy arrays in C order, little endian: f4, f8, i4, i8, u1, i1; u2 becomes
/// i32 and u4 i64.
Expected<HostTensor> readNpy(const std::string &path);
/// The same from memory; `source` names it in messages.
Expected<HostTensor> parseNpy(std::string_view data, const std::string &source);
MaybeError writeNpy(const std::string &path, const HostTensor &tensor);

/// The arrays of a NumPy zip archive, stored or deflated, by name (without
/// ".npy").
Expected<std::map<std::string, HostTensor>> readNpz(const std::string &path);
Expected<std::map<std::string, HostTensor>> parseNpz(std::string_view data,
                                                     const std::string &source);

/// Tensors by name. Element types F32, F64, I32, I64, U8, I8.
using TensorMap = std::map<std::string, HostTensor>;
/// Texts by name: the `__metadata__` of a safetensors file.
using Metadata = std::map<std::string, std::string>;
/// The rest of a safetensors file, beside its tensors.
struct SafetensorsInfo {
  /// Without the two texts that hold checksums.
  Metadata metadata;
  /// The file has checksums, and they are right.
  bool checked = false;
};
/// Checksums are verified where there are some, as in all files that
/// `writeSafetensors` wrote; a wrong one is an error, and so are bytes that
/// belong to no tensor.
Expected<TensorMap> readSafetensors(const std::string &path,
                                    SafetensorsInfo *info = nullptr);
Expected<TensorMap> parseSafetensors(std::string_view data,
                                     const std::string &source,
                                     SafetensorsInfo *info = nullptr);

/// A tensor whose elements the caller keeps, row-major.
struct TensorView {
  ElementType dtype;
  std::vector<int64_t> shape;
  const char *data;
};
/// The metadata gets two more texts: `soap_tensors_crc32`, a JSON object of
/// CRC-32 in 8 hexadecimal digits by name of a tensor, of its bytes; and
/// `soap_header_crc32`, that of the 8 bytes of the header's length and the
/// header, with this text as "00000000".
MaybeError
writeSafetensors(const std::string &path,
                 const std::vector<std::pair<std::string, TensorView>> &tensors,
                 const Metadata &metadata = {});
MaybeError writeSafetensors(const std::string &path, const TensorMap &tensors,
                            const Metadata &metadata = {});

} // namespace soap::runtime

#endif // SOAP_RUNTIME_DATA_TENSORFILES_H
