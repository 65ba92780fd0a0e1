// Tests: the project's tests in memory: each ends as the world's script says, under virtual time.
import { Clock, Effect, Layer, Ref } from "effect"
import { runText, type TestRef } from "../../core/run/Refs.ts"
import { Tests } from "../../services/Tests.ts"
import { digestOf } from "./ReviewFiles.ts"
import { World } from "../World.ts"

const keyOf = ({ run, test }: Pick<TestRef, "run" | "test">): string => `${runText(run)}/tests/${test}`

const make = Effect.gen(function*() {
  const { testScript, tests, witnessed } = yield* World
  const update = (test: TestRef, at: number) =>
    Ref.update(tests, (all) => all.map((one) => keyOf(one.test) === keyOf(test) ? { ...one, stoppedAt: at } : one))

  return Tests.of({
    start: (test, { command }) =>
      witnessed(
        "Tests.start",
        Effect.gen(function*() {
          const nth = (yield* Ref.get(tests)).filter((one) => one.command === command).length + 1
          const scripted = (yield* Ref.get(testScript))(command, nth)
          const startedAt = yield* Clock.currentTimeMillis
          yield* Ref.update(tests, (all) => [...all, { test, command, scripted, startedAt, stoppedAt: null }])
        })
      ),
    follow: Effect.fnUntraced(function*(test) {
      for (;;) {
        const found = (yield* Ref.get(tests)).find((one) => keyOf(one.test) === keyOf(test))
        if (found === undefined || found.scripted === "lost") return null
        const { scripted, startedAt, stoppedAt } = found
        if (stoppedAt !== null) return { exit: 143, output: digestOf(""), tail: "" }
        const now = yield* Clock.currentTimeMillis
        if (scripted !== "hangs" && now >= startedAt + (scripted.millis ?? 0)) {
          const { exit, output = "" } = scripted
          return { exit, output: digestOf(output), tail: output }
        }
        yield* Effect.sleep(100)
      }
    }),
    stop: (all) =>
      witnessed(
        "Tests.stop",
        Effect.flatMap(Clock.currentTimeMillis, (at) =>
          Effect.as(Effect.forEach(all, (test) => update(test, at)), all.length))
      ),
    place: (run, test) => keyOf({ run, test })
  })
})

export const layer: Layer.Layer<Tests, never, World> = Layer.effect(Tests, make)
