"""Downloads, unpacks and wraps the emulated Python."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BIGENDIAN_FOLDER = REPOSITORY / "build" / "bigendian"

ARCHITECTURE = "s390x"
EMULATOR = f"qemu-{ARCHITECTURE}-static"
LIBRARIES = f"usr/lib/{ARCHITECTURE}-linux-gnu"

DEBIAN_PACKAGES = (
    "python3",
    "python3-click",
    "python3-construct",
    "python3-jinja2",
    "python3-numpy",
    "python3-rich",
    "python3-yaml",
)
"""What the package runs on, in the distribution's versions: near our lower bounds, luckily."""

PURE_PACKAGES = (
    "execnet",
    "filelock>=3.12",
    "gguf>=0.17",
    "hypothesis>=6.100",
    "iniconfig",
    "kaitaistruct>=0.11",
    "packaging",
    "pluggy",
    "pytest>=8",
    "pytest-xdist>=3.5",
    "sortedcontainers",
    "tqdm",
)
"""What the distribution has too old for us, with what it needs; pure Python only."""

_APT_CONFIGURATION = """\
Dir "{folder}";
Dir::State::status "{folder}/status";
Dir::Etc::sourcelist "/etc/apt/sources.list";
Dir::Etc::sourceparts "/etc/apt/sources.list.d";
Dir::Etc::trusted "/etc/apt/trusted.gpg";
Dir::Etc::trustedparts "/etc/apt/trusted.gpg.d";
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
APT::Sandbox::User "root";
"""

_WRAPPER = """\
#!/bin/sh
# Starts the emulated Python of this folder.
export PYTHONHOME='{root}/usr'
export PYTHONPATH='{pure}:{repository}'
export PYTHONPYCACHEPREFIX='{folder}/pycache'
export GGUF_CONSTRUCT_EMULATED=1
unset GGUF_CONSTRUCT_REQUIRE
exec {emulator} -E LD_LIBRARY_PATH='{root}/{libraries}/blas:{root}/{libraries}/lapack' \\
    -L '{root}' '{interpreter}' "$@"
"""

# A child that a test starts with sys.executable has to be emulated too.
_SITE_CUSTOMIZE = """\
import sys

sys.executable = {wrapper!r}
"""


class RigError(Exception):
    """The emulated Python cannot be made here; the message says what is missing."""


def python_path(folder: Path = BIGENDIAN_FOLDER) -> Path:
    """The program that starts the emulated Python, once prepare() has made it."""
    return folder / "python"


def prepare(folder: Path = BIGENDIAN_FOLDER) -> Path:
    """Make the emulated Python in `folder` unless it is there; the program that starts it.

    Raises RigError when the emulator or apt is absent, or a download fails.
    """
    for program, package in (
        (EMULATOR, "qemu-user-static"),
        ("apt-get", "apt"),
        ("dpkg-deb", "dpkg"),
    ):
        if shutil.which(program) is None:
            raise RigError(f"{program} is not installed: it is in the Debian package {package}")
    stamp = folder / "stamp"
    recipe = hashlib.sha256(Path(__file__).read_bytes() + str(folder).encode()).hexdigest()
    if not (stamp.is_file() and stamp.read_text(encoding="ascii") == recipe):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _unpack_debian(folder)
        _install_pure(folder)
        _write_wrapper(folder)
        stamp.write_text(recipe, encoding="ascii")
    return python_path(folder)


def _run(command: list[str], **variables: str) -> None:
    done = subprocess.run(
        command,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RigError(f"{' '.join(command)} failed:\n{done.stdout.strip()}")


def _unpack_debian(folder: Path) -> None:
    """Download DEBIAN_PACKAGES with all that they need, and unpack them into folder/root."""
    apt = folder / "apt"
    archives = apt / "var/cache/apt/archives"
    for name in ("var/lib/apt/lists/partial", "etc/apt/apt.conf.d", "etc/apt/preferences.d"):
        (apt / name).mkdir(parents=True)
    (archives / "partial").mkdir(parents=True)
    (apt / "status").touch()
    configuration = apt / "apt.conf"
    configuration.write_text(
        _APT_CONFIGURATION.format(folder=apt, architecture=ARCHITECTURE), encoding="utf-8"
    )
    options = ["-q", "-y", "--no-install-recommends", "--download-only"]
    _run(["apt-get", "-q", "update"], APT_CONFIG=str(configuration))
    _run(["apt-get", *options, "install", *DEBIAN_PACKAGES], APT_CONFIG=str(configuration))
    root = folder / "root"
    root.mkdir()
    for package in sorted(archives.glob("*.deb")):
        _run(["dpkg-deb", "-x", str(package), str(root)])
    shutil.rmtree(apt)


def _install_pure(folder: Path) -> None:
    """Install PURE_PACKAGES into folder/pure, whatever this machine's own Python is."""
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--platform=any"]
    version = _interpreter(folder).name.removeprefix("python")
    abi = [f"--python-version={version}", "--implementation=py", "--abi=none"]
    target = ["--target", str(folder / "pure")]
    _run([sys.executable, "-m", "pip", "install", *options, *abi, *target, *PURE_PACKAGES])


def _interpreter(folder: Path) -> Path:
    """The unpacked python3.N itself, not the links to it."""
    return (folder / "root/usr/bin/python3").resolve()


def _write_wrapper(folder: Path) -> None:
    wrapper = python_path(folder)
    text = _WRAPPER.format(
        emulator=EMULATOR,
        folder=folder,
        interpreter=_interpreter(folder),
        libraries=LIBRARIES,
        pure=folder / "pure",
        repository=REPOSITORY,
        root=folder / "root",
    )
    wrapper.write_text(text, encoding="utf-8", newline="\n")
    wrapper.chmod(0o755)
    custom = folder / "pure" / "sitecustomize.py"
    custom.write_text(_SITE_CUSTOMIZE.format(wrapper=str(wrapper)), encoding="utf-8")
