// implement: what its flags ask for, and that it ends as `converge` does, whatever goes wrong.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import * as implement from "../../../../src/cli/commands/implement.ts"
import { command, read, type Request } from "../../../../src/cli/commands/implement.ts"
import { Snapshots } from "../../../../src/code/Snapshots.ts"
import { PlanFileFailed, PlanFiles } from "../../../../src/drive/plan/PlanFiles.ts"
import { grammar } from "../../../support/commands.ts"
import { calledIn, noSwitches, performed } from "../../../support/drivenCommands.ts"
import { file, inWorld, twoTasks } from "../../drive/plan/plans.ts"

const { asked, problem } = grammar({ command, read })

describe("a line", () => {
  it("names a plan, and has the defaults", async () => {
    const { texts, ...rest } = await asked("plan.md --no-test")
    assert.deepStrictEqual([...texts], [["--no-test", [""]]])
    assert.deepStrictEqual(rest, {
      ...noSwitches,
      plan: "plan.md",
      rounds: 5,
      wanted: { _tag: "All" },
      then: null,
      init: false
    })
  })

  it("says how far it goes", async () => {
    assert.deepInclude(await asked("p --test x --rounds 0 --then converge"), { rounds: 0, then: "converge" })
    const wanted = async (line: string | ReadonlyArray<string>) => (await asked(line)).wanted
    assert.deepStrictEqual(await wanted("p --test x --tasks 2"), { _tag: "AtMost", count: 2 })
    const titles = ["p", "--no-test", "--tasks", "Add two", "--tasks", "3"]
    assert.deepStrictEqual(await wanted(titles), { _tag: "Named", names: ["Add two", "3"] })
    assert.deepInclude(await asked("p --no-test --commit-fixes"), { fresh: false })
    assert.deepInclude(await asked("p --no-test --inspect --fresh"), { inspect: true, fresh: true })
  })

  it.each([
    ["p --no-test --rounds 21", "--rounds"],
    ["p --no-test --tasks 0", "--tasks"],
    ["p --no-test --then stop", "--then"],
    ["p --no-test --json --events", "exclude each other"],
    ["p --no-test --fix-attempts 99", "--fix-attempts"],
    ["p --no-test --base main", "--base"],
    ["--no-test", "plan"]
  ])("%s is refused", async (line, words) => assert.include((await problem(line)).toLowerCase(), words))
})

type More = ReadonlyArray<readonly [string, string]>

const requested = (change: Partial<Request> = {}, more: More = []): Request => ({
  ...noSwitches,
  plan: file,
  texts: new Map([...more].map(([option, text]) => [option, [text]])),
  rounds: 5,
  wanted: { _tag: "All" },
  then: null,
  init: false,
  ...change
})

const ended = (change: Partial<Request> = {}, more: More = [], plan = twoTasks) =>
  inWorld({ plan }, performed(implement.run(requested(change, more), calledIn)))

const tested = [["--test", "npm test"]] as const

it("accepted tasks are exit 0, with nothing on standard output", async () =>
  assert.deepInclude(await ended({}, tested), { stdout: "", stderr: "DoneAccepted\n", code: 0, wrote: "" }))

it("an undo that was interrupted while the plan was moved aside is finished first, but not by an inspection", async () => {
  const codes = await inWorld(
    {},
    Effect.gen(function*() {
      yield* performed(implement.run(requested({}, tested), calledIn))
      const [files, snapshots] = [yield* PlanFiles, yield* Snapshots]
      let isAside = true
      const missing = (path: string) => Effect.fail(new PlanFileFailed({ path, reason: { _tag: "NoPlanFile" } }))
      const call = (inspect: boolean) =>
        performed(implement.run(requested({ inspect }, tested), calledIn)).pipe(
          Effect.provideService(PlanFiles, {
            ...files,
            read: (path) => Effect.suspend(() => isAside ? missing(path) : files.read(path))
          }),
          Effect.provideService(Snapshots, {
            ...snapshots,
            unfinished: () => Effect.sync(() => isAside),
            finish: () => Effect.sync(() => (isAside = false, null))
          }),
          Effect.map(({ code }) => code)
        )
      return [yield* call(true), yield* call(false)]
    })
  )
  assert.deepStrictEqual(codes, [6, 0])
})

it("programs get one document", async () => {
  const { stdout, notifications } = await ended({ json: true }, [...tested, ["--notify", "cat"]])
  assert.deepInclude(JSON.parse(stdout), { outcome: "DoneAccepted", exitCode: 0 })
  assert.deepStrictEqual(notifications, [stdout])
})

it("with --events every event is written once and in order, also the converging run's", async () => {
  const { stdout, wrote } = await ended({ events: true, then: "converge" }, tested)
  assert.strictEqual(stdout, "")
  const documents = wrote.trimEnd().split("\n").map((line) => JSON.parse(line))
  const namesOf = (name: string) => documents.flatMap(({ event, stream }) => stream === name ? [event._tag] : [])
  const plan = namesOf("plan")
  assert.deepStrictEqual([plan[0], ...plan.slice(-2)], ["PlanStarted", "PlanConverged", "DriverEnded"])
  assert.deepStrictEqual([namesOf("review")[0], namesOf("converge").at(-1)], ["RunCreated", "DriverEnded"])
  assert.strictEqual(
    new Set(documents.map(({ index, seq, stream }) => `${stream} ${seq} ${index}`)).size,
    documents.length
  )
})

it("an inspection says what would come, and notifies and begins nothing", async () => {
  const { code, stderr, stdout, notifications } = await ended({ inspect: true, json: true }, [...tested, [
    "--notify",
    "cat"
  ]])
  assert.deepStrictEqual([stderr, code, notifications], ["WouldAdvance: Test\n", 4, []])
  assert.deepInclude(JSON.parse(stdout), { run: null, next: "runs npm test" })
  assert.deepInclude(await ended({ inspect: true }, tested), { stdout: "", code: 4 })
})

it("what is missing is a usage error, and a plan that cannot be read a fault of its own", async () => {
  const untested = await ended()
  assert.strictEqual(untested.code, 64)
  assert.include(untested.stderr, "--test")
  const based = await ended({}, [...tested, ["--commit-fixes", ""]])
  assert.strictEqual(based.code, 64)
  assert.include(based.stderr, "baseBranch")
  const odd = await ended({}, [...tested, ["--commit-fixes", ""]], "baseBranch: -x\ntasks: []\n")
  assert.strictEqual(odd.code, 6)
  assert.include(odd.stderr, "the plan's baseBranch: a branch name cannot begin with '-' [name a branch there]")
  const broken = await ended({}, tested, "tasks: 3\n")
  assert.strictEqual(broken.code, 6)
  assert.match(broken.stderr, /^BinaryError: \/repo\/plan.md: line 1, column 8.*\[.*\]/)
  assert.deepInclude(JSON.parse((await ended({ json: true }, tested, "tasks: 3\n")).stdout), {
    outcome: "BinaryError",
    exitCode: 6,
    run: null
  })
  assert.strictEqual((await ended({ plan: "/repo/none.md" }, tested)).code, 6)
})
