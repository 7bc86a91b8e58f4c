#define SJ_ISA scalar
#define SJ_TILE_ROWS 4
#define SJ_TILE_WORDS 1
#define SJ_NAME "scalar"
#include "lanes/scalar.hpp"
#include "isa/menu.hpp"
