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
  std::int64_t block() const override { return batch.count == 1 ? 4096 : 512; }
  std::unique_ptr<Worker> worker(int part) override;

  Batch& batch;
  const Places where_side;
  const bool by_codes;
  std::vector<Levels> whats, wheres;
  std::vector<float> coarse, fine;  // errors besides the slack, after the upper halves and after all bits

 private:
  static void add(const std::vector<float>& query, const Codes& codes, std::vector<Levels>& all, double& first, double& both) {
    all.push_back(Levels::turned(query, 2 * codes.high.cols, 2));
    first += all.back().off_first;
    both += all.back().off_both;
  }
};

// A row that the upper halves leave possible but do not favour: looked at when the floor has risen.
struct Later {
  std::int64_t row;
  float upper, base, reach;  // base: the score without the similarities that are taken from codes
};

class Siever final : public Worker {
 public:
  Siever(const Sieve& plan, int part)
      : plan_(plan), batch_(plan.batch), part_(part), room_(plan.block(), batch_.p.pick != nullptr), base_(size(plan.block())),
        slack_(size(plan.block())), some_reach_(size(plan.block())), later_(size(batch_.count)) {}

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

  void finish() override {
    for (std::int64_t q = 0; q < batch_.count; ++q) look_again(q);
  }

 private:
  static constexpr std::size_t most_later = 1 << 15;

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

  // By the upper halves: what may be among the best is split into what looks as if it were, and the rest.
  void sieve(std::int64_t q, const Block& block) {
    const Problem& p = batch_.p;
    float* const sums = room_.sums.data();
    std::copy_n(base_.data(), block.rows, sums);
    std::fill(slack_.begin(), slack_.begin() + block.rows, 0.0f);
    if (batch_.uses.what) batch_.menu.scan_high(p.what_codes, p.pick, block.begin, block.rows, plan_.whats[size(q)].view(), true, sums, slack_.data());
    if (plan_.by_codes) batch_.menu.scan_high(p.where_codes, p.pick, block.begin, block.rows, plan_.wheres[size(q)].view(), true, sums, slack_.data());
    const float floor = down(batch_.floor(part_, q)), error = plan_.coarse[size(q)];
    const std::int64_t found = batch_.menu.sift(block.rows, sums, slack_.data(), room_.reach.data(), error, floor, room_.hits.data());
    std::int64_t now = 0;
    for (std::int64_t i = 0; i < found; ++i) {
      const std::size_t at = size(room_.hits[size(i)]);
      const Later row{p.row(block.begin + room_.hits[size(i)]), sums[at] + slack_[at] + error * room_.reach[at] * (1.0f + 0x1p-20f),
                      base_[at], room_.reach[at]};
      if (sums[at] < floor)
        later_[size(q)].push_back(row);
      else
        now_[size(now++)] = row;
    }
    if (now > 0) {
      look(q, now_.data(), now);
      batch_.sharpen(part_, q);
      batch_.share_floor(part_, q);
    }
    if (later_[size(q)].size() > most_later) look_again(q);
  }

  void look_again(std::int64_t q) {
    std::vector<Later>& rows = later_[size(q)];
    const float floor = down(batch_.floor(part_, q));
    std::erase_if(rows, [floor](const Later& row) { return row.upper < floor; });
    for (std::size_t i = 0; i < rows.size(); i += size(plan_.block()))
      look(q, rows.data() + i, std::min<std::int64_t>(plan_.block(), static_cast<std::int64_t>(rows.size() - i)));
    batch_.share_floor(part_, q);
    rows.clear();
  }

  // By all bits.
  void look(std::int64_t q, const Later* rows, std::int64_t many) {
    float* const sums = room_.sums.data();
    for (std::int64_t i = 0; i < many; ++i) {
      room_.at[size(i)] = rows[i].row;
      sums[i] = rows[i].base;
      some_reach_[size(i)] = rows[i].reach;
    }
    std::fill(slack_.begin(), slack_.begin() + many, 0.0f);
    if (batch_.uses.what) batch_.menu.scan_both(batch_.p.what_codes, room_.at.data(), many, plan_.whats[size(q)].view(), true, sums, slack_.data());
    if (plan_.by_codes) batch_.menu.scan_both(batch_.p.where_codes, room_.at.data(), many, plan_.wheres[size(q)].view(), true, sums, slack_.data());
    const float error = plan_.fine[size(q)];
    const std::int64_t left = batch_.menu.sift(many, sums, slack_.data(), some_reach_.data(), error, down(batch_.floor(part_, q)), room_.hits.data());
    for (std::int64_t i = 0; i < left; ++i) {
      const std::size_t at = size(room_.hits[size(i)]);
      const double off = static_cast<double>(error) * static_cast<double>(some_reach_[at]) + static_cast<double>(slack_[at]);
      batch_.offer(part_, q, sums[at], off, room_.at[at]);
    }
  }

  const Sieve& plan_;
  Batch& batch_;
  const int part_;
  Room room_;
  std::vector<float> base_, slack_, some_reach_;
  std::vector<std::vector<Later>> later_;
  std::vector<Later> now_ = std::vector<Later>(4096);
  std::int64_t strange_ = 0;
};

std::unique_ptr<Worker> Sieve::worker(int part) { return std::make_unique<Siever>(*this, part); }

}  // namespace

std::unique_ptr<Plan> sieve(Batch& batch, bool distinct_contexts) { return std::make_unique<Sieve>(batch, distinct_contexts); }

}  // namespace scrubjay::rank
