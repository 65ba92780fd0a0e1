// Sarif: a batch as a SARIF 2.1.0 log.
// The log is read from its text, like any consumer; the published schema must refuse changed logs.
import { assert, describe, it } from "vitest"
import type { FindingsReport } from "../../../../../src/review/findings/Report.ts"
import type { ReviewedBatch } from "../../../../../src/review/findings/ReviewedBatch.ts"
import { sarif } from "../../../../../src/review/findings/formats/Sarif.ts"
import { batchOf, failed, report, running, wrote } from "../../../../support/reviewedBatches.ts"
import { sarifProblems } from "../../../../support/sarifSchema.ts"

interface Result {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly level: string
  readonly message: { readonly text: string }
  readonly locations: ReadonlyArray<{
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string; readonly uriBaseId: string }
      readonly region?: { readonly startLine: number; readonly endLine: number }
    }
  }>
  readonly partialFingerprints?: Readonly<Record<string, string>>
  readonly baselineState: string
  readonly suppressions: ReadonlyArray<unknown>
}
interface Run {
  readonly tool: { readonly driver: { readonly rules: ReadonlyArray<{ readonly id: string }> } }
  readonly invocations: ReadonlyArray<{
    readonly executionSuccessful: boolean
    readonly toolExecutionNotifications: ReadonlyArray<
      { readonly level: string; readonly message: { readonly text: string } }
    >
  }>
  readonly originalUriBaseIds: Readonly<Record<string, unknown>>
  readonly results: ReadonlyArray<Result>
}

const runOf = (of: FindingsReport): Run => {
  const log: { readonly runs: readonly [Run] } = JSON.parse(sarif(of, "1.2.3"))
  assert.deepStrictEqual(sarifProblems(log), [])
  return log.runs[0]
}
const results = (...batches: ReadonlyArray<ReviewedBatch>) => runOf(report(...batches)).results
const uris = (path: string) =>
  results(batchOf(1, [wrote(1, { path })])).map(({ locations: [one] }) => one?.physicalLocation.artifactLocation.uri)

it("the log holds no secret", () => {
  const finding = wrote(1, { title: "Remove API_TOKEN=swordfish", body: "password: |\n  hunter2\n" })
  const unlisted = [{ slot: 2, reason: "x", body: "curl -u me:hunter2 h" }]
  const missing = [failed(3, "postgres://me:hunter2@h is away")]
  const text = sarif({ ...report(batchOf(1, [finding], { unlisted, missing })), target: "TOKEN=swordfish" }, "1.2.3")
  assert.notMatch(text, /hunter2|swordfish/)
  assert.include(text, "Remove API_TOKEN=[redacted]")
})

describe("a result", () => {
  it("has rule, level, place, message and a fingerprint", () => {
    const [one] = results(batchOf(1, [wrote(1)]))
    assert.deepInclude(one, {
      ruleId: "codex-review/P1",
      level: "error",
      message: { text: "Guard a null user\n\nIt breaks." },
      partialFingerprints: { "oodaFinding/v1": wrote(1).fingerprint },
      locations: [{
        physicalLocation: {
          artifactLocation: { uri: "src/a.ts", uriBaseId: "%SRCROOT%" },
          region: { startLine: 10, endLine: 12 }
        }
      }]
    })
  })

  it("uses a rule and a base that the run declares", () => {
    const run = runOf(report(batchOf(1, [wrote(1, { priority: null }), wrote(2, { priority: 3, path: "b.ts" })])))
    for (const { locations, ruleId, ruleIndex } of run.results) {
      assert.strictEqual(run.tool.driver.rules[ruleIndex]?.id, ruleId)
      for (const { physicalLocation: { artifactLocation } } of locations) {
        assert.property(run.originalUriBaseIds, artifactLocation.uriBaseId)
      }
    }
  })

  it("has the level of its finding", () =>
    assert.deepStrictEqual(results(batchOf(1, [wrote(1, { priority: 3 })])).map(({ level }) => level), ["note"]))

  it("has the same fingerprint when lines and words of the body change", () => {
    const [first] = results(batchOf(1, [wrote(1)]))
    const [second] = results(batchOf(1, [wrote(2, { lines: [70, 71], body: "Differently put." })]))
    assert.deepStrictEqual(first?.partialFingerprints, second?.partialFingerprints)
  })

  it("names files percent-encoded, relative to the root", () => {
    assert.deepStrictEqual(uris("src/a b/100%/ü#?.ts"), ["src/a%20b/100%25/%C3%BC%23%3F.ts"])
    assert.deepStrictEqual(uris("mailto:x.ts"), ["mailto%3Ax.ts"])
  })

  it("is somewhere in the repository if it names none of its files", () => {
    for (const path of ["../../etc/passwd", "/etc/passwd", "~/x.ts", "https://example.org/x.ts"]) {
      assert.deepStrictEqual(uris(path), ["."])
    }
    assert.notProperty(results(batchOf(1, [wrote(1, { path: null })]))[0]?.locations[0]?.physicalLocation, "region")
  })

  it("never leads upward, whatever its path", () => {
    for (const path of ["../x", "a/../../x", "./a", "a//b", ""]) {
      const batch = batchOf(1, [wrote(1)])
      const [{ locations: [one] } = { locations: [] }] = results({
        ...batch,
        findings: batch.findings.map((finding) => ({ ...finding, path }))
      })
      assert.strictEqual(one?.physicalLocation.artifactLocation.uri, ".", path)
    }
  })

  it("says what it is compared with earlier batches", () => {
    const gone = wrote(1, { title: "Close the socket", path: "c.ts" })
    const back = wrote(1, { title: "Avoid the loop", path: "b.ts" })
    const states = results(
      batchOf(1, [back]),
      batchOf(2, [wrote(1), gone]),
      batchOf(3, [wrote(1), back, wrote(2, { path: "d.ts" })])
    )
      .map(({ baselineState, locations: [one] }) => `${one?.physicalLocation.artifactLocation.uri}: ${baselineState}`)
    assert.deepStrictEqual(states.sort(), ["b.ts: new", "c.ts: absent", "d.ts: new", "src/a.ts: unchanged"])
  })

  it("is suppressed only when it is absent", () => {
    const all = results(batchOf(1, [wrote(1)]), batchOf(2, [wrote(2, { path: "b.ts" })]))
    assert.deepStrictEqual(all.map(({ baselineState, suppressions }) => [baselineState, suppressions.length]), [
      ["new", 0],
      ["absent", 1]
    ])
  })

  it("escapes braces and links in its text", () => {
    const [one] = results(batchOf(1, [wrote(1, { title: "Use {0} here", body: "See [this](http://x) and {a}." })]))
    assert.strictEqual(one?.message.text, "Use {{0}} here\n\nSee [this] (http://x) and {{a}}.")
  })

  it("is also made for a review without a list", () => {
    const [one] = results(
      batchOf(1, [], { unlisted: [{ slot: 2, reason: "asserts-defect", body: "The loop crashes." }] })
    )
    assert.deepInclude(one, { ruleId: "codex-review/unlisted", level: "warning", baselineState: "new" })
    assert.include(one?.message.text, "The loop crashes.")
  })

  it("is bounded, with a mark when it is cut", () => {
    const [one] = results(batchOf(1, [wrote(1, { body: "word ".repeat(400_000) })]))
    assert.isBelow(one?.message.text.length ?? 0, 9000)
    assert.match(one?.message.text ?? "", /\[cut\]$/)
  })
})

describe("the execution", () => {
  const executed = (of: FindingsReport) => runOf(of).invocations[0]

  it("was successful if every slot has a review", () =>
    assert.deepStrictEqual(executed(report(batchOf(1, []))), {
      executionSuccessful: true,
      toolExecutionNotifications: []
    }))

  it("was not successful if a slot failed or still runs; it says which and why", () => {
    const one = executed(report(batchOf(2, [], { missing: [failed(2, "Quota: {used}\u001b[31m up"), running(3)] })))
    assert.isFalse(one?.executionSuccessful)
    assert.deepStrictEqual(one?.toolExecutionNotifications.map(({ level, message }) => [level, message.text]), [
      ["error", "Slot 2 of low batch 2 has no review: Quota: {{used}}\\u001b[31m up"],
      ["warning", "Slot 3 of low batch 2 has no review: still running"]
    ])
  })

  it("counts as a success if something was found, because otherwise GitHub would show nothing", () => {
    const one = executed(report(batchOf(2, [wrote(1)], { missing: [failed(2, "used up")] })))
    assert.isTrue(one?.executionSuccessful)
    assert.lengthOf(one?.toolExecutionNotifications ?? [], 1)
  })
})

describe("the schema", () => {
  const change = (find: string, put: string): unknown =>
    JSON.parse(sarif(report(batchOf(1, [wrote(1)])), "1").replace(find, put))
  const planted: ReadonlyArray<readonly [string, string]> = [
    [`"version":"2.1.0"`, `"version":"2.0"`],
    [`"name":"ooda-codex-review"`, `"label":"x"`],
    [`"uri":"src/a.ts"`, `"uri":"src/a b.ts"`],
    [`"startLine":10`, `"startLine":0`],
    [`"baselineState":"new"`, `"baselineState":"gone"`],
    [`"partialFingerprints":{"oodaFinding/v1":`, `"partialFingerprints":{"a":1,"b":`]
  ]
  it.each(planted)("refuses %s changed to %s", (find, put) => assert.isNotEmpty(sarifProblems(change(find, put))))
})
