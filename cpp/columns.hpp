// Borrowed views of columnar buffers. They own nothing and have no functions: an inline function shared between
// translation units of different ISAs could be kept by the linker in its widest form and then run on every CPU.
#pragma once

#include <cstdint>

namespace scrubjay {

// n values, contiguous.
template <class T>
struct Column {
  T* data;
  std::int64_t size;
};

// Rows of `cols` contiguous values, `stride` values apart.
template <class T>
struct Matrix {
  T* data;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t stride;
};

// Least significant bit first, as in Arrow; bit `offset + i` belongs to row i. bits == nullptr: all set.
struct Bitmap {
  const std::uint8_t* bits;
  std::int64_t offset;
};

// Edges of node i are [offsets[i], offsets[i + 1]).
struct Csr {
  const std::int64_t* offsets;
  const std::int32_t* targets;
  const float* weights;
  std::int64_t nodes;
};

}  // namespace scrubjay
