"""What tests of policies in compiled form share."""
import ctypes
import shutil
import subprocess

import pytest

from archdef import policies


@pytest.fixture(scope="module")
def library(tmp_path_factory, request):
    """The functions of C that the module has as `C`, compiled against the header that is installed."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("policy")
    (folder / "policy.c").write_text(request.module.C)
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", f"-I{policies.include()}", "-o", folder / "policy.so", folder / "policy.c"], check=True)
    return ctypes.CDLL(str(folder / "policy.so"))
