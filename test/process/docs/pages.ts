// pages: the commands in the ```sh blocks of README.md, docs/ and plugin/.
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

export const root = resolve(import.meta.dirname, "../../..")

/** A block of commands that belong together. */
export interface Block {
  /** Its page and the line it begins at. */
  readonly place: string
  readonly lines: ReadonlyArray<string>
}

const pages = [
  "README.md",
  ...["docs", "plugin"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).sort()
      .filter((name) => name.endsWith(".md")).map((name) => join(folder, name))
  )
]

/** The commands of a block: a backslash at the end continues a line; a comment alone is not a command. */
const commands = (text: string): ReadonlyArray<string> =>
  text.split(/(?<!\\)\n/).filter((line) => !/^\s*(#|$)/.test(line))

const textOf = (page: string): string => readFileSync(join(root, page), "utf8")

const blocksOf = (page: string): ReadonlyArray<Block> => {
  const text = textOf(page)
  return [...text.matchAll(/^( *)```sh\b[^\n]*\n([^]*?)^\1```$/gm)].map(({ 2: lines = "", index }) => ({
    place: `${page}:${text.slice(0, index).split("\n").length}`,
    lines: commands(lines)
  }))
}

export const blocks: ReadonlyArray<Block> = pages.flatMap(blocksOf)

/** The pages with a block of commands that is marked in another way and so would be missed here. */
export const hidden: ReadonlyArray<string> = pages.filter((page) =>
  /^ *(```(bash|shell|console|zsh)|~~~)/m.test(textOf(page))
)

/** A command without the comment beside it. */
export const bare = (line: string): string => line.replace(/ +# .*$/, "").trim()
