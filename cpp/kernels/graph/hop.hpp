// One hop of messages over a CSR graph: out[i] = sum over edges (i, j) of e_ij x_j.
//
// Source: "Caching for the Future", eq. 8, with x_j = S0_j U_j and S0 the score without the graph term; with x = U alone it
// is the structural Phi of section 3.8. Domain: any float32; NaN reaches the nodes that point at it and no other. A node
// without edges gets 0, a self loop counts as an edge, duplicate edges add up. Order: edge k of a node goes into partial sum
// k mod 4, then (0 + 1) + (2 + 3), fused multiply-adds throughout: one query, a batch of them and a subset of the nodes give
// the same bits. Error: at most (degree / 4 + 3) 2^-24 sum |e x|.
#pragma once

namespace scrubjay::SJ_ISA {

// Values are fetched early, into the second cache FAR edges ahead and into the first NEAR ahead: more misses are then in
// flight than the first cache alone can track.
constexpr std::int64_t HOP_FAR = 128, HOP_NEAR = 16;

// Where x is found decides how it is read: bytes up to which it stays in the second cache, and in the third.
constexpr std::int64_t HOP_SECOND = 200'000, HOP_THIRD = 6'000'000;

SJ_INLINE void fetch_second(const float* p) { __builtin_prefetch(p, 0, 2); }
SJ_INLINE void fetch_first(const float* p) { __builtin_prefetch(p, 0, 3); }

// out[i] = score[i] utility[i]
static void hop_values(const float* score, const float* utility, std::int64_t n, float* out) {
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) store(out + i, mul(load(score + i), load(utility + i)));
  if (i < n) store(out + i, mul(load(score + i, n - i), load(utility + i, n - i)), n - i);
}

// How hop() reads x: by loads, by gathers (which keep more misses of the second cache in flight), or by loads after
// fetching early.
enum HopReads { HOP_LOADS, HOP_GATHERS, HOP_FETCHES };

// The sum over one node's edges, of which `left` or more follow from its first.
template <HopReads READS>
SJ_INLINE float hop_node(const float* e, const std::int32_t* to, std::int64_t degree, std::int64_t left, const float* x) {
  float part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  std::int64_t k = 0;
#ifdef __AVX2__
  __m128 sums = _mm_setzero_ps();
#endif
  for (; k + 4 <= degree; k += 4) {
    if (READS == HOP_FETCHES && k + HOP_FAR + 4 <= left)
      for (int n = 0; n < 4; ++n) fetch_second(x + to[k + HOP_FAR + n]);
#ifdef __AVX2__
    const __m128 values = READS == HOP_GATHERS
                              ? _mm_i32gather_ps(x, _mm_loadu_si128(reinterpret_cast<const __m128i*>(to + k)), 4)
                              : _mm_setr_ps(x[to[k]], x[to[k + 1]], x[to[k + 2]], x[to[k + 3]]);
    sums = _mm_fmadd_ps(_mm_loadu_ps(e + k), values, sums);
#else
    for (int n = 0; n < 4; ++n) part[n] = __builtin_fmaf(e[k + n], x[to[k + n]], part[n]);
#endif
  }
#ifdef __AVX2__
  _mm_storeu_ps(part, sums);
#endif
  for (int n = 0; k < degree; ++k, ++n) part[n] = __builtin_fmaf(e[k], x[to[k]], part[n]);
  return (part[0] + part[1]) + (part[2] + part[3]);
}

template <HopReads READS>
SJ_INLINE void hop_nodes(Csr graph, std::int64_t begin, std::int64_t end, const float* x, float* out) {
  const std::int64_t edges = graph.offsets[end];
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t first = graph.offsets[i];
    out[i] = hop_node<READS>(graph.weights + first, graph.targets + first, graph.offsets[i + 1] - first, edges - first, x);
  }
}

// Nodes [begin, end) for one query.
static void hop(Csr graph, std::int64_t begin, std::int64_t end, const float* x, float* out) {
  const std::int64_t bytes = graph.nodes * 4;
  if (bytes <= HOP_SECOND) hop_nodes<HOP_LOADS>(graph, begin, end, x, out);
  else if (bytes <= HOP_THIRD) hop_nodes<HOP_GATHERS>(graph, begin, end, x, out);
  else hop_nodes<HOP_FETCHES>(graph, begin, end, x, out);
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

template <bool FETCHES>
SJ_INLINE f32 hop_node_batch(const float* e, const std::int32_t* to, std::int64_t degree, std::int64_t left, const float* x) {
  f32 part[4] = {set(0.0f), set(0.0f), set(0.0f), set(0.0f)};
  const auto step = [&](std::int64_t k, f32& sum) {
    if (FETCHES) {
      fetch_second(x + std::int64_t{to[k + HOP_FAR < left ? k + HOP_FAR : left - 1]} * 16);
      fetch_first(x + std::int64_t{to[k + HOP_NEAR < left ? k + HOP_NEAR : left - 1]} * 16);
    }
    sum = fma(set(e[k]), load(x + std::int64_t{to[k]} * 16), sum);
  };
  std::int64_t k = 0;
  for (; k + 4 <= degree; k += 4) {
    step(k, part[0]);
    step(k + 1, part[1]);
    step(k + 2, part[2]);
    step(k + 3, part[3]);
  }
  for (int p = 0; k < degree; ++k, ++p) step(k, part[p]);
  return add(add(part[0], part[1]), add(part[2], part[3]));
}

template <bool FETCHES>
SJ_INLINE void hop_nodes_batch(Csr graph, std::int64_t begin, std::int64_t end, const float* x, Matrix<float> out) {
  const std::int64_t edges = graph.offsets[end];
  for (std::int64_t i = begin; i < end; i += 16) {
    const std::int64_t nodes = end - i < 16 ? end - i : 16;
    float tile[16][16];
    for (std::int64_t n = 0; n < nodes; ++n) {
      const std::int64_t first = graph.offsets[i + n], degree = graph.offsets[i + n + 1] - first;
      store(tile[n], hop_node_batch<FETCHES>(graph.weights + first, graph.targets + first, degree, edges - first, x));
    }
    for (std::int64_t q = 0; q < out.rows; ++q)
      for (std::int64_t n = 0; n < nodes; ++n) out.data[q * out.stride + i + n] = tile[n][q];
  }
}

// Nodes [begin, end) for the out.rows <= 16 queries that hop_interleave laid side by side; out[q][i].
static void hop_batch(Csr graph, std::int64_t begin, std::int64_t end, const float* x, Matrix<float> out) {
  if (graph.nodes * 64 <= HOP_SECOND) hop_nodes_batch<false>(graph, begin, end, x, out);
  else hop_nodes_batch<true>(graph, begin, end, x, out);
}

}  // namespace scrubjay::SJ_ISA
