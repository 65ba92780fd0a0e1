// BusyLine.live: the line of a busy subcommand, on terminals: shown, cut to the width, removed.
import { writeFileSync } from "node:fs"
import { Effect } from "effect"
import { assert, describe, it as test } from "vitest"
import { Environment } from "../../../../src/platform/Environment.ts"
import { layer } from "../../../../src/read/view/BusyLine.live.ts"
import { Waiting } from "../../../../src/read/view/BusyLine.ts"
import { onTerminal, terminals } from "../../../process/terminals.ts"
import { it, type World } from "../../../process/world.ts"

test("nothing is shown on a dumb terminal, or without a terminal", async () => {
  const on = Effect.map(Waiting, (waiting) => waiting.on)
  const dumb = on.pipe(Effect.provide(layer), Effect.provideService(Environment, { TERM: "dumb" }))
  assert.isFalse(await Effect.runPromise(dumb))
})

/** Calls doctor with a codex that needs two seconds for each answer. */
const doctor = async (world: World, env: Readonly<Record<string, string>>, columns = 100) => {
  const codex = world.path("slow")
  writeFileSync(codex, "#!/bin/sh\nsleep 2\necho codex-cli 0.169.0\n", { mode: 0o755 })
  const run = onTerminal(world, { errors: "apart", env, columns }, "doctor", "--codex-bin", codex)
  await run.ended
  return { err: run.err(), out: run.out() }
}

describe.runIf(terminals).concurrent("a busy subcommand", () => {
  it("says so on the terminal, and removes the line before its answer", async ({ world }) => {
    const { err, out } = await doctor(world, {})
    assert.match(err, /\r\u001b\[Kdoctor {2}[1-9]\d*s/)
    assert.isTrue(err.endsWith("\r\u001b[K"))
    assert.notInclude(out, "\u001b")
  })

  it("stays on one line of a narrow terminal", async ({ world }) => {
    const { err } = await doctor(world, {}, 6)
    assert.match(err, /\r\u001b\[Kdocto/)
    assert.notInclude(err, "doctor")
  })

  it("says nothing on a dumb terminal", async ({ world }) =>
    assert.strictEqual((await doctor(world, { TERM: "dumb" })).err, ""))
})
