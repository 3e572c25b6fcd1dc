"""An archive with the program, its manual pages, completions, a systemd unit and licences."""

import io
import tarfile
import zipfile

from base import DIST, FILES, PROGRAM, ROOT, VERSION, fresh, put, run

SHELLS = {"bash": f"{PROGRAM}.bash", "zsh": f"_{PROGRAM}", "fish": f"{PROGRAM}.fish"}


def companions(program):
    """The files beside the program that it writes itself; made once, the same for every platform."""
    folder = fresh(DIST / "companions")
    run(program, "man", "--dir", folder / "man1")
    (folder / "completions").mkdir()
    for shell, name in SHELLS.items():
        (folder / "completions" / name).write_text(run(program, "completions", shell))
    for name in ("README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"):
        put(ROOT / name, folder / name)
    put(FILES / "roundtable.service", folder / "roundtable.service")
    return folder


def files_of(one, folder):
    yield one.binary, one.binary.name, 0o755
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path, str(path.relative_to(folder)), 0o644


def make(one, folder):
    stem = f"{PROGRAM}-{VERSION}-{one.name}"
    if one.suffix:
        target = DIST / f"{stem}.zip"
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, name, _ in files_of(one, folder):
                archive.write(path, f"{stem}/{name}")
        return target
    target = DIST / f"{stem}.tar.gz"
    with tarfile.open(target, "w:gz") as archive:
        for path, name, mode in files_of(one, folder):
            entry = tarfile.TarInfo(f"{stem}/{name}")
            data = path.read_bytes()
            entry.size, entry.mode = len(data), mode
            archive.addfile(entry, io.BytesIO(data))
    return target
