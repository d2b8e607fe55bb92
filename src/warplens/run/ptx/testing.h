// Helpers of the emulator's tests: PTX text to results.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "warplens/isa/ptx/parser.h"
#include "warplens/run/ptx/emulator.h"

namespace warplens::simt::ptx_machine {

/// A module of one test, its memory and its launches.
class Bench {
 public:
  /// `body` is the text after the header of a module (.version, .target, .address_size).
  explicit Bench(const std::string& body) {
    const std::string text = ".version 9.0\n.target sm_90a\n.address_size 64\n" + body;
    Result<ptx::Module> parsed = ptx::parse(text, "test.ptx");
    EXPECT_TRUE(parsed.ok()) << parsed.status().message();
    if (!parsed.ok()) return;
    auto loaded = Module::load(std::make_shared<ptx::Module>(std::move(*parsed)), memory);
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    if (loaded.ok()) module = std::move(*loaded);
  }

  template <typename T>
  T* buffer(size_t count, T value = T{}, const std::string& name = "buffer") {
    const auto at = memory.allocate(count * sizeof(T), name);
    EXPECT_TRUE(at.ok());
    T* begin = reinterpret_cast<T*>(*at);
    for (size_t i = 0; i < count; ++i) begin[i] = value;
    return begin;
  }

  /// Adds a parameter, naturally aligned.
  template <typename T>
  Bench& argument(T value) {
    auto& bytes = config.parameters;
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    bytes.resize(bytes.size() + sizeof(T));
    std::memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
    return *this;
  }

  LaunchResult run(const std::string& kernel = "k") {
    if (!module) return {};
    auto result = launch(*module, kernel, config);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? std::move(*result) : LaunchResult{};
  }

  Memory memory;
  std::unique_ptr<Module> module;
  Launch config;
};

}  // namespace warplens::simt::ptx_machine
