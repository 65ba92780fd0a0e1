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
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(dismiss)
const name = "0123456789abcdef"
const action = { _tag: "Dismiss", fingerprint: name, reason: "so", until: null, scope: "run" } as const
const plain = { stateRoot: null, selector: { _tag: "Newest" }, action, json: false } as const

describe("the arguments of dismiss", () => {
  it("are a finding and a reason", async () => assert.deepStrictEqual(await asked(`${name} --reason so`), plain))

  it("may name a run or a target, a last day and a scope", async () => {
    const line = `${name} --reason so --run 2026 --until 2028-02-29 --scope repo --state-root /s`
    const selector = { _tag: "Named", prefix: "2026" } as const
    assert.deepStrictEqual(await asked(line), {
      ...plain,
      selector,
      action: { ...action, until: "2028-02-29", scope: "repo" },
      stateRoot: "/s"
    })
    assert.isTrue((await asked(`${name} --reason so --json`)).json)
    assert.deepInclude(await asked(`${name} --reason so --uncommitted`), {
      selector: { _tag: "Latest", target: { _tag: "Uncommitted" } }
    })
  })

  it("may list dismissals or take one back, and name a finding by its number", async () => {
    assert.deepStrictEqual(await asked("--list"), { ...plain, action: { _tag: "List" } })
    assert.deepStrictEqual(await asked("--undo 3f2a --scope repo"), {
      ...plain,
      action: { _tag: "Undo", fingerprint: "3f2a", scope: "repo" }
    })
    // The word after a switch is the operand, also where it could be read as "true" or "false".
    for (const line of ["--undo 1", "1 --undo", "--undo=true 1"]) {
      assert.deepStrictEqual(await asked(line), {
        ...plain,
        action: { _tag: "Undo", fingerprint: "1", scope: "run" }
      }, line)
    }
    assert.deepInclude((await asked("--undo 0123")).action, { _tag: "Undo", fingerprint: "0123" })
    assert.match(await problem(["--undo=false", "1"]), /^--reason is needed/)
    assert.match(await problem(["--undo=1"]), /^name a finding: /)
    assert.deepStrictEqual(await asked("2 --reason so"), { ...plain, action: { ...action, fingerprint: "2" } })
  })

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [["--reason", "so"], /^name a finding: /],
    [["xyz", "--reason", "so"], /^FINDING "xyz": expected the number of a finding/],
    [["--undo"], /^name a finding: /],
    [["--undo", "--list"], /^--list and --undo exclude each other$/],
    [["--list", name], /^--list takes no FINDING$/],
    [[name], /^--reason is needed/],
    [[name, "--reason", " \n"], /^--reason .*: expected 1 to 2000 characters$/],
    [[name, "--reason", "x".repeat(2001)], /^--reason .*: expected 1 to 2000 characters$/],
    [[name, "--reason", "so", "--until", "2027-02-29"], /^--until .*: expected a day/],
    [[name, "--reason", "so", "--until", "2027-13-01"], /^--until .*: expected a day/],
    [[name, "--reason", "so", "--scope", "all"], /^--scope "all": expected run or repo$/]
  ]
  it.each(wrong)("%j are refused", async (argv, message) => assert.match(await problem(argv), message))
})

const { settings } = Invocation.make({ target: { _tag: "Uncommitted" }, strict: true, ceiling: "low", batchSize: 1 })

/** Carries out calls on a run that has just been reviewed, one after the other. */
const calling = (actions: ReadonlyArray<dismiss.Action>, json = false) =>
  onMachine(
    Effect.gen(function*() {
      const { run } = yield* loopStep(settings, false, "/repo")
      const said: Array<string> = []
      const output = Output.of({ write: (text) => Effect.sync(() => void said.push(text)) })
      let ending = { code: -1, stderr: "" }
      for (const action of actions) {
        const asked = { ...plain, action, json }
        ending = yield* perform(dismiss.run(asked, { cwd: Effect.succeed("/repo"), version: "0" })).pipe(
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
const dismissed = { ...action, fingerprint: reported }
const listed = { _tag: "List" } as const

describe("dismissing", () => {
  it("for the run is a line of its log, once", async () => {
    const { code, repo, said, written } = await calling([dismissed, dismissed])
    assert.deepStrictEqual([code, written, repo], [0, [["FindingDismissed"]], ""])
    assert.match(said[0] ?? "", /^dismissed for the run: [0-9a-f]{16} P1 src\/main\.ts:3-4 Check the bound\n/)
    assert.strictEqual(said[0]?.split("\n")[1], `take it back: ooda-codex-review dismiss --undo ${reported}`)
  })

  it("takes the number of a finding, or the beginning of its name", async () => {
    for (const name of ["1", reported.slice(0, 6)]) {
      const { code, said } = await calling([{ ...action, fingerprint: name }])
      assert.strictEqual(code, 0)
      assert.include(said[0], `dismissed for the run: ${reported} `)
    }
    const { code, stderr } = await calling([{ ...action, fingerprint: "7" }])
    assert.strictEqual(code, 6)
    assert.match(stderr, /^error: there is no finding 7: low batch 1 has 1 \[ooda-codex-review findings --all .*\]\n$/)
  })

  it("is one document with --json", async () => {
    const { code, said } = await calling([dismissed], true)
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
    const asked = { ...dismissed, scope: "repo", until: "2999-12-31" } as const
    const { code, repo, said, written } = await calling([asked, asked])
    assert.deepStrictEqual([code, written, repo.split("\n").length], [0, [["FindingDismissed"]], 2])
    assert.match(said[0] ?? "", /^dismissed for the repo until 2999-12-31: /)
    assert.include(said[0] ?? "", `dismiss --undo ${reported} --scope repo\n`)
  })

  it("what no reviewer reported writes nothing and says so in one line", async () => {
    const { code, repo, stderr, written } = await calling([{ ...action, fingerprint: "f".repeat(16) }])
    assert.deepStrictEqual([code, written, repo], [6, [], ""])
    assert.match(stderr, /^error: no finding of run \S+ is called f{16}; findings --json names them\n$/)
  })
})

describe("dismissals", () => {
  it("are listed with their scopes", async () => {
    const { said } = await calling([listed, dismissed, { ...dismissed, scope: "repo" }, listed])
    assert.strictEqual(said[0], "no dismissals\n")
    assert.deepStrictEqual(
      said[3]?.trimEnd().split("\n").map((line) => line.split(/ {2,}/)),
      [
        ["FINGERPRINT", "SCOPE", "UNTIL", "PLACE", "REASON"],
        [reported, "run", "-", "src/main.ts", "so"],
        [reported, "repo", "-", "src/main.ts", "so"]
      ]
    )
  })

  it("are taken back for the run, or for the repository too, once", async () => {
    const undo = { _tag: "Undo", fingerprint: reported.slice(0, 6), scope: "run" } as const
    const ofRun = await calling([dismissed, { ...dismissed, scope: "repo" }, undo, listed])
    assert.strictEqual(ofRun.said[2], `taken back for the run: ${reported}; it blocks again\n`)
    assert.deepStrictEqual(ofRun.written, [["FindingDismissed"], ["DismissalWithdrawn"]])
    assert.match(ofRun.said[3] ?? "", /\n\S+ +repo /)
    assert.notMatch(ofRun.said[3] ?? "", /\n\S+ +run /)
    const ofRepository = await calling([{ ...dismissed, scope: "repo" }, { ...undo, scope: "repo" }])
    assert.deepStrictEqual([ofRepository.code, ofRepository.repo.trim()], [0, ""])
    assert.deepStrictEqual(ofRepository.written, [["FindingDismissed"], ["DismissalWithdrawn"]])
    const numbered = await calling([dismissed, { ...undo, fingerprint: "1" }])
    assert.deepStrictEqual(numbered.written, [["FindingDismissed"], ["DismissalWithdrawn"]])
    const again = await calling([dismissed, undo, undo])
    assert.deepStrictEqual([again.code, again.written.length], [6, 2])
  })

  it("are a document with --json", async () => {
    const { said } = await calling([dismissed, listed], true)
    assert.deepInclude(JSON.parse(said[1] ?? "").dismissals[0], { fingerprint: reported, scope: "run", reason: "so" })
  })
})
