// ToldOnce: a finding of several levels is told at the first.
import { assert, it } from "vitest"
import { toldOnce } from "../../../../src/core/ci/ToldOnce.ts"
import { batchOf, report, wrote } from "../findings/reviewedBatches.ts"

const of = (...titles: ReadonlyArray<string>) =>
  report(batchOf(1, titles.map((title, i) => wrote(1, { title, lines: [i * 50 + 1, i * 50 + 1] }))))

it("tells each finding once, where it was found first", () => {
  const told = toldOnce([of("Guard a null user"), of("Guard a null user", "Close the socket"), of("Close the socket")])
  assert.deepStrictEqual(told.map(({ findings }) => findings.map(({ finding }) => finding.title)), [
    ["Guard a null user"],
    ["Close the socket"],
    []
  ])
})

it("leaves everything else of a report as it is", () => {
  const [first, second] = [of("A thing"), of("A thing")]
  const told = toldOnce([first, second])
  assert.strictEqual(told[1]?.batch, second.batch)
  assert.deepStrictEqual(told[0], first)
})
