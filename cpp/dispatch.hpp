// The one place that asks the CPU which menu may run. SCRUBJAY_ISA forces one by name.
#pragma once

#include <string>
#include <vector>

#include "kernels.hpp"

namespace scrubjay::dispatch {

// Names of the menus that this CPU can run, from the plainest to the widest.
std::vector<std::string> available();

// The menu in use: the widest available one, or the one that SCRUBJAY_ISA or use() named.
const Kernels& active();

// Makes `name` the menu in use. False, and nothing changes, when this CPU cannot run it or no such menu exists.
bool use(const std::string& name);

// Empty, or why SCRUBJAY_ISA was not honoured: the binding raises it at import.
std::string complaint();

}  // namespace scrubjay::dispatch
