// Checks: judges programs and places from facts.
import type { CodexHomeFacts } from "../../agent/CodexHome.live.ts"
import { complaintOf } from "../../agent/CodexFailure.ts"
import { isBelow, leastClaude, leastCodex } from "../../agent/Versions.ts"
import { type Aside, asideText } from "../../code/Snapshots.ts"
import { goInside } from "../../platform/GitComplaint.ts"
import { kindOf, remedy } from "../../run/FailureKind.ts"
import { type DiskUsage, diskUsageText, howToFree } from "../../run/FullDisk.ts"
import { reasonIn } from "../../text/ProgramOutput.ts"
import { type Check, fine, howToInstall, note, type Platform, wrong } from "./Check.ts"
import { shellWord } from "../../text/Phrases.ts"
import { brief } from "../../text/Untrusted.ts"

// Node, git, codex, its login and gh, judged from what they answered.

/** What a program answered; `problem` says why it did not run to its end. */
export interface Answer {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly problem: "missing" | "timeout" | "failed" | null
}

const textOf = ({ stderr, stdout }: Answer): string => `${stdout}\n${stderr}`

/** The first line of an answer that is no warning; a warning if there is nothing else. */
const firstLine = (answer: Answer): string => {
  const lines = textOf(answer).split("\n").map((line) => line.trim()).filter((line) => line !== "")
  return lines.find((line) => !/^warning:/i.test(line)) ?? lines[0] ?? ""
}

/** The error of a program that failed. */
const complaint = (answer: Answer): string => reasonIn(textOf(answer)) || firstLine(answer)

/** Why a program gave no usable answer, or null if it ended well. */
const failing = (answer: Answer): string | null => {
  if (answer.problem === "missing") return "not installed or not on PATH"
  if (answer.problem === "timeout") return "did not answer in time"
  if (answer.problem === "failed") return complaint(answer)
  return answer.code === 0 ? null : complaint(answer) || `ended with ${answer.code ?? "a signal"}`
}

/** The least version of Node, as in package.json. */
export const leastNode = [20, 19] as const

/** Node itself. */
export const checkNode = (version: string): Check =>
  /^v\d/.test(version) && !isBelow(version, leastNode)
    ? fine("node", version)
    : wrong("node", `${version} is too old`, `install Node ${leastNode.join(".")} or later (nvm install 22)`)

/** `git --version`. */
export const checkGit = (answer: Answer, platform: Platform): Check => {
  const problem = failing(answer)
  return problem === null ? fine("git", firstLine(answer)) : wrong("git", problem, howToInstall("git", platform))
}

/** The parts of a message that ends with what to do in brackets; `fix` if it does not. */
const withFix = (message: string, fix: string): readonly [found: string, fix: string] => {
  const [, found = message, named = fix] = /^(.*) \[(.*)\]$/.exec(message) ?? []
  return [found, named]
}

/** The repository around the caller's directory, by its root; or git's complaint about it. */
export const checkRepository = (root: string, problem: string | null, git: Check): Check => {
  if (problem === null) return fine("repository", root)
  if (git.state === "wrong") return note("repository", "git cannot be asked", "install git first")
  const [found, fix] = withFix(problem.replace(/^git: [^:]*: /, ""), "git status, to see what it says")
  return fix === goInside ? note("repository", found, fix) : wrong("repository", found, fix)
}

/** Where codex is (or why it is missing), `codex --version` and `codex review --help`. */
export const checkCodex = (
  located: { readonly path: string } | { readonly problem: string },
  answers: { readonly version: Answer; readonly review: Answer } | null
): Check => {
  const install = "npm install -g @openai/codex, or name it with --codex-bin"
  const update = "npm install -g @openai/codex@latest"
  if ("problem" in located || answers === null) {
    return wrong("codex", "problem" in located ? located.problem : "not asked", install)
  }
  const problem = failing(answers.version)
  if (problem !== null) return wrong("codex", `${located.path}: ${problem}`, update)
  const found = `${firstLine(answers.version)} (${located.path})`
  if (isBelow(firstLine(answers.version), leastCodex)) {
    return wrong("codex", `${found} is too old: ${leastCodex.join(".")} is the least`, update)
  }
  return failing(answers.review) === null
    ? fine("codex", found)
    : wrong("codex", `${found} has no review command`, update)
}

/** `claude --version`. Only hooks and `--agent claude` need it, so a machine without it has no such row. */
export const checkClaude = (version: Answer): Check | null => {
  if (version.problem === "missing") return null
  const problem = failing(version)
  const update = "claude update, or npm install -g @anthropic-ai/claude-code@latest"
  if (problem !== null) return note("claude", problem, update)
  return isBelow(firstLine(version), leastClaude)
    ? note("claude", `${firstLine(version)} is too old: ${leastClaude.join(".")} is the least`, update)
    : fine("claude", firstLine(version))
}

/** Whether `codex login status` reports a login and did not fail in another way. */
export const isLoggedOut = (status: Answer): boolean =>
  status.problem === null && status.code !== 0 && /^not logged in\b/i.test(firstLine(status))

/** `codex login status`, which ignores CODEX_API_KEY and other providers. Only the names of keys are read. */
export const checkLogin = (
  status: Answer | null,
  keys: { readonly codex: boolean; readonly openai: boolean },
  provider: string | null
): Check => {
  const problem = status === null ? null : failing(status)
  // Logging in helps only if the login is missing.
  if (problem !== null && !/^not logged in/i.test(problem)) {
    const kind = kindOf(complaintOf(problem))
    if (kind !== "NotLoggedIn") {
      return wrong("login", problem, kind === null ? "codex login status, to see what it says" : remedy(kind, problem))
    }
  }
  if (keys.codex) return fine("login", "CODEX_API_KEY is set")
  if (status === null) return wrong("login", "codex cannot be asked", "install codex first")
  // The text after the dash is part of the key, so it is left out.
  if (problem === null) return fine("login", firstLine(status).split(" - ")[0] ?? "logged in")
  const found = `${problem}${keys.openai ? "; codex review ignores OPENAI_API_KEY" : ""}`
  const fix = keys.openai ? `export CODEX_API_KEY="$OPENAI_API_KEY"` : "codex login, or set CODEX_API_KEY"
  return provider === null
    ? wrong("login", found, fix)
    : note("login", `${found}; config.toml names the provider ${provider}, which may need none`, "codex login")
}

/** The consequence of an absent submodule. */
export const unseenText = "not checked out, so no reviewer sees what is in there"

/** The command for submodules that are not checked out. */
export const getSubmodules = "git submodule update --init"

/** Reviewers do not see a submodule that is not checked out. Null if none is absent. */
export const checkSubmodules = (absent: ReadonlyArray<string>): Check | null => {
  if (absent.length === 0) return null
  const named = absent.slice(0, 3).map((path) => brief(path, 80)).join(", ")
  const found = absent.length > 3 ? `${named} and ${absent.length - 3} more` : named
  return note("submodules", `${found}: ${unseenText}`, getSubmodules)
}

/** `gh --version` and `gh auth status`; only pull requests need it. */
export const checkGh = (version: Answer, auth: Answer, platform: Platform): Check => {
  const problem = failing(version)
  if (problem !== null) return note("gh", `${problem}; only --pr needs it`, howToInstall("gh", platform))
  return failing(auth) === null
    ? fine("gh", firstLine(version))
    : note("gh", `${firstLine(version)}; not logged in, which --pr needs`, "gh auth login")
}

/** The variables that agents of an engine do not get, if any: a login may need one. */
export const checkVariables = (kind: string, names: ReadonlyArray<string>): ReadonlyArray<Check> =>
  names.length === 0 ? [] : [fine("variables", `agents of ${kind} do not get ${brief(names.join(", "), 600)}`)]

// Where runs are stored, here or in a database, and where codex keeps its files, judged from facts

/** A problem of a place: its kind, which decides the advice, and its text. */
interface Trouble<Kind extends string> {
  readonly kind: Kind
  readonly text: string
}

/** The facts about the place of runs. Each `*Problem` is null if there is none. */
export interface StorageFacts {
  readonly root: string
  readonly exists: boolean
  /** The default place lies in a shared directory, so others may be able to write into it or may own it. */
  readonly safetyProblem: Trouble<"OpenToOthers" | "Untrusted"> | null
  readonly writeProblem: string | null
  /** The largest users of its disk, if there is no space to write. */
  readonly filling: DiskUsage | null
  /** No program can lock, a limit lets none start, or locks cannot be relied on there. */
  readonly lockProblem: Trouble<"NoProgram" | "Limited" | "Unreliable"> | null
  readonly fileSystem: string
  readonly network: boolean
}

const elsewhere = `export OODA_STATE_ROOT="$HOME/.ooda-codex-review", or name a directory with --state-root`

/** Judges the place of runs: it must be safe and writable, on a file system with working locks. */
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
    return wrong("state root", `${writeProblem ?? "no space"}; ${diskUsageText(filling)}`, howToFree(filling))
  }
  if (facts.writeProblem !== null) return wrong("state root", `${facts.root}: ${facts.writeProblem}`, elsewhere)
  return fine("state root", `${facts.root} (${facts.fileSystem}${facts.exists ? "" : ", not there yet"})`)
}

/** Whether a program can lock files in the place of runs, and whether its locks hold there. */
export const checkLock = ({ lockProblem, writeProblem }: StorageFacts, platform: Platform): Check => {
  if (writeProblem !== null) return note("lock", "not tried: nothing can be written there", null)
  if (lockProblem === null) return fine("lock", "works")
  const fixes = { NoProgram: howToInstall("lock", platform), Limited: "ulimit -n 1024", Unreliable: elsewhere } as const
  return wrong("lock", lockProblem.text, fixes[lockProblem.kind])
}

/** What undos have moved aside in the runs of a state root. */
export const checkAsides = (asides: ReadonlyArray<Aside>): ReadonlyArray<Check> =>
  asides.length === 0 ? [] : [fine("aside", asides.map(asideText).join("; "))]

/** Codex's session files: the best source of a verdict. */
export const checkSessions = (facts: CodexHomeFacts): Check => {
  if (!facts.exists) {
    return facts.named
      ? wrong("sessions", `CODEX_HOME names ${facts.home}, which does not exist`, `mkdir -p ${shellWord(facts.home)}`)
      : note("sessions", `${facts.home} does not exist yet; codex creates it`, null)
  }
  const sessions = `${facts.home}/sessions`
  if (facts.writeProblem !== null) {
    return wrong("sessions", `${facts.home}: codex cannot write: ${facts.writeProblem}`, remedy("CodexHome"))
  }
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

/** The facts about a store in a database: its setup, or why it cannot be used. */
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

/**
 * Judges a store in a database: a worker refuses it for the same reasons, most of which name what to do in brackets.
 */
export const checkStore = (facts: StoreFacts): Check => {
  if (!("kind" in facts)) return fine("store", `${facts.name}, works below ${facts.work}`)
  const advice = storeMends[facts.kind]
  return wrong("store", ...(facts.kind === "Away" ? withFix(facts.text, advice) : [facts.text, advice] as const))
}
