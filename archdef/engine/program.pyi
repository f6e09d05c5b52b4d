from typing import Any

class ProgramError(ValueError): ...

class LoadedProgram:
    op_count: int
    rows: int
    predicates: int
    constant_rows: int
    statements: int
    specials: int
    lanes: int
    target_count: int
    def __init__(self, program: Any, lanes: int, max_units: int) -> None: ...
    def fill_constants(self, values: Any) -> None: ...

def layout() -> dict[str, int]: ...
