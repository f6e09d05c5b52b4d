#pragma once
#include <maca_cooperative_groups.h>
