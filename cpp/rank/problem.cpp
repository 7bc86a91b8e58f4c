#include "rank/problem.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "dispatch.hpp"

namespace scrubjay::rank {
namespace {

double utility(const Problem& p, std::int64_t q, std::int64_t row) {
  if (p.utility) return p.utility[row];
  const double age = p.now[q] - p.time[row];
  double x = static_cast<double>(p.pi[row]) * (age > 0.0 || std::isnan(age) ? age : 0.0) / static_cast<double>(p.tau[row]);
  if (p.shape) x = std::pow(x, static_cast<double>(p.shape[row]));
  return static_cast<double>(p.value[row]) * std::exp(-x);
}

double dot(const Rows& rows, std::int64_t at, Matrix<const float> queries, std::int64_t q) {
  const Kernels& menu = dispatch::active();
  const float* query = queries.data + q * queries.stride;
  const char* row = rows.row(at);
  switch (rows.store) {
    case Store::f32: return menu.dot64(reinterpret_cast<const float*>(row), query, rows.cols);
    case Store::bf16: return menu.dot64_bf16(reinterpret_cast<const std::uint16_t*>(row), query, rows.cols);
    case Store::u8: break;
  }
  return static_cast<double>(rows.scale[at]) * menu.dot64_u8(reinterpret_cast<const std::uint8_t*>(row), query, rows.cols);
}

double similarity(const Problem& p, std::int64_t q, std::int64_t row) {
  const std::int64_t at = p.where_index ? p.where_index[row] : row;
  return at < 0 ? 0.0 : dot(p.where, at, p.context, q);
}

}  // namespace

void without_graph(const Problem& p, std::int64_t q, std::int64_t row, double* terms) {
  const double* w = p.weight(q);
  if (p.touched) std::atomic_ref<std::uint8_t>(p.touched[row]).store(1, std::memory_order_relaxed);
  for (int f = 0; f < factors; ++f) terms[f] = 0.0;
  if (w[what] != 0.0) terms[what] = w[what] * dot(p.what, row, p.query, q);
  if (w[where] != 0.0 && p.where.data && p.context.data) terms[where] = w[where] * similarity(p, q, row);
  if (w[when] != 0.0 && (p.utility || p.decays())) terms[when] = w[when] * utility(p, q, row);
  for (int f = usefulness; f < factors; ++f)
    if (w[f] != 0.0 && p.column[f]) terms[f] = w[f] * static_cast<double>(p.column[f][row]);
}

namespace {

double hop(const Problem& p, std::int64_t q, std::int64_t row) {
  constexpr std::int64_t ahead = 2;
  double sum = 0.0, terms[factors];
  const std::int64_t end = p.hops.offsets[row + 1];
  for (std::int64_t k = p.hops.offsets[row]; k < end; ++k) {
    if (k + ahead < end) prefetch(p, p.hops.targets[k + ahead]);
    const std::int64_t other = p.hops.targets[k];
    if (!p.alive(other) || p.hops.weights[k] == 0.0f) continue;
    without_graph(p, q, other, terms);
    sum += static_cast<double>(p.hops.weights[k]) * static_cast<double>(p.utility[other]) * total(terms);
  }
  return sum;
}

}  // namespace

void contributions(const Problem& p, std::int64_t q, std::int64_t row, double* terms) {
  without_graph(p, q, row, terms);
  const double weight = p.weight(q)[graph];
  if (weight == 0.0) return;
  if (p.hopping()) terms[graph] = weight * hop(p, q, row);
  else if (p.graph.data) terms[graph] = weight * static_cast<double>(p.graph.data[q * p.graph.stride + row]);
}

void prefetch(const Problem& p, std::int64_t row) {
  const auto fetch = [](const Rows& rows, std::int64_t at) {
    if (!rows.data || at < 0) return;
    const char* const bytes = rows.row(at);
    for (std::int64_t i = 0; i < std::min<std::int64_t>(rows.cols * rows.width(), 4096); i += 64) __builtin_prefetch(bytes + i);
  };
  fetch(p.what, row);
  fetch(p.where, p.where_index ? p.where_index[row] : row);
}

double total(const double* t) { return ((t[0] + t[1]) + (t[2] + t[3])) + ((t[4] + t[5]) + (t[6] + t[7])); }

}  // namespace scrubjay::rank
