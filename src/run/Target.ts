// Target: what is under review, its key on disk and its arguments for codex.
// Nothing reaches git, codex or a path before it is validated here.
import { Result, Schema } from "effect"
import { jsonText } from "../text/Json.ts"
import type { Level } from "./Level.ts"
import { kept, type Reader, readerArguments } from "./Reader.ts"

const forbidden = /[\u0000-\u0020\u007f~^:?*[\\]/

/** Why a text is not a branch name, or null: git's check-ref-format, no leading `-`, nothing that climbs. */
export const branchProblem = (name: string): string | null => {
  if (name === "") return "a branch name cannot be empty"
  if (/[~^]/.test(name) || name.includes("@{")) {
    return "an expression such as HEAD~1 is a revision, not a branch name; name a branch"
  }
  if (name.startsWith("-")) return "a branch name cannot begin with '-'"
  if (forbidden.test(name)) return "a branch name cannot contain spaces, control characters or any of : ? * [ \\"
  if (name.includes("..")) return "a branch name cannot contain '..'"
  if (name.startsWith("/") || name.endsWith("/") || name.includes("//")) return "a branch name has no empty part"
  if (name === "@" || name.endsWith(".")) return "a branch name cannot be '@' or end in '.'"
  if (name.split("/").some((part) => part.startsWith(".") || part.endsWith(".lock"))) {
    return "no part of a branch name can begin with '.' or end in '.lock'"
  }
  return null
}

/** A branch name that git would accept and that is safe as an argument and as a path. */
export const BranchName = Schema.String.check(
  Schema.makeFilter((name: string) => branchProblem(name) ?? undefined)
).pipe(Schema.brand("BranchName"))
export type BranchName = typeof BranchName.Type

// By SHA-1, or by SHA-256.
const wholeId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** A full commit id in lower case. */
export const CommitSha = Schema.String.check(Schema.isPattern(wholeId)).pipe(Schema.brand("CommitSha"))
export type CommitSha = typeof CommitSha.Type

/** A pull request number: 1 to 10 digits, the first not 0. */
export const PrNumber = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9_999_999_999 })).pipe(
  Schema.brand("PrNumber")
)
export type PrNumber = typeof PrNumber.Type

/** The target of a review: one case for each mode flag. */
export const Target = Schema.TaggedUnion({
  Uncommitted: {},
  Base: { branch: BranchName },
  Commit: { sha: CommitSha },
  PullRequest: { number: PrNumber }
})
export type Target = typeof Target.Type

export const Mode = Schema.Literals(["uncommitted", "base", "commit", "pr"])
export type Mode = typeof Mode.Type

const modes = {
  Uncommitted: "uncommitted",
  Base: "base",
  Commit: "commit",
  PullRequest: "pr"
} as const satisfies Record<Target["_tag"], Mode>

/** The mode of a target. */
export const mode = (target: Target): Mode => modes[target._tag]

/** The entries of a target's directory beside the directories of branches below it. */
const keptNames: ReadonlyArray<string> = ["latest", "lock", "runs"]

// Git has no branch `release` beside `release/latest`, but one may be renamed to the other. No branch has a `~`.
const keyPart = (part: string): string => keptNames.includes(part) ? `${part}~` : part

/**
 * `<target-key>`: `uncommitted`, `base/<branch>`, `commit/<sha>` or `pr/<num>`; slashes of a branch stay, and a part
 * called `latest`, `lock` or `runs` gets a `~`.
 */
export const targetKey = Target.match({
  Uncommitted: () => "uncommitted",
  Base: ({ branch }) => `base/${branch.split("/").map(keyPart).join("/")}`,
  Commit: ({ sha }) => `commit/${sha}`,
  PullRequest: ({ number }) => `pr/${number}`
})

/** Whether a key is a target's. Earlier versions left every part of a branch unchanged. */
export const isKeyOf = (key: string, target: Target): boolean =>
  key === targetKey(target) || (target._tag === "Base" && key === `base/${target.branch}`)

/**
 * The target arguments of `codex review`. A pull request is reviewed against `base`, the branch its base was
 * resolved to when the batch started; null for a pull request whose base is not known.
 */
export const codexArguments = (target: Target, base: BranchName | null): ReadonlyArray<string> | null =>
  Target.match(target, {
    Uncommitted: () => ["--uncommitted"],
    Base: ({ branch }) => ["--base", branch],
    Commit: ({ sha }) => ["--commit", sha],
    PullRequest: () => base === null ? null : ["--base", base]
  })

/**
 * The arguments of every reviewer: the contract's `review <target> -c model_reasoning_effort="<LEVEL>"`, and the
 * sandbox in which nothing can be written. `base` as for `codexArguments`.
 */
export const reviewArguments = (target: Target, base: BranchName | null, level: Level): ReadonlyArray<string> => [
  "review",
  ...(codexArguments(target, base) ?? []),
  "-c",
  `model_reasoning_effort="${level}"`,
  "-c",
  `sandbox_mode="read-only"`
]

/** An argument of codex that sets one key of its settings. */
export const setting = (name: string, value: unknown): ReadonlyArray<string> => ["-c", `${name}=${jsonText(value)}`]

/** Keeps skills from reviewers: codex reads the change's skills, even if its user trusts nothing. */
export const withoutSkills: ReadonlyArray<string> = ["-c", "skills.include_instructions=false"]

/** Makes an agent without a network fail, with the cause: codex would otherwise wait for ever. */
export const withoutEndlessRetries: ReadonlyArray<string> = ["-c", "features.unbounded_connection_retries=false"]

/** The variables of reviewers of a copy: the git that they call reads no settings of the user and writes no index. */
export const ownVariables = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0"
}

/** The setting that gives a variable to the commands of codex. */
export const givenVariable = (name: string, value: string): ReadonlyArray<string> =>
  setting(`shell_environment_policy.set.${name}`, value)

/** Keeps all variables from the commands of reviewers of a copy, but for PATH, HOME and such and those of their git. */
export const coreVariables: ReadonlyArray<string> = [
  "-c",
  "shell_environment_policy.inherit=core",
  ...Object.entries(ownVariables).flatMap(([name, value]) => givenVariable(name, value))
]

/**
 * Makes codex a reader of a copy. The sandbox is in the contract's own arguments; the copy has the trusted AGENTS.md,
 * but not what the user's codex takes for one by another name; nobody trusts its directory.
 */
export const copySettings: ReadonlyArray<string> = readerArguments({
  writes: kept,
  instructions: { args: [...withoutSkills, "-c", "project_doc_fallback_filenames=[]"] },
  settings: kept,
  memory: kept,
  outside: { args: coreVariables }
})

/** Keeps the instructions to agents that a change brings along (AGENTS.md) from its own reviewers. */
export const withoutInstructions: ReadonlyArray<string> = ["-c", "project_doc_max_bytes=0"]

/**
 * The arguments that make codex use no settings of a project (MCP servers, hooks, instructions), even if its user
 * trusts the directories. One table, because codex splits a key at every dot, also in a path.
 */
export const untrusted = (...directories: ReadonlyArray<string>): ReadonlyArray<string> => {
  const keys = directories.map((directory) => JSON.stringify(directory).replaceAll("\x7f", "\\u007f"))
  return ["-c", `projects={${keys.map((key) => `${key}={trust_level="untrusted"}`).join(",")}}`]
}

/** `codex exec` as a reader of directories, in a sandbox without a network; no agent can write its home. */
export const codexReader = (sandbox: ReadonlyArray<string>, ...directories: ReadonlyArray<string>): Reader => ({
  writes: { args: sandbox },
  instructions: { args: [...withoutSkills, ...withoutInstructions] },
  settings: { args: untrusted(...directories) },
  memory: kept,
  outside: kept
})

// Which model reviews, and whether reviewers get skills, variables and the repository's own instructions to agents.
const settable: ReadonlyArray<RegExp | string> = [
  /^review_model="[^"\\]+"$/,
  ...[...copySettings, ...withoutInstructions].filter((one) => one !== "-c")
]

/** Whether all further arguments of a reviewer are allowed ones: each once, in this order. */
export const areSettings = (rest: ReadonlyArray<string>): boolean => {
  let left = rest
  for (const pattern of settable) {
    const [option, value = ""] = left
    const isAllowed = typeof pattern === "string" ? value === pattern : pattern.test(value)
    if (option === "-c" && isAllowed) left = left.slice(2)
  }
  return left.length === 0
}

/** Whether reviewers of a target at a level are called with these arguments, as far as those are not settings. */
export const areOfReview = (
  argv: ReadonlyArray<string>,
  target: Target,
  base: BranchName | null,
  level: Level
): boolean => {
  const own = reviewArguments(target, base, level)
  return own.every((one, i) => argv[i] === one) && areSettings(argv.slice(own.length))
}

/** A branch from outside, or the reason why it is invalid. */
export const parseBranch = (text: string): Result.Result<BranchName, string> => {
  const problem = branchProblem(text)
  return problem === null ? Result.succeed(BranchName.make(text)) : Result.fail(problem)
}

/** A full commit id from outside (either case), or the reason why it is invalid. */
export const parseCommit = (text: string): Result.Result<CommitSha, string> =>
  wholeId.test(text.toLowerCase())
    ? Result.succeed(CommitSha.make(text.toLowerCase()))
    : Result.fail("expected a full commit id of 40 hexadecimal digits")

/** A pull request number from outside, or the reason why it is invalid. */
export const parsePr = (text: string): Result.Result<PrNumber, string> =>
  /^[1-9][0-9]{0,9}$/.test(text)
    ? Result.succeed(PrNumber.make(Number(text)))
    : Result.fail("expected a pull request number, 1 or more")
