"""Tests of ``maskwright.generation``."""
