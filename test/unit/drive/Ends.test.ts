// Ends: what prevents a call from starting, and why it asks the user.
import { assert, describe, it } from "vitest"
import type { Outcome } from "../../../src/run/Outcome.ts"
import { Effect, Layer } from "effect"
import { evolveAgents } from "../../../src/agent/State.ts"
import { type DrivenState, undriven } from "../../../src/drive/State.ts"
import type { ConvergeSettings } from "../../../src/drive/converge/Settings.ts"
import { Memory } from "../../../src/testing.ts"
import { settings } from "./converge/driven.ts"
import { onMachine } from "../run/opened.ts"
import { Commits } from "../../../src/drive/Commits.ts"
import type { RefusedBy } from "../../../src/drive/State.ts"
import {
  agentFailed,
  agentFailedEnd,
  blockedText,
  cannotCommit,
  commitRefused,
  consentEnd,
  gaveUp,
  gitChangedEnd,
  protectedEnd,
  type RedTests,
  testsFailed,
  withoutConsent
} from "../../../src/drive/Ends.ts"

const whyOf = (outcome: Outcome): string => outcome._tag === "HandoffHuman" ? outcome.prompt : ""

it("a user is asked for consent, and sees what an agent did to git or why it failed", () => {
  assert.strictEqual(whyOf(consentEnd("unsandboxed", "x needs a consent [--allow x]")), "x needs a consent [--allow x]")
  assert.include(whyOf(gitChangedEnd(["HEAD"])), "HEAD")
  const failed = agentFailedEnd({ ending: { _tag: "Login", message: "401" }, remedy: "codex login" })
  assert.strictEqual(whyOf(failed), 'the agent failed: "401" [codex login]')
})

const reviewed = { target: { _tag: "Uncommitted" }, worktree: "/repo" } as const
const base = { target: settings({}, { target: { _tag: "Base", branch: "main" } }).step.target }

/** A git whose last commit holds other files than the worktree, because somebody changed some. */
const git = (isChanged: boolean) =>
  Memory.git({
    identity: (_, __, branch) =>
      Effect.succeed({ ...Memory.identityOf("code-1", branch), headTree: isChanged ? "code-0" : "code-1" })
  })

it("changes of the user before the first call are not committed with the fixes", async () => {
  const dirty = (commitFixes: string | null, isFirst: boolean, isChanged: boolean) =>
    onMachine(cannotCommit(settings({ commitFixes }, base), reviewed, undriven, isFirst), { git: git(isChanged) })
  const changed = await dirty("Fix", true, true)
  assert.match(changed?._tag === "BinaryError" ? changed.message : "", /needs a clean working tree \[commit or stash/)
  assert.isNull(await dirty("Fix", false, true))
  assert.isNull(await dirty(null, true, true))
  assert.isNull(await dirty("Fix", true, false))
})

it("a call that commits needs an author before it spends anything", async () => {
  const commits = (problem: string | null) =>
    Layer.mock(Commits)({
      authorProblem: () => Effect.succeed(problem),
      left: () => Effect.succeed(null),
      programs: () => Effect.succeed([])
    })
  const refused = (commitFixes: string | null, problem: string | null) =>
    onMachine(cannotCommit(settings({ commitFixes }, base), reviewed, undriven, true), { commits: commits(problem) })
  const ended = await refused("Fix", "it knows no author")
  assert.include(ended?._tag === "BinaryError" ? ended.message : "", "--commit-fixes cannot commit: it knows no author")
  assert.isNull(await refused(null, "it knows no author"))
})

it("a later call does not commit on another branch than the first call", async () => {
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

const red = (fields: Partial<RedTests> = {}) =>
  testsFailed({ round: 1, command: "npm test", exit: 1, changed: false, restored: false, ...fields })

describe("a reason for the user", () => {
  it("names the failing test, how it failed, and whether the code was restored", () => {
    assert.strictEqual(red(), "npm test still fails (exit 1)")
    assert.strictEqual(red({ exit: null }), "npm test still runs out of time")
    assert.strictEqual(red({ exit: 127 }), "npm test still fails: command not found")
    assert.strictEqual(red({ changed: true, exit: 0 }), "npm test still changes the code that it tests")
    assert.match(red({ restored: true }), /; the working tree was put back to where the round began$/)
    assert.match(
      red({ round: 0 }),
      /^npm test fails \(exit 1\) before any agent has changed anything \[--allow red-baseline /
    )
  })

  it("says what refused a commit, and what to do where only a person can", () => {
    const refused = (refusedBy: RefusedBy, output: string) => commitRefused({ refusedBy, output, restored: false })
    const text = "the tests pass, but git refused to commit: "
    assert.strictEqual(refused("git", "hook:\n\nno"), `${text}"hook: no"`)
    assert.strictEqual(refused("pre-commit", "no tabs"), `${text}the hook pre-commit failed: "no tabs"`)
    assert.strictEqual(refused("pre-commit", ""), `${text}the hook pre-commit failed`)
    assert.match(refused("signature", "error: gpg failed"), /: it could not sign \[.*\]: "error: gpg failed"$/)
    assert.match(
      refused("commit-msg", "type may not be empty"),
      /commit-msg refused the message \[--commit-fixes=TEMPLATE/
    )
  })

  it("says why a task is blocked", () => {
    assert.strictEqual(blockedText([]), "work is left")
    assert.strictEqual(
      blockedText(["status is missing"], "role: worker\ntask_id: round-1/address\nissues: none\n\nThe cache."),
      'an agent\'s answer cannot be used: "status is missing"; it says: "The cache."'
    )
    assert.match(
      whyOf(protectedEnd(["a", "b", "c", "d", "e", "f"])),
      /: a, b, c, d, e and 1 more \[/
    )
  })

  it("says how an agent failed, or what it reported", () => {
    assert.strictEqual(agentFailed(" ", null, null), "the agent failed")
    assert.strictEqual(
      agentFailed("the agent gave no answer", "the agent gave no answer; read the transcript", null),
      'the agent failed: "the agent gave no answer" [read the transcript]'
    )
    const report = { summary: "No network.", requirements: "", problems: "The proxy.", solutions: "" }
    assert.strictEqual(
      agentFailed(" ", null, report),
      'the agent cannot do its task: "No network."; in the way: "The proxy."'
    )
  })

  it("says which parts of git's state changed, and why a call gave up", () => {
    assert.match(whyOf(gitChangedEnd(["refs", "hooks"])), /: refs, hooks \[look .*git reflog/)
    const cap = (key: string) => gaveUp({ _tag: "StuckCapReached", action: "AddressBatch", key }, { patience: 6 })
    assert.strictEqual(cap("patience"), "6 rounds without fewer findings (--patience)")
    assert.strictEqual(cap("max-tokens"), "the limit of tokens is reached (--max-tokens)")
    assert.match(gaveUp({ _tag: "StuckRepeated", action: "AddressBatch", key: "ab" }, { patience: 6 }), /in a circle/)
  })

  it("says what to do if the same reviews would run again", () => {
    const repeated = { _tag: "StuckRepeated", action: "RunReviews", key: "low/target-changed" } as const
    const advice = "the code changed under review again and again: leave it unchanged while reviews run"
    assert.strictEqual(gaveUp({ ...repeated, advice }, { patience: 6 }), advice)
    assert.strictEqual(
      gaveUp({ ...repeated, key: "low/batch-1/failed-slots" }, { patience: 6 }),
      "the same reviews would run again, with nothing changed since (low/batch-1/failed-slots)"
    )
    const most = { _tag: "StuckCapReached", action: "RunReviews", key: "low/batch-2/not-started/max-batches" } as const
    assert.strictEqual(gaveUp(most, { patience: 6 }), "the limit of batches is reached (--max-batches)")
  })
})
