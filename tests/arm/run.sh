#!/usr/bin/env bash
# The kernels give the same bits on every instruction set of this CPU and on an AArch64 one, emulated: builds driver.cpp
# natively and for AArch64, runs both and compares the hashes. Exit 77, saying why, where a tool is absent.
# Debian: apt-get install g++-aarch64-linux-gnu qemu-user
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
for tool in g++ aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool here (g++-aarch64-linux-gnu, qemu-user)"; exit 77; }
done
[ "$(uname -m)" = x86_64 ] || { echo "skipped: written for an x86-64 host"; exit 77; }
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
common=(-std=c++20 -O3 -w -ffp-contract=off -I"$root/cpp")
kernel=(-fno-exceptions -fno-rtti -fno-math-errno -fno-trapping-math -c)

# objects COMPILER SUFFIX "ISA FLAGS..."...: one object an ISA, then the driver.
program() {
  local compiler=$1 suffix=$2 isa flags
  shift 2
  for isa in "$@"; do
    read -r -a flags <<<"$isa"
    "$compiler" "${common[@]}" "${kernel[@]}" "${flags[@]:1}" "$root/cpp/isa/${flags[0]}.cpp" -o "$build/${flags[0]}.$suffix.o"
  done
  "$compiler" "${common[@]}" "$root/tests/arm/driver.cpp" "$root/cpp/dispatch.cpp" "$build"/*."$suffix".o -static -o "$build/driver.$suffix"
}
program g++ x86 scalar "avx2 -march=x86-64-v3" "avx512 -march=x86-64-v4 -mprefer-vector-width=512" \
  "avx512bf16 -march=x86-64-v4 -mavx512vnni -mavx512bf16 -mprefer-vector-width=512"
program aarch64-linux-gnu-g++ arm scalar neon

{ "$build/driver.x86"; qemu-aarch64 "$build/driver.arm" | sed 's/^scalar /scalar-arm /'; } | sort -k2,2 -s >"$build/hashes"
awk '{ seen[$2 " " $3]; menus[$2] = menus[$2] " " $1 }
     END { for (key in seen) { split(key, part, " "); count[part[1]]++ }
           for (kernel in count) { print kernel, (count[kernel] == 1 ? "same" : "DIFFERENT"), "on" menus[kernel]; bad += count[kernel] > 1 }
           exit bad > 0 }' "$build/hashes" | sort || { cat "$build/hashes"; exit 1; }
