#include <algorithm>
#include <limits>

#include "rank/plans.hpp"

namespace scrubjay::rank {
namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

class Stream final : public Plan {
 public:
  Stream(Batch& batch, bool distinct_contexts) : batch_(batch) {
    if (distinct_contexts) contexts();
  }
  std::int64_t block() const override { return batch_.count == 1 ? 512 : 128; }
  std::unique_ptr<Worker> worker(int part) override;

  // The similarities of query q to rows [begin, begin + rows) of `all`, added to or put into `sums`.
  void similarity(Matrix<const float> all, std::int64_t begin, std::int64_t rows, const float* query, bool accumulate,
                  float* sums, float* norms) const {
    const std::int64_t* pick = batch_.p.pick ? batch_.p.pick + begin : nullptr;
    const Matrix<const float> part{pick ? all.data : all.data + begin * all.stride, rows, all.cols, all.stride};
    batch_.menu.scan(part, pick, query, accumulate, sums, norms);
  }

  void places(std::int64_t q, const Block& block, Room& room, float* norms) const;

 private:
  // The few distinct contexts are scored once a query; the rows then look theirs up.
  void contexts() {
    const Problem& p = batch_.p;
    const std::int64_t many = p.where.rows;
    table_.resize(size(many * batch_.count + 1));
    norms_.resize(size(many + 1));
    std::atomic<std::int64_t> next{0};
    Batch::parallel(batch_.threads, [&](int) {
      for (std::int64_t at; (at = next.fetch_add(128)) < many;) {
        const Matrix<const float> part{p.where.data + at * p.where.stride, std::min<std::int64_t>(128, many - at), p.where.cols,
                                       p.where.stride};
        for (std::int64_t q = 0; q < batch_.count; ++q)
          batch_.menu.scan(part, nullptr, batch_.queries[size(q)].where.data(), false, &table_[size(q * many + at)],
                           q == 0 ? &norms_[size(at)] : nullptr);
      }
    });
  }

  Batch& batch_;
  std::vector<float> table_, norms_;
};

void Stream::places(std::int64_t q, const Block& block, Room& room, float* norms) const {
  const Problem& p = batch_.p;
  const float* query = batch_.queries[size(q)].where.data();
  float* sums = room.sums.data();
  if (!p.where_index) return similarity(p.where, block.begin, block.rows, query, true, sums, norms);
  const auto at = [&](std::int64_t i) { return p.where_index[p.row(block.begin + i)]; };
  if (!table_.empty()) {
    const float* table = table_.data() + q * p.where.rows;
    for (std::int64_t i = 0; i < block.rows; ++i) {
      sums[i] += at(i) < 0 ? 0.0f : table[at(i)];
      if (norms) norms[i] = at(i) < 0 ? 0.0f : norms_[size(at(i))];
    }
    return;
  }
  for (std::int64_t i = 0; i < block.rows; ++i) room.at[size(i)] = std::max(0, at(i));
  batch_.menu.scan({p.where.data, block.rows, p.where.cols, p.where.stride}, room.at.data(), query, false, room.aside.data(), norms);
  for (std::int64_t i = 0; i < block.rows; ++i) {
    if (at(i) >= 0)
      sums[i] += room.aside[size(i)];
    else if (norms)
      norms[i] = 0.0f;
  }
}

class Streamer final : public Worker {
 public:
  Streamer(Batch& batch, const Stream& plan, int part)
      : batch_(batch), plan_(plan), part_(part), room_(plan.block(), batch.p.pick != nullptr) {}

  void rows(std::int64_t begin, std::int64_t rows) override {
    Block block(batch_, room_, begin, rows);
    for (std::int64_t q = 0; q < batch_.count; ++q) {
      score(q, block);
      if (batch_.queries[size(q)].strange || strange_ > 0) batch_.outside(part_, q, block, room_);
      if (!batch_.queries[size(q)].strange) keep(q, block);
    }
  }

 private:
  void score(std::int64_t q, Block& block) {
    const Query& query = batch_.queries[size(q)];
    const double* w = batch_.weight(q);
    const bool first = q == 0;
    if (batch_.uses.what && (first || w[what] != 0.0))
      plan_.similarity(batch_.p.what, block.begin, block.rows, query.what.data(), false, room_.sums.data(), first ? room_.what.data() : nullptr);
    else
      std::fill(room_.sums.begin(), room_.sums.begin() + block.rows, 0.0f);
    if (batch_.uses.where && (first || w[where] != 0.0)) plan_.places(q, block, room_, first ? room_.where.data() : nullptr);
    float weights[factors];
    int many = block.many;
    for (int f = 0; f < many; ++f) weights[f] = query.weight[batch_.shared[size(f)]];
    if (batch_.fused()) {
      if (first || (w[when] != 0.0 && !batch_.one_now)) batch_.decay(q, block, room_);
      weights[many] = query.weight[when];
      block.columns[many++] = room_.utility.data();
    }
    if (batch_.uses.graph_each) {
      const float* row = batch_.p.graph.data + (batch_.from + q) * batch_.p.graph.stride;
      for (std::int64_t i = 0; i < block.rows; ++i) room_.column[graph][size(i)] = row[batch_.p.row(block.begin + i)];
      weights[many] = query.weight[graph];
      block.columns[many++] = room_.column[graph].data();
    }
    batch_.menu.blend(block.columns, weights, many, block.rows, room_.sums.data());
    if (!first && !batch_.uses.graph_each) return;
    block.reach.count = many;
    strange_ = batch_.menu.reach(block.reach, block.rows, room_.reach.data());
    batch_.bury(block, room_);
  }

  void keep(std::int64_t q, const Block& block) {
    const float error = batch_.queries[size(q)].error;
    const std::int64_t found = batch_.menu.sift(block.rows, room_.sums.data(), room_.reach.data(), error,
                                                down(batch_.floor(part_, q)), room_.hits.data());
    for (std::int64_t i = 0; i < found; ++i) {
      const std::size_t at = size(room_.hits[size(i)]);
      const double middle = room_.sums[at], wide = static_cast<double>(error) * static_cast<double>(room_.reach[at]);
      batch_.offer(part_, q, middle - wide, middle + wide, batch_.p.row(block.begin + room_.hits[size(i)]));
    }
    batch_.share_floor(part_, q);
  }

  Batch& batch_;
  const Stream& plan_;
  const int part_;
  Room room_;
  std::int64_t strange_ = 0;
};

std::unique_ptr<Worker> Stream::worker(int part) { return std::make_unique<Streamer>(batch_, *this, part); }

}  // namespace

std::unique_ptr<Plan> stream(Batch& batch, bool distinct_contexts) { return std::make_unique<Stream>(batch, distinct_contexts); }

}  // namespace scrubjay::rank
