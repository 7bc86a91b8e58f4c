#include <algorithm>

#include "rank/plans.hpp"
#include "rank/scanner.hpp"

namespace scrubjay::rank {
namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

class Stream final : public Plan {
 public:
  Stream(Batch& batch, bool distinct_contexts)
      : batch(batch), what_side(batch, batch.p.what, &Query::what), where_side(batch, distinct_contexts) {
    const double depth = (batch.uses.what ? what_side.depth() : 0.0) + (batch.uses.where ? where_side.depth() : 0.0);
    for (std::int64_t q = 0; q < batch.count; ++q)
      errors.push_back(batch.error(q, depth, (batch.uses.what ? what_side.off(q) : 0.0) + (batch.uses.where ? where_side.off(q) : 0.0)));
  }
  std::int64_t block() const override { return batch.count == 1 ? 512 : 128; }
  std::unique_ptr<Worker> worker(int part) override;

  Batch& batch;
  const Scanner what_side;
  const Places where_side;
  std::vector<float> errors;
};

class Streamer final : public Worker {
 public:
  Streamer(const Stream& plan, int part)
      : plan_(plan), batch_(plan.batch), part_(part), room_(plan.block(), batch_.p.pick != nullptr) {}

  void rows(std::int64_t begin, std::int64_t rows) override {
    Block block(batch_, room_, begin, rows);
    for (std::int64_t q = 0; q < batch_.count; ++q) {
      score(q, block);
      const bool first = q == 0;
      if (first || batch_.uses.graph_each) {
        strange_ = batch_.menu.reach(block.reach, rows, room_.reach.data());
        batch_.bury(block, room_);
      }
      if (batch_.queries[size(q)].strange || strange_ > 0) batch_.outside(part_, q, block, room_);
      if (!batch_.queries[size(q)].strange) keep(q, block);
    }
  }

 private:
  void score(std::int64_t q, Block& block) {
    const double* w = batch_.weight(q);
    float* const sums = room_.sums.data();
    const bool first = q == 0;
    if (batch_.uses.what && (first || w[what] != 0.0))
      plan_.what_side.scan(q, batch_.p.pick ? batch_.p.pick + block.begin : nullptr, block.begin, block.rows, false, sums,
                           first ? room_.what.data() : nullptr);
    else
      std::fill(sums, sums + block.rows, 0.0f);
    if (batch_.uses.where && (first || w[where] != 0.0))
      plan_.where_side.add(q, block, room_, sums, first ? room_.where.data() : nullptr);
    batch_.blend(q, block, room_, sums);
  }

  void keep(std::int64_t q, const Block& block) {
    const float error = plan_.errors[size(q)];
    const std::int64_t found = batch_.menu.sift(block.rows, room_.sums.data(), nullptr, room_.reach.data(), error,
                                                down(batch_.floor(part_, q)), room_.hits.data());
    for (std::int64_t i = 0; i < found; ++i) {
      const std::size_t at = size(room_.hits[size(i)]);
      batch_.offer(part_, q, room_.sums[at], static_cast<double>(error) * static_cast<double>(room_.reach[at]),
                   batch_.p.row(block.begin + room_.hits[size(i)]));
    }
    batch_.share_floor(part_, q);
  }

  const Stream& plan_;
  Batch& batch_;
  const int part_;
  Room room_;
  std::int64_t strange_ = 0;
};

std::unique_ptr<Worker> Stream::worker(int part) { return std::make_unique<Streamer>(*this, part); }

}  // namespace

std::unique_ptr<Plan> stream(Batch& batch, bool distinct_contexts) { return std::make_unique<Stream>(batch, distinct_contexts); }

}  // namespace scrubjay::rank
