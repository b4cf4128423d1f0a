"""maturin as pip calls it, with the solver's library in the wheel.

Left to itself maturin repairs wheels only where it is called by hand; a wheel that pip builds would need the folder
that it was built in.
"""

import os

os.environ.setdefault("MATURIN_PEP517_ARGS", "--compatibility pypi --auditwheel repair")

from maturin import *  # noqa: E402,F403
