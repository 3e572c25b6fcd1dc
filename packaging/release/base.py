"""What every way of packaging shares: names, version, platforms, and how commands are run."""

import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DIST = ROOT / "target" / "dist"
FILES = ROOT / "packaging" / "files"
TOOLS = ROOT / "target" / "tools"
# The name under which packages are found; `roundtable` belongs to others in two places.
NAME = "roundtable-debate"
PROGRAM = "roundtable"
SERVER_NAME = "io.github.roundtable/roundtable"
ABOUT = "Puts a question before several AI models, makes them debate it, and gives a decision you can check"
LICENCE = "MIT OR Apache-2.0"
REPOSITORY = "https://github.com/roundtable-ai/roundtable"
VERSION = re.search(r'(?m)^version = "(.+)"$', (ROOT / "Cargo.toml").read_text())[1]


@dataclasses.dataclass(frozen=True)
class Platform:
    name: str
    target: str
    # The C library a Linux binary is content with; 2.17 is of 2012.
    libc: str
    # The names that npm, wheels, Debian and bundles have for it.
    npm: tuple
    wheel: str
    debian: str | None
    bundle: str
    suffix: str = ""

    @property
    def binary(self):
        return DIST / "bin" / self.name / f"{PROGRAM}{self.suffix}"


PLATFORMS = [
    Platform("linux-x64", "x86_64-unknown-linux-gnu", ".2.17", ("linux", "x64"), "manylinux_2_17_x86_64", "amd64", "linux"),
    Platform("linux-arm64", "aarch64-unknown-linux-gnu", ".2.17", ("linux", "arm64"), "manylinux_2_17_aarch64", "arm64", "linux"),
    Platform("darwin-x64", "x86_64-apple-darwin", "", ("darwin", "x64"), "macosx_11_0_x86_64", None, "darwin"),
    Platform("darwin-arm64", "aarch64-apple-darwin", "", ("darwin", "arm64"), "macosx_11_0_arm64", None, "darwin"),
    Platform("win32-x64", "x86_64-pc-windows-msvc", "", ("win32", "x64"), "win_amd64", None, "win32", ".exe"),
]


def platform(name):
    for one in PLATFORMS:
        if one.name == name:
            return one
    sys.exit(f"release: {name!r} is no platform; allowed: {', '.join(one.name for one in PLATFORMS)}")


def built():
    """The platforms whose binary lies ready."""
    return [one for one in PLATFORMS if one.binary.is_file()]


def run(*command, **more):
    """Runs a command and returns what it printed; a failure ends the release with its words."""
    words = [str(word) for word in command]
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    if done.returncode:
        sys.exit(f"release: {' '.join(words)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def need(program, package):
    """Installs the Debian package of a program that is missing."""
    if not shutil.which(program):
        run("apt-get", "update", "-q")
        run("apt-get", "install", "-y", "-q", "--no-install-recommends", package)


def python_tools(folder, *packages):
    """A virtual environment of its own with these packages; returns its programs' folder."""
    place = TOOLS / folder
    if not (place / "ready").is_file():
        shutil.rmtree(place, ignore_errors=True)
        run(sys.executable, "-m", "venv", place)
        run(place / "bin" / "pip", "install", "-q", *packages)
        (place / "ready").touch()
    return place / "bin"


def fresh(path):
    """An empty folder at this path."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def put(source, target, mode=0o644):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)
