"""Scoring where there is nothing but an exported gold set and a run file, for example in somebody's build."""
