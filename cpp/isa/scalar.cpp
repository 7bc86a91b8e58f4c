#define SJ_ISA scalar
#define SJ_NAME "scalar"
#include "lanes/scalar.hpp"
#include "isa/menu.hpp"
