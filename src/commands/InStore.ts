// InStore: has a subcommand look into the store in a database that its arguments or the environment name, if they do.
import { Effect, Layer } from "effect"
import { twoStores } from "../cli/storeOption.ts"
import type { Meant } from "../core/fleet/Meant.ts"
import type { GitFailed } from "../services/Git.ts"
import type { StoreFailed } from "../services/RunStore.ts"
import { Fleets } from "./FleetDoor.ts"
import { storeOf } from "./storeUrl.ts"

const textOf = (given: object, name: "store" | "stateRoot"): string | null => {
  const text: unknown = name in given ? Reflect.get(given, name) : null
  return typeof text === "string" ? text : null
}

/** What is wrong with the stores that are named together, or null. */
export const storeProblem = (given: object): string | null =>
  textOf(given, "store") === null || textOf(given, "stateRoot") === null ? null : twoStores

/** Does what is asked, in the store that is named; `meant` says which of its runs that is about, called at `cwd`. */
export const inStore = Effect.fnUntraced(function*<A, E, R, E2, R2, E3, R3>(
  run: Effect.Effect<A, E, R>,
  given: object,
  meant: Effect.Effect<Meant, E2, R2>,
  cwd: Effect.Effect<string, E3, R3>
) {
  const url = yield* storeOf({ store: textOf(given, "store"), stateRoot: textOf(given, "stateRoot") })
  if (url === null) return yield* run
  // Its ports take the place of this machine's.
  const ports: Layer.Layer<never, StoreFailed | GitFailed> = (yield* Fleets).seen(url, yield* meant, yield* cwd)
  return yield* Effect.provide(run, ports)
})
