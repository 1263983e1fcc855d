"""How long files and functions may be."""

import re

from .source import Finding, code_only

FILE_LINES = {".cpp": 800, ".py": 800, ".h": 250, ".sh": 400}
FUNCTION_LINES = 100
WAIVER = "// long: "

# A brace after one of these words, or after `=`, opens no function body.
_CONTAINER = re.compile(r"\b(namespace|class|struct|enum|union|extern)\b[^()=]*$|=\s*$")
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)


def check_file_sizes(repository):
    findings = []
    for path in repository.cpp() + repository.python() + [path for path in repository.paths if path.endswith(".sh")]:
        limit = FILE_LINES.get("." + path.rsplit(".", 1)[-1])
        count = len(repository.text(path).splitlines())
        if limit and count > limit:
            findings.append(Finding(path, limit, "file-size", f"{count} lines; the limit is {limit}, so split it by idea"))
    return findings


def functions(text):
    """Yields (first line, last line) of each outermost function body of C++ text.

    Approximate: a body is a brace block that is no namespace, type or table and lies in no other body. Lambdas and blocks
    inside belong to their function.
    """
    code = _DIRECTIVE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), code_only(text))
    depth_of_body = None
    depth = 0
    start = 0
    statement = 0
    for position, char in enumerate(code):
        if char == "{":
            head = code[statement:position]
            if depth_of_body is None and not _CONTAINER.search(head):
                depth_of_body, start = depth, statement + len(head) - len(head.lstrip())
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == depth_of_body:
                depth_of_body = None
                yield code.count("\n", 0, start) + 1, code.count("\n", 0, position) + 1
        if char in ";{}":
            statement = position + 1


def check_function_sizes(repository):
    findings = []
    for path in repository.cpp():
        text = repository.text(path)
        lines = text.splitlines()
        for first, last in functions(text):
            count = last - first + 1
            waived = any(WAIVER in line for line in lines[max(0, first - 2) : first + 1])
            if count > FUNCTION_LINES and not waived:
                message = f"function of {count} lines; the limit is {FUNCTION_LINES} (or `{WAIVER}<reason>` above it)"
                findings.append(Finding(path, first, "function-size", message))
    return findings
