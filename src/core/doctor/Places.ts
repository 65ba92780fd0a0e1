// Places: where runs are kept, here or in a database, and where codex keeps its files, judged from what was found.
import { type Check, fine, note, shellWord, wrong } from "./Check.ts"
import { type Filling, fillingText, howToFree } from "./Space.ts"
import { howToInstall, type Platform } from "./Platform.ts"

/** Something that is wrong with a place: its kind, which decides the advice, and its text. */
export interface Trouble<Kind extends string> {
  readonly kind: Kind
  readonly text: string
}

/** What was found where runs are kept. Each `*Problem` is null where all is well. */
export interface StorageFacts {
  readonly root: string
  readonly exists: boolean
  /** The default place lies in a shared directory, so others may be able to write into it or may own it. */
  readonly safetyProblem: Trouble<"OpenToOthers" | "Untrusted"> | null
  readonly writeProblem: string | null
  /** What fills its disk, where there is no space to write. */
  readonly filling: Filling | null
  /** No program can lock, none can be started because of a limit, or locks cannot be relied on there. */
  readonly lockProblem: Trouble<"NoProgram" | "Limited" | "Unreliable"> | null
  readonly fileSystem: string
  readonly network: boolean
}

/** What was found where codex keeps its files. */
export interface CodexHomeFacts {
  readonly home: string
  /** Whether CODEX_HOME names it; codex makes its own default home, but not that one. */
  readonly named: boolean
  readonly exists: boolean
  /** Whether it belongs to this user. It does not if another user, such as root, ran codex with it. */
  readonly own: boolean
  readonly sessionsProblem: Trouble<"Denied" | "Broken"> | null
  readonly sessions: number
  /** The `model_provider` of its config.toml: another provider than OpenAI may need no login. */
  readonly provider: string | null
}

const elsewhere = `export OODA_STATE_ROOT="$HOME/.ooda-codex-review", or name a directory with --state-root`

/** Judges the place where runs are kept: it must be safe and writable, on a file system whose locks hold. */
export const checkStateRoot = (facts: StorageFacts): Check => {
  if (facts.safetyProblem !== null) {
    const { kind, text } = facts.safetyProblem
    return wrong("state root", text, kind === "OpenToOthers" ? `chmod 700 ${shellWord(facts.root)}` : elsewhere)
  }
  if (facts.network) {
    const found = `${facts.root}: locks do not hold on a network file system (${facts.fileSystem})`
    return wrong("state root", found, elsewhere)
  }
  if (facts.filling !== null) {
    const { filling, writeProblem } = facts
    return wrong("state root", `${writeProblem ?? "no space"}; ${fillingText(filling)}`, howToFree(filling))
  }
  if (facts.writeProblem !== null) return wrong("state root", `${facts.root}: ${facts.writeProblem}`, elsewhere)
  return fine("state root", `${facts.root} (${facts.fileSystem}${facts.exists ? "" : ", not there yet"})`)
}

/** Whether a program can lock where runs are kept, and whether its locks hold there. */
export const checkLock = ({ lockProblem, writeProblem }: StorageFacts, platform: Platform): Check => {
  if (writeProblem !== null) return note("lock", "not tried: nothing can be written there", null)
  if (lockProblem === null) return fine("lock", "taken, and refused to a second holder")
  const fixes = { NoProgram: howToInstall("lock", platform), Limited: "ulimit -n 1024", Unreliable: elsewhere } as const
  return wrong("lock", lockProblem.text, fixes[lockProblem.kind])
}

/** Codex's session files: the best source of a verdict. */
export const checkSessions = (facts: CodexHomeFacts): Check => {
  if (!facts.exists) {
    return facts.named
      ? wrong("sessions", `CODEX_HOME names ${facts.home}, which does not exist`, `mkdir -p ${shellWord(facts.home)}`)
      : note("sessions", `${facts.home} is not there yet; codex makes it`, null)
  }
  const sessions = `${facts.home}/sessions`
  if (facts.sessionsProblem === null) {
    return fine("sessions", `${sessions}${facts.sessions === 0 ? ", none yet" : " can be read"}`)
  }
  const { kind, text } = facts.sessionsProblem
  const found = `${sessions}: ${text}`
  if (!facts.own) return wrong("sessions", found, `sudo chown -R "$(id -un)" ${shellWord(facts.home)}`)
  return kind === "Denied"
    ? wrong("sessions", found, `chmod -R u+rwX ${shellWord(sessions)}`)
    : wrong("sessions", found, `mv ${shellWord(sessions)} ${shellWord(`${sessions}.old`)}`)
}

/** What was found of a store in a database: what it was set up with, or why nobody may work with it. */
export type StoreFacts =
  | { readonly name: string; readonly work: string }
  | Trouble<"Misnamed" | "Lossy" | "Unprepared" | "Newer" | "Away">

const storeMends = {
  Misnamed: "export OODA_STORE=postgres://USER@HOST/DATABASE, its password by $PGPASSWORD",
  Lossy: "set fsync, full_page_writes and synchronous_commit to on for its server, and restart that",
  Unprepared: "ooda-codex-review fleet init --work DIR, without --work where it was set up before",
  Newer: "use the version of ooda-codex-review that set it up",
  Away: "check that its server runs, the address in $OODA_STORE, and the rights of its user"
} as const

/** Judges a store in a database: a worker refuses it for the same reasons. */
export const checkStore = (facts: StoreFacts): Check =>
  "kind" in facts
    ? wrong("store", facts.text, storeMends[facts.kind])
    : fine("store", `${facts.name}, works below ${facts.work}`)
