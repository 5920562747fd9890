//===- DataSpec.h - The text of --data --------------------------*- C++ -*-===//
//
// "KIND:PATH,KEY=VALUE,...", taken apart, and what the kinds share. Private to
// the data sources.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_DATASPEC_H
#define SOAP_LIB_RUNTIME_DATASPEC_H

#include "Soap/Runtime/Data.h"

#include <map>

namespace soap::runtime {

struct DataSpec {
  std::string kind, path;
  std::map<std::string, std::string> options;
};

/// `known` are the keys that the kind has.
Expected<DataSpec> parseDataSpec(const std::string &text,
                                 std::initializer_list<const char *> known);

/// What a model that predicts the next token says about its sequences.
struct SequenceShape {
  int64_t batchDim = 0, length = 0, classes = 0;
};

/// "text:FILE[,level=word|byte][,vocabulary=N][,test=FRACTION]
/// [,order=time-major]": text, gzipped or not.
Expected<DataSource> loadText(const std::string &spec, const TensorInfo &data,
                              const TensorInfo &label);
/// "tokens:FILE|DIR[,type=u8|u16|i32|u32][,test=FRACTION]
/// [,order=time-major]": token numbers, NPY or raw little endian.
Expected<DataSource> loadTokens(const std::string &spec, const TensorInfo &data,
                                const TensorInfo &label);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_DATASPEC_H
