// Checkup: what a machine needs for reviews, judged from what was found on it: fine, wrong, or worth knowing.
// The one rule: whatever is wrong comes with the command that mends it.
import { oneLine } from "../text/Text.ts"

/** One line of the doctor. `note`: reviews work without it. `mend`: what to do about it, or null for nothing. */
export interface Check {
  readonly name: string
  readonly state: "fine" | "wrong" | "note"
  readonly found: string
  readonly mend: string | null
}

/** What a program answered; `problem` says why it did not run to its end. */
export interface Answer {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly problem: "missing" | "timeout" | "failed" | null
}

/** What was found where runs are kept. Each `*Problem` is null where all is well. */
export interface StorageFacts {
  readonly root: string
  readonly exists: boolean
  readonly safetyProblem: string | null
  readonly writeProblem: string | null
  readonly lockProblem: string | null
  readonly fileSystem: string
  readonly network: boolean
}

/** What was found where codex keeps its files. */
export interface CodexHomeFacts {
  readonly home: string
  /** Whether CODEX_HOME names it; codex makes its own default home, but not that one. */
  readonly named: boolean
  readonly exists: boolean
  /** Whether it belongs to this user; it does not after codex was run by another one, such as root. */
  readonly own: boolean
  readonly sessionsProblem: string | null
  readonly sessions: number
  /** The `model_provider` of its config.toml: another provider than OpenAI may need no login. */
  readonly provider: string | null
}

const fine = (name: string, found: string): Check => ({ name, state: "fine", found, mend: null })
const wrong = (name: string, found: string, mend: string): Check => ({ name, state: "wrong", found, mend })
const note = (name: string, found: string, mend: string | null): Check => ({ name, state: "note", found, mend })

/** A path as one word of a command line. */
const shell = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

const linesOf = ({ stderr, stdout }: Answer): ReadonlyArray<string> =>
  `${stdout}\n${stderr}`.split("\n").map((line) => line.trim()).filter((line) => line !== "")

/** The first line of an answer. What a program only warns of stands before it, and is told where there is no other. */
const firstLine = (answer: Answer): string => {
  const lines = linesOf(answer)
  return lines.find((line) => !/^warning:/i.test(line)) ?? lines[0] ?? ""
}

/** What a program that failed has to say: its error, which a script's own trace may stand before. */
const complaint = (answer: Answer): string =>
  linesOf(answer).find((line) => /^(?:\w*error|fatal): /i.test(line)) ?? firstLine(answer)

/** Why a program gave no answer that counts, or null when it ended well. */
const failing = (answer: Answer): string | null => {
  if (answer.problem === "missing") return "not installed or not on PATH"
  if (answer.problem === "timeout") return "did not answer in time"
  if (answer.problem === "failed") return complaint(answer)
  return answer.code === 0 ? null : complaint(answer) || `ended with ${answer.code ?? "a signal"}`
}

/** The least Node version, as in package.json. */
export const leastNode = [20, 19] as const

/** Node itself. */
export const checkNode = (version: string): Check => {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number)
  const [leastMajor, leastMinor] = leastNode
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
    ? fine("node", version)
    : wrong("node", `${version} is too old`, `install Node ${leastNode.join(".")} or later (nvm install 22)`)
}

/** `git --version`. */
export const checkGit = (answer: Answer): Check => {
  const problem = failing(answer)
  return problem === null ? fine("git", firstLine(answer)) : wrong("git", problem, "install git (apt-get install git)")
}

/** `git rev-parse --show-toplevel` in the caller's directory. */
export const checkRepository = (answer: Answer): Check => {
  const problem = failing(answer)
  return problem === null
    ? fine("repository", firstLine(answer))
    : note("repository", problem, "run the step inside the repository to review")
}

/** Where codex is (or why it is nowhere), `codex --version` and `codex review --help`. */
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
  return failing(answers.review) === null
    ? fine("codex", found)
    : wrong("codex", `${found} has no review command`, update)
}

/** `codex login status`, which knows nothing of CODEX_API_KEY and of other providers. Keys are known by name alone. */
export const checkLogin = (
  status: Answer | null,
  keys: { readonly codex: boolean; readonly openai: boolean },
  provider: string | null
): Check => {
  if (keys.codex) return fine("login", "CODEX_API_KEY is set")
  if (status === null) return wrong("login", "codex cannot be asked", "install codex first")
  // What follows the dash is a part of the key.
  if (failing(status) === null) return fine("login", firstLine(status).split(" - ")[0] ?? "logged in")
  const ignored = keys.openai ? "; codex review ignores OPENAI_API_KEY" : ""
  const found = `${failing(status) ?? "not logged in"}${ignored}`
  const mend = keys.openai ? `export CODEX_API_KEY="$OPENAI_API_KEY"` : "codex login, or set CODEX_API_KEY"
  return provider === null
    ? wrong("login", found, mend)
    : note("login", `${found}; config.toml names the provider ${provider}, which may need none`, "codex login")
}

/** `gh --version` and `gh auth status`; only pull requests need it. */
export const checkGh = (version: Answer, auth: Answer): Check => {
  const problem = failing(version)
  const install = "apt-get install gh, or see https://cli.github.com"
  if (problem !== null) return note("gh", `${problem}; only --pr needs it`, install)
  return failing(auth) === null
    ? fine("gh", firstLine(version))
    : note("gh", `${firstLine(version)}; not logged in, which --pr needs`, "gh auth login")
}

/** Where runs are kept: safe, writable, on a file system whose locks hold. */
export const checkStateRoot = (facts: StorageFacts): Check => {
  const elsewhere = `export OODA_STATE_ROOT="$HOME/.ooda-codex-review", or name a directory with --state-root`
  if (facts.safetyProblem !== null) {
    const mend = facts.safetyProblem.includes("chmod 700") ? `chmod 700 ${shell(facts.root)}` : elsewhere
    return wrong("state root", facts.safetyProblem, mend)
  }
  if (facts.network) {
    const found = `${facts.root}: locks do not hold on a network file system (${facts.fileSystem})`
    return wrong("state root", found, elsewhere)
  }
  if (facts.writeProblem !== null) return wrong("state root", `${facts.root}: ${facts.writeProblem}`, elsewhere)
  return fine("state root", `${facts.root} (${facts.fileSystem}${facts.exists ? "" : ", not there yet"})`)
}

/** Whether one of the lock programs works where runs are kept. */
export const checkLock = ({ lockProblem, writeProblem }: StorageFacts): Check => {
  if (writeProblem !== null) return note("lock", "not tried: nothing can be written there", null)
  return lockProblem === null
    ? fine("lock", "taken, and refused to a second holder")
    : wrong("lock", lockProblem, "install util-linux's flock (apt-get install util-linux), perl or python3")
}

/** Codex's session files: the best source of a verdict. */
export const checkSessions = (facts: CodexHomeFacts): Check => {
  if (!facts.exists) {
    return facts.named
      ? wrong("sessions", `CODEX_HOME names ${facts.home}, which does not exist`, `mkdir -p ${shell(facts.home)}`)
      : note("sessions", `${facts.home} is not there yet; codex makes it`, null)
  }
  const sessions = `${facts.home}/sessions`
  if (facts.sessionsProblem === null) {
    return fine("sessions", `${sessions}${facts.sessions === 0 ? ", none yet" : " can be read"}`)
  }
  const found = `${sessions}: ${facts.sessionsProblem}`
  if (!facts.own) return wrong("sessions", found, `sudo chown -R "$(id -un)" ${shell(facts.home)}`)
  return facts.sessionsProblem.startsWith("no permission")
    ? wrong("sessions", found, `chmod -R u+rwX ${shell(sessions)}`)
    : wrong("sessions", found, `mv ${shell(sessions)} ${shell(`${sessions}.old`)}`)
}

/** Whether everything that reviews need is fine. */
export const allFine = (checks: ReadonlyArray<Check>): boolean => checks.every(({ state }) => state !== "wrong")

const words = { fine: "ok", wrong: "wrong", note: "note" } as const satisfies Record<Check["state"], string>

/** The lines of the checks for people, ending in a newline. */
export const checkupText = (checks: ReadonlyArray<Check>): string =>
  checks.map(({ found, mend, name, state }) =>
    `${words[state].padEnd(6)} ${name.padEnd(11)} ${oneLine(found)}\n` +
    (mend === null ? "" : `${" ".repeat(19)}mend: ${oneLine(mend)}\n`)
  ).join("")
