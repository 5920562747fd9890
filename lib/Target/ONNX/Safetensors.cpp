//===- Safetensors.cpp - Writing weights to a file --------------*- C++ -*-===//
//
// The container is simple enough that a library would be longer than this.
//
//===----------------------------------------------------------------------===//

#include "Safetensors.h"

#include <fstream>

::soap::MaybeError mlir::soap::onnx::writeSafetensors(
    const std::string &path,
    const std::vector<std::pair<std::string, std::shared_ptr<Tensor>>>
        &tensors) {
  std::string header = "{";
  uint64_t offset = 0;
  for (const auto &[name, tensor] : tensors) {
    header += (header.size() > 1 ? ",\"" : "\"") + name +
              "\":{\"dtype\":\"F32\",\"shape\":[";
    for (size_t i = 0; i < tensor->dims.size(); ++i)
      header += (i ? "," : "") + std::to_string(tensor->dims[i]);
    uint64_t end = offset + tensor->floats.size() * sizeof(float);
    header += "],\"data_offsets\":[" + std::to_string(offset) + "," +
              std::to_string(end) + "]}";
    offset = end;
  }
  header += "}";
  // Readers map the file: the values begin at a multiple of 8.
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::ofstream stream(path, std::ios::binary);
  uint64_t size = header.size();
  stream.write(reinterpret_cast<const char *>(&size), sizeof(size));
  stream.write(header.data(), header.size());
  for (const auto &[name, tensor] : tensors)
    stream.write(reinterpret_cast<const char *>(tensor->floats.data()),
                 tensor->floats.size() * sizeof(float));
  stream.flush();
  if (!stream)
    return ::soap::Error{"can not write '" + path + "'"};
  return {};
}
