#include "rank/batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scrubjay::rank {
namespace {

constexpr double unit = 0x1p-24;  // float32: half a unit in the last place of 1
constexpr float lowest = -std::numeric_limits<float>::max();
constexpr float infinity = std::numeric_limits<float>::infinity();

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

double scale(std::vector<float>& out, Matrix<const float> rows, std::int64_t q, double weight) {
  out.resize(size(rows.cols));
  double squares = 0.0;
  for (std::int64_t j = 0; j < rows.cols; ++j) {
    const float x = static_cast<float>(weight * static_cast<double>(rows.data[q * rows.stride + j]));
    out[size(j)] = x;
    squares += static_cast<double>(x) * static_cast<double>(x);
  }
  return std::sqrt(squares);
}

Uses used(const Problem& p, std::int64_t from, std::int64_t to) {
  Uses u{};
  const auto any = [&](int f) {
    for (std::int64_t q = from; q < to; ++q)
      if (p.weight(q)[f] != 0.0) return true;
    return false;
  };
  u.what = any(what);
  u.where = p.where.data && p.context.data && any(where);
  u.utility = (p.utility || p.decays()) && any(when);
  u.graph = p.graph.data && any(graph);
  u.graph_each = u.graph && p.graph_per_query();
  u.hop = p.hopping() && any(graph);
  for (int f = usefulness; f < factors; ++f) u.column[f] = p.column[f] && any(f);
  return u;
}

Query scaled(const Problem& p, const Uses& uses, std::int64_t q) {
  Query s;
  const double* w = p.weight(q);
  if (uses.what) s.what_norm = scale(s.what, p.query, q, w[what]);
  if (uses.where) s.where_norm = scale(s.where, p.context, q, w[where]);
  s.size = s.what_norm + s.where_norm;
  for (int f = when; f < factors; ++f) {
    const bool used = f == when ? uses.utility : f == graph ? uses.graph : uses.column[f];
    if (!used) continue;
    s.weight[f] = static_cast<float>(w[f]);
    s.size += std::fabs(w[f]);
  }
  if (uses.hop) {  // its bound is that of the others, times what the edges weigh: see tile.cpp
    s.weight[graph] = static_cast<float>(w[graph]);
    s.strange = !(std::fabs(w[graph]) <= certain);
  }
  s.strange = s.strange || !(s.size <= certain);
  return s;
}

const float* slice(const Problem& p, const float* column, std::int64_t begin, std::int64_t rows, std::vector<float>& room) {
  if (!p.pick) return column + begin;
  for (std::int64_t i = 0; i < rows; ++i) room[size(i)] = column[p.pick[begin + i]];
  return room.data();
}

}  // namespace

float down(double x) {
  if (!(x > static_cast<double>(lowest))) return lowest;
  const float f = static_cast<float>(x);
  return static_cast<double>(f) > x ? std::nextafter(f, lowest) : f;
}

Room::Room(std::int64_t block, bool picks)
    : sums(size(block)), aside(size(block)), what(size(block)), where(size(block)), reach(size(block)),
      utility(size(block)), when(size(picks ? block : 0)), hits(size(block)), at(size(block)) {
  for (auto& one : column) one.resize(size(block));
  for (auto& one : decay) one.resize(size(picks ? block : 0));
}

Block::Block(const Batch& batch, Room& room, std::int64_t from, std::int64_t count) : begin(from), rows(count), many(0) {
  const Problem& p = batch.p;
  for (const int f : batch.shared) {
    const float* column = f == when ? p.utility : f == graph ? p.graph.data : p.column[f];
    columns[many++] = slice(p, column, begin, rows, room.column[f]);
  }
  reach.what = batch.uses.what ? room.what.data() : nullptr;
  reach.where = batch.uses.where ? room.where.data() : nullptr;
  reach.columns = columns;
  reach.count = many;
  if (!batch.fused()) return;
  reach.value = slice(p, p.value, begin, rows, room.decay[0]);
  reach.pi = slice(p, p.pi, begin, rows, room.decay[1]);
  reach.tau = slice(p, p.tau, begin, rows, room.decay[2]);
  reach.utility = room.utility.data();
  if (p.shape) reach.shape = slice(p, p.shape, begin, rows, room.column[when]);
  time = p.time + begin;
  if (!p.pick) return;
  for (std::int64_t i = 0; i < rows; ++i) room.when[size(i)] = p.time[p.pick[begin + i]];
  time = room.when.data();
}

Batch::Batch(const Problem& problem, std::int64_t best, std::int64_t first, std::int64_t last, int workers)
    : p(problem), k(best), from(first), count(last - first), threads(workers), menu(dispatch::active()),
      uses(used(problem, first, last)), floors_(size(count)) {
  for (std::int64_t q = from; q < last; ++q) {
    queries.push_back(scaled(p, uses, q));
    one_now = one_now && (!p.now || p.now[q] == p.now[from]);
  }
  if (uses.utility && p.utility) shared.push_back(when);
  if (uses.graph && !uses.graph_each) shared.push_back(graph);
  for (int f = usefulness; f < factors; ++f)
    if (uses.column[f]) shared.push_back(f);
  for (auto& floor : floors_) floor.store(-std::numeric_limits<double>::infinity());
  keepers_.assign(size(threads), std::vector<Keeper>(size(count), Keeper(k)));
}

// The error of the approximate score of a row of reach R is at most (depth + 16) u M R + off R, where M, the query's size,
// bounds the sum of all |terms| / R, depth is the longest chain of roundings of both similarities, 16 more cover one a factor,
// the rounding of the scaled query, of the weights and of the bound itself, and another 16 u |w_when| R the utility's own
// error. 2^-48 (M + 1) R covers underflow: at most 2^18 operands or results of 2^-126 each, and R >= 2^-60.
float Batch::error(std::int64_t q, double depth, double off) const {
  const double most = queries[size(q)].size, rounding = (depth + 16.0) * most + 16.0 * std::fabs(weight(q)[when]);
  return static_cast<float>(1.01 * (unit * rounding + off) + 0x1p-48 * (most + 1.0));
}

double Batch::floor(int part, std::int64_t q) {
  Keeper& keeper = keepers_[size(part)][size(q)];
  keeper.raise_floor(floors_[size(q)].load(std::memory_order_relaxed));
  return keeper.floor();
}

void Batch::share_floor(int part, std::int64_t q) {
  const double floor = keepers_[size(part)][size(q)].floor();
  double before = floors_[size(q)].load(std::memory_order_relaxed);
  while (floor > before && !floors_[size(q)].compare_exchange_weak(before, floor)) {
  }
}

void Batch::outside(int part, std::int64_t q, const Block& block, const Room& room) {
  const bool all = queries[size(q)].strange;
  for (std::int64_t i = 0; i < block.rows; ++i) {
    const std::int64_t row = p.row(block.begin + i);
    if ((!all && room.reach[size(i)] > 0.0f) || !p.alive(row)) continue;
    const double score = exact(q)(row);
    if (!std::isnan(score)) offer(part, q, score, 0.0, row);
  }
}

void Batch::bury(const Block& block, Room& room) const {
  if (!p.live.bits) return;
  for (std::int64_t i = 0; i < block.rows; ++i)
    if (!p.alive(p.row(block.begin + i))) room.reach[size(i)] = -infinity;
}

void Batch::decay(std::int64_t q, const Block& block, Room& room) const {
  const double now = p.now[from + q];
  const Reach& in = block.reach;
  if (!in.shape) return menu.utility({in.value, block.rows}, in.pi, in.tau, block.time, now, room.utility.data());
  menu.utility_shaped({in.value, block.rows}, in.pi, in.tau, block.time, in.shape, now, room.utility.data());
}

void Batch::blend(std::int64_t q, Block& block, Room& room, float* sums) const {
  const Query& query = queries[size(q)];
  float weights[factors];
  int many = block.many;
  for (int f = 0; f < many; ++f) weights[f] = query.weight[shared[size(f)]];
  if (fused()) {
    if (q == 0 || (query.weight[when] != 0.0f && !one_now)) decay(q, block, room);
    weights[many] = query.weight[when];
    block.columns[many++] = room.utility.data();
  }
  if (uses.graph_each) {
    const float* row = p.graph.data + (from + q) * p.graph.stride;
    for (std::int64_t i = 0; i < block.rows; ++i) room.column[graph][size(i)] = row[p.row(block.begin + i)];
    weights[many] = query.weight[graph];
    block.columns[many++] = room.column[graph].data();
  }
  block.reach.count = many;
  menu.blend(block.columns, weights, many, block.rows, sums);
}

void Batch::finish(std::int64_t* rows, double* scores, std::int64_t* counts) {
  std::atomic<std::int64_t> next{0};
  parallel(count > 1 ? threads : 1, [&](int) {
    for (std::int64_t q; (q = next.fetch_add(1)) < count;) {
      Keeper all(k);
      for (auto& part : keepers_) {
        Keeper& one = part[size(q)];
        all.raise_floor(one.floor());
        all.held().insert(all.held().end(), one.held().begin(), one.held().end());
        one.held() = {};
      }
      all.prune();
      all.narrow(exact(q));
      const std::vector<Hit> hits = best(all.held(), k, exact(q));
      const std::int64_t at = (from + q) * k;
      for (std::int64_t i = 0; i < k; ++i) {
        const bool there = i < static_cast<std::int64_t>(hits.size());
        rows[at + i] = there ? hits[size(i)].row : -1;
        scores[at + i] = there ? hits[size(i)].score : -std::numeric_limits<double>::infinity();
      }
      counts[from + q] = static_cast<std::int64_t>(hits.size());
    }
  });
}

}  // namespace scrubjay::rank
