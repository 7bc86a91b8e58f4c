// Included once per ISA, after its lanes: brings the kernels into that ISA's namespace and fills its menu.
#include "lanes/bytes.hpp"
#include "lanes/magnitude.hpp"
#include "kernels/belief/beta.hpp"
#include "kernels/codes/planes.hpp"
#include "kernels/codes/products.hpp"
#include "kernels/codes/quantize.hpp"
#include "kernels/codes/encode.hpp"
#include "kernels/codes/sieve.hpp"
#include "kernels/decay/retrievability.hpp"
#include "kernels/decay/utility.hpp"
#include "kernels/elementary/elementary.hpp"
#include "kernels/elementary/outside.hpp"
#include "kernels/graph/edges.hpp"
#include "kernels/graph/hop.hpp"
#include "kernels/graph/lines.hpp"
#include "kernels/graph/strongest.hpp"
#include "kernels/probe/peak.hpp"
#include "kernels/probe/read.hpp"
#include "kernels/rank/factors.hpp"
#include "kernels/rank/sift.hpp"
#include "kernels/rank/tile.hpp"
#include "kernels/revise/fsrs.hpp"
#include "kernels/revise/gate.hpp"
#include "kernels/revise/rci.hpp"
#include "kernels/similarity/binding.hpp"
#include "kernels/similarity/dot.hpp"
#include "kernels/similarity/dot64.hpp"
#include "kernels/similarity/scan.hpp"
#include "kernels/similarity/scan_small.hpp"
#include "kernels/similarity/tile.hpp"

namespace scrubjay::SJ_ISA {

const Kernels& menu() {
  static constexpr Kernels filled{
      .name = SJ_NAME,
      .probe_read = probe_read,
      .probe_peak = probe_peak,
      .dot = dot,
      .dot64 = dot64,
      .dot64_bf16 = dot64_bf16,
      .dot64_u8 = dot64_u8,
      .scan = scan,
      .scan_bf16 = scan_bf16,
      .scan_u8 = scan_u8,
      .products = products,
      .quantize = quantize,
      .encode = encode,
      .split = split_codes,
      .join = join_codes,
      .scan_high = scan_high,
      .scan_both = scan_both,
      .tile_rows = SJ_TILE_ROWS,
      .tile_f32 = tile<Float32>,
      .tile_bf16 = tile<Bfloat16>,
      .tile_u8 = tile<Uint8>,
      .blend_tile = blend_tile,
      .sift_tile = sift_tile,
      .blend = blend,
      .reach = reach,
      .sift = sift,
      .binding = binding,
      .exp32 = exp_column<float>,
      .exp64 = exp_column<double>,
      .log32 = log_column<float>,
      .log64 = log_column<double>,
      .power64 = power_column,
      .outside32 = outside<float>,
      .outside64 = outside<double>,
      .utility = utility,
      .utility_shaped = utility_shaped,
      .edge_weights = edge_weights,
      .hop_values = hop_values,
      .hop = hop,
      .hop_rows = hop_rows,
      .hop_interleave = hop_interleave,
      .hop_batch = hop_batch,
      .hop_lines = hop_lines,
      .strongest = strongest,
      .rci_gate = rci_gate,
      .rci_apply = rci_apply,
      .rci = rci,
      .retrievability = retrievability,
      .beta_update32 = beta_update<float>,
      .beta_update64 = beta_update<double>,
      .beta_moments32 = beta_moments<float>,
      .beta_moments64 = beta_moments<double>,
      .fsrs_review32 = fsrs_review<float>,
      .fsrs_review64 = fsrs_review<double>,
      .fsrs_signal32 = fsrs_signal<float>,
      .fsrs_signal64 = fsrs_signal<double>,
      .fsrs_interval32 = fsrs_interval<float>,
      .fsrs_interval64 = fsrs_interval<double>,
      .fsrs_retrievability32 = fsrs_retrievability<float>,
      .fsrs_retrievability64 = fsrs_retrievability<double>,
  };
  return filled;
}

}  // namespace scrubjay::SJ_ISA
