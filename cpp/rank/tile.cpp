#include <algorithm>
#include <cmath>
#include <limits>

#include "pages.hpp"
#include "rank/panels.hpp"
#include "rank/plans.hpp"

namespace scrubjay::rank {
namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

// What follows a line's scores, for a hop: how much its row's score counts to others, and what bounds the score's error.
enum Tail { counts, reaches, what_slack, where_slack, unknown, tail = 16 };
constexpr std::int64_t most_edges = std::int64_t{1} << 22;  // of a row whose rounding errors are bounded

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
    if (batch.uses.hop) surroundings();
  }

  std::int64_t block() const override { return 96; }
  std::unique_ptr<Worker> worker(int part) override;

  Batch& batch;
  const std::int64_t panels, stride;
  const bool lookup;  // places are looked up by context
  const Panels what_side, where_side;
  bool strange = false;
  std::vector<float> weights, errors, table, table_squares;
  Lines<float> lines;               // with a hop: the scores without it, a line and a tail a row
  std::vector<float> hop_weights;   // a query
  float hop_most = 0.0f;            // the largest of their magnitudes

  const float* line(std::int64_t row) const { return lines.data() + row * (stride + tail); }

 private:
  // Lays the scores of all rows out for a hop over them.
  void surroundings();

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
        acc_(size(plan.block() * plan.stride + 16)), tails_(size(plan.batch.uses.hop ? plan.block() * tail : 0)), hits_(size(plan.block() * plan.stride)), floors_(size(plan.stride)) {}

  void rows(std::int64_t begin, std::int64_t rows) override {
    Block block(batch_, room_, begin, rows);
    const std::int64_t strange = batch_.uses.hop ? hop(block) : sum(block);
    batch_.bury(block, room_);
    if (strange > 0 || plan_.strange)
      for (std::int64_t q = 0; q < batch_.count; ++q)
        if (strange > 0 || batch_.queries[size(q)].strange) batch_.outside(part_, q, block, room_);
    keep(block);
  }

  // The scores of rows without a hop, as lines with tails.
  void lay(std::int64_t begin, std::int64_t rows, float* lines) {
    Block block(batch_, room_, begin, rows);
    sum(block);
    slacks();
    for (std::int64_t i = 0; i < rows; ++i, lines += plan_.stride + tail) {
      const bool alive = batch_.p.alive(begin + i);
      std::fill_n(lines + plan_.stride, std::int64_t{tail}, 0.0f);
      if (!alive || !(room_.reach[size(i)] > 0.0f)) {
        std::fill_n(lines, plan_.stride, 0.0f);
        if (alive) lines[plan_.stride + unknown] = lines[plan_.stride + counts] = 1.0f;
        continue;
      }
      std::copy_n(line(i), plan_.stride, lines);
      lines[plan_.stride + counts] = batch_.p.utility[begin + i];
      lines[plan_.stride + reaches] = room_.reach[size(i)];
      lines[plan_.stride + what_slack] = what_row_ ? what_row_[i] : 0.0f;
      lines[plan_.stride + where_slack] = where_row_ ? where_row_[i] : 0.0f;
    }
  }

 private:
  // acc = the score without a hop, room.reach; how many rows have no bound.
  std::int64_t sum(Block& block) {
    factors_of(block);
    similarities(block);
    return batch_.menu.reach(block.reach, block.rows, room_.reach.data());
  }

  void slacks() {
    what_row_ = plan_.what_side.slack(what_).row;
    where_row_ = plan_.where_side.slack(where_).row;
  }

  // acc = the score with a hop. With S0_j known within E_j, |S0_j| <= size reach_j, the error of
  //
  //   S0_i + w sum_j e_ij u_j S0_j
  //
  // is at most E_i + |w| sum_j |e_ij u_j| E_j, and (degree + 8) 2^-24 size |w| sum_j |e_ij u_j| reach_j for the roundings of the
  // hop, of w and of the sum. E is linear in a row's reach and slacks, so those are summed like scores (in the tails), and
  // the sums take the row's own place. error() covers 16 2^-24 size reach already.
  std::int64_t hop(Block& block) {
    const std::int64_t begin = block.begin, rows = block.rows;
    batch_.menu.hop_lines(batch_.p.hops, begin, begin + rows, plan_.lines.data(), plan_.panels, plan_.hop_weights.data(),
                          acc_.data(), tails_.data());
    std::int64_t strange = 0;
    const double most = plan_.hop_most;
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t degree = batch_.p.hops.offsets[begin + i + 1] - batch_.p.hops.offsets[begin + i];
      const float *own = plan_.line(begin + i) + plan_.stride, *around = &tails_[size(i * tail)];
      const double up = 1.0 + 0x1p-23 * static_cast<double>(degree + 16), spread = up * (1.0 + static_cast<double>(degree + 9) / 16.0);
      const double reach = 1.25 * own[reaches] + most * spread * around[reaches];
      const double what = up * (own[what_slack] + most * around[what_slack]), where = up * (own[where_slack] + most * around[where_slack]);
      const bool known = own[unknown] == 0.0f && around[unknown] == 0.0f && degree <= most_edges && reach <= certain &&
                         what <= certain && where <= certain;
      strange += !known;
      room_.reach[size(i)] = known ? static_cast<float>(reach * (1.0 + 0x1p-20)) : -std::numeric_limits<float>::infinity();
      slack_[0][size(i)] = known ? static_cast<float>(what * (1.0 + 0x1p-20)) : 0.0f;
      slack_[1][size(i)] = known ? static_cast<float>(where * (1.0 + 0x1p-20)) : 0.0f;
    }
    what_row_ = plan_.what_side.by_codes() ? slack_[0].data() : nullptr;
    where_row_ = plan_.where_side.by_codes() ? slack_[1].data() : nullptr;
    return strange;
  }

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

  // Of a score with a hop that is known within `off`: what is left once the row's own part is known.
  Rest rest(std::int64_t row, std::int64_t q, float score, double off) const {
    const float* const own = plan_.line(row);
    double known = static_cast<double>(plan_.errors[size(q)]) * static_cast<double>(own[plan_.stride + reaches]);
    if (what_row_) known += static_cast<double>(plan_.what_side.norms()[q]) * static_cast<double>(own[plan_.stride + what_slack]);
    if (where_row_) known += static_cast<double>(plan_.where_side.norms()[q]) * static_cast<double>(own[plan_.stride + where_slack]);
    return {static_cast<double>(score) - static_cast<double>(own[q]), off - known * (1.0 - 0x1p-20)};
  }

  void keep(const Block& block) {
    std::fill(floors_.begin(), floors_.end(), std::numeric_limits<float>::infinity());
    for (std::int64_t q = 0; q < batch_.count; ++q)
      if (!batch_.queries[size(q)].strange) floors_[size(q)] = down(batch_.floor(part_, q));
    if (!batch_.uses.hop) slacks();
    const Slack what{plan_.what_side.norms(), what_row_}, where{plan_.where_side.norms(), where_row_};
    const std::int64_t found = batch_.menu.sift_tile(block.rows, plan_.panels, acc_.data(), plan_.stride, room_.reach.data(),
                                                     plan_.errors.data(), what, where, floors_.data(), hits_.data());
    for (std::int64_t i = 0; i < found; ++i) {
      const std::int64_t row = hits_[size(i)] / plan_.stride, q = hits_[size(i)] % plan_.stride;
      if (batch_.queries[size(q)].strange) continue;
      double off = static_cast<double>(plan_.errors[size(q)]) * static_cast<double>(room_.reach[size(row)]);
      for (const Slack& slack : {what, where})
        if (slack.row) off += static_cast<double>(slack.query[q]) * static_cast<double>(slack.row[row]);
      if (batch_.uses.hop)
        batch_.offer(part_, q, line(row)[q], off, block.begin + row, rest(block.begin + row, q, line(row)[q], off));
      else
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
  std::vector<float> acc_, tails_, slack_[2] = {std::vector<float>(size(plan_.block())), std::vector<float>(size(plan_.block()))};
  const float *what_row_ = nullptr, *where_row_ = nullptr;  // bounds of the block's residuals; null: rows are read as they are
  std::vector<std::int32_t> hits_;
  std::vector<float> floors_;
};

void Tile::surroundings() {
  const std::int64_t rows = batch.p.rows;
  hop_weights.assign(size(stride), 0.0f);
  for (std::int64_t q = 0; q < batch.count; ++q) {
    hop_weights[size(q)] = batch.queries[size(q)].weight[graph];
    if (!batch.queries[size(q)].strange) hop_most = std::max(hop_most, std::fabs(hop_weights[size(q)]) * (1.0f + 0x1p-20f));
  }
  lines = Lines<float>(rows * (stride + tail));
  std::atomic<std::int64_t> next{0};
  Batch::parallel(batch.threads, [&](int part) {
    Tiler tiler(*this, part);
    for (std::int64_t at; (at = next.fetch_add(block())) < rows;)
      tiler.lay(at, std::min(block(), rows - at), lines.data() + at * (stride + tail));
  });
}

std::unique_ptr<Worker> Tile::worker(int part) { return std::make_unique<Tiler>(*this, part); }

}  // namespace

std::unique_ptr<Plan> tile(Batch& batch, bool distinct_contexts, bool by_codes) {
  return std::make_unique<Tile>(batch, distinct_contexts, by_codes);
}

}  // namespace scrubjay::rank
