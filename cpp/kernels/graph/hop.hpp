// One hop of messages over a CSR graph: out[i] = sum over edges (i, j) of e_ij x_j.
//
// Source: "Caching for the Future", eq. 8, with x_j = S0_j U_j and S0 the score without the graph term; with x = U alone it
// is the structural Phi of section 3.8. Domain: any float32; NaN reaches the nodes that point at it and no other. A node
// without edges gets 0, a self loop counts as an edge, duplicate edges add up. Order: edge k of a node goes into partial sum
// k mod 4, then (0 + 1) + (2 + 3), fused multiply-adds throughout: one query, a batch of them and a subset of the nodes give
// the same bits. Error: at most (degree / 4 + 3) 2^-24 sum |e x|.
#pragma once

namespace scrubjay::SJ_ISA {

// Edges that are looked up ahead of the one in work: a row of 16 queries is one cache line somewhere in memory.
constexpr std::int64_t HOP_AHEAD = 32;

// out[i] = score[i] utility[i]
static void hop_values(const float* score, const float* utility, std::int64_t n, float* out) {
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) store(out + i, mul(load(score + i), load(utility + i)));
  if (i < n) store(out + i, mul(load(score + i, n - i), load(utility + i, n - i)), n - i);
}

// Nodes [begin, end) for one query.
static void hop(Csr graph, std::int64_t begin, std::int64_t end, const float* x, float* out) {
  const std::int32_t* to = graph.targets;
  const float* e = graph.weights;
  for (std::int64_t i = begin; i < end; ++i) {
    float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
    std::int64_t k = graph.offsets[i];
    const std::int64_t last = graph.offsets[i + 1];
    for (; k + 4 <= last; k += 4) {
      a = __builtin_fmaf(e[k], x[to[k]], a);
      b = __builtin_fmaf(e[k + 1], x[to[k + 1]], b);
      c = __builtin_fmaf(e[k + 2], x[to[k + 2]], c);
      d = __builtin_fmaf(e[k + 3], x[to[k + 3]], d);
    }
    if (k < last) a = __builtin_fmaf(e[k], x[to[k]], a);
    if (k + 1 < last) b = __builtin_fmaf(e[k + 1], x[to[k + 1]], b);
    if (k + 2 < last) c = __builtin_fmaf(e[k + 2], x[to[k + 2]], c);
    out[i] = (a + b) + (c + d);
  }
}

// out[r] = the sum of node rows[r], x_j = score[j] utility[j] (utility may be null: 1).
static void hop_rows(Csr graph, Column<const std::int32_t> rows, const float* score, const float* utility, float* out) {
  for (std::int64_t r = 0; r < rows.size; ++r) {
    float part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    const std::int64_t first = graph.offsets[rows.data[r]], last = graph.offsets[rows.data[r] + 1];
    for (std::int64_t k = first; k < last; ++k) {
      const std::int32_t j = graph.targets[k];
      const float x = utility == nullptr ? score[j] : score[j] * utility[j];
      part[(k - first) % 4] = __builtin_fmaf(graph.weights[k], x, part[(k - first) % 4]);
    }
    out[r] = (part[0] + part[1]) + (part[2] + part[3]);
  }
}

// Values of nodes [begin, end) for up to 16 queries, side by side: out[16 j + q] = score[q][j] utility[j], 0 for q beyond.
static void hop_interleave(Matrix<const float> score, const float* utility, std::int64_t begin, std::int64_t end, float* out) {
  for (std::int64_t j = begin; j < end; j += 16) {
    const std::int64_t n = end - j < 16 ? end - j : 16;
    float tile[16][16];
    const f32 u = utility == nullptr ? set(1.0f) : load(utility + j, n);
    for (std::int64_t q = 0; q < 16; ++q) {
      const f32 s = q < score.rows ? load(score.data + q * score.stride + j, n) : set(0.0f);
      store(tile[q], utility == nullptr ? s : mul(s, u));
    }
    for (std::int64_t i = 0; i < n; ++i)
      for (int q = 0; q < 16; ++q) out[(j + i) * 16 + q] = tile[q][i];
  }
}

// Nodes [begin, end) for the out.rows <= 16 queries that hop_interleave laid side by side; out[q][i].
static void hop_batch(Csr graph, std::int64_t begin, std::int64_t end, const float* x, Matrix<float> out) {
  const std::int64_t final_edge = graph.offsets[end] - 1;
  for (std::int64_t i = begin; i < end; i += 16) {
    const std::int64_t nodes = end - i < 16 ? end - i : 16;
    float tile[16][16];
    for (std::int64_t n = 0; n < nodes; ++n) {
      f32 part[4] = {set(0.0f), set(0.0f), set(0.0f), set(0.0f)};
      const std::int64_t last = graph.offsets[i + n + 1];
      std::int64_t k = graph.offsets[i + n];
      const auto step = [&](std::int64_t at, f32& sum) {
        const std::int64_t ahead = at + HOP_AHEAD < final_edge ? at + HOP_AHEAD : final_edge;
        __builtin_prefetch(x + std::int64_t{graph.targets[ahead]} * 16);
        sum = fma(set(graph.weights[at]), load(x + std::int64_t{graph.targets[at]} * 16), sum);
      };
      for (; k + 4 <= last; k += 4) {
        step(k, part[0]);
        step(k + 1, part[1]);
        step(k + 2, part[2]);
        step(k + 3, part[3]);
      }
      for (int p = 0; k < last; ++k, ++p) step(k, part[p]);
      store(tile[n], add(add(part[0], part[1]), add(part[2], part[3])));
    }
    for (std::int64_t q = 0; q < out.rows; ++q)
      for (std::int64_t n = 0; n < nodes; ++n) out.data[q * out.stride + i + n] = tile[n][q];
  }
}

}  // namespace scrubjay::SJ_ISA
