// --json: one JSON document on stdout when the Outcome is known; stderr and $? unchanged. With --expect-head.
// Without --json nothing of this is ever on stdout.
import { existsSync } from "node:fs"
import { assert, describe } from "vitest"
import { binaryError, handoff, idle, outcome } from "./expect.ts"
import { batchDir, latest, lines, logText } from "./log.ts"
import { blocked, clean, issues, TITLE } from "./plans.ts"
import { type Ended, it, type World } from "./support.ts"

type Json = Readonly<Record<string, unknown>>
/** The one document on standard output; what is left is the same invocation without it. */
const document = (ended: Ended): readonly [Json, Ended] => {
  const parsed: Json = JSON.parse(ended.stdout)
  assert.isObject(parsed)
  return [parsed, { ...ended, stdout: "" }]
}
const head = (world: World): { readonly seq: number; readonly hash: string } => {
  const { hash = "", seq = 0 } = lines(world).at(-1) ?? {}
  return { seq, hash }
}
const text = (json: unknown): string => JSON.stringify(json)
/** Every value of the document, at any depth: the contract names what is in it, not where. */
const values = (json: unknown): ReadonlyArray<unknown> =>
  typeof json === "object" && json !== null ? [json, ...Object.values(json).flatMap(values)] : [json]
/** The values any object of the document holds under a name. */
const named = (json: unknown, name: string): ReadonlyArray<unknown> =>
  values(json).flatMap((value) => Object.entries(value ?? {}).filter(([key]) => key === name).map(([, held]) => held))

describe.concurrent("--json", () => {
  it("a handoff: outcome, exit code, action, prompt, run, level, batch, reviews, paths, head", async ({ world }) => {
    world.plan("default", issues)
    world.plan("call-1", clean)
    const [json, rest] = document(await world.step("--uncommitted", "--json"))
    const prompt = handoff(rest, 5, "AddressBatch")
    for (const value of ["HandoffAgent", 5, "AddressBatch", latest(world), "low", batchDir(world, "low", 1)]) {
      assert.include(values(json), value, text(json))
    }
    assert.include(text(json), text(prompt.first).slice(1, -1))
    assert.deepEqual(named(json, "batch"), [1])
    assert.deepEqual(named(json, "head"), [head(world)])
    assert.deepEqual(named(json, "verdict").toSorted(), ["Clean", "HasIssues", "HasIssues"])
  })

  it(
    "what several reviewers found is one finding, with the slots that found it",
    { tags: "slow" },
    async ({ world }) => {
      world.plan("default", issues)
      const [json] = document(await world.step("--uncommitted", "--json", "-n", "2"))
      const title = TITLE.replace("[P1] ", "")
      const all = named(json, "findings").filter(Array.isArray).flat()
      const found = all.filter((finding) => text(finding).includes(title))
      assert.lengthOf(found, 1)
      assert.deepEqual(named(found, "detectedBy"), [[1, 2]])
    }
  )

  it("a mark: the resolution line moves into the document", async ({ world }) => {
    const [json, rest] = document(await world.step("--uncommitted", "--json", "--advance-level"))
    outcome(rest, 7, "Idle")
    assert.include(Object.values(json), "advanced level: low -> medium")
    assert.include(Object.values(json), "Idle")
    assert.deepEqual(named(json, "head"), [head(world)])
  })

  it("a fixed point, an escalation, an aborted and a failed step", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    const argv = ["--uncommitted", "--json", "-n", "1", "--ceiling", "low"]
    const [done, rest] = document(await world.step(...argv))
    outcome(rest, 0, "DoneFixedPoint")
    assert.include(Object.values(done), "DoneFixedPoint")
    const [human, human2] = document(await world.step("--uncommitted", "--json", "--mark-address-failed", "de\ntails"))
    handoff(human2, 3, "TestsFailedTriage")
    assert.include(Object.values(human), "HandoffHuman")
    const [error, error2] = document(await world.stepFrom({ cwd: world.dir }, ...argv))
    binaryError(error2)
    assert.include(Object.values(error), "BinaryError")
    world.plan("default", blocked(clean))
    const step = world.start({}, ...argv, "--fresh", "--step-timeout", "500ms")
    const [idled, idled2] = document(await step.ended)
    outcome(idled2, 7, "Idle")
    assert.include(Object.values(idled), 7)
  })

  it("UsageError prints no JSON", async ({ world }) => {
    const ended = await world.step("--uncommitted", "--json", "--level", "bogus")
    assert.deepEqual([ended.exit, ended.stdout], [64, ""])
  })
})

describe.concurrent("--expect-head", () => {
  it("lets a mark happen once: repeated after a lost answer it is BinaryError", async ({ world }) => {
    world.plan("default", clean)
    handoff(await world.step("--uncommitted", "-n", "1"), 5, "Retrospective")
    const expected = `${head(world).seq}:${head(world).hash}`
    const mark = ["--uncommitted", "--expect-head", expected, "--mark-retro-clean"]
    idle(await world.step(...mark), "retrospective clean at low; advanced to medium")
    const after = logText(world)
    binaryError(await world.step(...mark), /head|moved/i)
    assert.strictEqual(logText(world), after)
  })

  it(
    "is held against loop invocations, too, and against the hash at that place",
    { tags: "slow" },
    async ({ world }) => {
      world.plan("default", clean)
      idle(await world.step("--uncommitted", "--advance-level"), "advanced level: low -> medium")
      const before = logText(world)
      for (const wrong of [`${head(world).seq}:${"0".repeat(64)}`, `${head(world).seq + 1}:${head(world).hash}`]) {
        binaryError(await world.step("--uncommitted", "--expect-head", wrong))
        binaryError(await world.step("--uncommitted", "--expect-head", wrong, "--mark-address-passed"))
      }
      assert.strictEqual(logText(world), before)
      assert.isEmpty(world.calls())
      const right = `${head(world).seq}:${head(world).hash}`
      const argv = ["--uncommitted", "-n", "1", "--ceiling", "medium"]
      outcome(await world.step(...argv, "--expect-head", right), 0, "DoneFixedPoint")
    }
  )
})

describe.concurrent("--expect-head on every invocation", () => {
  const nothing = `1:${"0".repeat(64)}`
  const stop = (world: World, expected: string) =>
    world.stepFrom(
      { stateRoot: null },
      "stop",
      "--uncommitted",
      "--state-root",
      world.stateRoot,
      "--expect-head",
      expected
    )

  it("where no run exists yet: nothing is created, whatever was asked", async ({ world }) => {
    for (const flags of [[], ["--inspect"], ["--fresh"], ["--mark-retro-clean"], ["--mark-address-failed", "x"]]) {
      binaryError(await world.step("--uncommitted", "--expect-head", nothing, ...flags), /found no such run/)
    }
    assert.match((await stop(world, nothing)).stderr, /^error: .*found no such run/)
    assert.isFalse(existsSync(world.stateRoot))
  })

  it("holds --inspect, --fresh, a mark that only records, and stop to it", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    const argv = ["--uncommitted", "-n", "1"]
    handoff(await world.step(...argv), 5, "Retrospective")
    const before = logText(world)
    for (const flags of [["--inspect"], ["--fresh"], ["--mark-address-failed", "x"], ["--advance-level"]]) {
      binaryError(await world.step(...argv, "--expect-head", nothing, ...flags), /the run has moved on/)
    }
    assert.match((await stop(world, nothing)).stderr, /^error: the run has moved on/)
    assert.strictEqual(logText(world), before)
    assert.strictEqual((await stop(world, "1:xyz")).exit, 64)
    const expected = `${head(world).seq}:${head(world).hash}`
    const { exit, stderr, stdout } = await stop(world, expected)
    assert.deepEqual([exit, stderr, stdout], [0, "", "nothing to stop: low batch 1 does not run\n"])
    handoff(await world.step(...argv, "--expect-head", expected, "--inspect"), 5, "Retrospective")
    handoff(await world.step(...argv, "--expect-head", expected, "--fresh"), 5, "Retrospective")
    assert.lengthOf(world.calls(), 2)
  })
})

describe.concurrent("outside the contract", () => {
  it("--version prints the version, without a header, and touches nothing", async ({ world }) => {
    const ended = await world.stepFrom({ stateRoot: null, cwd: world.dir }, "--version")
    assert.deepEqual([ended.exit, ended.stderr], [0, ""])
    assert.match(ended.stdout, /\d+\.\d+\.\d+/)
    assert.isFalse(existsSync(world.stateRoot))
  })

  for (const shell of ["bash", "zsh", "fish"]) {
    it(`--completions ${shell} prints completions`, async ({ world }) => {
      const ended = await world.stepFrom({ stateRoot: null, cwd: world.dir }, "--completions", shell)
      assert.deepEqual([ended.exit, ended.stderr], [0, ""])
      assert.include(ended.stdout, "mark-address-passed")
    })
  }
})
