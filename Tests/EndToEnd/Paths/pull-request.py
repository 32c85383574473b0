#!/usr/bin/env python3
"""A pull request: the steps of the sample workflow, typed as a runner does, with a `gh` that keeps what it was given.

    pull-request.py RELEASE [-o TRANSCRIPT]

RELEASE is the folder of an unpacked release, or its archive. The steps, their variables and their order are read
from Samples/ci/github-actions.yml and Samples/ci/action/action.yml. Needs git, and no network.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

from typed import ROOT, Transcript

CI = ROOT / "Samples/ci"
BOT = "github-actions[bot]"

GH = r'''#!/usr/bin/env python3
"""`gh api`, as far as a workflow's token of a repository goes: lists, adds and edits comments of a pull request."""
import json, os, re, sys
path, words = os.environ["COMMENTS"], sys.argv[1:]
with open(path + ".calls", "a") as log:
    print(json.dumps(words), file=log)
if not os.environ.get("GH_TOKEN"):
    sys.exit("gh: To use GitHub CLI in a GitHub Actions workflow, set the GH_TOKEN environment variable.")
comments = json.load(open(path))
if "--method" not in words:
    if words[:3] != ["api", "--paginate", "repos/owner/app/issues/7/comments"]:
        sys.exit(f"gh: Not Found (HTTP 404): {words}")
    asked = words[words.index("--jq") + 1]
    author = re.search(r'\.user\.login == "([^"]*)"', asked).group(1)
    begin = re.search(r'startswith\("([^"]*)"\)', asked).group(1)
    for comment in comments:
        if comment["author"] == author and comment["body"].startswith(begin):
            print(comment["id"])
    sys.exit(0)
if os.environ.get("READ_ONLY"):
    sys.exit("gh: Resource not accessible by integration (HTTP 403)")
body = open(words[words.index("-F") + 1].removeprefix("body=@")).read()
if len(body) > 65536:
    sys.exit("gh: Validation Failed: body is too long (maximum is 65536 characters) (HTTP 422)")
if "POST" in words and words[3] == "repos/owner/app/issues/7/comments":
    comments.append({"id": 100 + len(comments), "author": "github-actions[bot]", "body": body})
else:
    number = int(re.fullmatch(r"repos/owner/app/issues/comments/(\d+)", words[3]).group(1))
    next(comment for comment in comments if comment["id"] == number)["body"] = body
json.dump(comments, open(path, "w"))
'''

EXPRESSIONS = {
    "github.event_name == 'pull_request' && 'base/store/default.store' || ''": "base/store/default.store",
    "github.token": "token", "github.event.number": "7",
}


def steps(file, job):
    """The steps of a workflow or an action that run a line: name, variables and the line."""
    text = file.read_text()
    text = re.split(r"^  [a-z]", text[text.index(job):], flags=re.M)[0]
    found = []
    for part in re.split(r"^ +- (?=name:|uses:)", text, flags=re.M)[1:]:
        line = re.search(r"^ +run: (.*)$", part, re.M)
        if not line:
            continue
        block = re.search(r"^( +)env:\n((?:\1  .*\n)+)", part, re.M)
        pairs = re.findall(r"^ +([A-Z0-9_]+): (.*)$", block.group(2), re.M) if block else []
        found.append((part.split("\n")[0].removeprefix("name: "), dict(pairs), line.group(1),
                      "continue-on-error: true" in part))
    return found


def value(text, inputs):
    """A value of the workflow with its expressions worked out."""
    def replaced(match):
        name = match.group(1)
        if name.startswith("inputs."):
            return inputs[name.removeprefix("inputs.")]
        return EXPRESSIONS[name]
    return re.sub(r"\$\{\{ (.*?) \}\}", replaced, text)


def beginning(body):
    """The first lines of a comment."""
    lines = body.split("\n")
    return "\n".join(lines[:40] + (["…"] if len(lines) > 40 else []))


class Repository:
    def __init__(self, path):
        self.path = path
        self.folder = path.folder / "workspace"
        self.origin = path.folder / "origin"
        self.comments_file = path.folder / "comments.json"
        self.comments_file.write_text(json.dumps([
            {"id": 100, "author": "ada", "body": "<!-- ferry dry run: ferry --> a person's words"}]))
        (path.folder / "gh").mkdir()
        (path.folder / "gh/gh").write_text(GH)
        (path.folder / "gh/gh").chmod(0o755)
        path.environment["PATH"] = f"{path.folder}/gh:{path.environment['PATH']}"
        path.environment.update({
            "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_REPOSITORY": "owner/app",
            "GITHUB_WORKSPACE": str(self.folder), "GITHUB_STEP_SUMMARY": str(path.folder / "summary.md"),
            "RUNNER_TEMP": str(path.folder / "temp"), "GITHUB_PATH": str(path.folder / "path"),
            "COMMENTS": str(self.comments_file), "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_AUTHOR_NAME": "ada", "GIT_AUTHOR_EMAIL": "ada@example.com",
            "GIT_COMMITTER_NAME": "ada", "GIT_COMMITTER_EMAIL": "ada@example.com",
        })
        sample = ROOT / "Samples/infinite-stories"
        shutil.copytree(sample, self.origin / "store", ignore=shutil.ignore_patterns("*-shm", "generator", "later*"))
        shutil.copytree(CI, self.origin / "ci")
        self.git("init", "-q", "-b", "main", ".")
        self.commit("The app, its store and its workflow")
        self.git("checkout", "-q", "-b", "change")

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.origin, env=self.path.environment, check=True,
                       stdout=subprocess.DEVNULL)

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def change(self, statement):
        """Changes the store of the branch, as the app would, and commits it."""
        subprocess.run(["sqlite3", self.origin / "store/default.store", statement], check=True)
        self.commit("Another store")

    def comments(self):
        return json.loads(self.comments_file.read_text())

    def checkout(self):
        """Both checkouts of the workflow."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.git("clone", "-q", "-b", "change", self.origin, self.folder)
        self.git("clone", "-q", "-b", "main", self.origin, self.folder / "base")
        (self.path.folder / "summary.md").write_text("")

    def run(self, file, job, expected, inputs=None, extra=None):
        """Types the steps of a job; `expected` gives the status of each step that is not 0, by its name."""
        self.checkout()
        common = dict(extra or {})
        if file.name == "github-actions.yml":
            common["STORE"] = re.search(r"^  STORE: (.*)$", file.read_text(), re.M).group(1)
        else:
            common["GITHUB_ACTION_PATH"] = str(self.folder / "ci/action")
        outputs = {}
        for name, variables, line, mayFail in steps(file, job):
            self.path.say(f"# step: {name}")
            given = common | {key: value(text, inputs or {}) for key, text in variables.items()}
            kept = dict(self.path.environment)
            self.path.environment.update(given)
            shown = " ".join(f"{key}={given[key]}" for key in variables if given[key])
            outputs[name] = self.path.type(f"cd workspace && {line}" + (f" # {shown}" if shown else ""),
                                           status=expected.get(name, 0))
            self.path.environment = kept
            added = self.path.folder / "path"
            if added.exists():
                self.path.environment["PATH"] = added.read_text().split()[0] + ":" + kept["PATH"]
        return outputs

    def report(self, name):
        return (self.folder / "ferry-reports" / name).read_text()


def workflow(repository):
    path = repository.path
    file = CI / "github-actions.yml"
    path.heading("The workflow on a change that loses nothing")
    repository.change("UPDATE ZHERO SET ZNAME = 'Fern the Second' WHERE Z_PK = 3")
    repository.run(file, "dry-run:", {})
    first = repository.comments()
    path.check("authors of the comments", [item["author"] for item in first], ["ada", BOT])
    path.check("the comment says that it is done", "### ferry report: done" in first[1]["body"], True)
    path.say(beginning(first[1]["body"]))
    for name in ["ferry.json", "ferry.sarif"]:
        json.loads(repository.report(name))
    path.check("the reports that the workflow uploads", all(
        (repository.folder / f"ferry-reports/{name}").exists() for name in ["ferry.html", "junit.xml"]), True)
    path.heading("The rehearsal")
    repository.run(file, "rehearsal:", {})
    path.heading("The next push breaks a record")
    repository.change("UPDATE ZHERO SET ZNAME = '' WHERE Z_PK = 4")
    said = repository.run(file, "dry-run:", {"Dry run": 4})
    second = repository.comments()
    path.check("comments", len(second), 2)
    path.check("the person's comment is as it was", second[0] == first[0], True)
    path.check("the same comment was edited", second[1]["id"] == first[1]["id"], True)
    path.check("it says what is invalid", "### ferry report: invalid" in second[1]["body"]
               and "schema." in second[1]["body"], True)
    path.check("the record is marked in a file of the repository",
               "::error file=store/default.store" in said["Dry run"], True)
    path.say(beginning(second[1]["body"]))
    return file


def broken(repository, file):
    path = repository.path
    path.heading("A profile with a misspelt key")
    profile = repository.origin / "store/profile.yaml"
    sound = profile.read_text()
    profile.write_text(re.sub(r"^entities:", "entitees:", sound, flags=re.M))
    repository.commit("A misspelt key")
    repository.run(file, "dry-run:", {"Dry run": 12})
    body = repository.comments()[1]["body"]
    path.check("the comment names the key", "entitees" in body, True)
    path.say(beginning(body))
    path.heading("A profile that is no YAML")
    profile.write_text("ferry-profile: 1\napp: [\n")
    repository.commit("No YAML")
    repository.run(file, "dry-run:", {"Dry run": 12})
    body = repository.comments()[1]["body"]
    path.check("the comment has a line", "profile.yaml" in body, True)
    path.say(beginning(body))
    profile.write_text(sound)
    repository.git("checkout", "-q", "main", "--", "store")
    repository.commit("The profile and the store of the main branch")


def fork(repository, file):
    path = repository.path
    path.heading("A fork, whose token may not write")
    before = repository.comments()
    said = repository.run(file, "dry-run:", {}, extra={"READ_ONLY": "1"})
    path.check("no comment was written", repository.comments() == before, True)
    path.check("the step says so", "::notice::" in said["Comment on the pull request"], True)
    path.check("the summary has the report", "### ferry report: done" in (path.folder / "summary.md").read_text(), True)


def loss(repository, file):
    path = repository.path
    path.heading("The branch's model lacks a field")
    # The base branch has the later model, whose fields the older one of the branch lacks.
    repository.git("checkout", "-q", "main")
    for ending in ["", "-wal"]:
        shutil.copyfile(f"{ROOT}/Samples/infinite-stories/later.store{ending}",
                        f"{repository.origin}/store/default.store{ending}")
    repository.commit("The later model")
    repository.git("checkout", "-q", "change")
    repository.run(file, "dry-run:", {"Dry run": 6})
    body = repository.comments()[1]["body"]
    path.say(beginning(body))


def action(repository):
    path = repository.path
    path.heading("The action, which installs an archive")
    made = path.folder / "made"
    made.mkdir()
    program = pathlib.Path(shutil.which("ferry", path=path.environment["PATH"])).resolve()
    (made / "ferry-1-linux/bin").mkdir(parents=True)
    (made / "ferry-1-linux/bin/ferry").symlink_to(program)
    subprocess.run("tar -chf - ferry-1-linux | gzip -1 >ferry.tar.gz && sha256sum ferry.tar.gz >ferry.tar.gz.sha256",
                   shell=True, check=True, cwd=made)
    inputs = {"archive": f"file://{made}/ferry.tar.gz", "sha256": "", "store": "store/default.store", "profile": "",
              "destination": "", "base-store": "", "base-report": "", "reports": "ferry-reports", "token": "token"}
    repository.run(CI / "action/action.yml", "steps:", {}, inputs)
    path.check("comments, with one of its own for this store", len(repository.comments()), 3)
    path.check("the mark names the store", repository.comments()[2]["body"].split("\n")[0],
               "<!-- ferry dry run: store/default.store -->")


def main():
    with Transcript(sys.argv) as path:
        repository = Repository(path)
        file = workflow(repository)
        broken(repository, file)
        fork(repository, file)
        loss(repository, file)
        action(repository)


main()
