"""Running kernels: device arrays, modules, launches, results."""
