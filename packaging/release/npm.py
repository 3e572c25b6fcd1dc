"""npm packages: one with a small script, and one per platform that holds the program."""

import json

from base import ABOUT, DIST, FILES, LICENCE, NAME, PLATFORMS, PROGRAM, REPOSITORY, ROOT, SERVER_NAME, VERSION, fresh, put, run


def describe(name, **more):
    return {
        "name": name, "version": VERSION, "description": ABOUT, "license": LICENCE,
        "repository": {"type": "git", "url": f"git+{REPOSITORY}.git"}, **more,
    }


def pack(folder, package):
    (folder / "package.json").write_text(json.dumps(package, indent=2) + "\n")
    name = run("npm", "pack", "--silent", "--pack-destination", DIST, cwd=folder).strip().splitlines()[-1]
    return DIST / name


def make(platforms):
    made = [platform_package(one) for one in platforms]
    folder = fresh(DIST / "npm" / NAME)
    put(FILES / "npm-launcher.js", folder / "roundtable.js", 0o755)
    put(ROOT / "README.md", folder / "README.md")
    programs = {PROGRAM: "roundtable.js", NAME: "roundtable.js"}
    # Every platform is named whether or not it was built here, so that the package is the same everywhere.
    others = {f"{NAME}-{one.name}": VERSION for one in PLATFORMS}
    main = describe(NAME, mcpName=SERVER_NAME, bin=programs, optionalDependencies=others, engines={"node": ">=18"})
    return [*made, pack(folder, main)]


def platform_package(one):
    folder = fresh(DIST / "npm" / one.name)
    put(one.binary, folder / one.binary.name, 0o755)
    system, processor = one.npm
    return pack(folder, describe(f"{NAME}-{one.name}", os=[system], cpu=[processor]))
