"""Structural tags."""
