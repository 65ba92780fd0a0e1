// The findings of a whole run, and how one of them is named.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import {
  allFindings,
  allTable,
  findingPage,
  isFindingName,
  oneFinding,
  storiesJson
} from "../../../src/read/OneFinding.ts"
import { call as converging, world } from "../drive/converge/driven.ts"
import { make } from "../../../src/run/Invocation.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { step } from "../../../src/step/Step.ts"
import { Scripted, World } from "../../../src/testing.ts"
import { onMachine } from "../run/opened.ts"

/** A run whose first reviewer of two has found something. */
const reviewed = Effect.gen(function*() {
  yield* Ref.set((yield* World).script, ({ slot }) => slot === 1 ? Scripted.issues() : Scripted.clean())
  yield* step(make({ target: { _tag: "Uncommitted" }, batchSize: 2 }), "/repo", {})
  const store = yield* RunStore
  const [run] = yield* store.list(yield* store.open(null, "/repo"), null)
  return run ?? assert.fail("no run")
})

describe("the findings of a run", () => {
  it("are listed with what became of each, also those that are gone", async () => {
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

  it("are shown whole by their number, or by the beginning of their name", async () => {
    const { byName, byNumber, document, page } = await onMachine(Effect.gen(function*() {
      const run = yield* reviewed
      const byNumber = yield* oneFinding(run, "1")
      const byName = yield* oneFinding(run, byNumber.fingerprint.slice(0, 5))
      return { byNumber, byName, page: findingPage(byNumber), document: JSON.parse(storiesJson(run, [byNumber])) }
    }))
    assert.deepStrictEqual(byName, byNumber)
    assert.match(page, /^P1 {2}src\/main\.ts:3-4 {2}Check the bound\nopen; name [0-9a-f]{16}\n\n {2}\S/)
    assert.match(page, /\nlow batch 1: new, by 1 of 2 reviews\n$/)
    assert.deepInclude(document.all[0], { state: "open", gone: null, answers: [], place: "src/main.ts:3-4" })
  })

  it("that are not there are refused by name", async () => {
    const messages = await onMachine(Effect.gen(function*() {
      const run = yield* reviewed
      return yield* Effect.forEach(
        ["9", "ffff0"],
        (name) => Effect.map(Effect.flip(oneFinding(run, name)), ({ message }) => message)
      )
    }))
    assert.deepStrictEqual(messages, [
      "there is no finding 9: low batch 1 has 1",
      "no finding is named ffff0 [findings --all lists them]"
    ])
  })
})

it("a name of a finding is not the beginning of a run's id", () => {
  for (const name of ["1", "999", "3f2a", "0123456789012345"]) assert.isTrue(isFindingName(name), name)
  for (const name of ["0", "2026", "20261127", "20261127T", "xyz", "3f2"]) assert.isFalse(isFindingName(name), name)
})
