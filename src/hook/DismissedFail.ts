// DismissedFail: an open FAIL that a person dismisses for a reason, so that it no longer blocks a Stop.
import { Effect, Schema } from "effect"
import { shownPath } from "./Edit.ts"
import { exits } from "../platform/Failure.ts"
import { dismiss, failsNamed, type OpenFail } from "./Session.ts"
import { redact } from "../text/redaction/Redaction.ts"
import { brief, cut } from "../text/Untrusted.ts"
import { type SessionRef, Sessions } from "./Sessions.ts"

/** No open FAIL has that name. `open` are the names of the open ones. */
class NoSuchFail extends Schema.TaggedError<NoSuchFail>()("NoSuchFail", {
  name: Schema.String,
  open: Schema.Array(Schema.String)
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    const open = this.open.length === 0
      ? "nothing is open in this session; --session names another"
      : `open: ${this.open.map((path) => brief(path, 200)).join(", ")}`
    return `no open FAIL is named ${brief(this.name, 200)} [${open}]`
  }
}

const mostNamed = 5
const mostSaid = 1500

/** Dismisses the FAILs of a path or of a key, and returns them. */
export const dismissFails = Effect.fn("DismissedFail.dismissFails")(
  function*(of: SessionRef, name: string, reason: string) {
    const sessions = yield* Sessions
    // Paths in the state are absolute, and their secrets are removed.
    const why = cut(redact(reason), mostSaid)
    const { found, open } = yield* sessions.change(of, (state, at) => {
      const named = failsNamed(state, redact(name))
      const found = named.length > 0 ? named : failsNamed(state, redact(`${of.cwd}/${name}`))
      const next = found.reduce((left, fail) => dismiss(left, fail, why, at), state)
      const open = [...new Set(state.fails.map(({ path }) => shownPath(of.cwd, path)))]
      return [{ found, open }, next] as const
    })
    if (found.length === 0) return yield* new NoSuchFail({ name, open: open.slice(-mostNamed) })
    return found satisfies ReadonlyArray<OpenFail>
  }
)
