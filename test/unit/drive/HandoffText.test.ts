// HandoffText: a person reads in a line why a call ended.
import { assert, describe, it } from "vitest"
import { refusalReason } from "../../../src/drive/Commits.ts"
import {
  agentFailed,
  commitRefused,
  gaveUp,
  gitStateChanged,
  type RedTests,
  taskBlocked,
  testsFailed
} from "../../../src/drive/words.ts"

const red = (fields: Partial<RedTests> = {}) =>
  testsFailed({ round: 1, command: "npm test", exit: 1, changed: false, restored: false, ...fields })

describe("a reason for a person", () => {
  it("names the test that fails, how, and whether the code was put back", () => {
    assert.strictEqual(red(), "npm test still fails (exit 1)")
    assert.strictEqual(red({ exit: null }), "npm test still runs out of time")
    assert.strictEqual(red({ changed: true, exit: 0 }), "npm test still changes the code that it tests")
    assert.match(red({ restored: true }), /; the working tree was put back to where the round began$/)
    assert.match(red({ round: 0 }), /^npm test fails \(exit 1\), and no agent is at work \[.*--allow red-baseline/)
  })

  it("names what git said when it refused to commit", () => {
    const refused = (output: string) => commitRefused({ output, restored: false })
    assert.strictEqual(refused("hook:\n\nno"), 'the tests pass, but git refused to commit: "hook: no"')
    assert.match(refused("error: gpg failed to sign the data"), /: it could not sign \[.*\]: error: gpg failed to sign/)
  })

  it("says why a task is blocked", () => {
    const none = { problems: [], issues: null, protectedFiles: [] }
    assert.strictEqual(taskBlocked(none), "work is left")
    assert.strictEqual(
      taskBlocked({ ...none, problems: ["status is missing"], issues: "The cache." }),
      'an agent\'s answer cannot be used: "status is missing"; it says: "The cache."'
    )
    assert.match(
      taskBlocked({ ...none, protectedFiles: ["a", "b", "c", "d", "e", "f"] }),
      /: a, b, c, d, e and 1 more \[/
    )
  })

  it("says how an agent failed, or what it reports", () => {
    const failed = { ending: "Login", message: " ", remedy: null, report: null }
    assert.strictEqual(agentFailed(failed), "an agent failed (Login)")
    const report = { summary: "No network.", requirements: "", problems: "The proxy.", solutions: "" }
    assert.strictEqual(
      agentFailed({ ...failed, ending: "Reported", report }),
      'an agent failed (Reported): it reports: "No network."; in the way: "The proxy."'
    )
  })

  it("says which parts of git's state changed, and why a call gave up", () => {
    assert.match(gitStateChanged(["refs", "hooks"]), /: refs, hooks \[look .*git reflog/)
    const cap = (key: string) => gaveUp({ _tag: "StuckCapReached", action: "AddressBatch", key }, { patience: 6 })
    assert.strictEqual(cap("patience"), "6 rounds without fewer findings (--patience)")
    assert.strictEqual(cap("max-tokens"), "the limit of tokens is reached (--max-tokens)")
    assert.match(gaveUp({ _tag: "StuckRepeated", action: "AddressBatch", key: "ab" }, { patience: 6 }), /in a circle/)
  })
})

it.each([
  ["Author identity unknown\n\n*** Please tell me who you are.", "it knows no author"],
  ["error: gpg failed to sign the data\nfatal: failed to write commit object", "it could not sign"],
  ["fatal: Unable to create '/r/.git/index.lock': File exists.", "another git process"],
  ["error: file write error: No space left on device", "the disk is full"],
  ["don't commit to branch.................Failed", "the branch is protected"]
])(
  "only a person can change what is in the way: %s",
  (output, reason) => assert.include(refusalReason(output) ?? "", reason)
)

it.each(["lint: 2 errors", "eslint failed\n\nsrc/lock.ts", ""])(
  "an agent may fix what a hook found: %s",
  (output) => assert.isNull(refusalReason(output))
)
