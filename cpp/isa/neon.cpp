#define SJ_ISA neon
#define SJ_TILE_ROWS 6
#define SJ_TILE_WORDS 1
#define SJ_NAME "neon"
#define SJ_HAS_NEON
#include "lanes/neon.hpp"
#include "isa/menu.hpp"
