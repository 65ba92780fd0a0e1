// sleeping: reviewers that sleep for a while and then leave what a clean review leaves. Only the fleet itself is measured.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { Deferred, Effect, Layer } from "effect"
import { attemptFiles } from "../../src/run/Layout.live.ts"
import { attemptIdIn, type AttemptRef } from "../../src/run/Refs.ts"
import type { ReviewerState } from "../../src/run/ReviewTokens.ts"
import { type Launch, Reviewers } from "../../src/review/Reviewers.ts"

const body = "The change is correct; nothing to report."

// An attempt is named here by its own id and its delivery's; an audit wants one UUID as the session.
const banner = ({ id, level }: AttemptRef, cwd: string): string =>
  `OpenAI Codex v0.169.0\n--------\nworkdir: ${cwd}\nmodel: gpt-5.5\nprovider: fake\napproval: never\n` +
  `sandbox: read-only\nreasoning effort: ${level}\nreasoning summaries: none\nsession id: ${
    attemptIdIn(id)
  }\n--------\nuser\nreview\n`

const begin = (attempt: AttemptRef, { line }: Launch): void => {
  const { journal } = attemptFiles(attempt)
  mkdirSync(dirname(journal), { recursive: true })
  writeFileSync(journal, `attempt ${attempt.id} 4194300 1 boot\nline ${line.seq} ${line.hash}\n`)
}

const end = (attempt: AttemptRef, { cwd }: Launch): void => {
  const { exit, journal, log, out } = attemptFiles(attempt)
  const said = `${banner(attempt, cwd)}codex\n${body}\n`
  writeFileSync(log, `${said}${body}\n`)
  writeFileSync(out, `${body}\n`)
  appendFileSync(journal, `ended 0 ${said.length} ${body.length + 1}\n`)
  writeFileSync(exit, "0\n")
}

const alive: ReviewerState = { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 0 }
const exited: ReviewerState = { _tag: "Exited", status: 0, deadline: false }

/** The layer. Each review takes so many milliseconds. */
export const sleeping = (millis: number): Layer.Layer<Reviewers> =>
  Layer.effect(
    Reviewers,
    Effect.gen(function*() {
      const scope = yield* Effect.scope
      const running = new Map<string, Deferred.Deferred<void>>()
      return Reviewers.of({
        digest: () => Effect.succeed(null),
        locate: (binary) => Effect.succeed(binary),
        launch: (attempts, launch) =>
          Effect.forEach(attempts, (attempt) =>
            Effect.gen(function*() {
              const ended = yield* Deferred.make<void>()
              running.set(attempt.id, ended)
              begin(attempt, launch)
              yield* Effect.sleep(millis).pipe(
                Effect.andThen(Effect.sync(() => {
                  if (running.get(attempt.id) === ended) end(attempt, launch)
                })),
                Effect.andThen(Deferred.succeed(ended, undefined)),
                Effect.forkIn(scope)
              )
            }), { discard: true }),
        look: (attempts) =>
          Effect.succeed(attempts.map(({ id }) => {
            const ended = running.get(id)
            return ended === undefined ? { _tag: "Lost" } : Deferred.isDoneUnsafe(ended) ? exited : alive
          })),
        listen: () =>
          Effect.succeed((attempts, limit) => {
            const ends = attempts.flatMap(({ id }) => running.get(id) ?? []).map((ended) => Deferred.await(ended))
            return Effect.raceFirst(Effect.sleep(limit), ends.length === 0 ? Effect.never : Effect.raceAllFirst(ends))
          }),
        stop: (attempts) =>
          Effect.sync(() => {
            for (const { id } of attempts) running.delete(id)
            return 0
          })
      })
    })
  )
