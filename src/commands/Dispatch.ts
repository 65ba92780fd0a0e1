// Dispatch: the file of each subcommand, loaded when that one is called.
import { Effect } from "effect"
import type { Command } from "effect/cli"
import type { Recognised, SubcommandName } from "../cli/subcommands.ts"
import { type Called, carryOut } from "./Command.ts"

/** Carries out the subcommand that was called. */
export const dispatch = Effect.fnUntraced(function*({ argv, name }: Recognised, called: Called) {
  const one = <Name extends SubcommandName, Given, R>(
    load: () => Promise<{ readonly command: Command.Command<Name, Given, {}, never, R> }>
  ) => Effect.flatMap(Effect.promise(load), ({ command }) => carryOut(command, argv, called))
  switch (name) {
    case "converge":
      return yield* one(() => import("./converge.ts"))
    case "implement":
      return yield* one(() => import("./implement.ts"))
    case "runs":
      return yield* one(() => import("./runs.ts"))
    case "replay":
      return yield* one(() => import("./replay.ts"))
    case "audit":
      return yield* one(() => import("./audit.ts"))
    case "attest":
      return yield* one(() => import("./attest.ts"))
    case "findings":
      return yield* one(() => import("./findings.ts"))
    case "report":
      return yield* one(() => import("./report.ts"))
    case "dismiss":
      return yield* one(() => import("./dismiss.ts"))
    case "watch":
      return yield* one(() => import("./watch.ts"))
    case "stop":
      return yield* one(() => import("./stop.ts"))
    case "undo":
      return yield* one(() => import("./undo.ts"))
    case "result":
      return yield* one(() => import("./result.ts"))
    case "hook":
      return yield* one(() => import("./hook.ts"))
    case "ci":
      return yield* one(() => import("./ci.ts"))
    case "fleet":
      return yield* one(() => import("./fleet.ts"))
    case "config":
      return yield* one(() => import("./config.ts"))
    case "doctor":
      return yield* one(() => import("./doctor.ts"))
  }
})
