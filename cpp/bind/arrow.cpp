#include "bind/arrow.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bind/raise.hpp"

namespace scrubjay::bind {
namespace {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

// One of the three structs, moved out of where it lived and released once.
template <class S>
struct Owned {
  S it{};
  Owned() = default;
  explicit Owned(S* from) : it(*from) { from->release = nullptr; }
  Owned(Owned&& other) noexcept : it(other.it) { other.it.release = nullptr; }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (it.release != nullptr) it.release(&it);
  }
};

using Schema = Owned<ArrowSchema>;
using Chunk = Owned<ArrowArray>;
using Stream = Owned<ArrowArrayStream>;

[[noreturn]] void malformed(const char* argument, const std::string& what) {
  bad_type(std::string(argument) + " is a malformed Arrow array: " + what + "; mend its producer");
}

template <class S>
S* inside(py::handle capsule, const char* name, const char* argument) {
  if (!PyCapsule_IsValid(capsule.ptr(), name)) malformed(argument, std::string("no capsule named ") + name);
  S* held = static_cast<S*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (held->release == nullptr) malformed(argument, std::string(name) + " was already released");
  return held;
}

struct Leaf {
  const char* format;
  const char* dtype;
};
constexpr Leaf LEAVES[] = {{"e", "float16"}, {"f", "float32"}, {"g", "float64"}, {"c", "int8"},
                           {"C", "uint8"},   {"s", "int16"},   {"S", "uint16"},  {"i", "int32"},
                           {"I", "uint32"},  {"l", "int64"},   {"L", "uint64"}};

// FixedSizeList levels from the outside, then a number (or a bit).
struct Type {
  std::vector<std::int64_t> lists;
  const char* dtype = nullptr;
  bool bit = false;
};

std::int64_t list_size(const char* digits, const char* argument) {
  std::int64_t size = 0;
  if (*digits == '\0') malformed(argument, "a FixedSizeList without a size");
  for (; *digits != '\0'; ++digits) {
    if (*digits < '0' || *digits > '9' || size > std::numeric_limits<std::int32_t>::max())
      malformed(argument, "a FixedSizeList of an impossible size");
    size = size * 10 + (*digits - '0');
  }
  return size;
}

const char* remedy(const std::string& format) {
  if (format == "+s") return "a struct or table: pass one of its columns";
  if (format == "+l" || format == "+L" || format == "+vl" || format == "+vL")
    return "a list of varying length: cast it to a FixedSizeList";
  if (format == "b") return "bool: cast it to numbers";
  if (format == "n") return "null: cast it to a type";
  if (format[0] == 't') return "a date, time or duration: cast it to float64 seconds";
  if (format[0] == 'u' || format[0] == 'U' || format[0] == 'v') return "text: pass numbers";
  return "no plain number: cast it to one";
}

Type type_of(const ArrowSchema& root, const char* argument) {
  Type type;
  const ArrowSchema* at = &root;
  for (;;) {
    if (at == nullptr || at->format == nullptr || at->n_children < 0) malformed(argument, "a type without a format");
    if (at->dictionary != nullptr) bad_type(std::string(argument) + " is dictionary-encoded: decode it first");
    if (std::strncmp(at->format, "+w:", 3) != 0) break;
    if (at->n_children != 1 || at->children == nullptr) malformed(argument, "a FixedSizeList without its one child");
    if (type.lists.size() == 2) bad_type(std::string(argument) + " is nested deeper than 2 lists: flatten it");
    type.lists.push_back(list_size(at->format + 3, argument));
    at = at->children[0];
  }
  const std::string format = at->format;
  for (const Leaf& leaf : LEAVES)
    if (format == leaf.format) type.dtype = leaf.dtype;
  type.bit = format == "b";
  if (type.dtype == nullptr && !type.bit)
    bad_type(std::string(argument) + " must hold numbers, got Arrow format '" + format + "', " + remedy(format));
  return type;
}

bool bit(const std::uint8_t* bits, std::int64_t i) { return (bits[i / 8] >> (i % 8) & 1) != 0; }

std::int64_t checked(std::int64_t a, std::int64_t b, std::int64_t scale, const char* argument) {
  std::int64_t sum = 0;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) || __builtin_mul_overflow(sum, scale, &sum))
    malformed(argument, "a length or offset that is negative or overflows");
  return sum;
}

void check_parts(const ArrowArray& array, std::int64_t buffers, std::int64_t children, const char* argument) {
  if (array.length < 0 || array.offset < 0) malformed(argument, "a negative length or offset");
  if (array.n_buffers != buffers || array.buffers == nullptr)
    malformed(argument, "has " + std::to_string(array.n_buffers) + " buffers instead of " + std::to_string(buffers));
  if (array.n_children != children || (children > 0 && (array.children == nullptr || array.children[0] == nullptr)))
    malformed(argument, "has " + std::to_string(array.n_children) + " children instead of " + std::to_string(children));
  if (array.dictionary != nullptr) malformed(argument, "has a dictionary that its type does not name");
  if (array.null_count > 0 && array.buffers[0] == nullptr) malformed(argument, "counts nulls but has no bitmap");
}

// Where the numbers of `chunk` start, after every level's offset, and which rows are not null.
struct Found {
  const void* data;
  std::int64_t first;  // index of the first number behind data
  Bitmap valid;
};

Found locate(const ArrowArray& chunk, const Type& type, const char* argument) {
  const ArrowArray* at = &chunk;
  std::int64_t start = 0, count = chunk.length, per_row = 1;
  Bitmap rows{nullptr, 0};
  for (std::size_t level = 0;; ++level) {
    const bool list = level < type.lists.size();
    check_parts(*at, list ? 1 : 2, list ? 1 : 0, argument);
    const std::int64_t first = checked(at->offset, start, 1, argument);
    if (checked(start, count, 1, argument) > at->length) malformed(argument, "a list is longer than its values");
    checked(first, count, 16, argument);
    const auto* bits = static_cast<const std::uint8_t*>(at->buffers[0]);
    if (level == 0 && bits != nullptr) rows = {bits, first};
    if (level > 0 && bits != nullptr)
      for (std::int64_t i = 0; i < count; ++i)
        if (!bit(bits, first + i) && (rows.bits == nullptr || bit(rows.bits, rows.offset + i / per_row)))
          bad_type(std::string(argument) + " has a null inside row " + std::to_string(i / per_row) +
                   ": fill it, or make the whole row null");
    if (!list) {
      if (at->buffers[1] == nullptr && count > 0) malformed(argument, "has values but no data buffer");
      return {at->buffers[1], first, rows};
    }
    const std::int64_t size = type.lists[level];
    per_row = checked(per_row, 0, size, argument);
    start = checked(first, 0, size, argument);
    count = checked(count, 0, size, argument);
    at = at->children[0];
  }
}

bool has_nulls(const Bitmap& valid, std::int64_t size) {
  if (valid.bits == nullptr) return false;
  std::int64_t i = 0;
  for (; i < size && (valid.offset + i) % 8 != 0; ++i)
    if (!bit(valid.bits, valid.offset + i)) return true;
  for (; i + 8 <= size; i += 8)
    if (valid.bits[(valid.offset + i) / 8] != 0xff) return true;
  for (; i < size; ++i)
    if (!bit(valid.bits, valid.offset + i)) return true;
  return false;
}

View view_of(Chunk&& chunk, const Type& type, const char* argument) {
  if (type.bit) bad_type(std::string(argument) + " must hold numbers, got Arrow bool: cast it to numbers");
  const py::dtype dtype(type.dtype);
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(chunk.it.length)};
  for (const std::int64_t size : type.lists) shape.push_back(static_cast<py::ssize_t>(size));
  const Found found = locate(chunk.it, type, argument);
  View view;
  if (has_nulls(found.valid, chunk.it.length)) view.valid = found.valid;
  const auto* data = static_cast<const std::uint8_t*>(found.data);
  auto kept = std::make_unique<Chunk>(std::move(chunk));
  const py::capsule owner(kept.get(), [](void* held) { delete static_cast<Chunk*>(held); });
  kept.release();
  view.valid_owner = owner;
  if (data == nullptr)
    view.values = py::array(dtype, shape);
  else
    view.values = py::array(dtype, shape, data + found.first * dtype.itemsize(), owner);
  return view;
}

// The view's rows as fresh bits, or ones where it has no nulls, written behind the first `at` of `out`.
void append_bits(const Bitmap& from, std::int64_t size, std::uint8_t* out, std::int64_t at) {
  for (std::int64_t i = 0; i < size; ++i)
    if (from.bits == nullptr || bit(from.bits, from.offset + i)) out[(at + i) / 8] |= std::uint8_t(1u << ((at + i) % 8));
}

View joined(std::vector<View>& parts) {
  py::list arrays;
  std::int64_t rows = 0;
  bool any = false;
  for (const View& part : parts) {
    arrays.append(part.values);
    rows += part.values.shape(0);
    any = any || part.valid.bits != nullptr;
  }
  View whole;
  whole.values = py::array(py::module_::import("numpy").attr("concatenate")(arrays));
  if (any) {
    py::array_t<std::uint8_t> bits((rows + 7) / 8);
    std::memset(bits.mutable_data(), 0, static_cast<std::size_t>(bits.size()));
    std::int64_t at = 0;
    for (const View& part : parts) {
      append_bits(part.valid, part.values.shape(0), bits.mutable_data(), at);
      at += part.values.shape(0);
    }
    whole.valid = {bits.data(), 0};
    whole.valid_owner = bits;
  }
  return whole;
}

struct Taken {
  Type type;
  std::vector<Chunk> chunks;
};

py::object called(py::handle given, const char* method, const char* argument) {
  try {
    return given.attr(method)();
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw;
    bad_type(std::string(argument) + "." + method + "() failed: " + error.what());
  }
}

Taken taken_array(py::handle given, const char* argument) {
  const py::object pair = called(given, "__arrow_c_array__", argument);
  if (!py::isinstance<py::tuple>(pair) || py::len(pair) != 2)
    malformed(argument, "__arrow_c_array__ gave no pair of capsules");
  const py::tuple both(pair);
  const Schema schema(inside<ArrowSchema>(both[0], "arrow_schema", argument));
  Taken taken;
  taken.chunks.emplace_back(inside<ArrowArray>(both[1], "arrow_array", argument));
  taken.type = type_of(schema.it, argument);
  return taken;
}

[[noreturn]] void stream_failed(Stream& stream, const char* argument) {
  const char* why = stream.it.get_last_error == nullptr ? nullptr : stream.it.get_last_error(&stream.it);
  bad_type(std::string(argument) + ": its Arrow stream failed: " + (why == nullptr ? "no reason given" : why));
}

Taken taken_stream(py::handle given, const char* argument) {
  const py::object capsule = called(given, "__arrow_c_stream__", argument);
  Stream stream(inside<ArrowArrayStream>(capsule, "arrow_array_stream", argument));
  if (stream.it.get_schema == nullptr || stream.it.get_next == nullptr) malformed(argument, "a stream without functions");
  Schema schema;
  if (stream.it.get_schema(&stream.it, &schema.it) != 0) stream_failed(stream, argument);
  if (schema.it.release == nullptr) malformed(argument, "a stream without a schema");
  Taken taken;
  taken.type = type_of(schema.it, argument);
  for (;;) {
    Chunk chunk;
    if (stream.it.get_next(&stream.it, &chunk.it) != 0) stream_failed(stream, argument);
    if (chunk.it.release == nullptr) return taken;
    taken.chunks.push_back(std::move(chunk));
  }
}

Taken taken(py::handle given, const char* argument) {
  return py::hasattr(given, "__arrow_c_array__") ? taken_array(given, argument) : taken_stream(given, argument);
}

}  // namespace

bool is_arrow(py::handle given) {
  return py::hasattr(given, "__arrow_c_array__") || py::hasattr(given, "__arrow_c_stream__");
}

View from_arrow(py::handle given, const char* argument) {
  Taken source = taken(given, argument);
  if (source.chunks.size() == 1) return view_of(std::move(source.chunks[0]), source.type, argument);
  if (source.chunks.empty()) {
    if (source.type.bit) bad_type(std::string(argument) + " must hold numbers, got Arrow bool: cast it to numbers");
    std::vector<py::ssize_t> shape{0};
    for (const std::int64_t size : source.type.lists) shape.push_back(static_cast<py::ssize_t>(size));
    return {py::array(py::dtype(source.type.dtype), shape), {nullptr, 0}, py::none()};
  }
  std::vector<View> parts;
  for (Chunk& chunk : source.chunks) parts.push_back(view_of(std::move(chunk), source.type, argument));
  return joined(parts);
}

Bits bits_from_arrow(py::handle given, const char* argument) {
  const Taken source = taken(given, argument);
  if (!source.type.bit || !source.type.lists.empty())
    bad_type(std::string(argument) + " must be one bool a row, got an Arrow array of another type");
  std::int64_t rows = 0;
  for (const Chunk& chunk : source.chunks) rows = checked(rows, chunk.it.length, 1, argument);
  py::array_t<std::uint8_t> bits((rows + 7) / 8);
  std::uint8_t* out = bits.mutable_data();
  std::memset(out, 0, static_cast<std::size_t>(bits.size()));
  std::int64_t at = 0;
  for (const Chunk& chunk : source.chunks) {
    const Found found = locate(chunk.it, source.type, argument);
    const auto* values = static_cast<const std::uint8_t*>(found.data);
    for (std::int64_t i = 0; i < chunk.it.length; ++i, ++at)
      if (bit(values, found.first + i) && (found.valid.bits == nullptr || bit(found.valid.bits, found.valid.offset + i)))
        out[at / 8] |= std::uint8_t(1u << (at % 8));
  }
  return {bits, rows};
}

}  // namespace scrubjay::bind
