// Programs: Node, git, codex, its login and gh, judged from what they answered.
import { adviceIn } from "../text/Advice.ts"
import { type Check, fine, note, wrong } from "./Check.ts"
import { howToInstall, type Platform } from "./Platform.ts"

/** What a program answered; `problem` says why it did not run to its end. */
export interface Answer {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly problem: "missing" | "timeout" | "failed" | null
}

const linesOf = ({ stderr, stdout }: Answer): ReadonlyArray<string> =>
  `${stdout}\n${stderr}`.split("\n").map((line) => line.trim()).filter((line) => line !== "")

/** The first line of an answer that is no warning; a warning where there is nothing else. */
const firstLine = (answer: Answer): string => {
  const lines = linesOf(answer)
  return lines.find((line) => !/^warning:/i.test(line)) ?? lines[0] ?? ""
}

/** The error of a program that failed. The trace of a shell script may stand before it. */
const complaint = (answer: Answer): string =>
  linesOf(answer).find((line) => /^(?:\w*error|fatal): /i.test(line)) ?? firstLine(answer)

/** Why a program gave no usable answer, or null when it ended well. */
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
export const checkGit = (answer: Answer, platform: Platform): Check => {
  const problem = failing(answer)
  return problem === null ? fine("git", firstLine(answer)) : wrong("git", problem, howToInstall("git", platform))
}

/** `git rev-parse --show-toplevel` in the caller's directory. */
export const checkRepository = (answer: Answer): Check => {
  const problem = failing(answer)
  if (problem === null) return fine("repository", firstLine(answer))
  // Here is a repository, but git refuses to read it, so that every step would fail.
  const advised = adviceIn(answer.stderr)
  return advised === null
    ? note("repository", problem, "run the step inside the repository to review")
    : wrong("repository", problem, advised)
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

/** `codex login status`, which ignores CODEX_API_KEY and other providers. Of keys only the names are looked at. */
export const checkLogin = (
  status: Answer | null,
  keys: { readonly codex: boolean; readonly openai: boolean },
  provider: string | null
): Check => {
  if (keys.codex) return fine("login", "CODEX_API_KEY is set")
  if (status === null) return wrong("login", "codex cannot be asked", "install codex first")
  // The text after the dash is a part of the key, so it is left out.
  if (failing(status) === null) return fine("login", firstLine(status).split(" - ")[0] ?? "logged in")
  const ignored = keys.openai ? "; codex review ignores OPENAI_API_KEY" : ""
  const found = `${failing(status) ?? "not logged in"}${ignored}`
  const fix = keys.openai ? `export CODEX_API_KEY="$OPENAI_API_KEY"` : "codex login, or set CODEX_API_KEY"
  return provider === null
    ? wrong("login", found, fix)
    : note("login", `${found}; config.toml names the provider ${provider}, which may need none`, "codex login")
}

/** `gh --version` and `gh auth status`; only pull requests need it. */
export const checkGh = (version: Answer, auth: Answer, platform: Platform): Check => {
  const problem = failing(version)
  if (problem !== null) return note("gh", `${problem}; only --pr needs it`, howToInstall("gh", platform))
  return failing(auth) === null
    ? fine("gh", firstLine(version))
    : note("gh", `${firstLine(version)}; not logged in, which --pr needs`, "gh auth login")
}
