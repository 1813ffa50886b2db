#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_files refuses what it says it refuses, and no more.

usage: files_test.py ROOT
"""
import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("check_files", str(ROOT / "tools/check_files"))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_files", loader))
loader.exec_module(check)


class References(unittest.TestCase):
    def faults(self, line, name="include/sinew/deform/a.h"):
        path = pathlib.Path(name)
        known = {"kavan2012", "sumner2004", "vanlommel2008"}
        return [*check.check_citations(name, path, [line], known), *check.check_references(name, path, [line])]

    def test_documents_that_readers_do_not_have_are_refused(self):
        for line in ("// Differential skinning, 002 section 6.4", "// weights, W6", "// bone twist (D7)", "as design.md says",
                     "// see spec.md", "Bone heat, as in 7 of the specification", "// 000's figure 12", "// [kavan2012] section 3",
                     "features S3 and S4", "// after 004"):
            self.assertEqual(len(self.faults(line)), 1, line)

    def test_citations_are_keys_with_a_place(self):
        for line in ("[kavan2012]", "[kavan2012, Sec. 3.2]", "[kavan2012, Eq. 4]", "[kavan2012, Sec. 3.2 and 4]",
                     "[sumner2004, kavan2012; vanlommel2008, Sec. 5.5]", "[vanlommel2008, Sec. 5.5 and 7.2]"):
            self.assertEqual(self.faults(line), [], line)
        for line in ("[nobody1999]", "[kavan2012, 3.2]", "[kavan2012, nobody1999]", "[nobody1999, Sec. 2]"):
            self.assertEqual(len(self.faults(line)), 1, line)

    def test_numbers_and_names_are_none(self):
        for line in ("100'000 cells", "ring(.004, .001)", "43,000 vertices", "u8 value = 0x00; // 0.001", "docs/design_notes.md",
                     "clip 0001.obj", "D = W * S", "the glTF 2.0 specification", "SHA256 W3C", "x.000"):
            self.assertEqual(self.faults(line), [], line)


class Tests(unittest.TestCase):
    def test_sources_of_the_search_for_skeletons_have_tests_of_their_names(self):
        names = ["src/autorig/place.cpp", "src/autorig/match.cpp", "src/mesh/bvh.cpp", "tests/pipeline/match_test.cpp"]
        self.assertEqual(list(check.check_tests(names)), ["src/autorig/place.cpp: has no test of its name"])
        self.assertEqual(list(check.check_tests(names + ["tests/autorig/place_test.cpp"])), [])


if __name__ == "__main__":
    unittest.main()
