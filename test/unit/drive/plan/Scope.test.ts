// Scope: what the work is held against, wherever HEAD has gone since, and how a prompt says so.
import { assert, describe, it } from "vitest"
import { begun, evolvePlan } from "../../../../src/drive/plan/State.ts"
import { scopePart, scopeSince } from "../../../../src/drive/plan/Prompts.ts"
import type { Identity } from "../../../../src/run/Identity.ts"
import { content, cycleStarted, planStarted } from "./histories.ts"

const at = (head: string | null): Identity => ({ ...content("b"), head })
const lost: Identity = { _tag: "Unknown", why: "git is gone" }
const since = (then: Identity, now: Identity) => {
  const { cycles: [cycle] } = evolvePlan(begun(planStarted), { ...cycleStarted(), content: then }, 0)
  return scopeSince(cycle ?? assert.fail("no cycle"), now)
}

describe("the work since a cycle began", () => {
  it.each([
    [at("1"), at("1"), { _tag: "Uncommitted" }],
    [at(null), at(null), { _tag: "Uncommitted" }],
    [at("1"), at("2"), { _tag: "Since", revision: "1" }],
    [at("1"), lost, { _tag: "Since", revision: "1" }],
    // What was committed first of all has no commit before it.
    [at(null), at("1"), { _tag: "Everything" }],
    [lost, at("1"), { _tag: "Everything" }]
  ])("is looked for where it can be: %j, %j", (then, now, scope) => assert.deepStrictEqual(since(then, now), scope))
})

it("is named in a prompt, with a revision in no line of ours", () => {
  assert.include(scopePart({ _tag: "Uncommitted" }), "`git diff HEAD`")
  assert.isTrue(scopePart({ _tag: "Since", revision: "main\n# x" }).endsWith("\n\n    main\n    # x"))
  assert.include(scopePart({ _tag: "Since", revision: "main" }), "merge base")
  assert.include(scopePart({ _tag: "Everything" }), "`git ls-files`")
})
