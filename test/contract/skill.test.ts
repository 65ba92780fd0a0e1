// The plugin's skill, followed to the letter: an orchestrator that knows nothing but the text of SKILL.md and its references.
// Every command line is one of the text; the orchestrator puts in the batch that the prompt names, and no more.
import { execFileSync } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { clean, issues } from "./plans.ts"
import { type Ended, it, type World } from "./support.ts"

const skill = join(import.meta.dirname, "../../plugin/skills/review-to-fixed-point")
const text = readFileSync(join(skill, "SKILL.md"), "utf8")
const converging = readFileSync(join(skill, "references/converge.md"), "utf8")

/** The words of each command line in a text, as a shell takes them apart. */
const commands = (page: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...page.matchAll(/^ *ooda-codex-review (.*)$/gm)].map(([, line = ""]) =>
    execFileSync("sh", ["-c", `printf '%s\\n' ${line}`], { encoding: "utf8" }).trimEnd().split("\n")
  )

/** The numbered steps of the loop, by their numbers. */
const steps = new Map(
  text.split(/^## /m).find((part) => part.startsWith("The loop"))?.split(/^(?=\d\. )/m).slice(1)
    .map((step) => [Number(step[0]), step]) ?? []
)

/** The rows of a table: exits, first lines (none: any), what to do. */
const rows = (page: string) =>
  page.split("\n").map((line) => line.trim().split("|").map((cell) => cell.trim()))
    .filter(([, exits = ""]) => /^\d/.test(exits))
    .map(([, exits = "", lines = "", what = ""]) => ({
      exits: exits.match(/\d+/g)?.map(Number) ?? [],
      headers: [...lines.matchAll(/`([^`…]*)…?`/g)].map(([, header = ""]) => header),
      what
    }))

const rowFor = (page: string, { exit, header }: Ended) =>
  rows(page).find(({ exits, headers }) =>
    exits.includes(exit ?? -1) && (headers.length === 0 || headers.some((one) => header.startsWith(one)))
  ) ?? assert.fail(`the text says nothing of ${exit} ${header}`)

interface Agent {
  readonly fix: () => boolean
  readonly patterns: () => boolean
}

/** Follows the loop until the text says to stop. One entry a call: the mark, the exit, the header. */
const follow = async (world: World, { fix, patterns }: Agent): Promise<ReadonlyArray<string>> => {
  const trail: Array<string> = []
  const call = async (words: ReadonlyArray<string>): Promise<Ended> => {
    const ended = await world.step(...words, "-n", "1", "--ceiling", "medium")
    trail.push(`${words.find((word) => word.startsWith("--mark-")) ?? "step"} ${ended.exit} ${ended.header}`)
    return ended
  }
  const [step = []] = commands(steps.get(1) ?? "")
  for (let ended = await call(step); trail.length < 20;) {
    const { what } = rowFor(steps.get(2) ?? "", ended)
    if (what.startsWith("stop")) return trail
    if (what.startsWith("call the step")) {
      ended = await call(step)
      continue
    }
    const number = Number(/^go to (\d)$/.exec(what)?.[1])
    const [well = [], badly = []] = commands(steps.get(number) ?? "")
    const batch = /^ {4}Answer with: --batch (\S+)$/m.exec(ended.stderr)?.[1] ?? assert.fail(ended.stderr)
    const mark = number === 3 ? fix() ? well : badly : patterns() ? badly : well
    ended = await call(mark.map((word, at) => mark[at - 1] === "--batch" ? batch : word))
  }
  return trail
}

/** Issues at low until the worktree holds `fixed`; clean everywhere else. */
const untilFixed = (world: World): void => {
  world.write("tracked.txt", "two\n")
  world.plan("default", clean)
  world.plan("low", `if [ -e fixed ]; then\n${clean}\nelse\n${issues}\nfi`)
}

describe.concurrent("the skill", () => {
  it("drives the steps by hand to the fixed point", { tags: "slow" }, async ({ world }) => {
    untilFixed(world)
    const fix = () => {
      world.write("fixed", "")
      return true
    }
    assert.deepStrictEqual(await follow(world, { fix, patterns: () => false }), [
      "step 5 HandoffAgent: AddressBatch",
      "--mark-address-passed 7 Idle",
      "step 5 HandoffAgent: Retrospective",
      "--mark-retro-clean 7 Idle",
      "step 0 DoneFixedPoint"
    ])
  })

  it("begins the climb again where patterns were removed", { tags: "slow" }, async ({ world }) => {
    untilFixed(world)
    let left = 1
    const fix = () => {
      world.write("fixed", "")
      return true
    }
    const patterns = () => {
      if (left > 0) world.write("tracked.txt", "three\n")
      return left-- > 0
    }
    const trail = await follow(world, { fix, patterns })
    assert.include(trail, "--mark-retro-changes 7 Idle")
    assert.strictEqual(trail.at(-1), "step 0 DoneFixedPoint")
  })

  it("stops for the user where tests stay red", { tags: "slow" }, async ({ world }) => {
    untilFixed(world)
    assert.deepStrictEqual(await follow(world, { fix: () => false, patterns: () => false }), [
      "step 5 HandoffAgent: AddressBatch",
      "--mark-address-failed 3 HandoffHuman: TestsFailedTriage"
    ])
  })

  it("has converge do it alone, with the tests of the project", { tags: "slow" }, async ({ world }) => {
    untilFixed(world)
    world.write("package.json", '{ "scripts": { "test": "test -s tracked.txt" } }\n')
    const agent = join(world.dir, "agent")
    writeFileSync(
      agent,
      `#!/bin/sh
cat >/dev/null
: >fixed
printf 'role: %s\\ntask_id: %s\\nstatus: pass\\n' "$OODA_ROLE" "$OODA_TASK_ID"
[ "$OODA_ROLE" != worker ] || echo git_range: HEAD..HEAD
printf 'issues: none\\n\\n'
sed -n 's/^The fingerprints are: \\(.*\\)\\.$/\\1/p' "$OODA_PROMPT_FILE" | tr -s ', ' '\\n\\n' | sed 's/.*/finding &: fixed - done/'
`
    )
    chmodSync(agent, 0o755)
    const [words = []] = commands(converging)
    const more = ["-n", "1", "--ceiling", "medium", "--agent-cmd", agent, "--allow", "unsandboxed"]
    const ended = await world.stepFrom({ stateRoot: null }, ...words, ...more, "--state-root", world.stateRoot)
    assert.strictEqual(ended.exit, 0, ended.stderr)
    assert.match(ended.stderr, /^DoneFixedPoint$/m)
    assert.match(rowFor(converging, { ...ended, header: "DoneFixedPoint" }).what, /^tell the user/)
  })
})

describe("the tables of the skill", () => {
  const page = readFileSync(join(skill, "references/exit-codes.md"), "utf8")
  const ends: ReadonlyArray<readonly [number, string]> = [
    [0, "DoneFixedPoint"],
    [1, "StuckRepeated: AddressBatch:x"],
    [2, "StuckCapReached: RunReviews:low"],
    [3, "HandoffHuman: TestsFailedTriage"],
    [4, "WouldAdvance: RunReviews"],
    [5, "HandoffAgent: AddressBatch"],
    [5, "HandoffAgent: Retrospective"],
    [6, "BinaryError: mark refused: call the step"],
    [6, "BinaryError: slot 1"],
    [7, "Idle"],
    [8, "DoneAborted"],
    [64, "UsageError: unknown flag"]
  ]

  it("say what to do at every end of a step, and the same in both places", () => {
    for (const [exit, header] of ends) {
      const ended = { exit, header, stdout: "", stderr: "" }
      const [short, long] = [rowFor(steps.get(2) ?? "", ended).what, rowFor(page, ended).what]
      const continues = /^(go to|call)/.test(short)
      assert.strictEqual(continues, /^(verify|look|call)/.test(long), `${exit} ${header}: ${short}, ${long}`)
    }
  })
})
