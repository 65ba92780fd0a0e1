// Attestation: an attestation from outside against the run that it names.
import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import { attest, statementText } from "../../../../src/read/attest/Attest.ts"
import { heldAgainst, readAttestation } from "../../../../src/read/attest/Verify.ts"
import { audit } from "../../../../src/read/audit/Audit.ts"
import { InFileFailed, InFiles } from "../../../../src/read/UserFiles.ts"
import { gitLayer } from "../../../../src/testing/memory/Code.ts"
import { opened } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"
import { forge, reviewedRun } from "../../../support/reviewedRuns.ts"

const tree = "7".repeat(40)
const git = gitLayer({ identity: () => Effect.succeed({ _tag: "Known", head: null, tree, base: null, nested: "" }) })

const read = (text: string) =>
  readAttestation("/repo", "a.json").pipe(Effect.provideService(InFiles, { read: () => Effect.succeed(text) }))

/** What is found of an attestation that somebody changed, in the words of the audit. */
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
  it("of the run as it is has nothing against it", async () => assert.deepEqual(await held((text) => text), []))

  it("is named by each field that does not follow", async () => {
    const forged = (text: string) =>
      text.replaceAll(tree, "8".repeat(40)).replace('"claim":"every-level"', '"claim":"all"')
    const found = await held(forged)
    assert.deepEqual(found.map((one) => one.slice(0, one.indexOf(" is "))), [
      "attestation 0: predicate.claim",
      "attestation 0: predicate.reviewed.tree",
      "attestation 0: subject[0].digest.gitTree"
    ])
  })

  it("of a run that has gone on since is refused with the reason", async () => {
    const [one = "", ...others] = await held((text) => text, true)
    assert.match(one, /^attestation 0: run \S+ is not attested: it has not reached a fixed point|its audit has/)
    assert.deepEqual(others, [])
  })

  it("is not told of without an end", async () => {
    const wide = Array.from({ length: 1000 }, (_, i) => `"k${i}":1`).join()
    const found = await held((text) => text.replace('"predicate":{', `"predicate":{${wide},`))
    assert.lengthOf(found, 51)
    assert.strictEqual(found.at(-1), "attestation 0: 950 more fields do not follow from the log")
  })
})

describe("a file", () => {
  const failure = <A, E extends { readonly _tag: string; readonly message: string }>(of: Effect.Effect<A, E>) =>
    Effect.runPromise(Effect.result(of)).then((done) =>
      Result.isFailure(done) ? [done.failure._tag, done.failure.message] : assert.fail("it was read")
    )

  it("that is no attestation is refused in one line", async () => {
    const [tag, message] = await failure(read("{"))
    assert.strictEqual(tag, "NoAttestation")
    assert.match(
      message ?? "",
      /^a\.json is no attestation: malformed JSON on line 1, .* \[have attest write it again\]$/
    )
  })

  it("that cannot be read fails as that", async () => {
    const failed = new InFileFailed({ path: "/a", reason: { _tag: "TooLarge", most: 1 } })
    const asked = readAttestation("/repo", "a").pipe(
      Effect.provideService(InFiles, { read: (...[, , most]) => (assert.isAbove(most, 1e6), Effect.fail(failed)) })
    )
    assert.deepEqual(await failure(asked), ["InFileFailed", failed.message])
  })
})
