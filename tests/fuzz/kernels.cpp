// libFuzzer target: kernels of every instruction set that this CPU has, over arrays of any length and any bits.
//
// Each array is an allocation of its own and of exactly its size, so that the address sanitizer sees a read or write beyond
// it. Kernels that change state, and those that state is made of, must give the same bits on every instruction set; NaN is
// like NaN.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "kernels.hpp"

namespace scrubjay {
namespace scalar { const Kernels& menu(); }
namespace avx2 { const Kernels& menu(); }
namespace avx512 { const Kernels& menu(); }
}  // namespace scrubjay

using namespace scrubjay;

namespace {

// What the bytes of an input are spent on; when they are used up, they begin again.
class Bytes_ {
 public:
  Bytes_(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint8_t byte() { return size_ ? data_[at_++ % size_] : 0; }
  std::int64_t below(std::int64_t n) { return n > 0 ? (byte() | byte() << 8) % n : 0; }
  template <class T>
  T value() {
    std::uint8_t raw[sizeof(T)];
    for (auto& b : raw) b = byte();
    T out;
    std::memcpy(&out, raw, sizeof out);
    return out;
  }
  // Half of the numbers are of any bits, half are ordinary ones.
  template <class T>
  T number() {
    return byte() & 1 ? value<T>() : static_cast<T>(static_cast<std::int16_t>(value<std::uint16_t>())) / 64;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

template <class T>
struct Array {
  std::unique_ptr<T[]> held;
  std::int64_t size;
  explicit Array(std::int64_t n) : held(new T[static_cast<std::size_t>(n)]()), size(n) {}
  Array(const Array& other) : Array(other.size) {
    if (size) std::memcpy(held.get(), other.held.get(), static_cast<std::size_t>(size) * sizeof(T));
  }
  T* data() const { return held.get(); }
  T& operator[](std::int64_t i) const { return held[static_cast<std::size_t>(i)]; }
};

template <class T>
Array<T> numbers(Bytes_& in, std::int64_t n) {
  Array<T> out(n);
  for (std::int64_t i = 0; i < n; ++i) out[i] = in.number<T>();
  return out;
}

// Numbers of [low, high].
template <class T>
Array<T> within(Bytes_& in, std::int64_t n, T low, T high) {
  Array<T> out(n);
  for (std::int64_t i = 0; i < n; ++i) out[i] = low + (high - low) * static_cast<T>(in.value<std::uint16_t>()) / 65535;
  return out;
}

Array<std::int64_t> picked(Bytes_& in, std::int64_t n, std::int64_t rows) {
  Array<std::int64_t> out(n);
  for (std::int64_t i = 0; i < n; ++i) out[i] = in.below(rows);
  return out;
}

template <class T>
void same(const Array<T>& x, const Array<T>& y, const char* what) {
  for (std::int64_t i = 0; i < x.size; ++i) {
    if (std::memcmp(&x[i], &y[i], sizeof(T)) == 0 || (x[i] != x[i] && y[i] != y[i])) continue;
    std::fprintf(stderr, "%s: at %lld of %lld %.17g and %.17g\n", what, static_cast<long long>(i),
                 static_cast<long long>(x.size), static_cast<double>(x[i]), static_cast<double>(y[i]));
    std::abort();
  }
}

std::vector<const Kernels*> menus() {
  std::vector<const Kernels*> out{&scalar::menu()};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) out.push_back(&avx2::menu());
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq"))
    out.push_back(&avx512::menu());
  return out;
}

// Calls each menu on outputs of its own and compares the outputs.
template <class T, class Call>
void agree(const char* what, std::int64_t n, const Call& call) {
  static const auto all = menus();
  Array<T> first(n);
  call(*all[0], first.data());
  for (std::size_t i = 1; i < all.size(); ++i) {
    Array<T> out(n);
    call(*all[i], out.data());
    same(first, out, what);
  }
}

template <class Call>
void every(const Call& call) {
  static const auto all = menus();
  for (const auto* menu : all) call(*menu);
}

Matrix<const float> matrix(const Array<float>& values, std::int64_t rows, std::int64_t cols, std::int64_t stride) {
  return {values.data(), rows, cols, stride};
}

// Rows a stride apart; the last one ends with its last value.
Array<float> rows_of(Bytes_& in, std::int64_t rows, std::int64_t cols, std::int64_t stride) {
  return numbers<float>(in, rows ? (rows - 1) * stride + cols : 0);
}

void scans(Bytes_& in) {
  const std::int64_t rows = in.below(40), cols = 1 + in.below(150), stride = cols + in.below(3), n = in.below(50);
  const auto what = rows_of(in, rows, cols, stride);
  const auto query = numbers<float>(in, cols);
  const auto pick = picked(in, rows ? n : 0, rows);
  every([&](const Kernels& k) {
    Array<float> sums(rows), norms(rows), some(pick.size);
    k.dot(matrix(what, rows, cols, stride), query.data(), sums.data());
    k.scan(matrix(what, rows, cols, stride), nullptr, query.data(), false, sums.data(), norms.data());
    if (pick.size) k.scan({what.data(), pick.size, cols, stride}, pick.data(), query.data(), true, some.data(), nullptr);
    if (rows) k.dot64(what.data(), query.data(), cols);
  });
}

void codes(Bytes_& in) {
  const std::int64_t rows = in.below(20), cols = 1 + in.below(300), wide = (cols + 127) / 128 * 128;
  const auto what = rows_of(in, rows, cols, cols);
  every([&](const Kernels& k) {
    Array<std::uint8_t> coded(rows * wide), back(rows * wide), high(rows * wide / 2), low(rows * wide / 2);
    Array<float> scale(rows), fine(rows), coarse(rows), norm(rows), room(wide);
    float* meta[] = {scale.data(), fine.data(), coarse.data(), norm.data()};
    k.quantize(matrix(what, rows, cols, cols), coded.data(), wide, meta);
    k.encode(matrix(what, rows, cols, cols), room.data(), coded.data(), wide, meta);
    for (std::int64_t i = 0; i < rows; ++i)
      k.split(coded.data() + i * wide, wide, high.data() + i * wide / 2, low.data() + i * wide / 2);
    k.join({high.data(), rows, wide / 2, wide / 2}, {low.data(), rows, wide / 2, wide / 2}, back.data());
    if (rows && std::memcmp(coded.data(), back.data(), static_cast<std::size_t>(rows * wide))) std::abort();
  });
}

void elementary(Bytes_& in) {
  const std::int64_t n = in.below(100);
  const auto x = numbers<float>(in, n);
  const auto y = numbers<double>(in, n), z = numbers<double>(in, n);
  const Column<const float> narrow{x.data(), n};
  const Column<const double> wide{y.data(), n};
  agree<float>("exp32", n, [&](const Kernels& k, float* out) { k.exp32(narrow, out); });
  agree<float>("log32", n, [&](const Kernels& k, float* out) { k.log32(narrow, out); });
  agree<double>("exp64", n, [&](const Kernels& k, double* out) { k.exp64(wide, out); });
  agree<double>("log64", n, [&](const Kernels& k, double* out) { k.log64(wide, out); });
  agree<double>("power64", n, [&](const Kernels& k, double* out) { k.power64(wide, z.data(), out); });
  agree<std::int64_t>("outside", 2, [&](const Kernels& k, std::int64_t* out) {
    out[0] = k.outside32(narrow, -1.0f, 1e30f), out[1] = k.outside64(wide, 0.0, 1e300);
  });
}

void decay(Bytes_& in) {
  const std::int64_t n = in.below(100);
  // of the kernels' domain: beyond it the instruction sets may differ
  const auto value = within<float>(in, n, 0.001f, 1e6f), pi = within<float>(in, n, 0.0f, 1.0f);
  const auto tau = within<float>(in, n, 1.0f, 3e9f), shape = within<float>(in, n, 0.1f, 4.0f);
  const auto when = within<double>(in, n, 0.0, 4e9);
  const double now = 1e9 + in.value<std::uint32_t>();
  const Column<const float> held{value.data(), n};
  agree<float>("utility", n, [&](const Kernels& k, float* out) {
    k.utility(held, pi.data(), tau.data(), when.data(), now, out);
  });
  agree<float>("shaped utility", n, [&](const Kernels& k, float* out) {
    k.utility_shaped(held, pi.data(), tau.data(), when.data(), shape.data(), now, out);
  });
  agree<float>("retrievability", n, [&](const Kernels& k, float* out) {
    k.retrievability(held, when.data(), now, 86400.0, 0.2345679, -0.5, out);
  });
}

void belief(Bytes_& in) {
  const std::int64_t n = in.below(100);
  const auto a = numbers<double>(in, n), b = numbers<double>(in, n), s = numbers<double>(in, n), w = numbers<double>(in, n);
  agree<double>("belief", 5 * n, [&](const Kernels& k, double* out) {
    const Moments<double> moments{out + 2 * n, out + 3 * n, out + 4 * n};
    k.beta_update64({a.data(), n}, b.data(), s.data(), w.data(), 1.0, 0.9, out, out + n, moments);
  });
}

void graph(Bytes_& in) {
  const std::int64_t nodes = 1 + in.below(30);
  Array<std::int64_t> offsets(nodes + 1);
  for (std::int64_t i = 0; i < nodes; ++i) offsets[i + 1] = offsets[i] + in.below(12);
  Array<std::int32_t> targets(offsets[nodes]);
  for (std::int64_t i = 0; i < targets.size; ++i) targets[i] = static_cast<std::int32_t>(in.below(nodes));
  const auto weights = numbers<float>(in, targets.size), x = numbers<float>(in, nodes), utility = numbers<float>(in, nodes);
  Array<std::int32_t> rows(in.below(20));
  for (std::int64_t i = 0; i < rows.size; ++i) rows[i] = static_cast<std::int32_t>(in.below(nodes));
  const Csr csr{offsets.data(), targets.data(), weights.data(), nodes};
  const std::int64_t begin = in.below(nodes), end = begin + in.below(nodes - begin + 1);
  agree<float>("hop", nodes, [&](const Kernels& k, float* out) { k.hop(csr, begin, end, x.data(), out); });
  agree<float>("hop_rows", rows.size, [&](const Kernels& k, float* out) {
    k.hop_rows(csr, {rows.data(), rows.size}, x.data(), utility.data(), out);
  });
  agree<float>("hop_values", nodes, [&](const Kernels& k, float* out) {
    k.hop_values(x.data(), utility.data(), nodes, out);
  });
  every([&](const Kernels& k) {
    Array<float> out(nodes);
    k.strongest(csr, begin, end, x.data(), true, out.data());
    k.strongest(csr, begin, end, x.data(), false, out.data());
  });
}

void revise(Bytes_& in) {
  const std::int64_t rows = in.below(30), cols = 1 + in.below(150), begin = in.below(rows + 1);
  const std::int64_t end = begin + in.below(rows - begin + 1);
  const auto what = rows_of(in, rows, cols, cols), value = numbers<float>(in, rows);
  const auto pi = numbers<float>(in, rows), tau = numbers<float>(in, rows), vector = numbers<float>(in, cols);
  Array<std::uint8_t> bits((rows + 7 + 7) / 8);
  for (std::int64_t i = 0; i < bits.size; ++i) bits[i] = in.byte();
  const std::int64_t offset = in.below(8);
  const RciStep step{vector.data(), in.number<float>(), in.number<float>(), in.number<float>(), in.number<float>(),
                     0.001f, 60.0f, 3e9f};
  const float theta = in.number<float>();
  agree<float>("rci", rows * (cols + 4), [&](const Kernels& k, float* out) {
    Array<float> w(what), v(value), p(pi), t(tau), affinities(end - begin);
    Array<std::int64_t> found(end - begin), kept(end - begin);
    const auto got = k.rci(step, {w.data(), rows, cols, cols}, v.data(), p.data(), t.data(), theta,
                           {bits.data(), offset}, nullptr, begin, end, found.data(), affinities.data(), kept.data());
    for (std::int64_t i = 0; i < w.size; ++i) out[i] = w[i];
    for (std::int64_t i = 0; i < rows; ++i) {
      out[rows * cols + i] = v[i], out[rows * (cols + 1) + i] = p[i], out[rows * (cols + 2) + i] = t[i];
      out[rows * (cols + 3) + i] = i < got.rows ? static_cast<float>(found[i]) : -1.0f;
    }
  });
}

void binds(Bytes_& in) {
  const std::int64_t rows = in.below(20), cols = 2 + in.below(100);
  const auto what = rows_of(in, rows, cols, cols), where = rows_of(in, rows, cols, cols);
  const auto when = numbers<double>(in, rows), tau = numbers<double>(in, rows);
  every([&](const Kernels& k) {
    Array<float> out(rows * cols);
    k.binding(matrix(what, rows, cols, cols), matrix(where, rows, cols, cols), when.data(), tau.data(), 6.28, out.data());
  });
}

void sifts(Bytes_& in) {
  const std::int64_t rows = in.below(120);
  const auto sums = numbers<float>(in, rows), reach = numbers<float>(in, rows), slack = numbers<float>(in, rows);
  const float error = in.number<float>(), floor = in.number<float>();
  agree<std::int32_t>("sift", rows + 1, [&](const Kernels& k, std::int32_t* out) {
    Array<std::int32_t> found(rows);
    out[rows] = static_cast<std::int32_t>(
        k.sift(rows, sums.data(), slack.data(), reach.data(), error, floor, found.data()));
    for (std::int32_t i = 0; i < out[rows]; ++i) out[i] = found[i];
  });
}

void reviews(Bytes_& in) {
  const std::int64_t n = in.below(100);
  const auto low = within<double>(in, n, 0.0, 1.0);
  agree<double>("powers of shares", n, [&](const Kernels& k, double* out) { k.power64({low.data(), n}, low.data(), out); });
}

using Try = void (*)(Bytes_&);
constexpr Try TRIES[] = {scans, codes, elementary, decay, belief, graph, revise, binds, sifts, reviews};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes_ in(data, size);
  TRIES[in.byte() % (sizeof TRIES / sizeof *TRIES)](in);
  return 0;
}
