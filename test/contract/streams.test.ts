// Stream ordering: the resolution line on stdout first, then the Outcome header on stderr, then the exit.
// With both streams on one descriptor the order is the program's own, and fixed.
import { assert, describe } from "vitest"
import { events } from "./log.ts"
import { clean } from "./plans.ts"
import { it } from "./support.ts"

const none = "0 review(s) with issues"
const restarted = "restarted from floor: low -> low"
const together = { through: 'exec "$@" 2>&1' }

describe.concurrent("both streams on one descriptor", () => {
  for (
    const [flag, line, header] of [
      ["--advance-level", "advanced level: low -> medium", "Idle"],
      ["--drop-level", "at floor (low); no drop", "Idle"],
      ["--restart-from-floor", restarted, "Idle"],
      ["--mark-retro-clean", "retrospective clean at ceiling (low); fixed point reached", "DoneFixedPoint"],
      ["--mark-retro-changes=x", `retrospective surfaced changes at low ("x"); ${restarted}`, "Idle"],
      ["--mark-address-passed", `address passed at floor low (${none}); no drop; advanced to batch 2`, "Idle"]
    ] as const
  ) {
    it(`${flag}: the resolution line, then the header`, async ({ world }) => {
      const ended = await world.stepFrom(together, "--uncommitted", "--ceiling", "low", flag)
      assert.strictEqual(ended.stdout, `${line}\n${header}\n`)
    })
  }

  it("a loop step: the header alone", async ({ world }) => {
    world.plan("default", clean)
    const ended = await world.stepFrom(together, "--uncommitted", "--ceiling", "low")
    assert.deepEqual([ended.exit, ended.stdout], [0, "DoneFixedPoint\n"])
  })
})

describe.concurrent("a caller that does not listen", () => {
  for (const [name, through] of [["closed", 'exec "$@" >&-'], ["full", 'exec "$@" > /dev/full']] as const) {
    it(`stdout ${name}: the mark is set once; header and exit code are unchanged`, async ({ world }) => {
      const ended = await world.stepFrom({ through }, "--uncommitted", "--advance-level")
      assert.deepEqual([ended.exit, ended.stderr], [7, "Idle\n"])
      assert.deepEqual(events(world, "BatchOpened").map(({ level }) => level), ["medium"])
    })
  }

  it("and has asked for a document: that is lost, and said below the header", async ({ world }) => {
    const full = { through: 'exec "$@" > /dev/full' }
    const lost = "ooda-codex-review: standard output cannot be written (ENOSPC)\n"
    const step = await world.stepFrom(full, "--uncommitted", "--advance-level", "--json")
    assert.deepEqual([step.exit, step.stderr], [6, `Idle\n${lost}`])
    assert.deepEqual(events(world, "BatchOpened").map(({ level }) => level), ["medium"])
    const env = { OODA_STATE_ROOT: world.stateRoot }
    const inspect = ["converge", "--uncommitted", "--no-test", "--inspect", "--json"]
    const converge = await world.stepFrom({ ...full, stateRoot: null, env }, ...inspect)
    assert.deepEqual([converge.exit, converge.stderr.endsWith(lost)], [6, true], converge.stderr)
    for (const name of ["runs", "status", "audit"]) {
      const ended = await world.stepFrom({ ...full, stateRoot: null, env }, name, "--json")
      assert.deepEqual(ended.exit, 6, name)
    }
  })
})
