// All of it is in the one header.
#pragma once
#include <maca_cooperative_groups.h>
