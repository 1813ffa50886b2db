#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A batch of 100 meshes over the two nodes of a real Slurm on this machine, one of which is killed in the middle, ends
with the same bytes as a run without Slurm.

usage: slurm_test.py PROGRAM SOURCE [unittest arguments]

Needs root and Debian's slurmctld, slurmd, slurm-client and munge; skips without them (77). Two slurmd share the machine
under two names and ports.
"""
import glob
import hashlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "sinew"
SOURCE = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "."
MESHES = 100

CONFIG = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SlurmdParameters=config_overrides
SlurmdTimeout=8
SlurmctldTimeout=30
KillWait=2
MinJobAge=5
ReturnToService=2
JobRequeue=1
SchedulerParameters=sched_min_interval=500000,batch_sched_delay=0
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1 RealMemory=2000 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1 RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    if os.geteuid() != 0:
        return "needs root"
    for tool in ("munged", "slurmctld", "slurmd", "sbatch", "squeue"):
        if not shutil.which(tool, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            return "there is no %s, ./dev judge installs it" % tool
    return None


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    """munged, slurmctld and slurmd -N n1 and n2, which this process ends again."""

    def __init__(self, folder):
        self.folder = folder
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        os.environ["SLURM_CONF"] = os.path.join(folder, "slurm.conf")
        os.chmod(folder, 0o755)
        for name in ("state", "spool-n1", "spool-n2"):
            os.mkdir(os.path.join(folder, name))
        key = os.path.join(folder, "munge.key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o400), "wb") as f:
            f.write(secrets.token_bytes(1024))
        with open(os.environ["SLURM_CONF"], "w") as f:
            f.write(CONFIG.format(host=socket.gethostname().split(".")[0], folder=folder, ports=free_ports(3)))
        self.processes = {}
        self.start("munged", "munged", "--foreground", "--force", "--key-file=" + key, "--socket=%s/munge.socket" % folder,
                   "--pid-file=%s/munged.pid" % folder, "--log-file=%s/munged.log" % folder,
                   "--seed-file=%s/munged.seed" % folder)
        self.wait_for(lambda: os.path.exists(folder + "/munge.socket"), "munged")
        self.start("slurmctld", "slurmctld", "-D")
        for node in ("n1", "n2"):
            self.start(node, "slurmd", "-D", "-N", node)
        self.wait_for(lambda: self.say("sinfo", "-h", "-o", "%T %D").split() == ["idle", "2"], "two idle nodes")

    def start(self, name, *words):
        with open(os.path.join(self.folder, name + ".out"), "w") as log:
            self.processes[name] = subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                                    start_new_session=True)

    def say(self, *words):
        return subprocess.run(words, capture_output=True, text=True, timeout=60).stdout

    def wait_for(self, condition, what, seconds=60):
        end = time.time() + seconds
        while not condition():
            if time.time() > end:
                for path in glob.glob(self.folder + "/*.log") + glob.glob(self.folder + "/*.out"):
                    with open(path, errors="replace") as f:
                        print(path, f.read()[-1500:])
                raise RuntimeError("waited in vain for " + what)
            time.sleep(0.2)

    def steps_of(self, node):
        """The processes of a node's tasks, each slurmstepd before what it started."""
        ours, keepers = [], set()
        for path in glob.glob("/proc/[0-9]*"):
            try:
                with open(path + "/environ", "rb") as f:
                    words = f.read().split(b"\0")
                with open(path + "/stat") as f:
                    parent = f.read().rsplit(")", 1)[1].split()[1]
                with open("/proc/%s/comm" % parent) as f:
                    keeper = f.read().startswith("slurmstepd")
            except OSError:
                continue
            if ("SLURMD_NODENAME=" + node).encode() in words and ("SLURM_CONF=" + os.environ["SLURM_CONF"]).encode() in words:
                ours.append(int(path[6:]))
                if keeper:
                    keepers.add(int(parent))
        return sorted(keepers) + [pid for pid in ours if pid not in keepers]

    def lose(self, node):
        """Ends a node as a power cut would: the daemon and all that ran on it at once."""
        lost = [self.processes[node].pid] + self.steps_of(node)
        for number in (signal.SIGSTOP, signal.SIGKILL):  # stopped first, so that nobody can tell of another's end
            for pid in lost:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass
        self.processes.pop(node).wait()
        return lost

    def close(self):
        subprocess.run(["scancel", "--me"], capture_output=True, timeout=60)
        for node in ("n1", "n2"):
            for pid in self.steps_of(node):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        for process in reversed(list(self.processes.values())):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def hashes(folder):
    result = {}
    for path in glob.glob(folder + "/*.glb"):
        with open(path, "rb") as f:
            result[os.path.basename(path)] = hashlib.sha256(f.read()).hexdigest()
    return result


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="sinew-slurm-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.cluster = Cluster(cls.folder)
        cls.addClassCleanup(cls.cluster.close)
        # Arms of different sizes, and one file that is no mesh.
        meshes = os.path.join(cls.folder, "meshes")
        os.mkdir(meshes)
        for k in range(MESHES):
            subprocess.run([PROGRAM, "make", "arm", "--resolution", str(12000 + 20 * k), "-o", "%s/%03d.obj" % (meshes, k)],
                           check=True, capture_output=True)
        with open(meshes + "/bad.obj", "w") as f:
            f.write("v 0 0 zero\n")
        cls.manifest = os.path.join(cls.folder, "jobs.jsonl")
        subprocess.run([PROGRAM, "batch", "--make", "rig", meshes + "/*.obj", "-o", cls.manifest, "--", "--template", "arm",
                        "--quality", "fast", "--method", "heat"], check=True, capture_output=True)

    def batch(self, out, *words, code):
        done = subprocess.run([PROGRAM, "batch", self.manifest, "-o", os.path.join(self.folder, out), "--no-pictures",
                               "--json", *words], capture_output=True, text=True, timeout=900)
        self.assertEqual(done.returncode, code, done.stdout[-500:] + done.stderr[-500:])
        return json.loads(done.stdout) if done.stdout else None

    def ended(self, out):
        count = 0
        for path in glob.glob(os.path.join(self.folder, out, "_batch", "journal*.jsonl")):
            with open(path) as f:
                count += sum('"job"' in line for line in f)
        return count

    def test_a_node_that_is_lost_changes_nothing(self):
        alone = self.batch("alone", code=4)
        self.assertEqual((alone["done"], alone["failed"]), (MESHES, 1))
        words = ("--slurm", "--shards", "6")
        first = self.batch("spread", *words, code=0)
        again = self.batch("spread", *words, code=0)  # submitted once
        self.assertEqual(first["job"], again["job"])
        self.cluster.wait_for(lambda: self.ended("spread") >= 15, "15 jobs")
        lost = self.cluster.lose("n2")
        at_loss = self.ended("spread")
        self.assertLess(at_loss, MESHES, "all was done before the node was lost")
        report = self.batch("spread", *words, "--wait", code=4)  # 4: the file that is no mesh
        self.assertEqual((report["done"], report["failed"], report["waiting"]), (MESHES, 1, 0))
        expected, spread = hashes(self.folder + "/alone"), hashes(self.folder + "/spread")
        self.assertEqual(len(expected), MESHES)
        self.assertEqual(spread, expected)
        runs = 0
        for path in glob.glob(self.folder + "/spread/_batch/journal*.jsonl"):
            with open(path) as f:
                runs += sum('"begin"' in line for line in f)
        print("%d processes lost with n2 after %d of %d jobs; %d runs of jobs in all" %
              (len(lost), at_loss, MESHES + 1, runs))
        self.assertGreater(len(lost), 1, "nothing ran on the node that was lost")
        self.assertLessEqual(runs, MESHES + 2)  # one job was running there
        nothing = self.batch("spread", *words, code=0)
        self.assertEqual((nothing["job"], nothing["waiting"]), ("", 0))
        status = self.batch("spread", "--status", code=4)
        self.assertEqual((status["done"], status["failed"]), (MESHES, 1))


if __name__ == "__main__":
    reason = missing()
    if reason:
        print("skipped: " + reason)
        sys.exit(77)
    unittest.main()
