// Rank: exact top-k by the linear score over eight factors, and the terms of that score.
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "bind/buffers.hpp"
#include "bind/families.hpp"
#include "bind/graph.hpp"
#include "bind/threads.hpp"
#include "bind/unlocked.hpp"
#include "bind/vectors.hpp"
#include "rank/search.hpp"

namespace scrubjay::bind {
namespace {

template <class T>
struct Maybe {
  Array<T> array;
  bool given = false;
  const T* data() const { return given ? array.data() : nullptr; }
};

template <class T>
Maybe<T> maybe(py::handle in, const char* argument, int rank) {
  if (in.is_none()) return {};
  return {take<T>(in, argument, rank), true};
}

template <class T>
void finite(Matrix<const T> values, const char* argument) {
  for (std::int64_t i = 0; i < values.rows; ++i)
    for (std::int64_t j = 0; j < values.cols; ++j)
      if (const T x = values.data[i * values.stride + j]; !std::isfinite(x))
        bad_value(std::string(argument) + " must be finite, got " + std::to_string(x) + " in row " + std::to_string(i));
}

// Owns what a Problem borrows.
struct Given {
  Array<float> queries;
  Vectors what, where;
  Array<double> weights;
  Maybe<float> contexts, value, pi, tau, shape, utility, graph;
  Maybe<std::int32_t> where_index;
  Maybe<double> when, now;
  Maybe<float> column[rank::factors];
  Array<std::uint8_t> bits;
  Bits live{};
  Maybe<std::int64_t> rows, parts;
  std::optional<Inout<std::uint8_t>> touched;
  rank::Problem problem;
};

Maybe<float> column(py::handle in, const char* argument, std::int64_t rows) {
  auto found = maybe<float>(in, argument, 1);
  if (found.given) same_size(found.array.size(), rows, argument, "what");
  return found;
}

void take_index(Given& g, py::handle where_index) {
  rank::Problem& p = g.problem;
  g.where_index = maybe<std::int32_t>(where_index, "where_index", 1);
  if (!g.where_index.given) return;
  same_size(g.where_index.array.size(), p.rows, "where_index", "what");
  std::int32_t low = 0, high = -1;
  for (std::int64_t i = 0; i < p.rows; ++i) {
    low = std::min(low, g.where_index.data()[i]);
    high = std::max(high, g.where_index.data()[i]);
  }
  if (low < -1 || high >= g.where.rows.rows)
    bad_value("where_index must be from -1 to " + std::to_string(g.where.rows.rows - 1) + ", got " +
              std::to_string(low < -1 ? low : high));
  p.where_index = g.where_index.data();
}

void take_places(Given& g, py::handle contexts, py::handle where, py::handle where_index, py::handle codes) {
  rank::Problem& p = g.problem;
  g.contexts = maybe<float>(contexts, "contexts", 2);
  if (g.contexts.given) {
    same_size(g.contexts.array.extent(0), p.queries, "contexts", "queries");
    finite(g.contexts.array.matrix(), "contexts");
    p.context = g.contexts.array.matrix();
  }
  if (where.is_none() && !where_index.is_none()) bad_value("where_index needs where: the context vectors that it points at");
  // Without contexts no place is looked at.
  if (where.is_none() || !g.contexts.given) return;
  take_vectors(g.where, where, "where", g.contexts.array.extent(1), "contexts");
  take_codes(g.where, codes, "where_codes");
  take_index(g, where_index);
  if (!p.where_index) same_size(g.where.rows.rows, p.rows, "where", "what");
  p.where = g.where.rows;
  p.where_codes = g.where.codes;
}

void take_decay(Given& g, py::handle value, py::handle pi, py::handle tau, py::handle when, py::handle shape, py::handle now,
                py::handle utility) {
  rank::Problem& p = g.problem;
  g.value = column(value, "value", p.rows);
  g.pi = column(pi, "pi", p.rows);
  g.tau = column(tau, "tau", p.rows);
  g.shape = column(shape, "shape", p.rows);
  g.utility = column(utility, "utility", p.rows);
  g.when = maybe<double>(when, "when", 1);
  if (g.when.given) same_size(g.when.array.size(), p.rows, "when", "what");
  g.now = maybe<double>(now, "now", 1);
  const int given = g.value.given + g.pi.given + g.tau.given + g.when.given;
  if (given != 0 && given != 4) bad_value("value, pi, tau and when belong together: give all four or none");
  if (given == 0 && g.shape.given) bad_value("shape needs value, pi, tau and when");
  if (given == 4 && g.utility.given) bad_value("utility replaces value, pi, tau and when: give one or the other");
  if (given == 4 && !g.now.given) bad_value("now is needed with value, pi, tau and when: one time a query, in seconds");
  if (g.now.given) {
    same_size(g.now.array.size(), p.queries, "now", "queries");
    finite(Matrix<const double>{g.now.data(), p.queries, 1, 1}, "now");
  }
  p.value = g.value.data();
  p.pi = g.pi.data();
  p.tau = g.tau.data();
  p.shape = g.shape.data();
  p.utility = g.utility.data();
  p.time = g.when.data();
  p.now = g.now.data();
}

void take_live(Given& g, py::handle live) {
  rank::Problem& p = g.problem;
  if (live.is_none()) return;
  if (py::isinstance<py::array_t<std::uint8_t>>(live)) {
    g.bits = take<std::uint8_t>(live, "live", 1);
    if (g.bits.size() != (p.rows + 7) / 8)
      bad_value("live as uint8 holds a bit a row, least significant first: " + std::to_string((p.rows + 7) / 8) +
                " bytes for " + std::to_string(p.rows) + " rows, got " + std::to_string(g.bits.size()));
    p.live = {g.bits.data(), 0};
  } else {
    g.live = take_bits(live, "live", p.rows);
    p.live = g.live.map();
  }
}

// Of one query, or of all: ascending from `begin` to `end`.
void ascending(const std::int64_t* row, std::int64_t begin, std::int64_t end, std::int64_t rows) {
  for (std::int64_t i = begin; i < end; ++i)
    if (row[i] < (i > begin ? row[i - 1] + 1 : 0) || row[i] >= rows)
      bad_value("rows must be ascending row numbers below " + std::to_string(rows) + ", got " + std::to_string(row[i]) +
                " at position " + std::to_string(i));
}

void take_rows(Given& g, py::handle rows, py::handle parts) {
  rank::Problem& p = g.problem;
  g.rows = maybe<std::int64_t>(rows, "rows", 1);
  g.parts = maybe<std::int64_t>(parts, "parts", 1);
  if (!g.rows.given) {
    if (g.parts.given) bad_value("parts needs rows: it tells where those of each query begin");
    return;
  }
  const std::int64_t* row = g.rows.data();
  const std::int64_t count = g.rows.array.size();
  if (g.parts.given) {
    same_size(g.parts.array.size(), p.queries + 1, "parts", "queries and one more");
    const std::int64_t* part = g.parts.data();
    for (std::int64_t q = 0; q <= p.queries; ++q)
      if (part[q] < (q ? part[q - 1] : 0) || part[q] > (q ? count : 0) || (q == p.queries && part[q] != count))
        bad_value("parts must rise from 0 to " + std::to_string(count) + ", the number of rows, got " + std::to_string(part[q]) +
                  " at position " + std::to_string(q));
    for (std::int64_t q = 0; q < p.queries; ++q) ascending(row, part[q], part[q + 1], p.rows);
  } else {
    ascending(row, 0, count, p.rows);
  }
  static const std::int64_t none = 0;
  p.pick = count ? row : &none;
  p.picked = count;
}

std::int64_t take_k(py::handle given) {
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(given.ptr()));
  if (!index || py::isinstance<py::bool_>(given)) {
    PyErr_Clear();
    bad_type("k must be a whole number, got " + std::string(py::str(py::type::of(given).attr("__name__"))));
  }
  int overflow = 0;
  const long long k = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow < 0 || (overflow == 0 && k < 1)) bad_value("k must be at least 1, got " + std::string(py::str(index)));
  return overflow > 0 ? INT64_MAX : static_cast<std::int64_t>(k);
}

Given given(py::handle queries, py::handle what, py::handle weights, const py::kwargs& more) {
  static const char* const known[] = {"contexts", "where", "where_index", "value", "pi", "tau", "when", "shape", "now", "utility", "graph",
                                "usefulness", "retrievability", "importance", "exploration", "live", "rows", "parts", "what_codes", "where_codes", "touched"};
  for (const auto& [name, value] : more) {
    bool fits = false;
    for (const char* one : known) fits = fits || std::string(py::str(name)) == one;
    if (!fits) bad_type("unknown keyword " + std::string(py::str(name)));
  }
  const auto get = [&](const char* name) -> py::object {
    return more.contains(name) ? py::reinterpret_borrow<py::object>(more[name]) : py::none();
  };
  Given g;
  g.queries = take<float>(queries, "queries", 2);
  g.weights = take<double>(weights, "weights", 2);
  rank::Problem& p = g.problem;
  p.queries = g.queries.extent(0);
  take_vectors(g.what, what, "what", g.queries.extent(1), "queries");
  take_codes(g.what, get("what_codes"), "what_codes");
  p.rows = g.what.rows.rows;
  finite(g.queries.matrix(), "queries");
  same_size(g.weights.extent(0), p.queries, "weights", "queries");
  if (g.weights.extent(1) != rank::factors)
    bad_value("weights must have 8 columns (what, where, when, graph, usefulness, retrievability, importance, exploration), got " +
              std::to_string(g.weights.extent(1)));
  finite(g.weights.matrix(), "weights");
  p.what = g.what.rows;
  p.what_codes = g.what.codes;
  p.query = g.queries.matrix();
  p.weights = g.weights.matrix();
  take_places(g, get("contexts"), get("where"), get("where_index"), get("where_codes"));
  take_decay(g, get("value"), get("pi"), get("tau"), get("when"), get("shape"), get("now"), get("utility"));
  if (const auto graph = get("graph"); py::isinstance<Graph>(graph)) {
    p.hops = graph.cast<const Graph&>().csr();
    if (p.hops.nodes != p.rows)
      bad_value("graph has " + std::to_string(p.hops.nodes) + " nodes but what has " + std::to_string(p.rows) + " rows");
    if (!p.utility) bad_value("graph as a Graph needs utility: how much of each row's score reaches its neighbours");
    if (!get("rows").is_none()) bad_value("rows cannot go with graph as a Graph: give what graph.hop() returns instead");
  } else if (!graph.is_none()) {
    const bool each = py::hasattr(graph, "ndim") && py::object(graph.attr("ndim")).equal(py::int_(2));
    g.graph = maybe<float>(graph, "graph", each ? 2 : 1);
    same_size(g.graph.array.extent(each), p.rows, "graph", "what");
    if (each) same_size(g.graph.array.extent(0), p.queries, "graph", "queries");
    p.graph = each ? g.graph.array.matrix() : Matrix<const float>{g.graph.data(), p.queries, p.rows, 0};
  }
  const char* const names[] = {"usefulness", "retrievability", "importance", "exploration"};
  for (int f = rank::usefulness; f < rank::factors; ++f) {
    g.column[f] = column(get(names[f - rank::usefulness]), names[f - rank::usefulness], p.rows);
    p.column[f] = g.column[f].data();
  }
  take_live(g, get("live"));
  take_rows(g, get("rows"), get("parts"));
  if (const auto touched = get("touched"); !touched.is_none()) {
    g.touched = take_inout<std::uint8_t>(touched, "touched", 1);
    same_size(g.touched->size(), p.rows, "touched", "what");
    p.touched = g.touched->data();
  }
  return g;
}

// The problem of one query alone, over its own part of the rows.
rank::Problem alone(const Given& g, std::int64_t q) {
  rank::Problem p = g.problem;
  p.queries = 1;
  p.query.data += q * p.query.stride;
  p.weights.data += q * p.weights.stride;
  if (p.context.data) p.context.data += q * p.context.stride;
  if (p.now) p.now += q;
  if (p.graph.data) p.graph.data += q * p.graph.stride;
  p.pick += g.parts.data()[q];
  p.picked = g.parts.data()[q + 1] - g.parts.data()[q];
  return p;
}

// Each query over its own rows; queries are shared among the threads.
std::string search_parts(const Given& g, std::int64_t k, int threads, std::int64_t* rows, double* scores, std::int64_t* counts) {
  const rank::Problem& all = g.problem;
  const std::int64_t bytes = all.picked * (all.what.cols + all.where.cols) * 4;
  in_pieces(all.queries, bytes, threads, [&](std::int64_t q) {
    const rank::Problem p = alone(g, q);
    std::fill(rows + q * k, rows + (q + 1) * k, -1);
    std::fill(scores + q * k, scores + (q + 1) * k, -std::numeric_limits<double>::infinity());
    if (p.picked) rank::search(p, k, 1, rows + q * k, scores + q * k, counts + q);
  });
  return "parts";
}

py::object search(py::handle queries, py::handle what, py::handle weights, py::handle k_in, int threads_in, bool plan,
                  const py::kwargs& more) {
  const std::int64_t asked = take_k(k_in);
  const int threads = take_threads(threads_in);
  const Given g = given(queries, what, weights, more);
  std::int64_t most = g.problem.candidates();
  if (g.parts.given) {
    most = 0;
    for (std::int64_t q = 0; q < g.problem.queries; ++q) most = std::max(most, g.parts.data()[q + 1] - g.parts.data()[q]);
  }
  const std::int64_t k = std::min(asked, most);
  py::array_t<std::int64_t> rows({g.problem.queries, k}), counts(g.problem.queries);
  py::array_t<double> scores({g.problem.queries, k});
  std::string ran = "empty";
  std::fill(counts.mutable_data(), counts.mutable_data() + g.problem.queries, 0);
  if (k > 0 && g.problem.queries > 0) {
    std::int64_t* const row = rows.mutable_data();
    double* const score = scores.mutable_data();
    std::int64_t* const count = counts.mutable_data();
    const Unlocked unlocked;
    ran = g.parts.given ? search_parts(g, k, threads, row, score, count)
                        : rank::search(g.problem, k, threads, row, score, count);
  }
  if (plan) return py::make_tuple(rows, scores, counts, ran);
  return py::make_tuple(rows, scores, counts);
}

py::array_t<double> terms(py::handle queries, py::handle what, py::handle weights, py::handle hits_in, const py::kwargs& more) {
  const Given g = given(queries, what, weights, more);
  const auto hits = take<std::int64_t>(hits_in, "hits", 2);
  same_size(hits.extent(0), g.problem.queries, "hits", "queries");
  const std::int64_t many = hits.extent(1);
  for (std::int64_t i = 0; i < hits.size(); ++i)
    if (hits.data()[i] < -1 || hits.data()[i] >= g.problem.rows)
      bad_value("hits must be rows below " + std::to_string(g.problem.rows) + ", or -1 for none, got " +
                std::to_string(hits.data()[i]));
  py::array_t<double> out({g.problem.queries, many, static_cast<std::int64_t>(rank::factors)});
  double* result = out.mutable_data();
  const Unlocked unlocked;
  for (std::int64_t i = 0; i < hits.size(); ++i, result += rank::factors) {
    if (hits.data()[i] >= 0)
      rank::contributions(g.problem, i / many, hits.data()[i], result);
    else
      std::fill(result, result + rank::factors, 0.0);
  }
  return out;
}

}  // namespace

void add_rank(py::module_& module) {
  module.def("rank", &search, py::arg("queries"), py::arg("what"), py::arg("weights"), py::arg("k"), py::kw_only(),
             py::arg("threads") = 0, py::arg("plan") = false);
  module.def("contributions", &terms, py::arg("queries"), py::arg("what"), py::arg("weights"), py::arg("hits"), py::kw_only());
}

}  // namespace scrubjay::bind
