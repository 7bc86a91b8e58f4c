// Runs the kernels of every menu that this CPU has on fixed pseudo-random input and prints, for each kernel, a hash of
// the bits of its results: "menu kernel hash". State-changing kernels must print the same hash on every menu and every
// CPU.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "dispatch.hpp"

namespace {

using scrubjay::Bitmap;
using scrubjay::Column;
using scrubjay::Csr;
using scrubjay::FsrsLaw;
using scrubjay::Kernels;
using scrubjay::Matrix;

// Numbers by integer steps alone, so that they are the same everywhere.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
  }
  // A binade at random, then a place in it.
  double spread(int low, int high) {
    const auto e = low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
    return std::ldexp(between(1.0, 2.0), e);
  }

 private:
  std::uint64_t state_;
};

class Hash {
 public:
  template <class T>
  Hash& of(const std::vector<T>& values) {
    for (T value : values) one(value);
    return *this;
  }
  template <class T>
  Hash& one(T value) {
    // Every NaN alike: its sign and payload differ between CPUs, and no state holds one.
    if (value != value) value = static_cast<T>(0x5ca1ab1e);
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof bytes);
    for (unsigned char byte : bytes) hash_ = (hash_ ^ byte) * 0x100000001b3u;
    return *this;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

template <class T>
std::vector<T> filled(std::int64_t n, const std::function<double()>& value) {
  std::vector<T> out(static_cast<std::size_t>(n));
  for (T& x : out) x = static_cast<T>(value());
  return out;
}

template <class T>
Column<const T> column(const std::vector<T>& values) {
  return {values.data(), static_cast<std::int64_t>(values.size())};
}

constexpr double W6[21] = {.212,   1.2931, 2.3065, 8.2956, 6.4133, .8334, 3.0194, .001,   1.8722, .1666, .796,
                           1.4835, .0614,  .2629,  1.6483, .6014,  1.8729, .5425, .0912, .0658,  .1542};
constexpr double W5[19] = {.40255,  1.18385, 3.173, 15.69105, 7.1949, .5345,  1.4604, .0046,  1.54575, .1192,
                           1.01925, 1.9395,  .11,   .29605,   2.2698, .2315,  2.9898, .51655, .6621};

FsrsLaw law(int version) {
  FsrsLaw out{};
  out.version = version;
  for (int i = 0; i < (version == 6 ? 21 : 19); ++i) out.weights[i] = version == 6 ? W6[i] : W5[i];
  for (int k = 0; k < 4; ++k) out.thresholds[k] = k / 3.0;
  out.wanted = 0.9;
  out.same_day = 1.0;
  out.most = std::numeric_limits<double>::infinity();
  out.longest = 36500.0;
  return out;
}

void print(const Kernels& menu, const char* kernel, const Hash& hash) {
  std::printf("%s %s %016llx\n", menu.name, kernel, static_cast<unsigned long long>(hash.value()));
}

template <class T>
struct Of;
template <>
struct Of<float> {
  static constexpr const char* bits = "32";
  static auto exp(const Kernels& m) { return m.exp32; }
  static auto log(const Kernels& m) { return m.log32; }
  static auto update(const Kernels& m) { return m.beta_update32; }
  static auto review(const Kernels& m) { return m.fsrs_review32; }
  static auto signal(const Kernels& m) { return m.fsrs_signal32; }
  static auto fade(const Kernels& m) { return m.fsrs_retrievability32; }
  static auto outside(const Kernels& m) { return m.outside32; }
};
template <>
struct Of<double> {
  static constexpr const char* bits = "64";
  static auto exp(const Kernels& m) { return m.exp64; }
  static auto log(const Kernels& m) { return m.log64; }
  static auto update(const Kernels& m) { return m.beta_update64; }
  static auto review(const Kernels& m) { return m.fsrs_review64; }
  static auto signal(const Kernels& m) { return m.fsrs_signal64; }
  static auto fade(const Kernels& m) { return m.fsrs_retrievability64; }
  static auto outside(const Kernels& m) { return m.outside64; }
};

template <class T>
void scalars(const Kernels& menu) {
  constexpr std::int64_t n = 4099;
  const std::string bits = Of<T>::bits;
  const auto name = [&](const char* kernel) { return std::string(kernel) + bits; };
  Numbers numbers(1);
  const T inf = std::numeric_limits<T>::infinity();
  const int wide = sizeof(T) == 4 ? 150 : 1075;

  auto x = filled<T>(n, [&] { return numbers.between(-800.0, 750.0) * (sizeof(T) == 4 ? 0.14 : 1.0); });
  x[0] = inf, x[1] = -inf, x[2] = inf - inf, x[3] = T(0), x[4] = -T(0);
  std::vector<T> out(n), more(n), third(n);
  Of<T>::exp(menu)(column(x), out.data());
  print(menu, name("exp").c_str(), Hash().of(out));
  auto y = filled<T>(n, [&] { return numbers.spread(-wide, wide - 30); });
  y[0] = inf, y[1] = T(-1), y[2] = inf - inf, y[3] = T(0), y[4] = T(1);
  Of<T>::log(menu)(column(y), out.data());
  print(menu, name("log").c_str(), Hash().of(out));

  const auto a = filled<T>(n, [&] { return numbers.spread(-8, 12); });
  const auto b = filled<T>(n, [&] { return numbers.spread(-8, 12); });
  const auto s = filled<T>(n, [&] { return numbers.between(0.0, 1.0); });
  const auto w = filled<T>(n, [&] { return numbers.between(0.0, 3.0); });
  std::vector<T> mean(n), variance(n), bonus(n);
  Of<T>::update(menu)(column(a), b.data(), s.data(), w.data(), T(0), T(0.95), out.data(), more.data(),
                      {mean.data(), variance.data(), bonus.data()});
  print(menu, name("beta").c_str(), Hash().of(out).of(more).of(mean).of(variance).of(bonus));

  std::int64_t row = 0;
  const auto stability = filled<T>(n, [&] { return ++row % 8 == 0 ? 0.0 : numbers.spread(-9, 14); });
  const auto difficulty = filled<T>(n, [&] { return numbers.between(1.0, 10.0); });
  const auto days = filled<T>(n, [&] { return numbers.spread(-6, 16) - 0.5; });
  std::vector<unsigned char> grade(n);
  for (auto& g : grade) g = static_cast<unsigned char>(1 + numbers.next() % 4);
  for (int version : {5, 6}) {
    Hash hash;
    Of<T>::review(menu)(law(version), column(stability), difficulty.data(), days.data(), grade.data(), out.data(),
                        more.data(), third.data());
    hash.of(out).of(more).of(third);
    Of<T>::signal(menu)(law(version), column(stability), difficulty.data(), days.data(), s.data(), out.data(), more.data(),
                        nullptr);
    hash.of(out).of(more);
    Of<T>::fade(menu)(law(version), column(stability), days.data(), out.data());
    print(menu, name(version == 5 ? "fsrs5_" : "fsrs6_").c_str(), hash.of(out));
  }
  auto held = s;
  held[4000] = T(1.5);
  print(menu, name("outside").c_str(), Hash().one(static_cast<double>(Of<T>::outside(menu)(column(held), T(0), T(1)))));
}

void decay(const Kernels& menu) {
  constexpr std::int64_t n = 4099;
  Numbers numbers(2);
  const double now = 1.7e9;
  const auto value = filled<float>(n, [&] { return numbers.between(0.0, 2.0); });
  const auto pi = filled<float>(n, [&] { return numbers.between(0.001, 1.0); });
  const auto tau = filled<float>(n, [&] { return numbers.spread(6, 24); });
  const auto shape = filled<float>(n, [&] { return numbers.next() % 3 ? numbers.between(0.3, 3.0) : 1.0; });
  const auto when = filled<double>(n, [&] { return now - numbers.between(-1e4, 4e7); });
  std::vector<float> out(n);
  menu.utility(column(value), pi.data(), tau.data(), when.data(), now, out.data());
  print(menu, "utility", Hash().of(out));
  menu.utility_shaped(column(value), pi.data(), tau.data(), when.data(), shape.data(), now, out.data());
  print(menu, "utility_shaped", Hash().of(out));
  menu.retrievability(column(tau), when.data(), now, 86400.0, 19.0 / 81.0, -0.5, out.data());
  print(menu, "retrievability", Hash().of(out));
  const auto base = filled<double>(n, [&] { return numbers.spread(-1070, 1020); });
  const auto exponent = filled<double>(n, [&] { return numbers.between(-2.0, 2.0); });
  std::vector<double> wide(n);
  menu.power64(column(base), exponent.data(), wide.data());
  print(menu, "power64", Hash().of(wide));
}

void vectors(const Kernels& menu) {
  constexpr std::int64_t n = 211, d = 101;
  Numbers numbers(3);
  const auto rows = [&] {
    auto all = filled<float>(n * d, [&] { return numbers.between(-1.0, 1.0); });
    for (std::int64_t i = 0; i < n; ++i) {
      double squares = 0;
      for (std::int64_t j = 0; j < d; ++j) squares += all[i * d + j] * static_cast<double>(all[i * d + j]);
      for (std::int64_t j = 0; j < d; ++j) all[i * d + j] = static_cast<float>(all[i * d + j] / std::sqrt(squares));
    }
    return all;
  };
  auto what = rows();
  const auto where = rows();
  const Matrix<const float> a{what.data(), n, d, d}, b{where.data(), n, d, d};
  const auto when = filled<double>(n, [&] { return numbers.between(0.0, 1.7e9); });
  const auto seconds = filled<double>(n, [&] { return numbers.spread(6, 24); });
  std::vector<float> bound(n * d), dots(n);
  menu.binding(a, b, when.data(), seconds.data(), 10.0, bound.data());
  print(menu, "binding", Hash().of(bound));
  menu.dot(a, where.data(), dots.data());
  print(menu, "dot", Hash().of(dots));

  const std::int64_t width = (d + 127) / 128 * 128, half = width / 2;
  std::vector<std::uint8_t> whole(n * width), high(n * half), low(n * half);
  std::vector<float> meta(4 * n);
  float* const parts[] = {meta.data(), meta.data() + n, meta.data() + 2 * n, meta.data() + 3 * n};
  menu.quantize(a, whole.data(), width, parts);
  menu.split(whole.data(), n * width, high.data(), low.data());
  Hash coded;
  for (const auto& plane : {whole, high, low})
    for (const std::uint8_t code : plane) coded.one(code);
  print(menu, "codes", coded.of(meta));

  std::vector<std::int8_t> levels(width);
  std::int32_t level_sum = 0;
  for (std::int64_t j = 0; j < d; ++j) level_sum += levels[j] = static_cast<std::int8_t>(numbers.next() % 255 - 127);
  const scrubjay::Leveled query{{levels.data(), 0.01f, level_sum}, {levels.data(), 0.0001f, level_sum}, 1.0f};
  const scrubjay::Codes codes{{high.data(), n, half, half}, {low.data(), n, half, half}, parts[0], parts[1], parts[2], parts[3]};
  std::vector<float> sums(n), slack(n);
  std::vector<std::int64_t> each(n);
  for (std::int64_t i = 0; i < n; ++i) each[i] = i;
  menu.scan_high(codes, nullptr, 0, n, query, false, sums.data(), slack.data());
  Hash sieved;
  sieved.of(sums).of(slack);
  menu.scan_both(codes, each.data(), n, query, false, sums.data(), slack.data());
  print(menu, "sieve", sieved.of(sums).of(slack));

  std::vector<float> panel(d * 16), products(n * 16), squares(n);
  for (std::int64_t j = 0; j < d; ++j)
    for (std::int64_t q = 0; q < 16; ++q) panel[j * 16 + q] = where[q * d + j];
  menu.tile_f32({what.data(), n, d, d * 4}, {panel.data(), 1, d * 64}, {}, products.data(), 16, squares.data(), {});
  print(menu, "tile", Hash().of(products));

  // A vector close to a third of the rows, so that the gate has both sides.
  std::vector<float> vector(where.begin(), where.begin() + d);
  for (std::int64_t i = 0; i < n; i += 3)
    for (std::int64_t j = 0; j < d; ++j) what[i * d + j] = 0.8f * vector[j] + 0.6f * what[i * d + j];
  auto value = filled<float>(n, [&] { return numbers.between(0.0, 2.0); });
  auto pi = filled<float>(n, [&] { return numbers.between(0.0, 1.0); });
  auto tau = filled<float>(n, [&] { return numbers.spread(6, 24); });
  std::vector<std::int64_t> hit(n), kept(n);
  std::vector<float> affinity(n);
  const scrubjay::RciStep step{vector.data(), 0.4f, -0.2f, 0.3f, 0.2f, 1e-3f, 60.0f, 3.1536e7f};
  const auto found = menu.rci(step, {what.data(), n, d, d}, value.data(), pi.data(), tau.data(), 0.6f, Bitmap{nullptr, 0}, 0, n,
                              hit.data(), affinity.data(), kept.data());
  hit.resize(static_cast<std::size_t>(found.rows));
  affinity.resize(static_cast<std::size_t>(found.rows));
  Hash hash;
  for (std::int64_t row : hit) hash.one(static_cast<double>(row));
  print(menu, "rci", hash.of(affinity).of(what).of(value).of(pi).of(tau));

  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> targets;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::uint64_t k = numbers.next() % 9; k > 0; --k) targets.push_back(static_cast<std::int32_t>(numbers.next() % n));
    offsets.push_back(static_cast<std::int64_t>(targets.size()));
  }
  const auto weight = filled<float>(static_cast<std::int64_t>(targets.size()), [&] { return numbers.between(0.0, 1.0); });
  std::vector<float> hop(n);
  menu.hop({offsets.data(), targets.data(), weight.data(), n}, 0, n, value.data(), hop.data());
  print(menu, "hop", Hash().of(hop));
}

}  // namespace

int main() {
  for (const std::string& name : scrubjay::dispatch::available()) {
    if (!scrubjay::dispatch::use(name)) return 1;
    const Kernels& menu = scrubjay::dispatch::active();
    scalars<float>(menu);
    scalars<double>(menu);
    decay(menu);
    vectors(menu);
  }
}
