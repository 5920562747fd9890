//===- DataSpec.h - The text of --data --------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "KIND:PATH,KEY=VALUE,...", taken apart, and functions that the kinds of data
// share. Private to the data sources.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_DATA_DATASPEC_H
#define SOAP_LIB_RUNTIME_DATA_DATASPEC_H

#include "Soap/Runtime/Data/Data.h"

#include <map>

namespace soap::runtime {

struct DataSpec {
  std::string kind, path;
  std::map<std::string, std::string> options;
};

/// `known` are the keys that the kind has.
Expected<DataSpec> parseDataSpec(const std::string &text,
                                 std::initializer_list<const char *> known);

/// The dimension of the model's data that counts samples.
inline int64_t batchDimOf(const TensorInfo &data) {
  return data.sampleDim > 0 ? data.sampleDim : 0;
}
inline int64_t batchOf(const TensorInfo &data) {
  return data.shape[size_t(batchDimOf(data))];
}
inline bool isInteger(const TensorInfo &data) {
  return data.dtype == DType::I32 || data.dtype == DType::I64;
}

/// `'source' and 'target'`.
std::string namesOf(const std::vector<TensorInfo> &tensors);

/// "idx:DIR", "npy:DIR" and "npz:FILE": arrays of samples and labels.
Expected<DataSource> loadArrays(const std::string &kind,
                                const std::string &path,
                                const ModelInputs &inputs);

/// "text:FILE[,target=FILE][,level=word|byte][,vocabulary=N][,test=FRACTION]
/// [,order=time-major]": text, gzipped or not; with a target, line by line.
/// Samples alone: of a file, or of a folder with NAME.npy.
Expected<Dataset> loadSampleArrays(const std::string &path,
                                   const std::vector<TensorInfo> &data);

Expected<DataSource> loadText(const std::string &spec,
                              const ModelInputs &inputs);
/// "tokens:FILE|DIR[,type=u8|u16|i32|u32][,test=FRACTION]
/// [,order=time-major]": token numbers, NPY or raw little endian.
Expected<DataSource> loadTokens(const std::string &spec,
                                const ModelInputs &inputs);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_DATA_DATASPEC_H
