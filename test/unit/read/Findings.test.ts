// Findings: the findings of a batch, of a whole run, and one finding by name.
import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import { findings } from "../../../src/read/Findings.ts"
import {
  allFindings,
  allTable,
  findingPage,
  isFindingName,
  oneFinding,
  oneNamed,
  storiesJson
} from "../../../src/read/OneFinding.ts"
import { call as converging, world } from "../drive/converge/driven.ts"
import { call, inWorld, settings } from "../drive/plan/plans.ts"
import { runWithIssues } from "../../support/reviewedRuns.ts"
import { onMachine } from "../run/opened.ts"

describe("the findings of a batch", () => {
  it("come from the last batch, or from the one that was asked for", async () => {
    const [last, asked] = await onMachine(
      Effect.flatMap(
        runWithIssues,
        (run) => Effect.all([findings(run), findings(run, { batch: { level: "low", batch: 1 }, whole: true })])
      )
    )
    assert.strictEqual(last?.batch.level, "low")
    assert.isNotEmpty([...last?.findings ?? [], ...last?.batch.unlisted ?? []])
    assert.deepStrictEqual(asked?.findings, last?.findings)
  })

  it("come from the run that converged a plan's code; a plan run has no findings", async () => {
    const planned = (set = settings()) =>
      inWorld({}, Effect.flatMap(call(set), ({ run }) => Effect.result(findings(run))))
    const converged = await planned(settings({ then: "converge" }))
    assert.isTrue(Result.isSuccess(converged))
    const alone = await planned()
    assert.match(Result.isFailure(alone) ? alone.failure.message : "", /^run \S+ has no findings: the code of its plan/)
  })

  it("fail for a batch that was not started, and for a run without a log", async () => {
    const messages = await onMachine(
      Effect.flatMap(runWithIssues, (run) =>
        Effect.forEach(
          [
            findings(run, { batch: { level: "high", batch: 7 } }),
            findings({ ...run, runId: "none" })
          ],
          (one) => Effect.map(Effect.flip(one), ({ message }) => message)
        ))
    )
    const [unstarted = "", missing = ""] = messages
    assert.match(unstarted, /^run \S+ has not started high batch 7 yet$/)
    assert.match(missing, /missing/)
  })
})

describe("all findings of a run", () => {
  it("are listed with their state, including the ones that are gone", async () => {
    const text = await onMachine(Effect.gen(function*() {
      yield* world()
      const { run } = yield* converging()
      return allTable(yield* allFindings(run.ref))
    }))
    const [heading, row] = text.split("\n").map((line) => line.split(/ {2,}/))
    assert.deepStrictEqual(heading, ["NAME", "PRIO", "STATE", "SEEN", "PLACE", "FINDING"])
    assert.deepStrictEqual(row?.slice(1), [
      "P1",
      "gone, left open in round 1",
      "1",
      "src/main.ts:3-4",
      "Check the bound"
    ])
    assert.strictEqual(allTable([]), "no findings\n")
  })

  it("are shown in full, by number or by the start of the name", async () => {
    const { byName, byNumber, document, page } = await onMachine(Effect.gen(function*() {
      const run = yield* runWithIssues
      const byNumber = yield* oneFinding(run, "1")
      const byName = yield* oneFinding(run, byNumber.fingerprint.slice(0, 5))
      return { byNumber, byName, page: findingPage(byNumber), document: JSON.parse(storiesJson(run, [byNumber])) }
    }))
    assert.deepStrictEqual(byName, byNumber)
    assert.match(page, /^P1 {2}src\/main\.ts:3-4 {2}Check the bound\nopen; name [0-9a-f]{16}\n\n {2}\S/)
    assert.match(page, /\nlow batch 1: new, by 1 of 2 reviews\n$/)
    assert.deepInclude(document.all[0], { state: "Open", gone: null, answers: [], place: "src/main.ts:3-4" })
  })

  it("are refused by name if they do not exist", async () => {
    const messages = await onMachine(Effect.gen(function*() {
      const run = yield* runWithIssues
      return yield* Effect.forEach(
        ["9", "ffff0"],
        (name) => Effect.map(Effect.flip(oneFinding(run, name)), ({ message }) => message)
      )
    }))
    assert.deepStrictEqual(messages, [
      "there is no finding 9: low batch 1 has 1 [ooda-codex-review findings --all lists those of the run, by name]",
      "no finding is named ffff0 [ooda-codex-review findings --all lists them]"
    ])
  })
})

it("a name prefix that matches several findings is refused; a name that several findings share is accepted", async () => {
  const one = (...fingerprints: ReadonlyArray<string>) =>
    Effect.runPromise(
      Effect.match(oneNamed(fingerprints.map((fingerprint) => ({ fingerprint })), "aaaa", "findings --all"), {
        onFailure: ({ message }) => message,
        onSuccess: ({ fingerprint }) => fingerprint
      })
    )
  assert.strictEqual(await one("aaaa1", "bbbb1"), "aaaa1")
  assert.strictEqual(await one("aaaa1", "aaaa1"), "aaaa1")
  assert.strictEqual(await one("aaaa1", "aaaa2"), "aaaa is the beginning of 2 names: aaaa1, aaaa2")
})

it("a finding name is not mistaken for the start of a run id", () => {
  for (const name of ["1", "999", "a3", "3f2", "3f2a", "0123456789012345"]) assert.isTrue(isFindingName(name), name)
  for (const name of ["0", "2026", "20261127", "20261127T", "xyz"]) assert.isFalse(isFindingName(name), name)
})
