// commandLayers: what a subcommand finds on this machine.
import { Effect, FileSystem, Layer, Stdio } from "effect"
import { assert, it } from "vitest"
import { commanding } from "../../src/commandLayers.ts"
import { Machine } from "../../src/read/doctor/Machine.ts"
import { Output, Signals } from "../../src/platform/Process.ts"

it("a subcommand finds its output, the machine, the signals of its process, and Effect's services for Node", async () => {
  const { mapUnsafe } = await Effect.runPromise(Effect.scoped(Layer.build(commanding)))
  for (const { key } of [Output, Machine, Signals, FileSystem.FileSystem, Stdio.Stdio]) {
    assert.isTrue(mapUnsafe.has(key), key)
  }
})
