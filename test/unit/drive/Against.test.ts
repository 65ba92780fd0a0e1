// Against: no call begins with changes that are not its own to commit, on another branch, or without consent.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { evolveAgents } from "../../../src/agent/State.ts"
import { type DrivenState, undriven } from "../../../src/drive/State.ts"
import type { ConvergeSettings } from "../../../src/drive/converge/Settings.ts"
import { cannotCommit, withoutConsent } from "../../../src/drive/Ends.ts"
import { Memory } from "../../../src/testing.ts"
import { settings } from "./converge/driven.ts"
import { onMachine } from "../run/opened.ts"

const reviewed = { target: { _tag: "Uncommitted" }, worktree: "/repo" } as const
const base = { target: settings({}, { target: { _tag: "Base", branch: "main" } }).step.target }

/** A git whose last commit holds other files than the worktree, where somebody has changed some. */
const git = (isChanged: boolean) =>
  Memory.git({
    identity: (_, __, branch) =>
      Effect.succeed({ ...Memory.identityOf("code-1", branch), headTree: isChanged ? "code-0" : "code-1" })
  })

it("what a person changed before the first call is not committed with the fixes", async () => {
  const dirty = (commitFixes: string | null, isFirst: boolean, isChanged: boolean) =>
    onMachine(cannotCommit(settings({ commitFixes }, base), reviewed, undriven, isFirst), { git: git(isChanged) })
  const changed = await dirty("Fix", true, true)
  assert.match(changed?._tag === "BinaryError" ? changed.message : "", /changes of yours \[commit or stash/)
  assert.isNull(await dirty("Fix", false, true))
  assert.isNull(await dirty(null, true, true))
  assert.isNull(await dirty("Fix", true, false))
})

it("a later call does not commit on another branch than the first one", async () => {
  const on = (branch: string | null | undefined, isFirst = false) =>
    onMachine(cannotCommit(settings({ commitFixes: "Fix" }, base), reviewed, { ...undriven, branch }, isFirst), {
      git: Memory.git({ branch: () => Effect.succeed("main") })
    })
  assert.isNull(await on("main"))
  assert.isNull(await on(undefined))
  const other = await on("a;b")
  assert.include(other?._tag === "BinaryError" ? other.message : "", "[git switch 'a;b'; or begin a new run")
  const detached = await on(null)
  assert.include(detached?._tag === "BinaryError" ? detached.message : "", "a detached HEAD, where this run was begun")
})

it("tests of the repository need consent to their present content", async () => {
  const given = { _tag: "ConsentGiven", consent: "repository-tests", content: "aa" } as const
  const state = { ...undriven, agents: evolveAgents(undriven.agents, given, 0) }
  const lacking = (state: DrivenState, set: ConvergeSettings, content: string | null) =>
    onMachine(withoutConsent(state, set, "/repo", content))
  const asked = await lacking(undriven, settings(), "aa")
  assert.include(asked?._tag === "HandoffHuman" ? asked.prompt : "", "--allow repository-tests")
  assert.isNull(await lacking(state, settings(), "aa"))
  assert.isNotNull(await lacking(state, settings(), "bb"))
  assert.isNull(await lacking(undriven, settings({ allow: ["repository-tests"] }), "aa"))
  assert.isNull(await lacking(undriven, settings(), null))
})
