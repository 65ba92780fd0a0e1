// CodexHome: the directory where codex keeps its files, and what it is like.
import * as fs from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { CodexHomeFacts } from "../../core/doctor/Places.ts"
import { variable } from "../../services/Environment.ts"
import { isDenied, systemFaultText } from "../../services/SystemFault.ts"
import { hasCode, systemFault } from "../process/SystemError.ts"

/** The home that the system's users are listed with. Who is not listed has none, and nothing of codex is there. */
const listedHome = (): string => {
  try {
    return userInfo().homedir
  } catch {
    return "/"
  }
}

/** Where codex keeps its files: CODEX_HOME, else `.codex` in HOME, else in the home that the user is listed with. */
export const codexHome = Effect.gen(function*() {
  return (yield* variable("CODEX_HOME")) ?? join((yield* variable("HOME")) ?? listedHome(), ".codex")
})

/** What a look finds, or the answer to fall back on when the system refuses it. */
const orElse = <A>(fallback: (error: unknown) => A, look: () => A): A => {
  try {
    return look()
  } catch (error) {
    return fallback(error)
  }
}

/** The newest entry of a directory, by name. */
const newest = (path: string): string | null => {
  const last = fs.readdirSync(path).sort().at(-1)
  return last === undefined ? null : join(path, last)
}

const problemOf = (error: unknown): CodexHomeFacts["sessionsProblem"] => {
  const fault = systemFault(error)
  return { kind: isDenied(fault) ? "Denied" : "Broken", text: systemFaultText(fault) }
}

/** How many session files were found, which are looked for down to the newest, and why it could not be read. */
const sessionFacts = (home: string): Pick<CodexHomeFacts, "sessions" | "sessionsProblem"> =>
  orElse(
    (error) => ({ sessions: 0, sessionsProblem: hasCode(error, "ENOENT") ? null : problemOf(error) }),
    () => {
      let path: string | null = join(home, "sessions")
      // Down the years, months and days.
      for (let depth = 0; depth < 4 && path !== null; depth++) path = newest(path)
      if (path === null) return { sessions: 0, sessionsProblem: null }
      fs.closeSync(fs.openSync(path, "r"))
      return { sessions: 1, sessionsProblem: null }
    }
  )

/** Whether a path belongs to this user; what is not there does. */
const ownedByUs = (path: string): boolean =>
  orElse(() => true, () => {
    const facts = fs.statSync(path, { throwIfNoEntry: false })
    return facts === undefined || facts.uid === process.getuid?.()
  })

/** The `model_provider` of a configuration. Tables come after the top level, whose keys alone are meant. */
const providerIn = (config: string): string | null =>
  /^\s*model_provider\s*=\s*["']([^"'\n]+)["']/m.exec(config.split(/^\s*\[/m)[0] ?? "")?.[1] ?? null

/** What codex's home is like, which need not be there. */
export const codexHomeFacts = Effect.gen(function*() {
  const home = yield* codexHome
  const named = (yield* variable("CODEX_HOME")) !== null
  return yield* Effect.sync((): CodexHomeFacts => ({
    home,
    named,
    exists: fs.existsSync(home),
    own: ownedByUs(home) && ownedByUs(join(home, "sessions")),
    ...sessionFacts(home),
    provider: orElse(() => null, () => providerIn(fs.readFileSync(join(home, "config.toml"), "utf8")))
  }))
})
