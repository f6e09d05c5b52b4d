"""The compiled core: executes and times packed micro-ops on packed machine tables. See docs/explanation/engine-interface.md.

`core` runs launches; `lanes`, `coalesce`, `shared` and `schedule` can be asked for one operation, one access, one choice at a
time, as the tests do.
"""
