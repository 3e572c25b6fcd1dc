# The official conformance suite. It says what it found in lines such as
# "✓ ping: 2 passed, 0 failed"; those are counted here, not its exit code alone.

conformance() {
    local revision=$1 url=$2 log=$3
    shift 3
    (cd "$PROOF_SCRATCH" && "$node" "$bin/conformance" server --url "$url" --requirements "$revision" "$@") >"$log" 2>&1
}

# The fixtures, on the stack of `roundtable serve`: every scenario must be green.
conformance_fixture() {
    local revision=$1 wanted=$2 log=$PROOF_SCRATCH/fixture-$1
    conformance "$revision" "$fixture_url" "$log" || fail "conformance $revision on the fixtures" "$log"
    local green checks
    green=$(grep -cE '^✓ [^ ]+: [0-9]+ passed, 0 failed' "$log" || true)
    checks=$(sed -nE 's/^Total: ([0-9]+) passed, 0 failed.*/\1/p' "$log")
    [ "$green" = "$wanted" ] && [ -n "$checks" ] ||
        fail "conformance $revision on the fixtures: $green of $wanted scenarios are green" "$log"
    echo "Conformance $revision, fixtures on the product's stack: $green/$wanted scenarios, $checks checks"
}

# The product, which has no fixtures: what fails must be in the list, and what is
# in the list must fail, so the list cannot grow old.
conformance_product() {
    local revision=$1 log=$PROOF_SCRATCH/product-$1 list=$here/expected-$1.yml
    conformance "$revision" "$plain_url" "$log" --expected-failures "$list" ||
        fail "conformance $revision on the product" "$log"
    local green expected checks
    green=$(grep -cE '^✓ [^ ]+: [0-9]+ passed, 0 failed' "$log" || true)
    expected=$(grep -c '^ *- ' "$list")
    checks=$(sed -nE 's/^Total: ([0-9]+) passed.*/\1/p' "$log")
    echo "Conformance $revision, roundtable serve: $green scenarios green, $expected entries expected to fail for want of fixtures, $checks checks pass"
}
