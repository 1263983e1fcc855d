# Makes sure that what Stead needs is on the machine: Debian packages and .venv. Sourced by ./dev.
# When all is there already, a look costs a fraction of a second and changes nothing.

ensure_packages() {
  [ -z "${STEAD_SKIP_APT:-}" ] || return 0
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    fail "cannot install packages" "this system has no apt-get" \
      "install the equivalents of scripts/apt-packages.txt by hand and set STEAD_SKIP_APT=1"
  local list=$1 missing
  missing=$(missing_packages "$list")
  [ -n "$missing" ] || return 0
  say "Installing Debian packages: $(echo $missing)"
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "cannot install packages: $(echo $missing)" "you are not root and there is no sudo" \
      "as root: apt-get install -y $(echo $missing)"
    [ -t 0 ] && sudo -v || sudo -n true 2>/dev/null || fail "cannot install packages: $(echo $missing)" "sudo asks for a password and there is no terminal" \
      "as root: apt-get install -y $(echo $missing)"
    as_root=(sudo -n)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=2 -q -y)
  logged apt-update "apt-get update" apt_update "${apt[@]}"
  logged apt-install "apt-get install" "${apt[@]}" install --no-install-recommends $missing
  missing=$(missing_packages "$list")
  [ -z "$missing" ] || fail "packages are still missing: $(echo $missing)" "apt-get ended well but did not install them" "see $logs/apt-install.log"
}

# Third-party lists may be out of reach without harm: what counts is whether the packages can be had afterwards.
apt_update() { "$@" update || true; }

missing_packages() {
  local wanted
  wanted=$(sed 's/#.*//' "$1")
  # `ii ` is installed; a package that dpkg has never heard of is not printed at all.
  comm -23 <(printf '%s\n' $wanted | sort) \
    <(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' $wanted 2>/dev/null | sed -n 's/^ii *//p' | sort)
}

# The first Python that is new enough and can make a virtual environment.
find_python() {
  local candidate
  for candidate in ${STEAD_PYTHON:+"$STEAD_PYTHON"} /usr/bin/python3 python3 python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      command -v "$candidate"
      return 0
    fi
  done
  return 1
}

ensure_venv() {
  local requirements="$root/scripts/requirements.txt" stamp="$root/.venv/.stead-stamp" wanted
  # A virtual environment knows its own path, so a moved repository needs a new one.
  wanted="$root $(sha256sum <"$requirements")"
  [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ] || return 0
  local python
  python=$(find_python) || fail "no usable Python" "Python 3.11 or newer with venv and ensurepip was not found" \
    "apt-get install -y python3 python3-venv, or set STEAD_PYTHON=/path/to/python3"
  say "Making .venv with $("$python" -V) (about 400 MB from PyPI)"
  rm -rf "$root/.venv"
  logged venv "making .venv" "$python" -m venv "$root/.venv"
  logged pip "pip install" "$root/.venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input -r "$requirements"
  printf '%s\n' "$wanted" >"$stamp"
}

# ensure_pinned_venv VENV REQUIREMENTS: a virtual environment beside .venv, for a suite with packages of its own. The list holds
# everything, so that what packages say they depend on need not be asked.
ensure_pinned_venv() {
  local venv=$1 requirements=$2 stamp="$1/.stead-stamp" name wanted python
  wanted="$root $(sha256sum <"$requirements")"
  [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ] || return 0
  python=$(find_python) || fail "no usable Python" "Python 3.11 or newer with venv and ensurepip was not found" \
    "apt-get install -y python3 python3-venv, or set STEAD_PYTHON=/path/to/python3"
  name=$(basename "$(dirname "$venv")")
  say "Making build/$name/venv with $("$python" -V) from $(basename "$requirements")"
  rm -rf "$venv"
  logged "$name-venv" "making build/$name/venv" "$python" -m venv "$venv"
  logged "$name-pip" "pip install" "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps \
    -r "$requirements"
  printf '%s\n' "$wanted" >"$stamp"
}

# One set-up at a time per clone: a second ./dev waits for the first.
setup() {
  mkdir -p "$root/build" || fail "cannot write to $root" "the folder is not writable or the disk is full" "check its owner and the free space"
  exec 9>"$root/build/.setup-lock"
  ! command -v flock >/dev/null || flock 9
  ensure_packages "$root/scripts/apt-packages.txt"
  ensure_venv
  exec 9>&-
}
