// Hints: what a reviewer should check first, from the path of a change and its size.

/** What a path says about its file. */
export type FocusHint = "security" | "test" | "data" | "ui" | "config"

/** What the size of a change says about it. */
export type SizeHint = "expanded" | "reduced" | "large"

// Whole words of a path's segments, so that `keyboard.ts` is not about keys.
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

/** What a path says about its file, each hint once, in a fixed order. */
export const focusHints = (path: string): ReadonlyArray<FocusHint> => {
  const found = wordsOf(path)
  return hints.filter((hint) => words[hint].split(" ").some((word) => found.has(word)))
}

/** How many characters a change removed and added. */
export interface ChangeSize {
  readonly before: number
  readonly after: number
}

/** What the size of a change says. A change that removes no text expands nothing. */
export const sizeHints = ({ after, before }: ChangeSize): ReadonlyArray<SizeHint> => [
  ...(before > 0 && after > 3 * before ? ["expanded" as const] : []),
  ...(2 * after < before ? ["reduced" as const] : []),
  ...(Math.max(before, after) > 5000 ? ["large" as const] : [])
]

// What a shell command was about, so that the explanation of its failure looks there first.
// Only the programs that it starts count, never its arguments: `echo git` is not about git.

export type CommandHint = "test" | "build" | "dependencies" | "git" | "network" | "container" | "database" | "files"

const programs: Readonly<Record<CommandHint, string>> = {
  test: "pytest tox nox vitest jest mocha ava phpunit rspec ctest playwright cypress",
  build: "make cmake ninja tsc gcc g++ clang rustc javac mvn gradle gradlew webpack rollup rolldown esbuild vite bazel",
  dependencies: "npm pnpm yarn bun pip pip3 pipx uv poetry cargo gem bundle composer apt apt-get brew dnf apk",
  git: "git gh glab hub",
  network: "curl wget ssh scp rsync nc ping dig nslookup",
  container: "docker podman docker-compose kubectl helm minikube",
  database: "psql mysql sqlite3 mongosh mongo redis-cli pg_dump prisma",
  files: "rm mv cp mkdir rmdir chmod chown ln touch tar unzip"
}

// These only start another program.
const starters: ReadonlyArray<string> = ["sudo", "env", "time", "nice", "nohup", "exec", "command", "npx", "bunx"]

// The subcommand of a program says more than its name: `npm test`, `cargo build`.
const tasks: Readonly<Partial<Record<CommandHint, RegExp>>> = {
  test: /^tests?(?=:|$)/,
  build: /^(?:build|compile)(?=:|$)/,
  database: /^migrate(?=:|$)/
}

const longest = 20_000
const commandHintKinds: ReadonlyArray<CommandHint> = [
  "test",
  "build",
  "dependencies",
  "git",
  "network",
  "container",
  "database",
  "files"
]

/** The words of one command that name its program and its subcommand. */
const head = (command: string): ReadonlyArray<string> => {
  const words = command.trim().split(/\s+/).filter((word) => !/^(?:\w+=|-)/.test(word))
  const first = words.findIndex((word) => !starters.includes(word))
  return first < 0 ? [] : words.slice(first, first + 3).map((word) => word.slice(word.lastIndexOf("/") + 1))
}

const isAbout = (hint: CommandHint, [program = "", ...rest]: ReadonlyArray<string>): boolean =>
  programs[hint].split(" ").includes(program) ||
  (programs.dependencies.split(" ").includes(program) && rest.some((word) => tasks[hint]?.test(word) === true))

/** What a command line is about, each once, in a fixed order; empty if unknown. */
export const commandHints = (command: string): ReadonlyArray<CommandHint> => {
  const heads = command.slice(0, longest).replace(/"[^"]*"|'[^']*'/g, "quoted").split(/[;&|\n()`]+/).map(head)
  return commandHintKinds.filter((hint) => heads.some((one) => isAbout(hint, one)))
}
