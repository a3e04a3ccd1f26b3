"""Measurements of maskwright on real vocabularies and texts. Each module is a command; see METHODOLOGY.md."""
