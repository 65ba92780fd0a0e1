// Where programs are looked for: nowhere that an agent or the author of a change can write to.
// However a path is spelled, what counts is every directory that it leads through.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { afterAll, assert, it } from "vitest"
import { searchPath } from "../../../src/platform/SearchPath.ts"

const root = realpathSync(mkdtempSync(join(tmpdir(), "ooda-search-")))
afterAll(() => rmSync(root, { recursive: true }))
const at = (...names: ReadonlyArray<string>): string => join(root, ...names)
const repository = (name: string): void => {
  mkdirSync(at(name), { recursive: true })
  execFileSync("git", ["init", "--quiet", at(name)])
}

const made = ["home/notes", "home/.config/nvim", "home/.local/share/app/bin", "home/node_modules/.bin"]
const directories = [...made, "home/w/bin", "home/w/pkg/node_modules/.bin", "home/bin", "tools", "linked", "plain/sub"]
for (const name of directories) mkdirSync(at(name), { recursive: true })
for (const name of ["home", "home/w"]) repository(name)
writeFileSync(at("home/w/bin/git"), "", { mode: 0o755 })
writeFileSync(at("tools/git"), "", { mode: 0o755 })
symlinkSync("home/w", at("alias"))
symlinkSync("home/w/bin", at("direct"))
symlinkSync(at("tools"), at("home/w/away"))
symlinkSync(at("home/w/away"), at("detour"))
symlinkSync("../home/w/bin/git", at("linked/git"))
symlinkSync("node_modules", at("home/.cargo"))
symlinkSync("../node_modules/.bin", at("home/.local/out"))
symlinkSync("loop", at("loop"))
mkdirSync(at("main"))
repository("main")
mkdirSync(at("main/.git/tools"))

const paths = (...names: ReadonlyArray<string>): string => names.map((name) => at(name)).join(":")
const found = (PATH: string, cwd = "home/w", more: Readonly<Record<string, string>> = {}) =>
  searchPath({ HOME: at("home"), PATH, ...more }, [at(cwd)])

it.each([
  [
    "directories of the worktree, at any depth",
    paths("home/w/bin", "home/w", "home/w/pkg/node_modules/.bin"),
    "home/w"
  ],
  ["those that are not there yet", paths("home/w/node_modules/.bin"), "home/w"],
  ["those above the directory of the call", paths("home/w/bin"), "home/w/pkg"],
  ["relative ones and empty ones", ":.:bin:../tools:node_modules/.bin:", "home/w"],
  ["links into the worktree", paths("direct", "alias/bin", "alias/nothing"), "home/w"],
  ["links that lead through it", paths("home/w/away", "detour", "alias/away"), "home/w"],
  ["one step down and up again", `${at("home/w")}/../bin`, "home/w"],
  ["directories where a helper is a link into it", paths("linked"), "home/w"],
  ["the directories of a worktree that is named by a link", paths("home/w/bin"), "alias/pkg"],
  ["the directories of the call's directory, without a repository", paths("plain/sub"), "plain"],
  ["those in the files of any repository", paths("main/.git/tools"), "home/w"],
  ["links that lead nowhere", paths("loop"), "home/w"]
])("leaves out %s", (_, PATH, cwd) => {
  assert.isUndefined(found(PATH, cwd))
  assert.strictEqual(found(`${PATH}:${at("home/bin")}`, cwd), at("home/bin"))
})

it("leaves out directories of an enclosing repository, even if a repository was made within it", () => {
  mkdirSync(at("home/w/inner/.git"), { recursive: true })
  assert.isUndefined(found(paths("home/w/bin"), "home/w/inner"))
})

it("leaves out directories of the worktree that git's variables name", () => {
  assert.isUndefined(found(paths("home/w/bin"), "plain", { GIT_WORK_TREE: at("home/w") }))
  assert.isUndefined(found(paths("home/w/bin"), "plain", { GIT_WORK_TREE: "../alias" }))
})

it("keeps what lies elsewhere, as it is written and in its order", () => {
  const PATH = `/usr/bin:${paths("tools", "home/bin", "missing")}:/bin/:/usr/bin`
  assert.strictEqual(found(PATH), PATH)
  assert.strictEqual(found(paths("linked"), "main"), at("linked"))
})

it("searches a directory where a helper is a link into the worktree last, where that helper is found elsewhere", () => {
  writeFileSync(at("linked/gh"), "", { mode: 0o755 })
  assert.strictEqual(found(paths("linked", "tools")), paths("tools", "linked"))
  assert.strictEqual(found(paths("linked", "home/bin")), at("home/bin"))
})

it("counts a home directory that is a repository only where the call is made in it", () => {
  assert.strictEqual(found(paths("home/node_modules/.bin")), at("home/node_modules/.bin"))
  for (const cwd of ["home", "home/notes"]) assert.isUndefined(found(paths("home/node_modules/.bin", "home"), cwd))
  const around = paths("home/node_modules/.bin", "home")
  assert.isUndefined(found(around, "plain", { GIT_WORK_TREE: at("home") }))
})

it("keeps tools that are installed in a home directory, even where that is a repository", () => {
  const tools = paths(
    "home/bin",
    "home/.local/bin",
    "home/.nvm/versions/node/v22/bin",
    "home/.volta/bin",
    "home/.asdf/shims"
  )
  for (const cwd of ["home", "home/.config/nvim", "home/notes"]) assert.strictEqual(found(tools, cwd), tools)
})

it.each([
  ["where they are a link to another directory of it", "home/.cargo/.bin"],
  ["where they are passed through", "home/.local/../node_modules/.bin"],
  ["where a link in them leads out", "home/.local/out"],
  ["in the directory of the call", "home/.local/share/app/bin"]
])("leaves out directories of installed tools %s", (_, path) => {
  assert.isUndefined(found(`${root}/${path}`, "home/.local/share/app"))
})

it("takes the home directory of the user where no variable names one", () => {
  assert.isUndefined(searchPath({ PATH: paths("home/bin") }, [at("home")]))
  const other = join(userInfo().homedir, ".local/bin")
  assert.strictEqual(searchPath({ PATH: other }, [at("home/w")]), other)
})

it("is undefined where there is no PATH, or where only the call's directory is named", () => {
  assert.isUndefined(searchPath({}, []))
  assert.isUndefined(searchPath({ PATH: "" }, []))
  assert.strictEqual(searchPath({ PATH: ".:/bin" }, []), "/bin")
})
