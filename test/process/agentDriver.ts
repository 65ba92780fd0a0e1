// agentDriver: a program of its own that starts an agent, follows it and prints each update, one a line.
// It keeps nothing of what it hears, so that its memory is the memory of following alone.
import { Effect, Stream } from "effect"
import { codexProgram } from "../../src/agent/Kinds.live.ts"
import { makeAgent } from "../../src/agent/Agent.live.ts"
import type { AgentTask } from "../../src/agent/Task.ts"
import type { AgentRef } from "../../src/log/Refs.ts"
import { Environment } from "../../src/platform/Environment.ts"

interface Orders {
  readonly binary: string
  readonly attempt: AgentRef
  readonly task: AgentTask
  /** Says only how many events it heard. */
  readonly quiet: boolean
}

const { attempt, binary, quiet, task }: Orders = JSON.parse(process.argv[2] ?? "")
const agent = makeAgent(codexProgram(binary))
const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))
let heard = 0

await Effect.runPromise(
  say("starting").pipe(
    Effect.andThen(agent.start(attempt, task, { thread: null, prompt: task.prompt })),
    Effect.andThen(say("started")),
    Effect.andThen(Stream.runForEach(agent.follow(attempt, task.limits), (update) => {
      if (update._tag !== "Heard") {
        return say(update._tag === "Ended" ? `Ended ${update.ended.ending._tag}` : update._tag)
      }
      heard += 1
      return quiet ? Effect.void : say(update.event._tag)
    })),
    Effect.provideService(Environment, process.env)
  )
)
process.stdout.write(`heard ${heard}, at most ${process.resourceUsage().maxRSS} KiB\n`)
