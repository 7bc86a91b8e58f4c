#include "rank/search.hpp"

#include <algorithm>

#include "rank/plans.hpp"

namespace scrubjay::rank {
namespace {

void run(Plan& plan, const Batch& batch) {
  const std::int64_t total = batch.p.candidates(), block = plan.block();
  const std::int64_t grain = block * std::clamp<std::int64_t>(total / (batch.threads * 4) / block, 1, 16);
  std::atomic<std::int64_t> next{0};
  Batch::parallel(batch.threads, [&](int part) {
    const std::unique_ptr<Worker> worker = plan.worker(part);
    for (;;) {
      const std::int64_t begin = next.fetch_add(grain), end = std::min(total, begin + grain);
      if (begin >= total) return;
      for (std::int64_t at = begin; at < end; at += block) worker->rows(at, std::min(block, end - at));
    }
  });
}

}  // namespace

std::string search(const Problem& p, std::int64_t k, int threads, std::int64_t* rows, double* scores, std::int64_t* counts) {
  const std::int64_t width = p.what.cols + (p.where.data && !p.where_index ? p.where.cols : 0) + 8;
  if (p.candidates() * 4 * width * std::max<std::int64_t>(1, p.queries / 4) < pool::worthwhile) threads = 1;
  // Few distinct contexts: their similarities are computed once a query and looked up.
  const bool contexts = p.where.data && p.context.data && p.where_index && p.where.rows <= p.candidates() / 2;
  // At most 256 MB of candidates at a time, whatever k is.
  const std::int64_t each = (2 * std::min(k, p.candidates()) + 256) * static_cast<std::int64_t>(sizeof(Candidate)) * threads;
  const std::int64_t group = std::clamp<std::int64_t>((std::int64_t{256} << 20) / each, 1, 128);
  const bool tiled = std::min(group, p.queries) >= 12;
  for (std::int64_t from = 0; from < p.queries; from += group) {
    Batch batch(p, k, from, std::min(p.queries, from + group), threads, tiled);
    const std::unique_ptr<Plan> plan = tiled ? tile(batch, contexts) : stream(batch, contexts);
    run(*plan, batch);
    batch.finish(rows, scores, counts);
  }
  std::string name = tiled ? "tile" : "scan";
  if (contexts) name += "+contexts";
  if (p.pick) name += "+subset";
  return name;
}

}  // namespace scrubjay::rank
