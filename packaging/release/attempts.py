"""Installs each package in a clean place, without a network, and uses it as a newcomer would: the
version, the example debate, a greeting over MCP, and the page."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
import urllib.request
import venv

from base import DIST, NAME, PROGRAM, VERSION, fresh, need, python_tools, run

QUESTION = "Should a five-person startup build its product as microservices or as a modular monolith?"
PLACE = DIST / "tried"
# The release before the one that this is built on.
OLDER = "bullseye"
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "release", "version": "1"}}}


def use(what, command, environment):
    """Uses the program as `command` starts it; anything that is not as it should be ends the release."""
    def call(*words, **more):
        return subprocess.run([*map(str, command), *words], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, **more)

    def expect(holds, step, seen):
        if not holds:
            sys.exit(f"release: {what}: {step}: {seen}")

    told = call("--version")
    expect(told.stdout.split() == [PROGRAM, VERSION], "version", told)
    held = call("debate", QUESTION)
    expect(held.returncode == 0 and "modular monolith" in held.stdout, "example debate", held)
    greeted = call("mcp", input=json.dumps(HELLO) + "\n")
    named = json.loads(greeted.stdout.splitlines()[0])["result"]["serverInfo"]
    expect(named["name"] == PROGRAM and named["version"] == VERSION, "MCP initialize", greeted)
    page(what, [*map(str, command), "serve"], environment, expect)
    print(f"{what}: version, example debate, MCP initialize and the page work", flush=True)


def page(what, command, environment, expect):
    server = subprocess.Popen(command, env=environment | {"ROUNDTABLE_LISTEN": "127.0.0.1:0"},
                              text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        line = server.stderr.readline()
        expect("http://" in line, "the page", line)
        address = "http://" + line.rsplit("http://", 1)[1].strip().removesuffix("/mcp")
        with urllib.request.urlopen(f"{address}/healthz", timeout=30) as answer:
            expect(answer.read() == b"ok\n", "health", answer)
        with urllib.request.urlopen(f"{address}/", timeout=30) as answer:
            body = answer.read().decode()
            expect("Roundtable" in body and "<html" in body, "the page", body[:500])
    finally:
        server.terminate()
        server.wait(timeout=60)


def home(name, **more):
    """An environment with a new home and no keys."""
    folder = fresh(PLACE / name / "home")
    return {"HOME": str(folder), "PATH": os.environ["PATH"], "TERM": "dumb", **more}


def npm(one):
    folder = fresh(PLACE / "npm" / "project")
    environment = home("npm", npm_config_cache=str(PLACE / "npm" / "cache"))
    packages = [DIST / f"{NAME}-{one.name}-{VERSION}.tgz", DIST / f"{NAME}-{VERSION}.tgz"]
    (folder / "package.json").write_text('{"private": true}')
    run("npm", "install", "--offline", "--no-audit", "--no-fund", *packages, cwd=folder, env=environment)
    use("npm", ["npx", "--no-install", "--prefix", folder, PROGRAM], environment)


def wheel(one):
    folder = PLACE / "wheel" / "venv"
    environment = home("wheel")
    venv.create(folder, clear=True, with_pip=True)
    found = next(DIST.glob(f"*-py3-none-{one.wheel}.whl"))
    run(folder / "bin" / "pip", "install", "-q", "--no-index", found)
    use("pip", [folder / "bin" / PROGRAM], environment)
    uv = python_tools("uv", "uv==0.9.30")
    use("uvx", [uv / "uvx", "--offline", "--from", found, NAME], environment | {"UV_PYTHON": sys.executable})


def bundle(one):
    folder = fresh(PLACE / "bundle")
    shutil.unpack_archive(DIST / f"{PROGRAM}-{VERSION}-{one.name}.mcpb", folder, "zip")
    program = folder / "server" / one.binary.name
    program.chmod(0o755)
    # A client that was given no keys passes the placeholders on as they are.
    wanted = json.loads((folder / "manifest.json").read_text())["server"]["mcp_config"]["env"]
    use("bundle", [program], home("bundle-use") | wanted)


def older_debian():
    """The root of an older Debian, unpacked once."""
    root = DIST.parent / "tools" / OLDER
    if not (root / "ready").is_file():
        need("debootstrap", "debootstrap")
        targets = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages").split()
        shutil.rmtree(root, ignore_errors=True)
        run("debootstrap", "--variant=minbase", OLDER, root, targets[0])
        (root / "ready").touch()
    return root


def inside(root):
    """A command that runs another one with this root, on this machine's loopback."""
    return [shutil.which("chroot"), root, "/usr/bin/env", "HOME=/tmp/home"]


def older(one):
    root = older_debian()
    fresh(root / "tmp" / "home")
    archive = DIST / f"{PROGRAM}-{VERSION}-{one.name}.tar.gz"
    with tarfile.open(archive) as opened:
        opened.extractall(root / "opt", filter="data")
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TERM": "dumb"}
    use(f"archive in Debian {OLDER}", [*inside(root), f"/opt/{PROGRAM}-{VERSION}-{one.name}/{PROGRAM}"], environment)
    package = f"{NAME}_{VERSION}_{one.debian}.deb"
    shutil.copy(DIST / package, root / "tmp" / package)
    run("chroot", root, "dpkg", "-i", f"/tmp/{package}", env=environment)
    fresh(root / "tmp" / "home")
    use(f".deb in Debian {OLDER}", [*inside(root), f"/usr/bin/{PROGRAM}"], environment)
    for path in ("usr/share/man/man1/roundtable.1.gz", "lib/systemd/system/roundtable.service"):
        if not (root / path).is_file():
            sys.exit(f"release: .deb: {path} is missing")
    run("chroot", root, "dpkg", "--purge", NAME, env=environment)


def image(one):
    """The image's root, unpacked, entered as the user of the image."""
    root, layout = fresh(PLACE / "image" / "root"), fresh(PLACE / "image" / "layout")
    shutil.unpack_archive(DIST / f"{PROGRAM}-{VERSION}-{one.name}-oci.tar", layout, "tar", filter="data")
    blob = lambda digest: layout / "blobs" / digest.replace(":", "/")  # noqa: E731
    index = json.loads((layout / "index.json").read_text())
    manifest = json.loads(blob(index["manifests"][0]["digest"]).read_text())
    for layer in manifest["layers"]:
        run("tar", "-xf", blob(layer["digest"]), "-C", root)
    config = json.loads(blob(manifest["config"]["digest"]).read_text())["config"]
    user = config["User"].split(":")[0]
    environment = dict(line.split("=", 1) for line in config["Env"])
    (root / "dev").mkdir(exist_ok=True)
    use("container", [shutil.which("chroot"), f"--userspec={user}:{user}", root, *config["Entrypoint"]], environment)


def all_of(one):
    begun = time.monotonic()
    for attempt in (npm, wheel, bundle, older, image):
        attempt(one)
    print(f"Every package was installed and used, in {time.monotonic() - begun:.0f} s")
