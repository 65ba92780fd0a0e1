// Replay: the timeline of a run, its manifest at a line, its live tail, and damaged logs of any kind.
import * as fs from "node:fs"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { layer as git } from "../../../../src/code/Git.live.ts"
import { Live } from "../../../../src/layers.ts"
import { layer as eventLog } from "../../../../src/log/EventLog.live.ts"
import { EventLog } from "../../../../src/log/EventLog.ts"
import type { StreamKind } from "../../../../src/log/StreamKind.ts"
import { Output, Signals } from "../../../../src/platform/Process.ts"
import { version } from "../../../../src/platform/Version.ts"
import { inFilesLayer as inFiles } from "../../../../src/read/UserFiles.live.ts"
import { type ReplayOptions, timeline } from "../../../../src/read/replay/Replay.ts"
import { fold } from "../../../../src/run/Manifest.ts"
import { shoppingReader } from "../../../support/shoppingReader.ts"
import { bench, logOf, runId } from "../../../support/writtenRuns.ts"
import { agentFinished, agentStarted, driving } from "../../drive/converge/events.ts"
import { added, begun, bought, priced, type Shopping, shopping, type ShoppingEvent } from "../../log/shopping.ts"
import { temporaryRun } from "../../log/temporaryLog.ts"
import { batchStarted, failed, log, started } from "../../run/events.ts"

const b = bench()
const name = { run: runId, repo: "repo-noremote", target: "uncommitted" }
const named = { _tag: "Named", prefix: runId } as const
const texts = (out: string): ReadonlyArray<string> => out.split("\n").slice(0, -1)

describe("a timeline", () => {
  it("shows the driver's stream before the head of the run, and then the tokens of both", async () => {
    const usage = { input: 900, cached: 0, output: 80, reasoning: 0 }
    const head = b.write([[b.born()], [batchStarted(), started()], [failed({ usage })]])
    const driver = logOf([[driving, agentStarted()], [agentFinished()]], {}, driving)
    fs.writeFileSync(`${b.dir()}/converge.jsonl`, driver.text)
    const rows = texts((await b.ask(b.replay())).out)
    assert.deepEqual(rows.filter((row) => /^ {4,5}d?\d/.test(row)).map((row) => row.slice(0, 6).trim()), [
      "1",
      "2",
      "3",
      "d1",
      "d2"
    ])
    assert.deepEqual(rows.slice(-3), [
      ` dhead  2:${driver.head.hash}`,
      `  head  3:${head.hash}`,
      "tokens  900 in, 80 out (+ 300k in, 12k out by agents)"
    ])
    const documents = texts((await b.ask(b.replay({ json: true }))).out).map((row) => JSON.parse(row))
    assert.deepEqual(documents.map(({ stream }) => stream), [
      ...["review", "review", "review", "review"],
      ...["converge", "converge", "converge", "converge"],
      "review"
    ])
    const used = { reviews: usage, agents: agentFinished().usage }
    assert.deepInclude(documents.at(-1), { head, torn: 0, usage: used })
    assert.notInclude((await b.ask(b.replay({ after: 1 }))).out, "dhead")
  })

  it("ends at the damage of a driver's stream", async () => {
    b.write([[b.born()]])
    fs.writeFileSync(`${b.dir()}/converge.jsonl`, `${logOf([[driving]], {}, driving).text}no line\n`)
    const { code, out } = await b.ask(b.replay())
    assert.strictEqual(code, 1)
    assert.include(out, "ConvergeStarted")
  })

  it("of a log without lines is empty", async () => {
    b.write([], { anchored: false })
    const { code, out } = await b.ask(b.replay({ selector: named, json: true }))
    assert.strictEqual(code, 0)
    assert.deepInclude(JSON.parse(out), { head: { seq: 0, hash: "" }, torn: 0 })
  })
})

describe("a damaged log", () => {
  it("is shown up to the damage, and exits 1", async () => {
    b.write(b.climb())
    const path = b.file("manifest.jsonl")
    fs.writeFileSync(path, fs.readFileSync(path, "utf8").replace('"ceiling":"medium"}', '"ceiling":"mediux"}'))
    const { code, out, stderr } = await b.ask(b.replay())
    assert.strictEqual(code, 1)
    assert.match(
      stderr,
      /^error: \S+manifest\.jsonl: damaged at line 5, byte \d+: bad hash \[audit says more; --fresh starts another run\]\n$/
    )
    assert.match(out, /\n {5}4 {2}/)
    assert.notMatch(out, /\n {5}5 {2}/)
  })

  it("that was cut is shown whole, and exits 1", async () => {
    b.write(b.climb())
    const { text } = logOf(b.climb().slice(0, 3))
    fs.writeFileSync(b.file("manifest.jsonl"), text)
    const { code, out, stderr } = await b.ask(b.replay())
    assert.deepEqual([code, /rolled back/.test(stderr)], [1, true])
    assert.match(out, /\n {5}3 {2}/)
  })
})

describe("replay after a line", () => {
  it("shows the rest of a whole replay, for every line", async () => {
    b.write(b.climb())
    const whole = texts((await b.ask(b.replay({ json: true }))).out)
    for (let after = 0; after <= b.climb().length; after++) {
      const { code, out } = await b.ask(b.replay({ json: true, after }))
      const later = whole.filter((row) => (JSON.parse(row).seq ?? Number.POSITIVE_INFINITY) > after)
      assert.deepEqual([code, texts(out)], [0, later])
    }
  })

  it("exits 6 if the line does not exist, also when it follows", async () => {
    const { seq } = b.write(b.climb())
    for (const follow of [false, true]) {
      const { code, out, stderr } = await b.ask(b.replay({ json: true, after: seq + 1, follow }))
      assert.deepEqual([code, out], [6, ""])
      assert.include(stderr, `there is no line ${seq + 1}: the log ends at ${seq}`)
    }
  })
})

describe("the manifest at a line", () => {
  it("is the fold of the lines up to it, at every line", async () => {
    const lines = b.climb()
    b.write(lines)
    for (let at = 1; at <= lines.length; at++) {
      const { code, out } = await b.ask(b.replay({ at, json: true }))
      const expected = fold(log(...lines.slice(0, at)))
      assert.strictEqual(code, 0)
      const timeless = (value: unknown): unknown =>
        JSON.parse(JSON.stringify(value, (key, inner: unknown) => key === "at" || key === "since" ? "" : inner))
      const { manifest, ...where } = JSON.parse(out)
      assert.deepEqual(where, { schema: 1, run: name, seq: at })
      assert.deepEqual(timeless(manifest), timeless(expected))
    }
  })

  it("does not exist after the last line", async () => {
    b.write(b.climb())
    const { code, out, stderr } = await b.ask(b.replay({ at: 10 }))
    assert.deepEqual([code, out], [6, ""])
    assert.strictEqual(stderr, "error: there is no line 10: the log ends at 9\n")
  })

  it("is known up to an unknown event", async () => {
    b.write([[b.born()], [{ _tag: "FromTheFuture" }]])
    assert.strictEqual((await b.ask(b.replay({ at: 1 }))).code, 0)
    const { code, stderr } = await b.ask(b.replay({ at: 2 }))
    assert.strictEqual(code, 6)
    assert.include(stderr, "needs a newer version")
  })
})

describe("a live tail", () => {
  /** Follows the run while `act` writes to its log; `see` waits until a text was shown. */
  const following = (
    act: (see: (text: string) => Promise<void>, end: () => void, shown: () => string) => Promise<void>,
    after = 0
  ) =>
    Effect.runPromise(Effect.gen(function*() {
      const asked = yield* Deferred.make<"SIGINT">()
      let shown = ""
      const waiting = new Set<() => void>()
      const output = Layer.succeed(Output, {
        write: (text) =>
          Effect.sync(() => {
            shown += text
            for (const wake of waiting) wake()
          })
      })
      const signals = Layer.succeed(Signals, { asked: Deferred.await(asked) })
      const layers = Layer.mergeAll(
        eventLog,
        git,
        Live.runStore,
        Live.drivers,
        Live.reviewers,
        Live.reviewFiles,
        Live.snapshots,
        inFiles,
        output,
        signals
      )
      const fiber = yield* Effect.forkChild(
        b.replay({ follow: true, after, selector: named })({ cwd: Effect.succeed(b.cwd()), version }).pipe(
          Effect.provide(layers)
        )
      )
      const see = (text: string) =>
        new Promise<void>((resolve) => {
          const look = () => {
            if (shown.includes(text)) resolve()
          }
          waiting.add(look)
          look()
        })
      yield* Effect.promise(() => act(see, () => Effect.runSync(Deferred.succeed(asked, "SIGINT")), () => shown))
      return { ended: yield* Fiber.join(fiber), shown }
    }))

  it("shows the driver's stream too, once there is one", async () => {
    b.write([[b.born()]])
    const driver = logOf([[driving, agentStarted()], [agentFinished()]], {}, driving).text.split(/(?<=\n)/)
    const { ended, shown } = await following(async (see, end) => {
      await see("RunCreated")
      fs.writeFileSync(`${b.dir()}/converge.jsonl`, driver[0] ?? "")
      await see("AgentStarted")
      fs.appendFileSync(`${b.dir()}/converge.jsonl`, driver[1] ?? "")
      await see("AgentFinished")
      end()
    })
    assert.strictEqual(ended.code, 0)
    assert.notInclude(shown, "head")
  })

  const append = (text: string) => fs.appendFileSync(b.file("manifest.jsonl"), text)
  const signal = (n: number) => [{ _tag: "StepAborted", signal: `SIG${n}` }]

  it("shows each line once, as it is committed, and never a part of one", async () => {
    const lines = [[b.born()], ...Array.from({ length: 6 }, (_, i) => signal(i + 1))]
    b.write(lines.slice(0, 2), { anchored: false })
    const whole = logOf(lines).text.split(/(?<=\n)/)
    const { ended, shown } = await following(async (see, end, shown) => {
      await see("SIG1\n")
      append(whole[2] ?? "")
      await see("SIG2\n")
      // Two lines at once, the second one in parts.
      const half = Math.floor((whole[4] ?? "").length / 2)
      append((whole[3] ?? "") + (whole[4] ?? "").slice(0, half))
      await see("SIG3\n")
      append((whole[4] ?? "").slice(half))
      await see("SIG4\n")
      assert.notInclude(shown(), "SIG5")
      append((whole[5] ?? "") + (whole[6] ?? ""))
      await see("SIG6\n")
      end()
    })
    assert.deepEqual(ended, { stdout: "", stderr: "", code: 0 })
    assert.deepEqual(shown.match(/SIG\d/g), ["SIG1", "SIG2", "SIG3", "SIG4", "SIG5", "SIG6"])
    assert.notInclude(shown, "  head  ")
  })

  it("resumes after the given line", async () => {
    const lines = [[b.born()], signal(1), signal(2), signal(3)]
    const whole = logOf(lines).text.split(/(?<=\n)/)
    for (const after of [1, 3]) {
      b.write(lines.slice(0, 3), { anchored: false })
      const { ended, shown } = await following(async (see, end) => {
        if (after < 3) await see("SIG2\n")
        append(whole[3] ?? "")
        await see("SIG3\n")
        end()
      }, after)
      assert.strictEqual(ended.code, 0)
      assert.deepEqual(shown.match(/SIG\d/g), after < 3 ? ["SIG1", "SIG2", "SIG3"] : ["SIG3"])
    }
  })

  it("ends with the error when the log is damaged meanwhile", async () => {
    b.write([[b.born()]], { anchored: false })
    const { ended } = await following(async (see) => {
      await see("RunCreated")
      append("nonsense\n")
    })
    assert.strictEqual(ended.code, 1)
    assert.include(ended.stderr, "damaged at line 2")
  })
})

const temporary = temporaryRun()
const onDisk = <A, E>(effect: Effect.Effect<A, E, EventLog>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, eventLog))

/** Writes a list of three lines, the last with a price. */
const written = Effect.gen(function*() {
  const log = yield* EventLog
  const first = yield* log.create(shopping, temporary.ref(), [begun])
  const second = yield* log.append(shopping, temporary.ref(), first, [added("milk"), added("tea")])
  return yield* log.append(shopping, temporary.ref(), second, [priced("tea", 240), bought("tea")])
})

/** The timeline of the list as a version of its kind shows it, without times. */
const shown = async <E extends ShoppingEvent>(kind: StreamKind<E, Shopping>, options: Partial<ReplayOptions> = {}) => {
  let said = ""
  const output = Layer.succeed(Output, { write: (text) => Effect.sync(() => void (said += text)) })
  const all = { after: 0, follow: false, json: false, ...options }
  await onDisk(Effect.provide(timeline(shoppingReader(kind), temporary.ref(), all), output))
  return said.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<at>")
}

describe("the timeline of a kind that the program does not know", () => {
  it("shows repairs and a torn tail without help from its reader", async () => {
    const head = await onDisk(written)
    fs.appendFileSync(temporary.file("shopping.jsonl"), "torn")
    await onDisk(EventLog.use((log) => log.append(shopping, temporary.ref(), head, [added("jam")])))
    fs.appendFileSync(temporary.file("shopping.jsonl"), "again")
    const text = await shown(shopping, { after: 3 })
    assert.match(text, /^ {5}4 {2}<at> {2}TailRepaired {10}4 torn bytes at byte \d+ cut, kept in shopping\.torn\/\d+-/)
    assert.match(text, /\n {2}torn {2}5 bytes after it were never committed; the next writer removes them\n$/)
  })
})
