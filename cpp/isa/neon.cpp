#define SJ_ISA neon
#define SJ_NAME "neon"
#include "lanes/neon.hpp"
#include "isa/menu.hpp"
