// Event: facts and lines of them, each of which a log can hold.
import * as fc from "fast-check"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { Event } from "../../../../src/run/Event.ts"
import { runIdPattern } from "../../../../src/log/Refs.ts"
import { anyCommits, event, events, lineOfEvents, runId } from "../../../../src/testing/arbitraries/Event.ts"
import { digest } from "../../../../src/testing/arbitraries/Fact.ts"
import { drawn, least, tagsOf } from "./drawn.ts"

describe("a fact", () => {
  const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Event))

  it.each(Object.entries(events))("%s comes back from a log as it was written", (_, one) => {
    const arbitrary: fc.Arbitrary<Event> = one()
    for (const fact of drawn(arbitrary, 50)) assert.deepStrictEqual(decode(JSON.stringify(fact)), fact)
  })

  it("is any that there is, and shrinks towards the creation of a run", () => {
    assert.sameMembers(tagsOf(drawn(event)), Object.keys(Event.cases))
    assert.strictEqual(least(event)._tag, "RunCreated")
  })

  it("collides with others: levels, batches, slots and attempts are few", () => {
    const places = drawn(events.ReviewStarted()).map(({ attempt, batch, slot }) => `${batch}.${slot}.${attempt}`)
    assert.isAtMost(new Set(places).size, 27)
  })

  it("of a finished review has a kept file, or none, or the one that is asked for", () => {
    const kept = drawn(events.ReviewFinished()).map((one) => "review" in one)
    assert.sameMembers([...new Set(kept)], [true, false])
    const review = digest({ bytes: fc.constant(3) })
    for (const one of drawn(events.ReviewFinished({ review }), 50)) assert.strictEqual(one.review?.bytes, 3)
  })
})

describe("the end of a review", () => {
  it("tells its tokens, or not", () => {
    for (const one of [events.ReviewFinished(), events.ReviewFailed()]) {
      const arbitrary: fc.Arbitrary<Event> = one
      assert.sameMembers([...new Set(drawn(arbitrary).map((fact) => "usage" in fact))], [true, false])
    }
  })
})

describe("a run's id", () => {
  it("is one that names a run", () => {
    for (const id of drawn(runId)) assert.match(id, runIdPattern)
  })
})

describe("lines", () => {
  it("hold one to four facts and are numbered without a gap", () => {
    for (const { length } of drawn(lineOfEvents)) assert.isTrue(length >= 1 && length <= 4)
    for (const commits of drawn(anyCommits)) {
      assert.deepStrictEqual(commits.map(({ seq }) => seq), commits.map((_, i) => i + 1))
    }
    assert.deepStrictEqual(least(anyCommits), [])
  })
})
