#include "rank/scanner.hpp"

#include <algorithm>

namespace scrubjay::rank {
namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

}  // namespace

Scanner::Scanner(const Batch& batch, const Rows& rows, std::vector<float> Query::* vector)
    : batch_(batch), rows_(rows), vector_(vector) {
  const double cols = static_cast<double>(rows.cols);
  depth_ = rows.store == Store::f32 ? cols / 64.0 + 12.0 : rows.store == Store::bf16 ? cols / 32.0 + 8.0 : 6.0;
  if (rows.store != Store::u8) return;
  for (const Query& query : batch.queries) levels_.emplace_back(query.*vector, (rows.cols + 63) / 64 * 64, 2);
}

void Scanner::scan(std::int64_t q, const std::int64_t* pick, std::int64_t begin, std::int64_t rows, bool accumulate,
                   float* sums, float* norms) const {
  const Kernels& menu = batch_.menu;
  const std::vector<float>& query = batch_.queries[size(q)].*vector_;
  const char* data = pick ? static_cast<const char*>(rows_.data) : rows_.row(begin);
  switch (rows_.store) {
    case Store::f32:
      return menu.scan({reinterpret_cast<const float*>(data), rows, rows_.cols, rows_.stride}, pick, query.data(), accumulate, sums, norms);
    case Store::bf16:
      return menu.scan_bf16({reinterpret_cast<const std::uint16_t*>(data), rows, rows_.cols, rows_.stride}, pick, query.data(), accumulate, sums, norms);
    case Store::u8: break;
  }
  menu.scan_u8({reinterpret_cast<const std::uint8_t*>(data), rows, rows_.cols, rows_.stride}, pick ? rows_.scale : rows_.scale + begin, pick,
               levels_[size(q)].view(), accumulate, sums);
  for (std::int64_t i = 0; norms && i < rows; ++i) {
    const float norm = rows_.norm[pick ? pick[i] : begin + i];
    norms[i] = norm * norm;
  }
}

Places::Places(const Batch& batch, bool distinct_contexts) : batch_(batch), scanner_(batch, batch.p.where, &Query::where) {
  if (!distinct_contexts || !batch.uses.where) return;
  const std::int64_t many = batch.p.where.rows;
  table_.resize(size(many * batch.count + 1));
  norms_.resize(size(many + 1));
  std::atomic<std::int64_t> next{0};
  Batch::parallel(batch.threads, [&](int) {
    for (std::int64_t at; (at = next.fetch_add(128)) < many;)
      for (std::int64_t q = 0; q < batch.count; ++q)
        scanner_.scan(q, nullptr, at, std::min<std::int64_t>(128, many - at), false, &table_[size(q * many + at)],
                      q == 0 ? &norms_[size(at)] : nullptr);
  });
}

void Places::add(std::int64_t q, const Block& block, Room& room, float* sums, float* norms) const {
  const Problem& p = batch_.p;
  if (!p.where_index)
    return scanner_.scan(q, p.pick ? p.pick + block.begin : nullptr, block.begin, block.rows, true, sums, norms);
  const auto at = [&](std::int64_t i) { return p.where_index[p.row(block.begin + i)]; };
  if (looked_up()) {
    const float* table = table_.data() + q * p.where.rows;
    for (std::int64_t i = 0; i < block.rows; ++i) {
      sums[i] += at(i) < 0 ? 0.0f : table[at(i)];
      if (norms) norms[i] = at(i) < 0 ? 0.0f : norms_[size(at(i))];
    }
    return;
  }
  for (std::int64_t i = 0; i < block.rows; ++i) room.at[size(i)] = std::max(0, at(i));
  scanner_.scan(q, room.at.data(), 0, block.rows, false, room.aside.data(), norms);
  for (std::int64_t i = 0; i < block.rows; ++i) {
    if (at(i) >= 0)
      sums[i] += room.aside[size(i)];
    else if (norms)
      norms[i] = 0.0f;
  }
}

}  // namespace scrubjay::rank
