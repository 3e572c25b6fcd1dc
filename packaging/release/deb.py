"""A Debian package, packed by dpkg-deb."""

import gzip

from base import ABOUT, DIST, NAME, PROGRAM, REPOSITORY, VERSION, fresh, put, run

CONTROL = """\
Package: {name}
Version: {version}
Architecture: {architecture}
Maintainer: The Roundtable authors <{repository}>
Installed-Size: {size}
Depends: libc6 (>= 2.17), libgcc-s1 | libgcc1
Recommends: ca-certificates
Section: utils
Priority: optional
Homepage: {repository}
Description: {about}
 Roundtable is a command line, an MCP server and a page in the browser. It keeps
 every answer on disk before it is used, and picks up a debate that was interrupted.
"""
PLACES = {"roundtable.bash": "usr/share/bash-completion/completions/roundtable",
          "_roundtable": "usr/share/zsh/vendor-completions/_roundtable",
          "roundtable.fish": "usr/share/fish/vendor_completions.d/roundtable.fish"}


def make(one, companions):
    folder = fresh(DIST / "deb" / one.debian)
    put(one.binary, folder / "usr/bin" / PROGRAM, 0o755)
    put(companions / "roundtable.service", folder / "lib/systemd/system/roundtable.service")
    for name, place in PLACES.items():
        put(companions / "completions" / name, folder / place)
    manual = folder / "usr/share/man/man1"
    manual.mkdir(parents=True)
    for page in (companions / "man1").iterdir():
        (manual / f"{page.name}.gz").write_bytes(gzip.compress(page.read_bytes(), mtime=0))
    copyright = "".join((companions / name).read_text() for name in ("LICENSE-MIT", "LICENSE-APACHE"))
    (folder / "usr/share/doc" / NAME).mkdir(parents=True)
    (folder / "usr/share/doc" / NAME / "copyright").write_text(copyright)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) // 1024
    control = CONTROL.format(name=NAME, version=VERSION, architecture=one.debian, repository=REPOSITORY,
                             size=size, about=ABOUT)
    (folder / "DEBIAN").mkdir()
    (folder / "DEBIAN" / "control").write_text(control)
    target = DIST / f"{NAME}_{VERSION}_{one.debian}.deb"
    run("dpkg-deb", "--root-owner-group", "--build", folder, target)
    return target
