"""Tool calls through the public interface."""
