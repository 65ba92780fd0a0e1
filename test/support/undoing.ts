// undoing: worktrees as values, and a private repository that holds them, for tests of undo.
import * as fs from "node:fs"
import { Effect } from "effect"
import { repositoryAt } from "../../src/code/Repository.live.ts"
import { type Entry, hexOf, objectId, openStore, type Store, writeObjects } from "../../src/code/Store.live.ts"
import type { Entries } from "../../src/code/Undo.ts"
import { latin1Of, pathOf } from "../../src/code/Nested.live.ts"
import { git, inHome, run } from "./repositories.ts"

/** The files of a worktree by their names (latin1): contents, `>` and where a link leads, `*` and a program's contents. */
export type Files = Readonly<Record<string, string>>

const placeAt = (root: string, path: string) => pathOf(path === "" ? latin1Of(root) : `${latin1Of(root)}/${path}`)

const bytes = (text: string): Buffer => Buffer.from(text, "latin1")

/** A new repository without a commit. */
export const emptyRepo = (name: string): string => {
  fs.mkdirSync(inHome(name))
  git(inHome(name), "init", "-q")
  return inHome(name)
}

/** The private repository of a worktree. */
export const storeOf = (repo: string, name = "code"): Promise<Store> =>
  run(Effect.flatMap(repositoryAt(repo), (repository) => openStore(inHome(name), repository)))

// Not by `rmSync`, which knows no names of bytes.
const remove = (root: string, name: string): void => {
  const place = placeAt(root, name)
  if (fs.lstatSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) {
    if (fs.lstatSync(place, { throwIfNoEntry: false }) !== undefined) fs.unlinkSync(place)
    return
  }
  for (const one of fs.readdirSync(place, "latin1")) remove(root, `${name}/${one}`)
  fs.rmdirSync(place)
}

const clear = (root: string, name: string): void => {
  for (let end = name.indexOf("/"); end >= 0; end = name.indexOf("/", end + 1)) {
    const way = placeAt(root, name.slice(0, end))
    if (fs.lstatSync(way, { throwIfNoEntry: false })?.isDirectory() === false) fs.unlinkSync(way)
    fs.mkdirSync(way, { recursive: true })
  }
  remove(root, name)
}

/** Writes and removes (null) files of a worktree. */
export const edit = (root: string, files: Readonly<Record<string, string | null>>): void => {
  for (const [name, text] of Object.entries(files)) {
    if (text === null) {
      remove(root, name)
      continue
    }
    clear(root, name)
    if (text.startsWith(">")) fs.symlinkSync(bytes(text.slice(1)), placeAt(root, name))
    else if (text.startsWith("*")) {
      fs.writeFileSync(placeAt(root, name), bytes(text.slice(1)))
      fs.chmodSync(placeAt(root, name), 0o755)
    } else fs.writeFileSync(placeAt(root, name), bytes(text))
  }
}

/** All files and links of a worktree but for `.git` at its top, as `edit` takes them; special files as `?`. */
export const filesIn = (root: string, below = ""): Files => {
  const found: Record<string, string> = {}
  for (const one of fs.readdirSync(placeAt(root, below), { encoding: "latin1", withFileTypes: true })) {
    const name = below === "" ? one.name : `${below}/${one.name}`
    if (name === ".git") continue
    const place = placeAt(root, name)
    if (one.isDirectory()) Object.assign(found, filesIn(root, name))
    else if (one.isSymbolicLink()) found[name] = `>${fs.readlinkSync(place, "latin1")}`
    else if (!one.isFile()) found[name] = "?"
    else {
      const isProgram = (fs.lstatSync(place).mode & 0o100) !== 0
      found[name] = `${isProgram ? "*" : ""}${fs.readFileSync(place, "latin1")}`
    }
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => a < b ? -1 : 1))
}

const entryOf = (store: Store, text: string): Entry & { readonly content: Buffer } => {
  const [mode, content] = text.startsWith(">")
    ? ["120000", text.slice(1)] as const
    : text.startsWith("*")
    ? ["100755", text.slice(1)] as const
    : ["100644", text] as const
  return { mode, id: hexOf(objectId(store, "blob", bytes(content))), content: bytes(content) }
}

/** Saves some files in a private repository; returns their entries. */
export const saved = async (store: Store, files: Files): Promise<Entries> => {
  const entries = Object.entries(files).filter(([, text]) => text !== "?").map(
    ([name, text]) => [name, entryOf(store, text)] as const
  )
  await run(writeObjects(store, entries.map(([, { content }]) => ({ type: "blob", content }))))
  return new Map(entries.map(([name, { id, mode }]) => [name, { mode, id }]))
}

/** Makes the files of a worktree, but for `.git`, those that `filesIn` gave. Empty directories go. */
export const setFiles = (root: string, files: Files): void => {
  for (const one of fs.readdirSync(root, "latin1")) if (one !== ".git") remove(root, one)
  edit(root, files)
}
