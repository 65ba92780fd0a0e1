// Must: a git command that has to succeed; it fails with one line why it did not.
import { Effect } from "effect"
import { whyNot } from "../process/Exec.ts"
import { git } from "./Command.ts"

/** The answer of a git command, byte by byte as characters where it is given an input, without its last newline. */
export const must = (
  cwd: string,
  args: ReadonlyArray<string>,
  ...rest: [Readonly<Record<string, string>>?, string?]
) => {
  const [env = {}, input] = rest
  const streams = input === undefined ? {} : { input, encoding: "latin1" as const }
  return Effect.flatMap(
    git(cwd, args, env, streams),
    (done) => done.code === 0 ? Effect.succeed(done.stdout.replace(/\n$/, "")) : Effect.fail(whyNot("git", done))
  )
}

/** Synchronous file calls; what they throw is one line. */
export const trying = <A>(run: () => A): Effect.Effect<A, string> =>
  Effect.try({ try: run, catch: (error) => error instanceof Error ? error.message : String(error) })
