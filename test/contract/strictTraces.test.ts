// Strict traces: the shortest courses of events that broke earlier wordings of the strict rules, on the rules in force.
// Each says what an orchestrator reads at its end, and how many reviews were run on the way.
import { assert, describe } from "vitest"
import { binaryError, handoff, idle, outcome } from "./expect.ts"
import { events, lines, reasons } from "./log.ts"
import { clean, issues } from "./plans.ts"
import { it, type World } from "./support.ts"

const strictly = (
  ceiling: string
): ReadonlyArray<string> => ["--uncommitted", "--strict", "-n", "1", "--ceiling", ceiling]
const [LOW, MEDIUM] = [strictly("low"), strictly("medium")]

const given = (world: World): void => {
  world.plan("default", clean)
  world.write("tracked.txt", "A\n")
}

const answerTo = (rest: ReadonlyArray<string>): ReadonlyArray<string> => {
  const answer = rest.at(-1) ?? ""
  assert.match(answer, /^Answer with: --batch [a-z]+\/\d+@\S+$/)
  return answer.slice("Answer with: ".length).split(" ")
}

/** The answer that a hand-off of the next step asks for. */
const asked = async (world: World, flags: ReadonlyArray<string>, kind: "AddressBatch" | "Retrospective") =>
  answerTo(handoff(await world.step(...flags), 5, kind).rest)

/** The levels of all reviews so far, in order. */
const reviewed = (world: World): ReadonlyArray<string> =>
  world.calls().map(({ argv }) => /effort="([a-z]+)"/.exec(argv.join(" "))?.[1] ?? "")

const isRefused = /^BinaryError: mark refused: /

describe.concurrent("strict traces", () => {
  it(
    "1: code that comes back is reviewed again at each level whose last review saw other code",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      await asked(world, MEDIUM, "Retrospective")
      world.write("tracked.txt", "B\n")
      await asked(world, MEDIUM, "Retrospective")
      world.write("tracked.txt", "A\n")
      const answer = await asked(world, MEDIUM, "Retrospective")
      assert.strictEqual((await world.step(...MEDIUM, "--mark-retro-clean", ...answer)).exit, 7)
      outcome(await world.step(...MEDIUM), 0, "DoneFixedPoint")
      assert.deepStrictEqual(reviewed(world), ["low", "low", "low", "medium"])
    }
  )

  it("2: the answer to a fixed point that is gone says no fixed point", async ({ world }) => {
    given(world)
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    const mark = [...LOW, "--mark-retro-clean", "--batch", "low/1"]
    outcome(
      await world.step(...mark),
      0,
      "DoneFixedPoint",
      "retrospective clean at ceiling (low); fixed point reached\n"
    )
    world.write("tracked.txt", "B\n")
    binaryError(await world.step(...mark), isRefused)
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    assert.lengthOf(reviewed(world), 2)
  })

  it("3: nothing is reviewed above the ceiling, wherever a run is", { tags: "slow" }, async ({ world }) => {
    given(world)
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    idle(await world.step(...LOW, "--advance-level"), "advanced level: low -> medium")
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    assert.lengthOf(reviewed(world), 1)
    // Another orchestrator has a higher ceiling.
    outcome(await world.step(...MEDIUM), 0, "DoneFixedPoint")
    assert.deepStrictEqual(reviewed(world), ["low", "medium"])
    const answer = await asked(world, LOW, "Retrospective")
    assert.strictEqual((await world.step(...LOW, "--mark-retro-clean", ...answer)).exit, 7)
    for (const flags of [LOW, MEDIUM, LOW]) outcome(await world.step(...flags), 0, "DoneFixedPoint")
    assert.lengthOf(reviewed(world), 2)
  })

  it("3: changes of a retrospective at the ceiling that no one can see end in no search for a higher level", {
    tags: "slow"
  }, async ({ world }) => {
    given(world)
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    assert.strictEqual((await world.step(...LOW, "--mark-retro-changes", "none", "--batch", "low/1")).exit, 7)
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    assert.deepStrictEqual(reviewed(world), ["low", "low"])
  })

  it(
    "4: a restart after a fixed point is a restart: every level is reviewed again",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      outcome(await world.step(...LOW), 0, "DoneFixedPoint")
      idle(await world.step(...LOW, "--restart-from-floor"), "restarted from floor: low -> low")
      outcome(await world.step(...LOW), 0, "DoneFixedPoint")
      assert.lengthOf(reviewed(world), 2)
      // A clean batch at the ceiling over a level that saw other code is not the end.
      world.write("tracked.txt", "B\n")
      const answer = await asked(world, MEDIUM, "Retrospective")
      assert.strictEqual((await world.step(...MEDIUM, "--mark-retro-clean", ...answer)).exit, 7)
      world.write("tracked.txt", "C\n")
      outcome(await world.step(...MEDIUM), 0, "DoneFixedPoint")
      assert.deepStrictEqual(reviewed(world).slice(-3), ["low", "low", "medium"])
    }
  )

  it(
    "5: failing tests are reported though another orchestrator has passed the batch",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      world.plan("call-1", issues)
      const first = await asked(world, LOW, "AddressBatch")
      const second = await asked(world, LOW, "AddressBatch")
      assert.strictEqual((await world.step(...LOW, "--mark-address-passed", ...first)).exit, 7)
      handoff(await world.step(...LOW, "--mark-address-failed", "red", ...second), 3, "TestsFailedTriage")
      outcome(await world.step(...LOW), 0, "DoneFixedPoint")
      handoff(await world.step(...LOW, "--mark-address-failed", "red", ...second), 3, "TestsFailedTriage")
    }
  )

  it(
    "6: the answer to a batch of one run is no answer to the batch of that name of another",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      outcome(await world.step(...LOW), 0, "DoneFixedPoint")
      const run = events(world, "RunCreated")[0]?.["runId"]
      world.write("tracked.txt", "B\n")
      const flags = [...MEDIUM.slice(0, -1), "medium"]
      await asked(world, flags, "Retrospective")
      binaryError(
        await world.step(...flags, "--mark-retro-clean", "--batch", `low/1@${String(run)}`),
        /it answers run /
      )
      assert.deepStrictEqual(reasons(world), ["NoLatestPointer", "FixedPointStale"])
    }
  )

  it(
    "7: a call without --strict neither continues a strict run nor opens a second run",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      const answer = await asked(world, MEDIUM, "Retrospective")
      const plain = MEDIUM.filter((arg) => arg !== "--strict")
      for (const argv of [plain, [...plain, "--mark-retro-clean"], plain]) {
        binaryError(await world.step(...argv), /this run is strict: repeat --strict/)
      }
      assert.strictEqual((await world.step(...MEDIUM, "--mark-retro-clean", ...answer)).exit, 7)
      outcome(await world.step(...MEDIUM), 0, "DoneFixedPoint")
      assert.deepStrictEqual(reasons(world), ["NoLatestPointer"])
    }
  )

  it("8: a mark that judges findings by another bar than the step is refused, and each bar has its own way on", {
    tags: "slow"
  }, async ({ world }) => {
    given(world)
    world.plan("call-1", issues)
    const lenient = [...MEDIUM, "--block", "P0"]
    const answer = await asked(world, lenient, "Retrospective")
    binaryError(
      await world.step(...MEDIUM, "--mark-retro-clean", ...answer),
      /mark refused: an answer to AddressBatch of low\/1/
    )
    await asked(world, MEDIUM, "AddressBatch")
    assert.strictEqual((await world.step(...lenient, "--mark-retro-clean", ...answer)).exit, 7)
    outcome(await world.step(...lenient), 0, "DoneFixedPoint")
  })

  it(
    "9: changes of a retrospective that another step was faster than are recorded, and open nothing",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      const answer = await asked(world, MEDIUM, "Retrospective")
      world.write("tracked.txt", "B\n")
      await asked(world, MEDIUM, "Retrospective")
      idle(
        await world.step(...MEDIUM, "--mark-retro-changes", "a pattern", ...answer),
        "retrospective surfaced changes at low; the run has moved on with the code"
      )
      assert.deepInclude(events(world, "LevelOutcomeRecorded").at(-1), {
        level: "low",
        batch: 1,
        outcome: { _tag: "RetrospectiveChanges", reason: { text: "a pattern" } }
      })
      assert.deepStrictEqual(lines(world).at(-1)?.events.map(({ _tag }) => _tag), ["LevelOutcomeRecorded"])
      // What was reviewed before the patterns were known to be there counts no more.
      await asked(world, MEDIUM, "Retrospective")
      assert.deepStrictEqual(reviewed(world), ["low", "low", "low"])
    }
  )

  it("10: after a refused mark the step continues", { tags: "slow" }, async ({ world }) => {
    given(world)
    const answer = await asked(world, MEDIUM, "Retrospective")
    world.write("tracked.txt", "B\n")
    binaryError(await world.step(...MEDIUM, "--mark-retro-clean", ...answer), isRefused)
    const again = await asked(world, MEDIUM, "Retrospective")
    assert.strictEqual((await world.step(...MEDIUM, "--mark-retro-clean", ...again)).exit, 7)
    outcome(await world.step(...MEDIUM), 0, "DoneFixedPoint")
  })

  it(
    "11: a fixed point is stale if its code changed, wherever its run is now",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      outcome(await world.step(...LOW), 0, "DoneFixedPoint")
      assert.strictEqual((await world.step(...LOW, "--advance-level")).exit, 7)
      outcome(await world.step(...LOW), 0, "DoneFixedPoint")
      world.write("tracked.txt", "B\n")
      outcome(await world.step(...LOW), 0, "DoneFixedPoint")
      assert.lengthOf(reviewed(world), 2)
      assert.deepStrictEqual(reasons(world), ["NoLatestPointer", "FixedPointStale"])
    }
  )

  it(
    "12: what was undone altogether leaves nothing to review, and no fixed point",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      outcome(await world.step(...LOW), 0, "DoneFixedPoint")
      world.write("tracked.txt", "one\n")
      binaryError(await world.step(...LOW), /nothing to review/)
      world.write("tracked.txt", "A\n")
      outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    }
  )
})
