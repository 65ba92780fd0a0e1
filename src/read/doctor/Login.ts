// Login: whether codex is logged in, by its own answer, for the doctor and before a run is driven.
import { Effect, Schema } from "effect"
import { variable } from "../../platform/Environment.ts"
import { exits } from "../../platform/Failure.ts"
import { type Answer, checkLogin, isLoggedOut } from "./Checks.ts"
import { Reviewers } from "../../review/Reviewers.ts"
import { Machine } from "./Machine.ts"

const isSet = (name: string) => Effect.map(variable(name), (text) => text !== null)

/** Codex's answer about its login, as a check; `status` is null if codex cannot be asked. */
export const loginCheck = Effect.fn("Login.loginCheck")(function*(status: Answer | null) {
  const { provider } = yield* (yield* Machine).codexHome
  const keys = { codex: yield* isSet("CODEX_API_KEY"), openai: yield* isSet("OPENAI_API_KEY") }
  return checkLogin(status, keys, provider)
})

/** Codex says that it is not logged in, and nothing else could replace a login. */
export class NotLoggedIn extends Schema.TaggedError<NotLoggedIn>()("NotLoggedIn", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
}

// Milliseconds. Codex answers in half a second on a quiet machine.
const patience = 2000

/**
 * The answer of the codex that would review; null if none may be run. One in the repository runs only if it is named by
 * its path.
 */
export const askCodex = Effect.fn("Login.askCodex")(
  function*(codex: string, cwd: string, ...args: ReadonlyArray<string>) {
    const path = yield* Effect.option((yield* Reviewers).locate(codex, cwd))
    return path._tag === "None" ? null : yield* (yield* Machine).ask(path.value, args, { cwd, limit: patience })
  }
)

/** Fails if this codex says that it is not logged in. Any other answer, or none, lets the call continue. */
export const requireLogin = Effect.fn("Login.requireLogin")(function*(codex: string, cwd: string) {
  const status = yield* askCodex(codex, cwd, "login", "status")
  if (status === null || !isLoggedOut(status)) return
  const { fix, found, state } = yield* loginCheck(status)
  if (state !== "wrong") return
  return yield* new NotLoggedIn({ message: `codex is ${found.replace(/^Not/, "not")} [${fix ?? "codex login"}]` })
})
