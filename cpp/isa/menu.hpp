// Included once per ISA, after its lanes: brings the kernels into that ISA's namespace and fills its menu.
#include "kernels/decay/utility.hpp"
#include "kernels/probe/peak.hpp"
#include "kernels/probe/read.hpp"
#include "kernels/rank/factors.hpp"
#include "kernels/rank/sift.hpp"
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
  };
  return filled;
}

}  // namespace scrubjay::SJ_ISA
