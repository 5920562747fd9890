//===- GpuImageTest.cpp - Images of GPU kernels without a GPU -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX as text, cubins built here byte by byte, and both cut at every place.
//
//===----------------------------------------------------------------------===//

#include "Runtime/CUDA/GpuImage.h"

#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>

using namespace soap::runtime;

namespace {

const char *ptx = "// a comment\n"
                  ".version 7.0\n.target sm_80\n.address_size 64\n"
                  ".visible .entry two(\n\t.param .u64 .ptr .align 1 two_0,\n"
                  "\t.param .u64 .ptr .align 1 two_1\n)\n{\n\tret;\n}\n"
                  ".visible .entry none()\n{\n\tret;\n}\n";

/// An ELF file of CUDA with these sections, besides the names' own.
std::string
makeElf(const std::vector<std::pair<std::string, std::string>> &sections) {
  std::string names("\0.shstrtab\0", 11), body(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> headers(1, Elf64_Shdr{});
  for (auto &[name, contents] : sections) {
    Elf64_Shdr header{};
    header.sh_name = Elf64_Word(names.size());
    header.sh_type = SHT_PROGBITS;
    header.sh_offset = body.size();
    header.sh_size = contents.size();
    headers.push_back(header);
    names += name + '\0';
    body += contents;
  }
  Elf64_Shdr last{};
  last.sh_name = 1;
  last.sh_type = SHT_STRTAB;
  last.sh_offset = body.size();
  last.sh_size = names.size();
  headers.push_back(last);
  body += names;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = 190;
  header.e_shoff = body.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = Elf64_Half(headers.size());
  header.e_shstrndx = Elf64_Half(headers.size() - 1);
  std::memcpy(body.data(), &header, sizeof header);
  for (const Elf64_Shdr &section : headers)
    body.append(reinterpret_cast<const char *>(&section), sizeof section);
  return body;
}

/// Attributes of a kernel: one that a reader skips, and 16 bytes of parameters.
const std::string info("\x04\x0a\x04\x00"
                       "abcd"
                       "\x03\x19\x10\x00",
                       12);

std::string makeCubin() {
  return makeElf({{".nv.info.scale", info},
                  {".text.scale", "code"},
                  {".text.bare", "code"},
                  {".nv.constant0.scale", "0"}});
}

TEST(GpuImage, readsPtx) {
  GpuImage image;
  ASSERT_EQ(readGpuImage(ptx, image), "");
  EXPECT_TRUE(image.isText);
  ASSERT_EQ(image.kernels.size(), 2u);
  EXPECT_EQ(image.kernels[0].name, "two");
  EXPECT_EQ(image.kernels[0].parameters, 2);
  EXPECT_EQ(image.kernels[1].name, "none");
  EXPECT_EQ(image.kernels[1].parameters, 0);
}

TEST(GpuImage, readsCubins) {
  GpuImage image;
  ASSERT_EQ(readGpuImage(makeCubin(), image), "");
  EXPECT_FALSE(image.isText);
  ASSERT_EQ(image.kernels.size(), 2u);
  EXPECT_EQ(image.kernels[0].name, "scale");
  EXPECT_EQ(image.kernels[0].parameters, 2);
  EXPECT_EQ(image.kernels[1].name, "bare");
  EXPECT_EQ(image.kernels[1].parameters, -1);
}

TEST(GpuImage, refusesWhatIsNone) {
  GpuImage image;
  for (const char *bytes : {"", " ", "/", "/*", "//", "module { }"})
    EXPECT_EQ(readGpuImage(bytes, image),
              "no image of GPU kernels: expected PTX or a cubin")
        << bytes;
  std::string other = makeCubin();
  other[offsetof(Elf64_Ehdr, e_machine)] = EM_X86_64;
  EXPECT_EQ(readGpuImage(other, image),
            "no image of GPU kernels: the ELF file is for another machine");
}

TEST(GpuImage, refusesCutCubins) {
  std::string whole = makeCubin();
  GpuImage image;
  for (size_t size = SELFMAG; size < whole.size(); ++size)
    EXPECT_EQ(readGpuImage(whole.substr(0, size), image),
              "the cubin is cut or damaged")
        << size;
}

/// Whatever a byte says, the reader stays inside the file.
TEST(GpuImage, survivesDamage) {
  GpuImage image;
  for (std::string whole : {makeCubin(), std::string(ptx)})
    for (size_t i = 0; i < whole.size(); ++i)
      for (char value : {'\0', '\1', '\x7f', '\xff'}) {
        std::string damaged = whole;
        damaged[i] = value;
        readGpuImage(damaged, image);
        EXPECT_LE(image.kernels.size(), 3u) << i;
      }
}

TEST(GpuImage, reportsCutParameters) {
  GpuImage image;
  EXPECT_EQ(readGpuImage(".version 7.0\n.entry f(.param .u64 a", image),
            "the PTX ends in the parameters of kernel 'f'");
}

} // namespace
