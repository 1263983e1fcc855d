# Coverage-guided fuzzing of the parsers with libFuzzer. Sourced by ./dev.
# Inputs that found new code are kept in build/fuzz/corpus between runs, so that a later run goes on where this one ended.

# What every parser has survived before a release.
RUNS_OF_A_RELEASE=100000

fuzz() {
  local seconds=$1 target folder failed=0 limit
  [[ $seconds =~ ^[0-9]*$ ]] || fail "\`$seconds\` is no number of seconds" "it says how long each parser is fuzzed" "./dev fuzz 60"
  setup
  ensure_packages "$root/scripts/apt-packages-fuzz.txt"
  build fuzz
  limit=${seconds:+-max_total_time=$seconds}
  for target in hlo_text hlo_proto stablehlo stablehlo_text kernel; do
    folder="$root/build/fuzz/corpus/$target"
    mkdir -p "$folder"
    say "Fuzzing $target with ${seconds:+as many inputs as take }${seconds:-$RUNS_OF_A_RELEASE inputs}${seconds:+ s}"
    (cd "$root/build/fuzz" && "./${target}_fuzzer" "${limit:--runs=$RUNS_OF_A_RELEASE}" -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
      -print_final_stats=1 -artifact_prefix="$target-" "$folder" $(seeds "$target")) || failed=1
  done
  [ $failed = 0 ] || fail "a parser failed" "the input is in build/fuzz, named after the target and the kind of failure" \
    "mend the parser and keep the input as a test in its room"
}

# The folders of the repository that hold inputs of a target.
seeds() {
  case $1 in
    # Few are stored; those that a run finds are kept.
    hlo_proto) find "$root/tests" -name '*.pb' -exec dirname {} + | sort -u ;;
    hlo_text) find "$root/tests" -name '*.hlo' -exec dirname {} + | sort -u ;;
    kernel) echo "$root/tests/data/kernels" ;;
    # Its folder has the artifacts and their texts.
    stablehlo | stablehlo_text) find "$root/tests" -name '*.mlirbc' -exec dirname {} + | sort -u ;;
  esac
}
