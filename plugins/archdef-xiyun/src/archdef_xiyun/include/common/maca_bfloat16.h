#pragma once
#include <maca_bfloat16.h>
