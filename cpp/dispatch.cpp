#include "dispatch.hpp"

#include <atomic>
#include <cstdlib>

namespace scrubjay {

namespace scalar { const Kernels& menu(); }
#if defined(__x86_64__)
namespace avx2 { const Kernels& menu(); }
namespace avx512 { const Kernels& menu(); }
namespace avx512bf16 { const Kernels& menu(); }
#elif defined(__aarch64__)
namespace neon { const Kernels& menu(); }
#endif

namespace dispatch {
namespace {

std::vector<const Kernels*> runnable() {
  std::vector<const Kernels*> menus{&scalar::menu()};
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt") &&
                  __builtin_cpu_supports("movbe");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (v3) menus.push_back(&avx2::menu());
  if (v4) menus.push_back(&avx512::menu());
  if (v4 && __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bf16"))
    menus.push_back(&avx512bf16::menu());
#elif defined(__aarch64__)
  menus.push_back(&neon::menu());
#endif
  return menus;
}

struct Choice {
  std::vector<const Kernels*> menus = runnable();
  std::atomic<const Kernels*> current{menus.back()};
  std::string complaint;

  Choice() {
    const char* wanted = std::getenv("SCRUBJAY_ISA");
    if (wanted != nullptr && *wanted != '\0' && !pick(wanted))
      complaint = std::string("SCRUBJAY_ISA=") + wanted + " is not available on this CPU";
  }

  bool pick(const std::string& name) {
    for (const Kernels* menu : menus)
      if (name == menu->name) {
        current.store(menu, std::memory_order_release);
        return true;
      }
    return false;
  }
};

Choice& choice() {
  static Choice only;
  return only;
}

}  // namespace

std::vector<std::string> available() {
  std::vector<std::string> names;
  for (const Kernels* menu : choice().menus) names.emplace_back(menu->name);
  return names;
}

const Kernels& active() { return *choice().current.load(std::memory_order_acquire); }

bool use(const std::string& name) { return choice().pick(name); }

std::string complaint() { return choice().complaint; }

}  // namespace dispatch
}  // namespace scrubjay
