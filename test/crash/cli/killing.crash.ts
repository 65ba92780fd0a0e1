// Killing: steps and marks by several callers at once, killed whenever, while two readers follow the log.
// Every acknowledged mark is one line of its own process; a follower sees each line once and whole.
import type { ChildProcess } from "node:child_process"
import * as path from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../src/log/EventLog.live.ts"
import { beginning } from "../../../src/log/StreamKind.ts"
import type { RunRef } from "../../../src/log/Refs.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { type Ended, type Place, useBench } from "./bench.ts"
import { latestRun, type RunOnDisk, runsIn } from "./disk.ts"
import { freely } from "./gate.ts"
import { allSound, attemptsOnce } from "./looping.ts"
import { draw, type Drawn, numbers } from "./random.ts"

const bench = useBench()

const callers = 4
const lasting = Number(process.env["CRASH_SECONDS"] ?? "20") * 1000
const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 1_000_000)

interface Taken extends Drawn {
  readonly pid: number
  readonly ended: Ended
}

/** Takes one drawn step, and kills it at its time if it is to die. */
const take = async (on: Place, drawn: Drawn): Promise<Taken> => {
  let pid = 0
  let timer: NodeJS.Timeout | undefined
  const onStart = (child: ChildProcess): void => {
    pid = child.pid ?? 0
    if (drawn.death !== null) timer = setTimeout(() => child.kill("SIGKILL"), drawn.death)
  }
  const ended = await freely(bench(), on, drawn.step, { onStart })
  clearTimeout(timer)
  return { ...drawn, pid, ended }
}

/** Reads the lines of a run as they come, until asked to stop; a look may fall into any write or repair. */
const follow = (run: RunRef, until: () => boolean) =>
  Effect.gen(function*() {
    const log = yield* EventLog
    const seen: Array<number> = []
    let head = beginning
    for (let last = false;; last = until()) {
      const more = yield* log.readFrom(reviewRun, run, head)
      seen.push(...more.commits.map(({ seq }) => seq))
      head = more.head
      if (last) return seen
      yield* Effect.sleep(1)
    }
  }).pipe(Effect.provide(layer))

/** `replay --follow` as another reader; `stop` waits until it has shown line `last` and ends it. */
const replaying = (on: Place) => {
  const shown = { text: "" }
  let child: ChildProcess | null = null
  const onStart = (started: ChildProcess): void => {
    child = started
    started.stdout?.on("data", (data) => shown.text += data)
  }
  const ended = bench().run(on, ["replay", "--follow", "--json", "--state-root", on.state], { onStart })
  const stop = async (last: number): Promise<Ended> => {
    const deadline = Date.now() + 30_000
    while (!shown.text.includes(`{"seq":${last},`) && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    child?.kill("SIGTERM")
    return ended
  }
  return { stop }
}

const taking = ["ReviewFinished", "ReviewFailed", "BatchCompleted", "BatchFailed"]

/** The lines that a process wrote, without those that take in what had ended by itself. */
const linesBy = (run: RunOnDisk, pid: number): ReadonlyArray<string> =>
  run.raw.filter((raw) => {
    const { by, events } = JSON.parse(raw)
    return by.pid === pid && !events.every(({ _tag }: { _tag: string }) => taking.includes(_tag))
  })

const checkMark = (run: RunOnDisk, { ended, pid, step }: Taken): void => {
  const lines = linesBy(run, pid)
  const said = `exit ${ended.exit} ${ended.signal}\n${ended.stdout}${ended.stderr}`
  const where = `${step.args.join(" ")}: ${said}\n${lines.join("\n")}`
  assert.isAtMost(lines.length, 1, where)
  if (ended.signal === null) assert.include([3, 7, 0], ended.exit, where)
  const isAcknowledged = ended.stdout.endsWith("\n") || ended.exit !== null
  const idle = /^at (ladder edge|floor)/.test(ended.stdout)
  if (isAcknowledged) assert.strictEqual(lines.length, idle ? 0 : 1, where)
}

describe("steps and marks killed at any moment", () => {
  it("leave one run with every acknowledged mark in it, which followers saw line by line", async () => {
    const place = bench().place()
    assert.strictEqual((await freely(bench(), place, { args: ["--advance-level"] })).exit, 7)
    const { dir, id } = latestRun(place.state) ?? assert.fail("no run")
    const [repoId = "", targetKey = ""] = path.relative(place.state, dir).split(path.sep)
    let over = false
    const following = Effect.runPromise(follow({ root: place.state, repoId, targetKey, runId: id }, () => over))
    const replay = replaying(place)
    const end = Date.now() + lasting
    const call = async (caller: number): Promise<ReadonlyArray<Taken>> => {
      const number = numbers(seed * 10 + caller)
      const taken: Array<Taken> = []
      for (let i = 0; Date.now() < end; i++) taken.push(await take(place, draw(number, `${caller}.${i}`)))
      return taken
    }
    const all = (await Promise.all(Array.from({ length: callers }, (_, i) => call(i)))).flat()
    const last = await freely(bench(), place, { args: ["-n", "2"] })
    const said = `seed ${seed}: ${last.stdout}${last.stderr}`
    assert.include([0, 5], last.exit, said)
    over = true

    const [run, ...others] = runsIn(place.state)
    if (run === undefined) return assert.fail("no run")
    assert.deepStrictEqual(others, [])
    assert.strictEqual(run.torn.length, 0)
    for (const taken of all.filter(({ marks }) => marks)) checkMark(run, taken)
    for (const { ended, marks } of all) {
      if (!marks && ended.signal === null) assert.include([0, 5], ended.exit, `seed ${seed}: ${ended.stderr}`)
    }
    assert.deepStrictEqual(await following, run.lines.map(({ seq }) => seq))
    const shown = await replay.stop(run.lines.length)
    assert.strictEqual(shown.stderr, "")
    const places = shown.stdout.split("\n").slice(0, -1).map((text) => {
      const { index, seq } = JSON.parse(text)
      return `${seq}.${index}`
    })
    assert.deepStrictEqual(places, run.lines.flatMap(({ events, seq }) => events.map((_, index) => `${seq}.${index}`)))
    const attempts = attemptsOnce(place, `seed ${seed}`)
    await allSound(bench(), [place])
    const deaths = all.filter(({ ended }) => ended.signal === "SIGKILL").length
    assert.isAbove(deaths, 0)
    console.log(
      `seed ${seed}: ${all.length} steps by ${callers} callers, ${deaths} killed, ${run.lines.length} lines, ` +
        `${attempts.length} reviewers`
    )
  })
})
