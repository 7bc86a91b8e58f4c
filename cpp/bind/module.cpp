// The contents page: the native module and its families.
#include "bind/families.hpp"

// Every kernel is a pure function over its arguments, and what is shared is atomic: no lock of Python is needed.
PYBIND11_MODULE(_core, module, pybind11::mod_gil_not_used()) {
  module.doc() = "scrubjay's native kernels; use scrubjay.kernels and scrubjay.isa.";
  scrubjay::bind::add_isa(module);
  scrubjay::bind::add_mapped(module);
  scrubjay::bind::add_buffers(module);
  scrubjay::bind::add_probe(module);
  scrubjay::bind::add_similarity(module);
  scrubjay::bind::add_near(module);
  scrubjay::bind::add_rank(module);
  scrubjay::bind::add_elementary(module);
  scrubjay::bind::add_decay(module);
  scrubjay::bind::add_graph(module);
  scrubjay::bind::add_revise(module);
  scrubjay::bind::add_belief(module);
  scrubjay::bind::add_fsrs(module);
  scrubjay::bind::add_binding(module);
}
