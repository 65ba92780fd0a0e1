// `-h`, `--help`: usage on standard output, exit 0, standard error empty; it wins over every other validation.
// A value is a value: `--help` is an option only where an option is expected.
import { existsSync } from "node:fs"
import { assert, describe } from "vitest"
import { handoff, help, idle, usageBlock } from "./expect.ts"
import { it } from "./support.ts"

describe.concurrent("--help", () => {
  it("prints usage that names every flag to stdout, leaves stderr empty and exits 0", async ({ world }) => {
    const ended = await world.step("--help")
    help(ended)
    usageBlock(ended.stdout)
  })

  it("is the same as -h", async ({ world }) => {
    const [long, short] = [await world.step("--help"), await world.step("-h")]
    assert.deepEqual(short, long)
  })

  it("wins over every other validation, wherever it is, and writes nothing", async ({ world }) => {
    const argvs = [
      ["--uncommitted", "--help"],
      ["--uncommitted", "--base", "main", "-h"],
      ["-h", "--no-such-flag"],
      ["--no-such-flag", "-h"],
      ["stray", "--help"],
      ["--level", "bogus", "--help"],
      ["--level", "high", "--ceiling", "low", "-h"],
      ["-n", "0", "-h"],
      ["--criteria", "x", "--help"],
      ["--fresh", "--mark-retro-clean", "--help"],
      ["--mark-retro-clean", "--advance-level", "--help"],
      ["--help", "--base"]
    ]
    const plain = await world.step("--help")
    const all = await Promise.all(argvs.map((argv) => world.step(...argv)))
    for (const [i, ended] of all.entries()) assert.deepEqual(ended, plain, argvs[i]?.join(" "))
    assert.isFalse(existsSync(world.stateRoot))
  })

  it("needs no git repository", async ({ world }) => {
    help(await world.stepFrom({ cwd: world.dir }, "--help"))
  })

  it("is a value after a value flag: REASON", async ({ world }) => {
    const line = 'retrospective surfaced changes at low ("-h"); restarted from floor: low -> low'
    idle(await world.step("--uncommitted", "--mark-retro-changes", "-h"), line)
  })

  it("is a value after a value flag: DETAILS", async ({ world }) => {
    const prompt = handoff(await world.step("--uncommitted", "--mark-address-failed", "--help"), 3, "TestsFailedTriage")
    assert.match(prompt.first, / Details: --help$/)
  })

  it("prints no JSON with --json", async ({ world }) => {
    assert.deepEqual(await world.step("--json", "--help"), await world.step("--help"))
  })
})
