"""The runtime API under the names that users know: `archdef.runtime.cuda` and `archdef.runtime.maca`.

Both are one implementation (`api.py`) under two vocabularies (`names.py`). Calls give their result instead of a status, and raise
`archdef.errors.RuntimeApiError` with the runtime's own name and number of the error.
"""
