// One hop of messages over a graph, and the weights of edges.
#include "bind/graph.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "bind/buffers.hpp"
#include "bind/families.hpp"
#include "bind/threads.hpp"
#include "bind/unlocked.hpp"
#include "dispatch.hpp"

namespace scrubjay::bind {
namespace {

template <class T>
py::array_t<T> read_only(py::object owner, const Lines<T>& values) {
  py::array_t<T> out(static_cast<py::ssize_t>(values.size()), values.data(), owner);
  out.attr("setflags")(py::arg("write") = false);
  return out;
}

void check_nodes(std::int64_t got, const Graph& graph, const char* argument) {
  if (got != graph.nodes())
    bad_value(std::string(argument) + " has " + std::to_string(got) + " values a row but the graph has " +
              std::to_string(graph.nodes()) + " nodes");
}

struct Given {
  Rows<float> score;
  std::optional<Array<float>> utility;
  Matrix<const float> scores;
  const float* u = nullptr;
};

Given given(const Graph& graph, py::handle score, py::handle utility) {
  Given g{take_row_or_rows<float>(score, "score"), std::nullopt, {}};
  g.scores = g.score.matrix();
  check_nodes(g.scores.cols, graph, "score");
  if (!utility.is_none()) {
    g.utility = take<float>(utility, "utility", 1);
    check_nodes(g.utility->size(), graph, "utility");
    g.u = g.utility->data();
  }
  return g;
}

py::array_t<float> result(const Given& g, std::int64_t columns) {
  if (g.score.single()) return py::array_t<float>(columns);
  return py::array_t<float>({g.scores.rows, columns});
}

// Work on nodes [begin, end), shared among the threads by edges.
template <class Work>
void over_nodes(const Graph& graph, std::int64_t bytes_an_edge, int threads, const Work& work) {
  const std::int64_t pieces = std::min<std::int64_t>(graph.nodes() / 256 + 1, threads == 1 ? 1 : threads * 16);
  in_pieces(pieces, graph.edges() * bytes_an_edge, threads, [&](std::int64_t piece) {
    const std::int64_t begin = graph.cut(piece, pieces), end = graph.cut(piece + 1, pieces);
    if (begin < end) work(begin, end);
  });
}

void hop_singly(const Graph& graph, const Given& g, float* out, int threads) {
  const Kernels& kernels = dispatch::active();
  auto lines = g.u == nullptr ? nullptr : graph.borrow(graph.nodes());
  for (std::int64_t q = 0; q < g.scores.rows; ++q) {
    const float* x = g.scores.data + q * g.scores.stride;
    if (g.u != nullptr) {
      const std::int64_t grain = 1 << 16, pieces = (graph.nodes() + grain - 1) / grain;
      in_pieces(pieces, graph.nodes() * 12, threads, [&](std::int64_t piece) {
        const std::int64_t begin = piece * grain, n = std::min(grain, graph.nodes() - begin);
        kernels.hop_values(x + begin, g.u + begin, n, lines->data() + begin);
      });
      x = lines->data();
    }
    over_nodes(graph, 8, threads, [&](std::int64_t begin, std::int64_t end) {
      kernels.hop(graph.csr(), begin, end, x, out + q * graph.nodes());
    });
  }
  if (lines) graph.give_back(std::move(lines));
}

void hop_together(const Graph& graph, const Given& g, float* out, int threads) {
  const Kernels& kernels = dispatch::active();
  auto lines = graph.borrow(graph.nodes() * LANES);
  float* x = lines->data();
  for (std::int64_t first = 0; first < g.scores.rows; first += LANES) {
    const std::int64_t count = std::min(LANES, g.scores.rows - first);
    const Matrix<const float> scores{g.scores.data + first * g.scores.stride, count, g.scores.cols, g.scores.stride};
    const Matrix<float> sums{out + first * graph.nodes(), count, graph.nodes(), graph.nodes()};
    const std::int64_t grain = 4096, pieces = (graph.nodes() + grain - 1) / grain;
    in_pieces(pieces, graph.nodes() * 64, threads, [&](std::int64_t piece) {
      kernels.hop_interleave(scores, g.u, piece * grain, std::min(graph.nodes(), (piece + 1) * grain), x);
    });
    over_nodes(graph, 64, threads, [&](std::int64_t begin, std::int64_t end) {
      kernels.hop_batch(graph.csr(), begin, end, x, sums);
    });
  }
  graph.give_back(std::move(lines));
}

// Fewer queries than these are cheaper one by one; the sums are the same bits.
constexpr std::int64_t TOGETHER = 6;

py::array_t<float> hop(const Graph& graph, py::handle score, py::handle utility, py::handle rows_in, int threads_in) {
  const int threads = take_threads(threads_in);
  const Given g = given(graph, score, utility);
  if (!rows_in.is_none()) {
    const auto rows = take_index(rows_in, "rows", graph.nodes());
    py::array_t<float> out = result(g, rows.size());
    float* sums = out.mutable_data();
    const Unlocked unlocked;
    for (std::int64_t q = 0; q < g.scores.rows; ++q)
      dispatch::active().hop_rows(graph.csr(), rows.column(), g.scores.data + q * g.scores.stride, g.u, sums + q * rows.size());
    return out;
  }
  py::array_t<float> out = result(g, graph.nodes());
  float* sums = out.mutable_data();
  const Unlocked unlocked;
  if (g.scores.rows < TOGETHER) hop_singly(graph, g, sums, threads);
  else hop_together(graph, g, sums, threads);
  return out;
}

py::array_t<float> strongest(const Graph& graph, py::handle score, bool weighted, int threads_in) {
  const int threads = take_threads(threads_in);
  const Given g = given(graph, score, py::none());
  py::array_t<float> out = result(g, graph.nodes());
  float* best = out.mutable_data();
  const Unlocked unlocked;
  for (std::int64_t q = 0; q < g.scores.rows; ++q)
    over_nodes(graph, 8, threads, [&](std::int64_t begin, std::int64_t end) {
      dispatch::active().strongest(graph.csr(), begin, end, g.scores.data + q * g.scores.stride, weighted,
                                   best + q * graph.nodes());
    });
  return out;
}

float within(double value, double low, double high, const char* argument) {
  if (!(value >= low && value <= high))
    bad_value(std::string(argument) + " must be from " + std::to_string(low) + " to " + std::to_string(high) + ", got " +
              std::to_string(value));
  return static_cast<float>(value);
}

py::array_t<float> edge_weights(py::handle from_in, py::handle to_in, py::handle what_in, py::handle when_in, py::handle where_in,
                                py::handle where_index_in, const std::array<double, 3>& shares, double what_least,
                                double where_least, double rate, double window, int threads_in) {
  const int threads = take_threads(threads_in);
  const auto what = take_matrix<float>(what_in, "what");
  const std::int64_t rows = what.extent(0);
  const auto when = take<double>(when_in, "when", 1);
  same_size(when.size(), rows, "when", "what");
  const auto from = take_index(from_in, "sources", rows), to = take_index(to_in, "targets", rows);
  same_size(to.size(), from.size(), "targets", "sources");
  std::optional<Rows<float>> where;
  std::optional<Array<std::int32_t>> index;
  if (!where_in.is_none()) where = take_matrix<float>(where_in, "where");
  if (!where_index_in.is_none()) {
    if (!where) bad_value("where_index needs where: the context vectors that it points at");
    index = take<std::int32_t>(where_index_in, "where_index", 1);
    same_size(index->size(), rows, "where_index", "what");
    for (std::int64_t i = 0; i < rows; ++i)
      if (index->data()[i] >= where->extent(0))
        bad_value("where_index must be below " + std::to_string(where->extent(0)) + " (negative: no context), got " +
                  std::to_string(index->data()[i]) + " at position " + std::to_string(i));
  } else if (where) {
    same_size(where->extent(0), rows, "where", "what");
  }
  EdgeTerms terms{};
  terms.what = what.matrix();
  if (where) terms.where = where->matrix();
  terms.where_index = index ? index->data() : nullptr;
  terms.from = from.data();
  terms.to = to.data();
  terms.when = when.data();
  terms.what_share = within(shares[0], 0.0, 1.0, "shares[0]");
  terms.where_share = within(shares[1], 0.0, 1.0, "shares[1]");
  terms.when_share = within(shares[2], 0.0, 1.0, "shares[2]");
  terms.what_least = within(what_least, -1.0, 1.0, "what_least");
  terms.where_least = within(where_least, -1.0, 1.0, "where_least");
  if (!(std::isfinite(rate) && rate >= 0.0)) bad_value("rate must be finite and at least 0 per second, got " + std::to_string(rate));
  if (!(window >= 0.0)) bad_value("window must be at least 0 seconds, got " + std::to_string(window));
  terms.rate = rate;
  terms.window = window;
  py::array_t<float> out(from.size());
  float* weights = out.mutable_data();
  const Unlocked unlocked;
  const std::int64_t grain = 1024, edges = from.size();
  in_pieces((edges + grain - 1) / grain, edges * 2 * what.extent(1) * 4, threads, [&](std::int64_t piece) {
    dispatch::active().edge_weights(terms, piece * grain, std::min(edges, (piece + 1) * grain), weights);
  });
  return out;
}

}  // namespace

void add_graph(py::module_& module) {
  py::class_<Graph>(module, "Graph")
      .def(py::init<py::handle, py::handle, py::handle>(), py::arg("offsets"), py::arg("targets"), py::arg("weights"))
      .def_static("from_edges", &Graph::from_edges, py::arg("sources"), py::arg("targets"), py::arg("weights"), py::arg("nodes"))
      .def_property_readonly("nodes", &Graph::nodes)
      .def_property_readonly("edges", &Graph::edges)
      .def_property_readonly("offsets", [](py::object self) { return read_only(self, self.cast<const Graph&>().offsets()); })
      .def_property_readonly("targets", [](py::object self) { return read_only(self, self.cast<const Graph&>().targets()); })
      .def_property_readonly("weights", [](py::object self) { return read_only(self, self.cast<const Graph&>().weights()); })
      .def("hop", &hop, py::arg("score"), py::arg("utility") = py::none(), py::kw_only(), py::arg("rows") = py::none(),
           py::arg("threads") = 0)
      .def("strongest", &strongest, py::arg("score"), py::kw_only(), py::arg("weighted") = false, py::arg("threads") = 0);
  module.def("edge_weights", &edge_weights, py::arg("sources"), py::arg("targets"), py::arg("what"), py::arg("when"),
             py::arg("where") = py::none(), py::kw_only(), py::arg("where_index") = py::none(), py::arg("shares"),
             py::arg("what_least"), py::arg("where_least"), py::arg("rate"), py::arg("window"), py::arg("threads") = 0);
}

}  // namespace scrubjay::bind
