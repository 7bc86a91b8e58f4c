// Vectors in one of their stores, and codes of them.
#pragma once

#include <optional>
#include <string>

#include "bind/buffers.hpp"
#include "rank/problem.hpp"

namespace scrubjay::bind {

// Rows and contexts may have so many values.
constexpr std::int64_t widest = 65536;

// Rows of `got` values where there must be `wanted`, and no more than the kernels take.
void check_width(std::int64_t got, std::int64_t wanted, const std::string& argument, const std::string& other);

// Owns what `rows` and `codes` borrow.
struct Vectors {
  std::optional<Rows<float>> f32, meta;
  std::optional<Rows<std::uint16_t>> bf16;
  std::optional<Rows<std::uint8_t>> u8, high, low;
  rank::Rows rows;
  Codes codes{};
};

// float32 rows, bfloat16 rows as uint16 (from to_bf16), or the tuple (codes, meta) from quantize8; `cols` values each.
void take_vectors(Vectors& v, py::handle in, const std::string& argument, std::int64_t cols, const std::string& other);

// The tuple (high, low, meta) that codes() made of the float32 rows in v.
void take_codes(Vectors& v, py::handle in, const std::string& argument);

}  // namespace scrubjay::bind
