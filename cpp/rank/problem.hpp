// A ranking problem: borrowed columns of memories, query rows, and the one linear score over eight factors.
//
//   score(q, i) = sum over f of weights[q][f] factor_f(q, i)
//
// what and where are dot products (cosines for unit rows), when is the utility V exp(-(pi age / tau)^shape), graph comes
// from the caller, or is a hop over the other factors' sum S0: the sum over a row's edges of e_ij S0_j U_j, to which the dead
// and edges of weight 0 bring nothing. The rest are columns. A factor of weight 0, or one whose data is absent, contributes 0 and is not read.
#pragma once

#include <cstdint>

#include "columns.hpp"
#include "kernels.hpp"

namespace scrubjay::rank {

// Vectors as they are stored: float32, bfloat16 (the upper half of a float32), or 8-bit codes u that stand for
// scale (u - 128). What is ranked is exactly what they stand for.
enum class Store { f32, bf16, u8 };

struct Rows {
  Store store = Store::f32;
  const void* data = nullptr;  // null: none
  std::int64_t rows = 0, cols = 0, stride = 0;  // stride in values
  const float *scale = nullptr, *norm = nullptr;  // for codes: a row's scale and a bound of its norm

  std::int64_t width() const { return store == Store::f32 ? 4 : store == Store::bf16 ? 2 : 1; }
  const char* row(std::int64_t i) const { return static_cast<const char*>(data) + i * stride * width(); }
};

enum Factor { what, where, when, graph, usefulness, retrievability, importance, exploration };
constexpr int factors = 8;

struct Problem {
  std::int64_t rows = 0, queries = 0;
  Matrix<const double> weights{};       // queries x 8
  Rows what{};                          // rows x d1
  Matrix<const float> query{};          // queries x d1
  Rows where{};                         // rows x d2, or contexts x d2 with where_index
  Codes what_codes{}, where_codes{};    // of float32 rows, to search them faster; null: none
  Matrix<const float> context{};        // queries x d2; null: none
  const std::int32_t* where_index = nullptr;  // rows; -1: no context, similarity 0
  const float *value = nullptr, *pi = nullptr, *tau = nullptr, *shape = nullptr;  // rows; shape null: 1
  const double* time = nullptr;               // rows, seconds
  const double* now = nullptr;                // queries, seconds
  const float* utility = nullptr;             // rows, instead of the five above
  Matrix<const float> graph{};                // queries x rows; stride 0: one row for all queries; null: none
  Csr hops{};                                 // instead of graph: edges between the rows; needs utility; offsets null: none
  const float* column[factors] = {};          // rows, for the factors from usefulness on
  Bitmap live{};                              // one bit a row, 0: never ranks
  const std::int64_t* pick = nullptr;         // ascending rows to score; null: all
  std::int64_t picked = 0;
  std::uint8_t* touched = nullptr;            // rows; 1: its own vectors were read for an exact score; null: nobody asks

  std::int64_t candidates() const { return pick ? picked : rows; }
  std::int64_t row(std::int64_t i) const { return pick ? pick[i] : i; }
  const double* weight(std::int64_t q) const { return weights.data + q * weights.stride; }
  bool graph_per_query() const { return graph.stride != 0; }
  bool decays() const { return value != nullptr; }
  bool hopping() const { return hops.offsets != nullptr; }
  bool alive(std::int64_t row) const {
    if (!live.bits) return true;
    const std::int64_t bit = live.offset + row;
    return (live.bits[bit >> 3] >> (bit & 7)) & 1;
  }
};

// The eight terms of score(q, row) in float64.
void contributions(const Problem& problem, std::int64_t q, std::int64_t row, double* terms);

// All of them but the graph's.
void without_graph(const Problem& problem, std::int64_t q, std::int64_t row, double* terms);

// Fetches what contributions() will read of a row's vectors.
void prefetch(const Problem& problem, std::int64_t row);

// Their sum, in the order ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)): what numpy.sum gives for eight values.
double total(const double* terms);

}  // namespace scrubjay::rank
