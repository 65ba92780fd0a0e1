// layers: this machine's layers provide every port, and a host may bring its own.
import { Context, Effect, Layer, Option } from "effect"
import { assert, describe, it } from "vitest"
import { Live } from "../../src/layers.ts"
import { Git } from "../../src/code/Git.ts"
import { Signals } from "../../src/platform/Process.ts"
import { provided } from "./provided.ts"

describe("the layers of this machine", () => {
  it("are all that the library needs", async () => {
    const ports = await provided(Live.layer)
    const one = await Promise.all([
      provided(Live.commits),
      provided(Live.drivers),
      provided(Live.tests),
      provided(Live.reviewers),
      provided(Live.dismissals),
      provided(Live.eventLog),
      provided(Live.git),
      provided(Live.gitHub),
      provided(Live.machine),
      provided(Live.planFiles),
      provided(Live.reviewFiles),
      provided(Live.runStore),
      provided(Live.snapshots),
      provided(Live.noSignals)
    ])
    assert.deepStrictEqual(ports, one.flat().sort())
  })

  it("have agents of each kind beside them, by what is to be run", async () => {
    for (
      const agents of [
        Live.agents.codex(),
        Live.agents.codex("/opt/codex"),
        Live.agents.claude(),
        Live.agents.command("cat")
      ]
    ) {
      assert.deepStrictEqual(await provided(agents), ["Agent"])
    }
    assert.notInclude(await provided(Live.layer), "Agent")
  })

  it("may be replaced one by one", async () => {
    const mine = Layer.mock(Git)({ targetProblem: () => Effect.succeed(null) })
    const context = await Effect.runPromise(Effect.scoped(Layer.build(Layer.merge(Live.layer, mine))))
    const git = Context.getOption(context, Git)
    const theirs = await Effect.runPromise(Effect.scoped(Layer.build(Live.layer)))
    assert.isTrue(Option.isSome(git))
    assert.notStrictEqual(Option.getOrNull(git), Option.getOrNull(Context.getOption(theirs, Git)))
  })

  it("never ask a host's step to end", async () => {
    const asked = Signals.use(({ asked }) => Effect.timeoutOption(asked, 20))
    assert.isTrue(Option.isNone(await Effect.runPromise(Effect.provide(asked, Live.noSignals))))
  })
})
