"""The benchmark suite: every engine by the same loop, in one run. See ``METHODOLOGY.md`` and ``BIAS.md``."""
