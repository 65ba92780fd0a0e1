// ciBench: a machine in memory with a runner of workflows, which keeps all that it is told.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Ref } from "effect"
import type { Failure } from "../../../../src/platform/Failure.ts"
import { perform } from "../../../../src/cli/command.ts"
import type { Ending } from "../../../../src/cli/ending.ts"
import { Agent, AgentKinds } from "../../../../src/agent/Agent.ts"
import { CommentFailed, Comments } from "../../../../src/ci/Comments.ts"
import { Environment } from "../../../../src/platform/Environment.ts"
import type { Machine } from "../../../../src/read/doctor/Machine.ts"
import { silentMachine } from "./machines.ts"
import { Narrator } from "../../../../src/drive/Narrator.ts"
import { OutFileFailed, OutFiles } from "../../../../src/read/UserFiles.ts"
import { Output } from "../../../../src/platform/Process.ts"
import { PlainFiles } from "../../../../src/code/PlainFiles.ts"
import { TestConsents } from "../../../../src/drive/TestConsents.ts"
import { Runner, RunnerFailed } from "../../../../src/ci/Runner.ts"
import { type Memory, Scripted, World } from "../../../../src/testing.ts"
import type { Script } from "../../../../src/testing/World.ts"
import { onMachine } from "../../run/opened.ts"

/** What there is around a step, and which port refuses. */
export interface Around {
  readonly script?: Script
  readonly event?: unknown
  /** The text of configuration files. */
  readonly config?: string
  readonly refuses?: "files" | "runner" | "comments"
}

type Given =
  | Memory.Services
  | World
  | Runner
  | OutFiles
  | Output
  | PlainFiles
  | TestConsents
  | AgentKinds
  | Comments
  | Machine
  | NodeServices.NodeServices

/** How a step ends, by name all that it has written, and what its agents were asked. */
export const inJob = (
  step: Effect.Effect<Ending, Failure, Given>,
  { config = "", event = {}, refuses, script = () => Scripted.clean() }: Around = {}
) =>
  onMachine(Effect.gen(function*() {
    yield* Ref.set((yield* World).script, script)
    const agent = yield* Agent
    const told = new Map<string, string>()
    const tell = (name: string) => (text: string) =>
      Effect.sync(() => void told.set(name, (told.get(name) ?? "") + text))
    const refused = new RunnerFailed({ variable: "GITHUB_OUTPUT", reason: { _tag: "NotSet" } })
    const services = Layer.mergeAll(
      NodeServices.layer,
      Layer.succeed(Runner, {
        event: Effect.succeed(event),
        output: refuses === "runner" ? () => Effect.fail(refused) : tell("output"),
        summarise: tell("summary")
      }),
      Layer.succeed(OutFiles, {
        write: (_, name, text) =>
          refuses === "files"
            ? Effect.fail(new OutFileFailed({ path: name, reason: { _tag: "IsDirectory" } }))
            : tell(name)(text)
      }),
      Layer.succeed(Comments, {
        put: (comment) =>
          refuses === "comments"
            ? Effect.fail(new CommentFailed({ number: comment.number, reason: { _tag: "Unreadable" } }))
            : Effect.as(tell("comment")(JSON.stringify(comment)), "updated" as const)
      }),
      Layer.succeed(Output, { write: tell("stdout") }),
      Layer.succeed(Narrator, {
        say: (text) => tell("narrator")(text),
        page: () => ({ columns: null, colour: false })
      }),
      silentMachine,
      Layer.mock(TestConsents)({ holds: () => Effect.succeed(false) }),
      Layer.mock(PlainFiles)({ read: () => Effect.succeed(config) }),
      Layer.succeed(AgentKinds, { of: () => Layer.succeed(Agent, agent) })
    )
    const ending = yield* perform(step).pipe(
      Effect.provide(services),
      Effect.provideService(Environment, { RUNNER_TEMP: "/temp" })
    )
    const tasks = (yield* Ref.get((yield* World).agents)).map(({ task }) => task)
    return { ...ending, told, tasks }
  }))
