// Similarity: rows against a query, rows against a packed matrix, and the smaller stores of rows.
#include <bit>
#include <cmath>

#include "bind/families.hpp"
#include "bind/threads.hpp"
#include "bind/unlocked.hpp"
#include "bind/vectors.hpp"
#include "dispatch.hpp"
#include "revise/coded.hpp"

namespace scrubjay::bind {
namespace {

py::array_t<float> dot(py::handle rows_in, py::handle query_in) {
  const auto rows = take_matrix<float>(rows_in, "rows");
  const auto query = take<float>(query_in, "query", 1);
  same_size(query.size(), rows.extent(1), "query", "a row");
  py::array_t<float> out(rows.extent(0));
  float* result = out.mutable_data();
  {
    const Unlocked unlocked;
    dispatch::active().dot(rows.matrix(), query.data(), result);
  }
  return out;
}

// Rows of a piece of work, and panels that stay in the second-level cache while a piece's rows pass over them.
constexpr std::int64_t piece_rows = 48, group = 4;

py::array_t<float> product(py::handle rows_in, py::handle panels_in, int threads_in) {
  const int threads = take_threads(threads_in);
  const auto rows = take_matrix<float>(rows_in, "rows");
  const auto panels = take<float>(panels_in, "panels", 2);
  const std::int64_t count = rows.extent(0), cols = rows.extent(1), width = panels.extent(0) * 16;
  same_size(panels.extent(1), cols * 16, "a panel", "16 columns as long as a row");
  py::array_t<float> out({count, width});
  float* result = out.mutable_data();
  {
    const Unlocked unlocked;
    std::fill(result, result + count * width, 0.0f);
    const Matrix<const float> x = rows.matrix();
    constexpr std::int64_t bytes = sizeof(float);
    // A multiply-add takes about as long as a quarter of a byte from memory.
    in_pieces((count + piece_rows - 1) / piece_rows, count * cols * width / 4, threads, [&](std::int64_t piece) {
      const std::int64_t begin = piece * piece_rows, here = std::min(piece_rows, count - begin);
      float squares[piece_rows];
      for (std::int64_t p = 0; p < panels.extent(0); p += group)
        dispatch::active().tile_f32({x.data + begin * x.stride, here, cols, x.stride * bytes},
                                    {panels.data() + p * cols * 16, std::min(group, panels.extent(0) - p), cols * 16 * bytes}, {},
                                    result + begin * width + p * 16, width, squares, {});
    });
  }
  return out;
}

constexpr std::int64_t piece = 64;  // rows

// work(from, to) on ranges of rows.
template <class Work>
void in_rows(Matrix<const float> rows, int threads, const Work& work) {
  in_pieces((rows.rows + piece - 1) / piece, rows.rows * rows.cols * 4, threads,
            [&](std::int64_t at) { work(at * piece, std::min(rows.rows, (at + 1) * piece)); });
}

py::array_t<std::uint16_t> to_bf16(py::handle rows_in, int threads_in) {
  const auto given = take_matrix<float>(rows_in, "rows");
  const auto rows = given.matrix();
  const int threads = take_threads(threads_in);
  py::array_t<std::uint16_t> out({rows.rows, rows.cols});
  std::uint16_t* const result = out.mutable_data();
  const Unlocked unlocked;
  in_rows(rows, threads, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i)
      for (std::int64_t j = 0; j < rows.cols; ++j) {
        const auto bits = std::bit_cast<std::uint32_t>(rows.data[i * rows.stride + j]);
        const bool nan = (bits & 0x7fffffff) > 0x7f800000;
        result[i * rows.cols + j] = static_cast<std::uint16_t>((nan ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1)) >> 16);
      }
  });
  return out;
}

py::tuple quantize8(py::handle rows_in, int threads_in) {
  const auto given = take_matrix<float>(rows_in, "rows");
  const auto rows = given.matrix();
  check_width(rows.cols, rows.cols, "rows", "rows");
  const int threads = take_threads(threads_in);
  const std::int64_t stride = (rows.cols + 63) / 64 * 64;
  py::array_t<std::uint8_t> codes({rows.rows, stride});
  py::array_t<float> meta({std::int64_t{2}, rows.rows});
  std::uint8_t* const code = codes.mutable_data();
  float* const scale = meta.mutable_data();
  {
    const Unlocked unlocked;
    in_rows(rows, threads, [&](std::int64_t from, std::int64_t to) {
      float unused[2][piece];
      float* const out[] = {scale + from, unused[0], unused[1], scale + rows.rows + from};
      dispatch::active().quantize({rows.data + from * rows.stride, to - from, rows.cols, rows.stride}, code + from * stride, stride, out);
    });
  }
  for (std::int64_t i = 0; i < rows.rows; ++i)
    if (!std::isfinite(scale[rows.rows + i]))
      bad_value("rows must be finite and below 2^60 to be kept in 8 bits, row " + std::to_string(i) + " is not");
  return py::make_tuple(codes, meta);
}

py::tuple codes(py::handle rows_in, int threads_in) {
  const auto given = take_matrix<float>(rows_in, "rows");
  const auto rows = given.matrix();
  check_width(rows.cols, rows.cols, "rows", "rows");
  if (rows.cols > widest / 2) bad_value("rows must have up to 32768 values for codes, got " + std::to_string(rows.cols));
  const int threads = take_threads(threads_in);
  const std::int64_t half = (rows.cols + 127) / 128 * 64;
  py::array_t<std::uint8_t> highs({rows.rows, half}), lows({rows.rows, half});
  py::array_t<float> meta({std::int64_t{4}, rows.rows});
  float* const first = meta.mutable_data();
  const revise::CodeColumns out{{highs.mutable_data(), rows.rows, half, half},
                                {lows.mutable_data(), rows.rows, half, half},
                                {first, first + rows.rows, first + 2 * rows.rows, first + 3 * rows.rows}};
  {
    const Unlocked unlocked;
    in_rows(rows, threads, [&](std::int64_t from, std::int64_t to) { revise::encode(out, rows, nullptr, from, to - from); });
  }
  return py::make_tuple(highs, lows, meta);
}

}  // namespace

void add_similarity(py::module_& module) {
  module.def("dot", &dot, py::arg("rows"), py::arg("query"));
  module.def("product", &product, py::arg("rows"), py::arg("panels"), py::kw_only(), py::arg("threads") = 0);
  module.def("to_bf16", &to_bf16, py::arg("rows"), py::kw_only(), py::arg("threads") = 0);
  module.def("quantize8", &quantize8, py::arg("rows"), py::kw_only(), py::arg("threads") = 0);
  module.def("codes", &codes, py::arg("rows"), py::kw_only(), py::arg("threads") = 0);
}

}  // namespace scrubjay::bind
