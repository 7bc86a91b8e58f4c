// One side of the score, what or where, for many queries at once: the queries packed in panels for the tile kernels, and
// rows a few at a time as those want them.
#pragma once

#include <cstdint>
#include <vector>

#include "rank/batch.hpp"

namespace scrubjay::rank {

class Panels {
 public:
  // What the tiles read: the stored rows, or their 8-bit codes (codes.high.data not null).
  Panels(const Batch& batch, const Rows& rows, const Codes& codes, std::vector<float> Query::* vector);

  bool used() const { return count_ > 0; }
  bool by_codes() const { return codes_.high.data != nullptr; }
  double depth() const { return depth_; }
  double off(std::int64_t q) const { return off_[static_cast<std::size_t>(q)]; }
  // Rows of a block: buffers of one thread.
  struct Part {
    std::vector<std::uint8_t> bytes;
    std::vector<float> squares, scale_room, slack_room;
    const float *scale = nullptr, *slack = nullptr;
    bool gathered = false;
  };
  // For the sieve: norms of the queries and bounds of the rows' residuals, none where rows are read as they are.
  Slack slack(const Part& part) const { return by_codes() ? Slack{norms_.data(), part.slack} : Slack{nullptr, nullptr}; }
  const float* norms() const { return norms_.data(); }

  // Prepares rows at[0 .. rows), or begin .. begin + rows where at is null; at[i] < 0: zeros.
  void prepare(Part& part, const std::int64_t* at, std::int64_t begin, std::int64_t rows) const;
  // acc += the similarities of rows [i, i + some) of what was prepared.
  void multiply(Part& part, const std::int64_t* at, std::int64_t begin, std::int64_t i, std::int64_t some, float* acc) const;

 private:
  template <class Value, class Get>
  void pack(std::int64_t group, const Get& get);

  const Batch& batch_;
  const Rows rows_;
  const Codes codes_;
  std::int64_t count_ = 0;  // panels
  std::int64_t width_ = 0;  // bytes of a row as a tile reads it
  double depth_ = 0.0;
  std::vector<double> off_;
  std::vector<unsigned char> room_;
  Packed packed_{};
  std::vector<float> scales_, norms_;
  std::vector<std::int32_t> offsets_;
};

}  // namespace scrubjay::rank
