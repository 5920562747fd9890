//===- Files.h - Tensors in files: IDX, NPY, safetensors --------*- C++ -*-===//
//
// Readers check everything before they believe it: a file may be truncated,
// claim absurd sizes, or lie about its types. Messages start with the file's
// name. Writers write beside the target and rename, so that a crash leaves the
// old file.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_FILES_H
#define SOAP_RUNTIME_FILES_H

#include "Soap/Runtime/HostTensor.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace soap::runtime {

/// All bytes of a file; an error if it has more than `limit`.
Expected<std::string> readFile(const std::string &path,
                               int64_t limit = int64_t(1) << 40);
/// Writes the parts, one after the other, atomically.
MaybeError writeFile(const std::string &path,
                     const std::vector<std::pair<const char *, size_t>> &parts);
MaybeError writeFile(const std::string &path, const std::string &text);

/// The MNIST family's format, gzipped or not. Element types: u8, i8, i32, f32,
/// f64.
Expected<HostTensor> readIdx(const std::string &path);

/// NumPy arrays in C order, little endian: f4, f8, i4, i8, u1, i1.
Expected<HostTensor> readNpy(const std::string &path);
MaybeError writeNpy(const std::string &path, const HostTensor &tensor);

/// Tensors by name. Element types F32, F64, I32, I64, U8, I8.
using TensorMap = std::map<std::string, HostTensor>;
/// Texts by name: the `__metadata__` of a safetensors file.
using Metadata = std::map<std::string, std::string>;
Expected<TensorMap> readSafetensors(const std::string &path,
                                    Metadata *metadata = nullptr);
MaybeError writeSafetensors(const std::string &path, const TensorMap &tensors,
                            const Metadata &metadata = {});

} // namespace soap::runtime

#endif // SOAP_RUNTIME_FILES_H
