//===- GpuImage.cpp - Contents of an image of GPU kernels -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX is text. A cubin is an ELF file: kernel NAME is the section .text.NAME,
// and .nv.info.NAME says how many bytes of parameters it has.
//
//===----------------------------------------------------------------------===//

#include "GpuImage.h"

#include <cstring>
#include <elf.h>

using namespace soap::runtime;

namespace {

/// Space and comments of PTX.
void skipBlank(std::string_view text, size_t &at) {
  while (at < text.size()) {
    if (std::strchr(" \t\r\n", text[at]) && text[at] != '\0')
      ++at;
    else if (text.substr(at, 2) == "//")
      at = std::min(text.find('\n', at), text.size());
    else if (text.substr(at, 2) == "/*")
      at = std::min(text.find("*/", at), text.size() - 2) + 2;
    else
      return;
  }
}

bool isNamePart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}

std::string readText(std::string_view text, GpuImage &image) {
  size_t version = 0;
  skipBlank(text, version);
  if (text.substr(version, 8) != ".version")
    return "no image of GPU kernels: expected PTX or a cubin";
  image.isText = true;
  constexpr std::string_view word = ".entry";
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at)) {
    at += word.size();
    skipBlank(text, at);
    GpuImageKernel kernel;
    while (at < text.size() && isNamePart(text[at]))
      kernel.name += text[at++];
    skipBlank(text, at);
    kernel.parameters = 0;
    if (at < text.size() && text[at] == '(') {
      size_t end = text.find(')', at);
      if (end == text.npos)
        return "the PTX ends in the parameters of kernel '" + kernel.name + "'";
      std::string_view list = text.substr(at, end - at);
      for (size_t p = list.find(".param"); p != list.npos;
           p = list.find(".param", p + 1))
        ++kernel.parameters;
    }
    image.kernels.push_back(std::move(kernel));
  }
  return "";
}

/// A record at a place that may be anywhere.
template <typename T>
bool readAt(std::string_view bytes, uint64_t at, T &value) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T))
    return false;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return true;
}

/// Attributes of a kernel: 2 bytes format and kind, 2 bytes value or, in format
/// 4, length of the value that follows. Kind 0x19 is the size of all
/// parameters.
int64_t parametersOf(std::string_view info) {
  struct Attribute {
    uint8_t format, kind;
    uint16_t value;
  } attribute;
  constexpr uint8_t longFormat = 4, parameterBytes = 0x19;
  for (uint64_t at = 0; readAt(info, at, attribute);
       at += sizeof(Attribute) +
             (attribute.format == longFormat ? attribute.value : 0))
    if (attribute.kind == parameterBytes && attribute.format != longFormat)
      return attribute.value / int64_t(sizeof(void *));
  return -1;
}

std::string readElf(std::string_view bytes, GpuImage &image) {
  const std::string cut = "the cubin is cut or damaged";
  constexpr uint16_t machineCuda = 190;
  Elf64_Ehdr header;
  if (!readAt(bytes, 0, header))
    return cut;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != machineCuda)
    return "no image of GPU kernels: the ELF file is for another machine";
  if (header.e_shentsize != sizeof(Elf64_Shdr) ||
      header.e_shstrndx >= header.e_shnum || header.e_phoff > bytes.size() ||
      uint64_t(header.e_phnum) * header.e_phentsize >
          bytes.size() - header.e_phoff)
    return cut;
  struct Section {
    std::string_view name, contents;
  };
  std::vector<Elf64_Shdr> headers(header.e_shnum);
  for (size_t i = 0; i < headers.size(); ++i) {
    Elf64_Shdr &section = headers[i];
    if (header.e_shoff > bytes.size() ||
        !readAt(bytes, header.e_shoff + i * sizeof(Elf64_Shdr), section))
      return cut;
    if (section.sh_type != SHT_NOBITS &&
        (section.sh_offset > bytes.size() ||
         section.sh_size > bytes.size() - section.sh_offset))
      return cut;
  }
  auto contents = [&](const Elf64_Shdr &section) {
    return section.sh_type == SHT_NOBITS
               ? std::string_view()
               : bytes.substr(section.sh_offset, section.sh_size);
  };
  std::string_view names = contents(headers[header.e_shstrndx]);
  std::vector<Section> sections;
  for (const Elf64_Shdr &section : headers) {
    if (section.sh_name > names.size())
      return cut;
    std::string_view name = names.substr(section.sh_name);
    sections.push_back({name.substr(0, name.find('\0')), contents(section)});
  }
  constexpr std::string_view code = ".text.", info = ".nv.info.";
  for (const Section &section : sections) {
    if (section.name.substr(0, code.size()) != code)
      continue;
    GpuImageKernel kernel{std::string(section.name.substr(code.size()))};
    for (const Section &other : sections)
      if (other.name.substr(0, info.size()) == info &&
          other.name.substr(info.size()) == kernel.name)
        kernel.parameters = parametersOf(other.contents);
    image.kernels.push_back(std::move(kernel));
  }
  return "";
}

} // namespace

std::string soap::runtime::readGpuImage(std::string_view bytes,
                                        GpuImage &image) {
  image = GpuImage();
  if (bytes.substr(0, SELFMAG) == ELFMAG)
    return readElf(bytes, image);
  return readText(bytes, image);
}
