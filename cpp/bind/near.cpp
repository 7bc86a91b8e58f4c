// Near: the rows of lists about centres that are nearest to queries.
#include <cmath>
#include <limits>
#include <vector>

#include "bind/buffers.hpp"
#include "bind/families.hpp"
#include "bind/threads.hpp"
#include "bind/unlocked.hpp"
#include "near/lists.hpp"

namespace scrubjay::bind {
namespace {

// Whole numbers that the search follows without looking: each at least `least`, and below `limit`.
void require_below(Column<const std::int32_t> values, std::int64_t least, std::int64_t limit, const char* argument) {
  for (std::int64_t i = 0; i < values.size; ++i)
    if (values.data[i] < least || values.data[i] >= limit)
      bad_value(std::string(argument) + " must be from " + std::to_string(least) + " to below " + std::to_string(limit) + ", got " +
                std::to_string(values.data[i]) + " at " + std::to_string(i));
}

py::tuple nearest(py::handle queries_in, py::handle rows_in, py::handle centres_in, py::handle apart_in, py::handle ends_in,
                  py::handle heads_in, py::handle next_in, std::int64_t m,
                  float reach, int threads_in) {
  const int threads = take_threads(threads_in);
  const auto queries = take<std::int8_t>(queries_in, "queries", 2);
  const auto rows = take_matrix<std::uint8_t>(rows_in, "rows");
  const auto centres = take_matrix<std::uint8_t>(centres_in, "centres");
  const auto apart = take<float>(apart_in, "apart", 1);
  const auto ends = take<std::int32_t>(ends_in, "ends", 1), heads = take<std::int32_t>(heads_in, "heads", 1),
             next = take<std::int32_t>(next_in, "next", 1);
  const std::int64_t n = rows.extent(0), cols = rows.extent(1), lists = centres.extent(0), count = queries.extent(0);
  if (cols % 64 != 0 || cols > 32768) bad_value("rows must have a multiple of 64 codes, up to 32768, got " + std::to_string(cols));
  if (n > std::numeric_limits<std::int32_t>::max()) bad_value("rows must be fewer than 2^31, got " + std::to_string(n));
  if (!(reach > 0.0f)) bad_value("reach must be above 0, got " + std::to_string(reach));
  if (m < 1) bad_value("m must be at least 1, got " + std::to_string(m));
  same_size(queries.extent(1), cols, "a query", "a row");
  same_size(centres.extent(1), cols, "a centre", "a row");
  same_size(apart.size(), lists, "apart", "centres");
  same_size(ends.size(), lists, "ends", "centres");
  same_size(heads.size(), lists, "heads", "centres");
  same_size(next.size(), n, "next", "rows");
  require_below(ends.column(), 0, n + 1, "ends");
  require_below(heads.column(), -1, n, "heads");
  const std::int64_t most = std::min(m, n);
  py::array_t<std::int64_t> found({count, most}), counts(count), read(count);
  py::array_t<float> products({count, most});
  std::int64_t *const row = found.mutable_data(), *const many = counts.mutable_data(), *const seen = read.mutable_data();
  float* const product = products.mutable_data();
  if (most > 0) {
    const Unlocked unlocked;
    const near::Lists all{rows.matrix(), centres.matrix(), apart.data(), ends.data(), heads.data(), next.data()};
    in_pieces(count, count * n * cols / 8, threads, [&](std::int64_t q) {
      seen[q] = 0;
      const auto best = near::nearest(all, queries.data() + q * cols, reach, most, seen[q]);
      many[q] = static_cast<std::int64_t>(best.size());
      for (std::int64_t i = 0; i < most; ++i) {
        row[q * most + i] = i < many[q] ? best[static_cast<std::size_t>(i)].row : -1;
        product[q * most + i] = i < many[q] ? best[static_cast<std::size_t>(i)].product : -std::numeric_limits<float>::infinity();
      }
    });
  } else {
    std::fill_n(many, count, 0);
    std::fill_n(seen, count, 0);
  }
  return py::make_tuple(found, products, counts, read);
}

}  // namespace

void add_near(py::module_& module) {
  module.def("nearest", &nearest, py::arg("queries"), py::arg("rows"), py::arg("centres"), py::arg("apart"), py::kw_only(),
             py::arg("ends"), py::arg("heads"), py::arg("next"), py::arg("m"), py::arg("reach"), py::arg("threads") = 0);
}

}  // namespace scrubjay::bind
