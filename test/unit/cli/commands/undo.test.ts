// The arguments of `undo`, and what it writes.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { perform } from "../../../../src/cli/command.ts"
import * as undo from "../../../../src/cli/commands/undo.ts"
import { Output } from "../../../../src/platform/Process.ts"
import { RunStore } from "../../../../src/run/RunStore.ts"
import { Snapshots } from "../../../../src/code/Snapshots.ts"
import { World } from "../../../../src/testing.ts"
import { created, runRef } from "../../run/events.ts"
import { begun, onMachine } from "../../run/opened.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(undo)
const plain = {
  stateRoot: null,
  selector: { _tag: "Newest" },
  to: { _tag: "LastRound" },
  list: false,
  dryRun: false,
  force: false,
  partial: false,
  json: false
} as const

describe("the arguments of undo", () => {
  it("may name a run, a round, a snapshot, all or the list", async () => {
    assert.deepStrictEqual(await asked(""), plain)
    const selector = { _tag: "Named", prefix: "2026" } as const
    assert.deepStrictEqual(await asked("2026 --to 3 --json --state-root /s"), {
      ...plain,
      stateRoot: "/s",
      selector,
      to: { _tag: "Snapshot", number: 3 },
      json: true
    })
    assert.deepStrictEqual(await asked("--list"), { ...plain, list: true })
    assert.deepStrictEqual(await asked("--round 2 --force --dry-run"), {
      ...plain,
      to: { _tag: "Round", round: 2 },
      force: true,
      dryRun: true
    })
    const all = { ...plain, to: { _tag: "AllRounds" }, partial: true } as const
    assert.deepStrictEqual(await asked("--all --allow partial-snapshot"), all)
  })

  it.each(
    [
      ["--list --to 1", /^--list and --to exclude each other$/],
      ["--all --round 1 --to 2", /^--all and --round and --to exclude each other$/],
      ["--to 0", /^--to "0": expected a whole number from 1/],
      ["--allow unsandboxed", /partial-snapshot/],
      ["2026 --uncommitted", /exclude each other$/]
    ] as const
  )("%s is refused", async (line, message) => assert.match(await problem(line), message))
})

const called = (asked: ReadonlyArray<Partial<undo.Request>>) =>
  onMachine(Effect.gen(function*() {
    yield* (yield* RunStore).create(runRef())
    yield* begun(created({ worktree: "/repo" }), [])
    yield* (yield* Snapshots).take(runRef(), "/repo", { _tag: "BeforeAgent", agent: 1 }, {
      partial: false,
      round: 1
    })
    yield* Ref.set((yield* World).code, "edited")
    let said = ""
    const output = Output.of({ write: (text) => Effect.sync(() => void (said += text)) })
    const codes: Array<number | string> = []
    for (const one of asked) {
      const all = {
        ...plain,
        stateRoot: runRef().root,
        selector: { _tag: "Named", prefix: runRef().runId },
        ...one
      } as const
      const ending = yield* perform(undo.run(all, { cwd: Effect.succeed("/repo"), version: "0" })).pipe(
        Effect.provideService(Output, output)
      )
      codes.push(ending.code, ending.stderr)
    }
    return { said, codes }
  }))

describe("undoing", () => {
  it("says what it did, and lists", async () => {
    const { codes, said } = await called([{}, { list: true }])
    assert.deepStrictEqual(codes, [0, "", 0, ""])
    assert.match(
      said,
      /^took back round 1 \[snapshot 1, .*\n {2}written {2}code\nto bring it back: .* --to \d+\nround 1 [^]* before an undo\n[^]*\n$/
    )
  })

  it("shows what it would do", async () => {
    const { codes, said } = await called([{ dryRun: true }, { dryRun: true, json: true }])
    assert.deepStrictEqual(codes, [0, "", 0, ""])
    assert.match(said, /^would take back round 1 [^]*\n-edited\n\+code-1\n\{/)
  })

  it("writes documents", async () => {
    const { said } = await called([{ json: true, list: true }, { json: true }])
    const [list, undone] = said.trim().split("\n").map((line) => JSON.parse(line))
    assert.deepStrictEqual([list.snapshots.length, list.rounds.length, undone.saved.number], [1, 1, 2])
  })

  it("says in one line that there is no such snapshot", async () => {
    const { codes } = await called([{ to: { _tag: "Snapshot", number: 9 } }])
    assert.strictEqual(codes[0], 6)
    assert.match(`${codes[1]}`, /there is no snapshot 9; the last one is 1 .*\n$/)
  })
})
