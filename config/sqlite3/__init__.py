"""Django's SQLite backend, with writers that wait fairly."""
