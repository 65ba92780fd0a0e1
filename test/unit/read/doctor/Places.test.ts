// Where runs are kept and where codex keeps its files, judged from what was found there.
import { assert, describe, it } from "vitest"
import {
  checkLock,
  checkSessions,
  checkStateRoot,
  checkStore,
  type StorageFacts
} from "../../../../src/read/doctor/Checks.ts"
import type { CodexHomeFacts } from "../../../../src/agent/CodexHome.live.ts"

const storage = (more: Partial<StorageFacts> = {}): StorageFacts => ({
  root: "/s",
  exists: true,
  safetyProblem: null,
  writeProblem: null,
  filling: null,
  lockProblem: null,
  fileSystem: "ext4",
  network: false,
  ...more
})
const home = (more: Partial<CodexHomeFacts> = {}): CodexHomeFacts => ({
  home: "/h/.codex",
  named: false,
  exists: true,
  own: true,
  sessionsProblem: null,
  sessions: 1,
  writeProblem: null,
  provider: null,
  ...more
})

describe("the state root", () => {
  it("is fine where it is safe and writable, also where it is not there yet", () => {
    assert.deepInclude(checkStateRoot(storage()), { state: "fine", found: "/s (ext4)" })
    assert.strictEqual(checkStateRoot(storage({ exists: false })).found, "/s (ext4, not there yet)")
  })

  it("is made private where others may write into it", () => {
    const safetyProblem = { kind: "OpenToOthers", text: "others can write" } as const
    assert.deepStrictEqual(checkStateRoot(storage({ root: "/a b's", safetyProblem })), {
      name: "state root",
      state: "wrong",
      found: "others can write",
      fix: `chmod 700 '/a b'\\''s'`
    })
  })

  const problems: ReadonlyArray<readonly [Partial<StorageFacts>, string]> = [
    [{ safetyProblem: { kind: "Untrusted", text: "a link; chmod 700 is no help" } }, "a link; chmod 700 is no help"],
    [{ network: true, fileSystem: "NFS" }, "/s: locks do not hold on a network file system (NFS)"],
    [{ writeProblem: "read-only" }, "/s: read-only"]
  ]
  it.each(problems)("is named anew where %o", (facts, found) => {
    const check = checkStateRoot(storage(facts))
    assert.deepInclude(check, { state: "wrong", found })
    assert.match(check.fix ?? "", /^export OODA_STATE_ROOT=.*--state-root$/)
  })
})

describe("a store in a database", () => {
  it("is fine where it was set up", () =>
    assert.deepInclude(checkStore({ name: "pg:1", work: "/srv" }), { state: "fine", found: "pg:1, works below /srv" }))

  it.each(
    [
      ["Misnamed", /^export OODA_STORE=/],
      ["Lossy", /fsync, full_page_writes and synchronous_commit/],
      ["Unprepared", /fleet init/],
      ["Newer", /version/],
      ["Away", /\$OODA_STORE/]
    ] as const
  )("that is %s comes with what mends that", (kind, fix) => {
    const check = checkStore({ kind, text: "why" })
    assert.deepInclude(check, { name: "store", state: "wrong", found: "why" })
    assert.match(check.fix ?? "", fix)
  })
})

describe("locks", () => {
  it("are fine where a second holder is refused", () => assert.strictEqual(checkLock(storage(), "linux").state, "fine"))

  it("need a program, which is installed as the platform has it", () => {
    const facts = storage({ lockProblem: { kind: "NoProgram", text: "none of flock, perl and python3" } })
    assert.deepStrictEqual(checkLock(facts, "linux"), {
      name: "lock",
      state: "wrong",
      found: "none of flock, perl and python3",
      fix: "install util-linux's flock (apt-get install util-linux), perl or python3"
    })
    assert.notInclude(checkLock(facts, "darwin").fix, "apt-get")
  })

  it("need room for that program, which no installation gives", () => {
    const facts = storage({ lockProblem: { kind: "Limited", text: "too many open files" } })
    assert.strictEqual(checkLock(facts, "linux").fix, "ulimit -n 1024")
  })

  it("that cannot be relied on are a matter of the place, not of a program", () => {
    const facts = storage({ lockProblem: { kind: "Unreliable", text: "given to two holders" } })
    assert.deepInclude(checkLock(facts, "linux"), { state: "wrong", found: "given to two holders" })
    assert.match(checkLock(facts, "linux").fix ?? "", /--state-root$/)
  })

  it("are not tried where nothing can be written", () =>
    assert.deepInclude(checkLock(storage({ writeProblem: "read-only" }), "linux"), { state: "note", fix: null }))
})

describe("session files", () => {
  it("are fine when they can be read, once there are any", () => {
    assert.deepInclude(checkSessions(home()), { state: "fine", found: "/h/.codex/sessions can be read" })
    const refused = checkSessions(home({ writeProblem: "read-only file system" }))
    assert.deepInclude(refused, { state: "wrong", found: "/h/.codex: codex cannot write: read-only file system" })
    assert.match(refused.fix ?? "", /CODEX_HOME/)
    assert.deepInclude(checkSessions(home({ sessions: 0 })), { state: "fine", found: "/h/.codex/sessions, none yet" })
  })

  it("need a home, which codex makes unless CODEX_HOME names it", () => {
    assert.strictEqual(checkSessions(home({ exists: false })).state, "note")
    assert.deepInclude(checkSessions(home({ exists: false, named: true })), {
      state: "wrong",
      fix: "mkdir -p /h/.codex"
    })
  })

  const denied = { kind: "Denied", text: "no permission (EACCES: scandir)" } as const
  it("that may not be read are opened to their owner", () => {
    const check = checkSessions(home({ sessionsProblem: denied }))
    assert.strictEqual(check.found, "/h/.codex/sessions: no permission (EACCES: scandir)")
    assert.strictEqual(check.fix, "chmod -R u+rwX /h/.codex/sessions")
  })

  it("of another user are taken over", () =>
    assert.strictEqual(
      checkSessions(home({ sessionsProblem: denied, own: false })).fix,
      `sudo chown -R "$(id -un)" /h/.codex`
    ))

  it("that are broken in another way are moved away, whatever the words are", () =>
    assert.strictEqual(
      checkSessions(home({ sessionsProblem: { kind: "Broken", text: "no permission, says a broken disk" } })).fix,
      "mv /h/.codex/sessions /h/.codex/sessions.old"
    ))
})
