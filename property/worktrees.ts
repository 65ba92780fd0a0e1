// worktrees: random worktrees with everything that a walk may meet, and what a plain walk of them should find.
// Names are strings of one character for each byte, as in `src/code/Names.ts`.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { type IgnoreRules, isIgnored, parseRules } from "../src/code/Ignore.ts"
import { directoryOf, isWithin, type Name } from "../src/code/Names.ts"

export const bytes = (latin1: string): Buffer => Buffer.from(latin1, "latin1")

const names = fc.constantFrom(
  ..."a b c d A build foo.o x.log git~1 .GIT .gitmodules .gitattributes caf\xe9 \xff .g\xe2\x80\x8cit -x *".split(" "),
  "sp ",
  "t\tb",
  "n\nl",
  'q"\\',
  ".git "
)
const directories = fc.array(names, { maxLength: 3 }).map((parts) => parts.join("/"))
const within = (directory: Name, name: Name): Name => directory === "" ? name : `${directory}/${name}`
const paths = fc.tuple(directories, names).map(([directory, name]) => within(directory, name))
const texts = fc.constantFrom("", "one\n", "two\n", "cr\r\nlf\n", "$Id$\n", "\0\xff\r\n", "long ".repeat(5_000))

const file = fc.record({
  _tag: fc.constant("File" as const),
  path: paths,
  text: texts,
  isProgram: fc.boolean(),
  /** Whether the index of the repository that holds it names it, and what became of it since. */
  isTracked: fc.boolean(),
  later: fc.constantFrom("same", "same", "same", "edited", "removed", "skipped by a sparse checkout")
})
const link = fc.record({
  _tag: fc.constant("Link" as const),
  path: paths,
  to: fc.constantFrom("a", "../b", "/nowhere", "caf\xe9", ".git/config")
})
const fifo = fc.record({ _tag: fc.constant("Fifo" as const), path: paths })

const rules = fc.array(
  fc.oneof(
    names,
    fc.constantFrom(
      ..."* *.o *.log /* !* !*/ !a build/ /build !build/ **/a a/** a* !a/b [a-c] c/ d/ *.o !foo.o .git*".split(" ")
    )
  ),
  { maxLength: 4 }
).map((lines) => lines.join("\n"))
const ignoreFile = fc.record({
  _tag: fc.constantFrom(
    "File" as const,
    "File" as const,
    "File" as const,
    "File" as const,
    "Link" as const,
    "Fifo" as const
  ),
  directory: directories,
  text: rules
})
const nested = fc.record({
  directory: directories,
  kind: fc.constantFrom("repository", "submodule", "absent submodule", "garbage"),
  items: fc.array(fc.oneof({ weight: 5, arbitrary: file }, link), { maxLength: 5 })
})

/** What a worktree is made from. */
export const worktree = fc.record({
  items: fc.array(fc.oneof({ weight: 8, arbitrary: file }, { weight: 2, arbitrary: link }, fifo), { maxLength: 20 }),
  ignores: fc.array(ignoreFile, { maxLength: 4 }),
  nested: fc.array(nested, { maxLength: 2 }),
  exclude: rules,
  excludesFile: rules,
  fold: fc.boolean(),
  format: fc.constantFrom("sha1" as const, "sha1" as const, "sha1" as const, "sha256" as const),
  autocrlf: fc.constantFrom("true", "input", "false"),
  attributes: fc.constantFrom("* text=auto eol=crlf ident\n", "* filter=x\n", ""),
  isCommitted: fc.boolean()
})
export type Plan = typeof worktree extends fc.Arbitrary<infer A> ? A : never

type Item =
  | {
    readonly _tag: "File"
    readonly path: Name
    readonly text: string
    readonly isProgram?: boolean
    readonly isTracked?: boolean
    readonly later?: string
  }
  | { readonly _tag: "Link"; readonly path: Name; readonly to: string }
  | { readonly _tag: "Fifo"; readonly path: Name }
  | { readonly _tag: "Directory"; readonly path: Name }

/** The entries that can exist together: a path is a directory or something else, never both. */
const together = <A extends Item>(items: ReadonlyArray<A>): ReadonlyArray<A> => {
  const kinds = new Map<Name, "directory" | "other">()
  return items.filter(({ _tag, path }) => {
    const kind = _tag === "Directory" ? "directory" as const : "other" as const
    const parts = path.split("/")
    const above = parts.slice(1).map((_, depth) => parts.slice(0, depth + 1).join("/"))
    if (above.some((one) => kinds.get(one) === "other")) return false
    if (kinds.has(path) && (kind === "other" || kinds.get(path) === "other")) return false
    for (const one of above) kinds.set(one, "directory")
    kinds.set(path, kind)
    return true
  })
}

/** A worktree on disk, and what each index in it names. */
export interface Worktree {
  readonly repo: string
  readonly plan: Plan
  readonly indexes: ReadonlyMap<Name, Index>
}
interface Index {
  readonly files: ReadonlySet<Name>
  readonly submodules: ReadonlySet<Name>
}

const at = (repo: string, path: Name): Buffer => Buffer.concat([Buffer.from(`${repo}/`), bytes(path)])

export const write = (repo: string, path: Name, text: string, isProgram = false): void => {
  mkdirSync(at(repo, directoryOf(path)), { recursive: true })
  writeFileSync(at(repo, path), bytes(text))
  chmodSync(at(repo, path), isProgram ? 0o755 : 0o644)
}

const put = (repo: string, item: Item): void => {
  mkdirSync(at(repo, directoryOf(item.path)), { recursive: true })
  if (item._tag === "File") write(repo, item.path, item.text, item.isProgram)
  else if (item._tag === "Link") symlinkSync(bytes(item.to), at(repo, item.path))
  else if (item._tag === "Directory") mkdirSync(at(repo, item.path), { recursive: true })
}

const person = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.safecrlf=false"]

/** Runs git as a person would; paths in its answer are bytes. */
export const gitIn = (repo: string, args: ReadonlyArray<string>, input = "", env: NodeJS.ProcessEnv = {}): string => {
  const whole = { PATH: process.env["PATH"], HOME: "/", GIT_CONFIG_NOSYSTEM: "1", ...env }
  return execFileSync("git", [...person, ...args], { cwd: repo, env: whole, input: bytes(input), stdio: "pipe" })
    .toString("latin1")
}
const withNul = (parts: ReadonlyArray<string>): string => parts.map((part) => `${part}\0`).join("")

/** The id of a blob in hex. */
export const blobId = (format: string, content: Uint8Array): string =>
  createHash(format).update(`blob ${content.length}\0`).update(content).digest("hex")

/** Makes a worktree in `home`. */
export const makeWorktree = (home: string, plan: Plan): Worktree => {
  const repo = join(home, "repo")
  mkdirSync(repo)
  gitIn(repo, ["init", "-q", "-b", "main", `--object-format=${plan.format}`])
  write(repo, ".git/info/exclude", plan.exclude)
  write(repo, ".git/excludes", plan.excludesFile)
  const settings = { autocrlf: plan.autocrlf, ignoreCase: String(plan.fold), excludesFile: `${repo}/.git/excludes` }
  const lines = Object.entries(settings).map(([name, value]) => `\t${name} = ${value}\n`).join("")
  writeFileSync(join(repo, ".git/config"), `[core]\n${lines}`, { flag: "a" })

  // `.gitmodules` may be a file.
  const isFree = (directory: Name) => directory !== "" && !/(?:^|\/)\.GIT(?:MODULES)?(?:\/|$)/i.test(directory)
  const places = together(
    plan.nested.filter(({ directory }) => isFree(directory))
      .map((one) => ({ ...one, _tag: "Directory" as const, path: one.directory }))
  )
  const items = together<Item>([
    ...places.map(({ path }): Item => ({ _tag: "Directory", path })),
    ...plan.ignores.map(({ _tag, directory, text }): Item => {
      const path = within(directory, ".gitignore")
      return _tag === "File" ? { _tag, path, text } : _tag === "Link" ? { _tag, path, to: "a" } : { _tag, path }
    }),
    { _tag: "File", path: ".gitattributes", text: plan.attributes },
    ...places.flatMap(({ items, path }) => items.map((item) => ({ ...item, path: within(path, item.path) }))),
    ...plan.items
  ])
  for (const item of items) put(repo, item)

  /** The innermost repository or submodule around a path. */
  const ownerOf = (path: Name) =>
    places.filter((one) => path !== one.path && isWithin(path, one.path)).sort((a, b) =>
      b.path.length - a.path.length
    )[0]
  const isSubmodule = (kind: string) => kind === "submodule" || kind === "absent submodule"
  const traceOf = (path: Name) => {
    const owner = ownerOf(path)
    return owner === undefined || owner.kind === "garbage" ? "" : owner.path
  }
  const files = items.flatMap((item) => item._tag === "File" ? [item] : [])
  const isRefused = (path: Name) => /(?:^|\/)(?:\.git|git~1|\.g\xe2\x80\x8cit)[ .]*(?:\/|$)/i.test(path)
  const tracked = files.filter(({ isTracked, path }) => isTracked === true && !isRefused(path))
  const submodules = places.filter(({ kind, path }) => isSubmodule(kind) && !isRefused(path))
  const indexes = new Map<Name, Index>()
  for (const directory of ["", ...places.map(({ path }) => path)]) {
    const hasIndex = directory === "" ||
      places.some(({ kind, path }) => path === directory && (kind === "repository" || kind === "submodule"))
    indexes.set(directory, {
      files: new Set(hasIndex ? tracked.filter(({ path }) => traceOf(path) === directory).map(({ path }) => path) : []),
      submodules: new Set(
        hasIndex ? submodules.filter(({ path }) => traceOf(path) === directory).map(({ path }) => path) : []
      )
    })
  }

  const commit = blobId(plan.format, bytes("commit"))
  const linkLines = (directory: Name, index: Index) =>
    [...index.submodules].map((path) =>
      `160000 ${commit} 0\t${path.slice(directory === "" ? 0 : directory.length + 1)}`
    )
  const own = indexes.get("") ?? { files: new Set(), submodules: new Set() }
  gitIn(repo, ["update-index", "--add", "-z", "--stdin"], withNul([...own.files]))
  gitIn(repo, ["update-index", "-z", "--index-info"], withNul(linkLines("", own)))
  if (plan.isCommitted) gitIn(repo, ["commit", "-q", "--allow-empty", "-m", "One"])
  const sparse = tracked.filter(({ later, path }) => own.files.has(path) && later === "skipped by a sparse checkout")
  gitIn(repo, ["update-index", "--skip-worktree", "-z", "--stdin"], withNul(sparse.map(({ path }) => path)))

  for (const { kind, path } of places) {
    if (kind === "absent submodule") continue
    if (kind === "garbage") {
      write(repo, `${path}/.git`, "gitdir: nowhere\n")
      continue
    }
    for (const part of ["objects", "refs/heads"]) mkdirSync(at(repo, `${path}/.git/${part}`), { recursive: true })
    write(repo, `${path}/.git/HEAD`, "ref: refs/heads/main\n")
    write(repo, `${path}/.git/refs/heads/main`, `${commit}\n`)
    const index = indexes.get(path)
    if (index === undefined || index.files.size + index.submodules.size === 0) continue
    const fileLines = [...index.files].map((name) => `100644 ${commit} 0\t${name.slice(path.length + 1)}`)
    const made = join(home, "made-index")
    rmSync(made, { force: true })
    const input = withNul([...fileLines, ...linkLines(path, index)])
    gitIn(repo, ["update-index", "-z", "--index-info"], input, { GIT_INDEX_FILE: made })
    copyFileSync(made, at(repo, `${path}/.git/index`))
  }

  for (const { later, path } of files) {
    if (later === "edited") writeFileSync(at(repo, path), "edited\n")
    else if (later === "removed" || later === "skipped by a sparse checkout") rmSync(at(repo, path))
  }
  const fifos = items.filter(({ _tag }) => _tag === "Fifo").map(({ path }) => path)
  if (fifos.length > 0) execFileSync("xargs", ["-0", "mkfifo", "--"], { cwd: repo, input: bytes(withNul(fifos)) })
  return { repo, plan, indexes }
}

/** What lies at a path, by a plain walk. */
export interface Found {
  readonly mode: "100644" | "100755" | "120000" | "special"
  readonly content: Buffer
}

/** What a walk of all directories finds, by what should become of it. */
export interface Walked {
  readonly counted: ReadonlyMap<Name, Found>
  readonly special: ReadonlyArray<Name>
  readonly ignored: ReadonlySet<Name>
  /** Whether a path counts although neither the worktree's index nor its submodule's names it. */
  readonly untracked: boolean
}

const foundAt = (path: Buffer): Found => {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return { mode: "120000", content: readlinkSync(path, "buffer") }
  if (!stat.isFile()) return { mode: "special", content: Buffer.alloc(0) }
  return { mode: (stat.mode & 0o100) === 0 ? "100644" : "100755", content: readFileSync(path) }
}

/** Walks a worktree. `also` are names that count though they are ignored. */
export const walked = ({ indexes, plan, repo }: Worktree, also: ReadonlyArray<Name> = []): Walked => {
  const counted = new Map<Name, Found>()
  const special: Array<Name> = []
  const ignored = new Set<Name>()
  let untracked = false
  const more: Index = { files: new Set(also), submodules: new Set() }
  const personal = [plan.excludesFile, plan.exclude].map((text) => parseRules(text, "", plan.fold))

  interface Inside {
    readonly stack: ReadonlyArray<IgnoreRules>
    readonly counting: ReadonlyArray<Index>
    readonly shown: Index | undefined
    readonly isOut: boolean
  }
  const walk = (directory: Name, inside: Inside): void => {
    const list = readdirSync(at(repo, directory), { withFileTypes: true, encoding: "buffer" })
    const file = list.find((one) => one.name.toString("latin1") === ".gitignore")
    const text = file?.isFile() === true
      ? readFileSync(at(repo, within(directory, ".gitignore"))).toString("latin1")
      : ""
    const stack = [...inside.stack, parseRules(text, directory, plan.fold)]
    for (const one of list) {
      const name = one.name.toString("latin1")
      if (name === ".git") continue
      const path = within(directory, name)
      const isOut = inside.isOut || isIgnored(stack, path, name, one.isDirectory(), plan.fold)
      const isNamed = [...inside.counting, more].some(({ files }) => files.has(path))
      if (!one.isDirectory()) {
        const found = foundAt(at(repo, path))
        if (isOut && !isNamed) ignored.add(path)
        else if (found.mode === "special") special.push(path)
        else {
          counted.set(path, found)
          if (inside.shown?.files.has(path) !== true) untracked = true
        }
        continue
      }
      const own = indexes.get(path)
      const isSubmodule = inside.counting.some(({ submodules }) => submodules.has(path))
      const here = { ...inside, stack, isOut }
      if (isSubmodule) {
        // The worktree's own excludes do not count in a submodule.
        walk(path, { stack: personal.slice(0, 1), counting: own === undefined ? [] : [own], shown: own, isOut: false })
      } else walk(path, own === undefined || isOut ? here : { ...here, counting: [...inside.counting, own] })
    }
  }
  const outer = indexes.get("")
  walk("", { stack: personal, counting: outer === undefined ? [] : [outer], shown: outer, isOut: false })
  return { counted, special, ignored, untracked }
}
