// firstRun: the question to a person at a terminal before the first run of a repository.
import { Effect } from "effect"
import { Git } from "../code/Git.ts"
import { Narrator } from "../drive/Narrator.ts"
import { Question } from "../platform/Question.ts"
import { RunStore } from "../run/RunStore.ts"
import { laidOut } from "../text/Paint.ts"

interface Call {
  readonly yes: boolean
  readonly stateRoot: string | null
  readonly cwd: string
}

const hasRuns = Effect.fnUntraced(function*({ cwd, stateRoot }: Call) {
  const store = yield* RunStore
  const { id } = yield* (yield* Git).repository(cwd)
  for (const root of yield* store.roots(stateRoot, cwd, false)) {
    if ((yield* store.list(root, id)).length > 0) return true
  }
  return false
})

/**
 * The text to print when the run begins; null if a person said no to `opening`. `check` fails if the run could not
 * begin anyway.
 */
export const agreedOpening = Effect.fn("firstRun.agreedOpening")(
  function*<R, E2, R2>(
    asked: Call,
    opening: Effect.Effect<string, never, R>,
    check: Effect.Effect<unknown, E2, R2>
  ) {
    const person = yield* Question
    if (asked.yes || person === null || (yield* hasRuns(asked))) return opening
    yield* check
    const { page } = yield* Narrator
    const text = laidOut(`${yield* opening}Begin the first run of this repository?`, "neutral", page())
    return (yield* person.confirm(text.trimEnd())) ? Effect.succeed("") : null
  }
)
