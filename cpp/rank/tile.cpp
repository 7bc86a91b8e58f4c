#include <algorithm>
#include <cmath>
#include <limits>

#include "rank/plans.hpp"

namespace scrubjay::rank {
namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

// Values [j][16] of sixteen queries a panel, with a line between panels so that they do not share cache sets.
struct Panels {
  std::vector<float> room;
  const float* data = nullptr;
  std::int64_t stride = 0;
};

class Tile final : public Plan {
 public:
  Tile(Batch& batch, bool distinct_contexts)
      : batch(batch), panels((batch.count + 15) / 16), stride(panels * 16),
        lookup(distinct_contexts && batch.uses.where) {
    if (batch.uses.what) pack(what_, batch.p.what.cols, [](const Query& q) -> const std::vector<float>& { return q.what; });
    if (batch.uses.where) pack(where_, batch.p.where.cols, [](const Query& q) -> const std::vector<float>& { return q.where; });
    errors.resize(size(stride));
    for (std::int64_t q = 0; q < batch.count; ++q) {
      errors[size(q)] = batch.queries[size(q)].error;
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

  // acc += similarities to all queries, and bounds of the squared norms; rows of no data are left out. A few rows at a
  // time, so that they and their sums stay in the first-level cache.
  void multiply(Matrix<const float> what, Matrix<const float> where, std::int64_t rows, float* acc, float* what_squares, float* where_squares) const {
    const std::int64_t step = batch.menu.tile_rows;
    for (std::int64_t i = 0; i < rows; i += step) {
      const std::int64_t some = std::min(step, rows - i);
      if (what.data) multiply(what, i, some, what_, acc, what_squares);
      if (where.data) multiply(where, i, some, where_, acc, where_squares);
    }
  }

  Batch& batch;
  const std::int64_t panels, stride;
  const bool lookup;
  bool strange = false;
  std::vector<float> weights, errors, table, table_norms;

 private:
  void multiply(Matrix<const float> all, std::int64_t begin, std::int64_t rows, const Panels& queries, float* acc, float* squares) const {
    const Matrix<const float> part{all.data + begin * all.stride, rows, all.cols, all.stride};
    batch.menu.tile(part, queries.data, queries.stride, panels, acc + begin * stride, stride, squares + begin, part.data + rows * all.stride);
  }

  template <class Get>
  void pack(Panels& out, std::int64_t cols, const Get& get) {
    out.stride = cols * 16 + 16;
    out.room.assign(size(panels * out.stride + 16), 0.0f);
    float* data = out.room.data();
    data += (64 - reinterpret_cast<std::uintptr_t>(data) % 64) % 64 / sizeof(float);
    for (std::int64_t q = 0; q < batch.count; ++q)
      for (std::int64_t j = 0; j < cols; ++j)
        data[q / 16 * out.stride + j * 16 + q % 16] = get(batch.queries[size(q)])[size(j)];
    out.data = data;
  }

  void contexts() {
    const Matrix<const float> all = batch.p.where;
    table.assign(size(all.rows * stride), 0.0f);
    table_norms.resize(size(all.rows + 1));
    std::atomic<std::int64_t> next{0};
    Batch::parallel(batch.threads, [&](int) {
      for (std::int64_t at; (at = next.fetch_add(block())) < all.rows;)
        multiply({}, {all.data + at * all.stride, all.rows - at, all.cols, all.stride}, std::min(block(), all.rows - at),
                 &table[size(at * stride)], nullptr, &table_norms[size(at)]);
    });
  }

  Panels what_, where_;
};

class Tiler final : public Worker {
 public:
  Tiler(const Tile& plan, int part)
      : plan_(plan), batch_(plan.batch), part_(part), room_(plan.block(), batch_.p.pick != nullptr),
        acc_(size(plan.block() * plan.stride + 16)), hits_(size(plan.block() * plan.stride)), floors_(size(plan.stride)) {
  }

  void rows(std::int64_t begin, std::int64_t rows) override {
    Block block(batch_, room_, begin, rows);
    factors_of(block);
    Matrix<const float> whats{}, wheres{};
    if (batch_.uses.what) whats = candidates(batch_.p.what, block, whats_);
    if (batch_.uses.where) wheres = places(block);
    plan_.multiply(whats, wheres, rows, acc_.data(), room_.what.data(), room_.where.data());
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

  // Rows copied together; zeros for -1.
  static Matrix<const float> gather(Matrix<const float> all, std::int64_t rows, const std::int64_t* at, std::vector<float>& room) {
    room.resize(size(rows * all.cols));
    for (std::int64_t i = 0; i < rows; ++i) {
      if (at[i] < 0)
        std::fill_n(&room[size(i * all.cols)], all.cols, 0.0f);
      else
        std::copy_n(all.data + at[i] * all.stride, all.cols, &room[size(i * all.cols)]);
    }
    return {room.data(), rows, all.cols, all.cols};
  }
  Matrix<const float> candidates(Matrix<const float> all, const Block& block, std::vector<float>& room) const {
    if (batch_.p.pick) return gather(all, block.rows, batch_.p.pick + block.begin, room);
    return {all.data + block.begin * all.stride, block.rows, all.cols, all.stride};
  }

  // The vectors of the rows' places; none where they are looked up instead.
  Matrix<const float> places(const Block& block) {
    const Problem& p = batch_.p;
    if (!p.where_index) return candidates(p.where, block, wheres_);
    for (std::int64_t i = 0; i < block.rows; ++i) room_.at[size(i)] = p.where_index[p.row(block.begin + i)];
    if (!plan_.lookup) return gather(p.where, block.rows, room_.at.data(), wheres_);
    for (std::int64_t i = 0; i < block.rows; ++i) {
      const std::int64_t at = room_.at[size(i)];
      room_.where[size(i)] = at < 0 ? 0.0f : plan_.table_norms[size(at)];
      if (at < 0) continue;
      const float* found = &plan_.table[size(at * plan_.stride)];
      float* const sums = line(i);
      for (std::int64_t q = 0; q < plan_.stride; ++q) sums[q] += found[q];
    }
    return {};
  }

  void keep(const Block& block) {
    constexpr float never = std::numeric_limits<float>::infinity();
    std::fill(floors_.begin(), floors_.end(), never);
    for (std::int64_t q = 0; q < batch_.count; ++q)
      if (!batch_.queries[size(q)].strange) floors_[size(q)] = down(batch_.floor(part_, q));
    const std::int64_t found = batch_.menu.sift_tile(block.rows, plan_.panels, acc_.data(), plan_.stride, room_.reach.data(),
                                                     plan_.errors.data(), floors_.data(), hits_.data());
    for (std::int64_t i = 0; i < found; ++i) {
      const std::int64_t row = hits_[size(i)] / plan_.stride, q = hits_[size(i)] % plan_.stride;
      if (batch_.queries[size(q)].strange) continue;
      const double middle = line(row)[q], wide = static_cast<double>(plan_.errors[size(q)]) * static_cast<double>(room_.reach[size(row)]);
      batch_.offer(part_, q, middle - wide, middle + wide, batch_.p.row(block.begin + row));
    }
    for (std::int64_t q = 0; q < batch_.count; ++q) batch_.share_floor(part_, q);
  }

  const Tile& plan_;
  Batch& batch_;
  const int part_;
  Room room_;
  std::vector<float> acc_, whats_, wheres_;
  std::vector<std::int32_t> hits_;
  std::vector<float> floors_;
};

std::unique_ptr<Worker> Tile::worker(int part) { return std::make_unique<Tiler>(*this, part); }

}  // namespace

std::unique_ptr<Plan> tile(Batch& batch, bool distinct_contexts) { return std::make_unique<Tile>(batch, distinct_contexts); }

}  // namespace scrubjay::rank
