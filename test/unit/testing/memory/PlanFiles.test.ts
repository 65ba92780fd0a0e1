// PlanFiles in memory: what is read is what was written, and a plan that somebody changed is not replaced.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { PlanFiles } from "../../../../src/drive/plan/PlanFiles.ts"
import { planFilesLayer } from "../../../../src/testing/memory/Machine.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

it("keeps plan files as a disk does", async () => {
  const [found, text, changed, missing, present, document] = await Effect.runPromise(
    Effect.gen(function*() {
      const port = yield* PlanFiles
      yield* port.replace("/a", bytes("one"), bytes("two"))
      return [
        yield* port.locate("/a", "/"),
        yield* port.read("/a"),
        yield* Effect.flip(port.replace("/a", bytes("one"), bytes("x"))),
        yield* Effect.flip(port.read("/none")),
        yield* port.present("/dir", ["b", "c"]),
        yield* port.document("/dir", "b", 3)
      ] as const
    }).pipe(Effect.provide(planFilesLayer({ "/a": "one", "/dir/b": "words" })))
  )
  assert.deepStrictEqual([found, new TextDecoder().decode(text)], ["/a", "two"])
  assert.deepStrictEqual([changed.reason._tag, missing.reason._tag], ["ChangedMeanwhile", "NoPlanFile"])
  assert.deepStrictEqual([present, document], [["b"], "wor"])
})
