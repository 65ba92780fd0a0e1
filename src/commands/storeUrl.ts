// storeUrl: where a store in a database is, by the flag or the environment.
import { Effect, Redacted, Result, Schema } from "effect"
import { storeUrlProblem, withPassword } from "../core/fleet/StoreUrl.ts"
import { defaults, type Settings } from "../core/loop/Settings.ts"
import { variable } from "../services/Environment.ts"

/** There is no address of a store, or what stands there is none: `said` tells why, without a word of it. */
export const StoreUrlReason = Schema.TaggedUnion({
  NotNamed: {},
  NoAddress: { from: Schema.Literals(["$OODA_STORE", "--store"]), said: Schema.String }
})
export type StoreUrlReason = typeof StoreUrlReason.Type

/** Nobody can tell which store is meant. */
export class StoreUnnamed extends Schema.TaggedError<StoreUnnamed>()("StoreUnnamed", { reason: StoreUrlReason }) {
  override get message() {
    return this.reason._tag === "NotNamed"
      ? "no store is named [give its URL by $OODA_STORE or --store]"
      : `${this.reason.from}: ${this.reason.said}`
  }
}

/** The address of the store that was named, or that the environment names. It is told to nobody. */
export const storeUrl = Effect.fn("storeUrl")(function*(named: string | null) {
  const text = named ?? (yield* variable("OODA_STORE"))
  if (text === null) return yield* new StoreUnnamed({ reason: { _tag: "NotNamed" } })
  const from = named === null ? "$OODA_STORE" : "--store"
  const refused = (said: string) => new StoreUnnamed({ reason: { _tag: "NoAddress", from, said } })
  const problem = storeUrlProblem(text, { shown: named !== null })
  if (problem !== null) return yield* refused(problem)
  return yield* Result.match(withPassword(text, yield* variable("PGPASSWORD")), {
    onFailure: (said) => Effect.fail(refused(said)),
    onSuccess: (url) => Effect.succeed(Redacted.make(url))
  })
})

/** What is wrong with the codex that a step in a store in a database names, or null. */
export const codexProblem = ({ codexBin }: Pick<Settings, "codexBin">): string | null =>
  codexBin === defaults.codexBin
    ? null
    : "--codex-bin names a program of this machine, and in a store the workers run their own [give it to fleet worker]"

/**
 * The address of the store in a database that a call works on, or null where that is a state root: one that is named
 * counts more than what the environment says.
 */
export const storeOf = Effect.fn("storeOf")(
  function*({ stateRoot, store }: { readonly stateRoot: string | null; readonly store: string | null }) {
    if (stateRoot !== null || (store ?? (yield* variable("OODA_STORE"))) === null) return null
    return yield* storeUrl(store)
  }
)
