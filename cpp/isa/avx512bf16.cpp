#define SJ_ISA avx512bf16
#define SJ_TILE_ROWS 12
#define SJ_TILE_WORDS 2
#define SJ_NAME "avx512bf16"
#define SJ_HAS_BF16 1
#define SJ_HAS_VNNI 1
#include "lanes/avx512.hpp"
#include "isa/menu.hpp"
