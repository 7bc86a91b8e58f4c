// The sum of all values: a plain forward stream, by which the machine's read limit is measured.
//
// Units: none. NaN and infinity spread into the result. Order: four blocks of 16 lanes, then sum()'s tree.
#pragma once

namespace scrubjay::SJ_ISA {

static float probe_read(Column<const float> values) {
  f32 a = set(0.0f), b = a, c = a, d = a;
  std::int64_t i = 0;
  for (; i + 64 <= values.size; i += 64) {
    a = add(a, load(values.data + i));
    b = add(b, load(values.data + i + 16));
    c = add(c, load(values.data + i + 32));
    d = add(d, load(values.data + i + 48));
  }
  for (; i < values.size; i += 16) a = add(a, load(values.data + i, values.size - i < 16 ? values.size - i : 16));
  return sum(add(add(a, b), add(c, d)));
}

}  // namespace scrubjay::SJ_ISA
