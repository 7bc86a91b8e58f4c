#include "bind/buffers.hpp"

#include <cstring>

#include "bind/families.hpp"

namespace scrubjay::bind {
namespace {

std::string text(py::handle value) { return std::string(py::str(value)); }

std::string type_name(py::handle given) { return text(py::type::handle_of(given).attr("__name__")); }

std::string remedy(char kind, const char* argument, const char* name) {
  const std::string astype = std::string("convert it first, for example with .astype('") + name + "')";
  switch (kind) {
    case 'c': return "take .real and " + astype;
    case 'O': return std::string("build it with numpy.asarray(") + argument + ", dtype='" + name + "')";
    case 'M': case 'm': return "convert it to seconds first, for example with .astype('datetime64[us]').astype('int64') / 1e6";
    case 'S': case 'U': case 'V': case 'T': return "pass numbers";
    default: return astype;
  }
}

// No value of `from` changes on its way into `to`.
bool exact(const py::dtype& from, const py::dtype& to) {
  const char a = from.kind(), b = to.kind();
  if (a == b && (a == 'f' || a == 'i' || a == 'u')) return from.itemsize() <= to.itemsize();
  return a == 'u' && b == 'i' && from.itemsize() < to.itemsize();
}

bool native(const py::dtype& dtype) { return dtype.byteorder() == '=' || dtype.byteorder() == '|'; }

bool same(const py::dtype& a, const py::dtype& b) {
  return a.kind() == b.kind() && a.itemsize() == b.itemsize() && native(a);
}

// Aligned, contiguous; `strided`: or at least the values of a row side by side, rows a whole number of values apart.
bool plain(const py::array& array, bool strided) {
  const py::ssize_t item = array.itemsize(), last = array.ndim() - 1;
  if (reinterpret_cast<std::uintptr_t>(array.data()) % static_cast<std::uintptr_t>(item) != 0) return false;
  if (array.size() == 0 || (array.flags() & py::array::c_style) != 0) return true;
  if (!strided) return false;
  if (array.shape(last) > 1 && array.strides(last) != item) return false;
  return array.shape(0) < 2 || (array.strides(0) >= 0 && array.strides(0) % item == 0);
}

py::array as_numpy(py::handle given, const char* argument, const char* name) {
  try {
    const auto numpy = py::module_::import("numpy");
    if (PyObject_CheckBuffer(given.ptr()))
      return py::array(numpy.attr("asarray")(py::memoryview(py::reinterpret_borrow<py::object>(given))));
    return py::array(numpy.attr("asarray")(given));
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw;
    bad_type(std::string(argument) + " must be an array of " + name + ", got a " + type_name(given) +
             " that cannot be read: " + error.what());
  }
}

// A masked array whose mask hides something would be read as if it did not.
void refuse_masked(py::handle given, const char* argument) {
  if (Py_TYPE(given.ptr()) == py::detail::npy_api::get().PyArray_Type_) return;
  if (!py::hasattr(given, "mask") || !py::hasattr(given, "filled")) return;
  if (py::bool_(py::module_::import("numpy").attr("any")(given.attr("mask"))))
    bad_type(std::string(argument) + " has masked values: fill them first, for example with .filled(0)");
}

View read(py::handle given, const char* argument, const char* name) {
  if (py::isinstance<py::array>(given)) {
    refuse_masked(given, argument);
    return {py::reinterpret_borrow<py::array>(given), {nullptr, 0}, py::object()};
  }
  const bool listed = PyList_Check(given.ptr()) || PyTuple_Check(given.ptr()) || PyUnicode_Check(given.ptr());
  if (!listed && !PyType_Check(given.ptr())) {
    if (is_arrow(given)) return from_arrow(given, argument);
    if (PyObject_CheckBuffer(given.ptr()) || py::hasattr(given, "__array__"))
      return {as_numpy(given, argument, name), {nullptr, 0}, py::object()};
  }
  bad_type(std::string(argument) + " must be an array of " + name + " (NumPy, Arrow or a buffer), got " +
           type_name(given) + ": build it with numpy.asarray(" + argument + ", dtype='" + name + "')");
}

std::string axes(py::ssize_t n) { return std::to_string(n) + (n == 1 ? " axis" : " axes"); }

void check_rank(const py::array& array, const char* argument, int rank) {
  if (rank == 0 ? array.ndim() != 1 && array.ndim() != 2 : array.ndim() != rank)
    bad_type(std::string(argument) + " must have " + (rank == 0 ? "1 or 2 axes" : axes(rank)) + ", got " + std::to_string(array.ndim()) +
             ": reshape it first");
}

// The view as `wanted`, or an error; a copy where dtype or layout do not fit.
View fit(View seen, const char* argument, const py::dtype& wanted, const char* name, int rank, bool strided, Nulls nulls) {
  const py::dtype dtype = seen.values.dtype();
  if (!same(dtype, wanted) && !exact(dtype, wanted))
    bad_type(std::string(argument) + " must be " + name + ", got " + text(dtype) + ": " +
             remedy(dtype.kind(), argument, name));
  check_rank(seen.values, argument, rank);
  if (nulls == Nulls::refused && seen.valid.bits != nullptr)
    bad_type(std::string(argument) + " has nulls: fill or drop them first, for example with .fill_null(0) or .drop_null()");
  if (!same(dtype, wanted) || !plain(seen.values, strided))
    seen.values = py::array(py::module_::import("numpy").attr("array")(seen.values, wanted, py::arg("order") = "C"));
  return seen;
}

template <class T>
void check_index(const T* values, py::ssize_t size, const char* argument, std::int64_t limit) {
  bool bad = false;
  for (py::ssize_t i = 0; i < size; ++i) bad |= static_cast<std::uint64_t>(std::int64_t{values[i]}) >= static_cast<std::uint64_t>(limit);
  for (py::ssize_t i = 0; bad && i < size; ++i)
    if (values[i] < 0 || values[i] >= limit)
      bad_value(std::string(argument) + " must be row numbers below " + std::to_string(limit) + ", got " +
                std::to_string(values[i]) + " at position " + std::to_string(i));
}

std::uintptr_t begin(const Extent& e) { return reinterpret_cast<std::uintptr_t>(e.data); }

void refuse_pair(const Extent& a, const Extent& b) {
  if (a.bytes > 0 && b.bytes > 0 && begin(a) < begin(b) + static_cast<std::uintptr_t>(b.bytes) &&
      begin(b) < begin(a) + static_cast<std::uintptr_t>(a.bytes))
    bad_value(std::string(a.argument) + " is changed in place and shares memory with " + b.argument + ": pass a copy");
}

// One bool a row, true where it is not null; None where nothing is.
py::object bools(Bitmap valid, std::int64_t rows) {
  if (valid.bits == nullptr) return py::none();
  py::array_t<bool> out(rows);
  bool* each = out.mutable_data();
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t at = valid.offset + i;
    each[i] = (valid.bits[at / 8] >> (at % 8) & 1) != 0;
  }
  return out;
}

template <class T>
py::tuple seen(py::handle given, int axes_wanted) {
  const View view = bind::view(given, "array", py::dtype::of<T>(), Name<T>::value, axes_wanted, axes_wanted == 2, Nulls::kept);
  py::object values = view.values.attr("view")(py::module_::import("numpy").attr("ndarray"));
  values.attr("setflags")(py::arg("write") = false);
  return py::make_tuple(values, bools(view.valid, static_cast<std::int64_t>(view.values.shape(0))));
}

py::tuple view_any(py::handle array, const std::string& dtype, int axes_wanted) {
  if (axes_wanted != 1 && axes_wanted != 2) bad_value("axes must be 1 or 2, got " + std::to_string(axes_wanted));
  if (dtype == "float32") return seen<float>(array, axes_wanted);
  if (dtype == "float64") return seen<double>(array, axes_wanted);
  if (dtype == "int8") return seen<std::int8_t>(array, axes_wanted);
  if (dtype == "uint8") return seen<std::uint8_t>(array, axes_wanted);
  if (dtype == "uint16") return seen<std::uint16_t>(array, axes_wanted);
  if (dtype == "int32") return seen<std::int32_t>(array, axes_wanted);
  if (dtype == "int64") return seen<std::int64_t>(array, axes_wanted);
  bad_value("dtype must be one of float32, float64, int8, uint8, uint16, int32, int64, got '" + dtype + "'");
}

}  // namespace

View view(py::handle given, const char* argument, const py::dtype& wanted, const char* name, int rank, bool strided,
          Nulls nulls) {
  return fit(read(given, argument, name), argument, wanted, name, rank, strided, nulls);
}

py::array writable(py::handle given, const char* argument, const py::dtype& wanted, const char* name, int rank) {
  const std::string rule = std::string(argument) + " is changed in place: it must be a writable, C-contiguous " + name + " array, ";
  const bool numpy = py::isinstance<py::array>(given);
  if (!numpy && (is_arrow(given) || !PyObject_CheckBuffer(given.ptr())))
    bad_type(rule + "got " + type_name(given) + ": copy it into a NumPy array");
  if (numpy) refuse_masked(given, argument);
  const py::array array = numpy ? py::reinterpret_borrow<py::array>(given) : as_numpy(given, argument, name);
  if (!same(array.dtype(), wanted)) bad_type(rule + "got " + text(array.dtype()));
  check_rank(array, argument, rank);
  if (!array.writeable()) bad_type(rule + "got a read-only one: pass a copy");
  if (!plain(array, false))
    bad_type(rule + "got strided or unaligned memory: pass numpy.ascontiguousarray(" + argument + ")");
  return array;
}

Array<std::int32_t> take_index(py::handle given, const char* argument, std::int64_t limit) {
  View seen = read(given, argument, "int32");
  const bool wide = seen.values.dtype().kind() == 'i' && seen.values.dtype().itemsize() == 8;
  if (!wide) {
    seen = fit(std::move(seen), argument, py::dtype::of<std::int32_t>(), "int32", 1, false, Nulls::refused);
    check_index(static_cast<const std::int32_t*>(seen.values.data()), seen.values.size(), argument, limit);
    return {std::move(seen.values), py::object(), {nullptr, 0}};
  }
  seen = fit(std::move(seen), argument, py::dtype::of<std::int64_t>(), "int64", 1, false, Nulls::refused);
  const auto* values = static_cast<const std::int64_t*>(seen.values.data());
  check_index(values, seen.values.size(), argument, limit);
  py::array_t<std::int32_t> narrow(seen.values.size());
  std::int32_t* out = narrow.mutable_data();
  for (py::ssize_t i = 0; i < narrow.size(); ++i) out[i] = static_cast<std::int32_t>(values[i]);
  return {narrow, py::object(), {nullptr, 0}};
}

Bits take_bits(py::handle given, const char* argument, std::int64_t rows) {
  Bits bits{};
  if (!py::isinstance<py::array>(given) && !PyType_Check(given.ptr()) && is_arrow(given)) {
    bits = bits_from_arrow(given, argument);
  } else {
    const View seen = read(given, argument, "bool");
    if (seen.values.dtype().kind() != 'b')
      bad_type(std::string(argument) + " must be bool, got " + text(seen.values.dtype()) + ": compare it with something first");
    check_rank(seen.values, argument, 1);
    bits.size = static_cast<std::int64_t>(seen.values.size());
    bits.packed = py::array_t<std::uint8_t>(
        py::module_::import("numpy").attr("packbits")(seen.values, py::arg("bitorder") = "little"));
  }
  if (bits.size != rows)
    bad_value(std::string(argument) + " has " + std::to_string(bits.size) + " values but there are " +
              std::to_string(rows) + " rows");
  return bits;
}

void refuse_overlap(std::initializer_list<Extent> written, std::initializer_list<Extent> read) {
  for (const Extent* a = written.begin(); a != written.end(); ++a) {
    for (const Extent* b = a + 1; b != written.end(); ++b) refuse_pair(*a, *b);
    for (const Extent& b : read) refuse_pair(*a, b);
  }
}

void add_buffers(py::module_& module) {
  module.def("view", &view_any, py::arg("array"), py::arg("dtype"), py::arg("axes") = 1);
}

}  // namespace scrubjay::bind
