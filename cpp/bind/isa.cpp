// isa: which instruction sets can run, which one does, and choosing another.
#include <pybind11/stl.h>

#include "bind/families.hpp"
#include "bind/raise.hpp"
#include "dispatch.hpp"

namespace scrubjay::bind {
namespace {

std::string names() {
  std::string all;
  for (const std::string& name : dispatch::available()) all += (all.empty() ? "" : ", ") + name;
  return all;
}

void use(const std::string& name) {
  if (!dispatch::use(name)) bad_value("name must be one of " + names() + " on this CPU, got '" + name + "'");
}

}  // namespace

void add_isa(pybind11::module_& module) {
  if (const std::string complaint = dispatch::complaint(); !complaint.empty())
    bad_value(complaint + ": unset it or set it to one of " + names());
  module.def("isa_available", &dispatch::available);
  module.def("isa_active", [] { return std::string(dispatch::active().name); });
  module.def("isa_use", &use, pybind11::arg("name"));
}

}  // namespace scrubjay::bind
