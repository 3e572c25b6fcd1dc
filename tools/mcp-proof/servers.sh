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

# All a server with models may know of this machine, by the names of the variables.
export PROOF_KNOWN="OLLAMA_BASE_URL LMSTUDIO_BASE_URL MISTRAL_BASE_URL MISTRAL_API_KEY \
DEEPSEEK_BASE_URL DEEPSEEK_API_KEY LLAMACPP_BASE_URL VLLM_BASE_URL XDG_CONFIG_HOME"

# begin_provider VARIABLE ARGUMENTS…: sets the variable to where it answers.
begin_provider() {
    local variable=$1 log=$PROOF_SCRATCH/$1.log
    shift
    : >"$log"
    "$debug/fake_provider" 0 "$@" >"$log" 2>&1 & started+=($!)
    export "$variable=http://$(address_in "$log")/v1"
}

# One provider that answers soon, one that does not, and one whose model asks the
# user something first; two models that cost much.
begin_providers() {
    local nobody=http://127.0.0.1:9
    begin_provider OLLAMA_BASE_URL 100
    begin_provider LMSTUDIO_BASE_URL 12000
    begin_provider DEEPSEEK_BASE_URL 100 request_context
    export DEEPSEEK_API_KEY=not-a-key-of-anybody
    export MISTRAL_BASE_URL=$OLLAMA_BASE_URL MISTRAL_API_KEY=not-a-key-of-anybody
    export LLAMACPP_BASE_URL=$nobody VLLM_BASE_URL=$nobody
    export XDG_CONFIG_HOME=$PROOF_SCRATCH/config
    mkdir -p "$XDG_CONFIG_HOME/roundtable"
    cat >"$XDG_CONFIG_HOME/roundtable/config.toml" <<'TOML'
[server]
confirm_above = 0.001
most_debates = 32
starts_per_minute = 1000
[prices."mistral/fake-large"]
input = 10
output = 50
[prices."mistral/fake-small"]
input = 10
output = 50
[prices."deepseek/deepseek-flash"]
input = 0
output = 0
TOML
}

# begin_server NAME VARIABLE COMMAND…: in a home of its own, without the keys of
# whoever runs this; sets the variable to where it answers. `plain` has no models.
begin_server() {
    local name=$1 url=$2 home=$PROOF_SCRATCH/$1 known=() variable
    shift 2
    mkdir -p "$home"
    : >"$home.log"
    [ "$name" = plain ] || for variable in $PROOF_KNOWN; do known+=("$variable=${!variable}"); done
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
