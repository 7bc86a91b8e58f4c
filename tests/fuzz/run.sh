#!/usr/bin/env bash
# Fuzzes the kernels, and then each reader of foreign bytes, for so many seconds each (60).
#
#   tests/fuzz/run.sh [seconds] [target ...]      targets: kernels, and those that readers.py lists
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}
shift || true
build=build/fuzz
mkdir -p "$build"
cxx=${CXX:-$(command -v clang++-16 || command -v clang++)}
python=${PYTHON:-python3}
[ $# -gt 0 ] || set -- kernels replies import peer mem0 elfmem snapshot
for target; do
  corpus=$build/corpus-$target
  mkdir -p "$corpus"
  if [ "$target" = kernels ]; then
    flags=(-std=c++20 -O1 -g -Icpp -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-omit-frame-pointer
      -fsanitize=address,undefined -fno-sanitize=float-divide-by-zero,float-cast-overflow -fno-sanitize-recover=all)
    "$cxx" "${flags[@]}" -fsanitize=fuzzer-no-link -c cpp/isa/scalar.cpp -o "$build/scalar.o"
    "$cxx" "${flags[@]}" -fsanitize=fuzzer-no-link -march=x86-64-v3 -c cpp/isa/avx2.cpp -o "$build/avx2.o"
    "$cxx" "${flags[@]}" -fsanitize=fuzzer-no-link -march=x86-64-v4 -c cpp/isa/avx512.cpp -o "$build/avx512.o"
    "$cxx" "${flags[@]}" -fsanitize=fuzzer tests/fuzz/kernels.cpp "$build"/{scalar,avx2,avx512}.o -o "$build/kernels"
    "$build/kernels" -max_total_time="$seconds" -max_len=4096 -artifact_prefix="$build/kernels-" "$corpus"
  else
    PYTHONPATH=python:tests:. "$python" tests/fuzz/readers.py "$target" -max_total_time="$seconds" -max_len=16384 \
      -artifact_prefix="$build/$target-" "$corpus"
  fi
done
