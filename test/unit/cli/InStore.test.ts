// InStore: a subcommand sees a store in a database where one is named, and this machine's store where none is.
import { Effect, Layer, Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { batchPlaces, runPlaces } from "../../../src/run/Layout.live.ts"
import { targetDirectory } from "../../../src/log/LogFile.live.ts"
import { Fleets } from "../../../src/cli/fleets.ts"
import { withStore, storeProblem } from "../../../src/cli/command.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import * as Memory from "../../../src/testing/Memory.ts"

const named = (place: string) =>
  Layer.mock(RunStore)({
    batchPlaces,
    runPlaces,
    targetPlace: targetDirectory,
    open: () => Effect.succeed(place)
  })

/** Which store is opened by what is given. */
const opened = (given: object, env: Record<string, string> = {}) =>
  withStore(
    RunStore.use((store) => store.open(null, "/")),
    given,
    Effect.succeed({ _tag: "Named", prefix: "2030" }),
    Effect.succeed("/here")
  ).pipe(
    Effect.provideService(Environment, env),
    Effect.provideService(Fleets, {
      store: () => Layer.effectContext(Effect.die("it is only seen")),
      at: () => Layer.effectContext(Effect.die("it is only seen")),
      seen: (url, meant, cwd) =>
        Layer.mergeAll(
          Memory.layer(),
          named(`${Redacted.value(url)} ${"prefix" in meant ? meant.prefix : ""} ${cwd}`)
        ) as ReturnType<(typeof Fleets.Service)["seen"]>,
      work: () => Effect.die("nobody works")
    }),
    Effect.provide(named("this machine's")),
    Effect.runPromise
  )

const [url, other] = ["postgres://h/x", "postgres://h/y"]

describe("a subcommand looks", () => {
  it("into the store of this machine where no other is named", async () => {
    assert.strictEqual(await opened({ store: null, stateRoot: null }), "this machine's")
    assert.strictEqual(await opened({ store: null, stateRoot: "/state" }, { OODA_STORE: url }), "this machine's")
  })

  it("into the one that a flag names, else the environment, for the run that is meant", async () => {
    assert.strictEqual(await opened({ store: url, stateRoot: null }, { OODA_STORE: other }), `${url} 2030 /here`)
    assert.strictEqual(await opened({ store: null, stateRoot: null }, { OODA_STORE: other }), `${other} 2030 /here`)
  })
})

it("two stores are one too many", () => {
  assert.strictEqual(storeProblem({ store: url, stateRoot: "/x" }), "--store and --state-root exclude each other")
  for (const given of [{}, { store: url }, { store: url, stateRoot: null }, { store: null, stateRoot: "/x" }]) {
    assert.isNull(storeProblem(given))
  }
})
