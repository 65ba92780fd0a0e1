// Scratch: a step that is killed while it reads the code: what it leaves lies in its store until the next step.
// Nothing of the killed step lives on or stays, and nothing ever lies in the temporary directory.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { useBench } from "./bench.ts"
import { endingBadly, freely, type Step, undisturbed } from "./gate.ts"

const bench = useBench()
const step: Step = { args: ["-n", "1", "--ceiling", "low"] }

describe("a step that is killed while it reads the code", () => {
  it("leaves no copy of the code after the next step", async () => {
    const scratches = (state: string): ReadonlyArray<string> =>
      fs.readdirSync(state, { recursive: true }).map(String).filter((name) => /(?:^|\/)\.scratch\/[^/]+$/.test(name))
    const temporary = () =>
      fs.readdirSync(path.join(bench().root, "tmp")).filter((name) => !name.startsWith("fake-codex"))
    const whole = await undisturbed(bench(), null, step)
    const reading = whole.calls.flatMap(({ path }, i) => path.includes("/.scratch/") ? [i + 1] : [])
    assert.isNotEmpty(reading)
    const on = bench().place()
    for (const at of [reading.at(0), reading.at(reading.length >> 2)]) {
      const killed = await endingBadly(bench(), on, step, at ?? 0, "kill")
      assert.strictEqual(killed.signal, "SIGKILL", killed.stderr)
      // What the one before has left is gone by now.
      assert.isAtMost(scratches(on.state).length, 1)
      assert.deepStrictEqual(temporary(), [])
    }
    const next = await freely(bench(), on, step)
    assert.strictEqual(next.header, "DoneFixedPoint", next.stderr)
    assert.deepStrictEqual(scratches(on.state), [])
    assert.deepStrictEqual(temporary(), [])
  })
})
