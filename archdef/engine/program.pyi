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
    operand_count: int
    uses_textures: bool
    copies: bool
    uses_bulk: bool
    units: int
    def __init__(self, program: Any, lanes: int, max_units: int) -> None: ...
    def scoreboard(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]: ...
    def fill_constants(self, values: Any) -> None: ...

def layout() -> dict[str, int]: ...
