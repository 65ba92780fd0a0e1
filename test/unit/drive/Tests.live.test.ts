// Tests.live: real tests: how they end, their output, their time limit, and that they outlive their followers.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { layer } from "../../../src/drive/Tests.live.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { Tests } from "../../../src/drive/Tests.ts"

let root = ""
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "tests-"))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

const run = () => ({ root, repoId: "repo", targetKey: "uncommitted", runId: "20300601T000000Z-000000000-p1" })
const ref = (test = 1) => ({ run: run(), test, id: `test-${test}-${process.pid}` })

const asking = <A, E>(use: Effect.Effect<A, E, Tests>, variables: Readonly<Record<string, string>> = {}) =>
  Effect.runPromise(
    use.pipe(Effect.provide(layer), Effect.provideService(Environment, { ...process.env, ...variables }))
  )

const ran = (command: string, timeout = 60_000, variables = {}) =>
  asking(
    Tests.use((tests) => Effect.andThen(tests.start(ref(), { command, cwd: root, timeout }), tests.follow(ref()))),
    variables
  )

describe("a test", () => {
  it("ends with its status, and with both streams in the order in which it wrote them", async () => {
    const end = await ran(`echo one; echo two >&2; echo "$NAME"; pwd; exit 3`, 60_000, { NAME: "of the caller" })
    assert.deepInclude(end, { exit: 3, tail: `one\ntwo\nof the caller\n${root}\n` })
    assert.strictEqual(end?.output.bytes, end?.tail.length)
  })

  it("is green if it exits with 0, even if it leaves a process behind", async () => {
    assert.deepInclude(await ran("sleep 30 & echo done"), { exit: 0, tail: "done\n" })
  })

  it("is killed after its time limit", async () => {
    assert.deepInclude(await ran("echo begun; sleep 60", 300), { exit: null })
  })

  it("returns the end of a long output", async () => {
    const end = await ran("i=0; while [ $i -lt 4000 ]; do echo line-$i; i=$((i+1)); done")
    assert.isAtMost(end?.tail.length ?? 0, 16 * 1024)
    assert.isTrue(end?.tail.endsWith("line-3999\n"))
  })

  it("continues when its follower is gone, and another one can follow it", async () => {
    await asking(
      Tests.use((tests) => tests.start(ref(), { command: "sleep 0.3; echo late", cwd: root, timeout: 9000 }))
    )
    const end = await asking(Tests.use((tests) => tests.follow(ref())))
    assert.deepInclude(end, { exit: 0, tail: "late\n" })
    assert.deepStrictEqual(await asking(Tests.use((tests) => tests.follow(ref()))), end)
  })

  it("is killed with all its children", async () => {
    const [stopped, end] = await asking(Tests.use((tests) =>
      Effect.gen(function*() {
        yield* tests.start(ref(), { command: "sleep 60 & sleep 61", cwd: root, timeout: 60_000 })
        yield* Effect.sleep(300)
        return [yield* tests.stop([ref()]), yield* tests.follow(ref())] as const
      })
    ))
    assert.isAbove(stopped, 0)
    assert.notStrictEqual(end?.exit ?? 1, 0)
  })

  it("that never started has no end", async () => {
    assert.isNull(await asking(Tests.use((tests) => tests.follow(ref(7)))))
    assert.isTrue((await asking(Tests.useSync(({ place }) => place(run(), 7)))).endsWith("/tests/7/1.out"))
  }, 15_000)
})
