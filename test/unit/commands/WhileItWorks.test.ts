// What a person sees of a subcommand that works, in virtual time.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { whileItWorks } from "../../../src/commands/WhileItWorks.ts"
import { Output } from "../../../src/services/Output.ts"
import { Waiting } from "../../../src/services/Waiting.ts"
import { onMachine } from "../runs/opened.ts"

/** Everything that reaches the terminal while something works, in order. */
const seen = async (work: Effect.Effect<void, string, Output>, on = true) => {
  const told: Array<string> = []
  const tell = (text: string) => Effect.sync(() => void told.push(text))
  await onMachine(
    whileItWorks("audit", work).pipe(
      Effect.ignore,
      Effect.provideService(Output, { write: (text) => tell(`wrote ${text}`) }),
      Effect.provideService(Waiting, { on, show: tell, clear: tell("cleared") })
    )
  )
  return told
}
const write = (text: string) => Output.use(({ write }) => Effect.orDie(write(text)))

describe("a person at a terminal", () => {
  it("sees how long it has worked, until there is something to read", async () =>
    assert.deepStrictEqual(
      await seen(Effect.sleep(2500).pipe(Effect.andThen(write("a")), Effect.andThen(Effect.sleep(5000)))),
      ["audit  1s", "audit  2s", "cleared", "wrote a"]
    ))

  it("sees nothing of what takes less than a second", async () =>
    assert.deepStrictEqual(await seen(Effect.andThen(Effect.sleep(900), write("a"))), ["wrote a"]))

  it("sees nothing stay behind where it fails", async () =>
    assert.deepStrictEqual(await seen(Effect.andThen(Effect.sleep(1500), Effect.fail("no"))), ["audit  1s", "cleared"]))

  it("is shown nothing where nothing can be redrawn", async () =>
    assert.deepStrictEqual(await seen(Effect.andThen(Effect.sleep(5000), write("a")), false), ["wrote a"]))
})
