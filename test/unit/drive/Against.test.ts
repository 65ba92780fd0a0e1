// Against: no call begins with changes that are not its own to commit, or without consent to the repository's tests.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { evolveAgents } from "../../../src/agent/State.ts"
import { undriven } from "../../../src/drive/State.ts"
import { dirtyWorktree, withoutConsent } from "../../../src/drive/Ends.ts"
import { Memory } from "../../../src/testing.ts"
import { settings } from "./converge/driven.ts"
import { onMachine } from "../run/opened.ts"

const base = { target: settings({}, { target: { _tag: "Base", branch: "main" } }).step.target }

/** A git whose last commit holds other files than the worktree, where somebody has changed some. */
const git = (isChanged: boolean) =>
  Memory.git({
    identity: (_, __, branch) =>
      Effect.succeed({ ...Memory.identityOf("code-1", branch), headTree: isChanged ? "code-0" : "code-1" })
  })

it("what a person changed before the first call is not committed with the fixes", async () => {
  const dirty = (commitFixes: string | null, isFirst: boolean, isChanged: boolean) =>
    onMachine(dirtyWorktree(settings({ commitFixes }, base), { target: base.target, worktree: "/repo" }, isFirst), {
      git: git(isChanged)
    })
  const changed = await dirty("Fix", true, true)
  assert.match(changed?._tag === "BinaryError" ? changed.message : "", /changes of yours \[commit or stash/)
  assert.isNull(await dirty("Fix", false, true))
  assert.isNull(await dirty(null, true, true))
  assert.isNull(await dirty("Fix", true, false))
})

it("tests of the repository need consent to their present content", () => {
  const given = { _tag: "ConsentGiven", consent: "repository-tests", content: "aa" } as const
  const state = { ...undriven, agents: evolveAgents(undriven.agents, given, 0) }
  const asked = withoutConsent("implement", undriven, settings(), "aa")
  assert.include(asked?._tag === "HandoffHuman" ? asked.prompt : "", "--allow repository-tests")
  assert.isNull(withoutConsent("implement", state, settings(), "aa"))
  assert.isNotNull(withoutConsent("implement", state, settings(), "bb"))
  assert.isNull(withoutConsent("implement", undriven, settings({ allow: ["repository-tests"] }), "aa"))
  assert.isNull(withoutConsent("implement", undriven, settings(), null))
})
