// SecondModel.live: codex exec as the second model.
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { Clock, Effect, Layer } from "effect"
import { complaintOf, lastWords, panicIn } from "../agent/CodexFailure.ts"
import { kindOf, remedy } from "../run/FailureKind.ts"
import { jsonText } from "../text/Json.ts"
import { brief } from "../text/Untrusted.ts"
import { readerArguments } from "../run/Reader.ts"
import { codexReader, setting, withoutEndlessRetries } from "../run/Target.ts"
import { Environment, type Variables, withCallersPath } from "../platform/Environment.ts"
import { findBinary, missingText } from "../platform/Binary.ts"
import { type Question, type Reply, SecondModel } from "./SecondModel.ts"
import { agentVariables, noteDropped, withoutSecrets } from "../agent/ClientVariables.live.ts"

// `codex exec` as the second model: read-only, without a session of its own, ended as a group.
// Codex writes its answer to a file at the end of its turn. The file is read once codex has exited, or a grace later.

/** A directory and those around it: a session may work below the root of its project. */
const upwards = (directory: string): ReadonlyArray<string> => {
  const parts = directory.split("/")
  return parts.slice(1).map((_, i) => parts.slice(0, parts.length - i).join("/"))
}

/** The arguments of codex. The prompt comes on standard input, and the answer goes to a file. */
export const secondModelArguments = (
  { cwd, effort, model }: Question,
  answer: string,
  schema: string | null,
  environment: Variables = {}
): ReadonlyArray<string> => [
  "exec",
  ...readerArguments(codexReader(["-s", "read-only"], ...upwards(cwd))),
  "--ephemeral",
  "--skip-git-repo-check",
  ...setting("approval_policy", "never"),
  "--disable",
  "hooks",
  ...setting("notify", []),
  ...withoutEndlessRetries,
  ...withoutSecrets(environment),
  ...setting("model_reasoning_effort", effort),
  ...(model === null ? [] : [`--model=${model}`]),
  ...(schema === null ? [] : [`--output-schema=${schema}`]),
  "-o",
  answer,
  "-"
]

const couldNot = (why: string): Reply => ({ _tag: "Unavailable", why: brief(why, 300) })

// What codex says if the service does not support schemas.
const aboutSchemas = /schema|text\.format|response_format/i

/** The result of a call; `refusesSchemas` if codex's error names its schema. */
interface Called {
  readonly reply: Reply
  readonly refusesSchemas: boolean
}

/** The result of a failed call, from its exit status or signal and codex's standard error. */
export const failed = (code: number | null, signal: string | null, text: string): Called => {
  const how = signal === null ? `codex exited ${code}` : `codex was ended by ${signal}`
  const isQuoting = /^exec$/m.test(text)
  const complaint = complaintOf(isQuoting && code !== 1 ? "" : lastWords(text, isQuoting))
  const kind = kindOf(complaint)
  const said = kind === null
    ? complaint.words || panicIn(text)
    : `${complaint.words} (${remedy(kind, complaint.words)})`
  return {
    reply: couldNot(said === "" ? how : `${how}: ${said}`),
    refusesSchemas: aboutSchemas.test(complaint.words)
  }
}

// A review is short. There would be no time to read a longer text.
const mostRead = 1024 * 1024

// Milliseconds between two looks for the answer, and how many must find it unchanged before codex is ended.
const lookEvery = 250
const unchangedLooks = 8

/** The size of an answer; 0 without one. */
const sizeOf = (path: string): number => fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0

const plainly = (reply: Reply): Called => ({ reply, refusesSchemas: false })

const answerIn = (path: string): Reply => {
  const text = fs.existsSync(path) ? fs.readFileSync(path).subarray(0, mostRead).toString() : ""
  return text.trim() === "" ? couldNot("codex gave an empty answer") : { _tag: "Answer", text }
}

const problemOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`

// Becomes codex with a watcher beside it, in one process group. Descriptor 3 is a pipe whose other end only this
// process holds: when this process ends, even by a kill, the watcher ends the group and removes its directory.
const watched = `{ read -r _; rm -rf -- "$0"; kill -s KILL 0; } <&3 3<&- >/dev/null 2>&1 &
exec 3<&-
exec "$@"`

/** One call in a directory of its own. Interruption ends codex with its whole group. */
const called = (binary: string, question: Question, environment: Variables, dir: string) =>
  Effect.callback<Called>((resume) => {
    const [answer, errors] = [join(dir, "answer"), join(dir, "errors")]
    const schema = question.schema === null ? null : join(dir, "schema.json")
    if (schema !== null) fs.writeFileSync(schema, jsonText(question.schema))
    const stderr = fs.openSync(errors, "w", 0o600)
    const args = secondModelArguments(question, answer, schema, environment)
    const child = spawn("/bin/sh", ["-c", watched, dir, binary, ...args], {
      cwd: question.cwd,
      env: agentVariables("codex", environment),
      stdio: ["pipe", "ignore", stderr, "pipe"],
      detached: true
    })
    fs.closeSync(stderr)
    const kill = (): void => {
      // A program that never started has no pid, and the signal would go to our own group.
      if (child.pid === undefined) return
      try {
        process.kill(-child.pid, "SIGKILL")
      } catch {
        // The group has ended.
      }
    }
    let isOver = false
    const end = (called: () => Called): void => {
      // An end after the call is over is ignored: the directory is gone.
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      clearInterval(looking)
      kill()
      resume(
        Effect.try(called).pipe(
          Effect.catch((error) => Effect.succeed(plainly(couldNot(`codex: ${problemOf(error.cause)}`))))
        )
      )
    }
    let seen = { size: 0, looks: 0 }
    const looking = setInterval(() => {
      const size = sizeOf(answer)
      seen = { size, looks: size === seen.size ? seen.looks + 1 : 0 }
      if (size > 0 && seen.looks >= unchangedLooks) end(() => plainly(answerIn(answer)))
    }, lookEvery)
    const late = couldNot(`codex gave no answer within ${seconds(question.within)}`)
    const timer = setTimeout(
      () => end(() => plainly(seen.size > 0 && seen.size === sizeOf(answer) ? answerIn(answer) : late)),
      question.within
    )
    for (const pipe of [child.stdin, child.stdio[3]]) pipe?.on("error", () => {})
    child.stdin?.end(question.prompt)
    child.once("error", (error) => end(() => plainly(couldNot(`codex could not be started: ${error.message}`))))
    child.once(
      "exit",
      (code, signal) =>
        end(() => code === 0 ? plainly(answerIn(answer)) : failed(code, signal, fs.readFileSync(errors, "utf8")))
    )
    return Effect.sync(() => end(() => plainly(couldNot("codex was ended"))))
  })

const inDirectory = <A>(temporary: string, use: (dir: string) => Effect.Effect<A>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => fs.mkdtempSync(join(temporary, "ooda-hook-"))),
    use,
    (dir) => Effect.sync(() => fs.rmSync(dir, { recursive: true, force: true }))
  )

/** Asks, and once more without a schema if the service refuses schemas, in the remaining time. */
const answered = Effect.fnUntraced(function*(binary: string, question: Question, environment: Variables) {
  const since = yield* Clock.currentTimeMillis
  const once = (asked: Question) =>
    inDirectory(environment["TMPDIR"] ?? "/tmp", (dir) => called(binary, asked, environment, dir))
  const { refusesSchemas, reply } = yield* once(question)
  if (question.schema === null || !refusesSchemas) return reply
  const within = question.within - ((yield* Clock.currentTimeMillis) - since)
  return within <= 0 ? reply : (yield* once({ ...question, schema: null, within })).reply
})

/** The second model by the name or the path of the codex binary. */
export const layer = (binary: string): Layer.Layer<SecondModel> =>
  Layer.succeed(
    SecondModel,
    SecondModel.of({
      ask: Effect.fn("SecondModel.ask")(function*(question: Question) {
        const environment = yield* Environment
        const found = findBinary(binary, question.cwd, yield* withCallersPath(environment))
        if ("reason" in found) return couldNot(`${binary}: ${missingText(binary, found.reason)}`)
        yield* noteDropped(environment, agentVariables("codex", environment))
        return yield* answered(found.found, question, environment).pipe(
          Effect.catchDefect((error) => Effect.succeed(couldNot(problemOf(error))))
        )
      })
    })
  )
