"""What tests of archdef and of its plugins import: definitions in plain numpy to compare the engine with."""
