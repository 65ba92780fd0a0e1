// Spans as lines: each as it ends, with its parent, how long it took and whether it failed.
import { Effect, Tracer } from "effect"
import { assert, it } from "vitest"
import { spanLines } from "../../../src/cli/Diagnostics.live.ts"

it("a span that ends has one line, and so has one that fails", async () => {
  const lines: Array<string> = []
  const inner = Effect.withSpan(Effect.sleep(5), "inner")
  const failing = Effect.withSpan(Effect.ignore(Effect.withSpan(Effect.fail("x"), "failing")), "around")
  const told = Effect.andThen(Effect.withSpan(inner, "outer"), failing)
  await Effect.runPromise(Effect.provideService(told, Tracer.Tracer, spanLines((line) => void lines.push(line), 7)))
  const spans = lines.map((line) => JSON.parse(line))
  assert.deepStrictEqual(
    spans.map(({ failed, span, within }) => ({ span, within, failed })),
    [
      { span: "inner", within: "outer", failed: false },
      { span: "outer", within: null, failed: false },
      { span: "failing", within: "around", failed: true },
      { span: "around", within: null, failed: false }
    ]
  )
  assert.deepInclude(spans[0], { level: "TRACE", pid: 7, message: "a span ended" })
  assert.isAtLeast(spans[0].ms, 4)
  assert.isTrue(Number.isFinite(Date.parse(spans[0].time)))
})
