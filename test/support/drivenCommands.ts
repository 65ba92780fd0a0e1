// drivenCommands: a call of `converge` or `implement`, with what it wrote as it went and what it notified.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { Agent, AgentKinds } from "../../src/agent/Agent.ts"
import { perform } from "../../src/cli/command.ts"
import type { Ending } from "../../src/cli/ending.ts"
import { PlainFiles } from "../../src/code/PlainFiles.ts"
import { Notifier } from "../../src/drive/Narrator.ts"
import { TestConsents } from "../../src/drive/TestConsents.ts"
import type { Failure } from "../../src/platform/Failure.ts"
import { Output } from "../../src/platform/Process.ts"
import { silentMachine } from "./commands.ts"

/** A request without any of its switches. */
export const noSwitches = {
  fresh: false,
  again: false,
  yes: false,
  inspect: false,
  json: false,
  events: false,
  notify: null
} as const

/** Where a command is called. */
export const calledIn = { cwd: Effect.succeed("/repo"), version: "0" }

/** Performs a call with the world's agent: its ending, what it wrote as it went, and what it sent to `--notify`. */
export const performed = Effect.fnUntraced(function*<E extends Failure, R>(run: Effect.Effect<Ending, E, R>) {
  const agent = yield* Agent
  const wrote: Array<string> = []
  const notifications: Array<string> = []
  const services = Layer.mergeAll(
    NodeServices.layer,
    Layer.mock(TestConsents)({ holds: () => Effect.succeed(false) }),
    Layer.mock(PlainFiles)({ read: () => Effect.succeed("") }),
    silentMachine,
    Layer.succeed(AgentKinds, { of: () => Layer.succeed(Agent, agent) }),
    Layer.succeed(Output, { write: (text) => Effect.sync(() => void wrote.push(text)) }),
    Layer.succeed(Notifier, { notify: (_, document) => Effect.sync(() => (notifications.push(document), null)) })
  )
  const ending = yield* Effect.provide(perform(run), services)
  return { ...ending, wrote: wrote.join(""), notifications }
})
