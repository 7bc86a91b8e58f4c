#include <algorithm>
#include <cmath>
#include <limits>

#include "rank/panels.hpp"
#include "rank/plans.hpp"

namespace scrubjay::rank {
namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

class Tile final : public Plan {
 public:
  Tile(Batch& batch, bool distinct_contexts, bool by_codes)
      : batch(batch), panels((batch.count + 15) / 16), stride(panels * 16), lookup(distinct_contexts && batch.uses.where),
        what_side(batch, batch.uses.what ? batch.p.what : Rows{}, by_codes ? batch.p.what_codes : Codes{}, &Query::what),
        where_side(batch, batch.uses.where ? batch.p.where : Rows{}, by_codes && !lookup ? batch.p.where_codes : Codes{}, &Query::where) {
    errors.resize(size(stride));
    for (std::int64_t q = 0; q < batch.count; ++q) {
      errors[size(q)] = batch.error(q, what_side.depth() + where_side.depth(), what_side.off(q) + where_side.off(q));
      strange = strange || batch.queries[size(q)].strange;
    }
    std::vector<int> order = batch.shared;
    if (batch.fused() && batch.one_now) order.push_back(when);
    weights.resize(order.size() * size(stride) + 1);
    for (std::size_t f = 0; f < order.size(); ++f)
      for (std::int64_t q = 0; q < batch.count; ++q)
        weights[f * size(stride) + size(q)] = batch.queries[size(q)].weight[order[f]];
    if (lookup) contexts();
  }

  std::int64_t block() const override { return 96; }
  std::unique_ptr<Worker> worker(int part) override;

  Batch& batch;
  const std::int64_t panels, stride;
  const bool lookup;  // places are looked up by context
  const Panels what_side, where_side;
  bool strange = false;
  std::vector<float> weights, errors, table, table_squares;

 private:
  // The similarities of the few distinct contexts.
  void contexts() {
    const std::int64_t many = batch.p.where.rows;
    table.assign(size(many * stride), 0.0f);
    table_squares.resize(size(many + 1));
    std::atomic<std::int64_t> next{0};
    Batch::parallel(batch.threads, [&](int) {
      Panels::Part part;
      for (std::int64_t at; (at = next.fetch_add(block())) < many;) {
        const std::int64_t rows = std::min(block(), many - at);
        where_side.prepare(part, nullptr, at, rows);
        for (std::int64_t i = 0; i < rows; i += batch.menu.tile_rows)
          where_side.multiply(part, nullptr, at, i, std::min(batch.menu.tile_rows, rows - i), &table[size((at + i) * stride)]);
        std::copy_n(part.squares.data(), rows, &table_squares[size(at)]);
      }
    });
  }
};

class Tiler final : public Worker {
 public:
  Tiler(const Tile& plan, int part)
      : plan_(plan), batch_(plan.batch), part_(part), room_(plan.block(), batch_.p.pick != nullptr),
        acc_(size(plan.block() * plan.stride + 16)), hits_(size(plan.block() * plan.stride)), floors_(size(plan.stride)) {}

  void rows(std::int64_t begin, std::int64_t rows) override {
    Block block(batch_, room_, begin, rows);
    factors_of(block);
    similarities(block);
    const std::int64_t strange = batch_.menu.reach(block.reach, rows, room_.reach.data());
    batch_.bury(block, room_);
    if (strange > 0 || plan_.strange)
      for (std::int64_t q = 0; q < batch_.count; ++q)
        if (strange > 0 || batch_.queries[size(q)].strange) batch_.outside(part_, q, block, room_);
    keep(block);
  }

 private:
  float* line(std::int64_t row) { return acc_.data() + row * plan_.stride; }

  // acc = the sum of all factors that are no similarities.
  void factors_of(Block& block) {
    if (batch_.fused()) batch_.decay(0, block, room_);
    if (batch_.fused() && batch_.one_now) block.columns[block.many++] = room_.utility.data();
    batch_.menu.blend_tile(block.columns, plan_.weights.data(), block.many, block.rows, plan_.panels, acc_.data(), plan_.stride);
    if (batch_.fused() && !batch_.one_now) {
      for (std::int64_t q = 0; q < batch_.count; ++q) {
        if (q > 0) batch_.decay(q, block, room_);
        const float weight = batch_.queries[size(q)].weight[when];
        for (std::int64_t i = 0; i < block.rows; ++i) line(i)[q] += weight * room_.utility[size(i)];
      }
      block.columns[block.many++] = room_.utility.data();
    }
    if (batch_.uses.graph_each) graphs(block);
    block.reach.count = block.many;
  }

  // A graph value for each query and row; the largest of a row goes into its reach, NaN if one is.
  void graphs(Block& block) {
    const Problem& p = batch_.p;
    float* const most = room_.column[graph].data();
    std::fill(most, most + block.rows, 0.0f);
    for (std::int64_t q = 0; q < batch_.count; ++q) {
      const float* row = p.graph.data + (batch_.from + q) * p.graph.stride;
      const float weight = batch_.queries[size(q)].weight[graph];
      for (std::int64_t i = 0; i < block.rows; ++i) {
        const float x = row[p.row(block.begin + i)];
        line(i)[q] += weight * x;
        if (!(std::fabs(x) <= most[i]) && !std::isnan(most[i])) most[i] = std::fabs(x);
      }
    }
    block.columns[block.many++] = most;
  }

  // acc += both similarities; a few rows at a time, so that they and their sums stay in the first-level cache.
  void similarities(Block& block) {
    const Problem& p = batch_.p;
    const bool places = batch_.uses.where && !plan_.lookup;
    const std::int64_t* const picked = p.pick ? p.pick + block.begin : nullptr;
    const std::int64_t* where_at = picked;
    if (p.where_index && batch_.uses.where) {
      for (std::int64_t i = 0; i < block.rows; ++i) room_.at[size(i)] = p.where_index[p.row(block.begin + i)];
      where_at = room_.at.data();
    }
    if (batch_.uses.what) plan_.what_side.prepare(what_, picked, block.begin, block.rows);
    if (places) plan_.where_side.prepare(where_, where_at, block.begin, block.rows);
    for (std::int64_t i = 0; i < block.rows; i += batch_.menu.tile_rows) {
      const std::int64_t some = std::min(batch_.menu.tile_rows, block.rows - i);
      if (batch_.uses.what) plan_.what_side.multiply(what_, picked, block.begin, i, some, line(i));
      if (places) plan_.where_side.multiply(where_, where_at, block.begin, i, some, line(i));
    }
    if (plan_.lookup) look_up(block);
    if (batch_.uses.what) block.reach.what = what_.squares.data();
    if (batch_.uses.where) block.reach.where = places ? where_.squares.data() : room_.where.data();
  }

  void look_up(const Block& block) {
    for (std::int64_t i = 0; i < block.rows; ++i) {
      const std::int64_t at = room_.at[size(i)];
      room_.where[size(i)] = at < 0 ? 0.0f : plan_.table_squares[size(at)];
      if (at < 0) continue;
      const float* found = &plan_.table[size(at * plan_.stride)];
      float* const sums = line(i);
      for (std::int64_t q = 0; q < plan_.stride; ++q) sums[q] += found[q];
    }
  }

  void keep(const Block& block) {
    std::fill(floors_.begin(), floors_.end(), std::numeric_limits<float>::infinity());
    for (std::int64_t q = 0; q < batch_.count; ++q)
      if (!batch_.queries[size(q)].strange) floors_[size(q)] = down(batch_.floor(part_, q));
    const Slack what = plan_.what_side.slack(what_), where = plan_.where_side.slack(where_);
    const std::int64_t found = batch_.menu.sift_tile(block.rows, plan_.panels, acc_.data(), plan_.stride, room_.reach.data(),
                                                     plan_.errors.data(), what, where, floors_.data(), hits_.data());
    for (std::int64_t i = 0; i < found; ++i) {
      const std::int64_t row = hits_[size(i)] / plan_.stride, q = hits_[size(i)] % plan_.stride;
      if (batch_.queries[size(q)].strange) continue;
      double off = static_cast<double>(plan_.errors[size(q)]) * static_cast<double>(room_.reach[size(row)]);
      for (const Slack& slack : {what, where})
        if (slack.row) off += static_cast<double>(slack.query[q]) * static_cast<double>(slack.row[row]);
      batch_.offer(part_, q, line(row)[q], off, batch_.p.row(block.begin + row));
    }
    if (found > 0)
      for (std::int64_t q = 0; q < batch_.count; ++q) batch_.share_floor(part_, q);
  }

  const Tile& plan_;
  Batch& batch_;
  const int part_;
  Room room_;
  Panels::Part what_, where_;
  std::vector<float> acc_;
  std::vector<std::int32_t> hits_;
  std::vector<float> floors_;
};

std::unique_ptr<Worker> Tile::worker(int part) { return std::make_unique<Tiler>(*this, part); }

}  // namespace

std::unique_ptr<Plan> tile(Batch& batch, bool distinct_contexts, bool by_codes) {
  return std::make_unique<Tile>(batch, distinct_contexts, by_codes);
}

}  // namespace scrubjay::rank
