"""Foreign programs, compiled for CUDA, run against simulated devices: a stand-in for the driver and the runtime inside them, and who answers it."""
