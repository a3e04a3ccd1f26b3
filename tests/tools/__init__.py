"""Descriptions of tools through the public interface."""
