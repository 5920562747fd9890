//===- ArtifactTest.cpp - The container of compiled modules ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Round trips, and the message for everything that is refused. No bit of a file
// may change without being noticed.
//
//===----------------------------------------------------------------------===//

#include "Soap/Artifact/Artifact.h"
#include "Soap/ABI/Runtime.h"
#include "Soap/Runtime/Artifact/ArtifactModule.h"
#include "Support/TemporaryFolder.h"

#include "gtest/gtest.h"
#include <zlib.h>

using namespace soap;
using namespace soap::runtime;

namespace {

Artifact sample() {
  Artifact artifact;
  artifact.info.soapVersion = "0.1";
  artifact.info.abi = SOAP_RT_ABI_VERSION;
  artifact.info.architecture = hostArchitecture();
  artifact.info.features = hostCpuFeatures();
  artifact.info.optLevel = 2;
  artifact.info.fingerprints = {{"module", "abc"}};
  artifact.manifest = "{\"version\": 1}";
  artifact.code = std::string("\x7f"
                              "ELF\2\1",
                              6) +
                  std::string(10, '\0') + std::string("\3\0", 2) +
                  (artifact.info.architecture == "x86_64" ? '\x3e' : '\xb7') +
                  std::string(100, '\0');
  return artifact;
}

std::string errorOf(std::string_view bytes) {
  auto artifact = parseArtifact(bytes, "f");
  return artifact ? "no error" : artifact.error();
}

TEST(Artifact, RoundTrips) {
  Artifact artifact = sample();
  std::string bytes = serializeArtifact(artifact);
  auto again = parseArtifact(bytes, "f");
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->manifest, artifact.manifest);
  EXPECT_EQ(again->code, artifact.code);
  EXPECT_EQ(again->info.features, artifact.info.features);
  EXPECT_EQ(again->info.fingerprints, artifact.info.fingerprints);
  EXPECT_EQ(serializeArtifact(*again), bytes);
  EXPECT_FALSE(checkArtifactHost(*again, "f"));
}

TEST(Artifact, NoBitMayChange) {
  std::string good = serializeArtifact(sample());
  ASSERT_EQ(errorOf(good), "no error");
  for (size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = char(bad[i] ^ 1 << bit);
      ASSERT_NE(errorOf(bad), "no error") << i;
    }
  for (size_t size = 0; size < good.size(); ++size)
    ASSERT_NE(errorOf(good.substr(0, size)), "no error") << size;
  EXPECT_EQ(errorOf(good + "x"), "f: the artifact is damaged: expected " +
                                     std::to_string(good.size()) +
                                     " bytes, got " +
                                     std::to_string(good.size() + 1));
}

TEST(Artifact, SaysWhatIsWrong) {
  std::string good = serializeArtifact(sample());
  EXPECT_EQ(errorOf("module {}"),
            "f: expected an artifact, which starts with 'SOAPX'");
  EXPECT_EQ(errorOf("SOAPX\n\x1a" + good.substr(8)),
            "f: the artifact is damaged: its first bytes are wrong, as after a "
            "transfer as text");
  std::string old = good;
  old[8] = 0;
  EXPECT_EQ(errorOf(old), "f: expected an artifact of version 2, got version "
                          "0; make it again from its IR");
  std::string flipped = good;
  flipped.back() ^= 1;
  EXPECT_EQ(errorOf(flipped), "f: the artifact is damaged: section 'code': its "
                              "checksum is wrong");
}

TEST(Artifact, RefusesForeignCode) {
  auto message = [](auto change) {
    Artifact artifact = sample();
    change(artifact);
    // Through the file, as a user would get it.
    auto read = parseArtifact(serializeArtifact(artifact), "f");
    if (!read)
      return read.error();
    MaybeError error = checkArtifactHost(*read, "f");
    return error ? error->message : std::string("no error");
  };
  EXPECT_EQ(message([](Artifact &) {}), "no error");
  EXPECT_EQ(message([](Artifact &a) { a.info.architecture = "riscv64"; }),
            std::string("f: expected an artifact for ") + hostArchitecture() +
                ", got one for riscv64");
  EXPECT_EQ(message([](Artifact &a) { a.info.features = {"x1", "x2"}; }),
            "f: needs CPU features that this machine lacks: x1, x2");
  EXPECT_EQ(message([](Artifact &a) { a.info.abi = 0; }),
            "f: expected an artifact for version " +
                std::to_string(SOAP_RT_ABI_VERSION) +
                " of the runtime, got one for version 0; make it again from "
                "its IR");
  std::string noElf = std::string("f: the code is no ELF shared object for ") +
                      hostArchitecture();
  EXPECT_EQ(message([](Artifact &a) { a.code = "hello"; }), noElf);
  // A 32-bit object, and an executable.
  EXPECT_EQ(message([](Artifact &a) { a.code[4] = 1; }), noElf);
  EXPECT_EQ(message([](Artifact &a) { a.code[16] = 2; }), noElf);
}

TEST(Artifact, KnowsCpuLevels) {
  auto host = cpuLevel("host");
  ASSERT_TRUE(host) << host.error();
  EXPECT_EQ(*host, hostCpuFeatures());
  auto other = cpuLevel("pentium");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().substr(0, 20), "expected one of host");
}

TEST(ArtifactModule, CodeThatCannotBeLoaded) {
  TemporaryFolder folder;
  Artifact artifact = sample();
  artifact.manifest = R"({"version": 1, "devices": 1, "tensors": [],
                          "entries": []})";
  std::string path = folder.file("a.soapx", serializeArtifact(artifact));
  EXPECT_TRUE(isArtifactFile(path));
  auto source = loadArtifact(path);
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().rfind(path + ": cannot load the code: ", 0), 0u)
      << source.error();
  EXPECT_FALSE(isArtifactFile(folder.file("m.mlir", "module {}")));
  EXPECT_FALSE(isArtifactFile(folder / "none"));
}

} // namespace
