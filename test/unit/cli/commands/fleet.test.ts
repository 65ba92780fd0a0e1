// fleet: the subcommand without a store, and what it asks of one. test/fleet runs it for real.
import { Effect, Layer, Result } from "effect"
import { assert, describe, it } from "vitest"
import { read, run } from "../../../../src/cli/commands/fleet.ts"
import { Environment } from "../../../../src/platform/Environment.ts"
import { Fleets } from "../../../../src/cli/fleets.ts"
import { FleetStore, RunExports } from "../../../../src/fleet/FleetStore.ts"
import { Output } from "../../../../src/platform/Process.ts"
import * as Memory from "../../../../src/testing/Memory.ts"
import { given } from "./fleetGiven.ts"

const url = "postgres://u:s3cret@h/x"

const ran = async (asked: Parameters<typeof read>[0], env: Record<string, string> = { OODA_STORE: url }) => {
  const said: Array<string> = []
  const store = Layer.succeed(FleetStore, {
    setUp: ({ lease, work }) =>
      Effect.succeed({
        ...{ name: "pg:1", work: work ?? "/srv", local: false, lease: lease ?? 30_000 },
        isNew: work !== null
      }),
    facts: Effect.succeed({ name: "pg:1", work: "/srv", local: false, lease: 30_000 }),
    contents: () => Effect.die("nothing is exported")
  })
  const doing = run(Result.getOrThrow(read(asked)), { cwd: Effect.succeed("/"), version: "" })
  const ended = await Effect.runPromise(
    doing.pipe(
      Effect.provide(Layer.mergeAll(
        Layer.succeed(Output, { write: (text) => Effect.sync(() => void said.push(text)) }),
        Layer.succeed(RunExports, { write: () => Effect.die("nothing is exported") })
      )),
      Effect.provideService(Environment, env),
      Effect.provideService(Fleets, {
        store: () => store,
        at: () => Layer.effectContext(Effect.die("no store is opened")),
        seen: () => Layer.effectContext(Effect.die("no code is looked at")),
        work: (_url, facts, { capacity }, begun) =>
          Effect.andThen(begun, Effect.sync(() => void said.push(`${facts.name} ${capacity}\n`)))
      }),
      Effect.provide(Memory.layer()),
      Effect.match({ onFailure: (error) => error.message, onSuccess: ({ code }) => code })
    )
  )
  return { ended, said }
}

describe("fleet", () => {
  it("needs a store", async () => assert.match(`${(await ran(given("status"), {})).ended}`, /no store is named/))

  it("says what was set up, and what was before", async () => {
    assert.deepStrictEqual(await ran(given("init", { work: "/work" })), {
      ended: 0,
      said: ["set up store pg:1, work below /work, takes repositories of https://, lease 30 s\n"]
    })
    assert.match((await ran(given("init"))).said[0] ?? "", /^set up already: store pg:1, work below \/srv,/)
  })

  it("says that it works, and for whom", async () =>
    assert.deepStrictEqual(await ran(given("worker", { capacity: 3 })), {
      ended: 0,
      said: ["works for store pg:1 below /srv\n", "pg:1 3\n"]
    }))
})
