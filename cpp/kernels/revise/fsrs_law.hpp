// The constants of an FSRS law, from its weights, by the exp and log of lanes/: the same bits wherever a log is
// replayed.
#pragma once

namespace scrubjay::SJ_ISA {

static constexpr double LOG2E = 0x1.71547652b82fep+0;

// Tables by grade: Again 1, Hard 2, Good 3, Easy 4 (entry 0 repeats Again, those above 4 repeat Easy).
template <class T>
struct FsrsTables {
  static constexpr int SIZE = sizeof(T) == 4 ? 16 : 8;
  alignas(64) T number[SIZE];
  alignas(64) T first_stability[SIZE];
  alignas(64) T first_difficulty[SIZE];
  alignas(64) T slope[SIZE];
  alignas(64) T gain[SIZE];
  alignas(64) T same_day[SIZE];
};

template <class T>
struct FsrsConstants {
  FsrsTables<T> at, next;  // the value at a grade and at the one above it
  T factor, curve;  // R = (1 + factor t / S)^curve
  T success_bias, success_power, success_rate;
  T lapse_bias, lapse_difficulty, lapse_power, lapse_rate, lapse_share;
  T same_day_power, reversion, kept;
  T rate;  // days per day of stability until R has fallen to the wanted one
};

SJ_INLINE double one_exp(double x) {
  double lanes[8];
  store(lanes, exp(set64(x)));
  return lanes[0];
}
SJ_INLINE double one_log2(double x) {
  double lanes[8];
  store(lanes, log2(set64(x)));
  return lanes[0];
}
SJ_INLINE double one_exp2m1(double x) {
  double lanes[8];
  store(lanes, exp2m1(set64(x)));
  return lanes[0];
}
SJ_INLINE double clamped(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// FSRS-6 has 21 weights, FSRS-5 has 19: there w19 = 0, the curve is fixed, and D0(Easy) is clamped inside the reversion
// too.
template <class T>
static void fsrs_constants(const FsrsLaw& law, FsrsConstants<T>& out) {
  const double* w = law.weights;
  const bool six = law.version == 6;
  const auto round = [](double x) { return static_cast<T>(x); };
  const double curve = six ? -w[20] : -0.5;
  const double factor = six ? one_exp2m1(one_log2(0.9) / curve) : 19.0 / 81.0;
  out.curve = round(curve);
  out.factor = round(factor);
  out.rate = round(one_exp2m1(one_log2(law.wanted) / curve) / factor);
  out.success_bias = round(w[8] * LOG2E);
  out.success_power = round(-w[9]);
  out.success_rate = round(w[10] * LOG2E);
  out.lapse_bias = round(one_log2(w[11]));
  out.lapse_difficulty = round(-w[12]);
  out.lapse_power = round(w[13]);
  out.lapse_rate = round(w[14] * LOG2E);
  out.lapse_share = round(one_exp(-(w[17] * w[18])));
  out.same_day_power = round(six ? -w[19] : 0.0);
  const double easy = w[4] - one_exp(w[5] * 3.0) + 1.0;
  out.reversion = round(w[7] * (six ? easy : clamped(easy, 1.0, 10.0)));
  out.kept = round(1.0 - w[7]);

  for (int g = 0; g < FsrsTables<T>::SIZE; ++g) {
    const auto put = [&](FsrsTables<T>& table, int grade) {
      const double gains[5] = {0.0, 1.0, w[15], 1.0, w[16]};
      table.number[g] = round(grade);
      table.first_stability[g] = round(w[grade - 1]);
      table.first_difficulty[g] = round(clamped(w[4] - one_exp(w[5] * (grade - 1)) + 1.0, 1.0, 10.0));
      table.slope[g] = round(-w[6] * (grade - 3) / 9.0);
      table.gain[g] = round(gains[grade]);
      table.same_day[g] = round(one_exp(w[17] * (grade - 3 + w[18])));
    };
    const int grade = g < 1 ? 1 : g > 4 ? 4 : g;
    put(out.at, grade);
    put(out.next, grade < 4 ? grade + 1 : 4);
  }
}

}  // namespace scrubjay::SJ_ISA
