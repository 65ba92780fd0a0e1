// SnapshotBytes: makes an index hold the very bytes of the files, where git would keep them in another form.
// Line endings, filters and encodings change what git keeps; put back by other settings it would be other bytes.
import { lstatSync } from "node:fs"
import { Effect } from "effect"
import { git } from "./Command.ts"
import { type Listed, placeOf } from "./Index.ts"
import { must } from "./Must.ts"
import type { Scratch } from "./Scratch.ts"

/** One entry of an index or of a tree. */
export interface Entry {
  readonly mode: string
  readonly id: string
  readonly name: string
}

const entryOf = (text: string): Entry => {
  const [mode = "", id = ""] = text.split(" ", 2)
  return { mode, id, name: text.slice(text.indexOf("\t") + 1) }
}

/** The entries of an index. */
export const entriesOf = ({ text }: Pick<Listed, "text">): ReadonlyArray<Entry> =>
  text.split("\0").slice(0, -1).map(entryOf)

/** A name as git reads it from a line: quoted, with its bytes as octal numbers where they are no plain characters. */
const quoted = (name: string): string =>
  `"${name.replace(/[^ !#-[\]-~]/g, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, "0")}`)}"`

/** The size of each object, by its id. */
const sizesOf = Effect.fnUntraced(function*(root: string, { env }: Scratch, ids: ReadonlyArray<string>) {
  const sizes = yield* must(root, ["cat-file", "--batch-check=%(objectname) %(objectsize)"], env, ids.join("\n"))
  return new Map(
    sizes.split("\n").map((line): [string, number] => {
      const [id = "", size] = line.split(" ")
      return [id, Number(size)]
    })
  )
})

/** The names of files that a program converts, or that git keeps in another encoding. Of those a size tells nothing. */
const convertedOf = Effect.fnUntraced(function*(root: string, { env }: Scratch, names: ReadonlyArray<string>) {
  const asked = ["check-attr", "-z", "--stdin", "filter", "working-tree-encoding"]
  const parts = (yield* must(root, asked, env, names.map((name) => `${name}\0`).join(""))).split("\0")
  const found = new Set<string>()
  for (let i = 0; i + 2 < parts.length; i += 3) {
    const [name = "", value] = [parts[i], parts[i + 2]]
    if (value !== "unspecified" && value !== "unset") found.add(name)
  }
  return found
})

/** The settings under which git runs no program to convert a file, and changes no line ending by itself. */
export const asTheyAre = Effect.fnUntraced(function*(root: string) {
  const listed = yield* git(root, [
    "config",
    "--name-only",
    "-z",
    "--get-regexp",
    "^filter\\..*\\.(clean|process|required)$"
  ])
  const drivers = new Set(listed.stdout.split("\0").flatMap((key) => /^filter\.([^=\n]*)\.\w+$/.exec(key)?.[1] ?? []))
  const off = [...drivers].flatMap((driver) =>
    ["clean=", "process=", "required=false"].map((end) => `filter.${driver}.${end}`)
  )
  const plain = ["core.autocrlf=false", "core.fileMode=true", "core.symlinks=true", "core.ignoreCase=false"]
  // A power loss must not take what an agent is about to overwrite.
  const durable = ["core.fsync=committed,loose-object,reference", "core.fsyncMethod=batch"]
  return [...plain, ...durable, ...off].flatMap((setting) => ["-c", setting])
})

/**
 * Replaces the entries of a scratch index whose object is not what the file holds, and removes those whose file is not
 * there. Returns the entries as they are then. Fails with one line why not.
 */
export const holdBytes = Effect.fnUntraced(function*(
  root: string,
  scratch: Scratch,
  listed: Listed,
  settings: ReadonlyArray<string>
) {
  const found = entriesOf(listed).filter(({ mode }) => mode !== "160000").map((entry) => ({
    entry,
    facts: lstatSync(placeOf(root, entry.name), { throwIfNoEntry: false })
  }))
  // Left out by a sparse checkout; their objects may not even be here.
  const gone = found.filter(({ facts }) => facts === undefined).map(({ entry }) => entry)
  const there = found.flatMap(({ entry, facts }) =>
    facts !== undefined && entry.mode.startsWith("100") ? [{ ...entry, size: facts.size }] : []
  )
  const sizes = yield* sizesOf(root, scratch, there.map(({ id }) => id))
  const converted = yield* convertedOf(root, scratch, there.map(({ name }) => name))
  const doubtful = there.filter(({ id, name, size }) => converted.has(name) || size !== sizes.get(id))
  const ids = doubtful.length === 0
    ? []
    : (yield* must(
      root,
      [...settings, "hash-object", "-w", "--no-filters", "--stdin-paths"],
      scratch.env,
      doubtful.map(({ name }) => `${quoted(name)}\n`).join("")
    )).split("\n")
  const held = new Map(
    doubtful.map(({ id, mode, name }, i): [string, Entry] => [name, { id: ids[i] ?? id, mode, name }])
  )
  const lines = [
    ...gone.map(({ id, name }) => `0 ${"0".repeat(id.length)}\t${name}\0`),
    ...[...held.values()].map(({ id, mode, name }) => `${mode} ${id}\t${name}\0`)
  ]
  if (lines.length > 0) yield* must(root, ["update-index", "-z", "--index-info"], scratch.env, lines.join(""))
  const left = new Set(gone.map(({ name }) => name))
  return entriesOf(listed).filter(({ name }) => !left.has(name)).map((entry) => held.get(entry.name) ?? entry)
})
