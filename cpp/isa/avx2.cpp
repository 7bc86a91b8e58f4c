#define SJ_ISA avx2
#define SJ_TILE_ROWS 6
#define SJ_TILE_WORDS 1
#define SJ_NAME "avx2"
#include "lanes/avx2.hpp"
#include "isa/menu.hpp"
