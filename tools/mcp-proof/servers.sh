# Starts what the proof talks to, and ends it, by its number, whatever happens.

started=()
declare -A running=()

fail() {
    echo "FAILED: $1" >&2
    tail -n 60 "$2" >&2
    exit 1
}

end() {
    local code=$?
    [ ${#started[@]} -eq 0 ] || kill "${started[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$PROOF_SCRATCH"
    exit "$code"
}

free_port() {
    "$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Waits until a log names an address, and prints it.
address_in() {
    local tries
    for tries in $(seq 200); do
        grep -oE -m1 '127\.0\.0\.1:[0-9]+' "$1" && return
        sleep 0.05
    done
    fail "nothing listens" "$1"
}

# One provider that answers soon and one that does not; two models that cost much.
begin_providers() {
    local fast=$PROOF_SCRATCH/fast.log slow=$PROOF_SCRATCH/slow.log nobody=http://127.0.0.1:9
    : >"$fast" && : >"$slow"
    "$debug/fake_provider" 0 100 >"$fast" 2>&1 & started+=($!)
    "$debug/fake_provider" 0 12000 >"$slow" 2>&1 & started+=($!)
    OLLAMA_BASE_URL=http://$(address_in "$fast")/v1
    LMSTUDIO_BASE_URL=http://$(address_in "$slow")/v1
    export OLLAMA_BASE_URL LMSTUDIO_BASE_URL
    export MISTRAL_BASE_URL=$OLLAMA_BASE_URL MISTRAL_API_KEY=not-a-key-of-anybody
    export LLAMACPP_BASE_URL=$nobody VLLM_BASE_URL=$nobody
    export XDG_CONFIG_HOME=$PROOF_SCRATCH/config
    mkdir -p "$XDG_CONFIG_HOME/roundtable"
    cat >"$XDG_CONFIG_HOME/roundtable/config.toml" <<'TOML'
[server]
confirm_above = 0.001
most_debates = 32
[prices."mistral/fake-large"]
input = 10
output = 50
[prices."mistral/fake-small"]
input = 10
output = 50
TOML
}

# begin_server NAME VARIABLE COMMAND…: in a home of its own, without the keys of
# whoever runs this; sets the variable to where it answers. `plain` has no models.
begin_server() {
    local name=$1 url=$2 home=$PROOF_SCRATCH/$1 known=()
    shift 2
    mkdir -p "$home"
    : >"$home.log"
    [ "$name" = plain ] || known=("OLLAMA_BASE_URL=$OLLAMA_BASE_URL" "LMSTUDIO_BASE_URL=$LMSTUDIO_BASE_URL"
        "MISTRAL_BASE_URL=$MISTRAL_BASE_URL" "MISTRAL_API_KEY=$MISTRAL_API_KEY" "XDG_CONFIG_HOME=$XDG_CONFIG_HOME")
    env -i "HOME=$home" "ROUNDTABLE_DATA_DIR=$home/data" "LLAMACPP_BASE_URL=$LLAMACPP_BASE_URL" \
        "VLLM_BASE_URL=$VLLM_BASE_URL" "${known[@]}" "$@" >"$home.log" 2>&1 & started+=($!)
    printf -v "$url" 'http://%s/mcp' "$(address_in "$home.log")"
}

# later NAME COMMAND…: beside the rest; finish NAME: its line, or its failure.
later() {
    local name=$1
    shift
    "$@" >"$PROOF_SCRATCH/later-$name" 2>&1 &
    running[$name]=$!
    started+=($!)
}

finish() {
    wait "${running[$1]}" || fail "$1" "$PROOF_SCRATCH/later-$1"
    tail -n 1 "$PROOF_SCRATCH/later-$1"
}
