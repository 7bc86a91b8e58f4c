// The menu: one function pointer and one line per kernel. Each ISA fills one menu (isa/menu.hpp); bind/ calls through
// dispatch's active one. Preconditions (sizes agree, pointers valid, values in their domain) are checked in bind/.
#pragma once

#include "columns.hpp"

namespace scrubjay {

// What reach() looks at, for one block of rows: squared norms (or null), the factor columns, and a fused decay (or nulls).
struct Reach {
  const float* what;
  const float* where;
  const float* const* columns;
  int count;
  const float *value, *pi, *tau, *shape, *utility;  // shape may be null
};

// Rows of `cols` values of any width, `stride` bytes apart.
struct Bytes {
  const void* data;
  std::int64_t rows, cols, stride;
};

// Queries in panels of 16, `stride` bytes apart.
struct Packed {
  const void* data;
  std::int64_t panels, stride;
};

// Where the next rows will be read.
struct Ahead {
  const void *rows, *half;
};

// What the whole numbers of a product of codes stand for: row[r] query[q] (sum - offset[q]).
struct Dequantize {
  const float *row, *query;
  const std::int32_t* offset;
};

// A part of a bound that is query[q] row[r]; row == nullptr: 0.
struct Slack {
  const float *query, *row;
};

// Codes of rows, as codes/encode.hpp makes them: 8 bits a value of a turned row in two halves, and what bounds their error.
struct Codes {
  Matrix<const std::uint8_t> high, low;
  const float *scale, *fine, *coarse, *norm;
};

// A query in one or two levels of 8 bits: first.scale first.codes + second.scale second.codes, and the norm of the query.
struct Level {
  const std::int8_t* codes;  // as many as a row of codes has, zeros at the end
  float scale;
  std::int32_t sum;  // of the codes
};
struct Leveled {
  Level first, second;
  float norm;
};

// What an edge's weight is made of: rows of memories, their times, and the three classes' shares and thresholds.
struct EdgeTerms {
  const std::int32_t *from, *to;
  Matrix<const float> what;
  Matrix<const float> where;         // data == nullptr: none
  const std::int32_t* where_index;   // row of where per memory, negative for none; nullptr: the memory's own row
  const double* when;                // seconds
  float what_share, where_share, when_share;
  float what_least, where_least;
  double rate, window;               // 1 / second, seconds
};

// One step of retroactive contextual integration: learning rates times deltas, and the bounds.
struct RciStep {
  const float* vector;
  float value, pi, tau, what;
  float pi_floor, tau_low, tau_high;
};

struct RciFound {
  std::int64_t rows, kept;
};

// What beta_update() and beta_moments() also write, for each pointer that is not null.
template <class T>
struct Moments {
  T *mean, *variance, *bonus;
};

// An FSRS law, version 5 or 6, as revise/fsrs.hpp states it. Days, except for `wanted`, a retrievability.
struct FsrsLaw {
  double weights[21];
  double thresholds[4];  // signals of Again, Hard, Good, Easy, rising
  double wanted;
  double same_day;  // less than so long since the last review is the same day
  double most;      // cap of stability
  double longest;   // cap of the interval
  int version;
};

struct Kernels {
  const char* name;

  // probe/read.hpp: the sum of all values; probe/peak.hpp: multiply-adds done
  float (*probe_read)(Column<const float> values);
  double (*probe_peak)(int kind, std::int64_t rounds);

  // similarity/dot.hpp: out[i] = rows[i] . query
  void (*dot)(Matrix<const float> rows, const float* query, float* out);

  // similarity/dot64.hpp: x . y over n values, in float64
  double (*dot64)(const float* x, const float* y, std::int64_t n);
  double (*dot64_bf16)(const std::uint16_t* x, const float* y, std::int64_t n);
  double (*dot64_u8)(const std::uint8_t* x, const float* y, std::int64_t n);  // a code u stands for u - 128

  // similarity/scan.hpp: sums[i] (+)= rows[pick[i]] . query, norms[i] = |rows[pick[i]]|^2; pick and norms may be null
  void (*scan)(Matrix<const float> rows, const std::int64_t* pick, const float* query, bool accumulate, float* sums,
               float* norms);
  void (*scan_bf16)(Matrix<const std::uint16_t> rows, const std::int64_t* pick, const float* query, bool accumulate,
                    float* sums, float* norms);
  void (*scan_u8)(Matrix<const std::uint8_t> rows, const float* scale, const std::int64_t* pick, const Leveled& query,
                  bool accumulate, float* sums);

  // codes/products.hpp: out[i] = (rows[pick[i]] - 128) . query, in whole numbers; pick may be null; `sum` is the query's
  void (*products)(Matrix<const std::uint8_t> rows, const std::int32_t* pick, const std::int8_t* query, std::int32_t sum,
                   float* out);

  // codes/quantize.hpp: rows as codes of 8 bits, meta[0..3][i] = scale, fine, coarse, norm
  void (*quantize)(Matrix<const float> rows, std::uint8_t* codes, std::int64_t stride, float* const* meta);
  // codes/encode.hpp: the same of turned rows, `width` codes each; `room` is of `width` values
  void (*encode)(Matrix<const float> rows, float* room, std::uint8_t* codes, std::int64_t width, float* const* meta);
  // codes/planes.hpp: codes to their halves, 64 bytes for 128 codes, and back
  void (*split)(const std::uint8_t* codes, std::int64_t cols, std::uint8_t* high, std::uint8_t* low);
  void (*join)(Matrix<const std::uint8_t> high, Matrix<const std::uint8_t> low, std::uint8_t* codes);
  // codes/sieve.hpp: sums (+)= similarities by the high halves, or of the rows at[j] by both; slack (+)= how far off at most
  void (*scan_high)(const Codes& codes, const std::int64_t* pick, std::int64_t begin, std::int64_t rows, const Leveled& query,
                    bool accumulate, float* sums, float* slack);
  void (*scan_both)(const Codes& codes, const std::int64_t* at, std::int64_t rows, const Leveled& query, bool accumulate,
                    float* sums, float* slack);

  // similarity/tile.hpp: acc[r][q] += rows[r] . query q and squares[r] >= |rows[r]|^2, for rows of float32, bfloat16 or uint8;
  // fastest for tile_rows rows at a time
  std::int64_t tile_rows;
  void (*tile_f32)(Bytes rows, Packed queries, Dequantize unused, float* acc, std::int64_t acc_stride, float* squares,
                   Ahead ahead);
  void (*tile_bf16)(Bytes rows, Packed queries, Dequantize unused, float* acc, std::int64_t acc_stride, float* squares,
                    Ahead ahead);
  void (*tile_u8)(Bytes rows, Packed queries, Dequantize scales, float* acc, std::int64_t acc_stride, float* unused,
                  Ahead ahead);

  // rank/tile.hpp: acc[r][q] = sum over f of columns[f][r] weights[f][q]
  void (*blend_tile)(const float* const* columns, const float* weights, int count, std::int64_t rows, std::int64_t panels,
                     float* acc, std::int64_t stride);

  // rank/tile.hpp: the (r, q) with acc[r][q] + error[q] reach[r] + slacks >= floor[q], as r stride + q; returns how many
  std::int64_t (*sift_tile)(std::int64_t rows, std::int64_t panels, const float* acc, std::int64_t stride,
                            const float* reach, const float* error, Slack what, Slack where, const float* floor,
                            std::int32_t* out);

  // rank/factors.hpp: sums[i] += sum over f of weights[f] columns[f][i]
  void (*blend)(const float* const* columns, const float* weights, int count, std::int64_t rows, float* sums);

  // rank/factors.hpp: out[i] = the largest magnitude that row i brings to a score, -infinity where none is certain
  std::int64_t (*reach)(const Reach& in, std::int64_t rows, float* out);

  // rank/sift.hpp: the i with sums[i] + slack[i] + error reach[i] >= floor, ascending; slack may be null; returns how many
  std::int64_t (*sift)(std::int64_t rows, const float* sums, const float* slack, const float* reach, float error, float floor,
                       std::int32_t* out);

  // similarity/binding.hpp: out[i] = the binding vector of what[i], where[i], when[i], tau[i]
  void (*binding)(Matrix<const float> what, Matrix<const float> where, const double* when, const double* tau, double period,
                  float* out);

  // elementary/elementary.hpp: e^x, ln x, x^y
  void (*exp32)(Column<const float> x, float* out);
  void (*exp64)(Column<const double> x, double* out);
  void (*log32)(Column<const float> x, float* out);
  void (*log64)(Column<const double> x, double* out);
  void (*power64)(Column<const double> x, const double* y, double* out);

  // elementary/outside.hpp: the index of the first value that is not in [low, high], or -1
  std::int64_t (*outside32)(Column<const float> x, float low, float high);
  std::int64_t (*outside64)(Column<const double> x, double low, double high);

  // decay/utility.hpp: out[i] = value[i] exp(-(pi[i] age[i] / tau[i])^shape[i]), age = max(0, now - when); shape 1 in `utility`
  void (*utility)(Column<const float> value, const float* pi, const float* tau, const double* when, double now, float* out);
  void (*utility_shaped)(Column<const float> value, const float* pi, const float* tau, const double* when,
                         const float* shape, double now, float* out);

  // graph/edges.hpp: out[k] = the weight of edge k of [begin, end)
  void (*edge_weights)(const EdgeTerms& in, std::int64_t begin, std::int64_t end, float* out);

  // graph/hop.hpp: out[i] = score[i] utility[i]
  void (*hop_values)(const float* score, const float* utility, std::int64_t n, float* out);

  // graph/hop.hpp: out[i] = sum of e_ij x[j] for nodes [begin, end)
  void (*hop)(Csr graph, std::int64_t begin, std::int64_t end, const float* x, float* out);

  // graph/hop.hpp: out[r] = sum of e_ij score[j] utility[j] for node rows[r]; utility may be null
  void (*hop_rows)(Csr graph, Column<const std::int32_t> rows, const float* score, const float* utility, float* out);

  // graph/hop.hpp: out[16 j + q] = score[q][j] utility[j] for nodes [begin, end), at most 16 queries
  void (*hop_interleave)(Matrix<const float> score, const float* utility, std::int64_t begin, std::int64_t end, float* out);

  // graph/hop.hpp: out[q][i] = sum of e_ij x[16 j + q] for nodes [begin, end)
  void (*hop_batch)(Csr graph, std::int64_t begin, std::int64_t end, const float* x, Matrix<float> out);

  // graph/lines.hpp: scores and one hop over them, up to 64 queries side by side; at most 4 panels
  void (*hop_lines)(Csr graph, std::int64_t begin, std::int64_t end, const float* lines, std::int64_t panels,
                    const float* weights, float* out, float* tails);

  // graph/strongest.hpp: out[i] = max of x[j], or of e_ij x[j] when weighted, for nodes [begin, end)
  void (*strongest)(Csr graph, std::int64_t begin, std::int64_t end, const float* x, bool weighted, float* out);

  // revise/gate.hpp: rows of [begin, end), or of pick there, that the gate lets through, and their affinities; how many
  std::int64_t (*rci_gate)(Matrix<const float> what, const float* vector, float theta, Bitmap among, const std::int64_t* pick,
                           std::int64_t begin, std::int64_t end, std::int64_t* rows, float* affinities);

  // revise/rci.hpp: the change of each row by its affinity, in place; returns how many vectors were kept
  std::int64_t (*rci_apply)(const RciStep& step, Matrix<float> what, float* value, float* pi, float* tau,
                            Column<const std::int64_t> rows, const float* affinities, std::int64_t* kept);

  // revise/rci.hpp: gate and change in one pass over [begin, end), or over pick there
  RciFound (*rci)(const RciStep& step, Matrix<float> what, float* value, float* pi, float* tau, float theta, Bitmap among,
                  const std::int64_t* pick, std::int64_t begin, std::int64_t end, std::int64_t* rows, float* affinities,
                  std::int64_t* kept);

  // decay/retrievability.hpp: out[i] = (1 + factor age[i] / stability[i])^curve
  void (*retrievability)(Column<const float> stability, const double* last, double now, double day, double factor,
                         double curve, float* out);

  // belief/beta.hpp: a' = keep a + s w, b' = keep b + (1 - s) w; mean, variance and its root
  void (*beta_update32)(Column<const float> a, const float* b, const float* signal, const float* weight, float constant,
                        float keep, float* out_a, float* out_b, Moments<float> moments);
  void (*beta_update64)(Column<const double> a, const double* b, const double* signal, const double* weight,
                        double constant, double keep, double* out_a, double* out_b, Moments<double> moments);
  void (*beta_moments32)(Column<const float> a, const float* b, Moments<float> moments);
  void (*beta_moments64)(Column<const double> a, const double* b, Moments<double> moments);

  // revise/fsrs.hpp: a review by grade (1..4) or by signal ([0, 1]), the interval (null: not wanted), the curve
  void (*fsrs_review32)(const FsrsLaw& law, Column<const float> s, const float* d, const float* t,
                        const unsigned char* grade, float* new_s, float* new_d, float* interval);
  void (*fsrs_review64)(const FsrsLaw& law, Column<const double> s, const double* d, const double* t,
                        const unsigned char* grade, double* new_s, double* new_d, double* interval);
  void (*fsrs_signal32)(const FsrsLaw& law, Column<const float> s, const float* d, const float* t, const float* signal,
                        float* new_s, float* new_d, float* interval);
  void (*fsrs_signal64)(const FsrsLaw& law, Column<const double> s, const double* d, const double* t, const double* signal,
                        double* new_s, double* new_d, double* interval);
  void (*fsrs_interval32)(const FsrsLaw& law, Column<const float> s, float* out);
  void (*fsrs_interval64)(const FsrsLaw& law, Column<const double> s, double* out);
  void (*fsrs_retrievability32)(const FsrsLaw& law, Column<const float> s, const float* t, float* out);
  void (*fsrs_retrievability64)(const FsrsLaw& law, Column<const double> s, const double* t, double* out);
};

}  // namespace scrubjay
