// ReadStatement: attestations from outside: forged, cut, foreign, wide, deep, with keys that stand twice.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { differences, readStatement } from "../../../../src/read/attest/Verify.ts"
import { statementOf, statementText } from "../../../../src/read/attest/Attest.ts"
import { attested } from "./facts.ts"

const statement = statementOf(attested())
const text = statementText(statement)
const problem = (given: string) =>
  Result.match(readStatement(given), { onFailure: (why) => why, onSuccess: () => null })
const given = (change: (value: any) => void): unknown => {
  const value = JSON.parse(text)
  change(value)
  return value
}
const plain: unknown = JSON.parse(text)

describe("an attestation from outside", () => {
  it("is read whole, and names its run", () => {
    const read = Result.getOrThrow(readStatement(text))
    assert.strictEqual(read.run, statement.predicate.run)
    assert.deepEqual(read.value, plain)
  })

  const bad: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["nothing", "", /^malformed JSON on line 1/],
    ["one that is cut", text.slice(0, -20), /^malformed JSON on line 1/],
    ["two", text + text, /^malformed JSON on line 2/],
    ["a deep one", `${"[".repeat(200_000)}`, /nests too deep$/],
    ["a list", "[]", /^its _type is nothing, not /],
    ["a key twice", text.replace('"run":', '"run":"x","run":'), /^the key "run" occurs twice in one object$/],
    [
      "a key twice in a list",
      text.replace('"slot":', '"slot":9,"slot":'),
      /^the key "slot" occurs twice in one object$/
    ],
    [
      "an older Statement",
      text.replace("Statement/v1", "Statement/v0.1"),
      /^its _type is "https:.*v0.1", not "https:.*v1"$/
    ],
    ["another predicate", text.replace("point:v1", "point:v2"), /^its predicateType is "urn:.*:v2", not "urn:.*:v1"$/],
    ["no predicate", text.replace('"predicate":', '"predicat":'), /^it names no run$/],
    ["a run that is no text", text.replace(/"run":"[^"]*"/, '"run":7'), /^it names no run$/],
    ["a hidden type", `{"_type":"\u202ex"}`, /^its _type is "\\u202ex", not /]
  ]
  it.each(bad)("%s is refused in one line", (_, of, why) => {
    const said = problem(of) ?? assert.fail("it was read")
    assert.match(said, why)
    assert.match(said, /^[ -~]{1,300}$/)
  })
})

describe("differences", () => {
  it("are none where all is the same", () => assert.deepEqual(differences(plain, plain), []))

  const changes: ReadonlyArray<readonly [string, (value: any) => void, ReadonlyArray<string>]> = [
    ["a verdict", (v) => (v.predicate.levels[1].reviewers[0].verdict = "HasIssues"), [
      'predicate.levels[1].reviewers[0].verdict is "HasIssues"; the log gives "Clean"'
    ]],
    ["a field too many", (v) => (v.predicate.safe = true), ["predicate.safe is true; the log gives nothing"]],
    ["a field too few", (v) => delete v.predicate.log, [
      `predicate.log is nothing; the log gives {"hash":"${"4".repeat(64)}","seq":12}`
    ]],
    ["a list for an object", (v) => (v.predicate.audit = []), [
      'predicate.audit is []; the log gives {"complete":true,"sound":true}'
    ]],
    ["another subject", (v) => (v.subject[0].digest = { gitTree: "0" }), [
      `subject[0].digest.gitTree is "0"; the log gives "${"7".repeat(40)}"`
    ]],
    ["a level too many", (v) => v.predicate.levels.push(1), ["predicate.levels[2] is 1; the log gives nothing"]],
    ["a name that is everywhere", (v) => (v.predicate["toString"] = 1), [
      "predicate.toString is 1; the log gives nothing"
    ]]
  ]
  it.each(changes)(
    "name %s",
    (_, change, said) =>
      assert.deepEqual(differences(given(change), JSON.parse(text)).map((one) => one.slice(0, 200)), said)
  )

  it("name what is no object at all, and cut what is long", () => {
    assert.deepEqual(differences(7, {}), ["it is 7; the log gives {}"])
    const [long = ""] = differences({ a: "x".repeat(1e6) }, { a: 1 })
    assert.isBelow(long.length, 200)
  })

  it("of a very wide object take time with its width", () => {
    const wide = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, i]))
    assert.lengthOf(differences(wide, {}), 200_000)
  })
})
