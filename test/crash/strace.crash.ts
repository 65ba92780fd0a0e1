// System calls: the program killed or failing at every system call it makes on the files of a run.
// An extra to the file calls of the shim, for it sees what Node does below them; SKIPPED without ptrace.
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { fileOf, onlyRun } from "../unit/log/onlyRun.ts"
import { note, notes } from "../unit/log/samples.ts"
import { unlocked } from "../unit/log/temporaryLog.ts"
import { prepareWriter, runFreely, runWith } from "./program.ts"
import { works } from "./skipped.ts"
import { reviewRun } from "../../src/run/ReviewRun.ts"

const state = { root: "", writer: "" }
beforeAll(async () => {
  Object.assign(state, await prepareWriter())
})
afterAll(() => fs.rmSync(state.root, { recursive: true, force: true }))

const template = () => path.join(state.root, "template")
const root = () => path.join(state.root, "state")
const reset = (): void => {
  fs.rmSync(root(), { recursive: true, force: true })
  fs.cpSync(template(), root(), { recursive: true })
}

const watched = () =>
  ["manifest.jsonl", "head.json", "head.json.new", "lock", ""].flatMap((name) => ["-P", fileOf(root(), name)])
const traced = (options: ReadonlyArray<string>) =>
  runWith("strace", ["-f", "-qq", ...options, ...watched(), process.execPath, state.writer, root(), "b", "1"])

/** How often each system call on the run's files is made while one line is appended. */
const counts = (): ReadonlyMap<string, number> => {
  const file = path.join(state.root, "trace")
  reset()
  assert.strictEqual(traced(["-o", file]).status, 0)
  const made = new Map<string, number>()
  for (const [, call = ""] of fs.readFileSync(file, "utf8").matchAll(/^\d+ +([a-z0-9_]+)\(/gm)) {
    made.set(call, (made.get(call) ?? 0) + 1)
  }
  return made
}

const canTrace = works("system calls", "strace", ["-f", "-qq", "-o", "/dev/null", "-P", "/dev/null", "true"])

describe.skipIf(!canTrace)("a program at any of its system calls", () => {
  for (const [how, injected] of [["killed", "signal=SIGKILL"], ["failing", "error=EIO"]] as const) {
    it(`${how}`, async () => {
      assert.strictEqual(runFreely([state.writer, template(), "a", "2"]).status, 0)
      const made = counts()
      assert.isAtLeast(made.get("fdatasync") ?? 0, 1)
      assert.isAtLeast(made.size, 6)
      for (const [call, count] of made) {
        for (let k = 1; k <= count; k++) {
          reset()
          const trace = ["-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${call}:${injected}:when=${k}`]
          const { acknowledged } = traced(trace)
          const contents = await Effect.runPromise(unlocked().read(reviewRun, onlyRun(root())))
          const found = notes(contents).join()
          const sure = ["a1", "a2", ...acknowledged].join()
          assert.include([sure, [...new Set(["a1", "a2", "b1"])].join()], found, `${how} at ${call} ${k}`)
          await Effect.runPromise(unlocked().append(reviewRun, onlyRun(root()), contents.head, [note("next")]))
        }
      }
      console.log(`${how}: ${[...made].map(([call, count]) => `${call} ${count}`).join(", ")}`)
      fs.rmSync(template(), { recursive: true })
    })
  }
})
