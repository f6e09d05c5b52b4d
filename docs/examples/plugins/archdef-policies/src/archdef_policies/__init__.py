"""Policies for archdef, in Python and compiled."""
