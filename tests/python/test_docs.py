"""The documents tell the truth: links lead somewhere, and the programs in docs/copies get the reason of their page."""

import json
import re

import pytest
from stead_tool import REPOSITORY, output

PAGES = sorted((REPOSITORY / "docs" / "copies").glob("C*.md"))
DOCUMENTS = sorted(path for path in REPOSITORY.rglob("*.md") if not {"build", ".venv"} & set(path.relative_to(REPOSITORY).parts))


def programs(page):
    return re.findall(r"```hlo\n(.*?)```", page.read_text(), re.DOTALL)


@pytest.mark.parametrize("page", [page for page in PAGES if programs(page)], ids=lambda page: page.stem)
def test_the_program_of_a_page_gets_its_reason(page, tmp_path):
    for program in programs(page):
        path = tmp_path / "program.hlo"
        path.write_text(program)
        facts = json.loads(output("explain", "--format=json", path))
        assert page.stem in {remark["code"] for remark in facts["remarks"]}, facts


def test_every_reason_has_its_page():
    table = (REPOSITORY / "src" / "ir" / "copy_reason.def").read_text()
    for code, sentence in re.findall(r'^COPY_REASON\(\w+, "(C\d\d)", "(.*)"\)', table, re.MULTILINE):
        title = (REPOSITORY / "docs" / "copies" / f"{code}.md").read_text().splitlines()[0]
        assert title.removeprefix(f"# {code}: the ").removeprefix(f"# {code}: ") == sentence.removeprefix("its ").removeprefix("the ")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_links_between_documents(document):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
        if "://" not in target:
            assert (document.parent / target).exists(), f"{document.relative_to(REPOSITORY)} links to {target}"
