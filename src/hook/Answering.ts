// Answering: what is said to an event that somebody looks at. Nothing that goes wrong here stands in anybody's way.
import { Cause, Clock, Effect, Option } from "effect"
import type { Wanted } from "../core/hook/HookInput.ts"
import { note, recovered } from "../services/Note.ts"
import type { SecondModel } from "../services/SecondModel.ts"
import type { SessionFiles } from "../services/SessionFiles.ts"
import { type SessionFailed, Sessions } from "../services/Sessions.ts"
import { commandFailed, compacting, thought } from "./Advised.ts"
import { edited } from "./Edited.ts"
import { type Answered, type Hooking, sessionOf, silence } from "./Hooking.ts"
import { planned } from "./Planned.ts"
import { stopped } from "./Stopped.ts"

const ended = Effect.fnUntraced(function*(hooking: Hooking) {
  yield* (yield* Sessions).forget(sessionOf(hooking))
  return silence
})

const answered = <R>(
  hooking: Hooking,
  wanted: Wanted,
  ladder: (hooking: Hooking) => Effect.Effect<Answered, never, R>
): Effect.Effect<Answered, SessionFailed, R | SecondModel | SessionFiles | Sessions> => {
  switch (wanted) {
    case "code_change":
      return edited(hooking)
    case "plan_review":
      return planned(hooking)
    case "thinking":
      return thought(hooking)
    case "bash_failure":
      return commandFailed(hooking)
    case "stop":
      return stopped(hooking, ladder)
    case "compact":
      return compacting(hooking)
    case "end":
      return ended(hooking)
  }
}

/** Answers within the deadline; whatever fails, and whatever is too late, says nothing and blocks nothing. */
export const answering = <R>(
  hooking: Hooking,
  wanted: Wanted,
  ladder: (hooking: Hooking) => Effect.Effect<Answered, never, R>
) =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => Effect.timeoutOption(answered(hooking, wanted, ladder), Math.max(0, hooking.endsAt - now))
  ).pipe(
    Effect.tapError(recovered("the hook says nothing")),
    Effect.map(Option.getOrElse(() => silence)),
    Effect.catchCause((cause) => Effect.as(note("the hook failed", { cause: Cause.pretty(cause) }), silence))
  )
