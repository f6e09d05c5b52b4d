#pragma once
#include <maca_fp16.h>
