# SPDX-License-Identifier: Apache-2.0
"""What the site needs beyond the documents: links to files of the repository lead to the API reference (headers) or to a
copy of the file, and every page of docs/algorithms is in the navigation."""
import html
import os
import pathlib
import re
import shutil
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
API = ROOT / "build/docs/api"  # what Doxygen made, before
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
ADDRESS = re.compile(r"""(?:href|src)="([^"#?]+)""")
copied = set()


def api_pages():
    """Header -> its page of the API reference, from Doxygen's tag file."""
    tags = API / "sinew.tag"
    if not tags.exists():
        return {}
    pages = {}
    for compound in xml.etree.ElementTree.parse(tags).getroot().iter("compound"):
        if compound.get("kind") == "file":
            name = compound.findtext("filename")
            pages[compound.findtext("path", "") + compound.findtext("name")] = name if name.endswith(".html") else name + ".html"
    return pages


def on_config(config):
    algorithms = sorted(p.name for p in (ROOT / "docs/algorithms").glob("*.md") if p.name != "index.md")
    for section in config["nav"]:
        for entry in section.get("Know", []) if isinstance(section, dict) else []:
            if isinstance(entry, dict) and "Algorithms" in entry:
                entry["Algorithms"] = ["algorithms/index.md"] + ["algorithms/" + name for name in algorithms]
    config["api_pages"] = api_pages()
    return config


def on_page_markdown(markdown, page, config, files):
    here = (ROOT / "docs" / page.file.src_path).parent
    up = "../" * page.file.src_path.count("/")

    def replace(match):
        target = match[2]
        path = pathlib.Path(os.path.normpath(here / target))
        if "://" in target or target.startswith("mailto:") or (ROOT / "docs") in path.parents or not path.exists():
            return match[0]
        name = path.relative_to(ROOT).as_posix()
        header = "index.html" if name == "include/sinew" else config["api_pages"].get(str(path))
        if header:
            return f'<a href="{up}api/{header}">{match[1]}</a>'
        copied.add(name)
        return f'<a href="{up}source/{name}.html">{match[1]}</a>'

    return LINK.sub(replace, markdown)


def on_post_build(config):
    if API.exists():
        shutil.copytree(API, pathlib.Path(config["site_dir"], "api"), dirs_exist_ok=True)
    for name in sorted(copied):
        source, target = ROOT / name, pathlib.Path(config["site_dir"], "source", name + ".html")
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            text = "\n".join(sorted(entry.name for entry in source.iterdir()))
        else:
            text = source.read_text(errors="replace")
        target.write_text(f"<!doctype html><meta charset=utf-8><title>{html.escape(name)}</title>"
                          f"<h1>{html.escape(name)}</h1><pre>{html.escape(text)}</pre>\n")
    faults = list(dead_links(pathlib.Path(config["site_dir"])))
    if faults:
        raise SystemExit("links of the site that lead nowhere:\n" + "\n".join(faults))


def dead_links(site):
    for page in site.rglob("*.html"):
        if page.is_relative_to(site / "api"):
            continue
        for address in ADDRESS.findall(page.read_text()):
            if not re.match(r"[a-z]+:|/", address) and not (page.parent / html.unescape(address)).exists():
                yield f"{page.relative_to(site)}: {address}"
