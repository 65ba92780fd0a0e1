// Reviewers as trees of real processes: wrapper, launcher, native codex, its sandbox, and the commands it runs.
// Whatever ends a reviewer, nothing of its tree is left; whatever ends a step alone, all of it is.
import { assert, describe, it } from "vitest"
import { command } from "../../fixtures/stand-in-model/reply.mjs"
import * as scenarios from "../../fixtures/stand-in-model/scenarios.mjs"
import { attempts, eventually, gate, type Living, living } from "./processes.ts"
import { only, recorded } from "./recorded.ts"
import { type Bench, type Ended, type Started, withBench } from "./support.ts"

const ONE_SLOT = ["--uncommitted", "--level", "low", "--ceiling", "low", "-n", "1"]

interface Scene extends Bench {
  readonly waiting: Started
  /** The processes of the attempts that were under way when the scene began. */
  readonly left: () => ReadonlyArray<Living>
}

let scenes = 0

/** A step that waits for a reviewer whose model had it run commands that would outlive all of this. */
const atWork = (options: ReadonlyArray<string>, use: (scene: Scene) => Promise<void>) => {
  const word = `3600.${process.pid}${++scenes}`
  // One in the shell's group, one in a session of its own that ignores what ends others, and the shell's own.
  const commands = `sleep ${word} & setsid sh -c 'trap "" TERM HUP; sleep ${word}; :' & exec sleep ${word}`
  return withBench(() => () => command(commands), async (bench) => {
    bench.write("one.mjs", "export const one = 1.0\n")
    const waiting = bench.start(...ONE_SLOT, ...options)
    const sleepers = () => living([], word).filter(({ line }) => line.startsWith("sleep ")).length
    // On a very slow machine a deadline may come first; then there is less to be ended.
    let over = false
    void waiting.ended.then(() => (over = true))
    await eventually("a reviewer that runs commands", () => over || sleepers() === 3)
    const ids = attempts(bench)
    const left = () => living(ids, word)
    if (!over) {
      const lines = left().map(({ line }) => line)
      for (const part of [/^\/bin\/sh -c/, /codex\.js review/, /bin\/codex review/, /^bwrap |codex-linux-sandbox/]) {
        assert.isTrue(lines.some((line) => part.test(line)), `${part}:\n${lines.join("\n")}`)
      }
    }
    await use({ ...bench, waiting, left })
  })
}

const nothingLeft = ({ left, running }: Scene): void => {
  assert.deepStrictEqual(left(), [])
  assert.deepStrictEqual(running(), [])
}

const assertAborted = ({ exit, stderr }: Ended): void => assert.deepStrictEqual([exit, stderr], [8, "DoneAborted\n"])

describe("the whole tree of a reviewer", () => {
  it("is ended by `stop`; the step that waits ends too", () =>
    atWork([], async (scene) => {
      const stopped = await scene.command("stop", "--uncommitted")
      assert.deepStrictEqual(scene.left(), [])
      assert.strictEqual(stopped.exit, 0)
      assert.strictEqual(stopped.stdout, "stopped 1 reviewer of low batch 1\n")
      assertAborted(await scene.waiting.ended)
      nothingLeft(scene)
      assert.deepInclude(only(recorded(scene.stateRoot, "uncommitted"), "ReviewStopped")[0], { slot: 1, cause: "Stop" })
    }))

  it("is ended by `stop` with the step killed", () =>
    atWork([], async (scene) => {
      scene.waiting.signal("SIGKILL")
      await scene.waiting.ended
      assert.isAtLeast(scene.left().length, 6)
      assert.strictEqual((await scene.command("stop", "--uncommitted")).exit, 0)
      nothingLeft(scene)
    }))

  it("is ended by SIGINT to the step", () =>
    atWork([], async (scene) => {
      scene.waiting.signal("SIGINT")
      assertAborted(await scene.waiting.ended)
      nothingLeft(scene)
      const events = recorded(scene.stateRoot, "uncommitted")
      assert.deepInclude(only(events, "ReviewStopped")[0], { slot: 1, cause: "Interrupt" })
      assert.deepInclude(only(events, "StepAborted")[0], { signal: "SIGINT" })
    }))

  it("is ended by --fresh", () =>
    atWork([], async (scene) => {
      const fresh = scene.start(...ONE_SLOT, "--fresh")
      assertAborted(await scene.waiting.ended)
      await eventually("the end of the old run's reviewer", () => scene.left().length === 0)
      fresh.signal("SIGINT")
      await fresh.ended
      assert.deepStrictEqual(scene.running(), [])
    }))

  it("is ended by a mark that leaves its batch", () =>
    atWork([], async (scene) => {
      const marked = await scene.command("--uncommitted", "--advance-level")
      assert.deepStrictEqual(scene.left(), [])
      assert.deepStrictEqual([marked.exit, marked.stdout], [7, "advanced level: low -> medium\n"])
      scene.waiting.signal("SIGINT")
      await scene.waiting.ended
    }))

  it("is ended by its deadline, with the step killed", () =>
    atWork(["--review-timeout", "15s"], async (scene) => {
      scene.waiting.signal("SIGKILL")
      await scene.waiting.ended
      await eventually("the end of the whole tree", () => scene.left().length === 0)
      const next = await scene.step(...ONE_SLOT)
      assert.strictEqual(next.exit, 6)
      assert.match(next.stderr, /^BinaryError: .* slot 1(?: exited \d+)?: Deadline: .*raise --review-timeout/)
      nothingLeft(scene)
      assert.lengthOf(attempts(scene), 1)
    }))

  it("is ended when its wrapper and its launcher are killed", () =>
    atWork([], async (scene) => {
      // The launcher's death alone would orphan the native process and its commands.
      const killed = scene.left().filter(({ line }) => /^\/bin\/sh -c|codex\.js review/.test(line))
      for (const { pid } of killed) process.kill(pid, "SIGKILL")
      const { exit, stderr } = await scene.waiting.ended
      assert.strictEqual(exit, 6)
      assert.match(stderr, /^BinaryError: .* slot 1: Lost: /)
      nothingLeft(scene)
    }))
})

describe("a step that is killed", () => {
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    it(`by ${signal} leaves its reviewers to the next one, which takes each verdict once`, () => {
      const held = gate(scenarios.clean)
      const three = [...ONE_SLOT.slice(0, -1), "3"]
      return withBench(() => held.policy, async (bench) => {
        bench.write("one.mjs", "export const one = 1.0\n")
        const first = bench.start(...three)
        await eventually("three requests to the model", () => bench.requests.length === 3)
        first.signal(signal)
        assert.strictEqual((await first.ended).exit, signal === "SIGTERM" ? 8 : null)
        const before = attempts(bench)
        assert.lengthOf(before, 3)
        assert.isAtLeast(living(before).length, 9)
        const second = bench.start(...three)
        held.open()
        const { exit, stderr } = await second.ended
        assert.deepStrictEqual([exit, stderr], [0, "DoneFixedPoint\n"])
        assert.lengthOf(bench.reviews(), 3)
        const events = recorded(bench.stateRoot, "uncommitted")
        assert.deepStrictEqual(attempts(bench), before)
        assert.deepStrictEqual(only(events, "ReviewFinished").map(({ slot }) => slot).sort(), [1, 2, 3])
        for (const tag of ["BatchStarted", "BatchCompleted"] as const) assert.lengthOf(only(events, tag), 1)
        const aborted = only(events, "StepAborted").map((event) => event.signal)
        assert.deepStrictEqual(aborted, signal === "SIGTERM" ? ["SIGTERM"] : [])
        assert.deepStrictEqual(bench.running(), [])
      })
    })
  }
})
