// JsonAnswer: an answer is read only where it is one JSON object of the schema, and nothing in it is read over.
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { answerJsonSchema, answerReader } from "../../../src/agent/PlanReview.ts"

const Answer = Schema.Struct({ yes: Schema.Boolean, why: Schema.Array(Schema.Struct({ yes: Schema.String })) })
const read = answerReader(Answer)
const json = '{"yes": true, "why": []}'

describe("an answer in JSON", () => {
  it("has a schema that requires every property and allows no other", () =>
    assert.deepStrictEqual(answerJsonSchema(Answer), {
      type: "object",
      properties: {
        yes: { type: "boolean" },
        why: {
          type: "array",
          items: {
            type: "object",
            properties: { yes: { type: "string" } },
            required: ["yes"],
            additionalProperties: false
          }
        }
      },
      required: ["yes", "why"],
      additionalProperties: false
    }))

  it.each([json, `\ufeff ${json}\n`, `\`\`\`json\n${json}\n\`\`\``, `~~~\n${json}\n~~~`])(
    "is read from %j",
    (text) => assert.deepStrictEqual(read(text), { _tag: "Read", value: { yes: true, why: [] } })
  )

  it.each<[string, RegExp]>([
    ['{"yes": true}', /^why: /],
    ['{"yes": 1, "why": []}', /^yes: /],
    ['{"yes": true, "why": [], "no": 1}', /^no: /],
    ["[]", /./],
    ["null", /./],
    ['{"yes": true, "why": [], "yes": false}', /^yes appears twice$/],
    ['{"yes": true, "why": [], "wh\\u0079" : []}', /^why appears twice$/],
    ['{"yes": true, "why": [{"yes": "a", "yes": "b"}]}', /^yes appears twice$/]
  ])("of another form is wrong: %j", (text, problem) => {
    const answer = read(text)
    if (answer._tag !== "Wrong") return assert.fail(answer._tag)
    assert.match(answer.problems[0] ?? "", problem)
  })

  it("may name a key within its strings", () =>
    assert.deepInclude(read('{"yes": true, "why": [{"yes": "\\"yes\\": and \\"why\\":"}]}'), { _tag: "Read" }))

  it.each(["", "yes", `${json} so`, `So: ${json}`, json.slice(0, -1)])(
    "is not read from %j",
    (text) => assert.deepStrictEqual(read(text), { _tag: "Prose", text })
  )

  it("tells few and short problems", () => {
    const answer = read(JSON.stringify({ yes: "x".repeat(9000), ...Object.fromEntries([..."abcdefghi"].entries()) }))
    if (answer._tag !== "Wrong") return assert.fail(answer._tag)
    assert.isAtMost(answer.problems.length, 5)
    for (const problem of answer.problems) assert.isAtMost(problem.length, 300)
  })
})
