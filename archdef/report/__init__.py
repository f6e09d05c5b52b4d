"""Results as people and programs read them: rich tables and plain data."""
