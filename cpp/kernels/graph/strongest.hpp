// The strongest neighbour: out[i] = max over edges (i, j) of x_j, or of e_ij x_j when weighted.
//
// Source: the graph term of the SIMULATE frame (three channels, section 5.6). Domain: any float32; a NaN is passed over; a
// node without edges, or with NaN alone, gets 0. The result depends on no order.
#pragma once

namespace scrubjay::SJ_ISA {

static void strongest(Csr graph, std::int64_t begin, std::int64_t end, const float* x, bool weighted, float* out) {
  for (std::int64_t i = begin; i < end; ++i) {
    float best = -__builtin_inff();
    bool any = false;
    for (std::int64_t k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
      const float v = weighted ? graph.weights[k] * x[graph.targets[k]] : x[graph.targets[k]];
      any |= v == v;
      best = v > best ? v : best;
    }
    out[i] = any ? best : 0.0f;
  }
}

}  // namespace scrubjay::SJ_ISA
