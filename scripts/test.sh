# The test suites behind ./dev test: each prints its runner's own closing line. Sourced by ./dev.

run_cpp() {
  (cd "$root/build/release" && ctest --output-on-failure --no-tests=error -j"$(nproc)" "$@")
}

run_golden() { run_python "$root/tests/golden.py" "$@"; }

run_pytest() { (cd "$root" && run_python -m pytest -q tests/python "$@"); }

test_command() {
  timed build ready
  local failed=0
  timed cpp run_cpp || failed=1
  [ ! -f "$root/tests/golden.py" ] || timed golden run_golden || failed=1
  [ ! -d "$root/tests/python" ] || timed python run_pytest || failed=1
  print_stage_times
  return $failed
}

fuzz_command() { fail "no fuzz targets" "none are built yet" "./dev test sanitize"; }
