#include "rank/panels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "rank/levels.hpp"

namespace scrubjay::rank {
namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

std::uint16_t to_bf16(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float from_bf16(std::uint16_t x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16); }

double distance(const std::vector<float>& x, const std::vector<std::uint16_t>& y) {
  double squares = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double off = static_cast<double>(x[j]) - static_cast<double>(from_bf16(y[j]));
    squares += off * off;
  }
  return std::sqrt(squares) * (1.0 + 0x1p-40);
}

}  // namespace

Panels::Panels(const Batch& batch, const Rows& rows, const Codes& codes, std::vector<float> Query::* vector)
    : batch_(batch), rows_(rows), codes_(codes), off_(size(batch.count), 0.0) {
  if (!rows.data) return;
  count_ = (batch.count + 15) / 16;
  const auto query = [&](std::int64_t q) -> const std::vector<float>& { return batch.queries[size(q)].*vector; };
  norms_.assign(size(count_ * 16), 0.0f);
  if (rows.store == Store::u8 || by_codes()) {
    width_ = by_codes() ? 2 * codes.high.cols : (rows.cols + 63) / 64 * 64;
    depth_ = 6.0;
    scales_.assign(size(count_ * 16), 0.0f);
    offsets_.assign(size(count_ * 16), 0);
    std::vector<Levels> levels;
    for (std::int64_t q = 0; q < batch.count; ++q) {
      levels.push_back(by_codes() ? Levels::turned(query(q), width_, 1) : Levels(query(q), width_, 1));
      scales_[size(q)] = levels.back().first.scale;
      offsets_[size(q)] = 128 * levels.back().first.sum;
      norms_[size(q)] = levels.back().view().norm;
      off_[size(q)] = levels.back().off_first;
    }
    pack<std::int8_t>(4, [&](std::int64_t q, std::int64_t j) { return levels[size(q)].first.codes[size(j)]; });
    return;
  }
  width_ = rows.cols * rows.width();
  depth_ = static_cast<double>(rows.cols) * (rows.store == Store::bf16 ? 2.0 : 1.0);
  if (rows.store == Store::f32) {
    pack<float>(1, [&](std::int64_t q, std::int64_t j) { return query(q)[size(j)]; });
    return;
  }
  std::vector<std::vector<std::uint16_t>> rounded(size(batch.count));
  for (std::int64_t q = 0; q < batch.count; ++q) {
    for (const float x : query(q)) rounded[size(q)].push_back(to_bf16(x));
    off_[size(q)] = distance(query(q), rounded[size(q)]);
  }
  pack<std::uint16_t>(2, [&](std::int64_t q, std::int64_t j) { return rounded[size(q)][size(j)]; });
}

// Line k of a panel: `group` values of each of sixteen queries. A line between panels keeps them out of each other's sets.
template <class Value, class Get>
void Panels::pack(std::int64_t group, const Get& get) {
  const std::int64_t cols = width_ / static_cast<std::int64_t>(sizeof(Value)), lines = (cols + group - 1) / group;
  packed_.panels = count_;
  packed_.stride = (lines + 1) * 64;
  room_.assign(size(count_ * packed_.stride + 64), 0);
  unsigned char* data = room_.data();
  data += (64 - reinterpret_cast<std::uintptr_t>(data) % 64) % 64;
  for (std::int64_t q = 0; q < batch_.count; ++q)
    for (std::int64_t j = 0; j < cols; ++j) {
      const Value value = get(q, j);
      std::memcpy(data + q / 16 * packed_.stride + j / group * 64 + (q % 16 * group + j % group) * static_cast<std::int64_t>(sizeof(Value)), &value,
                  sizeof(Value));
    }
  packed_.data = data;
}

void Panels::prepare(Part& part, const std::int64_t* at, std::int64_t begin, std::int64_t rows) const {
  const bool codes = by_codes() || rows_.store == Store::u8;
  part.squares.resize(size(rows));
  part.gathered = at != nullptr || by_codes();
  if (codes) {
    const float* const norm = by_codes() ? codes_.norm : rows_.norm;
    part.scale = (by_codes() ? codes_.scale : rows_.scale) + begin;
    part.slack = by_codes() ? codes_.fine + begin : nullptr;
    if (at) {
      part.scale_room.resize(size(rows));
      part.slack_room.resize(size(rows));
      for (std::int64_t i = 0; i < rows; ++i) {
        const bool there = at[i] >= 0;
        part.scale_room[size(i)] = there ? (by_codes() ? codes_.scale : rows_.scale)[at[i]] : 0.0f;
        part.slack_room[size(i)] = there && by_codes() ? codes_.fine[at[i]] : 0.0f;
        part.squares[size(i)] = there ? norm[at[i]] * norm[at[i]] : 0.0f;
      }
      part.scale = part.scale_room.data();
      part.slack = part.slack_room.data();
    } else {
      float* const squares = part.squares.data();
      for (std::int64_t i = 0; i < rows; ++i) squares[i] = norm[begin + i] * norm[begin + i];
    }
  }
  if (!part.gathered) return;
  part.bytes.resize(size((by_codes() ? std::min(rows, batch_.menu.tile_rows) : rows) * width_));
  for (std::int64_t i = 0; !by_codes() && i < rows; ++i) {
    if (at[i] < 0)
      std::fill_n(&part.bytes[size(i * width_)], width_, std::uint8_t{0});
    else
      std::memcpy(&part.bytes[size(i * width_)], rows_.row(at[i]), size(width_));
  }
}

void Panels::multiply(Part& part, const std::int64_t* at, std::int64_t begin, std::int64_t i, std::int64_t some, float* acc) const {
  const Kernels& menu = batch_.menu;
  const std::int64_t stride = count_ * 16;
  if (by_codes()) {
    const Matrix<const std::uint8_t> &high = codes_.high, &low = codes_.low;
    const auto join = [&](std::int64_t row, std::int64_t many, std::uint8_t* out) {
      menu.join({high.data + row * high.stride, many, high.cols, high.stride}, {low.data + row * low.stride, many, low.cols, low.stride}, out);
    };
    if (!at) join(begin + i, some, part.bytes.data());
    for (std::int64_t r = 0; at && r < some; ++r)
      if (at[i + r] >= 0) join(at[i + r], 1, &part.bytes[size(r * width_)]);
    const std::int64_t next = begin + i + some;
    const Ahead ahead = at ? Ahead{} : Ahead{high.data + next * high.stride, low.data + next * low.stride};
    return menu.tile_u8({part.bytes.data(), some, width_, width_}, packed_, {part.scale + i, scales_.data(), offsets_.data()}, acc, stride, nullptr, ahead);
  }
  const bool u8 = rows_.store == Store::u8;
  const Bytes rows{part.gathered ? reinterpret_cast<const char*>(&part.bytes[size(i * width_)]) : rows_.row(begin + i), some, u8 ? width_ : rows_.cols,
                   part.gathered ? width_ : rows_.stride * rows_.width()};
  const char* const next = static_cast<const char*>(rows.data) + some * rows.stride;
  const Ahead ahead = part.gathered ? Ahead{} : Ahead{next, next + some * rows.stride / 2};
  if (u8) return menu.tile_u8(rows, packed_, {part.scale + i, scales_.data(), offsets_.data()}, acc, stride, nullptr, ahead);
  (rows_.store == Store::f32 ? menu.tile_f32 : menu.tile_bf16)(rows, packed_, {}, acc, stride, &part.squares[size(i)], ahead);
}

}  // namespace scrubjay::rank
