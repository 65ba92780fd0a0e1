// Status: the status page of a run, what is open, the next command, and its document.
import { allFindings, allTable, findingPage } from "../../../src/read/OneFinding.ts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import { nextCommands } from "../../../src/read/Commands.ts"
import { type Naming, unnamed } from "../../../src/run/Naming.ts"
import { look } from "../../../src/read/Look.ts"
import { statusJson, statusOfView, statusPage, totals } from "../../../src/read/Status.ts"
import { BranchName } from "../../../src/run/Target.ts"
import { undo } from "../../../src/read/Undo.ts"
import { commit, read } from "../../../src/run/Run.ts"
import { agentStarted } from "../drive/converge/events.ts"
import { call as converging, settings as driven, world } from "../drive/converge/driven.ts"
import { answered, closed, concluded, driverStarted, roundStarted, tested, worked } from "../drive/converge/streams.ts"
import { cycleStarted } from "../drive/plan/histories.ts"
import { call as implementing, inWorld, settings } from "../drive/plan/plans.ts"
import { batchStarted, created, finished, opened, reviewed, runRef, started } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"
import { runWithIssues } from "../../support/reviewedRuns.ts"
import { type Logs, viewOf } from "../../support/views.ts"

/** The status of logs without anything else. */
const bareStatus = (logs: Logs) => ({
  view: viewOf(logs),
  read: null,
  changes: new Map(),
  findings: null,
  failed: null,
  aside: null,
  commands: [],
  naming: unnamed,
  ladder: null
})

const shown = (run: Parameters<typeof look>[0]) =>
  Effect.map(Effect.flatMap(look(run), (view) => statusOfView(view, unnamed)), (status) => ({
    page: statusPage(status),
    document: JSON.parse(statusJson(status))
  }))

describe("the status of a run", () => {
  it("that converged says what was done, and how to undo or prove it", async () => {
    const { document, page } = await onMachine(Effect.gen(function*() {
      yield* world()
      const { run } = yield* converging()
      return yield* shown(run.ref)
    }))
    assert.match(page, /^run \S+: uncommitted in \/repo, last event \d+s ago\n\n/)
    assert.match(page, /\nround 1 {2}codex left 1 finding open {2}1 file changed, \+1 -1 {2}\S+\n/)
    assert.match(
      page,
      /\ndone: reviewed clean from low to medium\n3 reviews, 1 file changed, \+1 -1, /
    )
    assert.match(page, /\ntake it back: {2}ooda-codex-review undo\nproof: {9}ooda-codex-review audit\npage: /)
    assert.notInclude(page, "open:")
    assert.deepInclude(document, { schema: 1, state: "Done", reason: "FixedPoint", open: [], plan: null })
    assert.deepStrictEqual(
      document.history.batches.map(({ level, verdict }: { level: string; verdict: string }) => [level, verdict]),
      [["low", "Issues"], ["low", "Clean"], ["medium", "Clean"]]
    )
    assert.deepInclude(document.history.rounds[0], { kind: "Address", findings: 1, tone: "Open" })
  })

  it("whose code an undo changed since is interrupted, not done", async () => {
    const { after, all, back, page, redone } = await onMachine(Effect.gen(function*() {
      yield* world()
      const { run } = yield* converging()
      yield* TestClock.adjust("1 second")
      const to = { _tag: "LastRound" } as const
      const where = { stateRoot: run.ref.root, cwd: "/repo" }
      const back = yield* undo({ _tag: "Newest" }, to, { force: false, partial: false }, where)
      const { page } = yield* shown(run.ref)
      const all = yield* allFindings(run.ref)
      yield* TestClock.adjust("1 second")
      yield* commit(yield* read(run.ref), [{ _tag: "StepAborted", signal: "SIGINT" }])
      const after = (yield* shown(run.ref)).page
      yield* TestClock.adjust("1 second")
      const forth = { _tag: "Snapshot", number: back.restored.saved?.number ?? 0 } as const
      yield* undo({ _tag: "Newest" }, forth, { force: false, partial: false }, where)
      return { all, back, page, after, redone: (yield* shown(run.ref)).page }
    }))
    assert.isNotNull(back.restored.saved)
    assert.match(page, /\ninterrupted: undo changed the code since; the same call continues from there\n/)
    assert.match(
      page,
      /\ncontinue: +ooda-codex-review converge --uncommitted .*\nundo more or less: +ooda-codex-review undo --list\n/
    )
    assert.notInclude(page, "audit")
    // The finding that was fixed is open again until the code is reviewed again.
    assert.match(page, /\nround 1 {2}codex left 1 finding open, taken back since {2}/)
    assert.match(page, /\n3 reviews, [\dms]+\nopen:\n {2}P1 {2}/)
    assert.match(allTable(all), /^NAME .*\n\S+ +P1 +open, \S.* in round 1, taken back {2}/)
    assert.match(findingPage(all[0] ?? assert.fail("no finding")), /\nopen; name [^]* in round 1, taken back: /)
    assert.match(after, /, taken back since/)
    // Undoing the undo brings the fix back.
    assert.notMatch(redone, /taken back since|\nopen:\n/)
    // What the run did after the undo is about the undone code.
    assert.notInclude(after, "undo changed the code")
  })

  it("whose tests fail names the test, the end of its output, and what is open", async () => {
    const { document, page } = await onMachine(Effect.gen(function*() {
      yield* world({ tests: (_, nth) => ({ exit: nth === 1 ? 0 : 1 }) })
      const { run } = yield* converging()
      return yield* shown(run.ref)
    }))
    assert.match(page, /\nneeds you: npm test still fails \(exit 1\)\n {2}log: \S+\n1 review, /)
    assert.match(page, /\nopen:\n {2}P\d {2}\S+ {2}/)
    assert.match(
      page,
      /\nfixed it yourself: {7}ooda-codex-review converge --uncommitted .*--test 'npm test'\nlet an agent try again: {2}.* --again\n/
    )
    assert.lengthOf(document.open, 1)
  })

  it("does not count changes of rounds with failing tests as fixes", () => {
    const totalsOf = (mark: "AddressPassed" | "AddressFailed") => {
      const work = [...worked(1, "round-1/address"), answered(1, 1), concluded(1, "b", mark), closed(1)]
      return totals(bareStatus({ driver: [driverStarted(), roundStarted(), ...work] }))
    }
    assert.include(totalsOf("AddressPassed"), ", 1 finding fixed, ")
    assert.notInclude(totalsOf("AddressFailed"), "fixed")
  })

  it("that is done does not show a test that was allowed to fail", async () => {
    const { document, page } = await onMachine(Effect.gen(function*() {
      yield* world({ flawed: [], tests: () => ({ exit: 1, output: "1 failed" }) })
      const { run } = yield* converging(driven({ allow: ["unsandboxed", "red-baseline"] }))
      return yield* shown(run.ref)
    }))
    assert.strictEqual(document.state, "Done")
    assert.notInclude(page, "  log: ")
  })

  it("counts a finding as open if the batch that did not report it lacks reviews", async () => {
    const { open } = await onMachine(Effect.gen(function*() {
      yield* world({ tests: (_, nth) => ({ exit: nth === 1 ? 0 : 1 }) })
      const { run } = yield* converging()
      const status = yield* Effect.flatMap(look(run.ref), (view) => statusOfView(view, unnamed))
      const all = status.findings?.findings.map((one) => ({ ...one, state: "unseen" as const })) ?? []
      const { findings } = status
      return JSON.parse(statusJson({ ...status, findings: findings === null ? null : { ...findings, findings: all } }))
    }))
    assert.lengthOf(open, 1)
  })

  it("of steps says what is open and how to answer", async () => {
    const { page } = await onMachine(Effect.flatMap(runWithIssues, shown))
    assert.match(page, /in \/repo, not strict, /)
    assert.match(page, /\nneeds you: 1 of 2 reviews at low found issues\n/)
    assert.match(page, /\nfixed it yourself: {2}ooda-codex-review --uncommitted -n 2 --mark-address-passed\n$/)
  })

  it("of a plan includes the story of the run that converged its code", async () => {
    const { document, page } = await inWorld(
      {},
      Effect.flatMap(implementing(settings({ then: "converge" })), ({ run }) => shown(run))
    )
    assert.match(page, /^run \S+: plan\.md in \/repo, /)
    assert.match(page, /\nround 1 {2}\S+: 2 tasks {2}.*\n(?:.*\n)* +task 1 done: Sum\n/)
    assert.match(page, /\n\nrun \S+: uncommitted in .*\n(?:.*\n)?low +1 review +clean/)
    assert.match(page, /\ndone: 2 tasks accepted, their code reviewed clean\n/)
    assert.strictEqual(document.converges.reason, "FixedPoint")
    assert.isNull(document.open)
  })

  it("with many batches shows only the end of the story", async () => {
    const review = Array.from({ length: 50 }, (_, i) => {
      const at = { level: "low", batch: i + 1 } as const
      return [
        ...(i === 0 ? [] : [opened("low", i + 1)]),
        batchStarted({ ...at, size: 1 }),
        started(at),
        finished("Clean", at)
      ]
    })
    const lines = statusPage(bareStatus({ review })).split("\n")
    assert.match(lines[2] ?? "", /^ +10 earlier parts are left out here: /)
    assert.lengthOf(lines.filter((line) => /^low +1 review +clean/.test(line)), 40)
  })

  it("without a log says so", async () => {
    const { page } = await onMachine(shown(runRef()))
    assert.match(page, /\nempty: no log\n$/)
  })
})

describe("the commands", () => {
  const commands = (logs: Logs, now: Parameters<typeof viewOf>[1] = {}, naming: Naming = unnamed) =>
    nextCommands(viewOf(logs, now), naming).map(({ command }) => command)
  const strict = created({
    strict: true,
    startLevel: "medium",
    target: { _tag: "Base", branch: BranchName.make("main") }
  })

  it("for a strict hand-off name the batch, the floor and the target", () => {
    const at = { level: "medium" } as const
    const issues = reviewed("HasIssues").map((event) => ({ ...event, ...at }))
    const [mark] = commands({ review: [[strict], issues] })
    assert.strictEqual(
      mark,
      "ooda-codex-review --base main --level medium -n 1 --strict --batch " +
        `medium/1@${runRef().runId} --mark-address-passed`
    )
  })

  it("for an interrupted run continue it", () => {
    assert.deepStrictEqual(commands({ review: [[created()], [batchStarted({ size: 3 }), started()]] }), [
      "ooda-codex-review --uncommitted"
    ])
    const driver = [driverStarted(), ...tested(1, 0, 0), roundStarted(), agentStarted({ kind: "claude" })]
    assert.deepStrictEqual(commands({ review: [[created()]], driver }), [
      "ooda-codex-review converge --uncommitted --test 'npm test' --agent claude"
    ])
    const plan = [cycleStarted()]
    assert.deepStrictEqual(commands({ plan: [{ _tag: "DriverStarted", driver: "d1", pid: 7 }, ...plan] }), [
      "ooda-codex-review implement /work/plan.md --no-test"
    ])
  })

  it("for an active run follow or stop it; they name the run and the state root if the caller did", () => {
    const running = { driven: true }
    assert.deepStrictEqual(commands({ driver: [driverStarted()] }, running), [
      "ooda-codex-review status --follow",
      "ooda-codex-review stop"
    ])
    assert.deepStrictEqual(
      commands({ driver: [driverStarted()] }, running, { ...unnamed, run: "r1", stateRoot: "/a b" }),
      [
        "ooda-codex-review status --follow --run r1 --state-root '/a b'",
        "ooda-codex-review stop --run r1 --state-root '/a b'"
      ]
    )
  })
})
