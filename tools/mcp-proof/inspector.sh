# The Inspector's strict reading of the list of tools, its look at the page for
# clients, and its check of the skill: not one warning.

inspector() {
    local how era count=0
    for how in stdio http; do
        for era in legacy modern; do
            strict "$how" "$era"
            paged "$how" "$era"
            skilled "$how" "$era"
            count=$((count + 1))
        done
    done
    echo "Inspector: tools/list --strict 0 warnings, page found for 3 tools, skill verified, in $count runs each (stdio and HTTP, both eras)"
}

strict() {
    local log=$PROOF_SCRATCH/inspector-$1-$2
    inspect "$1" --protocol-era "$2" --method tools/list --strict --format json >"$log" 2>"$log.said" ||
        fail "Inspector --strict over $1, $2" "$log.said"
    # It ends well on warnings, so whatever it says beside the list counts as one.
    [ ! -s "$log.said" ] || fail "Inspector warns over $1, $2" "$log.said"
    grep -q '"start_roundtable"' "$log" || fail "Inspector saw no tools over $1, $2" "$log"
}

paged() {
    local log=$PROOF_SCRATCH/inspector-page-$1-$2
    inspect "$1" --protocol-era "$2" --method tools/list --app-info --format json >"$log" 2>&1 ||
        fail "Inspector --app-info over $1, $2" "$log"
    [ "$(grep -c '"hasApp":true.*"resourceMimeType":"text/html;profile=mcp-app"' "$log")" = 3 ] ||
        fail "Inspector found no page over $1, $2" "$log"
}

skilled() {
    local log=$PROOF_SCRATCH/inspector-skill-$1-$2
    inspect "$1" --protocol-era "$2" --method skills/list --verify --format json >"$log" 2>&1 ||
        fail "Inspector --verify over $1, $2" "$log"
    grep -q '"name":"roundtable".*"outcome":"verified"' "$log" || fail "the skill is not verified over $1, $2" "$log"
}

inspect() {
    local how=$1
    shift
    case $how in
        stdio) "$node" "$bin/mcp-inspector" --cli "$PROOF_BINARY" mcp "$@" ;;
        http) "$node" "$bin/mcp-inspector" --cli "$plain_url" --transport http "$@" ;;
    esac
}
