// Question.live: a question on the terminal of standard error, answered by a line on standard input.
import { createInterface } from "node:readline"
import { isatty } from "node:tty"
import { Effect, Layer } from "effect"
import { Environment, type Variables } from "./Environment.ts"
import { Question } from "./Question.ts"

const yes = /^\s*y(?:es)?\s*$/i

const confirm = (text: string): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
    lines.once("close", () => resume(Effect.succeed(false)))
    lines.question(`${text} [y/N] `, (answer) => {
      resume(Effect.succeed(yes.test(answer)))
      lines.close()
    })
    return Effect.sync(() => lines.close())
  })

// A job has a terminal on many runners, and nobody to answer at it.
const runners =
  ("APPVEYOR BITBUCKET_BUILD_NUMBER BUILDKITE CIRCLECI CIRRUS_CI CODEBUILD_BUILD_ID DRONE GITHUB_ACTIONS " +
    "GITLAB_CI JENKINS_URL SEMAPHORE TEAMCITY_VERSION TF_BUILD TRAVIS").split(" ")

/** Whether a job of a runner calls, not a person. */
export const isRunner = (env: Variables): boolean =>
  !/^(?:|0|false)$/i.test(env["CI"] ?? "") || runners.some((name) => (env[name] ?? "") !== "")

/** The live layer. Any answer but yes, including the end of input, is a no. */
export const layer: Layer.Layer<never> = Layer.effect(
  Question,
  Effect.map(Environment, (env) => isatty(0) && isatty(2) && !isRunner(env) ? { confirm } : null)
)
