# Configures and builds one preset of CMakePresets.json, and puts the result into .venv. Sourced by ./dev.

# configure PRESET: runs CMake when this preset has never been configured here, or for another folder.
configure() {
  local preset=$1 folder="$root/build/$1"
  if [ -f "$folder/build.ninja" ] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then return 0; fi
  rm -rf "$folder"
  say "Configuring build/$preset"
  (cd "$root" && logged "configure-$preset" "cmake --preset $preset" cmake --preset "$preset")
}

# build PRESET [TARGET...]: builds; on a terminal with ninja's progress, else quietly with the log shown on failure.
build() {
  local preset=$1
  shift
  local command=(cmake --build "$root/build/$preset" ${*:+--target "$@"})
  configure "$preset"
  if [ -t 1 ]; then
    NINJA_STATUS="[build/$preset %f/%t] " "${command[@]}" ||
      fail "the build of build/$preset failed" "see the messages above" "mend the source; ./dev clean starts from nothing"
  else
    logged "build-$preset" "the build of build/$preset" "${command[@]}"
  fi
}

# Makes .venv/bin/stead the command-line tool and .venv/bin/python see the package `stead` with the plugin.
install_into_venv() {
  local built="$root/build/release" package="$root/python"
  [ ! -f "$built/stead" ] || ln -sfn "$built/stead" "$root/.venv/bin/stead"
  if [ -f "$built/pjrt_stead.so" ]; then
    mkdir -p "$package/stead/lib"
    ln -sfn "$built/pjrt_stead.so" "$package/stead/lib/pjrt_stead.so"
  fi
  [ -f "$package/pyproject.toml" ] || return 0
  local stamp="$root/.venv/.stead-package" wanted
  wanted=$(sha256sum <"$package/pyproject.toml")
  [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ] || return 0
  # An editable install in this mode is a .pth file: edits in python/ count at once, with no rebuild.
  logged pip-package "pip install of python/" "$root/.venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    --no-deps --no-build-isolation --config-settings editable_mode=compat -e "$package"
  printf '%s\n' "$wanted" >"$stamp"
}
