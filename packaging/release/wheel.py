"""Python wheels that hold the program as a script, for pip and uvx. The packing itself, with its
list of checksums, is done by Python's own `wheel`."""

from base import ABOUT, DIST, LICENCE, NAME, PROGRAM, REPOSITORY, ROOT, SERVER_NAME, VERSION, fresh, put, python_tools, run

METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: {about}
License-Expression: {licence}
Project-URL: Repository, {repository}
Requires-Python: >=3.8
Description-Content-Type: text/markdown

<!-- mcp-name: {server} -->

{readme}"""
WHEEL = "Wheel-Version: 1.0\nGenerator: {name}\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"


def make(one):
    stem = f"{NAME.replace('-', '_')}-{VERSION}"
    folder = fresh(DIST / "wheel" / one.name)
    scripts = folder / f"{stem}.data" / "scripts"
    put(one.binary, scripts / one.binary.name, 0o755)
    by_package_name(one, scripts)
    info = folder / f"{stem}.dist-info"
    info.mkdir()
    fields = {"name": NAME, "version": VERSION, "about": ABOUT, "licence": LICENCE, "repository": REPOSITORY,
              "server": SERVER_NAME, "readme": (ROOT / "README.md").read_text()}
    (info / "METADATA").write_text(METADATA.format(**fields))
    (info / "WHEEL").write_text(WHEEL.format(name=PROGRAM, tag=one.wheel))
    programs = python_tools("wheel", "wheel==0.48.0")
    run(programs / "wheel", "pack", folder, "--dest-dir", DIST)
    return DIST / f"{stem}-py3-none-{one.wheel}.whl"


def by_package_name(one, scripts):
    """`uvx NAME` starts a program of that name, so there is one that starts the other."""
    if one.suffix:
        put(one.binary, scripts / f"{NAME}{one.suffix}", 0o755)
        return
    starter = scripts / NAME
    starter.write_text(f'#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/{PROGRAM}" "$@"\n')
    starter.chmod(0o755)
