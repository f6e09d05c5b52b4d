"""Enumerations of the micro-op record, as Python constants."""
