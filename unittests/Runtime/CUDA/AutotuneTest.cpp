//===- AutotuneTest.cpp - Choices of algorithms with made-up times --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which choices are measured, which are read from files, and damaged files.
//
//===----------------------------------------------------------------------===//

#include "Runtime/CUDA/Autotune.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace soap;
using namespace soap::runtime;

namespace {

const std::vector<std::string> names = {"gemm", "winograd", "fft"};

class Autotune : public testing::Test {
protected:
  void SetUp() override {
    folder = testing::TempDir() + "soap-autotune." + std::to_string(getpid());
    path = folder + "/deep/choices.json";
  }
  void TearDown() override {
    for (const char *end : {"", ".lock"})
      std::remove((path + end).c_str());
    rmdir((folder + "/deep").c_str());
    rmdir(folder.c_str());
  }
  Autotuner tuner() {
    return Autotuner(path, [this](const std::string &text) { note += text; });
  }
  static Autotuner::Measure times(std::vector<double> list, int *calls) {
    return [list, calls](size_t i) -> Expected<double> {
      ++*calls;
      if (list[i] < 0)
        return Error{names[i] + " does not work"};
      return list[i];
    };
  }
  std::string text() const {
    std::ifstream file(path);
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
  }
  std::string folder, path, note;
  int calls = 0;
};

TEST_F(Autotune, MeasuresOnceAndKeeps) {
  Autotuner first = tuner();
  auto choice = first.choose("conv a", names, times({3, 1, 2}, &calls));
  ASSERT_TRUE(bool(choice));
  EXPECT_EQ(*choice, 1u);
  EXPECT_EQ(calls, 3);
  // Times that would choose otherwise are not asked for.
  EXPECT_EQ(*first.choose("conv a", names, times({1, 2, 3}, &calls)), 1u);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(*first.choose("conv b", names, times({3, 2, 1}, &calls)), 2u);
  EXPECT_EQ(first.measured(), 2);
  // Nor by another run.
  Autotuner second = tuner();
  EXPECT_EQ(*second.choose("conv a", names, times({1, 2, 3}, &calls)), 1u);
  EXPECT_EQ(*second.choose("conv b", names, times({1, 2, 3}, &calls)), 2u);
  EXPECT_EQ(second.measured(), 0);
  EXPECT_EQ(calls, 6);
  EXPECT_EQ(note, "");
}

TEST_F(Autotune, NearlyEqualTimes) {
  Autotuner tuned = tuner();
  EXPECT_EQ(*tuned.choose("a", names, times({1.015, 1, 1.01}, &calls)), 0u);
  EXPECT_EQ(*tuned.choose("b", names, times({1.03, 1.01, 1}, &calls)), 1u);
}

TEST_F(Autotune, CandidatesThatDoNotWork) {
  Autotuner tuned = tuner();
  EXPECT_EQ(*tuned.choose("a", names, times({-1, -1, 5}, &calls)), 2u);
  auto none = tuned.choose("b", names, times({-1, -1, -1}, &calls));
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(none.error(), "fft does not work");
  EXPECT_FALSE(bool(tuned.choose("c", {}, times({}, &calls))));
  // A failure is no choice.
  EXPECT_EQ(*tuned.choose("b", names, times({1, 2, 3}, &calls)), 0u);
}

TEST_F(Autotune, ChoiceThatIsGone) {
  Autotuner first = tuner();
  EXPECT_EQ(*first.choose("a", names, times({3, 2, 1}, &calls)), 2u);
  Autotuner second = tuner();
  EXPECT_EQ(*second.choose("a", {"gemm", "winograd"}, times({3, 2}, &calls)),
            1u);
}

TEST_F(Autotune, DamagedFiles) {
  {
    Autotuner first = tuner();
    EXPECT_EQ(*first.choose("a", names, times({3, 1, 2}, &calls)), 1u);
  }
  std::string good = text();
  // Cut anywhere, it is refused and written anew.
  for (size_t length = 0; length + 2 < good.size(); length += 7) {
    std::ofstream(path) << good.substr(0, length);
    note.clear();
    Autotuner again = tuner();
    EXPECT_EQ(*again.choose("a", names, times({3, 1, 2}, &calls)), 1u);
    EXPECT_EQ(again.measured(), 1);
    EXPECT_EQ(note, path + ": expected JSON; the choice of algorithms begins "
                           "anew");
    EXPECT_EQ(text(), good);
  }
  struct Case {
    const char *text, *message;
  };
  for (const Case &one :
       {Case{"{\"version\": 2, \"choices\": {}}",
             "at /version: expected 1, got 2"},
        Case{"[]", "at /: expected an object, got an array"},
        Case{"{\"version\": 1}",
             "at /: expected key \"choices\", which is missing"},
        Case{"{\"version\": 1, \"choices\": []}",
             "at /choices: expected an object, got an array"},
        Case{"{\"version\": 1, \"choices\": {\"a\": 1}}",
             "at /choices/a: expected the name of an algorithm, got 1"}}) {
    std::ofstream(path) << one.text;
    note.clear();
    Autotuner again = tuner();
    EXPECT_EQ(*again.choose("a", names, times({3, 1, 2}, &calls)), 1u);
    EXPECT_EQ(note, path + ": " + one.message +
                        "; the choice of algorithms begins anew");
    EXPECT_EQ(text(), good);
  }
}

TEST_F(Autotune, NoFile) {
  Autotuner without("", nullptr);
  EXPECT_EQ(*without.choose("a", names, times({3, 1, 2}, &calls)), 1u);
  EXPECT_EQ(*without.choose("a", names, times({1, 2, 3}, &calls)), 1u);
  Autotuner unwritable("/proc/nowhere/choices.json",
                       [this](const std::string &text) { note += text; });
  EXPECT_EQ(*unwritable.choose("a", names, times({3, 1, 2}, &calls)), 1u);
  EXPECT_EQ(*unwritable.choose("b", names, times({3, 1, 2}, &calls)), 1u);
  EXPECT_NE(note.find("/proc/nowhere/choices.json"), std::string::npos) << note;
  EXPECT_NE(note.find("algorithms will be chosen again by the next run"),
            std::string::npos)
      << note;
}

TEST_F(Autotune, RecallsWithoutMeasuring) {
  Autotuner first = tuner();
  EXPECT_EQ(first.recall("a", names), std::nullopt);
  EXPECT_TRUE(first.used().empty());
  EXPECT_EQ(*first.choose("a", names, times({3, 1, 2}, &calls)), 1u);
  EXPECT_EQ(first.recall("a", names), 1u);
  EXPECT_EQ(first.recall("a", {"gemm", "fft"}), std::nullopt);
}

TEST_F(Autotune, AdoptsWhatOthersChose) {
  Autotuner first = tuner();
  EXPECT_EQ(*first.choose("a", names, times({3, 1, 2}, &calls)), 1u);
  EXPECT_EQ(*first.choose("b", names, times({3, 1, 2}, &calls)), 1u);
  std::map<std::string, std::string> used = {{"a", "winograd"},
                                             {"b", "winograd"}};
  EXPECT_EQ(first.used(), used);
  EXPECT_FALSE(first.adopt({{"a", "winograd"}, {"c", "fft"}}));
  EXPECT_TRUE(first.adopt({{"a", "fft"}, {"c", "fft"}}));
  EXPECT_EQ(first.recall("a", names), 2u);
  EXPECT_EQ(first.recall("c", names), std::nullopt); // never asked for
  // Later runs do the same.
  Autotuner second = tuner();
  EXPECT_EQ(*second.choose("a", names, times({1, 2, 3}, &calls)), 2u);
  EXPECT_EQ(second.measured(), 0);
  EXPECT_EQ(note, "");
}

TEST_F(Autotune, WhereTheFileIs) {
  auto set = [](const char *name, const char *value) {
    value ? setenv(name, value, 1) : unsetenv(name);
  };
  for (const char *name :
       {"SOAP_GPU_ALGORITHMS", "SOAP_CACHE_DIR", "XDG_CACHE_HOME", "HOME"})
    set(name, nullptr);
  EXPECT_EQ(Autotuner::defaultPath(), "");
  set("HOME", "/h");
  EXPECT_EQ(Autotuner::defaultPath(), "/h/.cache/soap/gpu-algorithms.json");
  set("XDG_CACHE_HOME", "/x");
  EXPECT_EQ(Autotuner::defaultPath(), "/x/soap/gpu-algorithms.json");
  set("SOAP_CACHE_DIR", "/s");
  EXPECT_EQ(Autotuner::defaultPath(), "/s/gpu-algorithms.json");
  set("SOAP_GPU_ALGORITHMS", "/f.json");
  EXPECT_EQ(Autotuner::defaultPath(), "/f.json");
  set("SOAP_GPU_ALGORITHMS", "");
  EXPECT_EQ(Autotuner::defaultPath(), "");
}

/// As processes would: each with a tuner of its own on one file, and times that
/// differ. All make the choice of the first.
TEST_F(Autotune, Together) {
  std::vector<std::thread> threads;
  std::vector<size_t> chosen(8);
  for (size_t i = 0; i < chosen.size(); ++i)
    threads.emplace_back([&, i] {
      Autotuner own(path, nullptr);
      int count = 0;
      std::vector<double> list = {2, 2, 2};
      list[i % 3] = 1;
      chosen[i] = *own.choose("a", names, times(list, &count));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t choice : chosen)
    EXPECT_EQ(choice, chosen[0]);
}

} // namespace
