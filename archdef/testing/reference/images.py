"""Textures and surfaces (to come)."""
