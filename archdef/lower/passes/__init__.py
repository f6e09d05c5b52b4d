"""Passes of lowering: each changes the micro-ops of one function, before registers are assigned."""
