"""Runs the programs that tests build."""
from archdef import exec as programs


def printed(program, machine, tmp_path):
    """What a program prints on a machine, and its account."""
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([str(program)], machine, output=output)
        output.seek(0)
        return output.read(), found
