"""A container image: the program, the C library and the certificates of Debian, and nothing else.
It is put together by buildah without a daemon and written as an OCI archive."""

import json

from base import ABOUT, DIST, LICENCE, PROGRAM, SERVER_NAME, VERSION, fresh, need, put, run

# The packages whose files the program needs to run, resolve names and trust certificates.
PACKAGES = ("libc6", "libgcc-s1", "gcc-12-base", "ca-certificates", "tzdata")
USER = "65532:65532"
BUILDAH = ("buildah", "--storage-driver", "vfs")


def root_of(one):
    """The files of the image."""
    work, root = fresh(DIST / "container" / "packages"), fresh(DIST / "container" / "root")
    run("apt-get", "download", "-q", *PACKAGES, cwd=work)
    for package in sorted(work.glob("*.deb")):
        run("dpkg-deb", "-x", package, root)
    for gone in ("usr/share/doc", "usr/share/lintian", "usr/share/man"):
        run("rm", "-rf", root / gone)
    trusted = sorted((root / "usr/share/ca-certificates").rglob("*.crt"))
    (root / "etc/ssl/certs").mkdir(parents=True, exist_ok=True)
    (root / "etc/ssl/certs/ca-certificates.crt").write_text("".join(path.read_text() for path in trusted))
    put(one.binary, root / "usr/bin" / PROGRAM, 0o755)
    (root / "etc/passwd").write_text("roundtable:x:65532:65532::/data:/sbin/nologin\n")
    (root / "etc/group").write_text("roundtable:x:65532:\n")
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)
    return root


def make(one):
    need("buildah", "buildah")
    root = root_of(one)
    container = run(*BUILDAH, "from", "scratch").strip()
    run(*BUILDAH, "copy", container, root, "/")
    # The folder for data belongs to the user of the image; `copy` changes the owner of what lies in
    # the folder it is given, not of that folder.
    own = fresh(DIST / "container" / "own")
    (own / "data").mkdir(mode=0o700)
    run(*BUILDAH, "copy", "--chown", USER, container, own, "/")
    settings = {"ROUNDTABLE_LISTEN": "0.0.0.0:8765", "ROUNDTABLE_DATA_DIR": "/data", "HOME": "/data"}
    labels = {"io.modelcontextprotocol.server.name": SERVER_NAME, "org.opencontainers.image.version": VERSION,
              "org.opencontainers.image.description": ABOUT, "org.opencontainers.image.licenses": LICENCE}
    words = [word for name, value in settings.items() for word in ("--env", f"{name}={value}")]
    words += [word for name, value in labels.items() for word in ("--label", f"{name}={value}")]
    run(*BUILDAH, "config", *words, "--user", USER, "--volume", "/data", "--port", "8765",
        "--entrypoint", json.dumps([f"/usr/bin/{PROGRAM}"]), "--cmd", "serve", container)
    image = f"{PROGRAM}:{VERSION}"
    run(*BUILDAH, "commit", "--rm", container, image)
    target = DIST / f"{PROGRAM}-{VERSION}-{one.name}-oci.tar"
    target.unlink(missing_ok=True)
    run(*BUILDAH, "push", image, f"oci-archive:{target}")
    run(*BUILDAH, "rmi", image)
    return target
