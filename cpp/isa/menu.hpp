// Included once per ISA, after its lanes: brings the kernels into that ISA's namespace and fills its menu.
#include "kernels/decay/utility.hpp"
#include "kernels/probe/peak.hpp"
#include "kernels/probe/read.hpp"
#include "kernels/similarity/dot.hpp"

namespace scrubjay::SJ_ISA {

const Kernels& menu() {
  static constexpr Kernels filled{
      .name = SJ_NAME,
      .probe_read = probe_read,
      .probe_peak = probe_peak,
      .dot = dot,
      .utility = utility,
  };
  return filled;
}

}  // namespace scrubjay::SJ_ISA
