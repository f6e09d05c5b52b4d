"""Enumerations of this module, as Python constants."""
