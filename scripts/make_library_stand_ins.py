"""Makes stand-ins for the shared libraries that installed libraries ask for and this machine does not have.

    python make_library_stand_ins.py FOLDER LIBRARY...

PyPI's torch is the CUDA build: its libraries do not load without 3 GB of CUDA libraries, of which a program that stays on the
CPU calls nothing. This writes one library into FOLDER that defines every function which the given libraries want and nobody
here defines, with the symbol versions that they want, and links it there under the name of each library that is missing. With
FOLDER on LD_LIBRARY_PATH they load. A function of a stand-in does nothing and returns an error code.

Needs nm, ldd and gcc. What is wanted and what is missing is read from the libraries, so any version of torch will do.
"""

import collections
import pathlib
import re
import subprocess
import sys

# A line of ldd: `libm.so.6 => /lib/libm.so.6 (0x7f00)`, `libcudart.so.12 => not found`, `/lib64/ld-linux-x86-64.so.2 (0x7f00)`.
NEED = re.compile(r"^\s*(?:(\S+) => )?(not found|/\S+)", re.MULTILINE)
# What the stand-in answers: no CUDA function succeeds with it, and as a pointer it is the text below.
ERROR_CODE = 100
ANSWERS_TEXT = re.compile(r"String|ErrorName")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def resolved_needs(library):
    """What a library needs, directly or not: per name the path that the linker finds, or None."""
    return {name: None if path == "not found" else path for name, path in NEED.findall(output_of("ldd", library))}


def symbols(library, selection):
    """(name, version) of the dynamic symbols that `nm` selects; the version is empty where none is asked for."""
    for line in output_of("nm", "-D", selection, "--with-symbol-versions", library).splitlines():
        *_, kind, symbol = line.split()
        if kind not in "wv":
            name, _, version = symbol.partition("@")
            yield name, version.strip("@")


def survey(libraries):
    """The names of the libraries that are missing, and the symbols of them that the given libraries want."""
    needs = {name: path for library in libraries for name, path in resolved_needs(library).items()}
    missing = sorted(needs.keys() - {library.name for library in libraries} - {name for name, path in needs.items() if path})
    # Extension modules are completed by the interpreter that loads them.
    providers = [*libraries, *filter(None, needs.values()), pathlib.Path(sys.executable).resolve()]
    defined = {name for library in providers for name, _ in symbols(library, "--defined-only")}
    wanted = {pair for library in libraries for pair in symbols(library, "--undefined-only")}
    return missing, sorted(pair for pair in wanted if pair[0] not in defined and IDENTIFIER.fullmatch(pair[0]))


def source_of(names):
    lines = ['static char text[] = "stand-in";']
    for name in sorted(names):
        lines.append(
            f"char* {name}(void) {{ return text; }}" if ANSWERS_TEXT.search(name) else f"long {name}(void) {{ return {ERROR_CODE}; }}"
        )
    return "\n".join(lines) + "\n"


def version_script_of(wanted):
    versions = collections.defaultdict(list)
    for name, version in wanted:
        if version:
            versions[version].append(name)
    return "".join(f"{version} {{ global: {'; '.join(names)}; }};\n" for version, names in sorted(versions.items()))


def make_stand_ins(folder, libraries):
    """Returns the names of the libraries that were missing."""
    missing, wanted = survey(libraries)
    folder.mkdir(parents=True, exist_ok=True)
    source, versions, built = folder / "stand_in.c", folder / "stand_in.map", folder / "stand_in.so"
    source.write_text(source_of({name for name, _ in wanted}))
    versions.write_text(version_script_of(wanted))
    command = ["gcc", "-shared", "-fPIC", "-w", "-fno-builtin", "-o", built, source, f"-Wl,--version-script={versions}"]
    subprocess.run(command, check=True)
    for name in missing:
        link = folder / name
        link.unlink(missing_ok=True)
        link.symlink_to(built.name)
    return missing


def main():
    folder, *libraries = map(pathlib.Path, sys.argv[1:])
    missing = make_stand_ins(folder, libraries)
    print(f"stand-ins for {len(missing)} libraries: {' '.join(missing)}")


if __name__ == "__main__":
    main()
