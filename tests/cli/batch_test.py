#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Batches: a manifest, jobs in processes of their own, limits, a journal, shards, the page; and all that goes wrong.

usage: batch_test.py PROGRAM SOURCE [unittest arguments]
"""
import csv
import glob
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from program import (FOREVER, PROGRAM, SANITIZED, SLOWER, ProgramTest, processor_seconds_of_children, strict, text_of,
                     wait_until)


def tree(folder):
    """Names and bytes of the results: all but what the batch itself keeps."""
    files = {}
    for path in glob.glob(folder + "/**", recursive=True):
        name = os.path.relpath(path, folder)
        if os.path.isfile(path) and not name.startswith("_batch") and name not in ("index.html", "table.csv", "report.json"):
            with open(path, "rb") as f:
                files[name] = f.read()
    return files


class Batch(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.meshes = []
        os.mkdir(os.path.join(cls.folder.name, "meshes"))
        for k in range(6):
            cls.meshes.append(cls.make("meshes/arm%d.obj" % k, "arm", "--resolution", 300 + 50 * k))

    def manifest(self, jobs):
        path = self.path("m.jsonl")
        with open(path, "w") as f:
            f.writelines(json.dumps(job) + "\n" for job in jobs)
        return path

    def rigs(self):
        return [{"verb": "rig", "args": [m, "--template", "arm", "--quality", "fast", "--method", "heat"],
                 "out": "%d.glb" % k} for k, m in enumerate(self.meshes)]

    def batch(self, manifest, out, *words, code=0):
        done = self.call("batch", manifest, "-o", out, "--json", *words, code=code)
        return strict(done.stdout), done.stderr

    @staticmethod
    def ended(out):
        """How many jobs have ended, by the journal."""
        path = out + "/_batch/journal.jsonl"
        return text_of(path).count('"exit"') if os.path.exists(path) else 0

    # --- what it does ---
    def test_results_are_those_of_single_runs(self):
        jobs = self.rigs()
        report, _ = self.batch(self.manifest(jobs), self.path("out"))
        self.assertEqual((report["done"], report["failed"], report["skipped"]), (6, 0, 0))
        self.assertEqual([j["line"] for j in report["jobs"]], list(range(1, 7)))
        for job, told in zip(jobs, report["jobs"]):
            self.assertEqual((told["out"], told["exit"], told["attempts"]), (job["out"], 0, 1))
            self.assertGreater(told["seconds"], 0)
            self.assertGreater(told["peak_mb"], 1)
            single = self.path("single.glb")
            self.call("rig", *job["args"], "-o", single, "--force")
            with open(single, "rb") as a, open(os.path.join(self.path("out"), job["out"]), "rb") as b:
                self.assertEqual(a.read(), b.read())

    def test_make_writes_a_manifest_that_runs(self):
        manifest, out = self.path("m.jsonl"), self.path("out")
        pattern = os.path.join(self.folder.name, "meshes", "*.obj")
        self.call("batch", "--make", "info", pattern, "-o", manifest, "--", "--json")
        lines = [strict(line) for line in text_of(manifest).splitlines()]
        self.assertEqual([line["args"] for line in lines], [[m, "--json"] for m in self.meshes])
        self.assertEqual([line["out"] for line in lines], ["arm%d.json" % k for k in range(6)])
        self.assertEqual(self.call("batch", "--make", "info", pattern, "--", "--json").stdout, text_of(manifest))
        self.call("batch", "--make", "info", pattern, "-o", manifest, code=5)  # exists
        report, _ = self.batch(manifest, out)
        self.assertEqual(report["done"], 6)
        for mesh, line in zip(self.meshes, lines):
            self.assertEqual(strict(text_of(os.path.join(out, line["out"]))), self.document("info", mesh))
        self.call("batch", "--make", "rig", os.path.join(self.folder.name, "*.fbx"), code=5)
        self.assertIn("did you mean 'rig'", self.call("batch", "--make", "rgi", pattern, code=2).stderr)
        self.call("batch", "--make", "studio", pattern, code=2)
        self.call("batch", "--make", "rig", code=2)
        self.call("batch", manifest, "-o", out, "--", "--json", code=2)

    def test_the_page_shows_all(self):
        jobs = self.rigs()[:2] + [{"verb": "rig", "args": ["<none>.obj"], "out": "x.glb"}]
        out = self.path("out")
        report, errors = self.batch(self.manifest(jobs), out, code=4)
        self.assertIn("1 of 3 jobs failed, the first in line 3", errors)
        page = text_of(out + "/index.html")
        self.assertIn("&lt;none&gt;.obj", page)
        self.assertNotIn("<none>", page)
        for k in range(2):
            picture = "_batch/pictures/%d.glb.png" % k
            self.assertIn('src="%s"' % picture, page)
            with open(os.path.join(out, picture), "rb") as f:
                self.assertEqual(f.read(8), b"\x89PNG\r\n\x1a\n")
        with open(out + "/table.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual([row["exit"] for row in rows], ["0", "0", "5"])
        self.assertEqual(rows[2]["message"], report["jobs"][2]["message"])
        self.assertEqual(strict(text_of(out + "/report.json"))["failed"], 1)

    def test_shards_are_the_whole(self):
        manifest, out, whole = self.manifest(self.rigs()), self.path("out"), self.path("whole")
        self.batch(manifest, whole, "--no-pictures")
        running = [subprocess.Popen([PROGRAM, "batch", manifest, "-o", out, "--shard", "%d/3" % k, "--no-pictures"],
                                    stdout=subprocess.DEVNULL) for k in (1, 2, 3)]
        self.assertEqual([p.wait() for p in running], [0, 0, 0])
        status, _ = self.batch(manifest, out, "--status")
        self.assertEqual((status["done"], status["waiting"]), (6, 0))
        self.assertEqual(tree(out), tree(whole))
        self.assertEqual(text_of(out + "/index.html").count("<figure>"), 6)
        for shard in ("0/3", "4/3", "a", "1/"):
            self.call("batch", manifest, "-o", out, "--shard", shard, code=2)

    def test_killed_at_any_moment_it_goes_on(self):
        manifest, out, whole = self.manifest(self.rigs()), self.path("out"), self.path("whole")
        self.batch(manifest, whole, "--no-pictures")
        kills = 0
        for k in range(12):
            process = subprocess.Popen([PROGRAM, "batch", manifest, "-o", out, "--quiet", "--no-pictures"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.02 * k * (1 if SLOWER == 1 else 5))
            process.kill()
            kills += process.wait() == -signal.SIGKILL
        report, _ = self.batch(manifest, out, "--no-pictures")
        self.assertEqual(report["done"] + report["skipped"], 6)
        self.assertEqual(tree(out), tree(whole))
        begun = sum('"begin"' in line for line in text_of(out + "/_batch/journal.jsonl").splitlines())
        self.assertLessEqual(begun, 6 + kills * os.cpu_count())

    def test_a_stop_is_exit_143_and_nothing_is_lost(self):
        fifo = self.path("fifo.obj")
        os.mkfifo(fifo)
        manifest = self.manifest(self.rigs()[:1] + [{"verb": "info", "args": [fifo], "out": "hang.txt"}])
        out = self.path("out")
        process = subprocess.Popen([PROGRAM, "batch", manifest, "-o", out, "--no-pictures"], stderr=subprocess.PIPE)
        wait_until(lambda: self.ended(out) == 1, "the first job")
        process.terminate()
        process.communicate(timeout=FOREVER)  # the other one never ends
        self.assertEqual(process.returncode, 143)
        status, _ = self.batch(manifest, out, "--status")
        self.assertEqual((status["done"], status["failed"], status["waiting"]), (1, 0, 1))
        self.assertIsNone(status["jobs"][1]["exit"])

    # --- what goes wrong ---
    def test_a_broken_line_is_named_and_nothing_starts(self):
        out = self.path("out")
        manifest = self.manifest(self.rigs()[:2])
        with open(manifest, "a") as f:
            f.write('{"verb": "rig", "args": [\n')
        self.assertIn("line 3 is not JSON", self.call("batch", manifest, "-o", out, code=3).stderr)
        self.assertFalse(os.path.exists(out))
        for word in ("studio", "batch", "bench"):
            other = self.manifest([{"verb": word, "args": [], "out": "x"}])
            self.assertIn("line 1 has no verb", self.call("batch", other, "-o", out, code=3).stderr)
        self.call("batch", self.path("missing"), "-o", out, code=5)
        self.call("batch", manifest, code=2)
        self.call("batch", "-o", out, code=2)
        self.call("batch", manifest, "-o", out, "--status", code=3)
        self.call("batch", self.manifest(self.rigs()), "-o", out, "--status", code=5)

    def test_two_in_one_folder_are_refused(self):
        fifo = self.path("fifo.obj")
        os.mkfifo(fifo)
        manifest = self.manifest([{"verb": "info", "args": [fifo], "out": "hang.txt"}])
        out = self.path("out")
        process = subprocess.Popen([PROGRAM, "batch", manifest, "-o", out], stderr=subprocess.DEVNULL)
        wait_until(lambda: os.path.exists(out + "/_batch/journal.jsonl"), "the journal")
        for words in ((), ("--shard", "1/2"), ("--lock-wait", "0.2"), ("--force",)):
            self.assertIn("another batch", self.call("batch", manifest, "-o", out, *words, code=5).stderr)
        process.kill()
        process.wait()
        subprocess.run(["sh", "-c", 'echo "v 0 0 0" > "$0" &', fifo])  # for the job, and gone if there were none
        report, _ = self.batch(manifest, out)
        self.assertEqual(report["done"], 1)

    def test_outputs_that_exist_are_kept(self):
        manifest, out = self.manifest(self.rigs()[:2]), self.path("out")
        os.mkdir(out)
        with open(out + "/1.glb", "w") as f:
            f.write("precious")
        self.assertIn("1.glb", self.call("batch", manifest, "-o", out, code=5).stderr)
        self.assertEqual(sorted(tree(out)), ["1.glb"])
        self.assertEqual(text_of(out + "/1.glb"), "precious")
        self.assertEqual(self.batch(manifest, out, "--force")[0]["done"], 2)
        other = self.path("other")
        os.mkdir(other)
        with open(other + "/index.html", "w") as f:
            f.write("a page")
        self.call("batch", manifest, "-o", other, code=5)
        self.assertEqual(os.listdir(other), ["index.html"])

    def test_a_job_that_hangs_is_stopped(self):
        fifo = self.path("fifo.obj")
        os.mkfifo(fifo)
        jobs = [{"verb": "info", "args": [fifo], "out": "hang.txt"}] + self.rigs()[:1]
        report, _ = self.batch(self.manifest(jobs), self.path("out"), "--timeout", 10 * SLOWER, "--retries", 0, code=4)
        self.assertEqual((report["done"], report["failed"]), (1, 1))
        self.assertEqual(report["jobs"][0]["exit"], 6)
        self.assertIn("--timeout", report["jobs"][0]["message"])

    @unittest.skipIf(SANITIZED, "the sanitizers need memory of their own")
    def test_a_job_that_eats_memory_is_stopped(self):
        jobs = [{"verb": "make", "args": ["biped", "--resolution", 400000], "out": "large.glb"}] + self.rigs()[:1]
        report, _ = self.batch(self.manifest(jobs), self.path("out"), "--memory", 150, code=4)
        self.assertEqual((report["done"], report["failed"]), (1, 1))
        large = report["jobs"][0]
        self.assertEqual(large["exit"], 6)
        self.assertIn("--memory is 150 MB", large["message"])
        self.assertLess(large["peak_mb"], 200)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "needs root")
    def test_a_full_disk_stops_it_and_it_goes_on(self):
        disk = self.path("disk")
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk], capture_output=True).returncode:
            self.skipTest("cannot mount a small disk")
        self.addCleanup(subprocess.run, ["umount", disk])
        jobs = [{"verb": "convert", "args": [m], "out": "%d.glb" % k} for k, m in enumerate(self.meshes)] + [
            {"verb": "make", "args": ["biped", "--resolution", 8000], "out": "large.glb"}]
        manifest = self.manifest(jobs)
        errors = self.call("batch", manifest, "-o", disk + "/out", "--no-pictures", code=5).stderr
        self.assertIn("No space left on device", errors)
        self.assertIn("run the same command again", errors)
        subprocess.run(["mount", "-o", "remount,size=100m", disk], check=True)
        report, _ = self.batch(manifest, disk + "/out", "--no-pictures")
        self.assertEqual((report["done"] + report["skipped"], report["failed"]), (7, 0))
        self.assertGreater(report["skipped"], 0)

    def test_without_slurm_it_says_so(self):
        manifest = self.manifest(self.rigs())
        empty = self.path("empty")
        os.mkdir(empty)
        done = self.call("batch", manifest, "-o", self.path("out"), "--slurm", code=5, env={"PATH": empty})
        self.assertIn("needs Slurm", done.stderr)
        self.call("batch", manifest, "-o", self.path("out"), "--slurm", "--shard", "1/2", code=2)
        self.call("batch", manifest, "-o", self.path("out"), "--wait", code=2)

    # --- what it costs ---
    @unittest.skipIf(SANITIZED, "measures time")
    def test_empty_jobs_cost_little_more_than_their_processes(self):
        count = 200
        mesh = self.meshes[0]
        manifest = self.manifest([{"verb": "info", "args": [mesh], "out": "%d.txt" % k} for k in range(count)])
        words = [PROGRAM, "info", mesh, "--threads", "1"]
        before, start = processor_seconds_of_children(), time.time()
        for _ in range(count):
            subprocess.run(words, capture_output=True)
        single, single_wall = processor_seconds_of_children() - before, time.time() - start
        before, start = processor_seconds_of_children(), time.time()
        self.batch(manifest, self.path("out"), "--jobs", 1)
        batch, wall = processor_seconds_of_children() - before, time.time() - start
        above = 1000 * (batch - single) / count
        print("an empty job: %.2f ms of CPU above a process of %.2f ms; wall %.2f against %.2f ms" %
              (above, 1000 * single / count, 1000 * wall / count, 1000 * single_wall / count))
        self.assertLess(above, 10)


if __name__ == "__main__":
    unittest.main()
