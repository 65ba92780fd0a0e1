// The layers of this machine: for the library, for a step of the program, and for a store in a database.
import { Cause, Context, Effect, Layer, Option, Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { Git } from "../../src/code/Git.ts"
import { stored } from "../../src/fleetLayers.ts"
import { Live } from "../../src/layers.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { Signals } from "../../src/platform/Process.ts"
import { StoreFailed } from "../../src/run/RunStore.ts"
import { stepping } from "../../src/stepLayers.ts"

/** The names of the ports that a layer provides, sorted. */
const provided = <A>(layer: Layer.Layer<A>): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(Effect.scoped(Effect.map(Layer.build(layer), (context) =>
    [...context.mapUnsafe.keys()]
      .filter((key) => key.startsWith("ooda-codex-review/"))
      .map((key) => key.slice("ooda-codex-review/services/".length)).sort())))

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

it("a step has the ports of the library, signals and progress, and no port that it does not use", async () => {
  // Only drivers and `doctor` need these.
  const unused = ["Commits", "Drivers", "Machine", "PlanFiles", "Tests"]
  const ofLibrary = (await provided(Live.layer)).filter((port) => !unused.includes(port))
  assert.sameMembers([...await provided(stepping)], [...ofLibrary, "Progress"])
})

it("a store fails without its database, in words that contain no address", async () => {
  const url = Redacted.make("postgres://annabel:s3cret@localhost/x?host=/nowhere")
  const ended = await Effect.runPromise(
    Effect.exit(Effect.provide(EventLog, stored(url, { lease: 3000, account: null })))
  )
  if (ended._tag === "Success") throw new Error("there is a store")
  const failure = Cause.squash(ended.cause)
  assert.instanceOf(failure, StoreFailed)
  assert.match(String(failure), /the database cannot be reached/)
  assert.notMatch(Cause.pretty(ended.cause).split("\n")[0] ?? "", /annabel|s3cret/)
})
