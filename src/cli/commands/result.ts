// result: the subcommand `result`: judges an agent's last message by the result contract.
import { Effect, Result, Schema } from "effect"
import { Command } from "effect/cli"
import type { Setting } from "../../run/Setting.ts"
import { oneOf, type Value } from "../values.ts"
import { FailedReport, parseFailedReport } from "../../agent/AgentEnding.ts"
import { DecodedResult, decodeResult, type ExpectedResult, roles, toHeaders } from "../../agent/Result.ts"
import { retryPreamble } from "../../agent/ResultRetry.ts"
import { documentText, version } from "../../run/Document.ts"
import { brief, hasHidden } from "../../text/Untrusted.ts"
import { Output, readInput } from "../../platform/Process.ts"
import { subcommand } from "../command.ts"
import { type ExitCode, exits } from "../../platform/Failure.ts"
import { flagAs, json } from "../options.ts"

/** The message to judge, and the output format. */
export interface Request extends ExpectedResult {
  readonly json: boolean
}

// An agent's last message has a few kilobytes; a whole transcript given by mistake is refused.
const longestMessage = 16 * 1024 * 1024

const taskName: Value<string> = (text) =>
  /^\S(?:.{0,198}\S)?$/.test(text) && !hasHidden(text)
    ? Result.succeed(text)
    : Result.fail("expected 1 to 200 characters on one line, none of them hidden")

/** The settings of `result`, by their names. */
export const resultSettings = {
  role: {
    flag: "--role",
    metavar: "ROLE",
    kind: "word",
    words: roles,
    text: "Who gave the message, required: worker, spec-reviewer or code-quality-reviewer."
  },
  taskId: { flag: "--task-id", metavar: "ID", kind: "text", text: "The task that the agent was given, required." }
} as const satisfies Record<string, Setting>

const flags = {
  role: flagAs(resultSettings.role, oneOf(resultSettings.role.words)),
  taskId: flagAs(resultSettings.taskId, taskName),
  json
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

/** The request. */
export const read = (given: FlagValues): Result.Result<Request, string> => Result.succeed(given)

/** A judged message, and the document of `result --json`. */
export class Judged extends Schema.Class<Judged>("Judged")({
  schema: version,
  ...DecodedResult.fields,
  failed: Schema.NullOr(FailedReport),
  retry: Schema.NullOr(Schema.String)
}) {}

/** Judges a message by the contract: an agent's own report of failure first, then its result. */
export const judge = (message: string, expected: ExpectedResult): Judged => {
  const failed = parseFailedReport(toHeaders(message))
  const result = decodeResult(message, expected)
  return failed !== null
    ? Judged.make({ ...result, valid: true, status: "error", problems: [], failed, retry: null })
    : Judged.make({ ...result, failed, retry: result.valid ? null : retryPreamble(expected, result.problems) })
}

const exitOf = ({ status }: Judged): ExitCode =>
  status === null ? exits.couldNot : status === "pass" ? exits.done : exits.wrong

const line = ({ failed, fields, status }: Judged): string => {
  const said = failed === null ? fields[status === "pass" ? "git_range" : "issues"] ?? "" : failed.summary
  return `${status}${said === "" ? "" : `: ${brief(said, 2000)}`}\n`
}

/** Judges the message on standard input. */
export const run = Effect.fn("result.run")(function*({ json, ...expected }: Request) {
  const judged = judge(yield* readInput(longestMessage), expected)
  const stdout = json ? documentText(Judged, judged) : judged.retry ?? line(judged)
  yield* (yield* Output).write(stdout)
  const stderr = judged.retry === null
    ? ""
    : `error: not a result: ${brief(judged.problems.join("; "), 2000)}\n`
  return { stdout: "", stderr, code: exitOf(judged) }
})

export const command = Command.make("result", flags).pipe(subcommand({
  read,
  run,
  about: [
    "judges an agent's last message, given on standard input, by the result contract.",
    "",
    "The contract is docs/result-contract.md. Prints pass, gaps or error and what is said of it. A message that is no",
    "result prints what to put in front of the agent's prompt when it is asked once more. Exits 0 for pass, 1 for gaps",
    "and error, 6 for a message that is no result, 64 on misuse."
  ],
  examples: [
    {
      command: "ooda-codex-review result --role worker --task-id 7 < message.txt",
      description: "Judge what the agent of task 7 said last."
    }
  ]
}))
