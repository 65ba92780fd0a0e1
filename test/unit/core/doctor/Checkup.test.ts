// The doctor's judgements, one by one: what was found, and the command that mends it.
// The one rule: whatever is wrong names a remedy, and no part of a key is ever repeated.
import { assert, describe, it } from "vitest"
import {
  allFine, type Answer, checkCodex, checkGh, checkGit, checkLock, checkLogin, checkNode, checkRepository, checkSessions,
  checkStateRoot, checkupText, type CodexHomeFacts, leastNode, type StorageFacts
} from "../../../../src/core/doctor/Checkup.ts"
import packageJson from "../../../../package.json" with { type: "json" }

const said = (stdout: string, code = 0): Answer => ({ code, stdout, stderr: "", problem: null })
const missing: Answer = { code: null, stdout: "", stderr: "spawn ENOENT", problem: "missing" }
const late: Answer = { code: null, stdout: "", stderr: "", problem: "timeout" }
const storage = (more: Partial<StorageFacts> = {}): StorageFacts => ({
  root: "/s", exists: true, safetyProblem: null, writeProblem: null, lockProblem: null, fileSystem: "ext4", network: false,
  ...more
})
const home = (more: Partial<CodexHomeFacts> = {}): CodexHomeFacts => ({
  home: "/h/.codex", named: false, exists: true, own: true, sessionsProblem: null, sessions: 1, provider: null, ...more
})
const keys = { codex: false, openai: false }

describe("the doctor", () => {
  it("wants the Node of package.json", () => {
    assert.strictEqual(packageJson.engines.node, `>=${leastNode.join(".")}`)
    for (const version of ["v20.19.0", "v22.1.0", "v24.0.0"]) assert.strictEqual(checkNode(version).state, "fine", version)
    for (const version of ["v20.18.9", "v18.20.0", "nonsense"]) assert.strictEqual(checkNode(version).state, "wrong", version)
  })

  it("wants git, and only mentions a missing repository", () => {
    assert.deepInclude(checkGit(said("git version 2.39.5\n")), { state: "fine", found: "git version 2.39.5" })
    assert.deepInclude(checkGit(missing), { state: "wrong", found: "not installed or not on PATH" })
    assert.strictEqual(checkRepository(said("/repo\n")).state, "fine")
    const outside = checkRepository({ ...said("", 128), stderr: "fatal: not a git repository\n" })
    assert.deepInclude(outside, { state: "note", found: "fatal: not a git repository" })
  })

  it("wants a codex that answers and has `review`", () => {
    const path = { path: "/bin/codex" }
    const version = said("codex-cli 0.169.0\n")
    assert.deepInclude(checkCodex(path, { version, review: said("Usage") }), {
      state: "fine", found: "codex-cli 0.169.0 (/bin/codex)"
    })
    assert.deepInclude(checkCodex(path, { version, review: said("error: unrecognized subcommand", 2) }), { state: "wrong" })
    assert.deepInclude(checkCodex(path, { version: late, review: late }), {
      state: "wrong", found: "/bin/codex: did not answer in time"
    })
    const thrown = "file:///codex.js:112\n  throw new Error(\n        ^\n\nError: Missing optional dependency x\n    at f\n"
    const broken = { ...said("", 1), stderr: thrown }
    assert.strictEqual(
      checkCodex(path, { version: broken, review: broken }).found,
      "/bin/codex: Error: Missing optional dependency x"
    )
    assert.deepInclude(checkCodex({ problem: "nowhere" }, null), { state: "wrong", found: "nowhere" })
  })

  it("knows the ways to be logged in", () => {
    const out = said("Not logged in\n", 1)
    assert.strictEqual(checkLogin(out, { ...keys, codex: true }, null).found, "CODEX_API_KEY is set")
    assert.strictEqual(checkLogin(null, { ...keys, codex: true }, null).state, "fine")
    const byKey = checkLogin(said("Logged in using an API key - sk-proj-***ABCDE\n"), keys, null)
    assert.deepInclude(byKey, { state: "fine", found: "Logged in using an API key" })
    assert.deepInclude(checkLogin(out, keys, null), { state: "wrong", mend: "codex login, or set CODEX_API_KEY" })
    const ignored = checkLogin(out, { ...keys, openai: true }, null)
    assert.strictEqual(ignored.found, "Not logged in; codex review ignores OPENAI_API_KEY")
    assert.strictEqual(ignored.mend, `export CODEX_API_KEY="$OPENAI_API_KEY"`)
    assert.strictEqual(checkLogin(late, keys, null).found, "did not answer in time")
    const warned = { ...said("", 1), stderr: "WARNING: proceeding, even though ...\nNot logged in\n" }
    assert.strictEqual(checkLogin(warned, keys, null).found, "Not logged in")
    assert.strictEqual(checkLogin({ ...said("", 1), stderr: "warning: x\n" }, keys, null).found, "warning: x")
    // Another provider may want no login at all.
    assert.strictEqual(checkLogin(out, keys, "local").state, "note")
  })

  it("only mentions gh", () => {
    assert.strictEqual(checkGh(missing, missing).state, "note")
    assert.deepInclude(checkGh(said("gh version 2\n"), said("", 1)), { state: "note", mend: "gh auth login" })
    assert.strictEqual(checkGh(said("gh version 2\n"), said("ok")).state, "fine")
  })

  it("wants a state root that is safe, writable, and whose locks hold", () => {
    assert.deepInclude(checkStateRoot(storage()), { state: "fine", found: "/s (ext4)" })
    assert.strictEqual(checkStateRoot(storage({ exists: false })).found, "/s (ext4, not there yet)")
    const open = checkStateRoot(storage({ root: "/a b's", safetyProblem: "make it private (chmod 700)" }))
    assert.strictEqual(open.mend, `chmod 700 '/a b'\\''s'`)
    assert.include(checkStateRoot(storage({ safetyProblem: "is a link" })).mend, "--state-root")
    assert.strictEqual(checkStateRoot(storage({ network: true, fileSystem: "NFS" })).state, "wrong")
    assert.strictEqual(checkStateRoot(storage({ writeProblem: "read-only" })).state, "wrong")
    assert.strictEqual(checkLock(storage()).state, "fine")
    assert.strictEqual(checkLock(storage({ lockProblem: "none of flock" })).state, "wrong")
    assert.strictEqual(checkLock(storage({ writeProblem: "read-only" })).state, "note")
  })

  it("wants session files that can be read, once there are any", () => {
    assert.strictEqual(checkSessions(home()).state, "fine")
    assert.include(checkSessions(home({ sessions: 0 })).found, "none yet")
    assert.strictEqual(checkSessions(home({ exists: false })).state, "note")
    assert.deepInclude(checkSessions(home({ exists: false, named: true })), { state: "wrong", mend: "mkdir -p /h/.codex" })
    const mend = (more: Partial<CodexHomeFacts>) => checkSessions(home(more)).mend
    const denied = "no permission (EACCES: scandir)"
    assert.strictEqual(mend({ sessionsProblem: denied }), "chmod -R u+rwX /h/.codex/sessions")
    assert.strictEqual(mend({ sessionsProblem: denied, own: false }), `sudo chown -R "$(id -un)" /h/.codex`)
    assert.strictEqual(mend({ sessionsProblem: "ENOTDIR" }), "mv /h/.codex/sessions /h/.codex/sessions.old")
    assert.strictEqual(checkSessions(home({ sessionsProblem: denied })).found, `/h/.codex/sessions: ${denied}`)
  })

  it("writes one line a check and one for what mends it, whatever a program printed", () => {
    const checks = [checkGit(said("git\u001b[31m\u2028x")), checkNode("v1.0.0"), checkGh(missing, missing)]
    assert.strictEqual(
      checkupText(checks),
      "ok     git         git\\u001b[31m\\u2028x\n" +
        "wrong  node        v1.0.0 is too old\n                   mend: install Node 20.19 or later (nvm install 22)\n" +
        "note   gh          not installed or not on PATH; only --pr needs it\n" +
        "                   mend: apt-get install gh, or see https://cli.github.com\n"
    )
    assert.isFalse(allFine(checks))
    assert.isTrue(allFine(checks.filter(({ name }) => name !== "node")))
    for (const check of checks) if (check.state === "wrong") assert.isNotNull(check.mend)
  })
})
