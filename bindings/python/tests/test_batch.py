# SPDX-License-Identifier: Apache-2.0
"""Many jobs in processes of their own: what a batch of Python begins the command line goes on with, and the reverse."""
import json
import os
import signal
import subprocess
import sys
import time

import pytest

import sinew

OWN = ("index.html", "table.csv", "report.json")


def tree(folder):
    """Names and bytes of the results: all but what the batch itself keeps."""
    files = (path for path in folder.rglob("*") if path.is_file())
    names = {str(path.relative_to(folder)): path for path in files}
    return {name: path.read_bytes() for name, path in names.items() if name not in OWN and not name.startswith("_batch")}


@pytest.fixture
def meshes(tmp_path):
    """Five small ones."""
    for k in range(5):
        sinew.save(sinew.make("arm", resolution=300 + 60 * k).mesh, tmp_path / f"arm{k}.obj")
    return [tmp_path / f"arm{k}.obj" for k in range(5)]


def rigs(meshes):
    return [{"verb": "rig", "args": [mesh, "--template", "arm", "--quality", "fast", "--method", "heat"], "out": f"rigs/{k}.glb"}
            for k, mesh in enumerate(meshes)]


def lines(jobs):
    return "".join(json.dumps({**job, "args": [str(word) for word in job["args"]]}) + "\n" for job in jobs)


def wait_for(path, word="", times=0):
    """Until there is a file, and a word in it so many times."""
    until = time.monotonic() + 600
    while not path.exists() or (word and path.read_text().count(word) < times):
        assert time.monotonic() < until, path
        time.sleep(0.01)


def test_results_are_those_of_single_calls(meshes, tmp_path):
    jobs = rigs(meshes) + [{"verb": "info", "args": [meshes[0], "--json"], "out": "info.json"}]
    told = []
    report = sinew.batch(jobs, tmp_path / "out", workers=2, timeout=300, memory=4000, progress=lambda *said: told.append(said))
    assert (report["done"], report["failed"], report["skipped"], report["waiting"]) == (6, 0, 0, 0)
    assert [row["out"] for row in report["jobs"]] == [job["out"] for job in jobs]
    assert all(row["exit"] == 0 and row["seconds"] > 0 and row["attempts"] == 1 for row in report["jobs"])
    for k, mesh in enumerate(meshes):
        sinew.save(sinew.rig(mesh, template="arm", quality="fast", method="heat"), tmp_path / "one.glb", force=True)
        assert (tmp_path / f"out/rigs/{k}.glb").read_bytes() == (tmp_path / "one.glb").read_bytes()
    assert json.loads((tmp_path / "out/info.json").read_text()) == sinew.info(meshes[0])
    assert (tmp_path / "out/_batch/pictures/rigs/0.glb.png").exists() and (tmp_path / "out/index.html").exists()
    assert told and all(0 <= fraction <= 1 for _, fraction in told)
    assert sinew.batch(jobs, tmp_path / "out")["skipped"] == 6


@pytest.fixture
def stopped(meshes, tmp_path):
    """Jobs of which the third waits for a file that does not come, and what lets it go on."""
    hang = tmp_path / "hang.obj"
    os.mkfifo(hang)
    jobs = rigs(meshes)
    jobs.insert(2, {"verb": "info", "args": [hang, "--json"], "out": "hang.json"})
    manifest = tmp_path / "jobs.jsonl"
    manifest.write_text(lines(jobs))

    def let_go():
        hang.unlink()
        hang.write_bytes(meshes[0].read_bytes())

    return jobs, manifest, let_go


def python_batch(jobs, folder, **options):
    """A batch by a Python of its own, which is killed."""
    text = f"import json, sinew\nsinew.batch([json.loads(line) for line in {lines(jobs)!r}.splitlines()], {str(folder)!r}, workers=1)"
    return subprocess.Popen([sys.executable, "-c", text], **options)


def whole(jobs, program, manifest, tmp_path):
    program("batch", manifest, "-o", "whole", "--no-pictures")
    return tree(tmp_path / "whole")


def test_a_killed_batch_of_python_is_continued_by_the_command_line(stopped, program, tmp_path):
    jobs, manifest, let_go = stopped
    process = python_batch(jobs, tmp_path / "out")
    wait_for(tmp_path / "out/rigs/1.glb")
    with pytest.raises(sinew.FileError, match="another batch"):
        sinew.batch(jobs, tmp_path / "out")
    process.kill()
    process.wait()
    let_go()
    said = json.loads(program("batch", manifest, "-o", "out", "--no-pictures", "--json"))
    assert said["done"] + said["skipped"] == 6 and said["skipped"] in (1, 2)
    assert tree(tmp_path / "out") == whole(jobs, program, manifest, tmp_path)


def test_a_killed_batch_of_the_command_line_is_continued_by_python(stopped, program, tmp_path):
    jobs, manifest, let_go = stopped
    process = subprocess.Popen([os.environ["SINEW_PROGRAM"], "batch", manifest, "-o", tmp_path / "out", "--jobs", "1"])
    wait_for(tmp_path / "out/rigs/1.glb")
    process.kill()
    process.wait()
    let_go()
    status = sinew.batch(manifest, tmp_path / "out", status=True)
    assert status["waiting"] in (4, 5) and status["done"] == 6 - status["waiting"]
    report = sinew.batch(jobs, tmp_path / "out", pictures=False)
    assert (report["done"], report["skipped"]) == (status["waiting"], status["done"])
    assert tree(tmp_path / "out") == whole(jobs, program, manifest, tmp_path)
    assert sinew.batch(manifest, tmp_path / "out", status=True)["done"] == 6


def test_ctrl_c_stops_the_batch_and_its_jobs(stopped, tmp_path):
    jobs, _, let_go = stopped
    process = python_batch(jobs, tmp_path / "out", stderr=subprocess.PIPE, text=True)
    wait_for(tmp_path / "out/_batch/journal.jsonl", '"begin"', 3)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=600)[1].rstrip().endswith("KeyboardInterrupt")  # the job itself never ends
    with pytest.raises(OSError):  # nobody reads the file that the job was waiting for
        os.close(os.open(tmp_path / "hang.obj", os.O_WRONLY | os.O_NONBLOCK))
    let_go()
    report = sinew.batch(jobs, tmp_path / "out")
    assert report["skipped"] == 2 and report["done"] == 4


def test_shards_are_the_whole(meshes, program, tmp_path):
    jobs = rigs(meshes)
    for shard in ((1, 2), "2/2"):
        sinew.batch(iter(jobs), tmp_path / "out", shard=shard, pictures=False)
    (tmp_path / "jobs.jsonl").write_text(lines(jobs))
    assert tree(tmp_path / "out") == whole(jobs, program, "jobs.jsonl", tmp_path)


def test_jobs_that_fail_cost_only_themselves(meshes, tmp_path):
    hang = tmp_path / "hang.obj"
    os.mkfifo(hang)
    (tmp_path / "broken.obj").write_text("v 0 0 zero\n")
    jobs = [{"verb": "info", "args": [hang], "out": "hang.txt"},
            {"verb": "rig", "args": [tmp_path / "broken.obj"], "out": "broken.glb"},
            {"verb": "make", "args": ["biped", "--resolution", 400000], "out": "large.glb"}] + rigs(meshes)[:1]
    report = sinew.batch(jobs, tmp_path / "out", timeout=15, memory=150, retries=0, pictures=False)
    assert [row["exit"] for row in report["jobs"]] == [6, 3, 6, 0]
    assert "broken.obj" in report["jobs"][1]["message"] and "150 MB" in report["jobs"][2]["message"]


@pytest.mark.parametrize("jobs, says", [
    ([{"verb": "rgi", "args": [], "out": "a"}], "line 1 has no verb"),
    ([{"verb": "info", "args": ["a"], "out": "a"}, {"verb": "info", "args": ["b"], "out": "a"}], "line 2"),
    ([{"verb": "batch", "args": [], "out": "a"}], "line 1"),
    ([{"verb": "info", "args": ["a"], "out": "../a"}], "line 1"),
    ([{"verb": "info", "args": ["a"], "out": "a", "more": 1}], "line 1"),
    ([["info", "a"]], "jobs has an entry 0 of type list"),
    ([{"verb": "info", "args": ["a"], "out": object()}], "jobs has an entry 0 that is no JSON"),
])
def test_jobs_that_are_none_are_named_and_nothing_starts(tmp_path, jobs, says):
    with pytest.raises((sinew.BadInputError, sinew.UsageError)) as caught:
        sinew.batch(jobs, tmp_path / "out")
    assert says in str(caught.value) and not (tmp_path / "out").exists()


def test_options_out_of_range_are_refused(meshes, tmp_path):
    for wrong in (dict(workers=-1), dict(shard="3/2"), dict(shard=(0, 2)), dict(memory="much")):
        with pytest.raises(sinew.UsageError):
            sinew.batch(rigs(meshes), tmp_path / "out", **wrong)
    with pytest.raises(sinew.FileError):
        sinew.batch(tmp_path / "nothing.jsonl", tmp_path / "out")


def test_the_command_line_comes_with_the_package():
    said = subprocess.run([sys.executable, "-m", "sinew", "--version"], capture_output=True, text=True)
    assert sinew.__version__ in said.stdout
    done = subprocess.run([sys.executable, "-m", "sinew", "info", "nothing.obj"], capture_output=True, text=True)
    assert done.returncode == 5 and "nothing.obj" in done.stderr
