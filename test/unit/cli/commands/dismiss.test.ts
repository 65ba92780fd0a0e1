// The arguments of `dismiss`, and what it writes for a run and for the repository, once.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { perform } from "../../../../src/cli/command.ts"
import * as dismiss from "../../../../src/cli/commands/dismiss.ts"
import { fingerprint } from "../../../../src/review/findings/Finding.ts"
import * as Invocation from "../../../../src/run/Invocation.ts"
import { Output } from "../../../../src/platform/Process.ts"
import { loopStep } from "../../../../src/step/LoopStep.ts"
import { dismissalsPlace } from "../../../../src/testing/memory/Code.ts"
import { Scripted, World } from "../../../../src/testing.ts"
import { onMachine, tagsOf } from "../../run/opened.ts"
import { grammar } from "./grammar.ts"

const { asked, problem } = grammar(dismiss)
const name = "0123456789abcdef"
const plain = {
  stateRoot: null,
  selector: { _tag: "Newest" },
  fingerprint: name,
  reason: "so",
  until: null,
  scope: "run",
  json: false
} as const

describe("the arguments of dismiss", () => {
  it("are a finding and a reason", async () => assert.deepStrictEqual(await asked(`${name} --reason so`), plain))

  it("may name a run or a target, a last day and a scope", async () => {
    const line = `${name} --reason so --run 2026 --until 2028-02-29 --scope repo --state-root /s`
    const selector = { _tag: "Named", prefix: "2026" } as const
    assert.deepStrictEqual(await asked(line), {
      ...plain,
      selector,
      until: "2028-02-29",
      scope: "repo",
      stateRoot: "/s"
    })
    assert.isTrue((await asked(`${name} --reason so --json`)).json)
    assert.deepInclude(await asked(`${name} --reason so --uncommitted`), {
      selector: { _tag: "Latest", target: { _tag: "Uncommitted" } }
    })
  })

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [["--reason", "so"], /^Missing required argument: FINGERPRINT$/],
    [["xyz", "--reason", "so"], /^FINGERPRINT "xyz": expected 16/],
    [[name], /^Missing required flag: --reason$/],
    [[name, "--reason", " \n"], /^--reason .*: expected 1 to 2000 characters$/],
    [[name, "--reason", "x".repeat(2001)], /^--reason .*: expected 1 to 2000 characters$/],
    [[name, "--reason", "so", "--until", "2027-02-29"], /^--until .*: expected a day/],
    [[name, "--reason", "so", "--until", "2027-13-01"], /^--until .*: expected a day/],
    [[name, "--reason", "so", "--scope", "all"], /^--scope "all": expected run or repo$/],
    [[name, "--reason", "so", "--run", ""], /^--run "": expected a run's id/],
    [[name, "--reason", "so", "--run", "2026", "--uncommitted"], /exclude each other$/]
  ]
  it.each(wrong)("%j are refused", async (argv, message) => assert.match(await problem(argv), message))
})

const { settings } = Invocation.make({ target: { _tag: "Uncommitted" }, strict: true, ceiling: "low", batchSize: 1 })

/** Dismisses the finding of a run that has just been reviewed, so often. */
const dismissing = (given: Partial<dismiss.Request>, times = 1) =>
  onMachine(
    Effect.gen(function*() {
      const { run } = yield* loopStep(settings, false, "/repo")
      const said: Array<string> = []
      const output = Output.of({ write: (text) => Effect.sync(() => void said.push(text)) })
      const all = { ...plain, ...given }
      let ending = { code: -1, stderr: "" }
      for (let i = 0; i < times; i++) {
        ending = yield* perform(dismiss.run(all, { cwd: Effect.succeed("/repo"), version: "0" })).pipe(
          Effect.provideService(Output, output)
        )
      }
      const documents = yield* Ref.get((yield* World).documents)
      const repo = documents.get(dismissalsPlace({ _tag: "Worktree" })) ?? ""
      return { said, code: ending.code, stderr: ending.stderr, written: (yield* tagsOf(run)).slice(3), repo }
    }),
    { script: () => Scripted.issues() }
  )

// The name of what the scripted reviewer reports.
const reported = fingerprint({ title: "Check the bound", body: "", path: "src/main.ts" })

describe("dismissing", () => {
  it("for the run is a line of its log, once", async () => {
    const { code, repo, said, written } = await dismissing({ fingerprint: reported }, 2)
    assert.deepStrictEqual([code, written, repo], [0, [["FindingDismissed"]], ""])
    assert.match(said[0] ?? "", /^dismissed for the run: [0-9a-f]{16} P1 src\/main\.ts:3-4 Check the bound\n$/)
  })

  it("is one document with --json", async () => {
    const { code, said } = await dismissing({ fingerprint: reported, json: true })
    assert.deepStrictEqual([code, said.length], [0, 1])
    assert.deepInclude(JSON.parse(said[0] ?? ""), {
      schema: 1,
      strict: true,
      fingerprint: reported,
      reason: "so",
      scope: "run"
    })
  })

  it("for the repository is a line of its file, once", async () => {
    const { code, repo, said, written } = await dismissing({
      fingerprint: reported,
      scope: "repo",
      until: "2999-12-31"
    }, 2)
    assert.deepStrictEqual([code, written, repo.split("\n").length], [0, [["FindingDismissed"]], 2])
    assert.match(said[0] ?? "", /^dismissed for the repo until 2999-12-31: /)
  })

  it("what nobody reported writes nothing and says so in one line", async () => {
    const { code, repo, stderr, written } = await dismissing({ fingerprint: "f".repeat(16) })
    assert.deepStrictEqual([code, written, repo], [6, [], ""])
    assert.match(stderr, /^ooda-codex-review: no finding of run \S+ is called f{16}; findings --json names them\n$/)
  })

  it("until a day that is past writes nothing", async () => {
    const { code, stderr, written } = await dismissing({ fingerprint: reported, until: "1969-12-31" })
    assert.deepStrictEqual([code, written], [6, []])
    assert.match(stderr, /--until 1969-12-31 is past: today is /)
  })
})
