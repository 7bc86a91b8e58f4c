#define SJ_ISA avx512
#define SJ_TILE_ROWS 12
#define SJ_TILE_WORDS 2
#define SJ_NAME "avx512"
#include "lanes/avx512.hpp"
#include "isa/menu.hpp"
