// A score and one hop of messages over it for up to 64 queries at once, on lines of memory: what a node brings to all queries
// lies together, so that an edge costs one place of memory, not one for each query.
//
//   out[i][q]   = lines[i][q] + weights[q] sum over edges (i, j) of e_ij u_j lines[j][q]
//   tails[i][t] = sum over edges (i, j) of |e_ij u_j| tail[j][t]
//
// A line is `panels` x 16 scores and a tail of 16 values, the first of which is u. Source: "Caching for the Future", eq. 8,
// with the score without the graph term in place of the source's circular S. Domain: any float32; NaN and infinity reach the
// nodes that point at them, and both their sums and their tails. Error of out: (degree + 3) 2^-24 times the sum of the
// magnitudes of its terms, of tails: (degree + 2) 2^-24 of their own.
#pragma once

namespace scrubjay::SJ_ISA {

constexpr std::int64_t LINES_AHEAD = 12;  // edges

template <int PANELS>
SJ_INLINE void hop_lines_of(Csr graph, std::int64_t begin, std::int64_t end, const float* lines, const float* weights,
                            float* out, float* tails) {
  constexpr std::int64_t width = PANELS * 16, stride = width + 16;
  const std::int64_t last = graph.offsets[end] - 1;
  for (std::int64_t i = begin; i < end; ++i, out += width, tails += 16) {
    f32 sums[PANELS], tail = set(0.0f);
    for (int p = 0; p < PANELS; ++p) sums[p] = set(0.0f);
    for (std::int64_t k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
      const float* const ahead = lines + std::int64_t{graph.targets[k + LINES_AHEAD < last ? k + LINES_AHEAD : last]} * stride;
      for (int p = 0; p <= PANELS; ++p) __builtin_prefetch(ahead + p * 16, 0, 3);
      const float* const line = lines + std::int64_t{graph.targets[k]} * stride;
      const float brought = graph.weights[k] * line[width];
      for (int p = 0; p < PANELS; ++p) sums[p] = fma(set(brought), load(line + p * 16), sums[p]);
      tail = fma(set(__builtin_fabsf(brought)), load(line + width), tail);
    }
    const float* const own = lines + i * stride;
    for (int p = 0; p < PANELS; ++p) store(out + p * 16, fma(load(weights + p * 16), sums[p], load(own + p * 16)));
    store(tails, tail);
  }
}

// Nodes [begin, end); out and tails begin with node `begin`.
static void hop_lines(Csr graph, std::int64_t begin, std::int64_t end, const float* lines, std::int64_t panels,
                      const float* weights, float* out, float* tails) {
  if (panels == 1) hop_lines_of<1>(graph, begin, end, lines, weights, out, tails);
  else if (panels == 2) hop_lines_of<2>(graph, begin, end, lines, weights, out, tails);
  else if (panels == 3) hop_lines_of<3>(graph, begin, end, lines, weights, out, tails);
  else hop_lines_of<4>(graph, begin, end, lines, weights, out, tails);
}

}  // namespace scrubjay::SJ_ISA
