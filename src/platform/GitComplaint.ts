// GitComplaint: what git's complaint about the user's repository means: the cause in plain words, and what to do.
// This is the one place that interprets such a complaint; one that is not listed keeps git's words.
import { dirname } from "node:path"
import { shellWord } from "../text/Phrases.ts"
import { adviceIn, reasonIn } from "../text/ProgramOutput.ts"
import { worktreeAround } from "./Tracked.ts"

/** What git was asked, and the user's index that the asked one is a copy of. */
export interface GitQuestion {
  readonly cwd: string
  readonly args: ReadonlyArray<string>
  readonly index: string | null
}

interface Explanation {
  readonly cause: string
  readonly remedy: string
}

/** What to do about objects that are missing or damaged. */
export const restoreObjects = "git fsck names what is missing or damaged; fetch it again, or clone anew"

/** What to do in a directory without a repository. */
export const goInside = "call this program inside the repository to review"

/** Whether a complaint, as `complaintText` explains it, is that there is no repository. */
export const isNoRepository = (said: string): boolean => said.endsWith(` [${goInside}]`)

const noRepository = (said: string, cwd: string): Explanation => {
  const top = worktreeAround(cwd)
  const [, target] = /not a git repository: ([^'].*)$/.exec(said) ?? []
  if (top !== null && target !== undefined) {
    return {
      cause: `${top}/.git leads to ${target}, which is not a git repository`,
      remedy: "git worktree repair in the main repository or, in a submodule's parent, git submodule update --init"
    }
  }
  // Git may have looked in fewer directories than `worktreeAround`; it stops where another file system begins.
  const [, end] = /\(or any parent up to mount point (.*)\)/.exec(said) ?? []
  const isSeen = said.includes("(or any of the parent directories)") ||
    (end !== undefined && top?.startsWith(end.endsWith("/") ? end : `${end}/`) === true)
  if (top === null || !isSeen) return { cause: said, remedy: goInside }
  const head = shellWord(`${top}/.git/HEAD`)
  return {
    cause: `git cannot read the repository ${top}/.git: its HEAD, objects or refs are missing or damaged`,
    remedy: `if HEAD is damaged: echo "ref: refs/heads/BRANCH" >${head}, with your branch; else clone anew`
  }
}

const damagedIndex = (said: string, path: string): Explanation => {
  const remove = `rm ${shellWord(path)}`
  return {
    cause: `${path} is damaged: ${said.replace(/^.*: /, "")}`,
    remedy: path.endsWith("/.git/index")
      ? `${remove} && git -C ${shellWord(dirname(dirname(path)))} reset`
      : `${remove}, then git reset in its working tree`
  }
}

const damagedObject = (complaint: string, args: ReadonlyArray<string>): Explanation => {
  const id = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/
  const [named] = id.exec(complaint) ?? []
  const [asked] = id.exec(args.join(" ")) ?? []
  const short = (named ?? asked ?? "").slice(0, 12)
  const subject = short === "" ? "an object" : named === undefined ? `commit ${short} or its tree` : `object ${short}`
  return { cause: `${subject} is missing or damaged`, remedy: restoreObjects }
}

const ofIndex = /index file (?:smaller|corrupt)|bad signature|bad index version|unordered stage entries|index entry/
const ofObjects = new RegExp(
  [
    "Needed a single revision",
    "inflate:",
    "unable to (?:unpack|parse|read|get) ",
    "(?:bad|missing|invalid) (?:tree )?object",
    "bad tree",
    "not a tree",
    "is (?:corrupt|empty)",
    "[Cc]ould not (?:parse|read|get)",
    "cannot read object",
    "failed to read object",
    "hash mismatch",
    "packfile "
  ].join("|")
)

/** The cause and the remedy of git's complaint; null if the complaint is not known. */
const explanationOf = (complaint: string, { args, cwd, index }: GitQuestion): Explanation | null => {
  const said = reasonIn(complaint)
  const advised = adviceIn(complaint)
  if (advised !== null) return { cause: said, remedy: advised }
  if (complaint.includes("not a git repository")) return noRepository(said, cwd)
  if (complaint.includes("must be run in a work tree")) {
    return {
      cause: "this directory has no working tree: it is in a bare repository or in .git",
      remedy: "call this program in a working tree; git worktree add DIR makes one"
    }
  }
  if (/bad (?:\w+ )?config/.test(complaint)) return { cause: said, remedy: "correct this setting in that file" }
  if (/Expected git repo version|unknown repository extension/.test(complaint)) {
    return { cause: said, remedy: "install a newer git" }
  }
  if (complaint.includes("No such ref: HEAD")) {
    return {
      cause: "the branch that .git/HEAD names is damaged",
      remedy: "remove that branch's file from .git/refs/heads, then git update-ref HEAD COMMIT; " +
        "the last line of .git/logs/HEAD names COMMIT second"
    }
  }
  if (index !== null && ofIndex.test(complaint)) return damagedIndex(said, index)
  // A program in git's place, such as the shim of macOS, prints complaints of its own, which begin with its name.
  const own = complaint.split("\n").filter((line) => /^(?:fatal|error): /.test(line)).join("\n")
  return ofObjects.test(own) ? damagedObject(own, args) : null
}

/** Git's complaint in one line, with the cause and the remedy if they are known. */
export const complaintText = (complaint: string, question: GitQuestion): string => {
  const found = explanationOf(complaint, question)
  return found === null ? reasonIn(complaint) : `${found.cause} [${found.remedy}]`
}
