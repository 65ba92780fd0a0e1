// MachineLive: this machine, looked at for the doctor.
import { Effect, Layer } from "effect"
import { Environment } from "../../services/Environment.ts"
import { Machine } from "../../services/Machine.ts"
import { exec } from "../process/Exec.ts"
import { storageFacts } from "../store/Storage.ts"
import { codexHomeFacts } from "./CodexHome.ts"

/** The live layer. */
export const layer: Layer.Layer<Machine> = Layer.sync(Machine, () =>
  Machine.of({
    nodeVersion: process.version,
    platform: process.platform === "linux" || process.platform === "darwin" ? process.platform : "other",
    ask: Effect.fn("Machine.ask")((program, args, { cwd, limit }) =>
      exec(program, args, { cwd, timeout: limit, group: true })
    ),
    storage: Effect.fn("Machine.storage")((root) =>
      Effect.flatMap(Environment, (env) => Effect.sync(() => storageFacts(root, env)))
    ),
    codexHome: Effect.withSpan(codexHomeFacts, "Machine.codexHome")
  }))
