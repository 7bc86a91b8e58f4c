#include "rank/search.hpp"

#include <algorithm>

#include "rank/plans.hpp"

namespace scrubjay::rank {
namespace {

constexpr std::int64_t worth_tiles = 12;     // queries
constexpr std::int64_t worth_codes = 6144;   // candidate rows, and so many for each of the k best
constexpr std::int64_t worth_codes_each = 16;
constexpr std::int64_t hop_queries = 64;     // at a time

void run(Plan& plan, const Batch& batch) {
  const std::int64_t total = batch.p.candidates(), block = plan.block();
  const std::int64_t grain = block * std::clamp<std::int64_t>(total / (batch.threads * 4) / block, 1, 16);
  std::atomic<std::int64_t> next{0};
  Batch::parallel(batch.threads, [&](int part) {
    const std::unique_ptr<Worker> worker = plan.worker(part);
    for (;;) {
      const std::int64_t begin = next.fetch_add(grain), end = std::min(total, begin + grain);
      if (begin >= total) return worker->finish();
      for (std::int64_t at = begin; at < end; at += block) worker->rows(at, std::min(block, end - at));
    }
  });
}

struct Choice {
  bool contexts, codes, tiled, hop;
  std::string name() const {
    std::string all = tiled ? "tile" : codes ? "sieve" : "scan";
    if (tiled && codes) all += "+codes";
    if (contexts) all += "+contexts";
    if (hop) all += "+graph";
    return all;
  }
};

// By size: codes pay once their bounds discard most rows, tiles once their queries fill a panel, contexts when they repeat.
Choice choose(const Problem& p, std::int64_t queries, std::int64_t k) {
  Choice choice{};
  const bool where = p.where.data && p.context.data;
  const std::int64_t rows = p.candidates();
  const bool worth = p.what_codes.high.data && rows >= std::max(worth_codes, worth_codes_each * k);
  choice.contexts = where && p.where_index && p.where.rows <= (worth ? rows : rows / 2);
  choice.codes = worth && (!where || choice.contexts || (p.where_codes.high.data && !p.where_index));
  for (std::int64_t q = 0; p.hopping() && q < p.queries; ++q) choice.hop = choice.hop || p.weight(q)[graph] != 0.0;
  choice.tiled = queries >= worth_tiles || choice.hop;
  return choice;
}

}  // namespace

std::string search(const Problem& p, std::int64_t k, int threads, std::int64_t* rows, double* scores, std::int64_t* counts) {
  const std::int64_t width = p.what.cols + (p.where.data && !p.where_index ? p.where.cols : 0) + 8;
  if (p.candidates() * 4 * width * std::max<std::int64_t>(1, p.queries / 4) < pool::worthwhile) threads = 1;
  // At most 256 MB of candidates at a time, whatever k is.
  const std::int64_t each = (2 * std::min(k, p.candidates()) + 1024) * static_cast<std::int64_t>(sizeof(Candidate)) * threads;
  const std::int64_t group = std::clamp<std::int64_t>((std::int64_t{256} << 20) / each, 1, p.hopping() ? hop_queries : 128);
  const Choice choice = choose(p, std::min(group, p.queries), k);
  for (std::int64_t from = 0; from < p.queries; from += group) {
    Batch batch(p, k, from, std::min(p.queries, from + group), threads);
    const std::unique_ptr<Plan> plan = choice.tiled   ? tile(batch, choice.contexts, choice.codes)
                                       : choice.codes ? sieve(batch, choice.contexts)
                                                      : stream(batch, choice.contexts);
    run(*plan, batch);
    batch.finish(rows, scores, counts);
  }
  return choice.name() + (p.pick ? "+subset" : "");
}

}  // namespace scrubjay::rank
