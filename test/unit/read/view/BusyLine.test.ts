// BusyLine: what a user sees of a busy subcommand, in virtual time.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { Output } from "../../../../src/platform/Process.ts"
import { Waiting, whileItWorks } from "../../../../src/read/view/BusyLine.ts"
import { onMachine } from "../../run/opened.ts"

/** Everything that is printed while something works, in order. */
const seen = async (work: Effect.Effect<void, string, Output>, how: { on?: boolean; again?: boolean } = {}) => {
  const texts: Array<string> = []
  const print = (text: string) => Effect.sync(() => void texts.push(text))
  await onMachine(
    whileItWorks("audit", work).pipe(
      Effect.ignore,
      Effect.provideService(Output, { write: (text) => print(`wrote ${text}`) }),
      Effect.provideService(Waiting, { on: true, again: true, show: print, clear: print("cleared"), ...how })
    )
  )
  return texts
}
const write = (text: string) => Output.use(({ write }) => Effect.orDie(write(text)))

describe("a user at a terminal", () => {
  it("sees how long it has worked, until there is output", async () =>
    assert.deepStrictEqual(
      await seen(Effect.sleep(2500).pipe(Effect.andThen(write("a")), Effect.andThen(Effect.sleep(5000)))),
      ["audit  1s", "audit  2s", "cleared", "wrote a"]
    ))

  it("sees it again if it continues for more than a second without another line", async () => {
    const work = write("a\n").pipe(
      Effect.andThen(Effect.sleep(2500)),
      Effect.andThen(write("b\n")),
      Effect.andThen(Effect.sleep(1700)),
      Effect.andThen(write("c\n")),
      Effect.andThen(Effect.sleep(500))
    )
    assert.deepStrictEqual(await seen(work), [
      "wrote a\n",
      ...["audit  1s", "audit  2s", "cleared", "wrote b\n"],
      ...["audit  4s", "cleared", "wrote c\n"]
    ])
    assert.deepStrictEqual(await seen(work, { again: false }), ["wrote a\n", "wrote b\n", "wrote c\n"])
  })

  it("never sees it within another line, or while output is being written", async () => {
    const half = write("a").pipe(Effect.andThen(Effect.sleep(2500)))
    assert.deepStrictEqual(await seen(half), ["wrote a"])
    const texts: Array<string> = []
    const print = (text: string) => Effect.sync(() => void texts.push(text))
    await onMachine(
      whileItWorks("audit", write("a\n")).pipe(
        Effect.provideService(Output, { write: (text) => Effect.andThen(Effect.sleep(3500), print(text)) }),
        Effect.provideService(Waiting, { on: true, again: true, show: print, clear: print("cleared") })
      )
    )
    assert.deepStrictEqual(texts, ["a\n"])
  })

  it("sees nothing if the work takes less than a second", async () =>
    assert.deepStrictEqual(await seen(Effect.andThen(Effect.sleep(900), write("a"))), ["wrote a"]))

  it("sees nothing left over when it fails", async () =>
    assert.deepStrictEqual(await seen(Effect.andThen(Effect.sleep(1500), Effect.fail("no"))), ["audit  1s", "cleared"]))

  it("sees nothing if the terminal cannot redraw", async () =>
    assert.deepStrictEqual(await seen(Effect.andThen(Effect.sleep(5000), write("a")), { on: false }), ["wrote a"]))
})
