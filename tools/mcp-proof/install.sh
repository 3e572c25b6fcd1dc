# Installs what the proof runs, at the versions that are committed, into target/.
# Nothing that a package brings along is executed while it is installed.
# Sets `node`, `python` and `bin`, and `coder` where there is one; where it cannot, `why`.

install_tools() {
    mkdir -p "$place"
    install_node && install_python
}

# Kept from the last time if the list of packages is still the same.
same() { cmp -s "$here/$1" "$place/$1.installed"; }

install_node() {
    if ! same package-lock.json; then
        why="npm is not installed"
        command -v npm >/dev/null || return 1
        cp "$here/package.json" "$here/package-lock.json" "$place/"
        why="npm could not fetch the packages"
        # Not `npm ci`: that wants every system's build of a bundler that is never run
        # here, and some registries lack a few. What is in the lock file is kept to.
        (cd "$place" && rm -rf node_modules &&
            npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 \
                --fetch-retry-mintimeout=500 --fetch-retry-maxtimeout=1000) || return 1
        cp "$here/package-lock.json" "$place/package-lock.json.installed"
    fi
    bin=$place/node_modules/.bin
    # The suite and the Inspector need Node 22, which comes as a package too.
    node=$(echo "$place"/node_modules/node-linux-*/bin/node)
    why="there is no package of Node 22 for this machine"
    [ -x "$node" ] || node=$(command -v node) || return 1
    "$node" -e 'process.exit(process.versions.node.split(".")[0] >= 22 ? 0 : 1)' || return 1
    # The program itself is a package, so nothing needs to be run to install it.
    coder=$(echo "$place"/node_modules/@anthropic-ai/claude-code-linux-*/claude)
    # npm passes over it where it cannot be had; then the next run tries again.
    [ -x "$coder" ] || { coder= && rm -f "$place/package-lock.json.installed"; }
    # Modules are looked for beside the script that wants them.
    cp "$here"/*.mjs "$place/"
}

install_python() {
    python=$place/venv/bin/python
    same requirements.txt && return
    why="python3 with venv could not be had"
    python3 -c 'import ensurepip' 2>/dev/null ||
        { apt-get update -q && apt-get install -y -q python3-venv; } || return 1
    rm -rf "$place/venv"
    python3 -m venv "$place/venv" || return 1
    why="pip could not fetch the packages"
    "$python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt" || return 1
    cp "$here/requirements.txt" "$place/requirements.txt.installed"
}
