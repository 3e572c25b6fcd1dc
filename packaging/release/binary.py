"""Builds the program for a platform. For Linux it is linked by zig, which can link against an
older C library than this machine has."""

import os
import re
import shutil

from base import PROGRAM, ROOT, TOOLS, platform, python_tools, run

ZIG = ("ziglang==0.17.0", "cargo-zigbuild==0.24.0")


def build(name):
    one = platform(name)
    command = ["build", "--locked", "--profile", "dist", "--bin", PROGRAM]
    if one.libc:
        programs = python_tools("zig", *ZIG)
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        run("cargo", "zigbuild", *command[1:], "--target", one.target + one.libc, cwd=ROOT, env={**os.environ, "PATH": path})
    else:
        run("cargo", *command, "--target", one.target, cwd=ROOT)
    made = ROOT / "target" / one.target / "dist" / one.binary.name
    one.binary.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(made, one.binary)
    if one.libc:
        check_libc(one)
    print(f"Built {one.name}: {one.binary.stat().st_size / 1e6:.1f} MB")


def check_libc(one):
    """Refuses a binary that asks for a newer C library than its name promises."""
    symbols = run("objdump", "-T", one.binary)
    versions = {tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([\d.]+)", symbols)}
    promised = tuple(map(int, one.libc[1:].split(".")))
    if max(versions) > promised:
        raise SystemExit(f"release: {one.name} asks for glibc {max(versions)}, more than {promised}")
