# The test suites behind ./dev test. Each prints its own runner's closing line. Sourced by ./dev.
#   cpp       unit tests of the rooms (CTest)
#   golden    text in, text out (tests/golden.py)
#   python    JAX end to end, round trips, the tools of this repository (pytest)
#   harness   only when asked for: all of JAX's own cases of its primitives, on Stead and on XLA:CPU
#   harness-tenth  every tenth of them, and all that ever failed
#   jax       only when asked for, with files and options of its own: JAX's test files, where STEAD_JAX_TESTS names them
#   libraries only when asked for: programs on JAX's well-known libraries; the first run downloads them (600 MB)
#   cases     only when asked for: public reports about copies, as scripts that lie beside the repository
#   sanitize  the parsers' tests, mutants of their inputs included, under AddressSanitizer and UndefinedBehaviorSanitizer
# STEAD_TEST_SCALE multiplies the number of mutants and of random programs; --all sets it.

SUITES=(cpp golden python harness-tenth sanitize)
SANITIZED_ROOMS='base|ir|frontend'
ALL_ROOMS='.*'
SCALE_OF_ALL=20

suite_cpp() { run_ctest release "$@"; }

suite_golden() { run_python "$root/tests/golden.py" "$@"; }

suite_python() { (cd "$root" && run_python -m pytest -q tests/python "$@"); }

suite_harness() { run_python "$root/tests/harness/run.py" "$@"; }

suite_harness-tenth() { suite_harness --sample; }

suite_jax() {
  local packages="$root/build/jax_suite/packages" requirements="$root/scripts/requirements-jax-tests.txt" stamp wanted
  stamp="$packages/.stead-stamp"
  wanted=$(sha256sum <"$requirements")
  if [ -n "${STEAD_JAX_TESTS:-}" ] && [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$packages"
    logged jax-tests-pip "pip install of what JAX's tests import" run_python -m pip install --quiet --disable-pip-version-check --no-input \
      --no-deps --target "$packages" -r "$requirements"
    printf '%s\n' "$wanted" >"$stamp"
  fi
  PYTHONPATH="$packages" run_python "$root/tests/jax_suite/run.py" "$@"
}

# STEAD_LIBRARIES_VENV names an environment that holds what scripts/requirements-libraries.txt says.
suite_libraries() {
  local venv=${STEAD_LIBRARIES_VENV:-"$root/build/libraries/venv"}
  [ -n "${STEAD_LIBRARIES_VENV:-}" ] || ensure_pinned_venv "$venv" "$root/scripts/requirements-libraries.txt"
  PYTHONPATH="$root/python" "$venv/bin/python" "$root/tests/libraries/run.py" "$@"
}

suite_cases() { run_python "$root/tests/cases.py" "$@"; }

# suite_sanitize [ROOMS]: builds and runs only the tests of these rooms (a regular expression), without LLVM.
suite_sanitize() {
  local rooms=${1:-$SANITIZED_ROOMS}
  configure asan
  # Files may have come since: the list of targets must know them.
  ninja -C "$root/build/asan" build.ninja >/dev/null
  local targets
  targets=$(ninja -C "$root/build/asan" -t targets all | sed -nE "s/^(($rooms)(_[a-z_]+)?_test): .*/\1/p" | sort -u)
  build asan $targets
  UBSAN_OPTIONS=print_stacktrace=1 run_ctest asan -R "^($rooms)(_.*)?\$"
}

# run_ctest PRESET ARGUMENTS...: CTest, where no test at all is a failure.
run_ctest() {
  local preset=$1
  shift
  (cd "$root/build/$preset" && ctest --output-on-failure --no-tests=error -j"$(nproc)" "$@")
}

# suite_room ROOM: everything that is said about one room: its unit tests, its golden files and its pytest files.
suite_room() {
  local room=$1 failed=0 name files
  name=${room//\//_}
  run_ctest release -R "^$name(_.*)?\$" || failed=1
  [ ! -d "$root/tests/golden/$room" ] || suite_golden "$room" || failed=1
  files=$(ls "$root"/tests/python/test_"$name"*.py 2>/dev/null) || true
  [ -z "$files" ] || (cd "$root" && run_python -m pytest -q $files) || failed=1
  return $failed
}

test_command() {
  local selected=() all="" word
  # This suite alone takes names of files and options.
  if [ "${1:-}" = jax ]; then
    run_suites "$(printf '%q ' "$@")"
    return
  fi
  for word in "$@"; do
    case $word in
      --all) all=1 ;;
      cpp | golden | python | harness | harness-tenth | libraries | cases | sanitize) selected+=("$word") ;;
      *)
        [ -d "$root/src/$word" ] || fail "no suite or room \`$word\`" "suites: ${SUITES[*]}; rooms: the folders under src/" "./dev help"
        selected+=("room $word")
        ;;
    esac
  done
  [ ${#selected[@]} != 0 ] || selected=("${SUITES[@]}")
  if [ -n "$all" ]; then
    export STEAD_TEST_SCALE=${STEAD_TEST_SCALE:-$SCALE_OF_ALL}
    selected=("${selected[@]/#sanitize/sanitize $ALL_ROOMS}")
    selected=("${selected[@]/#harness-tenth/harness}")
  fi
  run_suites "${selected[@]}"
}

# run_suites SUITE...: runs each, whatever became of the others, and ends with one table.
run_suites() {
  local failed=() suite
  timed build ready
  for suite in "$@"; do
    say ""
    say "== $suite"
    # A subshell, so that a suite that cannot even be built fails alone.
    timed "$suite" eval "(suite_$suite)" || failed+=("$suite")
  done
  print_stage_times
  [ ${#failed[@]} = 0 ] || fail "failed: ${failed[*]}" "the messages above say what was seen" "./dev test ${failed[0]#room }"
}
