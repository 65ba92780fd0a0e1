// Prose.twins: wordings that differ in little and mean the opposite.
// The one rule: a body goes in with the class a careful person gives it; a loosened rule brings its flawed twins along.
import { assert, describe, it } from "vitest"
import { classifyBody } from "../../../../../src/core/verdict/Verdict.ts"
import { descriptions } from "../corpus/descriptions.ts"
import { silences } from "../corpus/silences.ts"
import { twins } from "../corpus/twins.ts"

const denial = "I did not find any actionable issues."

const sets = [["twins", twins], ["silences", silences], ["descriptions", descriptions]] as const

describe.each(sets)("%s", (_, bodies) => {
  it.each(bodies)("%s: %s: %j", (_, verdict, body) => assert.strictEqual(classifyBody(body)._tag, verdict))
})

describe("a clean twin", () => {
  const cleanOnes = twins.filter(([, verdict]) => verdict === "Clean")
  it.each(cleanOnes)("%s: %s stays so beside a denial: %j", (_, verdict, body) => {
    assert.strictEqual(classifyBody(`${body} ${denial}`)._tag, verdict)
    assert.strictEqual(classifyBody(`${denial}\n\n${body}`)._tag, verdict)
  })
})
