// The arguments of `hook`: what they ask for, and what is wrong with them together.
import { assert, describe, it } from "vitest"
import * as hook from "../../../../src/cli/commands/hook.ts"
import { misplaced } from "../../../../src/cli/commands/hook.ts"
import { grammar } from "./grammar.ts"

const { asked, problem } = grammar(hook)

describe("hook", () => {
  it("installs for the user, with the review of each turn, unless told otherwise", async () => {
    assert.deepStrictEqual(await asked("install"), { _tag: "Install", scope: "user", gate: "review", plans: "after" })
    assert.deepStrictEqual(await asked("install --scope local --gate ladder --plans before"), {
      _tag: "Install",
      scope: "local",
      gate: "ladder",
      plans: "before"
    })
    assert.deepStrictEqual(await asked("uninstall --scope project"), { _tag: "Uninstall", scope: "project" })
    assert.deepStrictEqual(await asked("status --json"), { _tag: "Status", json: true })
    assert.deepStrictEqual(await asked("dismiss a.ts --reason because --session s"), {
      _tag: "Dismiss",
      name: "a.ts",
      reason: "because",
      session: "s",
      stateRoot: null
    })
  })

  it.each([
    ["remove", 'ACTION "remove": expected install, uninstall, status or dismiss'],
    ["install --scope mine", '--scope "mine": expected user, project or local'],
    ["install --gate none", '--gate "none": expected off, fails, review or ladder'],
    ["uninstall --gate off", "--gate belongs to hook install"],
    ["uninstall --plans after", "--plans belongs to hook install"],
    ["install --plans never", '--plans "never": expected after or before'],
    ["install --json", "--json belongs to hook status"],
    ["status --scope user", "hook status looks at every scope"],
    ["install a.ts", "NAME belongs to hook dismiss"],
    ["status --state-root /s", "--state-root belongs to hook dismiss"],
    ["dismiss a.ts", "hook dismiss needs NAME, the file that a review failed, and --reason TEXT"],
    ["dismiss --reason why", "hook dismiss needs NAME, the file that a review failed, and --reason TEXT"],
    ["dismiss a.ts --reason why --scope user", "--scope belongs to hook install and hook uninstall"]
  ])("refuses %s", async (line, text) => assert.strictEqual(await problem(line), text))
})

it("no flag is out of place beside the action that it belongs to", () => {
  const none = { name: null, scope: null, gate: null, plans: null, reason: null, session: null, stateRoot: null }
  const given = { ...none, action: "install", gate: "off", json: false, trustStateRoot: false } as const
  assert.isNull(misplaced(given))
  assert.strictEqual(misplaced({ ...given, json: true }), "--json belongs to hook status")
})
