# The Inspector's strict reading of the list of tools: not one warning.

inspector_strict() {
    local how log count=0
    for how in stdio http; do
        for era in legacy modern; do
            log=$PROOF_SCRATCH/inspector-$how-$era
            inspect "$how" --protocol-era "$era" --method tools/list --strict --format json >"$log" 2>"$log.said" ||
                fail "Inspector --strict over $how, $era" "$log.said"
            # It ends well on warnings, so whatever it says beside the list counts as one.
            [ ! -s "$log.said" ] || fail "Inspector warns over $how, $era" "$log.said"
            grep -q '"start_roundtable"' "$log" || fail "Inspector saw no tools over $how, $era" "$log"
            count=$((count + 1))
        done
    done
    echo "Inspector tools/list --strict: 0 warnings in $count runs (stdio and HTTP, both eras)"
}

inspect() {
    local how=$1
    shift
    case $how in
        stdio) "$node" "$bin/mcp-inspector" --cli "$PROOF_BINARY" mcp "$@" ;;
        http) "$node" "$bin/mcp-inspector" --cli "$plain_url" --transport http "$@" ;;
    esac
}
