// Similarity: rows against a query, rows against a packed matrix.
#include "bind/buffers.hpp"
#include "bind/families.hpp"
#include "bind/threads.hpp"
#include "dispatch.hpp"

namespace scrubjay::bind {
namespace {

py::array_t<float> dot(py::handle rows_in, py::handle query_in) {
  const auto rows = take_matrix<float>(rows_in, "rows");
  const auto query = take<float>(query_in, "query", 1);
  same_size(query.size(), rows.extent(1), "query", "a row");
  py::array_t<float> out(rows.extent(0));
  float* result = out.mutable_data();
  {
    const py::gil_scoped_release unlocked;
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
    const py::gil_scoped_release unlocked;
    std::fill(result, result + count * width, 0.0f);
    const Matrix<const float> x = rows.matrix();
    // A multiply-add takes about as long as a quarter of a byte from memory.
    in_pieces((count + piece_rows - 1) / piece_rows, count * cols * width / 4, threads, [&](std::int64_t piece) {
      const std::int64_t begin = piece * piece_rows, here = std::min(piece_rows, count - begin);
      float squares[piece_rows];
      for (std::int64_t p = 0; p < panels.extent(0); p += group)
        dispatch::active().tile({x.data + begin * x.stride, here, cols, x.stride}, panels.data() + p * cols * 16, cols * 16,
                                std::min(group, panels.extent(0) - p), result + begin * width + p * 16, width, squares,
                                nullptr);
    });
  }
  return out;
}

}  // namespace

void add_similarity(py::module_& module) {
  module.def("dot", &dot, py::arg("rows"), py::arg("query"));
  module.def("product", &product, py::arg("rows"), py::arg("panels"), py::kw_only(), py::arg("threads") = 0);
}

}  // namespace scrubjay::bind
