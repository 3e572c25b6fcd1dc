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
    put(one.binary, folder / f"{stem}.data" / "scripts" / one.binary.name, 0o755)
    info = folder / f"{stem}.dist-info"
    info.mkdir()
    fields = {"name": NAME, "version": VERSION, "about": ABOUT, "licence": LICENCE, "repository": REPOSITORY,
              "server": SERVER_NAME, "readme": (ROOT / "README.md").read_text()}
    (info / "METADATA").write_text(METADATA.format(**fields))
    (info / "WHEEL").write_text(WHEEL.format(name=PROGRAM, tag=one.wheel))
    programs = python_tools("wheel", "wheel==0.48.0")
    run(programs / "wheel", "pack", folder, "--dest-dir", DIST)
    return DIST / f"{stem}-py3-none-{one.wheel}.whl"
