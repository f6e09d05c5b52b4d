// MXMACA's device side is known without any header; the runtime API is the host's, which archdef gives in Python.
#pragma once
#include <maca/wave.h>
