// Similarity: rows against a query.
#include "bind/buffers.hpp"
#include "bind/families.hpp"
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

}  // namespace

void add_similarity(py::module_& module) { module.def("dot", &dot, py::arg("rows"), py::arg("query")); }

}  // namespace scrubjay::bind
