// Graph: a checked CSR graph, built once.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "bind/buffers.hpp"
#include "bind/families.hpp"
#include "bind/unlocked.hpp"
#include "columns.hpp"
#include "pages.hpp"

namespace scrubjay::bind {

constexpr std::int64_t LANES = 16;

class Graph {
 public:
  Graph(py::handle offsets_in, py::handle targets_in, py::handle weights_in) {
    const auto offsets = take<std::int64_t>(offsets_in, "offsets", 1);
    if (offsets.size() < 1) bad_value("offsets must have one value more than there are nodes, got none");
    const std::int64_t nodes = offsets.size() - 1;
    if (nodes > INT32_MAX) bad_value("offsets must be for at most 2^31 - 1 nodes, got " + std::to_string(nodes));
    const auto targets = take_index(targets_in, "targets", nodes);
    const auto weights = take<float>(weights_in, "weights", 1);
    same_size(weights.size(), targets.size(), "weights", "targets");
    require_finite(weights.column(), "weights");
    const std::int64_t* o = offsets.data();
    if (o[0] != 0) bad_value("offsets must start at 0, got " + std::to_string(o[0]));
    for (std::int64_t i = 0; i < nodes; ++i)
      if (o[i + 1] < o[i])
        bad_value("offsets must not fall, got " + std::to_string(o[i + 1]) + " after " + std::to_string(o[i]) + " at position " +
                  std::to_string(i + 1));
    if (o[nodes] != targets.size())
      bad_value("offsets must end at the number of edges, " + std::to_string(targets.size()) + ", got " + std::to_string(o[nodes]));
    offsets_ = {o, nodes + 1};
    targets_ = {targets.data(), targets.size()};
    weights_ = {weights.data(), weights.size()};
  }

  static std::unique_ptr<Graph> from_edges(py::handle from_in, py::handle to_in, py::handle weights_in, std::int64_t nodes) {
    if (nodes < 0 || nodes > INT32_MAX) bad_value("nodes must be from 0 to 2^31 - 1, got " + std::to_string(nodes));
    const auto from = take_index(from_in, "sources", nodes), to = take_index(to_in, "targets", nodes);
    const auto weights = take<float>(weights_in, "weights", 1);
    same_size(to.size(), from.size(), "targets", "sources");
    same_size(weights.size(), from.size(), "weights", "sources");
    require_finite(weights.column(), "weights");
    std::unique_ptr<Graph> graph(new Graph);
    const std::int64_t edges = from.size();
    graph->offsets_ = Lines<std::int64_t>(nodes + 1);
    graph->targets_ = Lines<std::int32_t>(edges);
    graph->weights_ = Lines<float>(edges);
    Lines<std::int64_t> next(nodes + 1);
    const Unlocked unlocked;
    std::int64_t* o = graph->offsets_.data();
    std::fill_n(o, nodes + 1, 0);
    for (std::int64_t k = 0; k < edges; ++k) ++o[from.data()[k] + 1];
    for (std::int64_t i = 0; i < nodes; ++i) o[i + 1] += o[i];
    std::copy_n(o, nodes + 1, next.data());
    for (std::int64_t k = 0; k < edges; ++k) {
      const std::int64_t at = next[from.data()[k]]++;
      graph->targets_[at] = to.data()[k];
      graph->weights_[at] = weights.data()[k];
    }
    return graph;
  }

  ~Graph() { delete spare_.load(); }

  std::int64_t nodes() const { return offsets_.size() - 1; }
  std::int64_t edges() const { return targets_.size(); }
  Csr csr() const { return {offsets_.data(), targets_.data(), weights_.data(), nodes()}; }
  const Lines<std::int64_t>& offsets() const { return offsets_; }
  const Lines<std::int32_t>& targets() const { return targets_; }
  const Lines<float>& weights() const { return weights_; }

  // Room for `floats` values, kept between calls; two calls at once get one each.
  std::unique_ptr<Lines<float>> borrow(std::int64_t floats) const {
    std::unique_ptr<Lines<float>> lines(spare_.exchange(nullptr));
    if (!lines || lines->size() < floats) lines = std::make_unique<Lines<float>>(floats);
    return lines;
  }
  void give_back(std::unique_ptr<Lines<float>> lines) const { delete spare_.exchange(lines.release()); }

  // Where piece p of `pieces` with about equally many edges and nodes begins.
  std::int64_t cut(std::int64_t piece, std::int64_t pieces) const {
    if (piece <= 0) return 0;
    if (piece >= pieces) return nodes();
    const std::int64_t wanted = (edges() + nodes()) / pieces * piece;
    std::int64_t low = 0, high = nodes();
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (offsets_[middle] + middle < wanted) low = middle + 1;
      else high = middle;
    }
    return low / LANES * LANES;
  }

 private:
  Graph() = default;
  Lines<std::int64_t> offsets_;
  Lines<std::int32_t> targets_;
  Lines<float> weights_;
  mutable std::atomic<Lines<float>*> spare_{nullptr};
};

}  // namespace scrubjay::bind
