// Instructions: the files that engines read by themselves and obey, at any depth of a worktree.
// Their author instructs the reviewers. So a copy has these files as they were before the change under review. This
// file says which paths they are, and what a tree holds at each.
import { directoryOf, isWithin, type Name } from "./Names.ts"

const files = [
  "AGENTS.md",
  "AGENTS.override.md",
  "CLAUDE.md",
  "CLAUDE.local.md",
  "GEMINI.md",
  ".mcp.json",
  ".ignore",
  ".rgignore"
]
/** Everything below them counts, and so does a link of such a name, which may lead anywhere. */
const directories = [".codex", ".agents", ".claude"]
const gitHubFiles = ["copilot-instructions.md", "mcp.json"]
const gitHubDirectories = ["copilot", "instructions", "agents", "skills", "hooks"]

const anyOf = (names: ReadonlyArray<string>) => `(?:${names.map((name) => name.replaceAll(".", "\\.")).join("|")})`
const source = `(?:^|/)(?:${anyOf(files)}$|${anyOf(directories)}(?:/|$)|` +
  `\\.github(?:$|/(?:${anyOf(gitHubFiles)}$|${anyOf(gitHubDirectories)}(?:/|$))))`
const exact = new RegExp(source)
const inAnyCase = new RegExp(source, "i")

/** Whether engines read a path as instructions; `fold` if the file system takes `agents.md` for `AGENTS.md`. */
export const isInstruction = (path: Name, fold: boolean): boolean => (fold ? inAnyCase : exact).test(path)

// What clients write at the top of a worktree by themselves, also for other sessions, and what no engine obeys.
const records =
  /^(?:\.claude\/(?:worktrees|todos|scheduled_tasks\.lock)|\.codex\/(?:log|sessions|history\.jsonl))(?:\/|$)/

/** The same for a path that git ignores. */
export const isIgnoredInstruction = (path: Name, fold: boolean): boolean =>
  isInstruction(path, fold) && !records.test(path)

/** What a tree holds at a path. */
interface Entry {
  readonly mode: string
  readonly id: string
}

const isLink = ({ mode }: Entry): boolean => mode === "120000"
const isFile = ({ mode }: Entry): boolean => mode.startsWith("100")
// More links in a row than any person makes.
const mostLinks = 16

/**
 * The path that a path resolves to within a tree: each link on the way is followed, its target given by `targetOf`.
 * Null if it leads out of the tree or in circles. The result need not exist.
 */
const followed = (
  tree: ReadonlyMap<Name, Entry>,
  targetOf: (id: string) => Name,
  path: Name
): Name | null => {
  let at = ""
  let left = path.split("/")
  for (let links = 0; left.length > 0;) {
    const [name = "", ...rest] = left
    left = rest
    if (name === "" || name === ".") continue
    if (name === "..") {
      if (at === "") return null
      at = directoryOf(at)
      continue
    }
    const next = at === "" ? name : `${at}/${name}`
    const entry = tree.get(next)
    if (entry === undefined || !isLink(entry)) {
      at = next
      continue
    }
    const target = targetOf(entry.id)
    if (target.startsWith("/") || ++links > mostLinks) return null
    left = [...target.split("/"), ...rest]
  }
  return at
}

/**
 * The instructions of a tree as plain files. A link becomes the file, or the files of the directory, that it leads to
 * within the tree; a link out of it is dropped.
 */
export const trustedContent = <E extends Entry>(
  tree: ReadonlyMap<Name, E>,
  targetOf: (id: string) => Name,
  fold: boolean
): ReadonlyMap<Name, E> => {
  const content = new Map<Name, E>()
  const add = (path: Name, from: Name | null): boolean => {
    const entry = from === null ? undefined : tree.get(from)
    if (entry === undefined || !isFile(entry)) return false
    content.set(path, entry)
    return true
  }
  for (const [path, entry] of tree) {
    if (!isInstruction(path, fold)) continue
    const from = isLink(entry) ? followed(tree, targetOf, path) : path
    if (from === null || add(path, from) || !isLink(entry)) continue
    // A link to a directory. Links in that directory count if they lead to files.
    for (const inner of tree.keys()) {
      if (!isWithin(inner, from)) continue
      const below = from === "" ? `/${inner}` : inner.slice(from.length)
      add(path + below, followed(tree, targetOf, inner))
    }
  }
  return content
}
