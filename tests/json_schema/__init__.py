"""JSON Schemas through the public interface."""
