// What each file of this folder adds to the module.
#pragma once

#include <pybind11/pybind11.h>

namespace scrubjay::bind {

void add_buffers(pybind11::module_& module);
void add_isa(pybind11::module_& module);
void add_mapped(pybind11::module_& module);
void add_probe(pybind11::module_& module);
void add_similarity(pybind11::module_& module);
void add_near(pybind11::module_& module);
void add_rank(pybind11::module_& module);
void add_elementary(pybind11::module_& module);
void add_decay(pybind11::module_& module);
void add_graph(pybind11::module_& module);
void add_revise(pybind11::module_& module);
void add_belief(pybind11::module_& module);
void add_fsrs(pybind11::module_& module);
void add_binding(pybind11::module_& module);

}  // namespace scrubjay::bind
