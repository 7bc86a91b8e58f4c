#include "bind/vectors.hpp"

namespace scrubjay::bind {
namespace {

template <class T>
void of_width(const Rows<T>& array, std::int64_t wanted, const std::string& argument) {
  if (array.extent(1) != wanted)
    bad_value(argument + " has rows of " + std::to_string(array.extent(1)) + " values where " + std::to_string(wanted) +
              " are needed");
}

template <class T>
void of_height(const Rows<T>& array, std::int64_t wanted, const std::string& argument) {
  if (array.extent(0) != wanted)
    bad_value(argument + " must have " + std::to_string(wanted) + " rows, got " + std::to_string(array.extent(0)));
}

py::tuple parts(py::handle in, std::size_t many, const std::string& argument, const char* what) {
  if (!py::isinstance<py::tuple>(in) || py::len(in) != many) bad_type(argument + " must be the tuple " + what);
  return py::reinterpret_borrow<py::tuple>(in);
}

void take_quantized(Vectors& v, py::handle in, const std::string& argument, std::int64_t cols) {
  const py::tuple two = parts(in, 2, argument, "(codes, meta) from quantize8");
  v.u8 = take_matrix<std::uint8_t>(two[0], (argument + " codes").c_str());
  v.meta = take_matrix<float>(two[1], (argument + " meta").c_str());
  of_width(*v.u8, (cols + 63) / 64 * 64, argument + " codes");
  of_height(*v.meta, 2, argument + " meta");
  of_width(*v.meta, v.u8->extent(0), argument + " meta");
  const Matrix<const float> meta = v.meta->matrix();
  const Matrix<const std::uint8_t> codes = v.u8->matrix();
  v.rows = {rank::Store::u8, codes.data, codes.rows, cols, codes.stride, meta.data, meta.data + meta.stride};
}

template <class T>
rank::Rows plain(const Rows<T>& array, rank::Store store) {
  const Matrix<const T> m = array.matrix();
  return {store, m.data, m.rows, m.cols, m.stride, nullptr, nullptr};
}

}  // namespace

void check_width(std::int64_t got, std::int64_t wanted, const std::string& argument, const std::string& other) {
  if (got != wanted)
    bad_value(argument + " has rows of " + std::to_string(got) + " values but " + other + " has rows of " +
              std::to_string(wanted));
  if (got < 1 || got > widest)
    bad_value(argument + " must have rows of 1 to " + std::to_string(widest) + " values, got " + std::to_string(got));
}

void take_vectors(Vectors& v, py::handle in, const std::string& argument, std::int64_t cols, const std::string& other) {
  if (py::isinstance<py::tuple>(in)) {
    take_quantized(v, in, argument, cols);
  } else if (py::isinstance<py::array_t<std::uint16_t>>(in)) {
    v.bf16 = take_matrix<std::uint16_t>(in, argument.c_str());
    v.rows = plain(*v.bf16, rank::Store::bf16);
  } else {
    v.f32 = take_matrix<float>(in, argument.c_str());
    v.rows = plain(*v.f32, rank::Store::f32);
  }
  check_width(v.rows.cols, cols, argument, other);
  // Empty arrays may have no memory; null would mean that no rows were given.
  static const float nothing[1] = {};
  if (!v.rows.data) v.rows.data = nothing;
}

void take_codes(Vectors& v, py::handle in, const std::string& argument) {
  if (in.is_none()) return;
  if (v.rows.store != rank::Store::f32) bad_value(argument + " can be given for float32 rows only");
  if (v.rows.cols > widest / 2) bad_value(argument + " can be given for rows of up to 32768 values, got " + std::to_string(v.rows.cols));
  const py::tuple three = parts(in, 3, argument, "(high, low, meta) from codes");
  v.high = take_matrix<std::uint8_t>(three[0], (argument + " high").c_str());
  v.low = take_matrix<std::uint8_t>(three[1], (argument + " low").c_str());
  v.meta = take_matrix<float>(three[2], (argument + " meta").c_str());
  for (const auto* half : {&*v.high, &*v.low}) {
    of_width(*half, (v.rows.cols + 127) / 128 * 64, argument);
    of_height(*half, v.rows.rows, argument);
  }
  of_height(*v.meta, 4, argument + " meta");
  of_width(*v.meta, v.rows.rows, argument + " meta");
  if (v.rows.rows == 0) return;
  const Matrix<const float> meta = v.meta->matrix();
  v.codes = {v.high->matrix(), v.low->matrix(), meta.data, meta.data + meta.stride, meta.data + 2 * meta.stride, meta.data + 3 * meta.stride};
}

}  // namespace scrubjay::bind
