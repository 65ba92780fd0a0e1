// Drivers: who drives a target in memory: one at a time, whoever else asks is refused.
import { Effect, Layer, Ref } from "effect"
import { type TargetRef, targetText } from "../../core/run/Refs.ts"
import { AlreadyDriven, Drivers } from "../../services/Drivers.ts"

export const layer: Layer.Layer<Drivers> = Layer.effect(
  Drivers,
  Effect.map(Ref.make<ReadonlySet<string>>(new Set()), (driven) => ({
    driving: <A, E, R>(target: TargetRef, use: (pid: number) => Effect.Effect<A, E, R>) => {
      const key = targetText(target)
      const taken = Ref.modify(driven, (all) => [!all.has(key), new Set([...all, key])] as const)
      const leave = Ref.update(driven, (all) => new Set([...all].filter((one) => one !== key)))
      const begin = Effect.flatMap(taken, (free) => free ? Effect.void : new AlreadyDriven({ who: null }))
      return Effect.andThen(begin, Effect.ensuring(use(1), leave))
    },
    present: (target: TargetRef) => Effect.map(Ref.get(driven), (all) => all.has(targetText(target)) ? 1 : null)
  }))
)
