"""Makes what templates show out of reports: numbers with their words, lists of queries, comparisons."""
