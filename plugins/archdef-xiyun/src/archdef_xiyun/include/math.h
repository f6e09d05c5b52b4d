// Device code knows these functions and types without any header.
#pragma once
