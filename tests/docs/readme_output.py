"""Put the output of the README's main command into the README: ``python tests/docs/readme_output.py``."""
import re
from pathlib import Path

from click.testing import CliRunner

README = Path(__file__).parents[2] / "README.md"
_BLOCK = re.compile(r"(<!-- output: main -->\n)(?:```text\n.*?```\n)?", re.DOTALL)


def printed() -> str:
    """Run the command, without its set-up, and give what it prints: the table and the reasons."""
    from archdef.cli import main

    line = re.search(r"<!-- command: main -->\n```sh\n(.*?)\n```", README.read_text(encoding="utf-8"))[1]
    result = CliRunner(env={"COLUMNS": "120"}).invoke(main, line.rpartition("archdef ")[2].split(), catch_exceptions=False)
    return "\n".join(text.rstrip() for text in result.output.splitlines())


def shown() -> str:
    """Give what the README shows."""
    block = _BLOCK.search(README.read_text(encoding="utf-8"))[0]
    return block.partition("```text\n")[2].rpartition("\n```")[0]


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    README.write_text(_BLOCK.sub(lambda match: f"{match[1]}```text\n{printed()}\n```\n", text), encoding="utf-8")
