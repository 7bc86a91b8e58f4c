#!/usr/bin/env bash
# The native tests with the address and undefined-behaviour sanitizers, or with the thread sanitizer.
#
#   tests/sanitize.sh [address|whole|thread] [pytest arguments]
#
# Without pytest arguments: for `address` every kernel on every instruction set, the laws above them, and the search of a
# store; for `whole`, by the same build, the ordinary suite, each file in a process of its own (an hour or more of a CPU;
# not what bounds the memory of a process, which the sanitizer itself needs); for `thread` what shares work between threads
# or is called by several (its runtime starts no threads after a fork).
# `whole` goes on behind a file that fails, tells at the end which did, and keeps what each said in build/sanitize-address/
# told; a file that passed there is passed over by the next call, until that folder is removed: it may be stopped and begun
# again. PIECES=20 ends it after so many files.
# Needs gcc with libasan, libubsan and libtsan, and the packages of the extra "test". Leaves its build in build/sanitize-*.
# CMAKE_GENERATOR=Ninja and JOBS are honoured. The tests take some three minutes of a CPU, the build rather more.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:-address} whole=
shift || true
case $kind in
  address)
    sanitizers=address,undefined library=libasan.so
    [ $# -gt 0 ] || set -- tests/kernels tests/dynamics tests/recall/test_plans.py ;;
  whole)
    kind=address sanitizers=address,undefined library=libasan.so whole=1 ;;
  thread)
    sanitizers=thread library=libtsan.so
    [ $# -gt 0 ] || set -- tests/kernels/test_threads.py tests/kernels/test_rank.py tests/kernels/test_rank_graph.py tests/kernels/test_codes.py \
      tests/kernels/test_graph.py tests/recall/test_plans.py -k "(thread or everywhere or codes_find or beside) and not fork" ;;
  *) echo "usage: tests/sanitize.sh [address|whole|thread] [pytest arguments]" >&2; exit 2 ;;
esac
python=${PYTHON:-python3}
build=build/sanitize-$kind
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Debug -DSCRUBJAY_SANITIZE=$sanitizers -DPython_EXECUTABLE="$(command -v "$python")" \
  -Dpybind11_DIR="$("$python" -m pybind11 --cmakedir)"
cmake --build "$build" --parallel "${JOBS:-2}"
rm -rf "$build/package"
cp -r python "$build/package"
rm -f "$build"/package/scrubjay/_core*.so
cp "$build"/_core*.so "$build/package/scrubjay/"

# Without libstdc++ in the preload the first C++ exception aborts.
preload="$(gcc -print-file-name=$library) $(gcc -print-file-name=libstdc++.so)"
export PYTHONPATH=$PWD/$build/package PYTHONMALLOC=malloc ARROW_DEFAULT_MEMORY_POOL=system
# the tests preload a shim of their own before the runtime
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:verify_asan_link_order=0 UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1
export OPENBLAS_NUM_THREADS=1  # NumPy's BLAS synchronises where the thread sanitizer cannot see it
run() { LD_PRELOAD=$preload "$python" -m pytest -p no:cacheprovider --timeout=0 "$@"; }
if [ -z "$whole" ] || [ $# -gt 0 ]; then run "$@"; exit; fi

told=$build/told left=${PIECES:-100000} failed=()
mkdir -p "$told"
for file in $(find tests -name 'test_*.py' ! -name test_flips.py ! -name test_resources.py | sort); do
  name=${file//\//.}
  if [ -e "$told/$name.passed" ]; then continue; fi
  if [ "$left" -le 0 ]; then echo "left: $file and what comes behind it"; exit 3; fi
  left=$((left - 1)) status=0
  run -q "$file" > "$told/$name.log" 2>&1 || status=$?
  # nothing was selected in a file of long runs alone
  if [ $status = 5 ]; then status=0; fi
  if grep -qE 'runtime error:|ERROR: AddressSanitizer' "$told/$name.log"; then status=99; fi
  echo "$file: $([ $status = 0 ] && echo passed || echo "FAILED ($status), see $told/$name.log"): $(tail -n 1 "$told/$name.log")"
  if [ $status = 0 ]; then touch "$told/$name.passed"; else failed+=("$file"); fi
done
if [ ${#failed[@]} -gt 0 ]; then printf 'failed: %s\n' "${failed[@]}"; exit 1; fi
echo "every file passed"
