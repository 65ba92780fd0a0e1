// dispatch: finds and loads the file of each subcommand when it is called.
import { Effect } from "effect"
import type { CliError, Command } from "effect/cli"
import type { SubcommandCall, SubcommandName } from "./subcommands.ts"
import { type CallContext, carryOut } from "./command.ts"

/** Runs the called subcommand. */
export const dispatch = Effect.fnUntraced(function*({ argv, name }: SubcommandCall, called: CallContext) {
  const one = <Name extends SubcommandName, Given, R>(
    load: () => Promise<{ readonly command: Command.Command<Name, Given, {}, CliError.CliError, R> }>
  ) => Effect.flatMap(Effect.promise(load), ({ command }) => carryOut(command, argv, called))
  switch (name) {
    case "init":
      return yield* one(() => import("./commands/init.ts"))
    case "converge":
      return yield* one(() => import("./commands/converge.ts"))
    case "implement":
      return yield* one(() => import("./commands/implement.ts"))
    case "status":
      return yield* one(() => import("./commands/status.ts"))
    case "runs":
      return yield* one(() => import("./commands/runs.ts"))
    case "replay":
      return yield* one(() => import("./commands/replay.ts"))
    case "audit":
      return yield* one(() => import("./commands/audit.ts"))
    case "attest":
      return yield* one(() => import("./commands/attest.ts"))
    case "findings":
      return yield* one(() => import("./commands/findings.ts"))
    case "report":
      return yield* one(() => import("./commands/report.ts"))
    case "dismiss":
      return yield* one(() => import("./commands/dismiss.ts"))
    case "watch":
      return yield* one(() => import("./commands/watch.ts"))
    case "stop":
      return yield* one(() => import("./commands/stop.ts"))
    case "undo":
      return yield* one(() => import("./commands/undo.ts"))
    case "result":
      return yield* one(() => import("./commands/result.ts"))
    case "hook":
      return yield* one(() => import("./commands/hook.ts"))
    case "ci":
      return yield* one(() => import("./commands/ci.ts"))
    case "fleet":
      return yield* one(() => import("./commands/fleet.ts"))
    case "config":
      return yield* one(() => import("./commands/config.ts"))
    case "doctor":
      return yield* one(() => import("./commands/doctor.ts"))
  }
})
