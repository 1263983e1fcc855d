# Messages, logs and timing for ./dev. Sourced, never run: expects $root to hold the folder of the repository.

logs="$root/build/logs"
stage_times=()

say() { printf '%s\n' "$*"; }

# fail WHAT WHY FIX: one error in the three parts that a reader needs, then the end.
fail() {
  printf 'dev: %s\n  why: %s\n  fix: %s\n' "$1" "$2" "$3" >&2
  exit 1
}

free_megabytes() { df -Pm "$root" | awk 'NR == 2 { print $4 }'; }

# Names the usual reasons for which a package manager or a compiler stops; the log has the exact words.
explain_log() {
  local log=$1
  # A full disk may have cut off the log too, so the free space counts as well as the words.
  if grep -qiE 'no space left on device|enough free space|disk quota exceeded' "$log" || [ "$(free_megabytes)" -lt 50 ]; then
    printf 'the disk is full|free some space (a full set-up takes about 4 GB, the build about 2 GB of it), then run the same command again'
  elif grep -qiE 'could not resolve|temporary failure (in name resolution|resolving)|name or service not known|failed to establish a new connection|connection (refused|timed out|failed)|network is unreachable|could not connect|no route to host' "$log"; then
    printf 'the package server was not reached|check the network or the proxy settings (http_proxy, https_proxy), then run the same command again'
  elif grep -qiE 'unable to locate package|has no installation candidate' "$log"; then
    printf 'this system does not have a package of that name|use Debian 12 or newer, or install what scripts/apt-packages.txt names by hand and set STEAD_SKIP_APT=1'
  elif grep -qiE 'no matching distribution found' "$log"; then
    printf 'PyPI has no such version for this Python|use Python 3.11, 3.12 or 3.13 (set STEAD_PYTHON=/path/to/python3), remove .venv and run again'
  elif grep -qiE 'could not get lock|unable to acquire the dpkg' "$log"; then
    printf 'another program is installing packages|wait until it has ended, then run the same command again'
  elif grep -qiE 'killed signal|out of memory|cannot allocate memory' "$log"; then
    printf 'the machine ran out of memory|build with fewer jobs: CMAKE_BUILD_PARALLEL_LEVEL=1 ./dev build'
  elif grep -qiE 'permission denied|read-only file system' "$log"; then
    printf 'a file or folder cannot be written|check who owns the repository folder, or run as its owner'
  else
    printf 'see the last lines above|the whole log is %s' "$log"
  fi
}

# logged NAME WHAT COMMAND...: runs the command quietly; when it fails, shows the end of its log and what to do.
logged() {
  local log="$logs/$1.log" what=$2
  shift 2
  mkdir -p "$logs" 2>/dev/null || fail "cannot write to $root/build" "the folder is not writable or the disk is full" "check its owner and the free space"
  if "$@" >"$log" 2>&1 </dev/null; then return 0; fi
  tail -n 40 "$log" >&2
  local reason
  reason=$(explain_log "$log")
  fail "$what failed" "${reason%%|*}" "${reason#*|}"
}

# timed NAME COMMAND...: runs the command, remembers how long it took, and returns its exit status.
timed() {
  local name=$1 start=$SECONDS status=0
  shift
  "$@" || status=$?
  stage_times+=("$(printf '%-10s %4d s  %s' "$name" $((SECONDS - start)) "$([ $status = 0 ] && echo ok || echo FAILED)")")
  return $status
}

print_stage_times() {
  say ""
  printf '  %s\n' "${stage_times[@]}"
}
