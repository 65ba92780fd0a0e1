// hookProgram: a call of the hook that needs a review or the session's state, with the live layers.
// Loaded only once an event is known to need an answer.
import { Clock, Effect, Layer, References } from "effect"
import { searchPath } from "./platform/SearchPath.ts"
import { hookLog } from "./run/Layout.live.ts"
import { layer as sessions } from "./hook/Sessions.live.ts"
import type { Ending } from "./cli/ending.ts"
import type { Event } from "./cli/hookCall.ts"
import { answerHook } from "./hook/Handlers.ts"
import type { HookAnswer, HookCall } from "./hook/Call.ts"
import { SecondModel } from "./hook/SecondModel.ts"
import { SessionFiles } from "./hook/Sessions.ts"
import { CallersPath, Environment, UsersUmask, type Variables, withoutStore } from "./platform/Environment.ts"

const blocked = 2

// Loaded if needed: an edit that was reviewed before needs neither codex nor files.
const secondModel = (binary: string) =>
  Layer.succeed(
    SecondModel,
    SecondModel.of({
      ask: (question) =>
        Effect.flatMap(
          Effect.promise(() => import("./hook/SecondModel.live.ts")),
          ({ layer }) => Effect.provide(SecondModel.use((model) => model.ask(question)), layer(binary))
        )
    })
  )

const filed = <A>(use: (files: SessionFiles["Service"]) => Effect.Effect<A>) =>
  Effect.flatMap(
    Effect.promise(() => import("./hook/SessionFiles.live.ts")),
    ({ layer }) => Effect.provide(SessionFiles.use(use), layer)
  )
const sessionFiles = Layer.succeed(
  SessionFiles,
  SessionFiles.of({
    repositories: (...asked) => filed((files) => files.repositories(...asked)),
    changes: (...asked) => filed((files) => files.changes(...asked)),
    digest: (...asked) => filed((files) => files.digest(...asked)),
    plan: (of) => filed((files) => files.plan(of)),
    transcript: (...asked) => filed((files) => files.transcript(...asked))
  })
)

/** The gate at the fixed point. Everything that steps is loaded only for it. */
const ladder = Effect.fnUntraced(function*(call: HookCall): Effect.fn.Return<HookAnswer> {
  const { ladder } = yield* Effect.promise(() => import("./hook/FixedPoint.ts"))
  const { stepping } = yield* Effect.promise(() => import("./stepLayers.ts"))
  return yield* Effect.provide(ladder(call), stepping)
})

/** The requested log: a file, or the one that the debug variable names. */
const logs = (file: string | null, env: Variables, cwd: string) => {
  const debug = env["CODEX_REFLECTOR_DEBUG"] === "1" ? hookLog(env["TMPDIR"] ?? "/tmp") : null
  const path = file ?? debug
  if (path === null) return Layer.empty
  return Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./cli/Diagnostics.live.ts")),
      ({ logging }) => Layer.catchCause(logging({ level: "Trace", named: null, file: path }, cwd), () => Layer.empty)
    )
  )
}

/** A call with an event to answer, and its context. */
interface HookRequest extends Event {
  readonly cwd: string
  readonly env: Variables
  readonly umask?: string
  /** How long ago the process began, in milliseconds: its deadline counts from there. */
  readonly age: number
}

/** Answers. `signal` ends it: codex ends too, and nothing is printed. */
export const answerRequest = (
  { age, cwd, env, flags, input, umask, action }: HookRequest,
  signal: AbortSignal
): Promise<Ending> => {
  const where = input.cwd === "" ? cwd : input.cwd
  const nothing: Ending = { stdout: "", stderr: "", code: 0 }
  return Effect.runPromise(
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => answerHook({ input, flags, cwd: where, endsAt: now - age + flags.deadline }, action, ladder)
    ).pipe(
      Effect.map(({ block, stdout }): Ending => ({ stdout, stderr: block ?? "", code: block === null ? 0 : blocked })),
      Effect.provide([
        secondModel(flags.codexBin),
        sessions,
        sessionFiles,
        logs(flags.log, env, where)
      ]),
      Effect.provideService(Environment, withoutStore({ ...env, PATH: searchPath(env, [where, cwd]) })),
      Effect.provideService(CallersPath, env["PATH"]),
      Effect.provideService(UsersUmask, umask ?? null),
      // The log goes only to a requested file: standard output belongs to the answer.
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.catchCause(() => Effect.succeed(nothing))
    ),
    { signal }
  ).catch(() => nothing)
}
