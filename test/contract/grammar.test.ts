// Every argv without a subcommand ends in one of: help, one Outcome, one UsageError with the usage block.
// Whatever the words, the exit code, the header and the two streams agree.
import fc from "fast-check"
import { existsSync } from "node:fs"
import { assert, describe } from "vitest"
import { usageBlock } from "./expect.ts"
import { type Ended, it, type World } from "./support.ts"

const OUTCOMES: ReadonlyMap<number, RegExp> = new Map([
  [0, /^DoneFixedPoint\n$/],
  [1, /^StuckRepeated: RunReviews:.+\n$/],
  [2, /^StuckCapReached: (RunReviews|AwaitReviews):.+\n$/],
  [3, /^HandoffHuman: TestsFailedTriage\n {2}prompt: .+\n( {4}.*\n)*$/],
  [4, /^WouldAdvance: (RunReviews|AwaitReviews)\n$/],
  [5, /^HandoffAgent: (AddressBatch|Retrospective)\n {2}prompt: .+\n( {4}.*\n)*$/],
  [6, /^BinaryError: .+\n$/],
  [7, /^Idle\n$/],
  [8, /^DoneAborted\n$/]
])
const flags = [
  "--uncommitted",
  "--base",
  "--commit",
  "--pr",
  "--level",
  "--ceiling",
  "-n",
  "--max-iter",
  "--criteria",
  "--fresh",
  "--mark-retro-clean",
  "--mark-retro-changes",
  "--mark-address-passed",
  "--mark-address-failed",
  "--advance-level",
  "--drop-level",
  "--restart-from-floor",
  "-h",
  "--help",
  "--inspect",
  "--json",
  "--strict-target",
  "--retries"
]
const values = ["main", "low", "high", "xhigh", "1", "2", "0", "", "-", "--", "a=b", "x\ny", "--base=main", "🙂"]
const sensible = fc.tuple(
  fc.constantFrom(["--uncommitted"], ["--base", "main"], ["--pr", "7"]),
  fc.constantFrom([], ["--level", "medium"], ["--ceiling=low"], ["-n", "1"]),
  fc.constantFrom([], ["--mark-retro-clean"], ["--mark-retro-changes", "--fresh"], ["--drop-level"]),
  fc.constantFrom([], [], ["--inspect"], ["--fresh"]),
  fc.constantFrom([], [], ["--help"], ["--nope"], ["--mark-address-failed", "-h"])
).map((parts) => parts.flat())
const noise = fc.array(fc.constantFrom(...flags, ...values), { maxLength: 6 })

const wellFormed = (world: World, argv: ReadonlyArray<string>, root: boolean, ended: Ended): void => {
  const said = `${JSON.stringify(argv)}: ${JSON.stringify(ended)}`
  if (ended.exit === 64) {
    assert.match(ended.stderr, /^UsageError: .+\n/, said)
    assert.strictEqual(ended.stdout, "", said)
    usageBlock(ended.stderr)
    assert.strictEqual(existsSync(world.stateRoot), root, said)
  } else if (ended.exit === 0 && ended.stderr === "") {
    assert.include(argv.join(" "), "-h", said)
    usageBlock(ended.stdout)
    assert.strictEqual(existsSync(world.stateRoot), root, said)
  } else {
    assert.match(ended.stderr, OUTCOMES.get(ended.exit ?? -1) ?? /^no such exit code$/, said)
    const line = ended.exit === 7 || ended.exit === 0 ? /^(.+\n)?$/ : /^$/
    if (!argv.includes("--json")) assert.match(ended.stdout, line, said)
  }
}

describe("the grammar", () => {
  it("gives every argv one well-formed end", async ({ world }) => {
    // Reviews that never take place keep each run short: a program that is no codex is not even started.
    const env = { PATH: world.pathWithout("codex") }
    await fc.assert(
      fc.asyncProperty(fc.oneof(sensible, noise), async (argv) => {
        const root = existsSync(world.stateRoot)
        wellFormed(world, argv, root, await world.stepFrom({ env }, ...argv))
      }),
      { numRuns: 30, seed: 20_251_120, endOnFailure: true }
    )
  })
})
