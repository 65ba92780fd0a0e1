// Processes: eight writers on one log, killed at random and started again, while a follower reads.
// One sequence without a gap holds each acknowledged line once, and no process waits for a dead one.
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { layer } from "../../src/log/EventLog.live.ts"
import { beginning, type Commit } from "../../src/log/StreamKind.ts"
import type { Event } from "../../src/run/Event.ts"
import { reviewRun } from "../../src/run/ReviewRun.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { onlyRun } from "../unit/log/onlyRun.ts"
import { notes } from "../unit/log/samples.ts"
import { acknowledged, prepareWriter } from "./program.ts"

const state = { root: "", writer: "" }
beforeAll(async () => {
  Object.assign(state, await prepareWriter())
})
afterAll(() => fs.rmSync(state.root, { recursive: true, force: true }))

const writers = 8
const lifetimes = 6
const linesOfOne = 12

/** Another Node to run every second writer with: two versions at once must agree. */
const otherNode = process.env["OTHER_NODE"] ?? process.execPath
if (otherNode === process.execPath) console.warn("SKIPPED two versions of Node at once: OTHER_NODE names no other")

interface Ended {
  readonly stdout: string
  readonly stderr: string
  readonly killed: boolean
}

/** When a writer is killed: so many milliseconds after so many acknowledgements. */
interface Death {
  readonly acknowledgements: number
  readonly millis: number
}

/** Runs a writer, which is killed at its time whatever it is doing then, or ends by itself. */
const write = (root: string, name: string, node: string, death: Death | null): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(node, [state.writer, root, name, String(linesOfOne)], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    const said = { stdout: "", stderr: "" }
    child.stdout?.on("data", (data) => {
      said.stdout += data
      if (death !== null && acknowledged(said.stdout).length >= death.acknowledgements) {
        setTimeout(() => child.kill("SIGKILL"), death.millis)
      }
    })
    child.stderr?.on("data", (data) => said.stderr += data)
    child.once("error", reject)
    child.once("close", (_, signal) => resolve({ ...said, killed: signal === "SIGKILL" }))
  })

/** One after the other, writers under one number; all but the last are killed, each at another time. */
const generations = async (root: string, number: number): Promise<ReadonlyArray<Ended>> => {
  const ended: Array<Ended> = []
  for (let life = 0; life < lifetimes; life++) {
    const death = { acknowledgements: (number * 5 + life * 3) % (linesOfOne - 2), millis: (number * 7 + life) % 20 }
    const node = number % 2 === 0 ? process.execPath : otherNode
    ended.push(await write(root, `w${number}.${life}.`, node, life === lifetimes - 1 ? null : death))
  }
  return ended
}

/** Reads on from the last head until asked to stop, and keeps every line that it got. */
const follow = (root: string, until: () => boolean) =>
  Effect.gen(function*() {
    const log = yield* EventLog
    const seen: Array<Commit<Event>> = []
    let head = beginning
    for (let last = false;; last = until()) {
      const more = yield* log.readFrom(reviewRun, onlyRun(root), head).pipe(
        Effect.catchTag("LogMissing", () => Effect.succeed(null))
      )
      if (more !== null) {
        seen.push(...more.commits)
        head = more.head
      }
      if (last) return seen
      yield* Effect.sleep(1)
    }
  }).pipe(Effect.provide(layer))

describe("eight writers killed and started again", () => {
  it("leave one sequence with every acknowledged line in it once", async () => {
    const root = path.join(state.root, "state")
    let done = false
    const following = Effect.runPromise(follow(root, () => done))
    const all = (await Promise.all(Array.from({ length: writers }, (_, i) => generations(root, i)))).flat()
    done = true
    const seen = await following

    for (const { killed, stderr } of all) if (!killed) assert.strictEqual(stderr, "")
    const contents = await Effect.runPromise(
      EventLog.use((log) => log.read(reviewRun, onlyRun(root))).pipe(Effect.provide(layer))
    )
    assert.deepStrictEqual(contents.commits.map(({ seq }) => seq), contents.commits.map((_, i) => i + 1))
    assert.deepStrictEqual(seen, [...contents.commits])
    const found = notes(contents)
    assert.strictEqual(new Set(found).size, found.length)
    const acknowledgements = all.flatMap(({ stdout }) => acknowledged(stdout))
    assert.deepStrictEqual(acknowledgements.filter((line) => !found.includes(line)), [])
    const deaths = all.filter(({ killed }) => killed).length
    assert.isAbove(deaths, writers)
    assert.isAtMost(found.length - acknowledgements.length, deaths)
    console.log(`${found.length} lines, ${acknowledgements.length} acknowledged, ${deaths} deaths`)
  })
})
