// CodexHome: the directory where codex keeps its files, and what it is like.
import * as fs from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { parse } from "smol-toml"
import { type Fields, isFields } from "../text/Json.ts"
import { variable, type Variables } from "../platform/Environment.ts"
import { hasCode, systemFault } from "../platform/SystemError.ts"
import { isDenied, systemFaultText } from "../platform/SystemFault.ts"

/** What was found where codex keeps its files. */
export interface CodexHomeFacts {
  readonly home: string
  /** Whether CODEX_HOME names it; codex makes its own default home, but not that one. */
  readonly named: boolean
  readonly exists: boolean
  /** Whether it belongs to this user. It does not if another user, such as root, ran codex with it. */
  readonly own: boolean
  readonly sessionsProblem: { readonly kind: "Denied" | "Broken"; readonly text: string } | null
  readonly sessions: number
  /** Why nothing can be written there, or null: codex keeps its state in it, and does not start without it. */
  readonly writeProblem: string | null
  /** The `model_provider` of its config.toml: another provider than OpenAI may need no login. */
  readonly provider: string | null
}

/** The home directory in the system's list of users; a user who is not listed has no files of codex. */
const listedHome = (): string => {
  try {
    return userInfo().homedir
  } catch {
    return "/"
  }
}

/** Where codex keeps its files: CODEX_HOME, else `.codex` in HOME, else in the home that the user is listed with. */
export const codexHome = Effect.gen(function*() {
  return codexHomeIn({ CODEX_HOME: (yield* variable("CODEX_HOME")) ?? "", HOME: (yield* variable("HOME")) ?? "" })
})

/** The same from given variables. An empty one counts as unset. */
export const codexHomeIn = ({ CODEX_HOME, HOME }: Variables): string =>
  CODEX_HOME || join(HOME || listedHome(), ".codex")

/** The result of a look, or the given answer if the system refuses the look. */
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

/** The session files: how many were found on the way to the newest one, and why it could not be read. */
const sessionFacts = (home: string): Pick<CodexHomeFacts, "sessions" | "sessionsProblem"> =>
  orElse(
    (error) => ({ sessions: 0, sessionsProblem: hasCode(error, "ENOENT") ? null : problemOf(error) }),
    () => {
      let path: string | null = join(home, "sessions")
      // Through the directories of years, months and days.
      for (let depth = 0; depth < 4 && path !== null; depth++) path = newest(path)
      if (path === null) return { sessions: 0, sessionsProblem: null }
      fs.closeSync(fs.openSync(path, "r"))
      return { sessions: 1, sessionsProblem: null }
    }
  )

/** Why a directory cannot be written; null also if it does not exist. */
const writeProblemOf = (path: string): string | null =>
  orElse((error) => hasCode(error, "ENOENT") ? null : systemFaultText(systemFault(error)), () => {
    fs.accessSync(path, fs.constants.W_OK)
    return null
  })

/** Whether a path belongs to this user. A path that does not exist counts as this user's. */
const ownedByUs = (path: string): boolean =>
  orElse(() => true, () => {
    const facts = fs.statSync(path, { throwIfNoEntry: false })
    return facts === undefined || facts.uid === process.getuid?.()
  })

/** The `model_provider` of a configuration. Only top-level keys count; they come before the first table. */
export const providerIn = (config: string): string | null => {
  const { model_provider: provider = null } = configIn(config)
  return typeof provider === "string" ? provider : null
}

/** The settings in a config.toml; none in one that codex refuses to read too. */
export const configIn = (text: string): Fields => orElse(() => ({}), () => parse(text))

/** The variables that the user's settings of Claude Code set; none without such a file. */
export const claudeEnvironment = ({ CLAUDE_CONFIG_DIR, HOME }: Variables): Fields => {
  const path = join(CLAUDE_CONFIG_DIR || join(HOME || listedHome(), ".claude"), "settings.json")
  const settings: unknown = orElse(() => null, () => JSON.parse(fs.readFileSync(path, "utf8")))
  return isFields(settings) && isFields(settings["env"]) ? settings["env"] : {}
}

/** The facts about codex's home, even if it does not exist. */
export const codexHomeFacts = Effect.gen(function*() {
  const home = yield* codexHome
  const named = (yield* variable("CODEX_HOME")) !== null
  return yield* Effect.sync((): CodexHomeFacts => ({
    home,
    named,
    exists: fs.existsSync(home),
    own: ownedByUs(home) && ownedByUs(join(home, "sessions")),
    ...sessionFacts(home),
    writeProblem: writeProblemOf(home),
    provider: orElse(() => null, () => providerIn(fs.readFileSync(join(home, "config.toml"), "utf8")))
  }))
})
