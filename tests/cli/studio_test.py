#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The server of the studio, from outside: who may ask, for what, and how much.

usage: studio_test.py PROGRAM SOURCE [unittest arguments]
"""
import base64
import contextlib
import http.client
import json
import os
import random
import re
import resource
import signal
import shutil
import socket
import struct
import subprocess
import time
import unittest

from program import PROGRAM, SANITIZED, SLOWER, SOURCE, ProgramTest, stop_in_the_middle, strict, wait_until

DATA = os.environ.get("SINEW_DATA", os.path.join(SOURCE, "..", "shared", "data"))


def glb_json(data):
    return json.loads(data[20:20 + struct.unpack("<I", data[12:16])[0]])


class Running:
    """A server of its own; used with `with`."""

    def __init__(self, *words, **options):
        self.process = subprocess.Popen([PROGRAM, "studio", *map(str, words), "--no-open"], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, **options)
        self.line = self.process.stdout.readline()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})\n", self.line)
        if not found:
            self.process.wait(10)
            raise AssertionError("no address: %r %s" % (self.line, self.process.stderr.read()))
        self.port, self.token = int(found[1]), found[2]
        self.host = "127.0.0.1:%d" % self.port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def ask(self, method, path, body=None, token=None, timeout=60 * SLOWER, **headers):
        """Status, headers and bytes. The token of the server goes along unless another one is given."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        with contextlib.closing(client):
            client.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            headers = {"Host": self.host, "X-Sinew-Token": self.token if token is None else token,
                       **{name.replace("_", "-"): value for name, value in headers.items()}}
            if body is not None:
                headers.setdefault("Content-Length", str(len(body)))
            for name, value in headers.items():
                if value:
                    client.putheader(name, value)
            client.endheaders(body)
            answer = client.getresponse()
            return answer.status, answer.headers, answer.read()

    def get(self, path, **options):
        status, _, body = self.ask("GET", path, **options)
        return status, body

    def json(self, method, path, document=None):
        body = None if document is None else json.dumps(document).encode()
        status, _, answer = self.ask(method, path, body)
        return status, strict(answer)

    def send(self, path, name=None):
        with open(path, "rb") as file:
            status, answer = self.upload(name or os.path.basename(path), file.read())
        assert status == 200, answer
        return answer["id"]

    def upload(self, name, data):
        status, _, answer = self.ask("POST", "/api/files?name=" + name, data)
        return status, strict(answer)

    def job(self, document, until=("done", "failed", "cancelled"), seconds=240 * SLOWER):
        """Starts a job and follows it: its last status and the fractions on the way."""
        status, started = self.json("POST", "/api/jobs", document)
        assert status == 200, started
        return self.follow(started["id"], until, seconds)

    def follow(self, job, until=("done", "failed", "cancelled"), seconds=240 * SLOWER):
        fractions, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            now = self.json("GET", "/api/jobs/" + job)[1]
            fractions.append(now["fraction"])
            if now["state"] in until:
                return now, fractions
            time.sleep(0.05)
        raise AssertionError("the job did not end: %s" % now)

    def raw(self, data, timeout=60):
        """Sends bytes as they are and returns what comes back until the server closes or is silent."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                pieces = []
                while piece := connection.recv(65536):
                    pieces.append(piece)
                return b"".join(pieces)
            except (ConnectionError, socket.timeout):
                return b""


class Studio(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rig = cls.make("biped.glb", "biped", "--resolution", 1500)
        cls.body = cls.make("biped.obj", "biped", "--resolution", 1500)
        cls.page = os.path.join(cls.folder.name, "page")
        os.makedirs(os.path.join(cls.page, "assets"))
        for name, text in (("index.html", "<!DOCTYPE html><html></html>"), ("assets/main-1a.js", "export {}"),
                           ("assets/sinew.wasm", "\0asm"), (".secret", "hidden"), ("assets/odd name.js", "odd")):
            with open(os.path.join(cls.page, name), "w") as file:
                file.write(text)
        with open(os.path.join(cls.folder.name, "outside.txt"), "w") as file:
            file.write("outside")
        os.symlink(os.path.join(cls.folder.name, "outside.txt"), os.path.join(cls.page, "link.txt"))
        cls.server = Running(cls.rig, "--page", cls.page)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        super().tearDownClass()

    def answers(self):
        status, session = self.server.json("GET", "/api/session")
        self.assertEqual(status, 200)
        return session

    # --- the page ---

    def test_the_page_and_its_files_come_with_their_types(self):
        for path, kind in (("/", "text/html; charset=utf-8"), ("/?token=" + self.server.token, "text/html; charset=utf-8"),
                           ("/index.html", "text/html; charset=utf-8"),
                           ("/assets/main-1a.js", "text/javascript; charset=utf-8"),
                           ("/assets/sinew.wasm", "application/wasm")):
            status, headers, body = self.server.ask("GET", path, token="")
            self.assertEqual((status, headers["Content-Type"]), (200, kind), path)
            self.assertEqual(int(headers["Content-Length"]), len(body))
            status, headers, nothing = self.server.ask("HEAD", path, token="")
            self.assertEqual((status, int(headers["Content-Length"]), nothing), (200, len(body), b""), path)

    def test_every_answer_has_the_headers_that_keep_strangers_out(self):
        for method, path, token in (("GET", "/", ""), ("GET", "/api/session", None), ("GET", "/api/session", ""),
                                    ("GET", "/nothing", ""), ("PUT", "/", ""), ("HEAD", "/", "")):
            _, headers, _ = self.server.ask(method, path, token=token)
            policy = headers["Content-Security-Policy"]
            for word in ("default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'",
                         "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"):
                self.assertIn(word, policy)
            self.assertNotIn("unsafe-inline", policy)
            self.assertEqual(headers["Cross-Origin-Opener-Policy"], "same-origin")
            self.assertEqual(headers["Cross-Origin-Embedder-Policy"], "require-corp")
            self.assertEqual(headers["Cross-Origin-Resource-Policy"], "same-origin")
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")
            self.assertEqual(headers["Cache-Control"], "no-store")
            self.assertIsNone(headers["Access-Control-Allow-Origin"])

    def test_no_path_leads_out_of_the_page(self):
        for path in ("/../outside.txt", "/assets/../../outside.txt", "/%2e%2e/outside.txt", "/..%2foutside.txt",
                     "/assets/%2e%2e/%2e%2e/outside.txt", "//etc/passwd", "/etc/passwd", "/%2fetc%2fpasswd",
                     self.folder.name + "/outside.txt", "/..\\outside.txt", "/%252e%252e/outside.txt", "/link.txt",
                     "/.secret", "/assets", "/assets/", "/assets/odd%20name.js", "/./index.html", "/page/index.html"):
            status, body = self.server.get(path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(b"outside\n", body + b"\n")
        for path in ("/api/files/../../outside.txt", "/api/files/%2e%2e%2foutside.txt", "/api/files/" + "0" * 32,
                     "/api/files/" + self.rig, "/api/jobs/../files"):
            self.assertEqual(self.server.get(path)[0], 404, path)
        for path in ("http://127.0.0.1:%d/" % self.server.port, "*", "/%zz?name=%zz", "/?a=%4"):
            self.assertIn(self.server.get(path)[0], (400, 404), path)

    def test_without_a_page_the_address_says_how_it_is_built(self):
        empty = self.path("nowhere")
        os.mkdir(empty)
        program = shutil.copy(PROGRAM, os.path.join(empty, "sinew"))
        process = subprocess.Popen([program, "studio", "--no-open"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            port = int(re.search(r":(\d+)/", process.stdout.readline())[1])
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            client.request("GET", "/")
            answer = client.getresponse()
            text = answer.read().decode()
            client.close()
            self.assertEqual(answer.status, 200)
            self.assertIn("./dev page", text)
            self.assertNotIn("style", text)
        finally:
            process.terminate()
            self.assertEqual(process.wait(60 * SLOWER), 0)
            process.stdout.close()
            process.stderr.close()

    # --- who may ask ---

    def test_the_api_needs_the_token(self):
        for path in ("/api/session", "/api/rig", "/api/files/x", "/api/jobs/x", "/api", "/api/", "/api/nothing"):
            for token in ("", "0" * 32, self.server.token[:-1], self.server.token + "0", self.server.token.upper() + "x"):
                status, body = self.server.get(path, token=token)
                self.assertEqual(status, 401, (path, token))
                self.assertIn("token", strict(body)["error"]["message"])
        self.assertEqual(self.server.get("/api/session?token=" + self.server.token, token="")[0], 200)
        self.assertEqual(self.server.get("/api/session?token=" + "0" * 32, token="")[0], 401)
        self.assertEqual(self.server.ask("POST", "/api/files?name=a.obj", b"v 0 0 0\n", token="")[0], 401)
        self.assertEqual(self.server.ask("DELETE", "/api/jobs/x", token="")[0], 401)

    def test_a_foreign_host_is_refused_everywhere(self):
        port = self.server.port
        for host in ("evil.example", "evil.example:%d" % port, "127.0.0.1", "localhost", "127.0.0.1:%d" % (port ^ 1),
                     "127.0.0.1:%d.evil.example" % port, "127.0.0.2:%d" % port, "[::1]:%d" % port, ""):
            for path in ("/", "/api/session", "/nothing"):
                self.assertEqual(self.server.get(path, Host=host)[0], 403, (host, path))
        for host in ("127.0.0.1:%d" % port, "localhost:%d" % port):
            self.assertEqual(self.server.get("/api/session", Host=host)[0], 200)
        twice = "GET / HTTP/1.1\r\nHost: %s\r\nHost: evil.example\r\nConnection: close\r\n\r\n" % self.server.host
        self.assertRegex(self.server.raw(twice.encode()), rb"^HTTP/1.1 (400|403) ")

    def test_a_foreign_origin_is_refused_everywhere(self):
        port = self.server.port
        for origin in ("http://evil.example", "null", "https://127.0.0.1:%d" % port, "http://127.0.0.1",
                       "http://127.0.0.1:%d" % (port ^ 1), "http://localhost:%d.evil.example" % port, "file://"):
            for path in ("/", "/api/session"):
                self.assertEqual(self.server.get(path, Origin=origin)[0], 403, (origin, path))
        for origin in ("http://127.0.0.1:%d" % port, "http://localhost:%d" % port):
            self.assertEqual(self.server.get("/api/session", Origin=origin)[0], 200)

    def test_only_the_methods_of_a_route_are_done(self):
        for method, path in (("PUT", "/"), ("POST", "/"), ("DELETE", "/"), ("OPTIONS", "/api/session"), ("TRACE", "/"),
                             ("POST", "/api/session"), ("DELETE", "/api/session"), ("GET", "/api/files"),
                             ("GET", "/api/jobs"), ("PUT", "/api/files/x"), ("PATCH", "/api/jobs/x"), ("BREW", "/api/rig")):
            status, headers, _ = self.server.ask(method, path)
            self.assertEqual(status, 405, (method, path))
            self.assertTrue(headers["Allow"])

    # --- files ---

    def test_the_session_names_what_there_is(self):
        session = self.answers()
        self.assertEqual(session["file"]["name"], "biped.glb")
        self.assertEqual(session["file"]["size"], os.path.getsize(self.rig))
        self.assertIn("swing-twist", [d["name"] for d in session["deformers"]])
        self.assertIn("bbw", [w["name"] for w in session["weights"]])
        self.assertIn("biped", session["templates"])
        self.assertEqual(session["names"], ["mixamo", "mixamorig", "unreal", "unity", "godot", "vrm", "rigify"])
        self.assertEqual(session["limits"]["bytes"], 1 << 30)
        self.assertIn(session["version"], self.call("--version").stdout)

    def test_the_file_of_the_command_line_comes_as_it_is(self):
        status, given = self.server.json("GET", "/api/rig")
        self.assertEqual(status, 200)
        self.assertEqual(given, self.answers()["file"])
        with open(self.rig, "rb") as file:
            self.assertEqual(self.server.get("/api/files/" + given["id"]), (200, file.read()))

    def test_uploads_come_back_by_an_id_that_nobody_can_guess(self):
        data = random.Random(1).randbytes(3_000_000)
        status, first = self.server.upload("..%2F..%2Fetc%2Fpass%00wd%0a.glb", data)
        self.assertEqual((status, first["size"]), (200, len(data)))
        self.assertEqual(first["name"], "pass?wd?.glb")
        self.assertRegex(first["id"], r"^[0-9a-f]{32}$")
        status, headers, body = self.server.ask("GET", "/api/files/" + first["id"])
        self.assertEqual((status, headers["Content-Type"], body), (200, "application/octet-stream", data))
        self.assertNotEqual(first["id"], self.server.upload("a.glb", data)[1]["id"])
        self.assertEqual(self.server.json("DELETE", "/api/files/" + first["id"])[0], 200)
        self.assertEqual(self.server.json("GET", "/api/files/" + first["id"])[0], 404)

    def test_what_is_too_large_or_has_no_length_is_refused_before_it_is_read(self):
        status, _, body = self.server.ask("POST", "/api/files?name=a.glb", b"", Content_Length=str((1 << 30) + 1))
        self.assertEqual(status, 413)
        self.assertIn(str(1 << 30), strict(body)["error"]["message"])
        status, _, _ = self.server.ask("POST", "/api/jobs", b"", Content_Length=str((1 << 20) + 1))
        self.assertEqual(status, 413)
        status, _, _ = self.server.ask("POST", "/api/jobs", b"", Content_Length="", Transfer_Encoding="chunked")
        self.assertEqual(status, 411)
        self.assertEqual(self.server.ask("GET", "/", b"body")[0], 400)
        self.assertEqual(self.server.ask("POST", "/api/files", b"v 0 0 0\n")[0], 400)

    def test_a_client_may_ask_before_it_sends(self):
        head = ("POST /api/files?name=a.obj HTTP/1.1\r\nHost: %s\r\nX-Sinew-Token: %s\r\nContent-Length: 8\r\n"
                "Expect: 100-continue\r\nConnection: close\r\n\r\n" % (self.server.host, self.server.token)).encode()
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as connection:
            connection.sendall(head)
            self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 100 "))
            connection.sendall(b"v 0 0 0\n")
            self.assertIn(b'"size":8', connection.makefile("rb").read())

    def test_a_gltf_with_files_beside_it_is_told_to_become_a_glb(self):
        document = {"asset": {"version": "2.0"}, "buffers": [{"byteLength": 4, "uri": "data.bin"}]}
        status, answer = self.server.upload("body.gltf", json.dumps(document).encode())
        self.assertEqual((status, answer["error"]["code"]), (400, 3))
        self.assertIn(".glb", answer["error"]["message"])

    def test_a_gltf_of_the_command_line_is_packed_with_what_lies_beside_it(self):
        path = self.path("cylinder.gltf")
        self.make(os.path.basename(path), "cylinder")
        with open(path) as file:
            document = json.load(file)
        with open(self.path("data.bin"), "wb") as file:
            file.write(base64.b64decode(document["buffers"][0]["uri"].split(",")[1]))
        document["buffers"][0]["uri"] = os.path.basename(self.path("data.bin"))
        with open(path, "w") as file:
            json.dump(document, file)
        with Running(path, "--page", self.page) as server:
            given = server.json("GET", "/api/rig")[1]
            self.assertTrue(given["name"].endswith(".glb"))
            status, data = server.get("/api/files/" + given["id"])
            self.assertEqual((status, data[:4]), (200, b"glTF"))

    # --- jobs ---

    def test_a_bare_mesh_becomes_the_rig_that_the_command_line_makes(self):
        expected = self.path("expected.glb")
        report = self.document("rig", self.body, "--quality", "fast", "--joint-weights", "elastic", "-o", expected)
        done, fractions = self.server.job({"kind": "rig", "file": self.server.send(self.body), "template": "",
                                           "weights": "bbw", "names": "mixamo"})
        self.assertEqual(done["state"], "done", done)
        self.assertEqual(fractions, sorted(fractions))
        self.assertEqual(done["fraction"], 1)
        self.assertEqual(done["result"]["name"], "biped.glb")
        status, data = self.server.get("/api/files/" + done["result"]["file"])
        with open(expected, "rb") as file:
            self.assertTrue(data == file.read(), "other bytes than `sinew rig` writes")
        for key in report:
            if key != "seconds":
                self.assertEqual(done["result"]["report"][key], report[key], key)
        text = " ".join(done["result"]["text"])
        self.assertIn("joints of the template 'biped' were found", text)
        self.assertIn("vertices were bound to", text)
        for line in done["result"]["text"]:
            self.assertRegex(line, r"^[A-Z0-9].*\.$")

        moved = done["result"]["report"]["joints"]
        elbow = next(j for j in moved if j["name"] == "LeftForeArm")
        elbow["position"][1] += 0.02
        again, _ = self.server.job({"kind": "rig", "file": done["result"]["file"], "weights": "heat", "joints": moved})
        self.assertEqual(again["state"], "done", again)
        found = {j["name"]: j["position"] for j in again["result"]["report"]["joints"]}
        self.assertEqual(len(found), len(moved))
        for joint in moved:
            for a, b in zip(joint["position"], found[joint["name"]]):
                self.assertAlmostEqual(a, b, places=6)
        self.assertIn("where you put them", " ".join(again["result"]["text"]))
        with open(self.path("again.glb"), "wb") as file:
            file.write(self.server.get("/api/files/" + again["result"]["file"])[1])
        self.assertEqual(self.document("info", self.path("again.glb"))["unweighted"], 0)
        before, after = (len(glb_json(self.server.get("/api/files/" + job["result"]["file"])[1])["nodes"]) for job in (done, again))
        self.assertEqual(before, after, "joints that were moved are the same nodes")

    def test_the_reference_is_what_the_elastic_deformer_makes(self):
        arm = self.make("arm.glb", "arm", "--resolution", 500)
        posed, expected = self.path("posed.glb"), self.path("expected.obj")
        self.call("pose", arm, "--set", "ForeArm=0,-70,0", "-o", posed)
        self.call("pose", posed, "--deformer", "elastic", "-o", expected)
        done, _ = self.server.job({"kind": "reference", "file": self.server.send(posed)})
        self.assertEqual(done["state"], "done", done)
        data = self.server.get("/api/files/" + done["result"]["file"])[1]
        vertices = self.vertices(expected)
        self.assertEqual(len(data), 12 * len(vertices))
        for expected, found in zip(vertices, struct.iter_unpack("<3f", data)):
            for a, b in zip(expected, found):
                self.assertAlmostEqual(a, b, delta=1e-6)
        self.assertGreater(done["result"]["report"]["energy"], 0)

    def test_a_check_is_what_the_program_says(self):
        arm = self.make("checked.glb", "arm", "--resolution", 500)
        done, _ = self.server.job({"kind": "check", "file": self.server.send(arm)})
        self.assertEqual(done["state"], "done", done)
        said, stored = self.document("check", arm), strict(self.server.get("/api/files/" + done["result"]["file"])[1].decode())
        for report in (said, stored, done["result"]["report"]):
            report.pop("seconds")
        self.assertEqual(stored, said)
        self.assertEqual(done["result"]["report"], said)
        self.assertEqual(done["result"]["text"][0], "Grade %s." % said["grade"])

    def test_one_job_at_a_time_and_a_cancelled_one_makes_place(self):
        body = self.server.send(self.make("large.obj", "biped", "--resolution", 20000))
        status, started = self.server.json("POST", "/api/jobs", {"kind": "rig", "file": body})
        self.assertEqual(status, 200)
        self.assertEqual(self.server.json("POST", "/api/jobs", {"kind": "rig", "file": body})[0], 409)
        status, now = self.server.json("DELETE", "/api/jobs/" + started["id"])
        self.assertEqual((status, now["state"]), (200, "cancelled"))
        small = self.make("cylinder.obj", "cylinder", "--resolution", 300)
        done, _ = self.server.job({"kind": "rig", "file": self.server.send(small), "template": "cylinder", "weights": "heat"})
        self.assertEqual(done["state"], "done", done)
        self.assertEqual(self.server.json("GET", "/api/jobs/" + started["id"])[1]["state"], "cancelled")
        self.assertNotIn("result", now)

    def test_a_rig_job_makes_flesh_where_asked(self):
        small = self.server.send(self.make("flesh.obj", "cylinder", "--resolution", 300))
        done, _ = self.server.job({"kind": "rig", "file": small, "template": "cylinder", "quality": "flesh"})
        self.assertEqual(done["state"], "done", done)
        self.assertLess(done["result"]["report"]["flesh"]["worst"], 1.3)
        self.assertIn("energy ratio to the elastic reference", " ".join(done["result"]["text"]))

    def test_jobs_that_make_no_sense_are_refused_with_a_sentence(self):
        body = self.server.send(self.body)
        secret = self.make("template.glb", "arm")  # a path on the disk is no template for a page
        for document, code in ((5, 400), ({}, 400), ({"kind": "dance", "file": body}, 400), ({"kind": "rig"}, 404),
                               ({"kind": "rig", "file": "0" * 32}, 404), ({"kind": "rig", "file": 7}, 400),
                               ({"kind": "rig", "file": body, "template": secret}, 400),
                               ({"kind": "rig", "file": body, "weights": "magic"}, 400),
                               ({"kind": "rig", "file": body, "names": "klingon"}, 400),
                               ({"kind": "rig", "file": body, "quality": "best"}, 400),
                               ({"kind": "rig", "file": body, "joints": [{"name": "a"}]}, 400),
                               ({"kind": "rig", "file": body, "joints": [{"name": "a", "parent": 1e9, "position": [0, 0, 0]}]}, 400),
                               ({"kind": "rig", "file": body, "joints": [{"name": "a", "parent": -1, "position": [0, 0]}]}, 400)):
            status, answer = self.server.json("POST", "/api/jobs", document)
            self.assertEqual(status, code, document)
            self.assertGreater(len(answer["error"]["message"]), 10)
        for text in (b"", b"{", b"[" * 100000, b"\xff\xfe", b'{"kind":"rig","kind":'):
            self.assertEqual(self.server.ask("POST", "/api/jobs", text)[0], 400)
        cycle = [{"name": "a", "parent": 1, "position": [0, 0, 0]}, {"name": "b", "parent": 0, "position": [0, 1, 0]}]
        failed, _ = self.server.job({"kind": "rig", "file": body, "joints": cycle})
        self.assertEqual((failed["state"], failed["error"]["code"]), ("failed", 3))

    def test_files_that_are_none_fail_with_a_sentence(self):
        for name, data, code in (("a.glb", b"glTF", 3), ("a.obj", b"", 3), ("a.txt", b"hello", 2), ("a", b"x", 2),
                                 ("a.ply", b"ply\n", 3), ("bones.tgf", b"1 0 0 0\n2 0 1 0\n#\n1 2\n", 3)):
            file = self.server.upload(name, data)[1]["id"]
            for kind in ("rig", "reference", "check"):
                failed, _ = self.server.job({"kind": kind, "file": file})
                self.assertEqual(failed["state"], "failed", (name, kind))
                unbound = kind == "check" and name == "bones.tgf"  # joints without a mesh have no weights to check
                self.assertEqual(failed["error"]["code"], 4 if unbound else code, (name, kind, failed["error"]))
                self.assertIn(name, failed["error"]["message"])

    @unittest.skipUnless(os.path.isdir(DATA), "no shared data")
    def test_hostile_files_do_not_end_the_server(self):
        folder, sent, refused = os.path.join(DATA, "hostile_gltf", "mutated"), 0, 0
        for name in sorted(os.listdir(folder)):
            if not name.endswith((".glb", ".gltf")):
                continue
            with open(os.path.join(folder, name), "rb") as file:
                status, answer = self.server.upload(name, file.read())
            sent += 1
            if status == 200:
                done, _ = self.server.job({"kind": "rig", "file": answer["id"], "weights": "heat"}, seconds=60 * SLOWER)
                self.assertIn(done["state"], ("done", "failed"))
                refused += done["state"] == "failed"
                answer = done
            else:
                self.assertEqual(status, 400)
                refused += 1
            if "error" in answer:
                self.assertGreater(len(answer["error"]["message"]), 10, name)
        self.assertGreater(sent, 10)
        self.assertGreater(refused, 5)
        self.answers()

    # --- rough treatment ---

    def test_bytes_that_are_no_request_do_not_end_the_server(self):
        rng = random.Random(7)
        host = b"Host: " + self.server.host.encode() + b"\r\n"
        good = b"GET /api/session?token=" + self.server.token.encode() + b" HTTP/1.1\r\n" + host + b"\r\n"
        for data in (b"", b"\r\n" * 1000, b"\0" * 5000, b"GET", b"GET /", b"GET / HTTP/1.1\r\n", b"GET / HTTP/9.9\r\n\r\n",
                     b"GET  / HTTP/1.1\r\n" + host + b"\r\n", b"POST /api/files?name=a HTTP/1.1\r\n" + host + b"Content-Length: -1\r\n\r\n",
                     b"POST /api/files HTTP/1.1\r\n" + host + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
                     b"POST /api/files HTTP/1.1\r\n" + host + b"Content-Length: 99999999999999999999999\r\n\r\n",
                     b"POST /api/jobs HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
                     b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20000 + b"\r\n", b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n",
                     b"GET / HTTP/1.1\r\nX: " + b"y" * 1000000, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20):
            answer = self.server.raw(data)
            self.assertTrue(not answer or re.match(rb"HTTP/1\.1 4\d\d ", answer), (data[:40], answer[:60]))
        for _ in range(300):
            data = bytearray(good)
            for _ in range(rng.randrange(1, 6)):
                at = rng.randrange(len(data))
                data[at:at + rng.randrange(3)] = rng.randbytes(rng.randrange(4))
            self.server.raw(bytes(data[:rng.randrange(len(data) + 1)] if rng.random() < 0.3 else data))
        for _ in range(50):
            self.server.raw(rng.randbytes(rng.randrange(1, 5000)))
        self.answers()

    def test_a_head_that_is_too_large_is_said_so(self):
        answer = self.server.raw(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 100000 + b"\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 431 "), answer[:60])

    def test_one_connection_serves_many_requests_also_at_once(self):
        request = ("GET /api/rig HTTP/1.1\r\nHost: %s\r\nX-Sinew-Token: %s\r\n\r\n" % (self.server.host, self.server.token)).encode()
        answer = self.server.raw(20 * request)
        self.assertEqual(answer.count(b"HTTP/1.1 200 OK"), 20)

    def test_many_silent_connections_do_not_shut_others_out(self):
        silent = []
        try:
            for _ in range(200):
                silent.append(socket.create_connection(("127.0.0.1", self.server.port), timeout=60))
            self.answers()
            for connection in silent:
                with contextlib.suppress(OSError):
                    connection.sendall(b"GET / HT")  # all of them begin, none goes on
            for _ in range(5):
                self.answers()
        finally:
            for connection in silent:
                connection.close()
        self.answers()

    def test_a_client_that_goes_away_in_the_middle_is_forgotten(self):
        head = ("POST /api/files?name=a.obj HTTP/1.1\r\nHost: %s\r\nX-Sinew-Token: %s\r\nContent-Length: 1000000000\r\n\r\n"
                % (self.server.host, self.server.token)).encode()
        for _ in range(5):  # each holds room for half of all there is, while it lasts
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as connection:
                connection.sendall(head + b"v 0 0 0\n" * 1000)
        wait_until(lambda: self.server.upload("a.obj", b"v 0 0 0\n")[0] == 200, "the room that they held")

    @unittest.skipIf(SANITIZED, "the sanitizers need more address space than any limit leaves")
    def test_an_upload_that_memory_does_not_hold_is_answered(self):
        def little():
            resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20))

        with Running("--page", self.page, "--threads", 1, preexec_fn=little) as server:
            head = ("POST /api/files?name=a.obj HTTP/1.1\r\nHost: %s\r\nX-Sinew-Token: %s\r\nContent-Length: %d\r\n\r\n"
                    % (server.host, server.token, 900 << 20)).encode()
            answer = server.raw(head)
            self.assertTrue(answer.startswith(b"HTTP/1.1 507 "), answer[:200])
            self.assertIn(b"not enough memory", answer)
            self.assertEqual(server.upload("a.obj", b"v 0 0 0\n")[0], 200)

    def test_a_long_name_keeps_its_ending(self):
        status, answer = self.server.upload("x" * 400 + ".obj", b"v 0 0 0\n")
        self.assertEqual(status, 200)
        self.assertTrue(answer["name"].endswith("xxx.obj"), answer)

    # --- beginning and end ---

    def test_two_servers_have_their_own_port_and_token(self):
        with Running("--page", self.page) as one, Running("--page", self.page) as two:
            self.assertNotEqual(one.port, two.port)
            self.assertNotEqual(one.token, two.token)
            self.assertEqual(two.get("/api/session", token=one.token)[0], 401)
            self.assertEqual(one.json("GET", "/api/rig")[0], 404)
            self.assertIsNone(one.json("GET", "/api/session")[1]["file"])

    def test_it_listens_on_this_computer_alone(self):
        here = "%04X" % self.server.port
        with open("/proc/net/tcp") as table:
            rows = [line.split() for line in table]
        listening = [row[1] for row in rows if row[1].endswith(":" + here) and row[3] == "0A"]
        self.assertEqual(listening, ["0100007F:" + here])

    def test_a_port_that_is_taken_is_exit_5_with_a_sentence(self):
        done = self.call("studio", "--no-open", "--port", self.server.port, code=5)
        self.assertIn("port %d is taken" % self.server.port, done.stderr)
        self.assertEqual(done.stdout, "")
        self.call("studio", "--no-open", "--port", 70000, code=2)

    def test_the_file_is_checked_before_the_server_starts(self):
        self.assertIn("none.glb", self.call("studio", self.path("none.glb"), "--no-open", code=5).stderr)
        with open(self.path("broken.glb"), "wb") as file:
            file.write(b"glTF\2\0\0\0")
        self.assertIn("broken.glb", self.call("studio", self.path("broken.glb"), "--no-open", code=3).stderr)
        self.assertIn("index.html", self.call("studio", "--page", self.folder.name + "/page/assets", "--no-open", code=5).stderr)
        self.call("studio", "--page", self.path("nowhere"), "--no-open", code=5)

    def test_help_begins_with_an_example(self):
        text = self.call("studio", "--help").stdout
        self.assertTrue(text.startswith("Examples:\n  sinew studio"), text[:80])
        self.assertIn("exit 0", text)

    def test_signals_end_it_with_0_whatever_is_going_on(self):
        body = self.make("busy.obj", "biped", "--resolution", 20000)
        for number in (signal.SIGTERM, signal.SIGINT):
            with Running("--page", self.page) as server:
                file = server.send(body)
                job = server.json("POST", "/api/jobs", {"kind": "rig", "file": file})[1]
                with socket.create_connection(("127.0.0.1", server.port)) as waiting:
                    waiting.sendall(b"GET / HTTP/1.1\r\n")
                    wait_until(lambda: server.json("GET", "/api/jobs/" + job["id"])[1]["fraction"] > 0, "the job")
                    ended, more = stop_in_the_middle(server.process, 0, number)
                    self.assertEqual(ended, 0)
                    self.assertLess(more, 2 * SLOWER)  # half a second, and what the job's threads do in it
                    self.assertEqual(waiting.recv(100), b"")

    def test_the_browser_gets_the_address_without_a_shell(self):
        folder = self.path("bin")
        os.mkdir(folder)
        with open(os.path.join(folder, "xdg-open"), "w") as file:
            file.write('#!/bin/sh\necho "$# $1" >"%s/opened.tmp"\nmv "%s/opened.tmp" "%s/opened"\n' % (3 * (folder,)))
        os.chmod(os.path.join(folder, "xdg-open"), 0o755)
        process = subprocess.Popen([PROGRAM, "studio", "--page", self.page], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env={**os.environ, "PATH": folder + ":" + os.environ["PATH"]})
        try:
            line = process.stdout.readline()
            wait_until(lambda: os.path.exists(os.path.join(folder, "opened")), "the browser")
            with open(os.path.join(folder, "opened")) as file:
                self.assertEqual(file.read(), "1 " + line)
        finally:
            process.terminate()
            self.assertEqual(process.wait(60 * SLOWER), 0)
            process.stdout.close()
            process.stderr.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
