#include <algorithm>
#include <limits>

#include "rank/plans.hpp"
#include "rank/scanner.hpp"

namespace scrubjay::rank {
namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

class Sieve final : public Plan {
 public:
  Sieve(Batch& batch, bool distinct_contexts)
      : batch(batch), where_side(batch, distinct_contexts), by_codes(batch.uses.where && !where_side.looked_up()) {
    const double exact_depth = batch.uses.where && !by_codes ? where_side.depth() : 0.0;
    for (std::int64_t q = 0; q < batch.count; ++q) {
      const Query& query = batch.queries[size(q)];
      double first = 0.0, both = batch.uses.where && !by_codes ? where_side.off(q) : 0.0;
      if (batch.uses.what) add(query.what, batch.p.what_codes, whats, first, both);
      if (by_codes) add(query.where, batch.p.where_codes, wheres, first, both);
      coarse.push_back(batch.error(q, exact_depth + 12.0, first + both));
      fine.push_back(batch.error(q, exact_depth + 12.0, both));
    }
  }
  std::int64_t block() const override { return 512; }
  std::unique_ptr<Worker> worker(int part) override;

  Batch& batch;
  const Places where_side;
  const bool by_codes;
  std::vector<Levels> whats, wheres;
  std::vector<float> coarse, fine;  // errors besides the slack, after the upper halves and after all bits

 private:
  static void add(const std::vector<float>& query, const Codes& codes, std::vector<Levels>& all, double& first, double& both) {
    all.emplace_back(query, 2 * codes.high.cols, 2);
    first += all.back().off_first;
    both += all.back().off_both;
  }
};

class Siever final : public Worker {
 public:
  Siever(const Sieve& plan, int part)
      : plan_(plan), batch_(plan.batch), part_(part), room_(plan.block(), batch_.p.pick != nullptr), base_(size(plan.block())),
        slack_(size(plan.block())), some_(size(plan.block())), some_reach_(size(plan.block())) {}

  void rows(std::int64_t begin, std::int64_t rows) override {
    Block block(batch_, room_, begin, rows);
    norms(block);
    for (std::int64_t q = 0; q < batch_.count; ++q) {
      std::fill(base_.begin(), base_.begin() + rows, 0.0f);
      batch_.blend(q, block, room_, base_.data());
      const bool first = q == 0;
      if (batch_.uses.where && !plan_.by_codes) plan_.where_side.add(q, block, room_, base_.data(), first ? room_.where.data() : nullptr);
      if (first || batch_.uses.graph_each) {
        strange_ = batch_.menu.reach(block.reach, rows, room_.reach.data());
        batch_.bury(block, room_);
      }
      if (batch_.queries[size(q)].strange || strange_ > 0) batch_.outside(part_, q, block, room_);
      if (!batch_.queries[size(q)].strange) sieve(q, block);
    }
  }

 private:
  void norms(const Block& block) {
    const auto square = [&](const float* norm, std::vector<float>& out) {
      for (std::int64_t i = 0; i < block.rows; ++i) {
        const float x = norm[batch_.p.row(block.begin + i)];
        out[size(i)] = x * x;
      }
    };
    if (batch_.uses.what) square(batch_.p.what_codes.norm, room_.what);
    if (plan_.by_codes) square(batch_.p.where_codes.norm, room_.where);
  }

  void sieve(std::int64_t q, const Block& block) {
    const Problem& p = batch_.p;
    float* const sums = room_.sums.data();
    std::copy_n(base_.data(), block.rows, sums);
    std::fill(slack_.begin(), slack_.begin() + block.rows, 0.0f);
    if (batch_.uses.what) batch_.menu.scan_high(p.what_codes, p.pick, block.begin, block.rows, plan_.whats[size(q)].view(), true, sums, slack_.data());
    if (plan_.by_codes) batch_.menu.scan_high(p.where_codes, p.pick, block.begin, block.rows, plan_.wheres[size(q)].view(), true, sums, slack_.data());
    std::int64_t found = batch_.menu.sift(block.rows, sums, slack_.data(), room_.reach.data(), plan_.coarse[size(q)], down(batch_.floor(part_, q)),
                                          room_.hits.data());
    if (found == 0) return;
    for (std::int64_t i = 0; i < found; ++i) {
      const std::size_t at = size(room_.hits[size(i)]);
      room_.at[size(i)] = p.row(block.begin + room_.hits[size(i)]);
      sums[i] = base_[at];
      some_reach_[size(i)] = room_.reach[at];
    }
    std::fill(slack_.begin(), slack_.begin() + found, 0.0f);
    if (batch_.uses.what) batch_.menu.scan_both(p.what_codes, room_.at.data(), found, plan_.whats[size(q)].view(), true, sums, slack_.data());
    if (plan_.by_codes) batch_.menu.scan_both(p.where_codes, room_.at.data(), found, plan_.wheres[size(q)].view(), true, sums, slack_.data());
    const std::int64_t left = batch_.menu.sift(found, sums, slack_.data(), some_reach_.data(), plan_.fine[size(q)], down(batch_.floor(part_, q)), some_.data());
    for (std::int64_t i = 0; i < left; ++i) {
      const std::size_t at = size(some_[size(i)]);
      const double off = static_cast<double>(plan_.fine[size(q)]) * static_cast<double>(some_reach_[at]) + static_cast<double>(slack_[at]);
      batch_.offer(part_, q, sums[at], off, room_.at[at]);
    }
    if (left > 0) batch_.share_floor(part_, q);
  }

  const Sieve& plan_;
  Batch& batch_;
  const int part_;
  Room room_;
  std::vector<float> base_, slack_;
  std::vector<std::int32_t> some_;
  std::vector<float> some_reach_;
  std::int64_t strange_ = 0;
};

std::unique_ptr<Worker> Sieve::worker(int part) { return std::make_unique<Siever>(*this, part); }

}  // namespace

std::unique_ptr<Plan> sieve(Batch& batch, bool distinct_contexts) { return std::make_unique<Sieve>(batch, distinct_contexts); }

}  // namespace scrubjay::rank
