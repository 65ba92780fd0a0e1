// commands: what the arguments of a subcommand amount to, and a machine in memory with a runner of workflows.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, ManagedRuntime, Ref, Result } from "effect"
import { Command } from "effect/cli"
import { assert } from "vitest"
import { Agent, AgentKinds } from "../../src/agent/Agent.ts"
import { CommentFailed, Comments } from "../../src/ci/Comments.ts"
import { Runner, RunnerFailed } from "../../src/ci/Runner.ts"
import { carryOut, perform } from "../../src/cli/command.ts"
import type { Ending } from "../../src/cli/ending.ts"
import type { SubcommandName } from "../../src/cli/subcommands.ts"
import { PlainFiles } from "../../src/code/PlainFiles.ts"
import { Narrator } from "../../src/drive/Narrator.ts"
import { TestConsents } from "../../src/drive/TestConsents.ts"
import { Environment } from "../../src/platform/Environment.ts"
import type { Failure } from "../../src/platform/Failure.ts"
import { Output } from "../../src/platform/Process.ts"
import { OutFileFailed, OutFiles } from "../../src/read/UserFiles.ts"
import { Machine } from "../../src/read/doctor/Machine.ts"
import { type Memory, Scripted, World } from "../../src/testing.ts"
import type { Script } from "../../src/testing/World.ts"
import { onMachine } from "../unit/run/opened.ts"

const machine = ManagedRuntime.make(NodeServices.layer)

/** A subcommand, and how its arguments are read together. */
interface Read<Name extends SubcommandName, Given, A, R> {
  readonly command: Command.Command<Name, Given, {}, never, R>
  readonly read: (given: Given) => Result.Result<A, string>
}

/** Reads the arguments behind a subcommand's name, separated by spaces, and carries nothing out. */
export const grammar = <Name extends SubcommandName, Given, A, R>({ command, read }: Read<Name, Given, A, R>) => {
  const reading = async (line: string | ReadonlyArray<string>) => {
    const found: Array<A> = []
    const recording = Command.withHandler(
      command,
      (given) => Effect.sync(() => void found.push(Result.getOrThrow(read(given))))
    )
    const argv = typeof line !== "string" ? line : line === "" ? [] : line.split(" ")
    const called = { cwd: Effect.die("unused"), version: "0" }
    const ending = await machine.runPromise(carryOut(recording, argv, called))
    return { ...ending, found }
  }
  return {
    name: command.name,
    /** What the subcommand prints about itself. */
    help: async (): Promise<string> => (await reading("--help")).stdout,
    /** What a valid line asks for. */
    asked: async (line: string | ReadonlyArray<string>): Promise<A> => {
      const { found, stderr } = await reading(line)
      assert.strictEqual(stderr, "", `${line}`)
      return found[0] ?? assert.fail(`${line} asks for nothing`)
    },
    /** What is wrong with a line. */
    problem: async (line: string | ReadonlyArray<string>): Promise<string> => {
      const { code, found, stderr, stdout } = await reading(line)
      assert.deepStrictEqual([code, found], [64, []], `${line}`)
      const [, message = "", meant, call = ""] =
        /^(?:error|UsageError): ([^\n]*)\n(?:did you mean ([^\n]*)\?\n)?see '([^\n]*) --help'\n$/.exec(stderr) ??
          assert.fail(stderr)
      assert.match(call, new RegExp(`^ooda-codex-review ${command.name}( |$)`))
      if (stdout !== "") assert.deepInclude(JSON.parse(stdout).error, { tag: "UsageError", message })
      return meant === undefined ? message : `${message} (did you mean ${meant}?)`
    }
  }
}

/** A machine whose programs fail with this text, or end well where it is empty. */
const machineSaying = (stderr: string) =>
  Layer.mock(Machine)({
    nodeVersion: "v20.19.0",
    platform: "linux",
    ask: () => Effect.succeed({ code: stderr === "" ? 0 : 1, stdout: "", stderr, problem: null }),
    codexHome: Effect.succeed({
      home: "/home/.codex",
      exists: false,
      own: true,
      sessionsProblem: null,
      writeProblem: null,
      sessions: 0,
      provider: null,
      named: false
    })
  })

export const silentMachine = machineSaying("")

/** What there is around a step, and which port refuses. */
export interface Around {
  readonly script?: Script
  readonly event?: unknown
  /** The text of configuration files. */
  readonly config?: string
  /** Variables in addition to every runner's. */
  readonly env?: Readonly<Record<string, string>>
  /** What codex answers to whether it is logged in; nothing where it says that it is. */
  readonly login?: string
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
  { config = "", env = {}, event = {}, login = "", refuses, script = () => Scripted.clean() }: Around = {}
) =>
  onMachine(Effect.gen(function*() {
    yield* Ref.set((yield* World).script, script)
    const agent = yield* Agent
    const channels = new Map<string, string>()
    const recorded = (name: string) => (text: string) =>
      Effect.sync(() => void channels.set(name, (channels.get(name) ?? "") + text))
    const refused = new RunnerFailed({ variable: "GITHUB_OUTPUT", reason: { _tag: "NotSet" } })
    const services = Layer.mergeAll(
      NodeServices.layer,
      Layer.succeed(Runner, {
        event: Effect.succeed(event),
        output: refuses === "runner" ? () => Effect.fail(refused) : recorded("output"),
        summarise: recorded("summary")
      }),
      Layer.succeed(OutFiles, {
        write: (_, name, text) =>
          refuses === "files"
            ? Effect.fail(new OutFileFailed({ path: name, reason: { _tag: "IsDirectory" } }))
            : recorded(name)(text)
      }),
      Layer.succeed(Comments, {
        put: (comment) =>
          refuses === "comments"
            ? Effect.fail(new CommentFailed({ number: comment.number, reason: { _tag: "Unreadable" } }))
            : Effect.as(recorded("comment")(JSON.stringify(comment)), "updated" as const)
      }),
      Layer.succeed(Output, { write: recorded("stdout") }),
      Layer.succeed(Narrator, {
        say: (text) => recorded("narrator")(text),
        page: () => ({ columns: null, colour: false })
      }),
      login === "" ? silentMachine : machineSaying(login),
      Layer.mock(TestConsents)({ holds: () => Effect.succeed(false) }),
      Layer.mock(PlainFiles)({
        read: (_, name, from) => Effect.as(recorded("read")(`${name} of ${JSON.stringify(from)}`), config)
      }),
      Layer.succeed(AgentKinds, { of: () => Layer.succeed(Agent, agent) })
    )
    const ending = yield* perform(step).pipe(
      Effect.provide(services),
      Effect.provideService(Environment, { ...env, RUNNER_TEMP: "/temp" })
    )
    const tasks = (yield* Ref.get((yield* World).agents)).map(({ task }) => task)
    return { ...ending, channels, tasks }
  }))
