// Strict mode: a fixed point is proven at every level on the present code, and a mark answers a hand-off.
// What the run does not wait for is refused and changes nothing; without --strict nothing here holds.
import { assert, describe } from "vitest"
import { binaryError, handoff, idle, outcome } from "./expect.ts"
import { clean, issues } from "./plans.ts"
import { it, type World } from "./support.ts"

const LOW = ["--uncommitted", "--strict", "-n", "1", "--ceiling", "low"]
const MEDIUM = ["--uncommitted", "--strict", "-n", "1", "--ceiling", "medium"]

/** How a hand-off says that it is to be answered. */
const answerTo = (rest: ReadonlyArray<string>): ReadonlyArray<string> => {
  const answer = rest.at(-1) ?? ""
  assert.match(answer, /^Answer with: --batch [a-z]+\/\d+@\S+$/)
  return answer.slice("Answer with: ".length).split(" ")
}

const given = (world: World): void => {
  world.plan("default", clean)
  world.write("tracked.txt", "two\n")
}

const refused = (waits: RegExp) => new RegExp(`^BinaryError: mark refused: ${waits.source}`)

describe.concurrent("a strict mark", () => {
  it("is refused where nothing was reviewed, and opens no run", async ({ world }) => {
    given(world)
    binaryError(await world.step(...LOW, "--mark-retro-clean", "--batch", "low/1"), /there is no run to answer/)
    binaryError(await world.step(...LOW, "--mark-address-passed", "--batch", "low/1"), /there is no run to answer/)
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 1)
  })

  it("is refused on issues, and after the code has changed", { tags: "slow" }, async ({ world }) => {
    given(world)
    world.plan("call-1", issues)
    const { rest } = handoff(await world.step(...LOW), 5, "AddressBatch")
    const first = answerTo(rest)
    binaryError(
      await world.step(...LOW, "--mark-retro-clean", ...first),
      refused(/an answer to AddressBatch of low\/1/)
    )
    world.write("tracked.txt", "three\n")
    idle(
      await world.step(...LOW, "--mark-address-passed", ...first),
      "address passed at floor low (1 review(s) with issues); no drop; advanced to batch 2"
    )
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    world.write("tracked.txt", "four\n")
    binaryError(await world.step(...LOW, "--mark-retro-clean", "--batch", "low/2"), refused(/reviews at level low/))
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 3)
  })

  it("given twice says the same and skips no level", { tags: "slow" }, async ({ world }) => {
    given(world)
    const answer = answerTo(handoff(await world.step(...MEDIUM), 5, "Retrospective").rest)
    const line = "retrospective clean at low; advanced to medium"
    idle(await world.step(...MEDIUM, "--mark-retro-clean", ...answer), line)
    idle(await world.step(...MEDIUM, "--mark-retro-clean", ...answer), line)
    outcome(await world.step(...MEDIUM), 0, "DoneFixedPoint")
    assert.deepStrictEqual(world.calls().map(({ argv }) => argv.find((arg) => arg.includes("effort"))), [
      'model_reasoning_effort="low"',
      'model_reasoning_effort="medium"'
    ])
  })

  it("for a missing level or another target lands on no other run", { tags: "slow" }, async ({ world }) => {
    given(world)
    world.plan("default", issues)
    const strict = ["--strict", "-n", "1"]
    const answer = answerTo(
      handoff(await world.step("--uncommitted", "--level", "medium", ...strict), 5, "AddressBatch").rest
    )
    binaryError(
      await world.step("--uncommitted", ...strict, "--mark-address-passed", ...answer),
      /repeat --level medium/
    )
    binaryError(await world.step("--base", "mian", ...strict, "--mark-address-passed", ...answer), /no run to answer/)
  })

  it("of failed tests is accepted whatever has happened to its batch", { tags: "slow" }, async ({ world }) => {
    given(world)
    world.plan("call-1", issues)
    const answer = answerTo(handoff(await world.step(...LOW), 5, "AddressBatch").rest)
    assert.strictEqual((await world.step(...LOW, "--mark-address-passed", ...answer)).exit, 7)
    const failed = await world.step(...LOW, "--mark-address-failed", "red", ...answer)
    assert.strictEqual(handoff(failed, 3, "TestsFailedTriage").first.endsWith("Details: red"), true)
    outcome(await world.step(...LOW, "--fresh"), 0, "DoneFixedPoint")
    handoff(await world.step(...LOW, "--mark-address-failed", "red", ...answer), 3, "TestsFailedTriage")
    binaryError(await world.step(...LOW, "--mark-address-passed", ...answer), refused(/it answers run /))
  })

  it("needs its batch, and a batch needs a strict mark", { tags: "slow" }, async ({ world }) => {
    for (
      const argv of [
        [...LOW, "--mark-retro-clean"],
        [...LOW, "--batch", "low/1"],
        [...LOW, "--advance-level", "--batch", "low/1"],
        ["--uncommitted", "--mark-retro-clean", "--batch", "low/1"],
        [...LOW, "--mark-retro-clean", "--batch", "low"]
      ]
    ) {
      const ended = await world.step(...argv)
      assert.strictEqual(ended.exit, 64, argv.join(" "))
      assert.match(ended.header, /^UsageError: .*--batch/)
    }
  })

  it("needs the text that it reports: an unset variable of the shell gives none", async ({ world }) => {
    given(world)
    for (const mark of ["--mark-retro-changes", "--mark-address-failed"]) {
      const ended = await world.step(...LOW, "--batch", "low/1", mark, "")
      assert.strictEqual(ended.exit, 64)
      assert.match(ended.header, new RegExp(`^UsageError: with --strict ${mark} needs .*; its text is empty$`))
    }
  })
})

describe.concurrent("a strict run", () => {
  it("reviews every level again that saw other code", { tags: "slow" }, async ({ world }) => {
    given(world)
    const answer = answerTo(handoff(await world.step(...MEDIUM), 5, "Retrospective").rest)
    assert.strictEqual((await world.step(...MEDIUM, "--mark-retro-clean", ...answer)).exit, 7)
    world.write("tracked.txt", "three\n")
    outcome(await world.step(...MEDIUM), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 3)
    outcome(await world.step(...MEDIUM), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 3)
    const audit = await world.stepFrom({ stateRoot: null }, "audit", "--uncommitted", "--state-root", world.stateRoot)
    assert.strictEqual(audit.exit, 0, audit.stdout)
    assert.include(audit.stdout, "every level was reviewed clean, on the same code")
  })

  it(
    "sees what is staged behind an unchanged file, and what a flag of the index hides",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      world.write("other.txt", "one\n")
      world.git("add", "other.txt")
      world.git("commit", "-qm", "Two", "other.txt")
      outcome(await world.step(...LOW), 0, "DoneFixedPoint")
      world.write("tracked.txt", "EVIL\n")
      world.git("add", "tracked.txt")
      world.write("tracked.txt", "two\n")
      outcome(await world.step(...LOW), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 2)
      world.git("update-index", "--assume-unchanged", "other.txt")
      world.write("other.txt", "EVIL\n")
      outcome(await world.step(...LOW), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 3)
    }
  )

  it("sees a change in a nested repository", { tags: "slow" }, async ({ world }) => {
    given(world)
    world.makeRepo(`${world.repo}/inner`)
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    world.write("inner/tracked.txt", "EVIL\n")
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 2)
  })

  it("whose changes are undone has nothing to review", { tags: "slow" }, async ({ world }) => {
    given(world)
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    world.write("tracked.txt", "one\n")
    binaryError(await world.step(...LOW), /nothing to review/)
    assert.lengthOf(world.calls(), 1)
  })

  it(
    "continues only by strict calls, and a run that is not strict is replaced",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      const plain = LOW.filter((arg) => arg !== "--strict")
      outcome(await world.step(...plain), 0, "DoneFixedPoint")
      binaryError(await world.step(...LOW, "--mark-retro-clean", "--batch", "low/1"), /this run is not strict/)
      outcome(await world.step(...LOW), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 2)
      for (const argv of [plain, [...plain, "--mark-retro-clean"], [...plain, "--restart-from-floor"]]) {
        binaryError(await world.step(...argv), /this run is strict: repeat --strict/)
      }
      outcome(await world.step(...plain, "--inspect"), 0, "DoneFixedPoint")
      outcome(await world.step(...plain, "--fresh"), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 3)
    }
  )

  it("starts nothing where no one can say what is reviewed", async ({ world }) => {
    given(world)
    world.write(".git/index", "broken")
    const ended = await world.step(...LOW)
    assert.strictEqual(ended.exit, 6)
    assert.isEmpty(world.calls())
  })
})
