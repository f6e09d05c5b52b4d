"""Small PTX texts for tests."""

HEADER = ".version 7.8\n.target sm_60\n.address_size 64\n"
REGISTERS = ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .b16 %h<9>;\n"


def kernel(body: str, before: str = "", parameters: str = ".param .u64 a, .param .u32 n") -> str:
    """Wrap a body into a module; the body starts on a line of its own."""
    return f"{HEADER}{before}.visible .entry k({parameters}) {{\n{REGISTERS}{body}\n}}\n"
