"""Tests of the vocabularies: each format against real files, real encoders and damaged input."""
