// CommandHints: what a shell command was about, so that whoever explains its failure looks there first.
// The programs that it starts decide, never words of their arguments: `echo git` is nothing of git.

/** What a command can be about. */
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

// What a program is told to do says more than its name: `npm test`, `cargo build`.
const tasks: Readonly<Partial<Record<CommandHint, RegExp>>> = {
  test: /^tests?(?=:|$)/,
  build: /^(?:build|compile)(?=:|$)/,
  database: /^migrate(?=:|$)/
}

const longest = 20_000
const hints: ReadonlyArray<CommandHint> = [
  "test",
  "build",
  "dependencies",
  "git",
  "network",
  "container",
  "database",
  "files"
]

/** The words of one command that stand for its program and its task. */
const head = (command: string): ReadonlyArray<string> => {
  const words = command.trim().split(/\s+/).filter((word) => !/^(?:\w+=|-)/.test(word))
  const first = words.findIndex((word) => !starters.includes(word))
  return first < 0 ? [] : words.slice(first, first + 3).map((word) => word.slice(word.lastIndexOf("/") + 1))
}

const isAbout = (hint: CommandHint, [program = "", ...rest]: ReadonlyArray<string>): boolean =>
  programs[hint].split(" ").includes(program) ||
  (programs.dependencies.split(" ").includes(program) && rest.some((word) => tasks[hint]?.test(word) === true))

/** What a command line is about, each once, in a fixed order; empty where nobody can tell. */
export const commandHints = (command: string): ReadonlyArray<CommandHint> => {
  const heads = command.slice(0, longest).replace(/"[^"]*"|'[^']*'/g, "quoted").split(/[;&|\n()`]+/).map(head)
  return hints.filter((hint) => heads.some((one) => isAbout(hint, one)))
}
