// project: the package as npm packs it, and empty projects that install it without a network.
// Everything happens in a scratch copy; nothing of the checkout is built, changed or left over.
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { registry } from "./registry.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const run = promisify(execFile)

/** A program's output; rejects with it when the program fails or does not end within `timeout` milliseconds. */
export const output = async (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv; readonly timeout?: number }
): Promise<string> => {
  try {
    return (await run(program, [...args], { maxBuffer: 64 * 1024 * 1024, killSignal: "SIGKILL", ...options })).stdout
  } catch (error) {
    const { killed, stderr = "", stdout = "" } = error as {
      readonly killed?: boolean
      readonly stdout?: string
      readonly stderr?: string
    }
    throw new Error(
      `${program} ${args.join(" ")} ${killed === true ? "did not end in time" : "failed"}:\n${stdout}${stderr}`
    )
  }
}

/** A scratch directory; `remove` takes it away. */
export const scratch = () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-package-")))
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}

/** A package that the checkout has installed, for `npm install`. */
const installed = (name: string): string => join(root, "node_modules", name)

/** Packs a copy of the checkout, its `prepack` included; the tarball and the files in it. */
export const pack = async (dir: string) => {
  const copy = join(dir, "copy")
  for (
    const name of [
      "package.json",
      "tsconfig.json",
      "README.md",
      "CHANGELOG.md",
      "LICENSE",
      "docs",
      "plugin",
      ".claude-plugin",
      "scripts",
      "src"
    ]
  ) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  // What an earlier version left behind, or a careless hand, must not be packed.
  mkdirSync(join(copy, "dist", "lib"), { recursive: true })
  writeFileSync(join(copy, "dist", "lib", "stale.js"), "")
  writeFileSync(join(copy, "dist", "notes.txt"), "")
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  const printed = await output("npm", ["pack", "--json", "--pack-destination", dir], { cwd: copy })
  const [packed] = JSON.parse(printed.slice(printed.search(/^\[/m))) as ReadonlyArray<{
    readonly filename: string
    readonly files: ReadonlyArray<{ readonly path: string }>
  }>
  if (packed === undefined) throw new Error("npm pack printed nothing")
  return { tarball: join(dir, packed.filename), files: packed.files.map(({ path }) => path) }
}

const empty = (dir: string): void => {
  mkdirSync(dir)
  writeFileSync(join(dir, "package.json"), JSON.stringify({ name: "host", private: true, type: "module" }))
}

/** An empty project with the tarball and some packages of the checkout installed. */
export const project = async (dir: string, tarball: string, packages: ReadonlyArray<string>): Promise<string> => {
  empty(dir)
  const names = [tarball, ...packages.map(installed)]
  await output("npm", ["install", "--offline", "--no-audit", "--no-fund", ...names], { cwd: dir })
  return dir
}

/** Runs lines of a page in a directory, where npm installs what a registry on loopback offers. */
export const inRegistry = async (
  dir: string,
  tarball: string,
  variables: NodeJS.ProcessEnv,
  lines: ReadonlyArray<string>
): Promise<void> => {
  const { close, url } = await registry(tarball, join(root, "package.json"), join(root, "node_modules"))
  const quiet = { npm_config_audit: "false", npm_config_fund: "false" }
  const own = { npm_config_registry: url, npm_config_cache: join(dir, "..", "npm-cache") }
  const env = { ...process.env, ...quiet, ...own, ...variables }
  await output("sh", ["-c", lines.join(" && ")], { cwd: dir, env }).finally(close)
}

/** An empty project in which lines of a page install what a registry on loopback offers. */
export const projectBy = async (dir: string, tarball: string, lines: ReadonlyArray<string>): Promise<string> => {
  empty(dir)
  await inRegistry(dir, tarball, {}, lines)
  return dir
}

/** Compiles the modules of a project into its directory `out`, its dependencies' declarations included. */
export const compile = async (dir: string): Promise<void> => {
  const compilerOptions = {
    module: "NodeNext",
    target: "ES2023",
    // The declarations of effect name types of the browser.
    lib: ["ES2023", "DOM"],
    strict: true,
    noUncheckedIndexedAccess: true,
    outDir: "out",
    typeRoots: [installed("@types")],
    types: ["node"]
  }
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
  await output(process.execPath, [installed("typescript/bin/tsc"), "-p", dir], { cwd: dir })
}

/** The TypeScript block of each section of a page of docs/, by its heading. */
export const blocks = (page: string): ReadonlyMap<string, string> => {
  const sections = readFileSync(join(root, "docs", page), "utf8").split(/^## /m)
  return new Map(
    sections.flatMap((section) =>
      [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = ""]) => [section.split("\n", 1)[0] ?? "", block])
    )
  )
}

/** The directory of the fake `codex`. */
export const fakeCodex = join(root, "fixtures", "fake-codex")
