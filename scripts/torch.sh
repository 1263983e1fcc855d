# torch_xla on Stead: tests/torch in a virtual environment with torch, and the times against torch_xla's own CPU device.
# Sourced by ./dev. No part of ./dev test: the first run downloads 900 MB and takes 3 GB of disk.
# STEAD_TORCH_VENV names an environment that is there already (scripts/requirements-torch.txt says what must be in it).

torch_folder="$root/build/torch"
torch_venv=${STEAD_TORCH_VENV:-"$torch_folder/venv"}

torch_check() {
  ready
  ensure_torch_venv
  ensure_library_stand_ins
  show_package_to_torch
  local status=0
  (cd "$root" && torch_python -m pytest -q tests/torch "$@") || status=1
  (cd "$root" && torch_python tests/torch/benchmark.py) || status=1
  return $status
}

torch_python() {
  LD_LIBRARY_PATH="$torch_folder/stand-ins" PYTHONPATH="$torch_folder/package" "$torch_venv/bin/python" "$@"
}

ensure_torch_venv() {
  if [ -n "${STEAD_TORCH_VENV:-}" ]; then
    [ -x "$torch_venv/bin/python" ] || fail "no Python in $torch_venv" "STEAD_TORCH_VENV names no virtual environment" \
      "unset it, and ./dev torch-check makes one"
    return 0
  fi
  ensure_pinned_venv "$torch_venv" "$root/scripts/requirements-torch.txt"
}

# The CUDA libraries that torch asks for and this machine does not have, in build/torch/stand-ins.
ensure_library_stand_ins() {
  local folder="$torch_folder/stand-ins" stamp="$torch_folder/stand-ins/.stead-stamp" packages
  packages=$("$torch_venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
  [ "$(cat "$stamp" 2>/dev/null)" != "$packages" ] || return 0
  rm -rf "$folder"
  logged stand-ins "making stand-ins for CUDA libraries" "$torch_venv/bin/python" "$root/scripts/make_library_stand_ins.py" \
    "$folder" "$packages"/torch/lib/*.so* "$packages"/torch/_C*.so "$packages"/_XLAC*.so
  printf '%s\n' "$packages" >"$stamp"
}

# The package `stead` with its entry points, for an environment that is not ours to install into.
show_package_to_torch() {
  local folder="$torch_folder/package" metadata
  metadata=$("$root/.venv/bin/python" -c 'import importlib.metadata as m; print(m.distribution("stead")._path)')
  mkdir -p "$folder"
  ln -sfn "$root/python/stead" "$folder/stead"
  ln -sfn "$metadata" "$folder/$(basename "$metadata")"
}
