// Verify: attestations from outside against the run that they name: forged, cut, foreign, wide, deep, with duplicate keys.
import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import { InFiles } from "../../../../src/read/UserFiles.ts"
import { attest, statementOf, statementText } from "../../../../src/read/attest/Attest.ts"
import { differences, heldAgainst, readAttestation, readStatement } from "../../../../src/read/attest/Verify.ts"
import { audit } from "../../../../src/read/audit/Audit.ts"
import { gitLayer } from "../../../../src/testing/memory/Code.ts"
import { attested } from "../../../support/attestations.ts"
import { forge, reviewedRun } from "../../../support/reviewedRuns.ts"
import { opened } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"

const tree = "7".repeat(40)
const git = gitLayer({ identity: () => Effect.succeed({ _tag: "Known", head: null, tree, base: null, nested: "" }) })

const read = (text: string) =>
  readAttestation("/repo", "a.json").pipe(Effect.provideService(InFiles, { read: () => Effect.succeed(text) }))

/** What an audit finds in an attestation that was changed. */
const held = (change: (text: string) => string, grown = false) =>
  onMachine(
    Effect.gen(function*() {
      const run = yield* reviewedRun()
      const given = yield* read(change(statementText(yield* attest(run))))
      if (grown) yield* forge(run, opened("low", 2))
      const found = yield* heldAgainst(run, yield* audit(run), given)
      return found.map(({ finding: { kind, line, text } }) => `${kind} ${line}: ${text}`)
    }),
    { git }
  )

describe("an attestation", () => {
  it("of the unchanged run passes", async () => assert.deepEqual(await held((text) => text), []))

  it("is refused with each field that differs", async () => {
    const forged = (text: string) =>
      text.replaceAll(tree, "8".repeat(40)).replace('"claim":"every-level"', '"claim":"all"')
    const found = await held(forged)
    assert.deepEqual(found.map((one) => one.slice(0, one.indexOf(" is "))), [
      "attestation 0: predicate.claim",
      "attestation 0: predicate.reviewed.tree",
      "attestation 0: subject[0].digest.gitTree"
    ])
  })

  it("of a run that continued since is refused with the reason", async () => {
    const [one = "", ...others] = await held((text) => text, true)
    assert.match(one, /^attestation 0: run \S+ is not attested: it has not reached a fixed point|its audit has/)
    assert.deepEqual(others, [])
  })
})

const statement = statementOf(attested())
const text = statementText(statement)
const problem = (given: string) =>
  Result.match(readStatement(given), { onFailure: (why) => why, onSuccess: () => null })
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
  it("are empty for equal values", () => assert.deepEqual(differences(plain, plain), []))

  it("include a list in place of an object, and inherited property names", () => {
    const { predicate, ...rest } = JSON.parse(text)
    const forged = { ...rest, predicate: { ...predicate, audit: [], toString: 1 } }
    assert.deepEqual(differences(forged, plain), [
      'predicate.audit is []; the log gives {"complete":true,"sound":true}',
      "predicate.toString is 1; the log gives nothing"
    ])
  })

  it("of a very wide object take linear time", () => {
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]))
    assert.lengthOf(differences(wide, {}), 50_000)
  })
})
