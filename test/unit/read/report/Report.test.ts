// Report: reports of runs on a machine in memory, with the files beside their logs.
import { CallPlace, type Place } from "../../../../src/run/Naming.ts"
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { SnapshotFailed, Snapshots } from "../../../../src/code/Snapshots.ts"
import type { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"
import { begun, convergeRun, evolveConverge } from "../../../../src/drive/converge/State.ts"
import { EventLog } from "../../../../src/log/EventLog.ts"
import { audit } from "../../../../src/read/audit/Audit.ts"
import { reviewRunReader } from "../../../../src/read/replay/Readers.ts"
import { changedByAgents, printedByTests, readEvents } from "../../../../src/read/report/Events.ts"
import { report } from "../../../../src/read/report/Report.ts"
import { Progress, silent } from "../../../../src/review/Progress.ts"
import { Dismissals, DismissalsFailed } from "../../../../src/review/findings/Dismissals.ts"
import type { Event } from "../../../../src/run/Event.ts"
import { World } from "../../../../src/testing.ts"
import { call as converging, world } from "../../drive/converge/driven.ts"
import { driving } from "../../drive/converge/events.ts"
import { tested } from "../../drive/converge/streams.ts"
import { call as implementing, inWorld } from "../../drive/plan/plans.ts"
import { digest, runRef } from "../../run/events.ts"
import { runWithIssues } from "../../../support/reviewedRuns.ts"
import { onMachine, openedStrict } from "../../run/opened.ts"

const facts = (data: Effect.Success<ReturnType<typeof report>>) =>
  Object.fromEntries(data.facts.map(({ name, value }) => [name, value]))

describe("the report of a run that converged", () => {
  const page = onMachine(Effect.gen(function*() {
    yield* world()
    const { run } = yield* converging()
    const at = (place: Place) => Effect.provideService(report(run.ref), CallPlace, place)
    return {
      run,
      data: yield* report(run.ref),
      audited: yield* audit(run.ref),
      named: yield* at({ stateRoot: "/s", store: null }),
      stored: yield* at({ stateRoot: null, store: "postgres://h/x" })
    }
  }))

  it("names the run in its commands, and the state root or the store that the caller named", async () => {
    const { data, named, run: { ref: { runId } }, stored } = await page
    assert.deepStrictEqual([data.audit.call, data.replay], [
      `ooda-codex-review audit ${runId}`,
      `ooda-codex-review replay ${runId}`
    ])
    assert.deepStrictEqual([named.audit.call, named.replay], [
      `ooda-codex-review audit ${runId} --state-root /s`,
      `ooda-codex-review replay ${runId} --state-root /s`
    ])
    assert.deepStrictEqual([stored.audit.call, stored.replay], [
      `ooda-codex-review audit ${runId} --store postgres://h/x`,
      `ooda-codex-review replay ${runId} --store postgres://h/x`
    ])
  })

  it("has the outcome and proof of the audit", async () => {
    const { audited, data } = await page
    assert.deepStrictEqual(data.verdict, { tone: "good", text: "done: reviewed clean from low to medium" })
    assert.strictEqual(data.proof?.statement.tone, audited.proof?.complete === true ? "good" : "bad")
    assert.deepStrictEqual(data.proof?.levels.map(({ level, tone }) => [level, tone]), [
      ["low", "good"],
      ["medium", "good"]
    ])
    assert.include(data.audit.checked, `${audited.lines} lines, ${audited.events} events`)
    assert.deepInclude(facts(data), { Batches: "3", Reviews: "3", Rounds: "2" })
    assert.match(data.made, /^Made at \d{4}-/)
  })

  it("has its path, its findings with their answers, its rounds and its logs", async () => {
    const { data: { findings, logs, path, tasks, turns } } = await page
    assert.deepStrictEqual(path?.batches.map(({ level, step, verdict }) => [level, step, verdict]), [
      ["low", "Began", "Issues"],
      ["low", "Stayed", "Clean"],
      ["medium", "Climbed", "Clean"]
    ])
    assert.deepStrictEqual(findings?.findings.map(({ state }) => state), ["gone"])
    assert.deepStrictEqual(findings?.findings[0]?.answers.map(({ round }) => round), [1])
    assert.deepStrictEqual(turns.map(({ id }) => id), ["round-0", "round-1", "round-2"])
    const [agent] = turns[1]?.work ?? []
    assert.deepStrictEqual([agent?.name, agent?.verdict.text, agent?.diff?.text.text], [
      "Agent 1",
      "done",
      "-code-1\n+code-2"
    ])
    assert.isTrue(agent?.from !== null && agent?.to !== null)
    assert.deepStrictEqual(logs.map(({ name }) => name), ["review", "converge"])
    assert.isNull(tasks)
  })
})

it("the headline of a run that its audit refutes does not say done", async () => {
  const data = await onMachine(Effect.gen(function*() {
    yield* world()
    const { run } = yield* converging()
    yield* Ref.update(
      (yield* World).reviewers,
      (all) => all.map((one) => ({ ...one, scripted: { ...one.scripted, out: `${one.scripted.out}.` } }))
    )
    return yield* report(run.ref)
  }))
  assert.deepStrictEqual(data.verdict, {
    tone: "bad",
    text: "NOT sound; it claims: done: reviewed clean from low to medium"
  })
  assert.deepStrictEqual([data.audit.verdict.tone, data.proof?.statement.tone], ["bad", "bad"])
})

describe("the report of a run of steps", () => {
  it("has open findings, and no proof", async () => {
    const data = await onMachine(Effect.flatMap(runWithIssues, (run) => report(run)))
    assert.deepStrictEqual(data.verdict, { tone: "open", text: "needs you: 1 of 2 reviews at low found issues" })
    assert.isNull(data.proof)
    assert.isNotEmpty(data.findings?.findings ?? [])
    assert.isTrue(data.findings?.findings.every(({ state }) => state === "open"))
    assert.isEmpty(data.turns)
    assert.deepStrictEqual(data.logs.map(({ name }) => name), ["review"])
  })
})

describe("the report of a plan run", () => {
  it("has its tasks and its rounds", async () => {
    const data = await inWorld({}, Effect.flatMap(implementing(), ({ run }) => report(run)))
    assert.strictEqual(data.verdict.tone, "good")
    assert.deepStrictEqual(data.tasks?.map(({ title, verdict }) => [title, verdict.text]), [
      ["Add", "done in round 1"],
      ["Sum", "done in round 1"]
    ])
    assert.deepStrictEqual([data.path, data.findings, data.proof], [null, null, null])
    assert.include(data.turns.map(({ id }) => id), "round-1")
    assert.deepInclude(facts(data), { Rounds: "1", Reviews: "1", Plan: "/repo/plan.md" })
    assert.strictEqual(data.title, "Work on plan.md")
    assert.deepStrictEqual(data.logs.map(({ name }) => name), ["plan"])
    const round = data.turns.find(({ id }) => id === "round-1")
    assert.deepStrictEqual(
      round?.work.filter(({ name }) => name.startsWith("Agent")).map(({ what }) => what),
      ["implement", "test", "review-0"]
    )
  })
})

it("says that the repository's dismissals cannot be read if they are gone", async () => {
  const failed = new DismissalsFailed({ reason: { _tag: "NoCommit", revision: "main" } })
  const { findings } = await onMachine(Effect.flatMap(
    openedStrict(),
    ({ ref }) =>
      Effect.gen(function*() {
        const dismissals = yield* Dismissals
        return yield* Effect.provideService(report(ref), Dismissals, { ...dismissals, read: () => Effect.fail(failed) })
      })
  ))
  assert.deepStrictEqual(findings?.notes, [`the repository's dismissals cannot be read: ${failed.message}`])
})

it("includes the driver's log, even before its first round", async () => {
  const { logs, turns } = await onMachine(Effect.gen(function*() {
    const { ref } = yield* openedStrict()
    yield* (yield* EventLog).create(convergeRun, ref, [driving])
    return yield* report(ref)
  }))
  assert.isEmpty(turns)
  assert.deepStrictEqual(logs.map(({ count, name }) => [name, count]), [["review", 1], ["converge", 1]])
})

describe("a report", () => {
  const fails = (run = runRef()) => onMachine(Effect.map(Effect.flip(report(run)), ({ _tag }) => _tag))

  it("fails for a run without a log", async () => {
    assert.strictEqual(await fails(), "LogMissing")
    assert.strictEqual(await fails({ ...runRef(), targetKey: "plan/p" }), "LogMissing")
  })

  it("exists for a run that has only just started", async () => {
    const data = await onMachine(Effect.flatMap(openedStrict(), ({ ref }) => report(ref)))
    assert.strictEqual(data.verdict.text, "empty: no review yet")
    assert.deepStrictEqual(data.path?.batches, [])
  })
})

it("a run that needs the user shows its failing tests", async () => {
  const data = await onMachine(Effect.gen(function*() {
    yield* world({ tests: (_, nth) => ({ exit: nth === 1 ? 0 : 1 }) })
    const { run } = yield* converging()
    return yield* report(run.ref)
  }))
  const round = data.turns.find(({ id }) => id === "round-1")
  assert.strictEqual(round?.verdict.tone, "bad")
  assert.include(round?.work.map(({ verdict }) => verdict.text) ?? [], "failed: exit 1")
})

const after = (...events: ReadonlyArray<ConvergeEvent>) =>
  events.reduce((state, event, i) => evolveConverge(state, event, i * 1000), begun)

describe("the output of tests", () => {
  const printed = (end: string, bytes: number) =>
    onMachine(Effect.provideService(
      printedByTests(
        runRef(),
        after(
          ...tested(1, 1, 1).map((event) =>
            event._tag === "TestFinished" ? { ...event, output: { ...digest, bytes } } : event
          )
        )
      ),
      Progress,
      { ...silent, printed: () => Effect.succeed({ end, at: 1 }) }
    ))

  it("is whole, or says where the rest is", async () => {
    assert.deepStrictEqual((await printed("1 failed\n", 9)).get(1), { text: "1 failed", rest: null })
    const cut = (await printed("half a word\n1 failed ü\n", 90_000)).get(1)
    assert.match(cut?.rest ?? "", /^the whole output is in .* \(90 kB\)$/)
    assert.strictEqual(cut?.text, "a word\n1 failed ü")
    assert.isNull((await printed("ü", 2)).get(1)?.rest)
  })

  it("is left out if nothing was printed", async () => assert.strictEqual((await printed("", 0)).size, 0))
})

describe("the diff of an agent", () => {
  const taken = (agent: number, snapshot: number): ConvergeEvent => ({
    _tag: "SnapshotTaken",
    agent,
    snapshot,
    commit: String(snapshot).repeat(40),
    leftOut: 0
  })

  const changed = (diff: Snapshots["Service"]["diff"], ...events: ReadonlyArray<ConvergeEvent>) =>
    onMachine(Effect.gen(function*() {
      const snapshots = yield* Snapshots
      return yield* Effect.provideService(changedByAgents(runRef(), after(...events)), Snapshots, {
        ...snapshots,
        diff
      })
    }))

  it("is the difference between the snapshots before and after it, if both exist", async () => {
    const asked: Array<unknown> = []
    const diffs = await changed(
      (_, between) => {
        asked.push(between)
        return Effect.succeed({ files: ["a"], text: "+a\n", whole: true })
      },
      taken(1, 1),
      taken(1, 2),
      taken(2, 3)
    )
    assert.deepStrictEqual(asked, [{ before: 1, after: 2 }])
    assert.deepStrictEqual(diffs.get(1), {
      title: "Snapshot 1 to 2",
      files: ["a"],
      text: { text: "+a", rest: null },
      problem: null
    })
    assert.isFalse(diffs.has(2))
  })

  it("names the command for the rest of a diff, and why there is no diff", async () => {
    const cut = await changed(() => Effect.succeed({ files: [], text: "+a", whole: false }), taken(1, 1), taken(1, 2))
    assert.match(
      cut.get(1)?.text.rest ?? "",
      /^`git --git-dir=.+\/code diff 111111111111 222222222222` shows all of it$/
    )
    const failed = new SnapshotFailed({ reason: { _tag: "CodeFailed", why: "no repository", fault: null } })
    const none = await changed(() => Effect.fail(failed), taken(1, 1), taken(1, 2))
    assert.strictEqual(none.get(1)?.problem, "no repository")
  })

  it("is read for the last agents only", async () => {
    const events = Array.from({ length: 70 }, (_, i) => [taken(i + 1, 2 * i + 1), taken(i + 1, 2 * i + 2)]).flat()
    const diffs = await changed(() => Effect.succeed({ files: [], text: "", whole: true }), ...events)
    const left = [...diffs.values()].filter(({ problem }) => problem?.startsWith("left out here") === true)
    assert.deepStrictEqual([diffs.size, left.length], [70, 10])
  })
})

const aborted: Event = { _tag: "StepAborted", signal: "SIGTERM" }
const read = (more: number) =>
  onMachine(Effect.flatMap(
    openedStrict(...Array.from({ length: more }, () => [aborted])),
    ({ ref }) => readEvents(reviewRunReader, ref)
  ))

describe("the events of a log", () => {
  it("are worded as in a replay", async () => {
    const { count, first, last, left } = await read(1)
    assert.deepStrictEqual([count, left, last], [2, 0, []])
    assert.match(first[0] ?? "", /^ +1 {2}\S+ {2}RunCreated/)
    assert.match(first[1] ?? "", /StepAborted +SIGTERM$/)
  })

  it("of a long log are its first and its last", async () => {
    const { count, first, last, left } = await read(3000)
    assert.deepStrictEqual([count, first.length, left, last.length], [3001, 200, 2001, 800])
    assert.match(first.at(-1) ?? "", /^ +200 /)
    assert.match(last[0] ?? "", /^ +2202 /)
    assert.match(last.at(-1) ?? "", /^ +3001 /)
  })

  it("hold no half of a secret when a line is cut", async () => {
    const secret = "ghp_1234567890abcdefghijABCDEFGHIJ123456"
    const details = { text: `${"x ".repeat(142)}${secret}` }
    const failed: Event = { _tag: "AddressFailed", level: "low", batch: 1, details }
    const { first } = await onMachine(Effect.flatMap(
      openedStrict([failed]),
      ({ ref }) => readEvents(reviewRunReader, ref)
    ))
    assert.match(first[1] ?? "", /AddressFailed/)
    assert.notInclude(first[1] ?? "", "ghp_")
  })
})
