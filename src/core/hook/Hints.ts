// Hints: what a reviewer is to look at first, by the path of a change and by how much of it there is.

/** What a path tells of its file. */
export type FocusHint = "security" | "test" | "data" | "ui" | "config"

/** What the size of a change tells of it. */
export type SizeHint = "expanded" | "reduced" | "large"

// Whole words of a path's segments: `keyboard.ts` is nothing of keys.
const words: Readonly<Record<FocusHint, string>> = {
  security: "auth authn authz login logout session sessions security secure secret secrets token tokens crypto " +
    "cipher password passwords credential credentials permission permissions oauth jwt acl csrf cors key keys cert " +
    "certs sanitize sanitizer policy policies sandbox",
  test: "test tests spec specs testing fixture fixtures mock mocks e2e",
  data: "db database data migration migrations migrate schema schemas model models repository repositories sql query " +
    "queries entity entities prisma seed seeds",
  ui: "ui component components view views page pages css scss less tsx jsx html vue svelte style styles layout layouts",
  config: "config configs configuration settings env yaml yml toml ini dockerfile docker makefile ci workflows " +
    "package tsconfig webpack vite"
}
const hints: ReadonlyArray<FocusHint> = ["security", "test", "data", "ui", "config"]

const wordsOf = (path: string): ReadonlySet<string> =>
  new Set(path.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/))

/** What a path tells of its file, each once, in a fixed order. */
export const focusHints = (path: string): ReadonlyArray<FocusHint> => {
  const found = wordsOf(path)
  return hints.filter((hint) => words[hint].split(" ").some((word) => found.has(word)))
}

/** How many characters a change took away and put in their place. */
export interface ChangeSize {
  readonly before: number
  readonly after: number
}

/** What the size of a change tells. A change that takes no text away expands nothing. */
export const sizeHints = ({ after, before }: ChangeSize): ReadonlyArray<SizeHint> => [
  ...(before > 0 && after > 3 * before ? ["expanded" as const] : []),
  ...(2 * after < before ? ["reduced" as const] : []),
  ...(Math.max(before, after) > 5000 ? ["large" as const] : [])
]
