// machines: a machine for the commands that drive a run: its programs say nothing.
import { Effect, Layer } from "effect"
import { Machine } from "../../../../src/read/doctor/Machine.ts"

export const silentMachine = Layer.mock(Machine)({
  nodeVersion: "v20.19.0",
  platform: "linux",
  ask: () => Effect.succeed({ code: 0, stdout: "", stderr: "", problem: null })
})
