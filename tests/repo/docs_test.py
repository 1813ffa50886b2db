#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every link and every picture of the documents leads somewhere, every page can be found, and every picture is shown.

usage: docs_test.py ROOT
"""
import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("bindings/*/*.md")])
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^( *)```.*?^\1```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def prose(text):
    """The page without its code, whose brackets are no links; code inside the text of a link is kept as a word."""
    return CODE.sub(lambda found: "code" if "\n" not in found[0] else "", text)


def slug(heading):
    """The anchor of a heading, as GitHub and mkdocs make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower()).replace("`", "")
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", text))


def anchors(path):
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    return {slug(heading) for heading in re.findall(r"(?m)^#+ (.*)", text)}


def links(page):
    """(is a picture, target file, anchor or None) of a page's links to files."""
    for picture, target in LINK.findall(prose(page.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        yield bool(picture), pathlib.Path(os.path.normpath(page.parent / path)) if path else page, anchor


class Documents(unittest.TestCase):
    def test_every_link_leads_to_a_file_and_a_heading(self):
        self.assertGreater(len(PAGES), 50)
        faults, count = [], 0
        for page in PAGES:
            for _, target, anchor in links(page):
                count += 1
                if not target.exists() or ROOT not in target.parents:
                    faults.append(f"{page.relative_to(ROOT)}: there is no {os.path.relpath(target, ROOT)}")
                elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                    faults.append(f"{page.relative_to(ROOT)}: {target.relative_to(ROOT)} has no heading #{anchor}")
        self.assertEqual(faults, [])
        self.assertGreater(count, 200)

    def test_every_page_is_linked_from_the_first(self):
        seen, left = set(), [DOCS / "index.md"]
        while left:
            page = left.pop()
            if page in seen or page.suffix != ".md" or not page.exists():
                continue
            seen.add(page)
            left += [target for picture, target, _ in links(page) if not picture]
        self.assertEqual([str(page.relative_to(ROOT)) for page in sorted(DOCS.rglob("*.md")) if page not in seen], [])

    def test_every_page_is_in_the_sites_navigation(self):
        listed = set(re.findall(r"[\w/]+\.md", (ROOT / "tools/site/mkdocs.yml").read_text()))
        for page in DOCS.glob("*.md"):
            self.assertIn(page.name, listed)
        for name in listed:
            self.assertTrue((DOCS / name).exists(), name)

    def test_every_picture_is_shown_and_has_words(self):
        shown = {target for page in PAGES for picture, target, _ in links(page) if picture}
        self.assertEqual([p.name for p in sorted((DOCS / "pictures").iterdir()) if p not in shown], [])
        for page in PAGES:
            self.assertNotRegex(prose(page.read_text()), r"!\[\]\(", page)


if __name__ == "__main__":
    unittest.main()
