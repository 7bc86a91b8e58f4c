// Included once per ISA, after its lanes: brings the kernels into that ISA's namespace and fills its menu.
#include "kernels/decay/utility.hpp"
#include "kernels/graph/edges.hpp"
#include "kernels/graph/hop.hpp"
#include "kernels/graph/strongest.hpp"
#include "kernels/probe/peak.hpp"
#include "kernels/probe/read.hpp"
#include "kernels/rank/factors.hpp"
#include "kernels/rank/sift.hpp"
#include "kernels/revise/gate.hpp"
#include "kernels/revise/rci.hpp"
#include "kernels/similarity/dot.hpp"
#include "kernels/similarity/dot64.hpp"
#include "kernels/similarity/scan.hpp"

namespace scrubjay::SJ_ISA {

const Kernels& menu() {
  static constexpr Kernels filled{
      .name = SJ_NAME,
      .probe_read = probe_read,
      .probe_peak = probe_peak,
      .dot = dot,
      .dot64 = dot64,
      .scan = scan,
      .blend = blend,
      .reach = reach,
      .sift = sift,
      .utility = utility,
      .edge_weights = edge_weights,
      .hop_values = hop_values,
      .hop = hop,
      .hop_rows = hop_rows,
      .hop_interleave = hop_interleave,
      .hop_batch = hop_batch,
      .strongest = strongest,
      .rci_gate = rci_gate,
      .rci_apply = rci_apply,
      .rci = rci,
  };
  return filled;
}

}  // namespace scrubjay::SJ_ISA
