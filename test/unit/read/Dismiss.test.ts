// Dismiss: dismissing findings, and every way in which nothing is dismissed.
import { Effect, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { fingerprint } from "../../../src/review/findings/Finding.ts"
import * as Invocation from "../../../src/run/Invocation.ts"
import { dismissFinding, type DismissRequest } from "../../../src/read/Dismiss.ts"
import { loopStep } from "../../../src/step/LoopStep.ts"
import { dismissalsPlace } from "../../../src/testing/memory/Code.ts"
import { Memory, Scripted, World } from "../../../src/testing.ts"
import { Git } from "../../../src/code/Git.ts"
import { Snapshots } from "../../../src/code/Snapshots.ts"
import { Environment, type Variables } from "../../../src/platform/Environment.ts"
import { onMachine, tagsOf } from "../run/opened.ts"

const { settings } = Invocation.make({ target: { _tag: "Uncommitted" }, strict: true, ceiling: "low", batchSize: 1 })
const name = fingerprint({ title: "Check the bound", body: "", path: "src/main.ts" })
const plain: DismissRequest = { fingerprint: name, reason: "so", until: null, scope: "run" }

/** Snapshots that record what is accepted. */
const accepting = (accepted: Array<string>) =>
  Layer.effect(
    Snapshots,
    Effect.map(Snapshots, (all) =>
      Snapshots.of({
        ...all,
        acceptProtected: (_, root, path) => Effect.sync(() => void accepted.push(`${root}/${path}`))
      }))
  ).pipe(Layer.provide(Memory.snapshots()))

const dismissing = (
  given: ReadonlyArray<Partial<DismissRequest>>,
  file = "",
  options: Memory.Options = {},
  env: Variables = {}
) =>
  onMachine(
    Effect.gen(function*() {
      const { run } = yield* loopStep(settings, false, "/repo")
      const { documents } = yield* World
      const here = dismissalsPlace({ _tag: "Worktree" })
      if (file !== "") yield* Ref.update(documents, (all) => new Map(all).set(here, file))
      const ref = run?.ref ?? assert.fail("no run")
      const ends = yield* Effect.forEach(given, (one) =>
        dismissFinding(ref, { ...plain, ...one }, "/repo").pipe(
          Effect.provideService(Environment, env),
          Effect.match({ onFailure: ({ message }) => message, onSuccess: ({ dismissal }) => dismissal.wordings.length })
        ))
      return { ends, written: (yield* tagsOf(run)).slice(3), repo: (yield* Ref.get(documents)).get(here) ?? "" }
    }),
    { script: () => Scripted.issues(), ...options }
  )

describe("dismissing a finding", () => {
  it("is written once, and again with another reason or day", async () => {
    const { ends, written } = await dismissing([{}, {}, { reason: "else" }, { until: "2999-12-31" }])
    assert.deepStrictEqual(ends, [1, 1, 1, 1])
    assert.lengthOf(written, 3)
    const { repo } = await dismissing([{ scope: "repo" }, { scope: "repo" }, { scope: "repo", reason: "else" }])
    assert.lengthOf(repo.split("\n"), 3)
  })

  it("for the repository changes a protected file, which is accepted; a job of the run changes nothing", async () => {
    const acceptedFor = async (env: Variables) => {
      const accepted: Array<string> = []
      const { ends, repo, written } = await dismissing(
        [{ scope: "repo" }],
        "",
        { snapshots: accepting(accepted) },
        env
      )
      return { ends, accepted, written: written.length, isKept: repo !== "" }
    }
    const accepted = { ends: [1], accepted: ["/repo/.ooda/dismissals.jsonl"], written: 1, isKept: true }
    assert.deepStrictEqual(await acceptedFor({}), accepted)
    assert.deepStrictEqual(await acceptedFor({ OODA_ATTEMPT: "attempt-of-another-run" }), accepted)
    const { ends: [why], ...rest } = await acceptedFor({ OODA_ATTEMPT: "attempt-3" })
    assert.match(String(why), /^an agent, a test or a reviewer of run \S+ may not decide about its worktree/)
    assert.deepStrictEqual(rest, { accepted: [], written: 0, isKept: false })
  })

  it("is refused for invalid input or an unknown finding, and nothing is written", async () => {
    const { ends, repo, written } = await dismissing([
      { fingerprint: "xyz" },
      { reason: " " },
      { until: "2027-02-29" },
      { until: "1969-12-31" },
      { fingerprint: "0".repeat(16) }
    ])
    const said = [
      /16 hexadecimal/,
      /1 to 2000/,
      /expected a day/,
      /is past: today is/,
      /no finding of run \S+ is called 0{16}/
    ]
    for (const [i, why] of said.entries()) assert.match(String(ends[i]), why)
    assert.deepStrictEqual([written, repo], [[], ""])
  })

  it("for the repository is refused if its file is broken, or the run belongs to another one", async () => {
    const broken = await dismissing([{ scope: "repo" }], "<<<<\n")
    assert.match(String(broken.ends[0]), /line 1 is not a valid dismissal/)
    assert.strictEqual(broken.repo, "<<<<\n")
    let asked = 0
    // Another repository from the second call on.
    const git = Layer.mock(Git)({
      repository: () => Effect.sync(() => ({ root: "/repo", id: asked++ === 0 ? "repo-noremote" : "other-noremote" })),
      identity: () => Effect.succeed({ _tag: "Known", head: "h", tree: "t", base: null }),
      isolate: () => Effect.succeed({ place: "/copy", identity: { _tag: "Known", head: "h", tree: "t", base: null } }),
      changesIn: () => Effect.succeed([]),
      isIsolated: () => Effect.succeed(true),
      targetProblem: () => Effect.succeed(null)
    })
    const other = await dismissing([{ scope: "repo" }], "", { git })
    assert.match(String(other.ends[0]), /is of another repository than this one/)
    assert.strictEqual(other.repo, "")
  })
})
