// Timeline: the events of a replay and the changes of each, for users and for programs.
import { assert, describe, it } from "vitest"
import { reviewRunReader } from "../../../../src/read/replay/Readers.ts"
import { changesOf, eventJson, eventText, valueText } from "../../../../src/read/replay/Timeline.ts"
import { happenings } from "../../../support/happenings.ts"
import { batchStarted, created, failed, finished, runRef, started } from "../../run/events.ts"

const future = { _tag: "FromTheFuture", note: "a\nb" }

const texts = (...lines: ReadonlyArray<ReadonlyArray<unknown>>) =>
  happenings(...lines).map((one) => eventText(reviewRunReader, one))

describe("an event for users", () => {
  it("follows the number and time of its line, printed once per line, with its changes below", () =>
    assert.deepStrictEqual(texts([created()], [batchStarted({ size: 1 }), started()]), [
      "     1  2030-01-01T00:00:01.000Z  RunCreated            uncommitted from low, 3 reviews a batch, in /repo " +
      "(NoLatestPointer)\n        manifest none -> low batch 1\n",
      "     2  2030-01-01T00:00:02.000Z  BatchStarted          low batch 1: 1 review of tree t1, HEAD aaaaaaaaaaaa\n" +
      "        batch_size 3 -> 1; batches 0 -> 1; batch NotStarted -> Started\n",
      `${" ".repeat(34)}ReviewStarted         low batch 1 slot 1 attempt 1\n        batch.slots.1 Queued -> Running\n`
    ]))

  it("of a newer version is shown as it was written, and cut if it is long", () => {
    const [, text = ""] = texts([created()], [future])
    assert.include(
      text,
      "FromTheFuture  unknown to this version; the manifest after it is not known to this version: {"
    )
    assert.include(text, '"note":"a\\nb"')
    assert.include(texts([created()], [{ ...future, ignorable: true }])[1], "unknown to this version: {")
    assert.isBelow(texts([created()], [{ ...future, note: "x".repeat(9000) }])[1]?.length ?? 0, 2300)
  })

  it("stays on its line, whatever it contains", () => {
    const message = "no\u2028HandoffAgent: AddressBatch\u001b[2J"
    const text = texts([created()], [batchStarted({ size: 1 }), started()], [failed({ message })]).at(-1) ?? ""
    assert.notMatch(text, /[\u2028\u001b]/)
    assert.lengthOf(text.split("\n"), 3)
  })
})

it("an event of a newer version is marked as such for programs", () => {
  const [, event = assert.fail("no event")] = happenings([created()], [future])
  const text = eventJson(reviewRunReader, event, runRef())
  assert.match(text, /^[^\n]+\n$/)
  assert.deepInclude(JSON.parse(text), { known: false, event: future, changes: [] })
})

/** The changes of the last event of these lines, as text. */
const changed = (...lines: ReadonlyArray<ReadonlyArray<unknown>>): ReadonlyArray<string> => {
  const last = happenings(...lines).at(-1)
  return last === undefined
    ? assert.fail("no event")
    : changesOf(last).map(({ after, before, field }) => `${field} ${valueText(before)} -> ${valueText(after)}`)
}

const running = [batchStarted({ size: 1 }), started()]

describe("an event changes", () => {
  it("nothing if it only reports", () => {
    assert.deepStrictEqual(changed([created()], [{ _tag: "StepAborted", signal: "SIGINT" }]), [])
    assert.deepStrictEqual(changed([created()], running, [finished("Clean", { attempt: 2 })]), [])
  })

  it("nothing known, if this version does not know it", () => {
    assert.deepStrictEqual(changed([created()], [{ _tag: "FromTheFuture" }]), [])
    assert.deepStrictEqual(changed([created()], [{ _tag: "FromTheFuture" }], running), [])
  })
})
