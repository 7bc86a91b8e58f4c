// out[i] = e^x[i], ln x[i], x[i]^y[i]
//
// Units: none. exp: any x, within 1 ulp (float32) or 2 ulp (float64). log: x >= 0, -inf at 0, NaN below, within 1 or 3
// ulp. power (float64): x >= 0 and finite y, within 2 ulp, 0^0 = 1. NaN gives NaN. The same bits on every ISA: what
// state-changing laws use in place of the C library's. out may be x.
#pragma once

namespace scrubjay::SJ_ISA {

template <class T>
static void exp_column(Column<const T> x, T* out) {
  sweep<T>(x.size, [&](std::int64_t i, auto part) { store(out + i, exp(load(x.data + i, part)), part); });
}

template <class T>
static void log_column(Column<const T> x, T* out) {
  sweep<T>(x.size, [&](std::int64_t i, auto part) { store(out + i, log(load(x.data + i, part)), part); });
}

static void power_column(Column<const double> x, const double* y, double* out) {
  sweep<double>(x.size, [&](std::int64_t i, auto part) {
    store(out + i, power(load(x.data + i, part), load(y + i, part)), part);
  });
}

}  // namespace scrubjay::SJ_ISA
