// ProgressOutput: drawn through Effect's terminal where standard output is one, else left to the subcommand.
import { Effect, Layer, Stdio, Terminal } from "effect"
import { assert, it } from "vitest"
import { outputLayer } from "../../../../src/read/view/Progress.live.ts"
import { Environment } from "../../../../src/platform/Environment.ts"
import { Progress } from "../../../../src/review/Progress.ts"

/** What is drawn of one row, and whether anything is drawn at all. */
const drawn = (isTerminal: boolean, env: Readonly<Record<string, string>> = {}) => {
  const texts: Array<string> = []
  const terminal = Terminal.make({
    columns: Effect.succeed(0),
    rows: Effect.succeed(0),
    size: Effect.die("unused"),
    readInput: Effect.die("unused"),
    readLine: Effect.die("unused"),
    display: (text) => Effect.sync(() => void texts.push(text))
  })
  const machine = Layer.merge(
    Stdio.layerTest({ stdoutIsTerminal: Effect.succeed(isTerminal) }),
    Layer.succeed(Terminal.Terminal, terminal)
  )
  const row = { name: "low-1", state: "running", elapsed: 0, activity: "", silentFor: 0 } as const
  return Effect.runPromise(
    Effect.gen(function*() {
      const { clear, on, show } = yield* Progress
      yield* show([row])
      yield* clear
      return { on, text: texts.join("") }
    }).pipe(Effect.provide(Layer.provide(outputLayer, machine)), Effect.provideService(Environment, env))
  )
}

it("draws rows on a terminal of unknown size and takes them away", async () => {
  const { on, text } = await drawn(true, { TERM: "xterm", NO_COLOR: "" })
  assert.isTrue(on)
  assert.match(text, /low-1[^]*\[1A\r/)
})

it.each([[false, {}], [true, { TERM: "dumb" }]])(
  "draws nothing elsewhere",
  async (isTerminal, env) => assert.deepEqual(await drawn(isTerminal, env), { on: false, text: "" })
)

const colours: ReadonlyArray<readonly [Readonly<Record<string, string>>, boolean]> = [
  [{}, true],
  [{ NO_COLOR: "1" }, false],
  [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true],
  [{ NO_COLOR: "1", FORCE_COLOR: "" }, false],
  [{ FORCE_COLOR: "0" }, false],
  [{ FORCE_COLOR: "false" }, false]
]
it.each(colours)("has colours by %j: %s", async (env, coloured) => {
  const { text } = await drawn(true, env)
  assert.strictEqual(/\u001b\[\d+m/.test(text), coloured)
})
