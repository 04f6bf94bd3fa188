"""A big-endian Python on a little-endian machine, to run the tests on.

Strategy: Debian still builds for s390x, the last big-endian architecture in wide use. A private
apt configuration (the machine's own sources, another architecture, an empty package database)
resolves and downloads the packages of a Python with numpy; they are only unpacked into a folder of
the build and started under qemu's user emulation. Nothing of the host's package system changes.
The test tools, which are pure Python, come from pip.
"""

from __future__ import annotations

from tools.bigendian.rig import BIGENDIAN_FOLDER, RigError, prepare, python_path

__all__ = ["BIGENDIAN_FOLDER", "RigError", "prepare", "python_path"]
