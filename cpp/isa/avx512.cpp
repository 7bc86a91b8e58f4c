#define SJ_ISA avx512
#define SJ_NAME "avx512"
#include "lanes/avx512.hpp"
#include "isa/menu.hpp"
