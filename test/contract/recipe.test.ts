// The canonical recipe, as an orchestrator runs it: dispatch on the exit code and on the header's action kind.
// Nothing is scripted by call number; the fake's verdicts follow from the files of the worktree.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { addressPrompt, handoff } from "./expect.ts"
import { events, reasons } from "./log.ts"
import { clean, issues } from "./plans.ts"
import { type Ended, it, type World } from "./support.ts"

interface Agents {
  /** Reviewers of a batch. */
  readonly size: number
  /** Edits the worktree; whether the project's tests pass then. */
  readonly address: () => boolean
  /** The patterns found, after they are implemented; none is the empty list. */
  readonly retrospective: (level: string) => ReadonlyArray<string>
}

const FLAGS = ["--uncommitted", "--level", "low", "--ceiling", "xhigh"]
const kindOf = (ended: Ended): string => ended.header.replace(/^Handoff(Agent|Human): /, "")

/** The recipe's outer loop. The trail is one entry an invocation: the mark given, and what the invocation said. */
const orchestrate = async (world: World, agents: Agents): Promise<ReadonlyArray<string>> => {
  const trail: Array<string> = []
  const run = async (mark: ReadonlyArray<string>, expected: ReadonlyArray<number>): Promise<Ended> => {
    const ended = await world.step(...FLAGS, "-n", String(agents.size), ...mark)
    trail.push(`${mark[0] ?? "step"} ${ended.exit} ${ended.header}`)
    assert.include(expected, ended.exit, ended.stderr)
    return ended
  }
  while (trail.length < 60) {
    const ended = await run([], [0, 5])
    if (ended.exit === 0) return trail
    if (kindOf(ended) === "AddressBatch") {
      const prompt = handoff(ended, 5, "AddressBatch")
      assert.strictEqual(prompt.first, addressPrompt(agents.size, "low"))
      if (agents.address()) await run(["--mark-address-passed"], [7])
      else {
        const failed = await run(["--mark-address-failed", "test 'x' failed"], [3])
        assert.strictEqual(kindOf(failed), "TestsFailedTriage")
        return trail
      }
    } else {
      const level = /\b(low|medium|high|xhigh)\b/.exec(handoff(ended, 5, "Retrospective").first)?.[1] ?? ""
      const patterns = agents.retrospective(level)
      const mark = patterns.length === 0 ? ["--mark-retro-clean"] : ["--mark-retro-changes", patterns.join(" and ")]
      const marked = await run(mark, patterns.length === 0 ? [0, 7] : [7])
      if (marked.exit === 0) return trail
    }
  }
  throw new Error(`no end in sight: ${trail.join("; ")}`)
}

/** Issues at low until the worktree holds `fixed`; clean everywhere else. */
const untilFixed = (world: World): void => {
  world.plan("default", clean)
  world.plan("low", `if [ -e fixed ]; then\n${clean}\nelse\n${issues}\nfi`)
}
const RETRO = ["step 5 HandoffAgent: Retrospective", "--mark-retro-clean 7 Idle"]
const ADDRESS = ["step 5 HandoffAgent: AddressBatch", "--mark-address-passed 7 Idle"]

describe.concurrent("the canonical recipe", () => {
  it("issues at low once, then clean: to DoneFixedPoint at xhigh", async ({ world }) => {
    untilFixed(world)
    const address = (): boolean => {
      world.write("fixed", "")
      return true
    }
    const trail = await orchestrate(world, { size: 3, address, retrospective: () => [] })
    assert.deepEqual(trail, [...ADDRESS, ...RETRO, ...RETRO, ...RETRO, "step 0 DoneFixedPoint"])
    assert.lengthOf(world.calls(), 15)
    assert.deepEqual(
      events(world, "LevelOutcomeRecorded").map(({ level, outcome }) => [level, outcome]),
      [
        ["low", { _tag: "Addressed", count: 3 }],
        ["low", { _tag: "Clean" }],
        ["medium", { _tag: "Clean" }],
        ["high", { _tag: "Clean" }]
      ]
    )
    assert.deepEqual(reasons(world), ["NoLatestPointer"])
  })

  it("a retrospective with changes restarts the climb from the floor", { tags: "slow" }, async ({ world }) => {
    untilFixed(world)
    world.write("fixed", "")
    let found = ["an N+1 pattern", "a second"]
    const retrospective = (level: string): ReadonlyArray<string> => {
      const patterns = level === "medium" ? found : []
      if (patterns.length > 0) world.write("refactored", "")
      if (level === "medium") found = []
      return patterns
    }
    const trail = await orchestrate(world, { size: 1, address: () => true, retrospective })
    const changes = ["step 5 HandoffAgent: Retrospective", "--mark-retro-changes 7 Idle"]
    assert.deepEqual(trail, [...RETRO, ...changes, ...RETRO, ...RETRO, ...RETRO, "step 0 DoneFixedPoint"])
    assert.isTrue(existsSync(join(world.repo, "refactored")))
  })

  it("tests that fail after addressing are escalated to a human", { tags: "slow" }, async ({ world }) => {
    untilFixed(world)
    const trail = await orchestrate(world, { size: 1, address: () => false, retrospective: () => [] })
    assert.deepEqual(trail, [
      "step 5 HandoffAgent: AddressBatch",
      "--mark-address-failed 3 HandoffHuman: TestsFailedTriage"
    ])
  })

  it("an agent that changes nothing is sent back for as long as it takes", { tags: "slow" }, async ({ world }) => {
    untilFixed(world)
    let turns = 0
    const address = (): boolean => {
      turns += 1
      if (turns === 3) world.write("fixed", "")
      return true
    }
    const trail = await orchestrate(world, { size: 1, address, retrospective: () => [] })
    assert.deepEqual(trail, [...ADDRESS, ...ADDRESS, ...ADDRESS, ...RETRO, ...RETRO, ...RETRO, "step 0 DoneFixedPoint"])
  })
})
